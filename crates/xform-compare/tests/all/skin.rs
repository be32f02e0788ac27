//! Skinned meshes: the displacement of vertices against a plain sum over all of them, and what is read of a file.

use std::sync::Arc;

use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use serde_json::{Value, json};
use xform_compare::{
    Animation, Audit, Bounds, Channel, CompareError, Curve, Grade, Interpolation, Joint, Node,
    NodeAudit, Repair, Report, Scene, SceneAudit, Skin, SkinVertices, TextStyle, Track,
    WarningCode, advise, compare, explain, read_gltf, write_html, write_text,
};
use xform_core::{Transform, Trs};

use crate::support::animated::{FLOAT, bytes, uri};

const VERTEX: [f64; 3] = [1.0, 2.0, 0.5];

fn about_z(degrees: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::z_axis(), degrees.to_radians())
}

/// A node that shows a skinned mesh.
fn skinned(joints: Vec<Joint>, vertices: SkinVertices) -> Node {
    let mut node = Node::new(None, Trs::identity()).with_bounds(Bounds::Nothing);
    node.skin = Some(Skin { joints: joints.into(), vertices: Arc::new(vertices) });
    node
}

fn bone(parent: Option<usize>, local: Trs<f64>) -> Node {
    Node::new(parent, local).with_bounds(Bounds::Origin)
}

fn joint(node: usize) -> Joint {
    Joint { node, inverse_bind: Matrix4::identity() }
}

/// A stretched bone, a bone turned by 38° below it, and a mesh that follows both.
fn arm(weights: &[(usize, f64)]) -> Scene {
    let mut vertices = SkinVertices::default();
    vertices.push(VERTEX.into(), weights.iter().copied());
    Scene::new(
        "arm",
        vec![
            bone(None, Trs::from_scale(Vector3::new(2.0, 1.0, 1.0))).with_name("Arm"),
            bone(Some(0), Trs::from_rotation(about_z(38.0))).with_name("Hand"),
            skinned(vec![joint(0), joint(1)], vertices).with_name("Mesh"),
        ],
    )
}

#[test]
fn a_vertex_moves_as_the_closed_form_says() {
    // By matrices S·R·v, by combined TRS R·S·v; the bone itself stays where it is.
    let (sine, cosine) = 38_f64.to_radians().sin_cos();
    let [x, y, _] = VERTEX;
    let apart = Vector3::new(-y * sine, -x * sine, 0.0);
    let by_matrix = Vector3::new(2.0 * (x * cosine - y * sine), x * sine + y * cosine, 0.0);
    let by_trs = Vector3::new(2.0 * x * cosine - y * sine, 2.0 * x * sine + y * cosine, 0.0);
    assert!((by_matrix - by_trs - apart).norm() < 1e-15);
    for (weights, share) in [
        (vec![(1, 1.0)], 1.0),
        (vec![(0, 1.0)], 0.0),
        (vec![(0, 0.75), (1, 0.25)], 0.25),
        (vec![(1, 1.0), (0, 3.0)], 0.25),
    ] {
        let audit = compare(&arm(&weights)).unwrap();
        let moved = audit.nodes[2].displacement.unwrap();
        assert!((moved - share * apart.norm()).abs() < 1e-15, "{weights:?}: {moved}");
        assert_eq!(audit.nodes[1].displacement, Some(0.0));
    }
}

#[test]
fn the_mesh_counts_and_its_joints_do_not() {
    let audit = compare(&arm(&[(1, 1.0)])).unwrap();
    let counts =
        |audit: &SceneAudit| audit.nodes.iter().map(|node| node.counts).collect::<Vec<_>>();
    assert_eq!(counts(&audit), [false, false, true]);
    assert_eq!(audit.nodes[2].grade(), Grade::Severe);
    assert_eq!((audit.summary.grade, audit.summary.grades.all()), (Grade::Severe, 1));
    // The joint's axes are skewed, which is seen by the mesh alone.
    assert_eq!(audit.nodes[1].grade(), Grade::Negligible);
    assert_eq!(
        audit.nodes.iter().map(|node| node.is_followed).collect::<Vec<_>>(),
        [false, true, false]
    );
    // Where the file shows nothing of the difference, neither does its grade.
    let unused = compare(&arm(&[(0, 1.0)])).unwrap();
    assert_eq!(unused.summary.grade, Grade::Identical);
}

