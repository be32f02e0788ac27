//! `EXT_mesh_gpu_instancing`: one mesh in many places. Each instance acts like a child of the node that has the
//! extension.

use std::collections::HashMap;

use nalgebra::{Quaternion, Vector3};
use xform_core::{Inherit, Trs};

use super::{
    accessor::elements,
    buffers::Buffers,
    document::{Document, GpuInstancing},
    pose::{length, unit},
    unread::Unread,
};
use crate::{Bounds, LocalPose, Node, NodeUses, Scene, Warning, WarningCode, text::significant};

/// The maximum number of instances in a file. A small file can name the same ones any number of times.
const MOST: usize = 5_000_000;

/// The largest deviation from 1 of the length of a rotation that is stored in four normalised bytes.
const QUANTISED: f64 = 0.02;

/// The poses of instances.
pub(super) struct Instances {
    pub(super) poses: Vec<Trs<f64>>,
    /// The first instance whose rotation is not a unit quaternion, and its length.
    odd: Option<(usize, f64)>,
}

/// For each node with instances, the instances or the reason why they cannot be read.
pub(super) type Found = Vec<(usize, Result<Instances, Unread>)>;

/// Reads the instances of each node that has some and shows a mesh, in the order of the file.
///
/// The scene and its drawing are read separately, and both use this, so that they agree.
pub(super) fn of_nodes<'a>(document: &'a Document<'a>, buffers: &mut Buffers<'a>) -> Found {
    let mut left = MOST;
    let nodes = document.nodes.iter().enumerate();
    let nodes =
        nodes.filter(|(_, node)| node.mesh.is_some_and(|mesh| mesh < document.meshes.len()));
    let read = nodes.filter_map(|(node, entry)| {
        let instancing = entry.extensions.gpu_instancing.as_ref()?;
        let found = instances(document, buffers, instancing).and_then(|found| {
            left = left.checked_sub(found.poses.len()).ok_or(Unread::TooMuch)?;
            Ok(found)
        });
        Some((node, found))
    });
    read.collect()
}

/// Whether any node has instances.
pub(super) fn are_there(document: &Document<'_>) -> bool {
    document.nodes.iter().any(|node| node.extensions.gpu_instancing.is_some())
}

fn instances<'a>(
    document: &'a Document<'a>,
    buffers: &mut Buffers<'a>,
    GpuInstancing { attributes }: &GpuInstancing,
) -> Result<Instances, Unread> {
    let translations = attributes.translation.map(|at| elements::<3>(document, buffers, at));
    let rotations = attributes.rotation.map(|at| elements::<4>(document, buffers, at));
    let scales = attributes.scale.map(|at| elements::<3>(document, buffers, at));
    let (translations, rotations, scales) =
        (translations.transpose()?, rotations.transpose()?, scales.transpose()?);
    let lens = [
        translations.as_ref().map(Vec::len),
        rotations.as_ref().map(Vec::len),
        scales.as_ref().map(Vec::len),
    ];
    let lens = lens.into_iter().flatten();
    let count = lens.clone().min().ok_or(Unread::Missing("TRANSLATION, ROTATION or SCALE"))?;
    if lens.into_iter().any(|len| len != count) {
        return Err(Unread::UnequalInstances);
    }
    let pose = |i: usize| {
        let rotation = rotations.as_ref().map(|all| Quaternion::from(all[i]));
        if rotation.is_some_and(|rotation| !rotation.coords.iter().all(|part| part.is_finite())) {
            return Err(Unread::InstanceRange(i));
        }
        let pose = Trs::from_parts(
            translations.as_ref().map_or(Vector3::zeros(), |all| all[i].into()),
            rotation.and_then(unit).unwrap_or_default(),
            scales.as_ref().map_or(Vector3::repeat(1.0), |all| all[i].into()),
        );
        let is_finite = pose.to_homogeneous().iter().all(|entry| entry.is_finite());
        is_finite.then_some(pose).ok_or(Unread::InstanceRange(i))
    };
    let rotations = rotations.iter().flatten().enumerate();
    let mut lengths = rotations.map(|(place, turn)| (place, length(turn)));
    let odd = lengths.find(|(_, length)| (length - 1.0).abs() > QUANTISED);
    Ok(Instances { poses: (0..count).map(pose).collect::<Result<_, _>>()?, odd })
}

/// Adds a node for each instance after all nodes of the file. The owner then shows its mesh only there.
pub(super) fn add<'a>(scene: &mut Scene, document: &'a Document<'a>, buffers: &mut Buffers<'a>) {
    for (owner, found) in of_nodes(document, buffers) {
        let Instances { poses, odd } = match found {
            Ok(found) => found,
            Err(why) => {
                let field = "/extensions/EXT_mesh_gpu_instancing";
                let message = format!("its instances are not audited, only the node itself: {why}");
                let warning = Warning::of_node(WarningCode::GpuInstancing, owner, field, message);
                scene.warnings.push(warning);
                continue;
            }
        };
        if let Some((place, length)) = odd {
            scene.warnings.push(odd_rotation(owner, place, length));
        }
        // The owner becomes a node without a mesh, whose children show it.
        let bounds = std::mem::replace(&mut scene.nodes[owner].bounds, Bounds::Origin);
        let mesh = scene.nodes[owner].uses.mesh.take();
        let Node { is_invisible, is_in_default_scene, .. } = scene.nodes[owner];
        scene.nodes.extend(poses.into_iter().enumerate().map(|(place, pose)| Node {
            name: Some(format!("instance {place}")),
            parent: Some(owner),
            local: LocalPose::Trs(pose),
            rotation_length: None,
            inherit: Inherit::All,
            bounds,
            skin: None,
            fixture: None,
            uses: NodeUses { mesh, ..NodeUses::default() },
            is_invisible,
            is_in_default_scene,
            instance_of: Some(owner),
            is_helper: false,
        }));
    }
}

/// For each owner, the range of its instances among the nodes of the scene. The file has `file_nodes` nodes.
pub(super) fn nodes(found: &Found, file_nodes: usize) -> HashMap<usize, std::ops::Range<usize>> {
    let mut next = file_nodes;
    let known = found.iter().filter_map(|(owner, found)| {
        let count = found.as_ref().ok()?.poses.len();
        next += count;
        Some((*owner, next - count..next))
    });
    known.collect()
}

fn odd_rotation(owner: usize, place: usize, length: f64) -> Warning {
    let (code, so) = if length == 0.0 {
        (WarningCode::ZeroQuaternion, "it was read as no rotation")
    } else {
        (WarningCode::UnitQuaternion, "it was normalised")
    };
    let length = significant(length, 4);
    let message = format!("the rotation of instance {place} has length {length}; {so}");
    Warning::of_node(code, owner, "/extensions/EXT_mesh_gpu_instancing", message)
}
