use xform_core::{TopologyError, slices::parents_first};

use super::{GltfError, document::Document, errors::Defects};
use crate::{Node, Warning, WarningCode};

/// The parent of each node. Nodes that do not form a forest are errors.
pub(super) fn parents(document: &Document<'_>, defects: &mut Defects) -> Vec<Option<usize>> {
    let len = document.nodes.len();
    let mut parents = vec![None; len];
    for (parent, node) in document.nodes.iter().enumerate() {
        for (position, &child) in node.children.iter().enumerate() {
            let pointer = || format!("/nodes/{parent}/children/{position}");
            if !is_index(child, len, "node", pointer, defects) {
                continue;
            }
            match parents[child] {
                None => parents[child] = Some(parent),
                Some(first) => {
                    let second = parent;
                    defects.push(GltfError::TwoParents { node: child, first, second, position });
                }
            }
        }
    }
    match parents_first(&parents) {
        Ok(_) => {}
        Err(TopologyError::Cycle { .. }) => {
            cycles(&parents).for_each(|node| defects.push(GltfError::Cycle { node }));
        }
        Err(_) => defects.push(GltfError::TooManyNodes { len }),
    }
    parents
}

/// Finds one node of each cycle.
fn cycles(parents: &[Option<usize>]) -> impl Iterator<Item = usize> {
    // The start of the walk that first reached each node.
    let mut from = vec![None; parents.len()];
    (0..parents.len()).filter_map(move |start| {
        let mut node = Some(start);
        while let Some(next) = node.filter(|&node| from[node].is_none()) {
            from[next] = Some(start);
            node = parents[next];
        }
        node.filter(|&node| from[node] == Some(start))
    })
}

/// Checks the node indices of the scenes, and the index of the default scene.
pub(super) fn check_scenes(document: &Document<'_>, defects: &mut Defects) {
    for (scene, entry) in document.scenes.iter().enumerate() {
        for (position, &node) in entry.nodes.iter().enumerate() {
            let pointer = || format!("/scenes/{scene}/nodes/{position}");
            is_index(node, document.nodes.len(), "node", pointer, defects);
        }
    }
    if let Some(scene) = document.scene {
        is_index(scene, document.scenes.len(), "scene", || "/scene".to_owned(), defects);
    }
}

/// Warns of nodes with parents that scenes list as roots, and of nodes outside the default scene.
pub(super) fn warnings(document: &Document<'_>, nodes: &[Node]) -> Vec<Warning> {
    let scenes = document.scenes.iter().enumerate();
    let below = scenes.filter_map(|(scene, entry)| {
        let mut roots = entry.nodes.iter().enumerate();
        let (position, node, parent) =
            roots.find_map(|(position, &node)| Some((position, node, nodes[node].parent?)))?;
        let message = format!(
            "node {node} is listed as a root, but is a child of node {parent}; it was read as that child"
        );
        let pointer = format!("/scenes/{scene}/nodes/{position}");
        let warning = Warning::new(WarningCode::NonRootNode, pointer, message);
        Some(warning.with_node(Some(node)))
    });
    below.chain(outside_default_scene(nodes)).collect()
}

/// For each node, whether it is in the default scene, which is the first unless the document names one. Without scenes
/// every node is.
pub(super) fn in_default_scene(document: &Document<'_>) -> Vec<bool> {
    let Some(default) = document.scenes.get(document.scene.unwrap_or(0)) else {
        return vec![true; document.nodes.len()];
    };
    let mut is_inside = vec![false; document.nodes.len()];
    let mut pending = default.nodes.clone();
    while let Some(node) = pending.pop() {
        let Some(known) = is_inside.get_mut(node) else { continue };
        if !std::mem::replace(known, true) {
            pending.extend(&document.nodes[node].children);
        }
    }
    is_inside
}

/// Warns of nodes outside the default scene.
fn outside_default_scene(nodes: &[Node]) -> Option<Warning> {
    let is_outside = |node: &&Node| !node.is_in_default_scene;
    let outside = nodes.iter().filter(is_outside).count();
    (outside > 0).then(|| {
        let (are, they_are) = if outside == 1 { ("is", "it is") } else { ("are", "they are") };
        let all = if nodes.len() == 1 { "node" } else { "nodes" };
        let message = format!(
            "{outside} of {} {all} {are} not in the default scene; {they_are} audited too",
            nodes.len()
        );
        let node = nodes.iter().position(|node| !node.is_in_default_scene);
        Warning::new(WarningCode::NonDefaultScene, "/scenes", message).with_node(node)
    })
}

/// Whether an index is in range. If not, it is an error.
pub(super) fn is_index(
    index: usize,
    len: usize,
    kind: &'static str,
    pointer: impl Fn() -> String,
    defects: &mut Defects,
) -> bool {
    if index >= len {
        defects.push(GltfError::IndexOutOfRange { pointer: pointer(), kind, index, len });
    }
    index < len
}
