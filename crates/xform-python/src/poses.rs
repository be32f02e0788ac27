//! Returns local poses of a file's nodes, at rest and in its animations.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::{Vector3, Vector4};
use pyo3::{exceptions::PyIndexError, prelude::*};
use xform_core::Trs;
use xform_scene::{Animation, LocalPose, Scene, animation::Track};

use crate::source::{Reading, Source, Unread};

/// The nodes, and then the three parts of their poses, each ordered by time and then by node.
type Parts = (Vec<usize>, Vec<f64>, Vec<f64>, Vec<f64>);

/// Returns the rest poses of all nodes, and for each animation the poses of the nodes that it moves, at these times.
#[pyfunction]
pub(crate) fn file_poses(
    py: Python<'_>,
    source: Source,
    times: Vec<(usize, Vec<f64>)>,
) -> PyResult<(Parts, Vec<Parts>)> {
    let reading = Reading { has_motion: true, is_drawn: false };
    let scene =
        py.detach(|| source.scene(reading)).map_err(|unread: Unread| PyErr::from(unread))?;
    let mut moved = Vec::new();
    for (index, seconds) in &times {
        let is_it = |one: &&Animation| one.index == *index && !one.takes_first_channels;
        let animation = scene.animations.iter().find(is_it).ok_or_else(|| {
            PyIndexError::new_err(format!("{}: no animation {index}", source.name()))
        })?;
        moved.push(in_motion(&scene, animation, seconds));
    }
    let mut rest = Parts::default();
    for node in 0..scene.nodes_of_the_file() {
        rest.0.push(node);
        push(&mut rest, of_the_file(&scene, node, |node| at_rest(&scene, node)));
    }
    Ok((rest, moved))
}

/// Returns the pose of a node as the file has it. In an FBX file the scale comes from the scene node that shows it,
/// and a root also gets the rotation and uniform scale that convert the file's axes and unit to those of glTF.
fn of_the_file(
    scene: &Scene,
    node: usize,
    pose: impl Fn(usize) -> Option<Trs<f64>>,
) -> Option<Trs<f64>> {
    let own = pose(node)?.with_scale(pose(scene.shown_by(node))?.scale);
    let top = scene.nodes[node].parent.filter(|&above| scene.of_file(above).is_none());
    let Some(top) = top else { return Some(own) };
    let top = pose(top)?;
    Some(Trs::from_parts(
        top.translation + top.rotation * top.scale.component_mul(&own.translation),
        top.rotation * own.rotation,
        own.scale * top.scale.x,
    ))
}

/// Returns the rest pose, or `None` for a node with a sheared matrix, which has no parts.
fn at_rest(scene: &Scene, node: usize) -> Option<Trs<f64>> {
    match scene.nodes[node].local {
        LocalPose::Trs(pose) => Some(pose),
        LocalPose::Matrix(_) => None,
    }
}

fn in_motion(scene: &Scene, animation: &Animation, seconds: &[f64]) -> Parts {
    let mut tracks: BTreeMap<usize, Vec<&Track>> = BTreeMap::new();
    for channel in &animation.channels {
        tracks.entry(channel.node).or_default().push(&channel.track);
    }
    let moved: BTreeSet<_> = tracks.keys().filter_map(|&node| scene.of_file(node)).collect();
    let mut parts = Parts::default();
    parts.0.extend(&moved);
    for &time in seconds {
        let posed = |node: usize| {
            let tracks = tracks.get(&node).into_iter().flatten();
            let rest = at_rest(scene, node)?;
            Some(tracks.fold(rest, |pose, track| track.pose(&pose, time)))
        };
        for &node in &moved {
            push(&mut parts, of_the_file(scene, node, posed));
        }
    }
    parts
}

fn push((_, translations, rotations, scales): &mut Parts, pose: Option<Trs<f64>>) {
    let parts = pose.map(|pose| (pose.translation, pose.rotation.coords, pose.scale));
    let none = (Vector3::repeat(f64::NAN), Vector4::repeat(f64::NAN), Vector3::repeat(f64::NAN));
    let (translation, rotation, scale) = parts.unwrap_or(none);
    translations.extend(translation.iter());
    rotations.extend(rotation.iter());
    scales.extend(scale.iter());
}