#[test]
fn the_cause_is_told_at_the_mesh_and_names_joints() {
    let audit = compare(&arm(&[(1, 1.0)])).unwrap();
    assert_eq!(
        explain(&audit, 2).unwrap(),
        "`Arm` scales X by 2; `Hand` is turned 38° about Z below it; making `Arm` uniform removes all of the \
         displacement."
    );
}

/// The same stretch on both sides: without the one, the other side is as far.
#[test]
fn on_a_symmetric_rig_both_sides_are_the_cause() {
    let mut vertices = SkinVertices::default();
    vertices.push(VERTEX.into(), [(0, 1.0)]);
    vertices.push(VERTEX.into(), [(1, 1.0)]);
    let stretch = Trs::from_scale(Vector3::new(2.0, 1.0, 1.0));
    let scene = Scene::new(
        "both",
        vec![
            bone(None, stretch).with_name("Left arm"),
            bone(Some(0), Trs::from_rotation(about_z(38.0))),
            bone(None, stretch).with_name("Right arm"),
            bone(Some(2), Trs::from_rotation(about_z(38.0))),
            skinned(vec![joint(1), joint(3)], vertices),
        ],
    );
    let audit = compare(&scene).unwrap();
    let cause = audit.nodes[4].cause.as_ref().unwrap();
    assert_eq!((cause.scaler, cause.partner, cause.candidates), (0, Some(2), 2));
    assert!((cause.removes_fraction - 1.0).abs() < 1e-12);
    assert_eq!(
        explain(&audit, 4).unwrap(),
        "`Left arm` scales X by 2, and `Right arm` scales X by 2; neither is the cause alone; making both scales uniform \
         removes all of the displacement."
    );
}

#[test]
fn nothing_is_called_safe_whose_vertices_could_not_be_read() {
    let mut file = file();
    file["nodes"][0].as_object_mut().unwrap().remove("scale");
    let words = |file: &Value| {
        let audit = Audit::new(vec![compare(&read(file)).unwrap()]);
        let mut text = Vec::new();
        write_text(&audit, TextStyle::default(), &mut text).unwrap();
        let mut page = Vec::new();
        write_html(&Report::of_scene(&read(file)).unwrap(), &mut page).unwrap();
        [text, page].map(|bytes| String::from_utf8(bytes).unwrap())
    };
    let [text, page] = words(&file);
    assert!(
        text.contains("Safe: both nodes that draw anything")
            && page.contains("There is nothing to do.")
    );
    file["buffers"][0] = json!({ "byteLength": 216 });
    let [text, page] = words(&file);
    assert!(text.contains("No difference found: both nodes"), "{text}");
    assert!(text.contains("The vertices of skinned meshes could not be read"), "{text}");
    assert!(!text.contains("Safe") && !page.contains("There is nothing to do."));
}

#[test]
fn a_repair_is_measured_at_the_vertices() {
    let scene = arm(&[(1, 1.0)]);
    let audit = compare(&scene).unwrap();
    let advice = advise(&scene, &audit, 2);
    let uniform =
        advice.iter().find(|one| matches!(one.repair, Repair::MakeUniform { scaler: 0, .. }));
    let outcome = uniform.unwrap().outcome.unwrap();
    assert!(outcome.displacement.unwrap() < 1e-12, "{outcome:?}");
    let mut repaired = scene.clone();
    repaired.nodes[0] = bone(None, Trs::from_scale(Vector3::repeat(2_f64.cbrt())));
    let after = compare(&repaired).unwrap();
    let place = |audit: &SceneAudit| audit.nodes[1].by_matrix.transform_point(&VERTEX.into());
    let change = (place(&audit) - place(&after)).norm();
    assert!((outcome.change.unwrap() - change).abs() < 1e-12, "{outcome:?}, {change}");
}

#[test]
fn a_joint_of_scale_zero_hides_what_follows_it_alone() {
    let mut scene = arm(&[(1, 1.0)]);
    scene.nodes[0] = bone(None, Trs::from_scale(Vector3::zeros()));
    let audit = compare(&scene).unwrap();
    assert!(audit.nodes[2].is_hidden && audit.nodes[2].displacement.is_none());
    assert!(!audit.nodes[2].counts_at_rest());
}

