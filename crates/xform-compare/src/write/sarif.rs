//! SARIF 2.1.0, so that code hosts annotate the asset.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::json::write_value;
use crate::{
    audit::Problem,
    judge::{Finding, RULES, Rule, Severity},
    text::relative_reference,
};

/// Writes what was found in scenes as SARIF, each with its source: what counts, and what is ignored as
/// suppressed with the reason. Scenes that could not be audited are notifications of the run.
///
/// # Errors
///
/// Those of the output.
pub fn write_sarif<'a>(
    scenes: impl IntoIterator<Item = (&'a str, &'a [Finding])>,
    errors: &[Problem],
    out: impl Write,
) -> io::Result<()> {
    let results = scenes.into_iter().flat_map(|(source, findings)| {
        findings.iter().filter_map(move |finding| result(source, finding))
    });
    let results: Vec<_> = results.collect();
    let rules = RULES.iter().map(|Rule { id, meaning, remedy }| {
        let help = format!("{remedy} See docs/rules.md, `{id}`.");
        json!({
            "id": id,
            "shortDescription": { "text": meaning },
            "help": { "text": remedy, "markdown": help },
        })
    });
    let driver = json!({
        "name": "xform",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules.collect::<Vec<_>>(),
    });
    let notifications = errors.iter().map(|Problem { source, code, pointer, error }| {
        let mut notification = json!({
            "level": "error",
            "message": { "text": error },
            "descriptor": { "id": code },
        });
        // A folder without scenes has no file to name.
        if !source.is_empty() {
            notification["locations"] = json!([{
                "physicalLocation": { "artifactLocation": { "uri": relative_reference(source) } },
                "logicalLocations": [{ "fullyQualifiedName": pointer, "kind": "object" }],
            }]);
        }
        notification
    });
    let invocation = json!({
        "executionSuccessful": errors.is_empty(),
        "toolExecutionNotifications": notifications.collect::<Vec<_>>(),
    });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "columnKind": "utf16CodeUnits",
            "invocations": [invocation],
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
    let index = RULES.iter().position(|known| known.id == *rule).expect("every code has a rule");
    let mut result = json!({
        "ruleId": rule,
        "ruleIndex": index,
        "level": level,
        "message": { "text": finding.message },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": relative_reference(source) },
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
