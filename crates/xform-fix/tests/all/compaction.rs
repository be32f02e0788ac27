//! What nothing uses is taken out, and all else is where it was.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};
use xform_cases::properties;
use xform_fix::{Fix, Options, RepairKind};

use crate::{
    file::{File, fixed_with},
    random::file,
    worked::turned_below,
};

fn compacted(repair: RepairKind, bytes: &[u8]) -> Fix {
    let mut options = Options::default();
    options.repair = repair;
    options.compact = true;
    fixed_with(bytes, &options).unwrap()
}

/// The places where a file names accessors, with the bytes of each.
fn data(file: &File) -> Vec<(String, Vec<u8>)> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut named: Vec<(String, Value)> = Vec::new();
    for (i, mesh) in list(&file.json["meshes"]).iter().enumerate() {
        for (j, primitive) in list(&mesh["primitives"]).iter().enumerate() {
            let mut add = |what: &str, attributes: &Value| {
                for (name, accessor) in attributes.as_object().unwrap() {
                    named.push((format!("{i} {j} {what} {name}"), accessor.clone()));
                }
            };
            add("base", &primitive["attributes"]);
            for (k, target) in list(&primitive["targets"]).iter().enumerate() {
                add(&format!("target {k}"), target);
            }
            named.push((format!("{i} {j} indices"), primitive["indices"].clone()));
        }
    }
    for (i, skin) in list(&file.json["skins"]).iter().enumerate() {
        named.push((format!("skin {i}"), skin["inverseBindMatrices"].clone()));
    }
    for (i, animation) in list(&file.json["animations"]).iter().enumerate() {
        for (j, sampler) in list(&animation["samplers"]).iter().enumerate() {
            for name in ["input", "output"] {
                named.push((format!("{i} {j} {name}"), sampler[name].clone()));
            }
        }
    }
    let named = named.into_iter().filter(|(_, accessor)| !accessor.is_null());
    named.map(|(place, accessor)| (place, bytes_of(file, &accessor))).collect()
}

fn index(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap_or(0)).unwrap()
}

/// The bytes of an accessor's view, with what the accessor says of them.
fn bytes_of(file: &File, accessor: &Value) -> Vec<u8> {
    let mut accessor = file.json["accessors"][index(accessor)].clone();
    let view = &file.json["bufferViews"][index(&accessor["bufferView"])];
    let bytes = &file.bytes[index(&view["byteOffset"])..][..index(&view["byteLength"])];
    accessor.as_object_mut().unwrap().remove("bufferView");
    [accessor.to_string().as_bytes(), bytes].concat()
}

properties! {
    #![cases(100)]

    #[test]
    fn what_is_named_holds_the_same(seed in any::<u64>(), size in 1_usize..14, kind in 0..5_usize) {
        let kind = RepairKind::ALL[kind];
        let mut before = file(seed, size);
        for node in before.json["nodes"].as_array_mut().unwrap() {
            if !node["extensions"]["ACME_unknown"].is_null() {
                node.as_object_mut().unwrap().remove("extensions");
            }
        }
        let before = before.glb();
        let mut options = Options::default();
        options.repair = kind;
        let plain = File::of_glb(&fixed_with(&before, &options).unwrap().file);
        let fix = compacted(kind, &before);
        let after = File::of_glb(&fix.file);
        prop_assert_eq!(data(&plain), data(&after));
        prop_assert_eq!(&plain.json["nodes"], &after.json["nodes"]);
        let less = plain.len("accessors") - after.len("accessors");
        prop_assert_eq!(fix.compacted.unwrap().accessors, less);
        // Everything is used now.
        prop_assert!(compacted(kind, &fix.file).compacted.unwrap().is_nothing());
        prop_assert_eq!(&compacted(kind, &fix.file).file, &fix.file, "twice");
    }
}

