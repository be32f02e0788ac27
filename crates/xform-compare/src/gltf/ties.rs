use super::document::{Animation, Document, NodeEntry, Target};
use crate::{Ties, Warning, WarningCode};

/// What hangs on each node. An index that is out of range ties nothing; the reader refuses it where it
/// matters.
pub(super) fn ties(document: &Document) -> Vec<Ties> {
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

/// Says how many animations move nodes: what is audited is the pose at rest.
pub(super) fn not_sampled(document: &Document) -> Option<Warning> {
    let moves = |animation: &&Animation| {
        animation.channels.iter().any(|channel| moved(&channel.target).is_some())
    };
    let count = document.animations.iter().filter(moves).count();
    let animations = if count == 1 { "1 animation moves" } else { "animations move" };
    let number = if count == 1 { String::new() } else { format!("{count} ") };
    (count > 0).then(|| Warning {
        code: WarningCode::AnimationNotSampled,
        node: None,
        pointer: "/animations".to_owned(),
        message: format!("{number}{animations} nodes; only the pose at rest was audited"),
    })
}

/// The node whose pose a channel sets: not its morph weights.
fn moved(target: &Target) -> Option<usize> {
    match &target.extensions.pointer {
        Some(pointer) => {
            let (node, property) = pointer.pointer.strip_prefix("/nodes/")?.split_once('/')?;
            let is_pose = ["translation", "rotation", "scale", "matrix"].contains(&property);
            node.parse().ok().filter(|_| is_pose)
        }
        None => target.node.filter(|_| target.path.as_deref() != Some("weights")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skins_and_animations_tie_what_they_name() {
        let json = br#"{ "asset": { "version": "2.0" }, "nodes": [
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
