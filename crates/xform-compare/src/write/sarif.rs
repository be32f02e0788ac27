//! SARIF 2.1.0, so that code hosts annotate the asset.

use std::{
    borrow::Borrow,
    cell::RefCell,
    io::{self, Write},
    iter,
};

use serde::{Serialize, Serializer, ser::SerializeStruct};
use serde_json::{Value, json};

use super::{
    audited::audited,
    json::{Listed, write_value},
};
use crate::{
    audit::Problem,
    judge::{Finding, RULES, Rule, Severity},
    text::{relative_reference, without_controls},
};

/// Writes what was found in scenes as SARIF, each with its source: what counts, and what is ignored as
/// suppressed with the reason. Each scene is written before the next is asked for; those that could not be audited are
/// notifications of the run, and written last.
///
/// # Errors
///
/// Those of the output.
pub fn write_sarif<N: AsRef<str>, F: IntoIterator<Item: Borrow<Finding>>>(
    scenes: impl IntoIterator<Item = Result<(N, F), Problem>>,
    out: impl Write,
) -> io::Result<()> {
    let errors = RefCell::default();
    let results = audited(scenes, &errors).flat_map(|(source, findings)| {
        findings.into_iter().filter_map(move |finding| result(source.as_ref(), finding.borrow()))
    });
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
    let run = Run {
        tool: json!({ "driver": driver }),
        column_kind: "utf16CodeUnits",
        results: Listed::new(results),
        invocations: [Invocation(&errors)],
    };
    let schema = "https://json.schemastore.org/sarif-2.1.0.json";
    // Log, runs, run, its results: a result stands on one line.
    write_value(&Log { schema, version: "2.1.0", runs: [run] }, 4, out)
}

#[derive(Serialize)]
struct Log<R> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [R; 1],
}

/// The scenes are gone through as their results are written, so the errors are known after them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase", bound = "I: Iterator, I::Item: Serialize")]
struct Run<'a, I> {
    tool: Value,
    column_kind: &'static str,
    results: Listed<I>,
    invocations: [Invocation<'a>; 1],
}

/// The scenes that could not be audited.
struct Invocation<'a>(&'a RefCell<Vec<Problem>>);

impl Serialize for Invocation<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let errors = self.0.borrow();
        let mut invocation = serializer.serialize_struct("Invocation", 2)?;
        invocation.serialize_field("executionSuccessful", &errors.is_empty())?;
        let notifications = Listed::new(errors.iter().flat_map(notifications));
        invocation.serialize_field("toolExecutionNotifications", &notifications)?;
        invocation.end()
    }
}

/// A message that is safe to print, in which no name is a link, `[text](address)` (SARIF 2.1.0, 3.11.6).
fn unlinked(message: &str) -> String {
    without_controls(message).replace("](", "]\u{2060}(")
}

/// One for each defect, and one for those that are not listed.
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
        "message": { "text": unlinked(&finding.message) },
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