#[test]
fn joints_that_do_not_exist_are_refused() {
    let mut scene = arm(&[(1, 1.0)]);
    let vertices = scene.nodes[2].skin.as_ref().unwrap().vertices.as_ref().clone();
    scene.nodes[2] = skinned(vec![joint(0), joint(9)], vertices.clone());
    assert_eq!(compare(&scene), Err(CompareError::UnknownJoint { node: 2 }));
    scene.nodes[2] = skinned(vec![joint(0)], vertices);
    assert_eq!(compare(&scene), Err(CompareError::UnknownJoint { node: 2 }));
}

/// The farthest that any vertex moves, by the definition.
fn farthest(nodes: &[NodeAudit], skin: &Skin) -> f64 {
    let place = |node: &Matrix4<f64>, joint: &Joint, at: &Point3<f64>| {
        (node * joint.inverse_bind).transform_point(at).coords
    };
    let apart = skin.vertices.iter().map(|(at, follows)| {
        let [mut by_matrix, mut by_trs] = [Vector3::zeros(); 2];
        for &(joint, by) in follows {
            let joint = &skin.joints[joint];
            let node = &nodes[joint.node];
            by_matrix += by * place(node.by_matrix.matrix(), joint, at);
            by_trs += by * place(&node.by_trs.to_homogeneous(), joint, at);
        }
        (by_matrix - by_trs).norm()
    });
    apart.fold(0.0, f64::max)
}

fn any_local() -> impl Strategy<Value = Trs<f64>> {
    let vector =
        |range: std::ops::Range<f64>| proptest::array::uniform3(range).prop_map(Vector3::from);
    (vector(-2.0..2.0), vector(-3.0..3.0), vector(0.3..3.0), any::<bool>()).prop_map(
        |(translation, axis, scale, is_uniform)| {
            let scale = if is_uniform { Vector3::repeat(scale.x) } else { scale };
            Trs::from_parts(translation, UnitQuaternion::from_scaled_axis(axis), scale)
        },
    )
}

fn any_joint(nodes: usize) -> impl Strategy<Value = Joint> {
    (0..nodes, any_local())
        .prop_map(|(node, bind)| Joint { node, inverse_bind: bind.to_homogeneous() })
}

/// A chain of bones, and a mesh that follows some of them.
fn any_skinned() -> impl Strategy<Value = Scene> {
    (2_usize..7).prop_flat_map(|bones| {
        let locals = proptest::collection::vec(any_local(), bones);
        let joints = proptest::collection::vec(any_joint(bones), 1..5);
        let at = proptest::array::uniform3(-5.0..5.0_f64);
        let influences =
            proptest::collection::vec((any::<prop::sample::Index>(), 0.0..1.0_f64), 1..5);
        let vertices = proptest::collection::vec((at, influences), 1..40);
        (locals, joints, vertices).prop_map(|(locals, joints, placed)| {
            let mut vertices = SkinVertices::default();
            for (at, influences) in placed {
                let weights = influences.iter().map(|(joint, by)| (joint.index(joints.len()), *by));
                vertices.push(at.into(), weights);
            }
            let bones = locals.iter().enumerate();
            let bones = bones.map(|(i, &local)| bone(i.checked_sub(1), local));
            Scene::new("any", bones.chain([skinned(joints, vertices)]).collect())
        })
    })
}