#[test]
fn what_a_repair_leaves_behind_is_taken_out() {
    let mut before = turned_below([2.0, 1.0, 1.0]);
    let picture: Vec<u8> = (0..7).collect();
    let offset = before.bytes.len();
    before.bytes.extend(&picture);
    let view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": 7, "name": "é" });
    let view = before.push("bufferViews", view);
    before.push("images", json!({ "bufferView": view, "mimeType": "image/png" }));
    let fix = compacted(RepairKind::Bake, &before.glb());
    let after = File::of_glb(&fix.file);
    assert_eq!((after.len("accessors"), after.len("bufferViews")), (1, 2));
    let found = fix.compacted.unwrap();
    assert_eq!((found.accessors, found.views, found.bytes), (1, 1, 36));
    let view = &after.json["bufferViews"][index(&after.json["images"][0]["bufferView"])];
    assert_eq!(&after.bytes[index(&view["byteOffset"])..][..7], picture);
    assert_eq!(view["name"], "é");
    assert_eq!(fix.remaining.nodes, [1, 0]);
}

#[test]
fn a_buffer_within_a_file_is_packed_and_one_beside_it_is_left() {
    let before = turned_below([2.0, 1.0, 1.0]);
    let fix = compacted(RepairKind::Bake, &before.gltf());
    let json: Value = serde_json::from_slice(&fix.file).unwrap();
    // Of the old buffer nothing is used any more.
    assert_eq!(json["buffers"], json!([{ "uri": "new.bin", "byteLength": 36 }]));
    assert_eq!(fix.data.unwrap().len(), 36);
    assert_eq!(json["bufferViews"][0]["buffer"], 0);
    assert_eq!(fix.compacted.unwrap().bytes, 36);
}

#[test]
fn data_that_may_be_used_in_unknown_ways_are_left() {
    for name in [
        "ACME_data",
        "EXT_meshopt_compression",
        "EXT_structural_metadata",
        "KHR_gaussian_splatting_compression_spz_2",
    ] {
        let mut file = turned_below([2.0, 1.0, 1.0]);
        file.json["extensions"] = json!({ name: { "view": 0 } });
        let fix = compacted(RepairKind::Bake, &file.glb());
        assert!(fix.compacted.is_none() && fix.groups[0].is_fixed());
        assert!(fix.not_compacted.unwrap().contains(name));
        assert!(File::of_glb(&fix.file).bytes.starts_with(&file.bytes));
    }
    let mut file = turned_below([2.0, 1.0, 1.0]);
    // What a program notes for itself is no extension.
    file.json["extras"] = json!({ "extensions": { "ACME": 1 } });
    assert!(compacted(RepairKind::Bake, &file.glb()).compacted.is_some());
}

#[test]
fn a_file_in_which_everything_is_used_stays_as_it_is() {
    let file = turned_below([2.0, 2.0, 2.0]).glb();
    let fix = compacted(RepairKind::Bake, &file);
    assert_eq!(fix.file, file);
    assert!(fix.compacted.unwrap().is_nothing() && fix.proof.is_none());
    // Views may lie over one another, and have gaps between them.
    let mut file = turned_below([2.0, 2.0, 2.0]);
    file.bytes.extend([7; 64]);
    file.push("bufferViews", json!({ "buffer": 0, "byteOffset": 12, "byteLength": 12 }));
    file.push("bufferViews", json!({ "buffer": 0, "byteOffset": 60, "byteLength": 8 }));
    file.push("images", json!({ "bufferView": 1, "mimeType": "image/png" }));
    file.push("images", json!({ "bufferView": 2, "mimeType": "image/png" }));
    let after = File::of_glb(&compacted(RepairKind::Bake, &file.glb()).file);
    let places: BTreeSet<_> =
        (0..3).map(|view| index(&after.json["bufferViews"][view]["byteOffset"])).collect();
    assert_eq!(places, BTreeSet::from([0, 12, 36]));
    assert_eq!(after.bytes.len(), 44);
}

/// A binary chunk that is too short for what the file says of it is not taken for nothing.
#[test]
fn a_chunk_that_cannot_be_read_stays() {
    let mut file = turned_below([2.0, 2.0, 2.0]);
    file.push(
        "accessors",
        json!({ "bufferView": 0, "componentType": 5126, "count": 1, "type": "VEC3" }),
    );
    let mut long = file.glb();
    let place = long.windows(15).rposition(|text| text == b"\"byteLength\":36").unwrap();
    long[place + 13..place + 15].copy_from_slice(b"99");
    let fix = compacted(RepairKind::Bake, &long);
    assert_eq!(fix.compacted.unwrap().accessors, 1);
    assert!(File::of_glb(&fix.file).bytes.starts_with(&file.bytes));
}
