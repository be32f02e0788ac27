//! What is read of the skinned meshes of a file.

use std::sync::Arc;

use nalgebra::{Matrix4, Point3};
use serde_json::{Value, json};
use xform_compare::compare;
use xform_scene::{Bounds, Scene, WarningCode};

use crate::skin::farthest;
use crate::support::{
    animated::{FLOAT, uri},
    skinned::{file, read},
};

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
        ("its vertices may be in `KHR_draco_mesh_compression`", |file| {
            let primitive = &mut file["meshes"][0]["primitives"][0];
            primitive["attributes"] = json!({ "JOINTS_0": 1, "WEIGHTS_0": 2 });
            primitive["extensions"] = json!({ "KHR_draco_mesh_compression":
                { "bufferView": 0, "attributes": { "POSITION": 0 } } });
        }),
        ("cannot be decompressed (Draco)", |file| {
            file["meshes"][0]["primitives"][0]["extensions"] = json!({ "KHR_draco_mesh_compression":
                { "bufferView": 0, "attributes": { "POSITION": 0 } } });
            file["accessors"][0].as_object_mut().unwrap().remove("bufferView");
        }),
        ("accessor 1 has joints that are not unsigned integers", |file| {
            file["accessors"][1]["componentType"] = json!(5120);
        }),
        ("accessor 1 has joints that are not unsigned integers", |file| {
            file["accessors"][1]["normalized"] = json!(true);
        }),
        ("a vertex follows joint 1, but the skin has only 1", |file| {
            file["skins"][0]["joints"] = json!([0]);
        }),
        ("accessor 2 has 1 elements, but needs 2", |file| {
            file["accessors"][2]["count"] = json!(1);
        }),
        ("accessor 3 has 1 elements, but needs 2", |file| {
            file["accessors"][3]["count"] = json!(1);
        }),
        ("there is no node 7", |file| file["skins"][0]["joints"] = json!([0, 7])),
        ("accessor 3 has an unsupported component type", |file| {
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

#[test]
fn a_skinned_mesh_without_vertices_is_ignored() {
    let mut file = file();
    let empty = json!({ "componentType": 5126, "count": 0, "type": "VEC3" });
    file["accessors"].as_array_mut().unwrap().push(empty);
    let index = file["accessors"].as_array().unwrap().len() - 1;
    for attributes in [json!({}), json!({ "JOINTS_0": 1 }), json!({ "POSITION": index })] {
        file["meshes"][0]["primitives"][0]["attributes"] = attributes;
        let scene = read(&file);
        assert!(!scene.nodes.iter().any(|node| node.uses.stands_in || node.draws()));
        let codes: Vec<_> = scene.warnings.iter().map(|warning| warning.code).collect();
        assert_eq!(codes, [WarningCode::MissingBounds]);
        assert_eq!(scene.warnings[0].message, "it has no vertices, so it is ignored");
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
