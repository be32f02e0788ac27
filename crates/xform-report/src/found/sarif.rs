//! SARIF 2.1.0, with which code hosts annotate assets.

use std::{
    io::{self, Write},
    iter,
};

use serde::Serialize;
use serde_json::{Value, json};
use xform_compare::{
    Finding,
    audit::Problem,
    judge::{RULES, Rule, Severity},
};
use xform_scene::text::{relative_reference, without_controls};

use super::{Told, identity, told};
use crate::json::{end_list, write_at, write_item, write_open};

/// The number of levels that are spread over lines: log, runs, run and its results. A result is on one line.
const SPREAD: usize = 4;

#[derive(Serialize)]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Value,
    column_kind: &'static str,
}

/// The part that reports scenes that could not be audited.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Value>,
}

/// Writes the text before the results.
pub(crate) fn begin(out: &mut dyn Write) -> io::Result<()> {
    let rules = RULES.iter().map(|rule| {
        let Rule { id, meaning, remedy } = rule;
        let help = format!("{remedy} See docs/rules.md, `{id}`.");
        json!({
            "id": id,
            "shortDescription": { "text": meaning },
            "help": { "text": remedy, "markdown": help },
            "helpUri": rule.help_uri(),
        })
    });
    let driver = json!({
        "name": "xform",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules.collect::<Vec<_>>(),
    });
    let run = Run { tool: json!({ "driver": driver }), column_kind: "utf16CodeUnits" };
    let schema = "https://json.schemastore.org/sarif-2.1.0.json";
    write_open(&Log { schema, version: "2.1.0", runs: [run] }, SPREAD, 3, out)?;
    out.write_all(b",\n      \"results\": [")
}

/// Writes the findings in a scene, each with a leading comma.
pub(crate) fn write_scene(
    source: &str,
    findings: &[Finding],
    max_per_rule: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let told = told(findings, max_per_rule);
    let mut results = told.iter().filter_map(|told| result(source, told));
    results.try_for_each(|result| write_item(&result, SPREAD, 4, out))
}

/// Writes the text after the results.
pub(crate) fn end(has_results: bool, problems: &[Problem], out: &mut dyn Write) -> io::Result<()> {
    let invocation = Invocation {
        execution_successful: problems.is_empty(),
        tool_execution_notifications: problems.iter().flat_map(notifications).collect(),
    };
    end_list(has_results, 3, out)?;
    out.write_all(b",\n      \"invocations\": ")?;
    write_at(&[invocation], SPREAD, 3, out)?;
    out.write_all(b"\n    }\n  ]\n}\n")
}

/// Returns a message that is safe to print and in which no name becomes a link, `[text](address)` (SARIF 2.1.0,
/// 3.11.6).
fn unlinked(message: &str) -> String {
    without_controls(message).replace("](", "]\u{2060}(")
}

/// Returns a notification for each defect, and one for those that are not listed.
fn notifications(problem: &Problem) -> impl Iterator<Item = Value> {
    let source = &problem.source;
    let defects = problem.defects().map(Some).chain(iter::repeat(None));
    problem.lines().zip(defects).map(move |(line, defect)| {
        let mut notification = json!({
            "level": "error",
            "message": { "text": unlinked(&line) },
        });
        if let Some(defect) = defect {
            notification["descriptor"] = json!({ "id": defect.code });
        }
        // A folder without scenes has no file to name.
        if !source.is_empty() {
            let pointer = defect.map_or("", |defect| &defect.pointer);
            notification["locations"] = json!([{
                "physicalLocation": { "artifactLocation": { "uri": relative_reference(source) } },
                "logicalLocations": [{ "fullyQualifiedName": pointer, "kind": "object" }],
            }]);
        }
        notification
    })
}

/// Returns one finding, at a JSON pointer in a file. The path of the node identifies it when the file changes.
fn result(source: &str, told: &Told<'_>) -> Option<Value> {
    let finding = told.finding;
    let Finding { rule, pointer, .. } = finding;
    let level = match finding.severity {
        Severity::Off => return None,
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let path = finding.node.as_ref().map_or("", |(_, path)| path.as_str());
    // FBX has no JSON to point into.
    let place = if pointer.is_empty() { path } else { pointer };
    let index = RULES.iter().position(|known| known.id == *rule).expect("every code has a rule");
    let mut result = json!({
        "ruleId": rule,
        "ruleIndex": index,
        "level": level,
        "message": { "text": unlinked(&told.message()) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": relative_reference(source) },
                "region": { "startLine": 1 },
            },
            "logicalLocations": [{ "fullyQualifiedName": place, "kind": "object" }],
        }],
        "partialFingerprints": { "nodePath/v1": format!("{rule} {}", identity(finding)) },
    });
    if let Some(reason) = &finding.ignored {
        result["suppressions"] = json!([{ "kind": "external", "justification": reason }]);
    }
    Some(result)
}
