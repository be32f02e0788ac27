use super::{
    animation::moved,
    document::{Document, NodeEntry},
};
use crate::Ties;

/// What hangs on each node. An index that is out of range ties nothing; the reader refuses it where it
/// matters.
pub(super) fn ties(document: &Document<'_>) -> Vec<Ties> {
    let of_node = |node: &NodeEntry| Ties {
        mesh: node.mesh,
        is_skinned: node.skin.is_some(),
        is_animated: false,
    };
    let mut ties: Vec<_> = document.nodes.iter().map(of_node).collect();
    for &joint in document.skins.iter().flat_map(|skin| &skin.joints) {
        if let Some(ties) = ties.get_mut(joint) {
            ties.is_skinned = true;
        }
    }
    let channels = document.animations.iter().flat_map(|animation| &animation.channels);
    for node in channels.filter_map(|channel| moved(&channel.target)) {
        if let Some(ties) = ties.get_mut(node) {
            ties.is_animated = true;
        }
    }
    ties
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skins_and_animations_tie_what_they_name() {
        let json = r#"{ "asset": { "version": "2.0" }, "nodes": [
            { "mesh": 4 }, { "skin": 0 }, {}, {}, {} ],
            "skins": [{ "joints": [2, 99] }],
            "animations": [{ "samplers": [], "channels": [
                { "sampler": 0, "target": { "node": 0, "path": "weights" } },
                { "sampler": 0, "target": { "node": 3, "path": "rotation" } },
                { "sampler": 0, "target": { "path": "pointer", "extensions":
                    { "KHR_animation_pointer": { "pointer": "/nodes/4/scale" } } } } ] }] }"#;
        let ties = ties(&Document::parse(json).unwrap());
        let tied = |index: usize| (ties[index].is_skinned, ties[index].is_animated);
        assert_eq!((ties[0].mesh, tied(0)), (Some(4), (false, false)));
        assert_eq!(
            [1, 2, 3, 4].map(tied),
            [(true, false), (true, false), (false, true), (false, true)]
        );
    }
}
