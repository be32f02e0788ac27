//! The documents leave out nothing that has a name of its own.

use std::collections::BTreeSet;

use serde_json::Value;
use xform_compare::judge::RULES;
use xform_scene::{ErrorCode, WarningCode, animation::NotSampledCode};

#[test]
fn every_rule_has_its_section() {
    let page = include_str!("../../../../docs/rules.md");
    for rule in RULES {
        assert!(page.contains(&format!("\n## {}\n", rule.id)), "{}", rule.id);
    }
}

#[test]
fn every_code_is_in_its_table() {
    let page = include_str!("../../../../docs/defects.md");
    let (errors, not_sampled) = page.split_once("\n## Not sampled\n").expect("two tables");
    let is_in = |part: &str, name: &str| part.contains(&format!("\n| `{name}` |"));
    assert!(ErrorCode::ALL.iter().all(|code| is_in(errors, code.name())));
    assert!(NotSampledCode::ALL.iter().all(|code| is_in(not_sampled, code.name())));
}

/// The lists of allowed values under members of this name, wherever they are in the schema.
fn allowed<'a>(schema: &'a Value, member: &str, lists: &mut Vec<BTreeSet<&'a str>>) {
    if let Some(values) = schema.pointer(&format!("/properties/{member}/enum")) {
        lists.push(values.as_array().unwrap().iter().filter_map(Value::as_str).collect());
    }
    match schema {
        Value::Object(members) => {
            members.values().for_each(|schema| allowed(schema, member, lists));
        }
        Value::Array(schemas) => schemas.iter().for_each(|schema| allowed(schema, member, lists)),
        _ => {}
    }
}

#[test]
fn every_warning_is_allowed_by_the_schema() {
    let schema = include_str!("../../../../docs/report.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let mut lists = Vec::new();
    allowed(&schema, "code", &mut lists);
    let warnings: BTreeSet<_> = WarningCode::ALL.iter().map(|code| code.name()).collect();
    assert!(lists.contains(&warnings), "{lists:?}");
}
