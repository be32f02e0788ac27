//! Files that glTF-Transform compressed (xform-compare/tests/files/sail.mjs) are repaired as the one they were made from.

use std::fs;

use xform_fix::{Fix, Options, RepairKind};
use xform_scene::read_gltf;

use crate::file::fixed_with;

fn made_uniform(name: &str) -> Fix {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../xform-compare/tests/files");
    let bytes = fs::read(format!("{folder}/{name}.glb")).unwrap();
    let mut options = Options::default();
    options.repair = RepairKind::Uniform;
    // It is also foretold: the buffer of the uncompressed copy, which has no bytes, stands in nobody's way.
    fixed_with(&bytes, &options).unwrap()
}

#[test]
fn a_uniform_scale_is_measured_on_compressed_vertices() {
    let plain = made_uniform("sail");
    let of_plain = plain.groups[0].change.as_ref().unwrap();
    assert!(of_plain.largest_move > 1.0 && of_plain.positions > 0);
    for (name, tolerance) in
        [("sail-meshopt", 1e-12), ("sail-meshopt-filters", 1e-3), ("sail-draco", 1e-3)]
    {
        let fix = made_uniform(name);
        assert!(fix.groups[0].is_fixed(), "{name}: {:?}", fix.groups[0].refusals);
        assert_eq!(fix.remaining.nodes, plain.remaining.nodes, "{name}");
        let change = fix.groups[0].change.as_ref().unwrap();
        assert_eq!((change.positions, change.poses), (of_plain.positions, of_plain.poses));
        let difference = change.largest_move - of_plain.largest_move;
        assert!(difference.abs() <= tolerance, "{name}: {difference}");
        let after = read_gltf(&fix.file, "sail.glb").unwrap();
        assert!(after.warnings.is_empty(), "{name}: {:?}", after.warnings);
    }
}

#[test]
fn what_moved_is_a_part_of_the_scene_that_the_audit_has_instances_and_all() {
    let change = made_uniform("sail").groups[0].change.clone().unwrap();
    assert!((change.diagonal - 20.37).abs() < 0.01, "{}", change.diagonal);
}
