use super::{
    behaviours::Behaviours,
    document::{Document, NodeEntry},
};

/// The path of the property that shows and hides a node.
const VISIBLE: &str = "extensions/KHR_node_visibility/visible";

/// For each node, whether it is hidden at all times, by itself or by an ancestor. A node whose visibility is set by
/// an animation or a behaviour counts as shown.
pub(super) fn hidden(document: &Document<'_>, behaviours: &Behaviours) -> Vec<bool> {
    let channels = document.animations.iter().flat_map(|animation| &animation.channels);
    let animated = channels.filter_map(|channel| match channel.target.property() {
        (Some(node), Some(VISIBLE)) => Some(node),
        _ => None,
    });
    let set: Vec<_> = animated.chain(behaviours.nodes_with(VISIBLE)).collect();
    let is_hidden = |&(index, node): &(usize, &NodeEntry)| {
        node.extensions.visibility.as_ref().is_some_and(|found| found.visible == Some(false))
            && !set.contains(&index)
    };
    let all = document.nodes.iter().enumerate().filter(is_hidden).map(|(index, _)| index);
    let mut left: Vec<_> = all.collect();
    let mut hidden = vec![false; document.nodes.len()];
    while let Some(node) = left.pop() {
        let children = document.nodes.get(node).map(|entry| &entry.children);
        let (Some(children), Some(known)) = (children, hidden.get_mut(node)) else { continue };
        if !std::mem::replace(known, true) {
            left.extend(children);
        }
    }
    hidden
}
