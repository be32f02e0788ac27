//! glTF read and compared: what files may leave out, hold too much of, or get a little wrong.

use nalgebra::{Matrix4, Point3, Vector3};
use xform_compare::{Grade, SceneAudit, compare, judge::verdict};
use xform_core::Trs;
use xform_scene::{Bounds, LocalPose, WarningCode, read_gltf};

use crate::support::given::{document, glb, read};

fn audit(members: &str) -> SceneAudit {
    compare(&read(members).unwrap()).unwrap()
}

fn codes(audit: &SceneAudit) -> Vec<WarningCode> {
    audit.warnings.iter().map(|warning| warning.code).collect()
}

#[test]
fn what_is_missing_has_its_default() {
    let scene = read(r#""nodes": [{}]"#).unwrap();
    assert_eq!(scene.nodes[0].local, LocalPose::Trs(Trs::identity()));
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
    assert_eq!(audit.nodes[0].by_matrix.translation(), Vector3::new(0.0, 1.0, 0.0));
    assert_eq!(audit.nodes[0].by_trs.translation, Vector3::new(0.0, 2.0, 0.0));
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
fn a_scene_that_lists_a_child_is_warned_of_with_the_child() {
    let audit = audit(
        r#""scenes": [{ "nodes": [0, 1] }], "nodes": [{ "children": [2] }, {}, { "children": [1] }]"#,
    );
    assert_eq!(codes(&audit), [WarningCode::NonRootNode]);
    let warning = &audit.warnings[0];
    assert_eq!((warning.node, warning.pointer.as_str()), (Some(1), "/scenes/0/nodes/1"));
}

#[test]
fn a_matrix_that_is_a_pose_is_that_pose_under_both_strategies() {
    let audit =
        audit(r#""nodes": [{ "matrix": [0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 5, 6, 7, 1] }]"#);
    let node = &audit.nodes[0];
    assert_eq!(node.local_residual, None);
    assert_eq!(node.local.translation, Vector3::new(5.0, 6.0, 7.0));
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
    let difference = sheared.by_matrix.matrix()
        - Matrix4::new(1., 1., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.);
    assert!(difference.amax() < 1e-15);
    assert!((sheared.skew_degrees.unwrap() - 45.0).abs() < 1e-9);
    // Half the sine of 36°, as the golden ratio has it.
    let residual = (5_f64.sqrt() - 1.0) / 4.0;
    assert!((sheared.local_residual.unwrap() - residual).abs() < 1e-15);
    assert!((sheared.nearest_trs_distance - residual).abs() < 1e-15);
    assert!((audit.nodes[1].by_matrix.translation() - Vector3::new(1., 1., 0.)).amax() < 1e-15);
    assert_eq!(codes(&audit), [WarningCode::MatrixNotTrs]);
    assert_eq!(audit.warnings[0].pointer, "/nodes/0/matrix");
}

#[test]
fn a_matrix_beside_trs_wins_with_a_warning() {
    let audit = audit(
        r#""nodes": [{ "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 9,0,0,1], "translation": [1, 2, 3] }]"#,
    );
    assert_eq!(audit.nodes[0].local.translation, Vector3::x() * 9.0);
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
    let rotations: Vec<_> =
        audit.nodes.iter().map(|node| <[f64; 4]>::from(node.local.rotation.coords)).collect();
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
    let expected =
        [WarningCode::MissingBounds, WarningCode::BrokenMeshes, WarningCode::SkinnedMesh];
    assert_eq!(codes(&audit), expected);
    assert_eq!(audit.nodes[4].displacement, None);
    assert_eq!(audit.warnings[2].pointer, "/nodes/4/skin");
}

/// `KHR_node_visibility` hides a node with all below it, unless an animation shows it.
#[test]
fn what_is_hidden_at_all_times_does_not_count() {
    let mesh = r#""meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "componentType": 5126, "count": 8, "type": "VEC3", "min": [-1, -1, -1], "max": [1, 1, 1] }]"#;
    let hidden = r#""extensions": { "KHR_node_visibility": { "visible": false } }"#;
    let nodes = format!(
        r#""nodes": [{{ "mesh": 0, "scale": [3, 1, 1], "children": [1] }},
        {{ "mesh": 0, "rotation": [0, 0, 0.6, 0.8], "children": [2], {hidden} }}, {{ "mesh": 0 }}], {mesh}"#
    );
    let still = audit(&nodes);
    let counts = |audit: &SceneAudit| [0, 1, 2].map(|node: usize| audit.nodes[node].counts);
    assert_eq!(counts(&still), [true, false, false]);
    assert_eq!(still.summary.grade, Grade::Identical);
    assert!(verdict(&still).ends_with("2 nodes are hidden in the file, and do not count."));
    let shown = format!(
        r#"{nodes}, "animations": [{{ "samplers": [], "channels": [{{ "target": {{ "path": "pointer", "extensions":
        {{ "KHR_animation_pointer": {{ "pointer": "/nodes/1/extensions/KHR_node_visibility/visible" }} }} }} }}] }}]"#
    );
    let shown = audit(&shown);
    assert_eq!(counts(&shown), [true; 3]);
    assert_eq!(shown.summary.grade, Grade::Severe);
    // Where all is hidden, nothing is drawn, and what is hidden does not count in its place.
    let none = audit(&nodes.replacen(r#""scale""#, &format!(r#"{hidden}, "scale""#), 1));
    assert_eq!(counts(&none), [false; 3]);
}

#[test]
fn instances_without_a_place_are_said_not_to_be_audited() {
    let extension = r#""extensions": { "EXT_mesh_gpu_instancing": { "attributes": {} } }"#;
    let nodes = format!(
        r#""nodes": [{{ "mesh": 0, {extension} }}, {{ {extension} }}], "meshes": [{{ "primitives": [] }}]"#
    );
    let audit = audit(&nodes);
    // What shows no mesh has none to show in many places.
    assert_eq!(codes(&audit)[..2], [WarningCode::MissingBounds, WarningCode::GpuInstancing]);
    assert_eq!(audit.warnings[1].node, Some(0));
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
fn a_long_axis_does_not_hide_the_skew_of_a_short_one() {
    let audit =
        audit(r#""nodes": [{ "matrix": [1e7, 0, 0, 0, 5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] }]"#);
    let node = &audit.nodes[0];
    assert!((node.skew_degrees.unwrap() - 5_f64.atan().to_degrees()).abs() < 1e-6);
    assert!((node.by_matrix.matrix()[(0, 1)] - 5.0).abs() < 1e-6);
    assert!(codes(&audit).contains(&WarningCode::MatrixNotTrs));
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
    assert_eq!((audit.summary.diagonal, audit.nodes[2].displacement), (0.0, Some(1.0)));
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
    // There is no buffer to read the rest from, so it was not judged.
    assert_eq!(codes(&audit), [WarningCode::MissingBounds, WarningCode::BrokenMeshes]);
    assert_eq!(audit.nodes[0].bounds, Bounds::Box(Point3::origin(), Point3::new(1.0, 1.0, 1.0)));
}

/// The codes of the warnings about units of one mesh, a metre across, whose node and parent are scaled evenly.
fn told_of_units(scale: f64, parent: f64) -> Vec<WarningCode> {
    let members = format!(
        r#""accessors": [{{ "componentType": 5126, "count": 2, "type": "VEC3", "min": [0, 0, 0], "max": [1, 0, 0] }}],
        "meshes": [{{ "primitives": [{{ "attributes": {{ "POSITION": 0 }} }}] }}],
        "nodes": [
            {{ "children": [1], "scale": [{parent}, {parent}, {parent}] }},
            {{ "mesh": 0, "scale": [{scale}, {scale}, {scale}] }}
        ]"#
    );
    let codes = codes(&audit(&members)).into_iter();
    codes.filter(|code| matches!(code, WarningCode::UnitScale | WarningCode::Size)).collect()
}

#[test]
fn a_scale_of_a_unit_at_the_top_is_noted_and_no_other() {
    for unit in [100.0, 0.01, 1000.0, 0.001, 39.370_1, 0.0254, 2.54] {
        let own = told_of_units(1.0 / unit, unit);
        assert_eq!(own, [WarningCode::UnitScale], "{unit}");
        assert_eq!(told_of_units(1.0 / unit, 1.01 * unit), [], "{unit}");
    }
    assert_eq!(told_of_units(100.0, 1.0), []);
}

/// A centimetre of something at these places, one below the other, beside nothing or a thing of a hundred metres.
fn told_of_precision(places: [f64; 2], is_large: bool) -> Option<String> {
    let large = if is_large { r#", { "mesh": 0, "scale": [10000, 10000, 10000] }"# } else { "" };
    let [parent, child] = places;
    let audit = audit(&format!(
        r#""accessors": [{{ "componentType": 5126, "count": 2, "type": "VEC3", "min": [0, 0, 0], "max": [0.01, 0, 0] }}],
        "meshes": [{{ "primitives": [{{ "attributes": {{ "POSITION": 0 }} }}] }}],
        "nodes": [
            {{ "children": [1], "translation": [{parent}, 0, 0] }},
            {{ "mesh": 0, "translation": [{child}, 0, 0] }}{large}
        ]"#
    ));
    let warnings = audit.warnings.into_iter();
    let mut told = warnings.filter(|warning| warning.code == WarningCode::Precision);
    told.next().map(|warning| {
        assert_eq!(warning.node, Some(1));
        warning.message
    })
}

#[test]
fn what_32_bit_floats_move_visibly_is_noted() {
    // At 10⁶ they are 2⁻⁴ apart, at 1 000 2⁻¹⁴, at 100 2⁻¹⁷.
    let told = told_of_precision([1e6, 0.0], false).unwrap();
    assert!(
        told.contains("by up to 0.0312 units (312 % of the scene, 312 % of its own size)"),
        "{told}"
    );
    // Also where it comes back.
    assert_eq!(told_of_precision([1e6, -1e6], false), Some(told));
    let told = told_of_precision([1e3, 0.0], false).unwrap();
    assert!(told.contains("by up to 0.0000305 units (0.305 % of the scene"), "{told}");
    assert_eq!(told_of_precision([100.0, 0.0], false), None);
    // Beside something large it is told where it is much of itself.
    assert_eq!(told_of_precision([1e3, 0.0], true), None);
    assert!(told_of_precision([1e5, 0.0], true).is_some());
}

#[test]
fn a_scene_of_an_implausible_size_is_noted() {
    for (size, is_noted) in
        [(0.009, true), (0.011, false), (1.0, false), (9_999.0, false), (10_001.0, true)]
    {
        let expected = if is_noted { vec![WarningCode::Size] } else { Vec::new() };
        assert_eq!(told_of_units(size, 1.0), expected, "{size}");
    }
}
