//! Poses that cannot be used: reported once, by the entity's name, and nothing else suffers.

use std::sync::{Arc, Mutex};

use bevy_ecs::hierarchy::ChildOf;
use bevy_transform::components::Transform;
use glam::{Quat, Vec3};
use tracing::{Event, Metadata, Subscriber, field::Visit, span};

use crate::{Matrices, app, at};

/// Keeps what is reported.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, event: &Event<'_>) {
        struct Message(String);
        impl Visit for Message {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                if field.name() == "message" {
                    self.0 = format!("{value:?}");
                }
            }
        }
        let mut message = Message(String::new());
        event.record(&mut message);
        self.0.lock().expect("nothing panics with it").push(message.0);
    }
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

#[test]
fn a_pose_that_is_none_is_reported_and_left_out() {
    let log = Log::default();
    // For all threads, since systems run on those of the task pool.
    tracing::subscriber::set_global_default(log.clone()).expect("no other test sets one");
    let mut app = app::<Matrices>();
    let parent = app.world_mut().spawn(Transform::from_xyz(1.0, 0.0, 0.0)).id();
    let child = app.world_mut().spawn((Transform::from_xyz(1.0, 0.0, 0.0), ChildOf(parent))).id();
    let other = app.world_mut().spawn(Transform::from_xyz(3.0, 0.0, 0.0)).id();
    app.update();

    for _ in 0..3 {
        app.world_mut().get_mut::<Transform>(parent).expect("it has one").translation.x = f32::NAN;
        app.world_mut().get_mut::<Transform>(other).expect("it has one").translation.x += 1.0;
        app.update();
    }
    assert_eq!(at(app.world(), parent), Vec3::X);
    assert_eq!(at(app.world(), child), Vec3::X * 2.0);
    assert_eq!(at(app.world(), other), Vec3::X * 6.0);

    let fresh = app
        .world_mut()
        .spawn((Transform::from_rotation(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)), ChildOf(other)))
        .id();
    app.update();
    assert_eq!(at(app.world(), fresh), Vec3::ZERO, "it has no place yet");
    app.world_mut().entity_mut(fresh).insert(Transform::IDENTITY);
    app.world_mut().get_mut::<Transform>(parent).expect("it has one").translation.x = 5.0;
    app.update();
    assert_eq!(at(app.world(), fresh), Vec3::X * 6.0);
    assert_eq!(at(app.world(), child), Vec3::X * 6.0);

    // Reported again, since it was right in between.
    app.world_mut().get_mut::<Transform>(parent).expect("it has one").translation.x = f32::NAN;
    app.update();

    let log = log.0.lock().expect("nothing panics with it");
    assert_eq!(log.len(), 3, "{log:?}");
    assert_eq!(log[0], log[2]);
    assert!(log[0].contains(&parent.to_string()) && log[0].contains("translation"), "{}", log[0]);
    assert!(log[1].contains(&fresh.to_string()) && log[1].contains("rotation"), "{}", log[1]);
}

/// Bevy's own gets larger or smaller with it (bevy#16480).
#[test]
fn a_rotation_that_drifted_is_a_rotation() {
    let mut app = app::<Matrices>();
    let drifted = Transform::from_rotation(Quat::from_xyzw(0.0, 0.0, 0.0, 1.004));
    let entity = app.world_mut().spawn(drifted).id();
    app.update();
    assert_eq!(crate::world_of(app.world(), entity).x_axis, glam::Vec3A::X);
}
