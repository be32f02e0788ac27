//! Properties of a scene that some rules of engines depend on.

use nalgebra::{Matrix3, Matrix4};
use xform_scene::{Scene, animation::Track, skin::Joint};

use crate::measure::worlds::Worlds;

fn joints(scene: &Scene) -> impl Iterator<Item = &Joint> {
    let skins = scene.nodes.iter().filter_map(|node| node.skin.as_ref());
    skins.flat_map(|skin| skin.joints.iter())
}

/// Returns the inverse bind matrix of each joint, in ascending order of the nodes.
pub(super) fn binds(scene: &Scene) -> Vec<(usize, Matrix4<f64>)> {
    let mut binds: Vec<_> = joints(scene).map(|joint| (joint.node, joint.inverse_bind)).collect();
    binds.sort_by_key(|(node, _)| *node);
    binds
}

/// Whether a joint was rotated, scaled or sheared when a mesh was bound to it.
pub(super) fn has_turned_bind(scene: &Scene) -> bool {
    joints(scene).any(|joint| joint.inverse_bind.fixed_view::<3, 3>(0, 0) != Matrix3::identity())
}

/// Whether a scene is from an FBX file with a node that does not inherit its parent's scale as matrices do.
pub(super) fn is_by_type(scene: &Scene) -> bool {
    scene.fbx.as_ref().is_some_and(|file| !file.inherits_all())
}

/// Whether any scale may be negative, at rest or in motion.
pub(super) fn has_negative_scale(scene: &Scene, worlds: &Worlds) -> bool {
    let is_negative = |scale: &[f64; 3]| scale.iter().any(|&factor| factor < 0.0);
    let at_rest = worlds.poses.locals.iter().any(|pose| is_negative(&pose.scale.into()));
    let tracks = || scene.animations.iter().flat_map(|animation| &animation.channels);
    at_rest
        || tracks().any(|channel| match &channel.track {
            Track::Scale(curve) => curve.least() < 0.0,
            Track::Translation(_) | Track::Rotation(_) => false,
        })
}
