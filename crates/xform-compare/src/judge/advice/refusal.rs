use thiserror::Error;
use xform_core::Inherit;
use xform_scene::{Bounds, Scene};

use super::Repair;

/// The reason why a repair cannot be done.
#[derive(Clone, Copy, Debug, Error, Eq, PartialEq)]
pub enum RepairRefusal {
    /// A skin uses the node as a joint, or the node has a skinned mesh. The skin's matrices would have to
    /// change too.
    #[error("node {0} belongs to a skin")]
    Skin(usize),
    /// An animation sets the property that would be changed.
    #[error("an animation moves node {0}")]
    Animation(usize),
    /// A behaviour (`KHR_interactivity`) sets the property that would be changed, at run time.
    #[error("a behaviour (KHR_interactivity) sets node {0}")]
    Behaviour(usize),
    /// The mesh of the node is drawn in many places (`EXT_mesh_gpu_instancing`), whose poses would have to
    /// change too.
    #[error("node {0} draws its mesh in many places")]
    Instances(usize),
    /// The scale affects only descendants: the node has no mesh that could take it.
    #[error("node {0} has no mesh of its own to take its scale")]
    NoMesh(usize),
    /// The node, or its new parent, has no inverse.
    #[error("node {0} is flattened")]
    Flat(usize),
    /// It is unknown how one of the compared engines would show the node after the repair.
    #[error("it is unknown how an engine would show node {0} then")]
    Unknown(usize),
    /// The node does not inherit everything, so its ancestors' scales reach it differently.
    #[error("node {0} does not inherit everything")]
    Inherits(usize),
}

/// Checks that nothing in the nodes that a repair at a scaler would change prevents it.
pub(super) fn check(scene: &Scene, repair: &Repair, scaler: usize) -> Result<(), RepairRefusal> {
    let mut below = subtree(scene, scaler);
    match repair {
        Repair::Bake { .. } => below.try_for_each(|node| check_pose(scene, node)),
        Repair::MoveToLeaf { .. } => {
            if scene.nodes[scaler].bounds == Bounds::Origin {
                return Err(RepairRefusal::NoMesh(scaler));
            }
            below.try_for_each(|node| check_pose(scene, node))
        }
        // The rotation is made unit in any case; no descendant prevents it.
        Repair::MakeUnit { .. } => Ok(()),
        _ if scene.nodes[scaler].uses.is_set_at_run_time => Err(RepairRefusal::Behaviour(scaler)),
        _ if scene.nodes[scaler].uses.is_animated => Err(RepairRefusal::Animation(scaler)),
        _ => match below.find(|&node| scene.nodes[node].inherit != Inherit::All) {
            Some(node) => Err(RepairRefusal::Inherits(node)),
            None => Ok(()),
        },
    }
}

/// Checks that the local pose of a node may be changed.
pub(super) fn check_pose(scene: &Scene, node: usize) -> Result<(), RepairRefusal> {
    let entry = &scene.nodes[node];
    if entry.uses.is_skinned {
        return Err(RepairRefusal::Skin(node));
    }
    if let Some(owner) = entry.instance_of {
        return Err(RepairRefusal::Instances(owner));
    }
    if entry.uses.is_animated {
        return Err(RepairRefusal::Animation(node));
    }
    if entry.uses.is_set_at_run_time {
        return Err(RepairRefusal::Behaviour(node));
    }
    if entry.inherit != Inherit::All {
        return Err(RepairRefusal::Inherits(node));
    }
    Ok(())
}

/// Returns a node and its descendants, in the order of the file.
pub(super) fn subtree(scene: &Scene, top: usize) -> impl Iterator<Item = usize> {
    // Each node is looked up once: the answer for a node holds for all nodes on the way to it.
    let mut is_below = vec![None; scene.nodes.len()];
    is_below[top] = Some(true);
    for node in 0..scene.nodes.len() {
        let mut path = Vec::new();
        let mut at = Some(node);
        let known = loop {
            match at {
                None => break false,
                Some(node) => match is_below[node] {
                    Some(known) => break known,
                    None => {
                        path.push(node);
                        at = scene.nodes[node].parent;
                    }
                },
            }
        };
        path.into_iter().for_each(|node| is_below[node] = Some(known));
    }
    is_below.into_iter().enumerate().filter(|(_, known)| *known == Some(true)).map(|(node, _)| node)
}
