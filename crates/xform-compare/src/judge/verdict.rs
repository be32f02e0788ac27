use xform_scene::{Bounds, Warning, WarningCode, text::significant};

use super::{engines::engine_sentences, undrawn};
use crate::audit::{NodeAudit, SceneAudit};

/// Whether the scene has animations that were not audited, in full or in part.
#[must_use]
pub fn is_at_rest_alone(scene: &SceneAudit) -> bool {
    scene.warnings.iter().any(|warning| warning.code == WarningCode::AnimationNotSampled)
}

/// Whether the vertices of a skinned mesh could not be read.
#[must_use]
pub fn has_unread_vertices(scene: &SceneAudit) -> bool {
    scene.warnings.iter().any(|warning| warning.code == WarningCode::SkinnedMesh)
}

/// States what the answer leaves out, if not everything that is drawn could be read.
fn unread(scene: &SceneAudit) -> Option<String> {
    has_unread_vertices(scene).then(|| {
        "The vertices of skinned meshes could not be read: their joints were examined instead, so the meshes may \
         look different anyway."
            .to_owned()
    })
}

/// Returns the answer in a few sentences: the engines in which the scene looks different, by how much, where
/// and when, and the engines in which it looks the same.
///
/// The [footnotes](super::footnotes) explain the marks on the names of engines.
#[must_use]
pub fn verdict(scene: &SceneAudit) -> String {
    let answer = match scene.summary.nodes {
        0 => vec!["There are no nodes, so nothing to compare.".to_owned()],
        _ if !scene.is_drawn() => {
            let when = when_looked_at(scene);
            vec![format!("Nothing is drawn, so nothing looks different{when}.")]
        }
        _ => engine_sentences(scene, when_looked_at(scene)),
    };
    let left_out = [sheared(scene), undrawn::sentence(scene), invisible(scene), unread(scene)];
    let sentences = answer.into_iter().chain(left_out.into_iter().flatten());
    sentences.collect::<Vec<_>>().join(" ")
}

/// States the number of sheared nodes, whether or not engines differ on them.
fn sheared(scene: &SceneAudit) -> Option<String> {
    let count = scene.summary.skewed_nodes;
    let (nodes, are) = if count == 1 { ("node", "is") } else { ("nodes", "are") };
    let degrees = significant(scene.summary.max_skew_degrees, 4);
    let by = if scene.fbx.is_some() { "As the FBX file defines it" } else { "As glTF defines it" };
    let mut all = scene.nodes_of_the_file().iter().filter(|node| node.is_skewed());
    let hidden = if all.all(|node| node.is_invisible) { ", and hidden in the file" } else { "" };
    (count > 0)
        .then(|| format!("{by}, {count} {nodes} {are} sheared, by up to {degrees}°{hidden}."))
}

/// Returns a phrase that says whether the answer holds only at rest or in motion too.
pub(super) fn when_looked_at(scene: &SceneAudit) -> &'static str {
    let is_thinned = |warning: &Warning| warning.code == WarningCode::AnimationThinned;
    match scene.animations.is_empty() {
        _ if is_at_rest_alone(scene) => " at rest",
        true => "",
        false if scene.warnings.iter().any(is_thinned) => {
            " at rest and at the sampled times of its animations"
        }
        false => " at rest and in motion",
    }
}

/// States the number of meshes that the file hides.
fn invisible(scene: &SceneAudit) -> Option<String> {
    let has_mesh = |node: &&NodeAudit| node.is_skinned || matches!(node.bounds, Bounds::Box(..));
    let hidden = scene.nodes.iter().filter(|node| node.is_invisible && !node.counts);
    match hidden.filter(has_mesh).count() {
        0 => None,
        1 => Some("1 node is hidden in the file, and does not count.".to_owned()),
        count => Some(format!("{count} nodes are hidden in the file, and do not count.")),
    }
}
