//! Random frames of edits beside Bevy's own propagation, to the bit.

use bevy_app::App;
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_transform::{
    TransformPlugin,
    components::GlobalTransform,
    systems::{mark_dirty_trees, propagate_parent_transforms, sync_simple_transforms},
};
use proptest::prelude::*;
use xform_cases::properties;

use crate::{
    Matrices, app_with,
    edits::frames,
    random_frames::{Middle, frame, ours},
};

fn bevy() -> App {
    let mut app = app_with(TransformPlugin);
    let systems = (mark_dirty_trees, propagate_parent_transforms, sync_simple_transforms);
    app.init_schedule(Middle).add_systems(Middle, systems.chain());
    app
}

properties! {
    #![cases(200)]

    /// 200 runs of 50 frames.
    #[test]
    fn matrices_are_those_of_bevy(frames in frames(50, false)) {
        let (mut bevy, mut ours) = (bevy(), ours::<Matrices>());
        let (mut theirs_alive, mut alive) = (Vec::new(), Vec::new());
        for (number, edits) in frames.iter().enumerate() {
            frame(&mut bevy, edits, &mut theirs_alive);
            frame(&mut ours, edits, &mut alive);
            prop_assert_eq!(theirs_alive.len(), alive.len());
            // The same entities have other names there.
            for (&theirs, &entity) in theirs_alive.iter().zip(&alive) {
                let expected = bevy.world().get::<GlobalTransform>(theirs);
                let found = ours.world().get::<GlobalTransform>(entity);
                // Equal is also 0 and -0, in which they may differ.
                prop_assert_eq!(expected, found, "frame {}, {}", number, entity);
            }
        }
    }
}
