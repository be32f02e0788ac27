//! All that is wrong with a file is told, not only the first.

use proptest::prelude::*;
use xform_cases::properties;
use xform_scene::{gltf::GltfErrors, read_gltf};

use crate::support::given::document;

fn errors(members: &str) -> GltfErrors {
    read_gltf(document(members).as_bytes(), "x").unwrap_err()
}

fn places(errors: &GltfErrors) -> Vec<String> {
    errors.iter().map(|error| format!("{} {}", error.code().name(), error.pointer())).collect()
}

#[test]
fn every_value_of_the_wrong_type_is_named() {
    let found = errors(
        r#""scene": "0", "scenes": [{}, 1, { "nodes": [true] }],
           "nodes": [{ "scale": [1, 2] }, {}, null, { "children": [1, "2", 3, {}], "translation": [1, "", "x"] },
                     { "mesh": 0, "mesh": 0, "matrix": 1 }],
           "meshes": [{ "primitives": [{ "attributes": { "POSITION": -1 } }, 2] }],
           "skins": [{ "joints": {} }], "animations": { }"#,
    );
    let expected = [
        "/scene",
        "/scenes/1",
        "/scenes/2/nodes/0",
        "/nodes/0/scale",
        "/nodes/2",
        "/nodes/3/children/1",
        "/nodes/3/children/3",
        "/nodes/3/translation/1",
        "/nodes/3/translation/2",
        // A member that is there twice; what else its object has is not known.
        "/nodes/4",
        "/meshes/0/primitives/0/attributes/POSITION",
        "/meshes/0/primitives/1",
        "/skins/0/joints",
        "/animations",
    ];
    assert_eq!(places(&found), expected.map(|place| format!("invalid-value {place}")));
    assert_eq!(found.to_string(), "/scene: invalid type: string, expected an index; and 13 more");
    assert_eq!(found.more(), 0);
}

