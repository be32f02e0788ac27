//! What is refused, and what is no glTF.

use serde_json::{Value, json};
use xform_fix::{Fix, FixError, Options};
use xform_scene::gltf::GltfError;

use crate::{
    file::{File, fixed, fixed_with},
    worked::turned_below,
};

/// What the repair of a non-uniform scale says where the file is changed in a way.
fn refused(change: impl FnOnce(&mut File)) -> Vec<(usize, &'static str)> {
    let mut file = turned_below([2.0, 1.0, 1.0]);
    change(&mut file);
    let glb = file.glb();
    let fix = fixed(&glb);
    assert!(fix.file == glb && fix.proof.is_none(), "nothing is changed");
    codes(&fix)
}

fn codes(fix: &Fix) -> Vec<(usize, &'static str)> {
    let refusals = fix.groups.iter().flat_map(|group| &group.refusals);
    refusals.map(|(_, refusal)| (refusal.node, refusal.why.code())).collect()
}

/// Keyframes of a property of a node, one second apart.
fn keyed<const N: usize>(file: &mut File, node: usize, path: &str, values: &[[f32; N]]) {
    let times: Vec<_> = values.iter().zip([0.0, 1.0, 2.0]).map(|(_, time)| [time]).collect();
    let (input, output) = (file.floats(&times), file.floats(values));
    file.push(
        "animations",
        json!({
            "samplers": [{ "input": input, "output": output }],
            "channels": [{ "sampler": 0, "target": { "node": node, "path": path } }]
        }),
    );
}

#[test]
fn what_moves_is_refused() {
    let turns = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]];
    let rotation = refused(|file| keyed(file, 1, "rotation", &turns));
    assert_eq!(rotation, [(1, "moving-rotation")]);
    let scales = [[2.0, 1.0, 1.0], [1.0, 1.0, 3.0]];
    assert_eq!(refused(|file| keyed(file, 0, "scale", &scales)), [(0, "moving-scale")]);
    let pointer = |node: usize, property: &str| {
        json!({
            "samplers": [{ "input": 0, "output": 0 }],
            "channels": [{ "sampler": 0, "target": { "path": "pointer", "extensions": {
                "KHR_animation_pointer": { "pointer": format!("/nodes/{node}/{property}") } } } }]
        })
    };
    for (node, property) in [(0, "scale"), (1, "scale"), (1, "rotation"), (1, "translation")] {
        let found = refused(|file| _ = file.push("animations", pointer(node, property)));
        // Its values are of another type, too.
        assert_eq!(found, [(node, "unread-animation"), (node, "pointer")], "{property}");
    }
}

