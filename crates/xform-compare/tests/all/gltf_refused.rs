//! glTF refused: bytes, structure and values that are wrong, each with its place.

use nalgebra::{Matrix4, Vector3};
use xform_compare::{CompareError, compare};
use xform_core::Trs;
use xform_matrix::AccumulatedMatrix;
use xform_scene::{Bounds, LocalPose, Node, Scene, gltf::GltfError, read_gltf};

use crate::support::given::{document, glb, read};

#[test]
fn a_glb_that_lies_is_an_error_at_every_length() {
    let whole = glb(&document(r#""nodes": [{}]"#));
    for len in 4..whole.len() {
        let cut = read_gltf(&whole[..len], "x").unwrap_err();
        let GltfError::Truncated { needed, available, .. } = cut.first() else {
            panic!("{len} bytes: {cut:?}")
        };
        assert_eq!(*available, len as u64);
        // The header up to the length that it states, and then as much as that.
        let expected = if len < 8 {
            8
        } else if len < 12 {
            12
        } else {
            whole.len() as u64
        };
        assert_eq!(*needed, expected, "{len} bytes");
    }
    // A cut in a later chunk is one too.
    let mut longer = whole.clone();
    longer[8..12].copy_from_slice(&u32::try_from(whole.len() + 1).unwrap().to_le_bytes());
    let error = read_gltf(&longer, "x").unwrap_err();
    assert!(matches!(error.first(), GltfError::Truncated { .. }));
    let with = |position: usize, value: u32| {
        let mut bytes = whole.clone();
        bytes[position..position + 4].copy_from_slice(&value.to_le_bytes());
        read_gltf(&bytes, "x").unwrap_err()
    };
    assert!(matches!(with(4, 1).first(), GltfError::Version(version) if version == "1.0"));
    assert!(matches!(with(8, 0).first(), GltfError::BadLength { length: 0, .. }));
    assert!(matches!(with(8, 11).first(), GltfError::BadLength { .. }));
    assert!(matches!(with(12, u32::MAX).first(), GltfError::BadLength { .. }));
    assert!(matches!(with(12, 4).first(), GltfError::Json(_)));
    assert!(matches!(with(16, 0x004E_4942).first(), GltfError::NoJsonChunk));
}

#[test]
fn structure_that_is_no_forest_is_refused_by_name() {
    let error = |nodes: &str| read(&format!(r#""nodes": [{nodes}]"#)).unwrap_err().to_string();
    assert_eq!(error(r#"{ "children": [0] }"#), "node 0 is its own ancestor");
    let ring = error(r#"{ "children": [1] }, { "children": [2] }, { "children": [0] }"#);
    assert!(ring.ends_with("is its own ancestor"), "{ring}");
    assert_eq!(
        error(r#"{ "children": [2] }, { "children": [2] }, {}"#),
        "node 2 has two parents, 0 and 1"
    );
    assert_eq!(error(r#"{ "children": [1, 1] }, {}"#), "node 1 has two parents, 0 and 0");
    assert_eq!(GltfError::TooManyNodes { len: 1 << 32 }.pointer(), "/nodes");
    assert_eq!(
        error(r#"{}, { "children": [0, 7] }"#),
        "/nodes/1/children/1: there is no node 7; there are only 2"
    );
}

#[test]
fn indices_out_of_range_are_refused_with_their_place() {
    let pointer = |members: &str| match read(members).unwrap_err().first() {
        GltfError::IndexOutOfRange { pointer, .. } => pointer.clone(),
        other => panic!("{other}"),
    };
    assert_eq!(pointer(r#""scene": 0"#), "/scene");
    assert_eq!(pointer(r#""scenes": [{ "nodes": [3] }]"#), "/scenes/0/nodes/0");
    assert_eq!(pointer(r#""nodes": [{ "mesh": 0 }]"#), "/nodes/0/mesh");
    assert_eq!(pointer(r#""nodes": [{ "skin": 0 }]"#), "/nodes/0/skin");
    assert_eq!(
        pointer(r#""meshes": [{ "primitives": [{ "attributes": { "POSITION": 5 } }] }]"#),
        "/meshes/0/primitives/0/attributes/POSITION"
    );
}

#[test]
fn wrong_values_are_refused_with_their_place_and_wrong_json_with_line_and_column() {
    let message = |members: &str| read(members).unwrap_err().to_string();
    let string = message(r#""nodes": [{}, { "scale": [1, 1, "1"] }]"#);
    assert_eq!(string, "/nodes/1/scale/2: invalid type: string, expected a number");
    let short = message(r#""nodes": [{ "translation": [1, 2] }]"#);
    assert_eq!(short, "/nodes/0/translation: invalid length 2, expected an array of length 3");
    let negative = message(r#""nodes": [{ "children": [-1] }]"#);
    assert_eq!(negative, "/nodes/0/children/0: -1 is not an index");
    let array = message(r#""nodes": [[]]"#);
    assert_eq!(array, "/nodes/0: invalid type: sequence, expected an object");
    let large = message(r#""nodes": [{ "scale": [1, 1, 1e400] }]"#);
    assert_eq!(large, "/nodes/0/scale/2: the number is out of range");
    for (value, found) in [
        ("{}", "map"),
        ("true", "boolean"),
        ("false", "boolean"),
        ("null", "null"),
        ("[]", "sequence"),
    ] {
        let message = message(&format!(r#""nodes": [{{ "scale": [1, {value}, 1] }}]"#));
        let expected = format!("/nodes/0/scale/1: invalid type: {found}, expected a number");
        assert_eq!(message, expected);
    }
    let long = message(&format!(r#""nodes": "{}""#, "long ".repeat(1000)));
    assert!(long.starts_with("/nodes: ") && long.ends_with('…') && long.len() < 200, "{long}");
    for invalid in [r#""nodes": [{ "scale": [1, 1, NaN] }]"#, r#""nodes": [{}"#] {
        assert!(message(invalid).contains("at line 1 column"), "{invalid}");
    }
}

#[test]
fn what_is_no_gltf_2_is_refused_as_such() {
    let message = |text: &str| read_gltf(text.as_bytes(), "x").unwrap_err().to_string();
    assert_eq!(message(""), "the file is empty");
    assert_eq!(message("{}"), "not a glTF file: it has no asset.version");
    let first = r#"{ "asset": { "version": "1.0" }, "nodes": { "a": {} } }"#;
    assert_eq!(message(first), "glTF 1.0 is not supported; only 2.0 is");
    assert!(message("\u{89}PNG").contains("line 1 column 1"));
    assert!(matches!(
        read(r#""nodes": [{ "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,2] }]"#)
            .unwrap_err()
            .first(),
        GltfError::NotAffine { node: 0, row: [0.0, 0.0, 0.0, 2.0] }
    ));
}

#[test]
fn values_that_overflow_are_an_error_at_their_node() {
    let scene = read(
        r#""nodes": [{ "name": "C", "scale": [1e200, 1, 1] },
                     { "name": "B", "scale": [1e200, 1, 1], "children": [0] },
                     { "name": "A", "scale": [1e5, 1, 1], "children": [1] }]"#,
    );
    let error = compare(&scene.unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "node 0 (\"A/B/C\"): values overflow");
    let scene =
        read(r#""nodes": [{ "translation": [1e308, 0, 0] }, { "translation": [-1e308, 0, 0] }]"#);
    assert_eq!(compare(&scene.unwrap()), Err(CompareError::SceneTooLarge));
}

#[test]
fn bounds_that_overflow_are_an_error_whatever_overflows() {
    let scene = |corner: &str, nodes: &str| {
        read(&format!(
            r#""accessors": [{{ "componentType": 5126, "min": {corner}, "max": {corner} }}],
               "meshes": [{{ "primitives": [{{ "attributes": {{ "POSITION": 0 }} }}] }}],
               "nodes": [{nodes}]"#
        ))
        .unwrap()
    };
    let large = r#"{ "mesh": 0, "scale": [1e300, 1, 1] }"#;
    for corner in ["[1e300, 0, 0]", "[-1e300, 0, 1e308]"] {
        let error = compare(&scene(corner, large)).unwrap_err();
        assert_eq!(error.to_string(), "node 0 (\"#0\"): values overflow");
    }
    // By matrices the child is flat along the mesh; by combined TRS it is not.
    let turned = r#"{ "scale": [1e200, 1, 1], "children": [1] },
        { "mesh": 0, "rotation": [0, 0, 0.7071067811865476, 0.7071067811865476] }"#;
    let error = compare(&scene("[1e200, 0, 0]", turned)).unwrap_err();
    assert_eq!(error.to_string(), "node 1 (\"#0/#1\"): values overflow");
}

#[test]
fn a_matrix_too_large_to_be_decomposed_is_an_error_at_its_node() {
    let nodes = r#""nodes": [{ "name": "Arm", "children": [1] }, { "name": "Hand",
        "matrix": [1.7e308, 1.7e308, 0, 0, 0, 1.7e308, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] }]"#;
    let error = compare(&read(nodes).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "node 1 (\"Arm/Hand\"): values overflow");
}

#[test]
fn a_scene_of_ones_own_that_is_wrong_is_an_error_and_no_panic() {
    let node = |parent, local: LocalPose| Node::new(parent, local).with_bounds(Bounds::Origin);
    let scene = |nodes| Scene::new("", nodes);
    let nan = LocalPose::Trs(Trs::from_translation(Vector3::repeat(f64::NAN)));
    let large = AccumulatedMatrix::from_matrix(Matrix4::new_scaling(f64::INFINITY));
    let infinite = large.map_or(LocalPose::Trs(Trs::identity()), LocalPose::Matrix);
    for parent in [None, Some(0), Some(7)] {
        for local in [nan, infinite] {
            assert!(compare(&scene(vec![node(parent, local)])).is_err());
        }
    }
    let fine = LocalPose::Trs(Trs::identity());
    assert!(compare(&scene(vec![node(Some(7), fine)])).is_err());
    assert!(compare(&scene(vec![node(Some(1), fine), node(Some(0), fine)])).is_err());
}
