//! Repairs other than baking of odd files: obstacles, tangents, what is flat, names.

use serde_json::json;
use xform_fix::RepairKind;

use crate::{
    file::File,
    kinds::{codes, fixed_by, keyed, sheared},
    worked::{CORNERS, turned_below},
};

#[test]
fn what_moves_without_being_a_vertex_keeps_scales_as_they_are() {
    for kind in [RepairKind::Bake, RepairKind::Uniform] {
        for (member, value, code) in [
            ("camera", json!(0), "camera"),
            ("extensions", json!({ "KHR_lights_punctual": { "light": 0 } }), "light"),
            (
                "extensions",
                json!({ "EXT_mesh_gpu_instancing": { "attributes": {} } }),
                "instancing",
            ),
            ("extensions", json!({ "ACME_spring": {} }), "extension"),
        ] {
            let mut file = turned_below([2.0, 1.0, 1.0]);
            file.json["nodes"][1][member] = value;
            assert_eq!(codes(&fixed_by(kind, &file.glb())), [(1, code)]);
        }
        let mut file = turned_below([2.0, 1.0, 1.0]);
        file.json["extensions"] = json!({ "VRMC_vrm": {} });
        assert_eq!(codes(&fixed_by(kind, &file.glb())), [(0, "avatar")]);
    }
}

/// What sets the weights of a mesh sets none of its copy.
#[test]
fn a_mesh_that_a_pointer_sets_is_not_copied() {
    let mut file = turned_below([2.0, 1.0, 1.0]);
    let target = file.floats(&CORNERS);
    file.json["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": target }]);
    let pointer = json!({
        "samplers": [{ "input": 0, "output": 0 }],
        "channels": [{ "sampler": 0, "target": { "path": "pointer", "extensions": {
            "KHR_animation_pointer": { "pointer": "/meshes/0/weights" } } } }]
    });
    file.push("animations", pointer);
    assert_eq!(codes(&fixed_by(RepairKind::Bake, &file.glb())), [], "it is changed in its place");
    file.push("nodes", json!({ "mesh": 0 }));
    for kind in [RepairKind::Bake, RepairKind::Leaf] {
        assert_eq!(codes(&fixed_by(kind, &file.glb())), [(1, "pointer")]);
    }
}

/// Scales that are uniform at each keyframe and not between them, and turns that only tangents make.
#[test]
fn tangents_make_scales_non_uniform_and_turns() {
    let mut file = turned_below([1.0, 1.0, 1.0]);
    let values = [[0.0; 3], [1.0; 3], [6.0, 0.0, 0.0], [-6.0, 0.0, 0.0], [1.0; 3], [0.0; 3]];
    keyed(&mut file, "scale", "CUBICSPLINE", &values);
    assert_eq!(codes(&fixed_by(RepairKind::Bake, &file.glb())), [(0, "moving-scale")]);
    assert_eq!(fixed_by(RepairKind::Uniform, &file.glb()).remaining.nodes, [1, 0]);
    let mut turned = turned_below([1.0, 1.0, 2.0]);
    turned.json["nodes"][1]["rotation"] = json!([0.0, 0.0, 0.0, 1.0]);
    let still = [0.0, 0.0, 0.0, 1.0];
    let turns = [[0.0; 4], still, [3.0, 0.0, 0.0, 0.0], [-3.0, 0.0, 0.0, 0.0], still, [0.0; 4]];
    keyed(&mut turned, "rotation", "CUBICSPLINE", &turns);
    turned.json["animations"][0]["channels"][0]["target"]["node"] = json!(1);
    assert_eq!(fixed_by(RepairKind::Uniform, &turned.glb()).remaining.nodes, [1, 0]);
}

#[test]
fn scales_are_compared_two_by_two() {
    let fix = fixed_by(RepairKind::Uniform, &turned_below([1e-4, 3e-4, 1.0]).glb());
    assert_eq!(fix.groups.len(), 1, "x and y are apart however large z is");
}

