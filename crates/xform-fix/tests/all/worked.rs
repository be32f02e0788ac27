//! Repairs worked out by hand.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use serde_json::{Value, json};
use xform_compare::Grade;
use xform_fix::{FixError, Options, Why, write_fix_json};

use crate::file::{File, fixed, fixed_with};

/// The corners of a triangle.
pub(crate) const CORNERS: [[f32; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.25, 1.0]];

pub(crate) fn about_z(degrees: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::z_axis(), degrees.to_radians())
}

/// A triangle turned by 38° about z, below a scale.
pub(crate) fn turned_below(scale: [f64; 3]) -> File {
    let mut file = File::new();
    let positions = file.floats(&CORNERS);
    let mesh = json!({ "primitives": [{ "attributes": { "POSITION": positions } }] });
    file.push("meshes", mesh);
    let coords: [f64; 4] = about_z(38.0).coords.into();
    file.push("nodes", json!({ "name": "Arm", "scale": scale, "children": [1] }));
    file.push(
        "nodes",
        json!({ "name": "Hand", "translation": [0.0, 3.0, 0.0], "rotation": coords, "mesh": 0 }),
    );
    file
}

#[test]
fn vertices_are_taken_by_what_is_lost_above_them() {
    let before = turned_below([2.0, 1.0, 1.0]);
    let fix = fixed(&before.glb());
    let after = File::of_glb(&fix.file);
    // R⁻¹ · S · R, since the node keeps its rotation.
    let turn = *about_z(38.0).to_rotation_matrix().matrix();
    let lost = turn.transpose() * Matrix3::from_diagonal(&Vector3::new(2.0, 1.0, 1.0)) * turn;
    let found = after.vectors(1);
    for (old, new) in CORNERS.iter().zip(&found) {
        let expected = lost * Vector3::from(old.map(f64::from));
        assert!((expected - Vector3::from(new.map(f64::from))).amax() < 1e-6, "{expected} {new:?}");
    }
    assert_eq!(after.json["nodes"][0]["scale"], json!([1.0, 1.0, 1.0]));
    assert_eq!(after.json["nodes"][1]["translation"], json!([0.0, 3.0, 0.0]));
    assert_eq!(after.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"], 1);
    assert!(after.bytes.starts_with(&before.bytes));
    assert_eq!(fix.remaining.grades, [Grade::Severe, Grade::Identical]);
    assert_eq!(fix.remaining.nodes, [1, 0]);
    let proof = fix.proof.unwrap();
    assert_eq!((proof.positions, proof.poses), (3, 1));
    assert!(proof.largest_move > 0.0 && proof.largest_move_of_scene() < 1e-7, "{proof:?}");
}

#[test]
fn translations_are_taken_too() {
    let after = File::of_glb(&fixed(&turned_below([1.0, 0.5, 1.0]).glb()).file);
    assert_eq!(after.json["nodes"][1]["translation"], json!([0.0, 1.5, 0.0]));
}

#[test]
fn what_is_not_repaired_keeps_its_text() {
    let mut file = turned_below([2.0, 1.0, 1.0]);
    file.json["nodes"][1]["extras"] = json!("KEPT");
    let text = String::from_utf8(file.gltf()).unwrap();
    let text = text.replace("\"KEPT\"", "{ \"a\" :1.50,\t\"a2\": 1e2 }");
    let fix = fixed(text.as_bytes());
    let new = String::from_utf8(fix.file).unwrap();
    assert!(new.contains("{ \"a\" :1.50,\t\"a2\": 1e2 }"));
    // Line for line the same, but for what was changed and added.
    let old: Vec<_> = text.lines().collect();
    let kept = new.lines().filter(|line| old.contains(line)).count();
    assert!(kept >= old.len() - 9, "{kept} of {}: {new}", old.len());
    assert!(new.contains(r#"{"uri":"new.bin","byteLength":36}"#), "{new}");
    assert_eq!(fix.data.unwrap().len(), 36);
}

#[test]
fn where_nothing_differs_no_byte_changes() {
    for scale in [[2.0, 2.0, 2.0], [1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]] {
        let file = turned_below(scale);
        for bytes in [file.glb(), file.gltf()] {
            let fix = fixed(&bytes);
            assert!(fix.file == bytes && fix.data.is_none() && fix.groups.is_empty(), "{scale:?}");
        }
    }
}

#[test]
fn other_chunks_and_what_is_behind_them_are_kept() {
    let mut glb = turned_below([2.0, 1.0, 1.0]).glb();
    glb.extend(b"\x04\0\0\0ACMEdata");
    let len = u32::try_from(glb.len()).unwrap();
    glb[8..12].copy_from_slice(&len.to_le_bytes());
    glb.extend(b"behind");
    let fix = fixed(&glb);
    assert!(fix.proof.is_some() && fix.file.ends_with(b"\x04\0\0\0ACMEdatabehind"));
    let stated = u32::from_le_bytes(fix.file[8..12].try_into().unwrap());
    assert_eq!(stated as usize, fix.file.len() - b"behind".len());
}

#[test]
fn a_glb_whose_buffer_is_elsewhere_gets_a_buffer_of_its_own() {
    let file = turned_below([2.0, 1.0, 1.0]);
    let text = file.gltf();
    let mut glb = b"glTF\x02\0\0\0".to_vec();
    let padded = text.len().next_multiple_of(4);
    glb.extend(u32::try_from(20 + padded).unwrap().to_le_bytes());
    glb.extend(u32::try_from(padded).unwrap().to_le_bytes());
    glb.extend(b"JSON");
    glb.extend(&text);
    glb.resize(20 + padded, b' ');
    let fix = fixed(&glb);
    assert!(fix.proof.is_some() && fix.data.is_none());
    // It stands in the file, and is found there.
    assert!(fixed(&fix.file).groups.is_empty());
    let json: Value = serde_json::from_slice(&fix.file[20..]).unwrap();
    assert!(json["buffers"][1]["uri"].as_str().unwrap().starts_with("data:"));
}

#[test]
fn a_mirror_turns_tangents_and_triangles_over() {
    let mut file = turned_below([-1.0, 1.0, 1.0]);
    let tangents =
        file.floats(&[[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, -1.0]]);
    file.json["meshes"][0]["primitives"][0]["attributes"]["TANGENT"] = json!(tangents);
    let after = File::of_glb(&fixed(&file.glb()).file);
    let primitive = &after.json["meshes"][0]["primitives"][0];
    let tangents = primitive["attributes"]["TANGENT"].as_u64().unwrap();
    let view = &after.json["accessors"][usize::try_from(tangents).unwrap()]["bufferView"];
    let view = &after.json["bufferViews"][usize::try_from(view.as_u64().unwrap()).unwrap()];
    let start = usize::try_from(view["byteOffset"].as_u64().unwrap()).unwrap();
    let side = |vertex: usize| {
        let at = start + 16 * vertex + 12;
        f32::from_le_bytes(after.bytes[at..at + 4].try_into().unwrap())
    };
    assert_eq!([side(0), side(1), side(2)], [-1.0, -1.0, 1.0]);
    let indices = primitive["indices"].as_u64().unwrap();
    let accessor = &after.json["accessors"][usize::try_from(indices).unwrap()];
    assert_eq!((&accessor["componentType"], &accessor["count"]), (&json!(5123), &json!(3)));
    assert!(after.bytes.ends_with(&[0, 0, 2, 0, 1, 0, 0, 0]), "0 2 1, filled up");
}

#[test]
fn a_mesh_that_others_show_is_copied() {
    let mut file = turned_below([2.0, 1.0, 1.0]);
    file.push("nodes", json!({ "name": "Other", "mesh": 0, "translation": [9.0, 0.0, 0.0] }));
    let after = File::of_glb(&fixed(&file.glb()).file);
    assert_eq!(after.json["meshes"][0], file.json["meshes"][0]);
    assert_eq!(
        (&after.json["nodes"][1]["mesh"], &after.json["nodes"][2]["mesh"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(after.json["meshes"][1]["primitives"][0]["attributes"]["POSITION"], 1);
}

#[test]
fn only_what_was_asked_for_is_repaired() {
    let mut file = turned_below([2.0, 1.0, 1.0]);
    let coords: [f64; 4] = about_z(50.0).coords.into();
    file.push("nodes", json!({ "name": "Leg", "scale": [1.0, 3.0, 1.0], "children": [3] }));
    file.push("nodes", json!({ "name": "Foot", "rotation": coords, "mesh": 0 }));
    let only = |node: &str| {
        let mut options = Options::default();
        options.only = Some(node.to_owned());
        fixed_with(&file.glb(), &options)
    };
    for (node, fixed_top) in [("Arm", 0), ("Hand", 0), ("Leg/Foot", 2), ("2", 2)] {
        let fix = only(node).unwrap();
        let tops: Vec<_> =
            fix.groups.iter().filter(|group| group.is_fixed()).map(|group| group.top).collect();
        assert_eq!(tops, [fixed_top], "{node}");
        assert_eq!(fix.remaining.nodes, [2, 1]);
        let after = File::of_glb(&fix.file);
        let other = 2 - fixed_top;
        assert_eq!(after.json["nodes"][other], file.json["nodes"][other]);
    }
    assert!(matches!(only("Nose"), Err(FixError::NoNode(name)) if name == "Nose"));
    let mut even = turned_below([1.0, 1.0, 1.0]);
    even.json["nodes"][0]["name"] = json!("Even");
    let mut options = Options::default();
    options.only = Some("Even".to_owned());
    let nothing = fixed_with(&even.glb(), &options);
    assert!(matches!(nothing, Err(FixError::NothingThere(name)) if name == "Even"));
}

#[test]
fn a_stamp_is_set_where_it_is_asked_for() {
    let mut options = Options::default();
    options.stamp = true;
    for (extras, expected) in
        [(Value::Null, json!({})), (json!({ "by": 1 }), json!({ "by": 1 })), (json!({}), json!({}))]
    {
        let mut file = turned_below([2.0, 1.0, 1.0]);
        if !extras.is_null() {
            file.json["asset"]["extras"] = extras;
        }
        let after = File::of_glb(&fixed_with(&file.glb(), &options).unwrap().file);
        let mut found = after.json["asset"]["extras"].clone();
        let stamp = found.as_object_mut().unwrap().remove("xform").unwrap();
        assert!(stamp.as_str().unwrap().starts_with("repaired by xform "), "{stamp}");
        assert_eq!(found, expected);
    }
    let even = turned_below([2.0, 2.0, 2.0]).glb();
    assert_eq!(fixed_with(&even, &options).unwrap().file, even, "nothing was done");
}

#[test]
fn what_is_not_proved_is_an_error() {
    let mut options = Options::default();
    options.tolerance = 0.0;
    let error = fixed_with(&turned_below([2.0, 1.0, 1.0]).glb(), &options).unwrap_err();
    let FixError::NotProved(proof) = &error else { panic!("{error}") };
    assert!(proof.broken.is_empty() && proof.largest_move > 0.0);
    assert!(error.to_string().contains("a vertex would move by"), "{error}");
}

#[test]
fn what_is_stored_as_short_or_sparse_numbers_becomes_floats() {
    let mut file = turned_below([2.0, 1.0, 1.0]);
    // Corners in normalised shorts, of which a sparse part replaces the last.
    file.bytes = [[0_u16, 0, 65535, 0], [65535, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [65535; 4]]
        .concat()
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    file.json["bufferViews"] = json!([
        { "buffer": 0, "byteLength": 24, "byteStride": 8 },
        { "buffer": 0, "byteOffset": 24, "byteLength": 2 },
        { "buffer": 0, "byteOffset": 32, "byteLength": 6 }
    ]);
    file.json["accessors"] = json!([{
        "bufferView": 0, "componentType": 5123, "normalized": true, "count": 3, "type": "VEC3",
        "min": [0, 0, 0], "max": [65535, 65535, 65535],
        "sparse": {
            "count": 1,
            "indices": { "bufferView": 1, "componentType": 5123 },
            "values": { "bufferView": 2 }
        }
    }]);
    let fix = fixed(&file.glb());
    let after = File::of_glb(&fix.file);
    assert_eq!(after.json["accessors"][1]["componentType"], 5126);
    let lost = {
        let turn = *about_z(38.0).to_rotation_matrix().matrix();
        turn.transpose() * Matrix3::from_diagonal(&Vector3::new(2.0, 1.0, 1.0)) * turn
    };
    let old = [[1.0, 1.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]];
    for (old, new) in old.iter().zip(after.vectors(1)) {
        let expected = lost * Vector3::from(*old);
        assert!((expected - Vector3::from(new.map(f64::from))).amax() < 1e-6, "{old:?} {new:?}");
    }
}

#[test]
fn the_json_is_as_its_schema_says() {
    let schema = include_str!("../../../../docs/fix.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut refused = turned_below([2.0, 1.0, 1.0]);
    refused.json["nodes"][1]["camera"] = json!(0);
    for (file, output) in [
        (turned_below([2.0, 1.0, 1.0]), Some("out.glb")),
        (turned_below([2.0, 2.0, 2.0]), None),
        (refused, Some("out.glb")),
    ] {
        let mut written = Vec::new();
        write_fix_json(&fixed(&file.glb()), "in.glb", output, &mut written).unwrap();
        assert!(
            written.ends_with(b"}\n") && written.iter().filter(|&&byte| byte == b'\n').count() == 1
        );
        let json: Value = serde_json::from_slice(&written).unwrap();
        let errors: Vec<_> = validator.iter_errors(&json).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}: {json}");
        assert_eq!(json["output"], json!(output));
    }
    // Every code is in the schema.
    let codes = &schema["properties"]["groups"]["items"]["properties"]["refusals"]["items"]["properties"]
        ["code"]["enum"];
    for why in [Why::Draco, Why::Avatar, Why::Unread(String::new()), Why::Pointer("scale")] {
        assert!(codes.as_array().unwrap().contains(&json!(why.code())), "{why}");
    }
}
