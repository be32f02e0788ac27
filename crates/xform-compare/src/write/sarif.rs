//! SARIF 2.1.0, so that code hosts annotate the asset.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{json::write_value, significant};
use crate::{Audit, Limits, NodeAudit, SceneAudit, Warning, explain, node_path, ranking::ranked};

/// The rules: what they are called, what they mean, what to do. docs/rules.md has more.
const RULES: [(&str, &str, &str); 15] = [
    (
        "skewed",
        "By accumulated matrices the axes of the node are not perpendicular.",
        "Make the scale that is the cause uniform, bake it into the meshes, or move it to a leaf.",
    ),
    (
        "displaced",
        "Accumulated matrices and combined TRS put the node in different places or shapes.",
        "As for `skewed`; `xform report` tries each repair and says what would remain.",
    ),
    (
        "unit-quaternion",
        "A rotation is no unit quaternion; it was normalised.",
        "Export unit quaternions.",
    ),
    ("zero-quaternion", "A rotation has length zero; it was taken as none.", "Mend the exporter."),
    (
        "zero-scale",
        "A scale of 0 flattens the node and all below it.",
        "Nothing, where it is meant to hide them.",
    ),
    (
        "mirrored",
        "A negative scale mirrors the node and all below it.",
        "Bake the mirror into the mesh.",
    ),
    (
        "matrix-and-trs",
        "There is a matrix beside translation, rotation or scale; the matrix was used.",
        "Keep one of them.",
    ),
    (
        "matrix-not-trs",
        "A matrix is no translation, rotation and scale; combined TRS takes the nearest.",
        "Bake it into the mesh, or split it over two nodes.",
    ),
    (
        "missing-bounds",
        "A mesh has positions without bounds; that part of it does not count.",
        "Write min and max, which glTF requires.",
    ),
    (
        "skinned-mesh",
        "A skinned mesh ignores the transform of its node.",
        "Nothing; look at the joints.",
    ),
    (
        "gpu-instancing",
        "Instances of EXT_mesh_gpu_instancing are not audited, only their node.",
        "Check the instances by hand.",
    ),
    (
        "non-default-scene",
        "Nodes are outside the default scene; they are audited all the same.",
        "Nothing, or remove them.",
    ),
    (
        "animation-not-sampled",
        "Animations move nodes; only the pose at rest was audited.",
        "Audit the scene posed at its most extreme too.",
    ),
    (
        "cause-cut",
        "Nodes have more than 32 ancestors with uneven scales; the nearest 32 were tried.",
        "Nothing; read their cause as the nearest.",
    ),
    (
        "undefined-figure",
        "An axis has no length, or the scene no extent, so that figures are undefined.",
        "Nothing, where the zero scale is meant.",
    ),
];

/// Writes an audit as SARIF: a result for each node that is skewed or displaced, an error where that is
/// beyond a limit and a warning otherwise, and a note for each kind of warning.
///
/// # Errors
///
/// Those of the output.
pub fn write_sarif(audit: &Audit, limits: &Limits, out: &mut impl Write) -> io::Result<()> {
    let results: Vec<_> = audit.scenes.iter().flat_map(|scene| results(scene, limits)).collect();
    let rules = RULES.iter().map(|(id, means, help)| {
        json!({
            "id": id,
            "shortDescription": { "text": means },
            "help": { "text": help, "markdown": format!("{help} See docs/rules.md, `{id}`.") },
        })
    });
    let driver = json!({
        "name": "xform",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules.collect::<Vec<_>>(),
    });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    });
    // Log, runs, run, its results: a result stands on one line.
    write_value(&log, 4, out)
}

fn results<'a>(scene: &'a SceneAudit, limits: &'a Limits) -> impl Iterator<Item = Value> + 'a {
    let nodes = ranked(&scene.nodes).into_iter().flat_map(move |node| {
        let skewed = node.is_skewed().then(|| of_skew(scene, node, limits));
        let displaced = node.is_differing().then(|| of_displacement(scene, node, limits));
        skewed.into_iter().chain(displaced)
    });
    let warnings = scene.warnings.iter().map(|warning| of_warning(scene, warning));
    nodes.chain(warnings)
}

fn of_skew(scene: &SceneAudit, node: &NodeAudit, limits: &Limits) -> Value {
    let skew = node.skew_degrees.unwrap_or(0.0);
    let text = format!("skewed by {}° by accumulated matrices", significant(skew, 4));
    let is_beyond = limits.max_skew_degrees.is_some_and(|limit| skew > limit);
    of_node(scene, node, "skewed", is_beyond, &text)
}

fn of_displacement(scene: &SceneAudit, node: &NodeAudit, limits: &Limits) -> Value {
    let moved = node.displacement.unwrap_or(0.0);
    let share = node.displacement_percent.map_or_else(String::new, |percent| {
        format!(" ({} % of the scene)", significant(percent, 3))
    });
    let text = format!("moves by {}{share} from strategy to strategy", significant(moved, 4));
    let is_beyond =
        limits.max_displacement_percent.is_some_and(|limit| node.percent_of_scene() > Some(limit));
    of_node(scene, node, "displaced", is_beyond, &text)
}

fn of_node(scene: &SceneAudit, node: &NodeAudit, rule: &str, is_beyond: bool, text: &str) -> Value {
    let path = node_path(scene, node.index);
    let cause = explain(scene, node.index).map_or_else(String::new, |cause| format!(" {cause}"));
    let level = if is_beyond { "error" } else { "warning" };
    let message = format!("{path}: {text}.{cause}");
    result(scene, rule, level, &message, &format!("/nodes/{}", node.index), &path)
}

fn of_warning(scene: &SceneAudit, warning: &Warning) -> Value {
    let path = warning.node.map_or_else(String::new, |node| node_path(scene, node));
    result(scene, warning.code.name(), "note", &warning.message, &warning.pointer, &path)
}

/// One finding, at a JSON pointer in a file. The path of the node is what tells it from others when the
/// file changes.
fn result(
    scene: &SceneAudit,
    rule: &str,
    level: &str,
    message: &str,
    pointer: &str,
    path: &str,
) -> Value {
    let index = RULES.iter().position(|(id, ..)| *id == rule).expect("every code has a rule");
    json!({
        "ruleId": rule,
        "ruleIndex": index,
        "level": level,
        "message": { "text": message },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&scene.source) },
                "region": { "startLine": 1 },
            },
            "logicalLocations": [{ "fullyQualifiedName": pointer, "kind": "object" }],
        }],
        "partialFingerprints": { "nodePath/v1": format!("{rule} {path}") },
    })
}

/// A path as a relative reference: separators as they are, all that has a meaning in a URI by its bytes.
fn uri(source: &str) -> String {
    source.bytes().fold(String::with_capacity(source.len()), |mut uri, byte| {
        match byte {
            b'\\' => uri.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                uri.push(byte.into());
            }
            _ => uri += &format!("%{byte:02X}"),
        }
        uri
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WarningCode;

    #[test]
    fn every_rule_has_its_section_in_the_documents() {
        let page = include_str!("../../../../docs/rules.md");
        for (id, ..) in RULES {
            assert!(page.contains(&format!("\n## {id}\n")), "{id}");
        }
    }

    #[test]
    fn every_warning_has_a_rule() {
        for code in WarningCode::ALL {
            assert!(RULES.iter().any(|(id, ..)| *id == code.name()), "{}", code.name());
        }
    }

    #[test]
    fn a_path_is_a_relative_reference() {
        assert_eq!(uri("a b\\ä#.glb"), "a%20b/%C3%A4%23.glb");
    }
}