#[test]
fn what_is_flat_below_is_refused_and_not_unproved() {
    let mut file = turned_below([2.0, 1.0, 1.0]);
    file.json["nodes"][1]["scale"] = json!([0.0, 1.0, 1.0]);
    assert_eq!(codes(&fixed_by(RepairKind::Uniform, &file.glb())), [(1, "flat")]);
    let mut flat = sheared();
    let columns = [1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    flat.json["nodes"][1]["matrix"] = json!(columns);
    for kind in [RepairKind::Helper, RepairKind::Nearest] {
        assert!(codes(&fixed_by(kind, &flat.glb())).iter().all(|&found| found == (1, "flat")));
    }
}

/// What is skinned does not follow its node, so the matrix of that does not matter.
#[test]
fn the_matrix_of_a_skinned_mesh_needs_no_helper() {
    let mut file = sheared();
    let joints = file.shorts(&[[0_u16; 4]; 3]);
    let weights = file.floats(&[[1.0, 0.0, 0.0, 0.0]; 3]);
    let attributes = &mut file.json["meshes"][0]["primitives"][0]["attributes"];
    (attributes["JOINTS_0"], attributes["WEIGHTS_0"]) = (json!(joints), json!(weights));
    file.push("skins", json!({ "joints": [0] }));
    file.json["nodes"][1]["skin"] = json!(0);
    for kind in [RepairKind::Helper, RepairKind::Nearest] {
        assert!(fixed_by(kind, &file.glb()).groups.is_empty());
    }
}

/// A bake below thousands of nodes of one name takes no longer than below as many of other names.
#[test]
fn many_leaves_of_one_name_have_names_of_their_own() {
    let mut file = turned_below([2.0, 1.0, 1.0]);
    let arm = |index: usize| json!({ "name": "Arm", "mesh": 0, "translation": [0, index, 0] });
    let children: Vec<_> = (0..3000).map(|index| file.push("nodes", arm(index))).collect();
    file.json["nodes"][0]["children"] =
        json!(std::iter::once(1).chain(children).collect::<Vec<_>>());
    let after = File::of_glb(&fixed_by(RepairKind::Leaf, &file.glb()).file);
    let names =
        after.json["nodes"].as_array().unwrap().iter().filter_map(|node| node["name"].as_str());
    let leaves: Vec<_> = names.filter(|name| name.starts_with("Arm_shape")).collect();
    let distinct: std::collections::HashSet<_> = leaves.iter().collect();
    assert_eq!((leaves.len(), distinct.len()), (3000, 3000));
}

/// Half a turn comes before the turn that a node has.
#[test]
fn a_mirror_that_is_turned_is_made_even_and_nothing_moves() {
    for scale in [[-2.0, 2.0, 2.0], [2.0, -2.0, 2.0], [-2.0, 2.0, -2.0]] {
        let mut file = turned_below(scale);
        file.json["nodes"][0]["rotation"] = json!([0.5, 0.5, 0.5, 0.5]);
        let fix = fixed_by(RepairKind::Uniform, &file.glb());
        let change = fix.groups[0].change.as_ref().unwrap();
        assert!(change.largest_move < 1e-12, "{scale:?}: {change:?}");
        assert_eq!(fix.remaining.nodes, [1, 0]);
    }
}

/// What is drawn may be turned by something between it and the scale.
#[test]
fn a_turn_between_a_scale_and_what_is_drawn_counts() {
    let mut file = turned_below([2.0, 1.0, 1.0]);
    let shown = file.push("nodes", json!({ "name": "Finger", "mesh": 0 }));
    let hand = file.json["nodes"][1].as_object_mut().unwrap();
    hand.remove("mesh");
    hand.insert("children".to_owned(), json!([shown]));
    let fix = fixed_by(RepairKind::Uniform, &file.glb());
    assert_eq!((fix.groups.len(), fix.remaining.nodes), (1, [1, 0]));
}