#[test]
fn the_top_may_move_and_below_it_what_slides() {
    for (node, path) in [(0, "translation"), (1, "translation")] {
        let mut file = turned_below([2.0, 1.0, 1.0]);
        keyed(&mut file, node, path, &[[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]);
        assert!(fixed(&file.glb()).proof.is_some(), "{node} {path}");
    }
    let mut file = turned_below([2.0, 1.0, 1.0]);
    keyed(&mut file, 0, "rotation", &[[0.0, 0.0, 0.0, 1.0], [0.0, 0.6, 0.8, 0.0]]);
    let fix = fixed(&file.glb());
    assert!(fix.proof.unwrap().poses > 1);
}

fn behaviour(operation: &str, node: &Value) -> Value {
    json!({ "KHR_interactivity": { "graphs": [{
        "declarations": [{ "op": "math/add" }, { "op": operation }],
        "nodes": [{
            "declaration": 1,
            "configuration": { "pointer": { "value": ["/nodes/{which}/rotation"] } },
            "values": { "which": node }
        }]
    }] } })
}

#[test]
fn what_a_behaviour_sets_is_refused() {
    let with = |operation: &str, node: Value| {
        let operation = operation.to_owned();
        move |file: &mut File| file.json["extensions"] = behaviour(&operation, &node)
    };
    assert_eq!(refused(with("pointer/set", json!({ "value": [1] }))), [(1, "pointer")]);
    // Which node it is turns out only at run time.
    let any = json!({ "node": 7, "socket": "value" });
    assert_eq!(refused(with("pointer/interpolate", any)), [(1, "pointer")]);
    // The rotation of the top is not touched, and reading does not hurt.
    for (operation, node) in [("pointer/set", 0), ("pointer/get", 1)] {
        let mut file = turned_below([2.0, 1.0, 1.0]);
        with(operation, json!({ "value": [node] }))(&mut file);
        assert!(fixed(&file.glb()).proof.is_some(), "{operation}");
    }
}

#[test]
fn what_hangs_on_a_node_is_refused() {
    let on_node = |extension: &str| {
        let extension = extension.to_owned();
        move |file: &mut File| {
            file.json["nodes"][1]["extensions"] = json!({ extension: { "light": 0 } });
        }
    };
    assert_eq!(refused(on_node("KHR_lights_punctual")), [(1, "light")]);
    assert_eq!(refused(on_node("EXT_mesh_gpu_instancing")), [(1, "instancing")]);
    assert_eq!(refused(on_node("ACME_cloth")), [(1, "extension")]);
    assert_eq!(refused(|file| file.json["nodes"][0]["camera"] = json!(0)), [(0, "camera")]);
    let avatar = |file: &mut File| file.json["extensions"] = json!({ "VRMC_vrm": {} });
    assert_eq!(refused(avatar), [(0, "avatar")]);
}

#[test]
fn what_a_mesh_cannot_do_is_refused() {
    let with = |pointer: &'static str, value: Value| {
        move |file: &mut File| {
            let (at, name) = pointer.rsplit_once('/').unwrap();
            file.json.pointer_mut(at).unwrap()[name] = value;
        }
    };
    let primitive = "/meshes/0/primitives/0/extensions";
    let draco = json!({ "KHR_draco_mesh_compression": { "bufferView": 0, "attributes": {} } });
    assert_eq!(refused(with(primitive, draco)), [(1, "draco")]);
    let splats = json!({ "KHR_gaussian_splatting": {} });
    assert_eq!(refused(with(primitive, splats)), [(1, "extension")]);
    let manifold = json!({ "EXT_mesh_manifold": {} });
    assert_eq!(refused(with("/meshes/0/extensions", manifold)), [(1, "extension")]);
    let thick = |file: &mut File| {
        file.json["materials"] =
            json!([{ "extensions": { "KHR_materials_volume": { "thicknessFactor": 0.1 } } }]);
        file.json["meshes"][0]["primitives"][0]["material"] = json!(0);
    };
    assert_eq!(refused(thick), [(1, "thickness")]);
    let missing = |file: &mut File| {
        file.json["bufferViews"][0]["byteLength"] = json!(35);
    };
    assert_eq!(refused(missing), [(1, "unread")]);
    let infinite = |file: &mut File| file.bytes[..4].copy_from_slice(&f32::INFINITY.to_le_bytes());
    assert_eq!(refused(infinite), [(1, "not-finite")]);
}

#[test]
fn odd_poses_are_refused() {
    let flat = |file: &mut File| file.json["nodes"][1]["scale"] = json!([1.0, 1.0, 0.0]);
    assert_eq!(refused(flat), [(1, "flat")]);
    let long = |file: &mut File| file.json["nodes"][1]["rotation"] = json!([0.0, 0.0, 1.0, 1.0]);
    assert_eq!(refused(long), [(1, "odd-rotation")]);
}

