use super::{
    animation::moved,
    behaviours::Behaviours,
    document::{Document, NodeEntry},
    mesh::has_vertices,
};
use crate::{LocalPose, NodeUses, Scene, animation::Channel};

/// The uses of each node. An index out of range is ignored here; the reader refuses it where it matters.
pub(super) fn node_uses(document: &Document<'_>, behaviours: &Behaviours) -> Vec<NodeUses> {
    let have_vertices: Vec<_> =
        document.meshes.iter().map(|mesh| has_vertices(document, mesh)).collect();
    let of_node = |(index, node): (usize, &NodeEntry)| NodeUses {
        mesh: node.mesh.filter(|&mesh| have_vertices.get(mesh) != Some(&false)),
        is_skinned: node.skin.is_some(),
        stands_in: false,
        is_animated: false,
        is_keyed: false,
        is_set_at_run_time: behaviours.moves(index),
    };
    let mut uses: Vec<_> = document.nodes.iter().enumerate().map(of_node).collect();
    for &joint in document.skins.iter().flat_map(|skin| &skin.joints) {
        if let Some(used) = uses.get_mut(joint) {
            used.is_skinned = true;
        }
    }
    let channels = document.animations.iter().flat_map(|animation| &animation.channels);
    for node in channels.filter_map(|channel| moved(&channel.target)) {
        if let Some(used) = uses.get_mut(node) {
            used.is_animated = true;
        }
    }
    uses
}

/// Marks nodes as keyed instead of animated if all their channels could be read and leave their pose unchanged.
pub(super) fn forget_still_channels(scene: &mut Scene) {
    let Scene { nodes, animations, .. } = scene;
    let mut is_moved = vec![false; nodes.len()];
    for animation in animations.iter() {
        for Channel { node, track } in &animation.channels {
            let keeps = match &nodes[*node].local {
                LocalPose::Trs(pose) => track.keeps(pose),
                LocalPose::Matrix(_) => false,
            };
            is_moved[*node] |= !keeps;
        }
        let unread = animation.not_sampled.iter().filter_map(|part| part.node);
        unread.for_each(|node| is_moved[node] = true);
    }
    for (node, is_moved) in nodes.iter_mut().zip(is_moved) {
        node.uses.is_keyed = node.uses.is_animated && !is_moved;
        node.uses.is_animated &= is_moved;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skins_and_animations_use_the_nodes_they_name() {
        let json = r#"{ "asset": { "version": "2.0" }, "nodes": [
            { "mesh": 4 }, { "skin": 0 }, {}, {}, {} ],
            "skins": [{ "joints": [2, 99] }],
            "animations": [{ "samplers": [], "channels": [
                { "sampler": 0, "target": { "node": 0, "path": "weights" } },
                { "sampler": 0, "target": { "node": 3, "path": "rotation" } },
                { "sampler": 0, "target": { "path": "pointer", "extensions":
                    { "KHR_animation_pointer": { "pointer": "/nodes/4/scale" } } } } ] }] }"#;
        let document = Document::parse(json).unwrap();
        let uses = node_uses(&document, &Behaviours::of(&document));
        let marks = |index: usize| (uses[index].is_skinned, uses[index].is_animated);
        assert_eq!((uses[0].mesh, marks(0)), (Some(4), (false, false)));
        assert_eq!(
            [1, 2, 3, 4].map(marks),
            [(true, false), (true, false), (false, true), (false, true)]
        );
    }
}
