//! Local poses of a file's nodes, at rest and in its animations.

use std::collections::BTreeMap;

use nalgebra::{Vector3, Vector4};
use pyo3::{exceptions::PyIndexError, prelude::*};
use xform_core::Trs;
use xform_scene::{Animation, LocalPose, Scene, animation::Track};

use crate::source::{Reading, Source, Unread};

/// The nodes, and the parts of their poses one after the other: time by time, node by node.
type Parts = (Vec<usize>, Vec<f64>, Vec<f64>, Vec<f64>);

/// Poses at rest of all nodes, and of each animation those of the nodes that it moves, at these times.
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
    for node in 0..scene.nodes.len() {
        rest.0.push(node);
        push(&mut rest, at_rest(&scene, node));
    }
    Ok((rest, moved))
}

/// `None` for a node with a sheared matrix, which has no parts.
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
    let mut parts = Parts::default();
    parts.0.extend(tracks.keys());
    for &time in seconds {
        for (&node, tracks) in &tracks {
            let posed = |rest| tracks.iter().fold(rest, |pose, track| track.pose(&pose, time));
            push(&mut parts, at_rest(scene, node).map(posed));
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
