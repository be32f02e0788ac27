use xform_core::{TopologyError, parents_first};

use super::{GltfError, document::Document};
use crate::scene::{Warning, WarningCode};

/// The parent of each node; an error unless the nodes form a forest.
pub(super) fn parents(document: &Document<'_>) -> Result<Vec<Option<usize>>, GltfError> {
    let len = document.nodes.len();
    let mut parents = vec![None; len];
    for (parent, node) in document.nodes.iter().enumerate() {
        for (position, &child) in node.children.iter().enumerate() {
            let pointer = || format!("/nodes/{parent}/children/{position}");
            check_index(child, len, "node", pointer)?;
            if let Some(first) = parents[child].replace(parent) {
                return Err(GltfError::TwoParents { node: child, first, second: parent, position });
            }
        }
    }
    match parents_first(&parents) {
        Ok(_) => Ok(parents),
        Err(TopologyError::Cycle { node }) => Err(GltfError::Cycle { node }),
        Err(_) => Err(GltfError::TooManyNodes { len }),
    }
}

/// Checks the scenes, and warns of nodes that they list below others and of those that the default scene leaves out.
pub(super) fn check_scenes(
    document: &Document<'_>,
    parents: &[Option<usize>],
) -> Result<Vec<Warning>, GltfError> {
    let mut warnings = Vec::new();
    for (scene, entry) in document.scenes.iter().enumerate() {
        let mut below = None;
        for (position, &node) in entry.nodes.iter().enumerate() {
            let pointer = || format!("/scenes/{scene}/nodes/{position}");
            check_index(node, parents.len(), "node", pointer)?;
            below = below.or(parents[node].map(|parent| (pointer(), node, parent)));
        }
        warnings.extend(below.map(|(pointer, node, parent)| {
            let message = format!(
                "node {node} has a parent, node {parent}, and so is no root; it was taken below its parent"
            );
            Warning { node: Some(node), ..Warning::new(WarningCode::NonRootNode, pointer, message) }
        }));
    }
    warnings.extend(outside_default_scene(document, parents)?);
    Ok(warnings)
}

/// Warns if the default scene leaves out nodes.
fn outside_default_scene(
    document: &Document<'_>,
    parents: &[Option<usize>],
) -> Result<Option<Warning>, GltfError> {
    if let Some(scene) = document.scene {
        check_index(scene, document.scenes.len(), "scene", || "/scene".to_owned())?;
    }
    let Some(default) = document.scenes.get(document.scene.unwrap_or(0)) else {
        return Ok(None);
    };
    let mut is_inside = vec![false; parents.len()];
    let mut pending = default.nodes.clone();
    while let Some(node) = pending.pop() {
        if !std::mem::replace(&mut is_inside[node], true) {
            pending.extend(&document.nodes[node].children);
        }
    }
    let outside = is_inside.iter().filter(|&&inside| !inside).count();
    Ok((outside > 0).then(|| {
        let (are, they_are) = if outside == 1 { ("is", "it is") } else { ("are", "they are") };
        let nodes = if parents.len() == 1 { "node" } else { "nodes" };
        let message = format!(
            "{outside} of {} {nodes} {are} not in the default scene; {they_are} audited all the same",
            parents.len()
        );
        let node = is_inside.iter().position(|&inside| !inside);
        Warning { node, ..Warning::new(WarningCode::NonDefaultScene, "/scenes", message) }
    }))
}

pub(super) fn check_index(
    index: usize,
    len: usize,
    kind: &'static str,
    pointer: impl Fn() -> String,
) -> Result<(), GltfError> {
    if index < len {
        return Ok(());
    }
    Err(GltfError::IndexOutOfRange { pointer: pointer(), kind, index, len })
}
