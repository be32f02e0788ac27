//! glTF read and compared: what files may leave out, hold too much of, or get wrong.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use nalgebra::{Matrix4, Point3, Vector3};
use xform_compare::{
    Bounds, CompareError, GltfError, Local, Node, Scene, SceneAudit, WarningCode, compare,
    read_gltf,
};
use xform_core::Trs;
use xform_matrix::AccumulatedMatrix;

/// A glTF document with these members beside `asset`.
fn document(members: &str) -> String {
    let comma = if members.is_empty() { "" } else { ", " };
    format!(r#"{{ "asset": {{ "version": "2.0" }}{comma}{members} }}"#)
}

fn read(members: &str) -> Result<Scene, GltfError> {
    read_gltf(document(members).as_bytes(), "test.gltf")
}

fn audit(members: &str) -> SceneAudit {
    compare(&read(members).unwrap()).unwrap()
}

fn codes(audit: &SceneAudit) -> Vec<WarningCode> {
    audit.warnings.iter().map(|warning| warning.code).collect()
}

fn glb(json: &str) -> Vec<u8> {
    let length = |len: usize| u32::try_from(len).unwrap().to_le_bytes();
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend(length(20 + json.len()));
    bytes.extend(length(json.len()));
    bytes.extend(b"JSON");
    bytes.extend(json.as_bytes());
    bytes
}

#[test]
fn what_is_missing_has_its_default() {
    let scene = read(r#""nodes": [{}]"#).unwrap();
    assert_eq!(scene.nodes[0].local, Local::Trs(Trs::identity()));
    assert_eq!(scene.nodes[0].name, None);
    assert_eq!(scene.nodes[0].bounds, Bounds::unit_cube());
    assert_eq!(audit(r#""nodes": [{}]"#).summary.diagonal, 3_f64.sqrt());
    let empty = audit("");
    assert_eq!((empty.summary.nodes, empty.summary.diagonal), (0, 0.0));
    assert_eq!(empty.summary.max_displacement_percent, None);
}

#[test]
fn children_may_stand_before_their_parents() {
    let audit = audit(
        r#""nodes": [
            { "translation": [1, 0, 0] },
            { "children": [3], "scale": [2, 1, 1] },
            { "children": [1] },
            { "children": [0], "rotation": [0, 0, 0.7071067811865476, 0.7071067811865476] }
        ]"#,
    );
    let depths: Vec<_> = audit.nodes.iter().map(|node| node.depth).collect();
    assert_eq!(depths, [3, 1, 0, 2]);
    assert_eq!(audit.nodes[0].parent, Some(3));
    // One step along the turned x axis: y of the world, which the grandparent does not stretch.
    assert_eq!(audit.nodes[0].matrix.world[12..15], [0.0, 1.0, 0.0]);
    assert_eq!(audit.nodes[0].trs.world[12..15], [0.0, 2.0, 0.0]);
}

#[test]
fn nodes_outside_the_default_scene_are_audited_too() {
    let audit = audit(
        r#""scene": 1, "scenes": [{ "nodes": [0] }, { "nodes": [1] }],
           "nodes": [{ "scale": [3, 1, 1] }, { "children": [2] }, {}]"#,
    );
    assert_eq!(audit.nodes.len(), 3);
    assert!((audit.summary.diagonal - 11_f64.sqrt()).abs() < 1e-15);
    assert_eq!(codes(&audit), [WarningCode::NonDefaultScene]);
    assert!(audit.warnings[0].message.starts_with("1 of 3 nodes"));
}

#[test]
fn a_matrix_that_is_a_pose_is_that_pose_under_both_strategies() {
    let audit =
        audit(r#""nodes": [{ "matrix": [0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 5, 6, 7, 1] }]"#);
    let node = &audit.nodes[0];
    assert_eq!(node.local_residual, None);
    assert_eq!(node.local.translation, [5.0, 6.0, 7.0]);
    for (scale, expected) in node.local.scale.iter().zip([2.0, 3.0, 4.0]) {
        assert!((scale - expected).abs() < 1e-15);
    }
    assert_eq!(audit.summary.differing_nodes, 0);
    assert_eq!(codes(&audit), []);
}

#[test]
fn a_matrix_that_is_no_pose_is_kept_by_matrices_and_approached_by_trs() {
    // Column-major: y leans by 1 along x. Below it a child at (0, 1, 0).
    let audit = audit(
        r#""nodes": [
            { "matrix": [1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], "children": [1] },
            { "translation": [0, 1, 0] }
        ]"#,
    );
    let sheared = &audit.nodes[0];
    let difference = Matrix4::from_column_slice(&sheared.matrix.world)
        - Matrix4::new(1., 1., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.);
    assert!(difference.amax() < 1e-15);
    assert!((sheared.skew_degrees.unwrap() - 45.0).abs() < 1e-9);
    // Half the sine of 36°, as the golden ratio has it.
    let residual = (5_f64.sqrt() - 1.0) / 4.0;
    assert!((sheared.local_residual.unwrap() - residual).abs() < 1e-15);
    assert!((sheared.nearest_trs_distance - residual).abs() < 1e-15);
    assert!(
        (Vector3::from_column_slice(&audit.nodes[1].matrix.world[12..15])
            - Vector3::new(1., 1., 0.))
        .amax()
            < 1e-15
    );
    assert_eq!(codes(&audit), [WarningCode::MatrixNotTrs]);
    assert_eq!(audit.warnings[0].pointer, "/nodes/0/matrix");
}

#[test]
fn a_matrix_beside_trs_wins_with_a_warning() {
    let audit = audit(
        r#""nodes": [{ "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 9,0,0,1], "translation": [1, 2, 3] }]"#,
    );
    assert_eq!(audit.nodes[0].local.translation, [9.0, 0.0, 0.0]);
    assert_eq!(codes(&audit), [WarningCode::MatrixAndTrs]);
}

#[test]
fn negative_scales_mirror_without_skew() {
    let audit = audit(
        r#""nodes": [{ "scale": [-1, 1, 1], "children": [1] },
                     { "rotation": [0, 0, 0.3826834323650898, 0.9238795325112867] }]"#,
    );
    assert_eq!(audit.summary.skewed_nodes, 0);
    assert_eq!(audit.summary.differing_nodes, 1);
    assert_eq!(codes(&audit), [WarningCode::Mirrored]);
}

#[test]
fn a_zero_scale_leaves_figures_undefined_with_a_warning() {
    let audit = audit(r#""nodes": [{ "scale": [1, 0, 1] }]"#);
    let node = &audit.nodes[0];
    assert_eq!(node.skew_pairs_degrees, [None, Some(0.0), None]);
    assert_eq!(node.skew_degrees, Some(0.0));
    assert_eq!(node.orthogonality, None);
    assert_eq!(node.linear_difference, Some(0.0));
    assert_eq!(codes(&audit), [WarningCode::ZeroScale, WarningCode::UndefinedFigure]);
}

#[test]
fn rotations_are_normalised_with_a_warning_where_they_are_far_off() {
    let nodes = r#""nodes": [{ "rotation": [0, 0, 0, 2] }, { "rotation": [0, 0, 0, 0] },
                             { "rotation": [0, 0, 1e-320, 0] }, { "rotation": [0, 0, 0, 1.007] },
                             { "rotation": [0, 0, 0, 1.008] }]"#;
    let audit = audit(nodes);
    let rotations: Vec<_> = audit.nodes.iter().map(|node| node.local.rotation).collect();
    let identity = [0.0, 0.0, 0.0, 1.0];
    assert_eq!(rotations, [identity, identity, [0.0, 0.0, 1.0, 0.0], identity, identity]);
    let warned: Vec<_> = audit.warnings.iter().map(|w| (w.code, w.node)).collect();
    assert_eq!(
        warned,
        [
            (WarningCode::UnitQuaternion, Some(0)),
            (WarningCode::ZeroQuaternion, Some(1)),
            (WarningCode::UnitQuaternion, Some(2)),
            (WarningCode::UnitQuaternion, Some(4)),
        ]
    );
    assert_eq!(audit.warnings[0].pointer, "/nodes/0/rotation");
}

#[test]
fn unknown_extensions_and_extras_are_skipped_however_deep() {
    let depth = 100_000;
    let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let scene = read(&format!(
        r#""extensionsRequired": ["EXT_nobody_knows"], "extensions": {{ "EXT_nobody_knows": {nested} }},
           "nodes": [{{ "extras": {nested}, "extensions": {{ "EXT_nobody_knows": {{}} }} }}]"#
    ));
    assert_eq!(scene.unwrap().nodes.len(), 1);
}

/// One triangle's accessor, in the buffer of a file that need not exist.
const MESHES: &str = r#"
    "buffers": [{ "uri": "nowhere.bin", "byteLength": 36 }],
    "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
    "accessors": [
        { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 2, 3] },
        { "bufferView": 0, "componentType": 5122, "normalized": true, "count": 3, "type": "VEC3",
          "min": [-32768, 0, 0], "max": [32767, 0, 0] },
        { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }
    ],
    "meshes": [
        { "primitives": [{ "attributes": { "POSITION": 0 } }] },
        { "primitives": [{ "attributes": { "POSITION": 0 } }, { "attributes": { "POSITION": 1 } }] },
        { "primitives": [{ "attributes": { "POSITION": 2 } }] }
    ],
    "skins": [{ "joints": [0] }]"#;

#[test]
fn bounds_come_from_the_accessors_and_need_no_buffer() {
    let nodes =
        r#""nodes": [{}, { "mesh": 0 }, { "mesh": 1 }, { "mesh": 2 }, { "mesh": 0, "skin": 0 }]"#;
    let scene = read(&format!("{MESHES}, {nodes}")).unwrap();
    let bounds: Vec<_> = scene.nodes.iter().map(|node| node.bounds).collect();
    let corner = Point3::new(1.0, 2.0, 3.0);
    assert_eq!(
        bounds,
        [
            Bounds::Origin,
            Bounds::Box(Point3::origin(), corner),
            Bounds::Box(Point3::new(-1.0, 0.0, 0.0), corner),
            Bounds::Origin,
            Bounds::Nothing,
        ]
    );
    let audit = compare(&scene).unwrap();
    assert_eq!(codes(&audit), [WarningCode::MissingBounds, WarningCode::SkinnedMesh]);
    assert_eq!(audit.nodes[4].displacement, None);
    assert_eq!(audit.warnings[1].pointer, "/nodes/4/skin");
}

#[test]
fn instances_are_said_not_to_be_audited() {
    let audit = audit(
        r#""nodes": [{ "extensions": { "EXT_mesh_gpu_instancing": { "attributes": {} } } }]"#,
    );
    assert_eq!(codes(&audit), [WarningCode::GpuInstancing]);
}

#[test]
fn a_glb_reads_like_its_json() {
    let json = document(r#""nodes": [{ "name": "A", "scale": [2, 1, 1] }]"#);
    let mut bytes = glb(&json);
    assert_eq!(read_gltf(&bytes, "x").unwrap(), read_gltf(json.as_bytes(), "x").unwrap());
    // Bytes after the end that the header states.
    bytes.extend([255, 255, 0, 0, b'B', b'I', b'N', 0, 1, 2, 3]);
    assert!(read_gltf(&bytes, "x").is_ok());
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let json = format!("\u{FEFF}{}", document(r#""nodes": [{}]"#));
    assert_eq!(read_gltf(json.as_bytes(), "x").unwrap().nodes.len(), 1);
}

#[test]
fn a_glb_that_lies_is_an_error_at_every_length() {
    let whole = glb(&document(r#""nodes": [{}]"#));
    for len in 4..whole.len() {
        let cut = read_gltf(&whole[..len], "x");
        assert!(matches!(cut, Err(GltfError::Truncated { .. })), "{len} bytes: {cut:?}");
    }
    // A cut in a later chunk is one too.
    let mut longer = whole.clone();
    longer[8..12].copy_from_slice(&u32::try_from(whole.len() + 1).unwrap().to_le_bytes());
    assert!(matches!(read_gltf(&longer, "x"), Err(GltfError::Truncated { .. })));
    let with = |position: usize, value: u32| {
        let mut bytes = whole.clone();
        bytes[position..position + 4].copy_from_slice(&value.to_le_bytes());
        read_gltf(&bytes, "x")
    };
    assert!(matches!(with(4, 1), Err(GltfError::Version(version)) if version == "1.0"));
    assert!(matches!(with(8, 0), Err(GltfError::BadLength { length: 0, .. })));
    assert!(matches!(with(8, 11), Err(GltfError::BadLength { .. })));
    assert!(matches!(with(12, u32::MAX), Err(GltfError::BadLength { .. })));
    assert!(matches!(with(12, 4), Err(GltfError::Json(_))));
    assert!(matches!(with(16, 0x004E_4942), Err(GltfError::NoJsonChunk)));
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
    assert_eq!(
        error(r#"{}, { "children": [0, 7] }"#),
        "/nodes/1/children/1: there is no node 7, only 2 of them"
    );
}

#[test]
fn indices_out_of_range_are_refused_with_their_place() {
    let pointer = |members: &str| match read(members).unwrap_err() {
        GltfError::IndexOutOfRange { pointer, .. } => pointer,
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
fn wrong_types_and_lengths_are_refused_with_line_and_column() {
    let wrong = [
        r#""nodes": {}"#,
        r#""nodes": [1]"#,
        r#""nodes": [{ "children": [-1] }]"#,
        r#""nodes": [{ "children": ["0"] }]"#,
        r#""nodes": [{ "translation": [1, 2] }]"#,
        r#""nodes": [{ "rotation": [0, 0, 0, 1, 0] }]"#,
        r#""nodes": [{ "scale": 2 }]"#,
        r#""nodes": [{ "scale": [1, 1, "1"] }]"#,
        r#""nodes": [{ "scale": [1, 1, NaN] }]"#,
        r#""nodes": [{ "scale": [1, 1, 1e400] }]"#,
        r#""nodes": [{ "matrix": [1, 0, 0, 0] }]"#,
        r#""nodes": [{ "name": 5 }]"#,
        r#""nodes": [{}"#,
    ];
    for members in wrong {
        let message = read(members).unwrap_err().to_string();
        assert!(message.contains("at line 1 column"), "{members}: {message}");
    }
}

#[test]
fn what_is_no_gltf_2_is_refused_as_such() {
    let message = |text: &str| read_gltf(text.as_bytes(), "x").unwrap_err().to_string();
    assert_eq!(message(""), "the file is empty");
    assert_eq!(message("{}"), "not a glTF file: it has no asset.version");
    let first = r#"{ "asset": { "version": "1.0" }, "nodes": { "a": {} } }"#;
    assert_eq!(message(first), "glTF 1.0 is not supported, only 2.0 is");
    assert!(message("\u{89}PNG").contains("line 1 column 1"));
    assert!(matches!(
        read(r#""nodes": [{ "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,2] }]"#),
        Err(GltfError::NotAffine { node: 0, row: [0.0, 0.0, 0.0, 2.0] })
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
fn a_scene_of_ones_own_that_is_wrong_is_an_error_and_no_panic() {
    let node = |parent, local| Node { name: None, parent, local, bounds: Bounds::Origin };
    let scene = |nodes| Scene { source: String::new(), nodes, warnings: vec![] };
    let nan = Local::Trs(Trs::from_translation(Vector3::repeat(f64::NAN)));
    let large = AccumulatedMatrix::from_matrix(Matrix4::new_scaling(f64::INFINITY));
    let infinite = large.map_or(Local::Trs(Trs::identity()), Local::Matrix);
    for parent in [None, Some(0), Some(7)] {
        for local in [nan, infinite] {
            assert!(compare(&scene(vec![node(parent, local)])).is_err());
        }
    }
    let fine = Local::Trs(Trs::identity());
    assert!(compare(&scene(vec![node(Some(7), fine)])).is_err());
    assert!(compare(&scene(vec![node(Some(1), fine), node(Some(0), fine)])).is_err());
}

#[test]
fn a_long_axis_does_not_hide_the_skew_of_a_short_one() {
    let audit =
        audit(r#""nodes": [{ "matrix": [1e7, 0, 0, 0, 5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] }]"#);
    let node = &audit.nodes[0];
    assert!((node.skew_degrees.unwrap() - 5_f64.atan().to_degrees()).abs() < 1e-6);
    assert!((node.matrix.world[4] - 5.0).abs() < 1e-6);
    assert!(codes(&audit).contains(&WarningCode::MatrixNotTrs));
}

#[test]
fn a_matrix_too_large_to_be_decomposed_is_an_error_at_its_node() {
    let nodes = r#""nodes": [{ "name": "Arm", "children": [1] }, { "name": "Hand",
        "matrix": [1.7e308, 1.7e308, 0, 0, 0, 1.7e308, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] }]"#;
    let error = compare(&read(nodes).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "node 1 (\"Arm/Hand\"): values overflow");
}

#[test]
fn a_node_that_moves_in_a_scene_without_extent_differs() {
    // By matrices the middle node's scale flattens the last one's place away, not by combined TRS.
    let audit = audit(
        r#""meshes": [{}], "nodes": [
            { "scale": [0, 0, 1], "children": [1] },
            { "rotation": [0, 0.7071067811865476, 0, 0.7071067811865476], "children": [2] },
            { "translation": [0, 0, 1], "scale": [0, 0, 0] }
        ]"#,
    );
    assert_eq!((audit.summary.diagonal, audit.summary.max_displacement), (0.0, 1.0));
    assert!(audit.nodes[2].is_differing());
    let scene_wide =
        audit.warnings.iter().find(|warning| warning.node.is_none() && warning.pointer.is_empty());
    assert_eq!(scene_wide.unwrap().code, WarningCode::UndefinedFigure);
}

#[test]
fn a_mesh_without_some_of_its_bounds_is_said() {
    let audit = audit(
        r#""accessors": [{ "componentType": 5126, "min": [0, 0, 0], "max": [1, 1, 1] }, { "componentType": 5126 }],
           "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }, { "attributes": { "POSITION": 1 } }] }],
           "nodes": [{ "mesh": 0 }]"#,
    );
    assert_eq!(codes(&audit), [WarningCode::MissingBounds]);
    assert_eq!(audit.nodes[0].bounds, Bounds::Box(Point3::origin(), Point3::new(1.0, 1.0, 1.0)));
}
