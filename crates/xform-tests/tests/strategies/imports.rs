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
const CRATES: [&str; 10] = [
    "crates/xform-core/src/lib.rs",
    "crates/xform-matrix/src/lib.rs",
    "crates/xform-trs/src/lib.rs",
    "crates/xform-engines/src/lib.rs",
    "crates/xform-compare/src/lib.rs",
    "crates/xform-fbx/src/lib.rs",
    "crates/xform-fix/src/lib.rs",
    "crates/xform-cli/src/main.rs",
    "benches/src/lib.rs",
    "benches/src/bin/ratios/main.rs",
];

/// The floors of `xform-compare`, the lowest first, on the ground: pages of documentation.
const FLOORS: [&str; 7] = ["report_guide", "text", "scene", "audit", "measure", "judge", "write"];

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
        let measures = (from, to) == ("write", "measure");
        if !is_down || measures {
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
fn the_floors_of_the_comparison_import_from_those_below_and_writers_measure_nothing() {
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
            "use crate::write::write_text;",
            "audit::node_audit -> write::whole",
        ),
        // Through the flat names of the crate as well, and written out in a line of code.
        ("scene/node.rs", "use crate::NodeAudit;", "scene::node -> audit::node_audit"),
        ("judge/rule.rs", "fn odd() { crate::write::write_csv(); }", "judge::rule -> write::whole"),
        ("text/number.rs", "use super::super::compare;", "text::number -> measure::compare"),
        ("write/csv.rs", "use crate::displacement;", "write::csv -> measure::metrics"),
        // Passed on, under another name, from a module within the file, and in the call of a macro.
        ("scene/node.rs", "pub(crate) use crate::write::write_csv;", "scene::node -> write::whole"),
        ("scene/node.rs", "use crate::judge as other;", "scene::node -> judge"),
        (
            "scene/node.rs",
            "mod inner { use super::super::super::judge::Rule; }",
            "scene::node -> judge::rule",
        ),
        (
            "scene/node.rs",
            "fn odd() { assert!(crate::compare(&scene).is_ok()); }",
            "scene::node -> measure::compare",
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
        sources.append("scene/node.rs", line);
        assert!(catch_unwind(|| ModuleTree::of(&sources)).is_err(), "{line}");
    }
}

#[test]
fn a_deliberate_circle_is_caught() {
    let mut sources = sources("crates/xform-compare/src/lib.rs");
    assert!(circles(&ModuleTree::of(&sources).imports()).is_empty());
    sources.append("scene/bounds.rs", "use crate::scene::Node;");
    let circles = circles(&ModuleTree::of(&sources).imports());
    assert_eq!(circles.len(), 1, "{circles:?}");
    assert!(circles[0].contains("scene::bounds -> scene::node"), "{circles:?}");
    assert!(circles[0].contains("scene::node -> scene::bounds"), "{circles:?}");
}