proptest! {
    #[test]
    fn no_vertex_is_passed_over(scene in any_skinned()) {
        let audit = compare(&scene).unwrap();
        let mesh = audit.nodes.last().unwrap();
        let expected = farthest(&audit.nodes, scene.nodes.last().unwrap().skin.as_ref().unwrap());
        let found = mesh.displacement.unwrap_or(0.0);
        prop_assert!((found - expected).abs() <= 1e-12 * (1.0 + expected), "{found}, not {expected}");
    }

    #[test]
    fn the_cause_of_a_mesh_removes_as_much_as_any_scale(scene in any_skinned()) {
        let audit = compare(&scene).unwrap();
        let mesh = audit.nodes.last().unwrap();
        let Some(cause) = &mesh.cause else { return Ok(()) };
        let whole = mesh.displacement.unwrap();
        let removes = |scalers: &[usize]| {
            let mut without = scene.clone();
            for &scaler in scalers {
                let local = audit.nodes[scaler].local;
                let mean = local.scale.product().cbrt();
                without.nodes[scaler] = bone(scaler.checked_sub(1), local.with_scale(Vector3::repeat(mean)));
            }
            whole - compare(&without).unwrap().nodes.last().unwrap().displacement.unwrap()
        };
        let named: Vec<_> = [cause.scaler].into_iter().chain(cause.partner).collect();
        let removed = removes(&named);
        prop_assert!((removed - cause.removes_displacement.unwrap()).abs() < 1e-9 * (1.0 + whole));
        for scaler in 0..scene.nodes.len() - 1 {
            let other = removes(&[scaler]);
            prop_assert!(removed >= other - 1e-8 * whole || other <= 0.0, "{removed} by {named:?}, {other} by {scaler}");
        }
    }

    #[test]
    fn in_motion_a_mesh_is_as_bad_as_in_its_worst_pose(scene in any_skinned(), scale in 0.2..4.0_f64) {
        let mut scene = scene;
        let values = vec![[1.0, 1.0, 1.0], [1.0, scale, 1.0], [1.0; 3]];
        let curve = Curve::new([0.0, 1.0, 2.0], values, Interpolation::Linear).unwrap();
        let last = scene.nodes.len() - 1;
        scene.animations = vec![Animation::new(0, vec![Channel { node: 0, track: Track::Scale(curve) }])];
        let audit = compare(&scene).unwrap();
        let skin = scene.nodes[last].skin.clone().unwrap();
        let moving = audit.animations[0].nodes.iter().find(|node| node.index == last);
        let is_moved = skin.vertices.iter().next().is_some();
        prop_assert_eq!(moving.is_some(), is_moved);
        let Some(moving) = moving else { return Ok(()) };
        let at = |seconds: f64| {
            let posed = compare(&scene.posed(0, seconds)).unwrap();
            (farthest(&posed.nodes, &skin), posed.nodes[last].displacement_percent_of_itself)
        };
        let peak = moving.displacement.unwrap();
        let (there, of_itself) = at(peak.seconds);
        prop_assert!((peak.max - there).abs() <= 1e-9 * (1.0 + there));
        let same = |a: Option<f64>, b: Option<f64>| (a.unwrap_or(0.0) - b.unwrap_or(0.0)).abs() < 1e-6;
        prop_assert!(same(moving.displacement_percent_of_itself, of_itself));
        for seconds in [0.0, 0.5, 1.0, 1.5, 2.0] {
            prop_assert!(at(seconds).0 <= peak.max * (1.0 + 1e-9) + 1e-12);
        }
    }
}

/// A mesh of two vertices that follow two joints, from buffer 0: positions, joints, weights, inverse binds, and what a
/// morph target adds.
fn file() -> Value {
    let positions = bytes(&[1.0, 2.0, 0.5, -1.0, 0.0, 0.0]);
    let joints = [0_u8, 1, 0, 0, 1, 0, 0, 0].to_vec();
    let weights = bytes(&[0.25, 0.75, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    // Column by column.
    let binds = bytes(
        &[
            [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 1.0],
        ]
        .concat(),
    );
    let morph = bytes(&[0.0, 0.0, 0.0, 0.0, 3.0, 0.0]);
    let parts = [positions, joints, weights, binds, morph];
    let mut views = Vec::new();
    let mut offset = 0;
    for part in &parts {
        views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": part.len() }));
        offset += part.len();
    }
    let data = parts.concat();
    let accessor = |view: usize, component: u32, shape: &str| json!({ "bufferView": view, "componentType": component, "count": 2, "type": shape });
    let mut places = accessor(0, FLOAT, "VEC3");
    (places["min"], places["max"]) = (json!([-1, 0, 0]), json!([1, 2, 0.5]));
    json!({
        "asset": { "version": "2.0" },
        "nodes": [
            { "scale": [2, 1, 1], "children": [1] },
            { "rotation": [0, 0, 0.6, 0.8], "translation": [0, 1, 0] },
            { "mesh": 0, "skin": 0 },
            { "mesh": 0, "skin": 0 }
        ],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2 },
            "targets": [{ "POSITION": 4 }]
        }] }],
        "skins": [{ "joints": [0, 1], "inverseBindMatrices": 3 }],
        "buffers": [{ "uri": uri(&data), "byteLength": data.len() }],
        "bufferViews": views,
        "accessors": [
            places,
            accessor(1, 5121, "VEC4"),
            accessor(2, FLOAT, "VEC4"),
            accessor(3, FLOAT, "MAT4"),
            accessor(4, FLOAT, "VEC3")
        ]
    })
}

