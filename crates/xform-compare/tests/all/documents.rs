//! The documents leave out nothing that has a name of its own.

use xform_compare::{ErrorCode, NotSampledCode, RULES};

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
