//! A file that an audit reads is repaired as well, however oddly it is written.

use proptest::prelude::*;
use serde_json::{Value, json};
use xform_cases::properties;
use xform_fix::{Fix, FixError, Options, RepairKind, repairs};
use xform_scene::gltf::GltfAsset;

use crate::{
    file::{File, fixed_with},
    random::file,
};

/// What may be left out almost everywhere.
const OPTIONAL: [&str; 14] = [
    "camera",
    "children",
    "extensions",
    "indices",
    "interpolation",
    "material",
    "matrix",
    "mesh",
    "mode",
    "name",
    "skin",
    "sparse",
    "targets",
    "weights",
];

/// JSON as programs write it that have no whole numbers, and that leave no member out.
fn oddly(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(whole) = number.as_u64().and_then(|whole| u32::try_from(whole).ok()) {
                *value = if whole == 0 { json!(-0.0) } else { json!(f64::from(whole)) };
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(oddly),
        Value::Object(members) => {
            members
                .iter_mut()
                .filter(|(name, _)| *name != "extras")
                .for_each(|(_, one)| oddly(one));
            for name in OPTIONAL {
                members.entry(name).or_insert(Value::Null);
            }
        }
        _ => {}
    }
}

/// The same written as usual.
fn usually(value: &mut Value) {
    match value {
        #[expect(clippy::cast_possible_truncation, reason = "compared with what it was")]
        Value::Number(number) => {
            let whole = number.as_f64().map(|float| (float, float as i64));
            if let Some((_, whole)) = whole.filter(|&(float, whole)| whole as f64 == float) {
                *value = json!(whole);
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(usually),
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(usually);
        }
        _ => {}
    }
}

/// What was repaired of a file, and the file.
fn repaired(file: &File, options: &Options) -> (Vec<String>, File) {
    let Fix { groups, file, .. } = fixed_with(&file.glb(), options).unwrap();
    let mut file = File::of_glb(&file);
    usually(&mut file.json);
    (groups.iter().map(|group| format!("{group:?}")).collect(), file)
}

properties! {
    #![cases(60)]

    #[test]
    fn what_is_written_oddly_is_repaired_as_ever(seed in any::<u64>(), size in 1_usize..10, compact in any::<bool>()) {
        for kind in RepairKind::ALL {
            let mut options = Options::default();
            (options.repair, options.compact) = (kind, compact);
            let plain = file(seed, size);
            let mut odd = file(seed, size);
            oddly(&mut odd.json);
            let [(of_plain, plain), (of_odd, odd)] = [&plain, &odd].map(|file| repaired(file, &options));
            prop_assert_eq!(of_plain, of_odd);
            prop_assert!(plain.bytes == odd.bytes);
            prop_assert_eq!(plain.json, odd.json);
        }
    }
}

#[test]
fn lists_and_members_of_no_use_are_passed_over_as_by_an_audit() {
    for (pointer, odd) in [
        ("", json!({ "images": 3, "materials": "none", "extensions": [], "extras": 1 })),
        ("", json!({ "images": [null, 5, { "uri": 7, "bufferView": null }] })),
        ("/nodes/0", json!({ "extensions": 3 })),
        ("/meshes/0", json!({ "extensions": "x", "weights": {} })),
        ("/meshes/0/primitives/0", json!({ "targets": 1, "extensions": [] })),
        ("/accessors/0", json!({ "sparse": [], "name": 5 })),
    ] {
        let mut file = crate::worked::turned_below([2.0, 1.0, 1.0]);
        let Value::Object(members) = odd else { panic!() };
        file.json.pointer_mut(pointer).unwrap().as_object_mut().unwrap().extend(members.clone());
        for compact in [false, true] {
            let mut options = Options::default();
            options.compact = compact;
            let fix = fixed_with(&file.glb(), &options).unwrap();
            assert_eq!(fix.remaining.nodes, [1, 0], "{pointer}: {members:?}");
        }
    }
}

#[test]
fn an_index_that_leads_to_nothing_is_told_with_its_place_where_something_is_added() {
    type Change = fn(&mut File);
    let cases: [(Change, &str); 5] = [
        (
            |file| _ = file.push("images", json!({ "bufferView": 1 })),
            "/images/0/bufferView: there is no buffer view 1; there is only 1",
        ),
        (
            |file| _ = file.push("skins", json!({ "joints": [0, 2] })),
            "/skins/0/joints/1: there is no node 2; there are only 2",
        ),
        (
            |file| file.json["meshes"][0]["primitives"][0]["attributes"]["_X"] = json!(9),
            "/meshes/0/primitives/0/attributes/_X: there is no accessor 9; there is only 1",
        ),
        (
            |file| file.json["accessors"][0]["sparse"] = json!({ "values": { "bufferView": 4 } }),
            "/accessors/0/sparse/values/bufferView: there is no buffer view 4; there is only 1",
        ),
        (
            |file| {
                _ = file.push("animations", json!({ "samplers": [{ "input": 5, "output": 0 }] }));
            },
            "/animations/0/samplers/0/input: there is no accessor 5; there is only 1",
        ),
    ];
    for (change, told) in cases {
        for scale in [[2.0, 1.0, 1.0], [1.0; 3]] {
            let mut file = crate::worked::turned_below(scale);
            change(&mut file);
            let (glb, options) = (file.glb(), Options::default());
            match fixed_with(&glb, &options) {
                Err(error @ FixError::Gltf(_)) if scale != [1.0; 3] => {
                    assert_eq!(error.to_string(), told);
                    assert_eq!(error.problem("a.glb").first.code, "index-out-of-range");
                    // A repair that ends in an error is not advised.
                    let asset = GltfAsset::read(&glb, None).unwrap();
                    let advised = repairs(&glb, &asset, "a.glb", &options.engines).unwrap();
                    assert!(advised.baked.is_empty() && advised.to_leaves.is_empty());
                }
                // Where nothing is repaired nothing is added, and the file is as it was.
                Ok(fix) if scale == [1.0; 3] => assert_eq!(fix.file, glb, "{told}"),
                other => panic!("{told}: {other:?}"),
            }
        }
    }
}

/// A member that is not edited may occur twice. One that has to be edited may not: programs differ in which one they read.
#[test]
fn members_that_occur_twice_are_kept_unless_they_are_to_be_edited() {
    let texts = |scale: [f64; 3]| {
        let mut file = crate::worked::turned_below(scale);
        let times = file.floats(&[[0.0], [1.0]]);
        let values = file.floats(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
        file.json["scenes"] = json!([{ "nodes": [0] }]);
        file.push("images", json!({ "uri": "a.png" }));
        file.push("skins", json!({ "joints": [0] }));
        file.push(
            "animations",
            json!({
                "samplers": [{ "input": times, "output": values }],
                "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }]
            }),
        );
        String::from_utf8(file.gltf()).unwrap()
    };
    // What stands before a member, and what is put there.
    let twice = [
        ("\"componentType\": 5126", "\"name\": \"a\", \"name\": \"b\", "),
        ("\"nodes\": [\n        0", "\"name\": \"a\", \"name\": \"b\", "),
        ("\"joints\"", "\"name\": \"a\", \"name\": \"b\", "),
        ("\"sampler\"", "\"extras\": 1, \"extras\": 2, "),
        ("\"primitives\"", "\"extensions\": {}, \"extensions\": {}, "),
        ("\"uri\": \"data:", "\"bufferView\": 0, \"bufferView\": 0, "),
        ("\"images\"", "\"images\": [], "),
        ("\"uri\": \"a.png\"", "\"uri\": \"b.png\", "),
        ("\"asset\"", "\"extras\": 1, \"extras\": 2, "),
    ];
    for (before, odd) in twice {
        for scale in [[2.0, 1.0, 1.0], [1.0; 3]] {
            let text = texts(scale);
            assert!(text.contains(before), "{before} in {text}");
            let text = text.replacen(before, &format!("{odd}{before}"), 1);
            for kind in RepairKind::ALL {
                let mut options = Options::default();
                options.repair = kind;
                let fix = fixed_with(text.as_bytes(), &options).unwrap();
                let is_of_matrices = matches!(kind, RepairKind::Helper | RepairKind::Nearest);
                let fixed = fix.groups.iter().any(xform_fix::Group::is_fixed);
                assert_eq!(fixed, scale[0] == 2.0 && !is_of_matrices, "{before} {kind:?}");
                assert!(
                    fix.file == text.as_bytes()
                        || String::from_utf8(fix.file).unwrap().contains(odd)
                );
            }
        }
    }
    // Either of two extensions may be one that depends on the scale.
    let odd = "\"extensions\": { \"A\": {} }, \"extensions\": {}, \"primitives\"";
    let text = texts([2.0, 1.0, 1.0]).replacen("\"primitives\"", odd, 1);
    let fix = fixed_with(text.as_bytes(), &Options::default()).unwrap();
    assert_eq!(fix.groups[0].refusals[0].1.why.code(), "extension");
}

/// Whichever copy a program reads: the thickness of a material, and an extension that may use data.
#[test]
fn what_only_one_of_two_members_says_counts() {
    let thick = r#""KHR_materials_volume": { "thicknessFactor": 1 }"#;
    for extensions in [
        format!(r#""extensions": {{ {thick} }}, "extensions": {{ {thick} }}"#),
        format!(r#""extensions": {{ {thick} }}, "extensions": {{}}"#),
        format!(r#""extensions": {{ {thick}, "KHR_materials_volume": {{}} }}"#),
        r#""extensions": { "KHR_materials_volume": { "thicknessFactor": 1, "thicknessFactor": 0 } }"#.to_owned(),
    ] {
        let mut file = crate::worked::turned_below([2.0, 1.0, 1.0]);
        file.json["meshes"][0]["primitives"][0]["material"] = json!(0);
        file.push("materials", json!({ "name": "glass" }));
        let text = String::from_utf8(file.gltf()).unwrap();
        let text = text.replacen(r#""name": "glass""#, &extensions, 1);
        let fix = fixed_with(text.as_bytes(), &Options::default()).unwrap();
        assert_eq!(fix.groups[0].refusals[0].1.why.code(), "thickness", "{extensions}");
    }
    let uses = r#"{ "VENDOR_x": { "accessor": 1 } }"#;
    for texture in [
        format!(r#""textures": [{{ "extensions": {uses}, "extensions": {{}} }}]"#),
        format!(r#""textures": [{{ "extensions": {uses} }}], "textures": []"#),
        r#""textures": [{ "extensions": { "VENDOR_x": { "accessor": 1 }, "VENDOR_x": null } }]"#
            .to_owned(),
    ] {
        let mut file = crate::worked::turned_below([2.0, 1.0, 1.0]);
        file.floats(&[[0.0], [1.0]]);
        let text = String::from_utf8(file.gltf()).unwrap();
        let text = text.replacen("\"asset\"", &format!("{texture}, \"asset\""), 1);
        let mut options = Options::default();
        options.compact = true;
        let fix = fixed_with(text.as_bytes(), &options).unwrap();
        assert!(fix.groups[0].is_fixed());
        assert_eq!(fix.unknown_extensions, ["VENDOR_x"], "{texture}");
        let why = fix.not_compacted.unwrap();
        assert_eq!(why, "the unknown extension VENDOR_x may use data", "{texture}");
    }
    // Two copies of a compression are one, and one that cannot be read is not none.
    let unread = |extensions: &str| {
        let file = crate::worked::turned_below([2.0, 1.0, 1.0]);
        let text = String::from_utf8(file.gltf()).unwrap();
        let text = text.replacen("\"buffer\": 0,", &format!("{extensions}, \"buffer\": 0,"), 1);
        let fix = fixed_with(text.as_bytes(), &Options::default()).unwrap();
        fix.groups.first().map(|group| group.refusals[0].1.why.code())
    };
    let meshopt = r#""EXT_meshopt_compression": { "buffer": 0, "byteLength": 4, "byteStride": 12, "count": 3, "mode": "ATTRIBUTES" }"#;
    for extensions in [
        format!(r#""extensions": {{ {meshopt} }}"#),
        format!(
            r#""extensions": {{ {} }}"#,
            meshopt.replacen("\"count\"", "\"count\": 3, \"count\"", 1)
        ),
    ] {
        assert_eq!(unread(&extensions), Some("unread"), "{extensions}");
    }
}

/// Empty data have no view, so what would be made of them stays as it is.
#[test]
fn what_has_no_vertices_stays_as_it_is() {
    let mut file = crate::worked::turned_below([-2.0, 1.0, 1.0]);
    let nothing =
        file.push("accessors", json!({ "componentType": 5126, "count": 0, "type": "VEC3" }));
    let indices =
        file.push("accessors", json!({ "componentType": 5123, "count": 0, "type": "SCALAR" }));
    let primitive = json!({
        "attributes": { "POSITION": nothing, "NORMAL": nothing }, "indices": indices,
        "targets": [{ "POSITION": nothing }]
    });
    let mesh = file.push("meshes", json!({ "primitives": [primitive] }));
    let node = file.push("nodes", json!({ "name": "Empty", "mesh": mesh }));
    file.json["nodes"][1]["children"] = json!([node]);
    for kind in [RepairKind::Bake, RepairKind::Leaf] {
        let mut options = Options::default();
        options.repair = kind;
        let fix = fixed_with(&file.glb(), &options).unwrap();
        assert_eq!(fix.remaining.nodes[1], 0);
        let again = fixed_with(&fix.file, &options).unwrap();
        assert!(again.file == fix.file && again.groups.is_empty());
        assert_eq!(File::of_glb(&fix.file).json["meshes"][mesh], file.json["meshes"][mesh]);
    }
}

/// What is read of it is not known, so nothing that it may use is taken out, and it is not taken for one that has nothing.
#[test]
fn what_is_odd_in_a_part_is_not_read_and_keeps_its_data() {
    let file = |member: &str, odd: &str, samplers: &[Value]| {
        let mut file = crate::worked::turned_below([2.0, 1.0, 1.0]);
        let times = file.floats(&[[0.0], [1.0]]);
        let values = file.floats(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
        file.shorts(&[[1_u16]]);
        let sampler = json!({ "input": times, "output": values });
        let samplers = [&[sampler], samplers].concat();
        file.push(
            "animations",
            json!({
                "samplers": samplers,
                "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }]
            }),
        );
        let text = String::from_utf8(file.gltf()).unwrap();
        let changed = text.replacen(member, odd, 1);
        assert_ne!(text, changed, "{member}");
        changed.into_bytes()
    };
    let compacted = |bytes: &[u8]| {
        let mut options = Options::default();
        options.compact = true;
        fixed_with(bytes, &options)
    };
    let sparse = |values: &str| {
        format!(
            r#""type": "VEC3", "sparse": {{ "count": 1, "indices": {{ "bufferView": 3, "componentType": 5123 }}, {values} }}"#
        )
    };
    // A sparse part with a member twice is not one that replaces nothing: the vertices cannot be read, and nothing is repaired.
    let twice = sparse(r#""values": { "bufferView": 0 }, "values": { "bufferView": 0 }"#);
    let fix = compacted(&file(r#""type": "VEC3""#, &twice, &[])).unwrap();
    assert_eq!(fix.groups[0].refusals[0].1.why.code(), "unread");
    assert_eq!(fix.not_compacted.as_deref(), Some("`values` occurs twice"));
    // An odd sampler hides no other, and keeps what it may use.
    let fix = compacted(&file("\"asset\"", "\"extras\": {}, \"asset\"", &[json!(5)])).unwrap();
    assert!(fix.groups[0].is_fixed() && fix.not_judged.is_empty(), "{fix:?}");
    assert!(fix.not_compacted.unwrap().contains("expected an object"));
}

/// What nothing uses is taken out where that is certain; else the file stays as it is, with the reason.
#[test]
fn what_cannot_be_compacted_with_certainty_stays_as_it_is() {
    let compacted = |change: fn(&mut File)| {
        let mut file = crate::worked::turned_below([1.0; 3]);
        file.floats(&[[9.0, 9.0, 9.0]]);
        change(&mut file);
        let (glb, mut options) = (file.glb(), Options::default());
        options.compact = true;
        let fix = fixed_with(&glb, &options).unwrap();
        assert_eq!(fix.compacted.is_none(), fix.file == glb);
        fix.not_compacted
    };
    assert_eq!(compacted(|_| {}), None);
    // Of what is no number nobody can say that it stays where it is.
    let why = compacted(|file| file.bytes[..4].copy_from_slice(&f32::NAN.to_le_bytes()));
    assert!(why.unwrap().starts_with("not proved: "));
    let why = compacted(|file| _ = file.push("images", json!({ "bufferView": 7 })));
    let expected = "/images/0/bufferView: there is no buffer view 7; there are only 2";
    assert_eq!(why.as_deref(), Some(expected));
}