fn read(file: &Value) -> Scene {
    read_gltf(file.to_string().as_bytes(), "test.gltf").unwrap()
}

type Vertex = ([f64; 3], Vec<(usize, f64)>);

fn vertices(scene: &Scene) -> Vec<Vertex> {
    let skin = scene.nodes[2].skin.as_ref().unwrap();
    skin.vertices.iter().map(|(at, follows)| ((*at).into(), follows.to_vec())).collect()
}

#[test]
fn a_skin_is_read_with_its_weights_binds_and_morph_targets() {
    let scene = read(&file());
    assert_eq!(scene.warnings, []);
    assert_eq!(
        vertices(&scene),
        [
            ([1.0, 2.0, 0.5], vec![(0, 0.25), (1, 0.75)]),
            ([-1.0, 0.0, 0.0], vec![(1, 1.0)]),
            ([-1.0, 3.0, 0.0], vec![(1, 1.0)]),
        ]
    );
    let skin = scene.nodes[2].skin.as_ref().unwrap();
    assert_eq!(skin.joints.iter().map(|joint| joint.node).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(skin.joints[1].inverse_bind[(1, 3)], -1.0);
    let other = scene.nodes[3].skin.as_ref().unwrap();
    assert!(Arc::ptr_eq(&skin.vertices, &other.vertices), "read once");
    let audit = compare(&scene).unwrap();
    let expected = farthest(&audit.nodes, skin);
    assert!((audit.nodes[2].displacement.unwrap() - expected).abs() < 1e-12 && expected > 0.1);
}

#[test]
fn default_morph_weights_put_vertices_where_they_are_drawn() {
    let mut half = file();
    half["meshes"][0]["weights"] = json!([0.5]);
    assert!(vertices(&read(&half)).contains(&([-1.0, 1.5, 0.0], vec![(1, 1.0)])));
    half["nodes"][2]["weights"] = json!([2]);
    assert!(
        vertices(&read(&half)).contains(&([-1.0, 6.0, 0.0], vec![(1, 1.0)])),
        "those of the node"
    );
}

#[test]
fn eight_joints_may_move_a_vertex() {
    let mut eight = file();
    let attributes = &mut eight["meshes"][0]["primitives"][0]["attributes"];
    attributes["JOINTS_1"] = json!(1);
    attributes["WEIGHTS_1"] = json!(2);
    let follows = vec![(0, 0.125), (1, 0.375), (0, 0.125), (1, 0.375)];
    assert_eq!(vertices(&read(&eight))[0], ([1.0, 2.0, 0.5], follows));
}

#[test]
fn without_inverse_binds_joints_stand_where_the_mesh_was_modelled() {
    let mut none = file();
    none["skins"][0].as_object_mut().unwrap().remove("inverseBindMatrices");
    let scene = read(&none);
    let skin = scene.nodes[2].skin.as_ref().unwrap();
    assert!(skin.joints.iter().all(|joint| joint.inverse_bind == Matrix4::identity()));
}

#[test]
fn where_vertices_cannot_be_read_the_joints_stand_in_and_a_warning_says_why() {
    type Break = fn(&mut Value);
    let broken: [(&str, Break); 11] = [
        ("buffer 0 has no uri", |file| file["buffers"][0] = json!({ "byteLength": 216 })),
        ("it has no JOINTS_0 with WEIGHTS_0", |file| {
            file["meshes"][0]["primitives"][0]["attributes"] = json!({ "POSITION": 0 });
        }),
        ("it has no POSITION", |file| {
            file["meshes"][0]["primitives"][0]["attributes"] =
                json!({ "JOINTS_0": 1, "WEIGHTS_0": 2 });
        }),
        ("compressed by Draco", |file| {
            file["meshes"][0]["primitives"][0]["extensions"] =
                json!({ "KHR_draco_mesh_compression": {} });
        }),
        ("accessor 1 has joints that are no unsigned integers", |file| {
            file["accessors"][1]["componentType"] = json!(5120);
        }),
        ("accessor 1 has joints that are no unsigned integers", |file| {
            file["accessors"][1]["normalized"] = json!(true);
        }),
        ("a vertex follows joint 1, and the skin has 1", |file| {
            file["skins"][0]["joints"] = json!([0]);
        }),
        ("accessor 2 has 1 elements, and 2 are needed", |file| {
            file["accessors"][2]["count"] = json!(1);
        }),
        ("accessor 3 has 1 elements, and 2 are needed", |file| {
            file["accessors"][3]["count"] = json!(1);
        }),
        ("there is no node 7", |file| file["skins"][0]["joints"] = json!([0, 7])),
        ("accessor 3 has components of no known type", |file| {
            file["accessors"][3]["componentType"] = json!(5121);
        }),
    ];
    for (why, break_it) in broken {
        let mut file = file();
        break_it(&mut file);
        let scene = read(&file);
        let warning = scene.warnings.iter().find(|one| one.code == WarningCode::SkinnedMesh);
        let warning = warning.unwrap_or_else(|| panic!("{why}"));
        assert!(warning.message.contains(why), "{why}: {}", warning.message);
        assert_eq!((warning.node, warning.pointer.as_str()), (Some(2), "/nodes/2/skin"));
        let stands_in = scene.nodes[0].uses.stands_in;
        assert!(stands_in && scene.nodes[2].skin.is_none(), "{why}");
        let audit = compare(&scene).unwrap();
        assert!(audit.nodes[0].counts && !audit.nodes[2].counts, "{why}");
    }
}

/// A small file may show a large mesh at any number of nodes; what is too much is said, and takes no time.
#[test]
fn a_mesh_that_is_shown_too_often_is_not_read_again() {
    let mut file = file();
    let count = 100_000;
    let zeros = vec![0; 12 * count];
    file["buffers"][0] = json!({ "uri": uri(&zeros), "byteLength": zeros.len() });
    file["bufferViews"] = json!([{ "buffer": 0, "byteLength": zeros.len() }]);
    let ones = vec![[255_u8, 0, 0, 0]; count].concat();
    file["buffers"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "uri": uri(&ones), "byteLength": ones.len() }));
    file["bufferViews"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "buffer": 1, "byteLength": ones.len() }));
    let accessor = |view: usize, component: u32, shape: &str, normalized: bool| {
        json!({
            "bufferView": view, "componentType": component, "count": count, "type": shape,
            "normalized": normalized
        })
    };
    file["accessors"] = json!([
        accessor(0, FLOAT, "VEC3", false),
        accessor(0, 5121, "VEC4", false),
        accessor(1, 5121, "VEC4", true)
    ]);
    file["meshes"][0]["primitives"][0]["targets"] = json!([]);
    file["skins"][0].as_object_mut().unwrap().remove("inverseBindMatrices");
    let nodes = file["nodes"].as_array_mut().unwrap();
    let shown = nodes[2].clone();
    nodes.resize(602, shown);
    let scene = read(&file);
    let read = scene.nodes.iter().filter(|node| node.skin.is_some()).count();
    assert_eq!(read, 50_000_000 / (count + 2));
    let warned = scene.warnings.iter().filter(|one| one.code == WarningCode::SkinnedMesh).count();
    assert_eq!(warned, 600 - read);
    assert!(
        scene.warnings.last().unwrap().message.contains("more than 50000000 vertices and joints")
    );
}

#[test]
fn an_inverse_bind_that_is_not_finite_is_refused() {
    let mut file = file();
    let data = vec![0xFF; 216];
    file["buffers"][0] = json!({ "uri": uri(&data), "byteLength": 216 });
    let warnings = read(&file).warnings;
    let message = &warnings.last().unwrap().message;
    assert!(message.contains("inverse bind matrix 0 is not finite"), "{message}");
}

#[test]
fn a_mesh_with_morph_targets_has_the_bounds_of_all_of_them() {
    let scene = read(&json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": 0 }, "targets": [{ "POSITION": 1 }, { "POSITION": 2 }, {}]
        }] }],
        "accessors": [
            { "componentType": FLOAT, "count": 9, "type": "VEC3", "min": [-1, -1, -1], "max": [1, 1, 1] },
            { "componentType": FLOAT, "count": 9, "type": "VEC3", "min": [-2, 0, 0], "max": [0, 0, 5] },
            { "componentType": FLOAT, "count": 9, "type": "VEC3" }
        ]
    }));
    let corners = [Point3::new(-3.0, -1.0, -1.0), Point3::new(1.0, 1.0, 6.0)];
    assert_eq!(scene.nodes[0].bounds, Bounds::Box(corners[0], corners[1]));
}
