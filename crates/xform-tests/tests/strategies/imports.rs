//! Who imports whom. Within a crate, the modules side by side in a folder import from one another in one direction
//! only; the floors of `xform-compare` do so in the order in which `lib.rs` declares them.
//!
//! A module and what it is divided into are one thing: between a file and those in the folder of its name there
//! is no direction.

mod crate_sources;
mod module_tree;

use std::{collections::BTreeMap, panic::catch_unwind, path::Path};

use crate_sources::CrateSources;
use module_tree::{Import, ModuleTree};

/// The crates, by the file that is their root.
const CRATES: [&str; 13] = [
    "crates/xform-core/src/lib.rs",
    "crates/xform-matrix/src/lib.rs",
    "crates/xform-trs/src/lib.rs",
    "crates/xform-engines/src/lib.rs",
    "crates/xform-scene/src/lib.rs",
    "crates/xform-compare/src/lib.rs",
    "crates/xform-report/src/lib.rs",
    "crates/xform-fbx/src/lib.rs",
    "crates/xform-fix/src/lib.rs",
    "crates/xform-verify/src/lib.rs",
    "crates/xform-cli/src/main.rs",
    "benches/src/lib.rs",
    "benches/src/bin/ratios/main.rs",
];

/// The floors of `xform-compare`, the lowest first. What is below it and above it are crates, so that the compiler holds those.
const FLOORS: [&str; 3] = ["audit", "measure", "judge"];

fn sources(root: &str) -> CrateSources {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    CrateSources::read(&workspace.join(root))
}

/// The modules that import from one another in a circle, each with the next, and the imports that close it.
fn circles(imports: &[Import]) -> Vec<String> {
    // By the module that both are in: which of its children imports from which.
    let mut siblings: BTreeMap<&[String], BTreeMap<&str, BTreeMap<&str, &Import>>> =
        BTreeMap::new();
    for import in imports {
        if let Some((parent, from, to)) = import.between_siblings() {
            siblings.entry(parent).or_default().entry(from).or_default().insert(to, import);
        }
    }
    let circles = siblings.values().filter_map(|edges| {
        let circle = edges.keys().find_map(|&start| path_back(edges, start))?;
        Some(circle.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n  "))
    });
    circles.collect()
}

/// The imports that lead from a module back to itself, if there are any.
fn path_back<'a>(
    edges: &BTreeMap<&'a str, BTreeMap<&'a str, &'a Import>>,
    start: &'a str,
) -> Option<Vec<&'a Import>> {
    let mut reached: BTreeMap<&str, (&str, &Import)> = BTreeMap::new();
    let mut pending = vec![start];
    while let Some(module) = pending.pop() {
        for (&next, &import) in edges.get(module).into_iter().flatten() {
            if reached.contains_key(next) {
                continue;
            }
            reached.insert(next, (module, import));
            pending.push(next);
        }
    }
    let mut path = Vec::new();
    let mut at = start;
    loop {
        let &(from, import) = reached.get(at)?;
        path.push(import);
        at = from;
        if at == start {
            path.reverse();
            return Some(path);
        }
    }
}

/// The imports of `xform-compare` that do not point down.
fn upward(imports: &[Import]) -> Vec<String> {
    let floor = |module: &str| FLOORS.iter().position(|&floor| floor == module);
    let mut upward = Vec::new();
    for import in imports {
        let Some(([], from, to)) = import.between_siblings() else { continue };
        let is_down = floor(from).zip(floor(to)).is_some_and(|(from, to)| to < from);
        if !is_down {
            upward.push(import.to_string());
        }
    }
    upward
}

#[test]
fn modules_side_by_side_import_from_one_another_in_one_direction_only() {
    for root in CRATES {
        let circles = circles(&ModuleTree::of(&sources(root)).imports());
        assert!(circles.is_empty(), "{root}: in a circle\n  {}", circles.join("\n  and\n  "));
    }
}

#[test]
fn the_floors_of_the_comparison_import_from_those_below() {
    let tree = ModuleTree::of(&sources("crates/xform-compare/src/lib.rs"));
    assert_eq!(tree.children_of_root(), FLOORS, "what lib.rs declares, in this order");
    let upward = upward(&tree.imports());
    assert!(upward.is_empty(), "imports that do not point down:\n  {}", upward.join("\n  "));
}

#[test]
fn a_deliberate_upward_import_is_caught() {
    for (file, line, caught) in [
        (
            "audit/node_audit.rs",
            "use crate::judge::findings;",
            "audit::node_audit -> judge::finding",
        ),
        // Through the root of the crate as well, and written out in a line of code.
        ("audit/grade.rs", "use crate::compare;", "audit::grade -> measure::compare"),
        (
            "measure/drift.rs",
            "fn odd() { crate::judge::advise(); }",
            "measure::drift -> judge::advice",
        ),
        ("audit/grade.rs", "use super::super::diff;", "audit::grade -> judge::diff"),
        // Passed on, under another name, from a module within the file, and in the call of a macro.
        (
            "audit/grade.rs",
            "pub(crate) use crate::measure::displacement;",
            "audit::grade -> measure::metrics",
        ),
        ("measure/drift.rs", "use crate::judge as other;", "measure::drift -> judge"),
        (
            "audit/grade.rs",
            "mod inner { use super::super::super::judge::Rule; }",
            "audit::grade -> judge::rule",
        ),
        (
            "audit/grade.rs",
            "fn odd() { assert!(crate::compare(&scene).is_ok()); }",
            "audit::grade -> measure::compare",
        ),
    ] {
        let mut sources = sources("crates/xform-compare/src/lib.rs");
        sources.append(file, line);
        let upward = upward(&ModuleTree::of(&sources).imports());
        assert_eq!(upward.len(), 1, "{upward:?}");
        assert!(upward[0].starts_with(caught), "{upward:?}");
    }
}

#[test]
fn an_import_that_cannot_be_followed_is_refused() {
    for line in ["use crate::judge::*;", "use crate as root;", "use super::super as root;"] {
        let mut sources = sources("crates/xform-compare/src/lib.rs");
        sources.append("audit/grade.rs", line);
        assert!(catch_unwind(|| ModuleTree::of(&sources)).is_err(), "{line}");
    }
}

#[test]
fn a_deliberate_circle_is_caught() {
    let mut sources = sources("crates/xform-compare/src/lib.rs");
    assert!(circles(&ModuleTree::of(&sources).imports()).is_empty());
    sources.append("audit/grade.rs", "use super::NodeAudit;");
    let circles = circles(&ModuleTree::of(&sources).imports());
    assert_eq!(circles.len(), 1, "{circles:?}");
    assert!(circles[0].contains("audit::grade -> audit::node_audit"), "{circles:?}");
    assert!(circles[0].contains("audit::node_audit -> audit::grade"), "{circles:?}");
}