#[test]
fn a_group_is_done_as_a_whole_and_others_are_done() {
    let mut file = turned_below([2.0, 1.0, 1.0]);
    file.json["nodes"][1]["camera"] = json!(0);
    let turn: Value = file.json["nodes"][1]["rotation"].clone();
    file.push("nodes", json!({ "name": "Leg", "scale": [1.0, 3.0, 1.0], "children": [3] }));
    file.push("nodes", json!({ "name": "Foot", "rotation": turn, "mesh": 0 }));
    let fix = fixed(&file.glb());
    assert_eq!(codes(&fix), [(1, "camera")]);
    let after = File::of_glb(&fix.file);
    assert_eq!(after.json["nodes"][0], file.json["nodes"][0]);
    assert_eq!(after.json["nodes"][1], file.json["nodes"][1]);
    assert_eq!(after.json["nodes"][2]["scale"], json!([1.0, 1.0, 1.0]));
    assert_eq!(fix.remaining.nodes, [2, 1]);
}

#[test]
fn what_is_no_gltf_is_an_error() {
    let error = |bytes: &[u8]| fixed_with(bytes, &Options::default()).unwrap_err();
    let FixError::Gltf(errors) = error(b"") else { panic!() };
    assert!(matches!(errors.first(), GltfError::Empty));
    let latin = b"{ \"asset\": { \"version\": \"2.0\", \"generator\": \"\xE9\" } }";
    assert!(error(latin).to_string().contains("utf-8"), "{}", error(latin));
}

#[test]
fn what_is_in_two_places_or_not_seen_is_refused() {
    let listed = |file: &mut File| _ = file.push("scenes", json!({ "nodes": [0, 1] }));
    assert_eq!(refused(listed), [(1, "two-places")]);
    // A matrix that is moved all the same is no glTF, and some programs move it.
    let matrix = |file: &mut File| {
        let node = file.json["nodes"][0].as_object_mut().unwrap();
        node.remove("scale");
        node.insert("matrix".to_owned(), json!([2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]));
        keyed(file, 0, "translation", &[[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]);
    };
    assert_eq!(refused(matrix), [(0, "unread-animation")]);
}

#[test]
fn a_uniform_scale_may_move() {
    let mut file = turned_below([2.0, 1.0, 1.0]);
    file.json["nodes"][1]["scale"] = json!([1.5, 1.5, 1.5]);
    keyed(&mut file, 1, "scale", &[[1.5; 3], [3.0; 3]]);
    let fix = fixed(&file.glb());
    assert!(fix.proof.unwrap().poses > 1);
    assert_eq!(File::of_glb(&fix.file).json["nodes"][1]["scale"], json!([1.5, 1.5, 1.5]));
    assert_eq!(
        refused(|file| keyed(file, 1, "scale", &[[1.0; 3], [1.0, 2.0, 1.0]])),
        [(1, "moving-scale")]
    );
}

#[test]
fn what_nothing_is_drawn_of_is_left() {
    let mut file = turned_below([2.0, 1.0, 1.0]);
    file.json["nodes"][1].as_object_mut().unwrap().remove("mesh");
    file.push("nodes", json!({ "mesh": 0 }));
    let glb = file.glb();
    let fix = fixed(&glb);
    assert!(fix.file == glb && fix.groups.is_empty());
}

#[test]
fn a_small_file_does_not_become_a_huge_one() {
    let mut file = turned_below([2.0, 1.0, 1.0]);
    let many: Vec<_> = (0..20_000).map(|i| [i as f32; 3]).collect();
    let positions = file.floats(&many);
    file.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(positions);
    for i in 0..400 {
        let half = f64::from(i) * 0.003;
        let turn = [0.0, 0.0, half.sin(), half.cos()];
        let node = file.push("nodes", json!({ "mesh": 0, "rotation": turn }));
        file.json["nodes"][0]["children"].as_array_mut().unwrap().push(json!(node));
    }
    let glb = file.glb();
    let fix = fixed(&glb);
    assert!(fix.file == glb && codes(&fix).iter().all(|(_, code)| *code == "too-much"));
    assert!(!fix.groups[0].refusals.is_empty());
}