#[test]
fn every_index_parent_and_pose_that_cannot_be_used_is_named() {
    let found = errors(
        r#""scene": 2, "scenes": [{ "nodes": [0, 9] }],
           "nodes": [{ "children": [1, 7, 1] }, { "skin": 0, "mesh": 1 }, { "children": [3] }, { "children": [2] },
                     { "children": [4, 1] }, { "children": [6] }, { "children": [5], "scale": [1e999, 1, -1e999] },
                     { "matrix": [1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] }],
           "meshes": [{ "primitives": [{ "attributes": { "POSITION": 3 } }] }]"#,
    );
    let mut expected = [
        "index-out-of-range /scene",
        "index-out-of-range /scenes/0/nodes/1",
        "index-out-of-range /nodes/1/skin",
        "index-out-of-range /nodes/1/mesh",
        "index-out-of-range /meshes/0/primitives/0/attributes/POSITION",
        "two-parents /nodes/0/children/2",
        "two-parents /nodes/4/children/1",
        "cycle /nodes/2",
        "cycle /nodes/4",
        "cycle /nodes/5",
        "number-out-of-range /nodes/6/scale/0",
        "number-out-of-range /nodes/6/scale/2",
        "matrix-not-affine /nodes/7/matrix",
    ];
    // Node 7 is there.
    let mut found = places(&found);
    found.sort();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

/// The first index that there is nothing for.
#[test]
fn an_index_that_is_one_too_large_is_none() {
    for (members, place) in [
        (r#""nodes": [{ "children": [1] }]"#, "/nodes/0/children/0"),
        (r#""nodes": [{}], "scenes": [{ "nodes": [1] }]"#, "/scenes/0/nodes/0"),
        (r#""scenes": [], "scene": 0"#, "/scene"),
        (r#""nodes": [{ "mesh": 1 }], "meshes": [{}]"#, "/nodes/0/mesh"),
        (r#""nodes": [{ "skin": 1 }], "skins": [{}]"#, "/nodes/0/skin"),
        (
            r#""accessors": [{}], "meshes": [{ "primitives": [{ "attributes": { "POSITION": 1 } }] }]"#,
            "/meshes/0/primitives/0/attributes/POSITION",
        ),
    ] {
        assert_eq!(places(&errors(members)), [format!("index-out-of-range {place}")]);
    }
}

#[test]
fn of_many_errors_the_first_hundred_are_named_and_the_others_counted() {
    let nodes = |node: &str, count| format!(r#""nodes": [{}]"#, vec![node; count].join(","));
    for (node, code) in
        [(r#"{ "scale": 1 }"#, "invalid-value"), (r#"{ "mesh": 1 }"#, "index-out-of-range")]
    {
        let found = errors(&nodes(node, 100));
        assert_eq!((found.iter().count(), found.more()), (100, 0));
        let right = vec!["{}"; 50].join(",");
        let found = errors(&nodes(node, 100).replace(']', &format!(",{right}]")));
        assert_eq!((found.iter().count(), found.more()), (100, 0));
        let found = errors(&nodes(node, 1_000));
        assert_eq!(found.iter().count(), 100, "{code}");
        assert!(found.more() >= 1, "{code}");
        assert!(found.iter().all(|error| error.code().name() == code));
    }
    // What nobody reads takes no time, whatever it is called.
    let (name, elements) = ("n".repeat(1_000_000), vec!["{}"; 100_000].join(","));
    let found = errors(&format!(r#""{name}": [{elements}], "nodes": [1]"#));
    assert_eq!(places(&found), ["invalid-value /nodes/0"]);
    // All in one node, and more than is read again in all.
    let children = vec!["true"; 2_000_000].join(",");
    let found = errors(&format!(r#""nodes": [{{ "children": [{children}] }}, {{ "scale": 1 }}]"#));
    assert_eq!(places(&found)[0], "invalid-value /nodes/0/children/0");
    assert_eq!(places(&found).last().unwrap(), "invalid-value /nodes/1/scale");
    assert!(found.iter().count() < 100 && found.more() > 0);
}

#[test]
fn a_document_that_is_wrong_as_a_whole_has_the_errors_of_its_parts_too() {
    let found = errors(r#""nodes": [{ "scale": 1 }], "nodes": [{}, { "scale": 2 }]"#);
    let expected = ["/nodes/0/scale", "", "/nodes/1/scale"];
    assert_eq!(places(&found), expected.map(|place| format!("invalid-value {place}")));
    let twice = errors(r#""nodes": [], "nodes": []"#).to_string();
    assert_eq!(twice, "duplicate field `nodes`");
    // What is no list is no list of wrong values.
    let found = errors(r#""scene": [1, 2], "nodes": [1], "a/b~": 3"#);
    assert_eq!(places(&found), ["invalid-value /scene", "invalid-value /nodes/0"]);
    let found = read_gltf(b"[]", "x").unwrap_err();
    assert_eq!((found.iter().count(), found.first().pointer().as_str()), (1, ""));
}

/// A member of a node, its value where it is right, and values of the wrong type with the place that they have.
fn member()
-> impl Strategy<Value = (&'static str, &'static str, &'static [(&'static str, &'static str)])> {
    prop::sample::select(vec![
        ("scale", "[1, 1, 1]", &[("[1, {}, 1]", "/1"), ("[1, 1]", ""), ("\"\\\\\\\"]\"", "")][..]),
        ("rotation", "[0, 0, 0, 1]", &[("[0, 0, [[]], 1]", "/2"), ("{\"a\": [1, 2]}", "")][..]),
        ("children", "[]", &[("[\"é\"]", "/0"), ("[-1]", "/0"), ("1.5", "")][..]),
        ("mesh", "null", &[("[0]", ""), ("-1", "")][..]),
        ("name", "\"},{\\u0022\"", &[][..]),
    ])
}

properties! {
    #[test]
    fn no_wrong_value_is_missed_and_none_made_up(
        nodes in prop::collection::vec(prop::collection::vec((member(), 0..4_usize), 0..6), 0..8),
    ) {
        let (mut texts, mut expected) = (Vec::new(), Vec::new());
        for (index, members) in nodes.into_iter().enumerate() {
            let mut text = Vec::new();
            let mut seen = Vec::new();
            for ((name, right, wrongs), choice) in members {
                if seen.contains(&name) {
                    continue;
                }
                seen.push(name);
                let value = match wrongs.get(choice) {
                    Some((wrong, place)) => {
                        expected.push(format!("invalid-value /nodes/{index}/{name}{place}"));
                        wrong
                    }
                    None => right,
                };
                text.push(format!("\"{name}\":{value}"));
            }
            texts.push(format!("{{{}}}", text.join(" , ")));
        }
        let file = document(&format!(r#""nodes": [ {} ]"#, texts.join(",\n")));
        let found = read_gltf(file.as_bytes(), "x").err().as_ref().map(places).unwrap_or_default();
        prop_assert_eq!(found, expected, "{}", file);
    }
}
