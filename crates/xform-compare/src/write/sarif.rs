//! SARIF 2.1.0, so that code hosts annotate the asset.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::json::write_value;
use crate::{Finding, Severity};

/// The rules of [`Finding`]s: what they are called, what they mean, what to do. docs/rules.md has more.
pub const RULES: [(&str, &str, &str); 17] = [
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
    (
        "not-utf8",
        "Bytes that are not UTF-8 were read as U+FFFD.",
        "Export names as UTF-8, which JSON requires.",
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
        "An animation, or a part of one, could not be read or was skipped; it counts as at rest.",
        "As the message says; or audit the scene posed at its most extreme too.",
    ),
    (
        "animation-thinned",
        "An animation was sampled at fewer times than it has keyframes, since it moves many nodes.",
        "Nothing, where it moves evenly; or split the animation.",
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

/// Writes what was found in scenes as SARIF, each with its source: what counts, and what is ignored as
/// suppressed with the reason.
///
/// # Errors
///
/// Those of the output.
pub fn write_sarif<'a>(
    scenes: impl IntoIterator<Item = (&'a str, &'a [Finding])>,
    out: &mut impl Write,
) -> io::Result<()> {
    let results = scenes.into_iter().flat_map(|(source, findings)| {
        findings.iter().filter_map(move |finding| result(source, finding))
    });
    let results: Vec<_> = results.collect();
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

/// One finding, at a JSON pointer in a file. The path of the node is what tells it from others when the
/// file changes.
fn result(source: &str, finding: &Finding) -> Option<Value> {
    let Finding { rule, pointer, animation, .. } = finding;
    let level = match finding.severity {
        Severity::Off => return None,
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let path = finding.node.as_ref().map_or("", |(_, path)| path.as_str());
    let when = animation.as_ref().map_or_else(String::new, |name| format!(" in {name}"));
    let index = RULES.iter().position(|(id, ..)| id == rule).expect("every code has a rule");
    let mut result = json!({
        "ruleId": rule,
        "ruleIndex": index,
        "level": level,
        "message": { "text": finding.message },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(source) },
                "region": { "startLine": 1 },
            },
            "logicalLocations": [{ "fullyQualifiedName": pointer, "kind": "object" }],
        }],
        "partialFingerprints": { "nodePath/v1": format!("{rule} {path}{when}") },
    });
    if let Some(reason) = &finding.ignored {
        result["suppressions"] = json!([{ "kind": "external", "justification": reason }]);
    }
    Some(result)
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
