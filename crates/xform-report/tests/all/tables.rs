//! Tables and lists: which nodes are in them, and what they say of a scene without a difference.

use serde_json::Value;
use xform_compare::Audit;
use xform_report::{IndexEntry, NodeSelection, write_index, write_json};

use crate::{
    index::row,
    support::set_figures::{Set, hand},
};

/// The nodes that the JSON lists in motion.
fn in_motion(figures: Set, selection: NodeSelection) -> usize {
    let audit = Audit::new(vec![hand([0.0; 3], figures)]);
    let mut json = Vec::new();
    write_json(&audit, selection, &mut json).unwrap();
    let json: Value = serde_json::from_slice(&json).unwrap();
    json["scenes"][0]["motion"].as_array().map_or(0, Vec::len)
}

#[test]
fn of_what_moves_the_differing_are_those_that_are_skewed_or_elsewhere() {
    for (figures, differing) in
        [([0.0; 3], 0), ([5.0, 0.0, 0.0], 1), ([0.0, 0.5, 0.0], 0), ([0.0, 0.0, 5.0], 1)]
    {
        assert_eq!(in_motion(figures, NodeSelection::All), 1);
        assert_eq!(in_motion(figures, NodeSelection::Differing), differing, "{figures:?}");
    }
}

#[test]
fn an_index_has_no_figures_of_what_is_identical() {
    let entry = IndexEntry::new(&hand([0.0, 0.0, 1e-17], [0.0; 3])).with_page("page.html");
    let mut index = Vec::new();
    write_index(&[entry], &[], &mut index).unwrap();
    let index = String::from_utf8(index).unwrap();
    let row = row(&index, "");
    let cells = ["% of scene", "skew °", "nodes that look different"].map(|name| &*row[name]);
    assert_eq!(cells, ["–", "–", "0 of 2"]);
}
