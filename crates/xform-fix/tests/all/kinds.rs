//! Repairs other than baking, worked out by hand.

use nalgebra::{Matrix3, Matrix4, UnitQuaternion, Vector3};
use serde_json::{Value, json};
use xform_compare::{
    Engine, Grade,
    audit::{EngineChoice, Repairs},
};
use xform_fix::{Fix, Group, Options, RepairKind, repairs, write_fix_json, write_fix_text};
use xform_scene::gltf::GltfAsset;

use crate::{
    file::{File, fixed_with},
    worked::{CORNERS, about_z, turned_below},
};

pub(crate) fn fixed_by(repair: RepairKind, bytes: &[u8]) -> Fix {
    let mut options = Options::default();
    options.repair = repair;
    fixed_with(bytes, &options).unwrap()
}

pub(crate) fn codes(fix: &Fix) -> Vec<(usize, &'static str)> {
    let refusals = fix.groups.iter().flat_map(|group| &group.refusals);
    refusals.map(|(_, refusal)| (refusal.node, refusal.why.code())).collect()
}

pub(crate) fn keyed<const N: usize>(
    file: &mut File,
    path: &str,
    kind: &str,
    values: &[[f32; N]],
) -> usize {
    let input = file.floats(&[[0.0], [1.0]]);
    let output = file.floats(values);
    let animation = json!({
        "samplers": [{ "input": input, "output": output, "interpolation": kind }],
        "channels": [{ "sampler": 0, "target": { "node": 0, "path": path } }]
    });
    file.push("animations", animation);
    output
}

/// The sheared matrix of the scene "skewed child": scale (2, 1, 1), then 38° about z.
pub(crate) fn sheared() -> File {
    let mut file = turned_below([1.0, 1.0, 1.0]);
    let turn = about_z(38.0).to_rotation_matrix();
    let linear = Matrix3::from_diagonal(&Vector3::new(2.0, 1.0, 1.0)) * turn.matrix();
    let mut matrix = linear.to_homogeneous();
    matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&Vector3::new(2.0, 2.0, 0.0));
    file.json["nodes"][1] =
        json!({ "name": "Hand", "matrix": matrix.as_slice(), "mesh": 0, "extras": { "kept": 1 } });
    file.push("nodes", json!({ "name": "Hand_helper" }));
    file.json["scenes"] = json!([{ "nodes": [0, 2] }, { "nodes": [2] }]);
    file
}

#[test]
fn a_mesh_that_is_only_scaled_goes_to_a_leaf() {
    let mut before = turned_below([2.0, 1.0, 1.0]);
    before.json["nodes"][0]["mesh"] = json!(0);
    before.json["nodes"][0]["weights"] = json!([0.5]);
    let target = before.floats(&CORNERS);
    before.json["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": target }]);
    keyed(&mut before, "weights", "LINEAR", &[[0.0], [1.0]]);
    let fix = fixed_by(RepairKind::Leaf, &before.glb());
    assert!(fix.groups[0].is_fixed() && fix.groups[0].change.is_none());
    let after = File::of_glb(&fix.file);
    assert_eq!(
        after.json["nodes"][0],
        json!({ "name": "Arm", "scale": [1.0, 1.0, 1.0], "children": [1, 2] })
    );
    assert_eq!(
        after.json["nodes"][2],
        json!({ "name": "Arm_shape", "mesh": 0, "weights": [0.5], "scale": [2.0, 1.0, 1.0] })
    );
    assert_eq!(after.json["animations"][0]["channels"][0]["target"]["node"], 2);
    // What is turned gets a mesh of its own, and the leaf shows the old one.
    assert_eq!(after.json["nodes"][1]["mesh"], 1);
    assert_eq!(after.json["meshes"][0], before.json["meshes"][0]);
    assert_eq!(fix.remaining.grades, [Grade::Severe, Grade::Identical]);
    let proof = fix.proof.as_ref().unwrap();
    // At rest, and nothing moves; three corners with and without the target, of two nodes.
    assert_eq!((proof.positions, proof.poses), (12, 2));
    assert_eq!(fixed_by(RepairKind::Leaf, &fix.file).file, fix.file);
}

#[test]
fn what_sets_the_weights_of_a_mesh_keeps_it_from_a_leaf() {
    let mut file = turned_below([2.0, 1.0, 1.0]);
    file.json["nodes"][0]["mesh"] = json!(0);
    let pointer = json!({
        "samplers": [{ "input": 0, "output": 0 }],
        "channels": [{ "sampler": 0, "target": { "path": "pointer", "extensions": {
            "KHR_animation_pointer": { "pointer": "/nodes/0/weights" } } } }]
    });
    file.push("animations", pointer);
    assert_eq!(codes(&fixed_by(RepairKind::Leaf, &file.glb())), [(0, "pointer")]);
    assert_eq!(codes(&fixed_by(RepairKind::Bake, &file.glb())), []);
}

#[test]
fn a_uniform_scale_moves_what_the_non_uniform_one_showed() {
    let before = turned_below([2.0, 1.0, 1.0]);
    let fix = fixed_by(RepairKind::Uniform, &before.glb());
    let mean = 2.0_f64.cbrt();
    let after = File::of_glb(&fix.file);
    let scale: [f64; 3] = serde_json::from_value(after.json["nodes"][0]["scale"].clone()).unwrap();
    assert!(scale.iter().all(|factor| (factor - mean).abs() < 1e-15), "{scale:?}");
    let moved = CORNERS.iter().map(|corner| {
        let below =
            about_z(38.0) * Vector3::from(corner.map(f64::from)) + Vector3::new(0.0, 3.0, 0.0);
        (Vector3::new(2.0, 1.0, 1.0) - Vector3::repeat(mean)).component_mul(&below).norm()
    });
    let expected = moved.fold(0.0, f64::max);
    let change = fix.groups[0].change.as_ref().unwrap();
    assert!((change.largest_move - expected).abs() < 1e-6, "{change:?} {expected}");
    assert_eq!((change.positions, fix.proof.as_ref().unwrap().positions), (3, 0));
    assert_eq!(fix.remaining.nodes, [1, 0]);
    let [shifted, left] = fix.groups[0].displacement_percent;
    assert!(shifted > 5.0 && left < 1e-9, "{shifted} {left}");
    assert_eq!(after.bytes, before.bytes, "only the JSON changes");
}

#[test]
fn a_mirror_is_made_even_and_nothing_moves() {
    let mut before = turned_below([-1.0, 1.0, 1.0]);
    let quarter = std::f32::consts::FRAC_1_SQRT_2;
    let turns = [[0.0, 0.0, 0.0, 1.0], [0.0, quarter, 0.0, quarter]];
    keyed(&mut before, "rotation", "LINEAR", &turns);
    let fix = fixed_by(RepairKind::Uniform, &before.glb());
    let after = File::of_glb(&fix.file);
    assert_eq!(after.json["nodes"][0]["scale"], json!([-1.0, -1.0, -1.0]));
    assert_eq!(after.json["nodes"][0]["rotation"], json!([1.0, 0.0, 0.0, 0.0]));
    let change = fix.groups[0].change.as_ref().unwrap();
    assert!(change.largest_move < 1e-6 && change.poses == 2, "{change:?}");
    assert_eq!(fix.remaining.nodes, [1, 0]);
}

#[test]
fn scales_at_keyframes_become_even_and_splines_keep_their_slope() {
    let mut before = turned_below([1.0, 1.0, 1.0]);
    let values =
        [[0.5, 0.0, 0.0], [2.0, 1.0, 1.0], [1.0, -0.5, 2.0], [0.0; 3], [1.0, 4.0, 2.0], [0.0; 3]];
    let output = keyed(&mut before, "scale", "CUBICSPLINE", &values);
    let fix = fixed_by(RepairKind::Uniform, &before.glb());
    let after = File::of_glb(&fix.file);
    let new = after.json["animations"][0]["samplers"][0]["output"].as_u64().unwrap();
    assert_ne!(new, output as u64);
    let found = after.vectors(usize::try_from(new).unwrap());
    let mean = |scale: [f32; 3]| scale.iter().product::<f32>().cbrt();
    for (place, slope, value) in [(0, 0, 1), (2, 2, 1)] {
        let step = 1e-3;
        let ahead: [f32; 3] = std::array::from_fn(|i| values[value][i] + values[slope][i] * step);
        let expected = (mean(ahead) - mean(values[value])) / step;
        assert!((found[place][0] - expected).abs() < 1e-2, "{found:?} {expected}");
    }
    assert!((found[1][0] - mean(values[1])).abs() < 1e-6 && (found[4][0] - 2.0).abs() < 1e-6);
    assert!(found.iter().all(|&[x, y, z]| x == y && y == z), "{found:?}");
    assert_eq!(fix.remaining.nodes, [1, 0]);
}

#[test]
fn scales_that_pass_zero_or_are_flat_cannot_be_made_even() {
    for (keyframe, code) in [([-1.0, 1.0, 1.0], "through-zero"), ([0.0, 1.0, 1.0], "through-zero")]
    {
        let mut file = turned_below([2.0, 1.0, 1.0]);
        keyed(&mut file, "scale", "LINEAR", &[[2.0, 1.0, 1.0], keyframe]);
        assert_eq!(codes(&fixed_by(RepairKind::Uniform, &file.glb())), [(0, code)]);
    }
    let flat = turned_below([0.0, 1.0, 1.0]);
    assert_eq!(codes(&fixed_by(RepairKind::Uniform, &flat.glb())), [(1, "flat"), (0, "flat")]);
    let mut both = sheared();
    both.json["nodes"][0]["scale"] = json!([2.0, 1.0, 1.0]);
    assert_eq!(codes(&fixed_by(RepairKind::Uniform, &both.glb())), [(1, "sheared")]);
}

/// What commutes with everything below it makes no difference, and is left as it is.
#[test]
fn a_scale_that_nothing_is_turned_against_stays() {
    let mut file = turned_below([3.0, 3.0, 1.0]);
    let [hand] = [json!({ "scale": [2.0, 1.0, 1.0], "children": [1] })];
    file.push("nodes", hand);
    file.json["nodes"][0]["children"] = json!([2]);
    let fix = fixed_by(RepairKind::Uniform, &file.glb());
    assert_eq!(fix.groups.iter().map(|group| group.top).collect::<Vec<_>>(), [2]);
    assert_eq!(fix.remaining.nodes, [1, 0]);
    assert_eq!(File::of_glb(&fix.file).json["nodes"][0]["scale"], json!([3.0, 3.0, 1.0]));
}

/// O3DE passes no non-uniform scale on, whether anything is turned or not.
#[test]
fn a_scale_that_an_engine_does_not_pass_on_is_made_uniform() {
    let mut file = turned_below([3.0, 3.0, 1.0]);
    file.json["nodes"][1].as_object_mut().unwrap().remove("rotation");
    let fixed = |engine: &str| {
        let mut options = Options::default();
        options.repair = RepairKind::Uniform;
        options.engines = EngineChoice::named(vec![Engine::named(engine).unwrap()], None);
        fixed_with(&file.glb(), &options).unwrap()
    };
    assert_eq!(fixed("unreal").groups, []);
    let fix = fixed("o3de");
    assert_eq!(fix.groups.iter().map(|group| group.top).collect::<Vec<_>>(), [0]);
    assert_eq!(fix.remaining.nodes, [1, 0]);
}

/// With a sheared matrix in the file it is not known what O3DE shows. Without it, it is known, and #2 differs there alone.
#[test]
fn what_is_known_only_after_a_repair_is_repaired_in_the_same_run() {
    let mut file = turned_below([1.0, 1.0, 1.0]);
    file.json["scenes"] = json!([{ "nodes": [0, 2] }]);
    file.json["nodes"] = json!([
        { "matrix": [2.854, 0, 0, 0, -1.25, 1.497, 0, 0, 0.97, 0.645, 1.767, 0, 0, 0, 0, 1], "children": [1], "mesh": 0 },
        { "rotation": [0.6, 0.0, 0.0, 0.8], "mesh": 0 },
        { "scale": [2.099, 2.029, 2.099], "children": [3], "mesh": 0 },
        { "scale": [0.959, 0.354, 1.216], "mesh": 0 }
    ]);
    let engines = ["unreal", "o3de"].map(|engine| Engine::named(engine).unwrap());
    for repair in [RepairKind::Bake, RepairKind::Leaf] {
        let mut options = Options::default();
        (options.repair, options.engines) = (repair, EngineChoice::named(engines.to_vec(), None));
        let fix = fixed_with(&file.glb(), &options).unwrap();
        let fixed = fix.groups.iter().filter(|group| group.is_fixed());
        assert_eq!(fixed.map(|group| group.top).collect::<Vec<_>>(), [0, 2], "{repair:?}");
        // Before, as far as it was known: after the repair of #0.
        assert!(fix.groups[1].displacement_percent[0] > 20.0);
        assert!(fix.groups[1].displacement_percent[1] < 1e-4, "{:?}", fix.groups[1]);
        assert!(fixed_with(&fix.file, &options).unwrap().file == fix.file, "{repair:?}");
        // What somebody asks for alone stays alone.
        options.only = Some("0".to_owned());
        let alone = fixed_with(&file.glb(), &options).unwrap();
        assert_eq!(alone.groups.len(), 1, "{repair:?}");
    }
}

/// A leaf is not the top of another one, though something above it, almost uniform, makes it differ.
#[test]
fn a_leaf_gets_no_leaf() {
    let mut file = turned_below([1.0, 1.0, 1.0]);
    file.json["scenes"] = json!([{ "nodes": [0] }]);
    file.json["nodes"] = json!([
        { "scale": [1.000008, 1.0, 1.0], "children": [1] },
        { "rotation": [0.0, 0.0, 0.6, 0.8], "scale": [1.0, 2.0, 1.0], "children": [2], "mesh": 0 },
        { "rotation": [0.6, 0.0, 0.0, 0.8], "mesh": 0 }
    ]);
    let fix = fixed_by(RepairKind::Leaf, &file.glb());
    assert!(fix.groups[0].is_fixed());
    let again = fixed_by(RepairKind::Leaf, &fix.file);
    assert!(again.file == fix.file, "{:?}", again.groups);
}

/// The scene becomes smaller, and what was less than a millionth of it is more.
#[test]
fn what_differs_only_in_the_smaller_scene_is_made_uniform_in_the_same_run() {
    let mut file = turned_below([1.0, 1.0, 1.0]);
    file.json["scenes"] = json!([{ "nodes": [0, 2] }]);
    file.json["nodes"] = json!([
        { "scale": [1e4, 1.0, 1.0], "children": [1] },
        { "rotation": [0.0, 0.0, 0.6, 0.8], "mesh": 0 },
        { "scale": [1.0, 1.0001, 1.0], "children": [3] },
        { "rotation": [0.0, 0.0, 0.6, 0.8], "mesh": 0 }
    ]);
    let fix = fixed_by(RepairKind::Uniform, &file.glb());
    let fixed = fix.groups.iter().filter(|group| group.is_fixed());
    assert_eq!(fixed.map(|group| group.top).collect::<Vec<_>>(), [0, 2]);
    assert!(fixed_by(RepairKind::Uniform, &fix.file).file == fix.file);
}

/// How far an animation moves what a uniform scale changes is part of that change.
#[test]
fn a_uniform_scale_is_refused_where_a_motion_cannot_be_measured() {
    for moved in [0, 1, 2] {
        let mut file = turned_below([1.0, 2.0, 1.0]);
        let top = file.push("nodes", json!({ "children": [0] }));
        file.json["scenes"] = json!([{ "nodes": [top] }]);
        let input = file.push(
            "accessors",
            json!({ "bufferView": 9, "componentType": 5126, "count": 1, "type": "SCALAR" }),
        );
        file.push(
            "animations",
            json!({
                "samplers": [{ "input": input, "output": input }],
                "channels": [{ "sampler": 0, "target": { "node": moved, "path": "translation" } }]
            }),
        );
        file.json["bufferViews"]
            .as_array_mut()
            .unwrap()
            .resize(10, json!({ "buffer": 0, "byteOffset": 1 << 20, "byteLength": 4 }));
        let fix = fixed_by(RepairKind::Uniform, &file.glb());
        assert_eq!(codes(&fix), [(moved, "unread-animation")]);
        assert!(fix.file == file.glb());
    }
}

/// The turn is in the buffers: the node itself has none.
#[test]
fn a_scale_that_instances_are_turned_against_is_named() {
    let mut file = turned_below([2.0, 1.0, 1.0]);
    file.json["nodes"][1].as_object_mut().unwrap().remove("rotation");
    assert_eq!(fixed_by(RepairKind::Uniform, &file.glb()).groups, []);
    let turns = file.floats(&[[0.0, 0.0, 0.6, 0.8]]);
    file.json["nodes"][1]["extensions"] =
        json!({ "EXT_mesh_gpu_instancing": { "attributes": { "ROTATION": turns } } });
    let fix = fixed_by(RepairKind::Uniform, &file.glb());
    assert_eq!(codes(&fix), [(1, "instancing")]);
    assert_eq!((fix.groups[0].top, fix.remaining.nodes), (0, [1, 1]));
}

/// What cannot be read cannot be proved, whether the repair itself needs it or not.
#[test]
fn no_repair_is_foretold_where_a_buffer_is_missing() {
    let bytes = turned_below([2.0, 1.0, 1.0]).glb();
    let whole = GltfAsset::read(&bytes, None).unwrap();
    let lost = GltfAsset::new(whole.json(), vec![Err("there is no such file".to_owned())]);
    let foretold =
        |asset: &GltfAsset| repairs(&bytes, asset, "test", &EngineChoice::strategies()).unwrap();
    assert_eq!(foretold(&whole).uniform, [0]);
    assert_eq!(foretold(&lost), Repairs::default());
}

#[test]
fn a_helper_node_makes_a_sheared_matrix_of_two_poses() {
    let before = sheared();
    let fix = fixed_by(RepairKind::Helper, &before.glb());
    let after = File::of_glb(&fix.file);
    assert_eq!(after.json["nodes"][0]["children"], json!([3]));
    let helper = &after.json["nodes"][3];
    // Another node has the first name.
    assert_eq!((&helper["name"], &helper["children"]), (&json!("Hand_helper_2"), &json!([1])));
    assert_eq!(helper["translation"], json!([2.0, 2.0, 0.0]));
    let hand = after.json["nodes"][1].as_object().unwrap();
    assert_eq!(hand.keys().collect::<Vec<_>>(), ["extras", "mesh", "name", "rotation"]);
    for (old, new) in before.shown(None, None)[1].iter().zip(&after.shown(None, None)[1]) {
        assert!((old.position - new.position).norm() < 1e-12);
    }
    assert!(fix.proof.as_ref().unwrap().largest_move_of_scene() < 1e-12);
    assert_eq!(fixed_by(RepairKind::Helper, &fix.file).file, fix.file, "nothing is sheared now");
}

#[test]
fn a_helper_node_takes_the_place_of_a_root() {
    let mut file = sheared();
    file.json["nodes"][0]["children"] = json!([]);
    file.json["nodes"][0].as_object_mut().unwrap().remove("children");
    file.json["scenes"] = json!([{ "nodes": [0, 1] }, { "nodes": [1, 2] }]);
    let fix = fixed_by(RepairKind::Helper, &file.glb());
    let after = File::of_glb(&fix.file);
    assert_eq!(after.json["scenes"], json!([{ "nodes": [0, 3] }, { "nodes": [3, 2] }]));
}

/// The golden scene: rotation 36.344916°, scale (1.6343, 1.36445, 1), relative distance 0.279089.
#[test]
fn the_nearest_pose_of_a_sheared_matrix_is_the_golden_one() {
    let fix = fixed_by(RepairKind::Nearest, &sheared().glb());
    let after = File::of_glb(&fix.file);
    let hand = &after.json["nodes"][1];
    let numbers = |name: &str| -> Vec<f64> { serde_json::from_value(hand[name].clone()).unwrap() };
    assert!(hand["matrix"].is_null() && numbers("translation") == [2.0, 2.0, 0.0]);
    let [x, y, z, w] = numbers("rotation").try_into().unwrap();
    let turn = UnitQuaternion::new_normalize(nalgebra::Quaternion::new(w, x, y, z));
    assert!((turn.angle().to_degrees() - 36.344916).abs() < 1e-5);
    let scale = Vector3::from_column_slice(&numbers("scale"));
    assert!((scale - Vector3::new(1.6343, 1.36445, 1.0)).amax() < 1e-4, "{scale}");
    // The farthest corner moves by what the two maps differ.
    let old = Matrix3::from_diagonal(&Vector3::new(2.0, 1.0, 1.0))
        * about_z(38.0).to_rotation_matrix().matrix();
    let new = turn.to_rotation_matrix().matrix() * Matrix3::from_diagonal(&scale);
    let moved = CORNERS.map(|corner| ((old - new) * Vector3::from(corner.map(f64::from))).norm());
    let change = fix.groups[0].change.as_ref().unwrap();
    assert!((change.largest_move - moved.into_iter().fold(0.0, f64::max)).abs() < 1e-9);
    assert_eq!(fix.remaining.nodes, [1, 0]);
}

#[test]
fn only_what_is_named_is_made_even() {
    let mut file = turned_below([2.0, 1.0, 1.0]);
    file.push("nodes", json!({ "name": "Above", "scale": [1.0, 3.0, 1.0], "children": [0] }));
    let mut options = Options::default();
    options.repair = RepairKind::Uniform;
    for (only, expected) in
        [("Arm", [true, false]), ("Above", [false, true]), ("Hand", [true, true])]
    {
        options.only = Some(only.to_owned());
        let fix = fixed_with(&file.glb(), &options).unwrap();
        assert_eq!(fix.groups.iter().map(Group::is_fixed).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn each_kind_is_told_and_written_as_its_schema_says() {
    let schema: Value =
        serde_json::from_str(include_str!("../../../../docs/fix.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let told = [
        (RepairKind::Leaf, turned_below([2.0, 1.0, 1.0]), "new nodes without children"),
        (RepairKind::Uniform, turned_below([2.0, 1.0, 1.0]), "Made uniform: the scale of \"Arm\"."),
        (RepairKind::Helper, sheared(), "\"Arm/Hand\" is now split between it and a new node"),
        (
            RepairKind::Nearest,
            sheared(),
            "Converted to translation, rotation and scale: the sheared matrix",
        ),
        (RepairKind::Nearest, turned_below([2.0, 1.0, 1.0]), "no node has a sheared matrix"),
    ];
    for (kind, file, expected) in told {
        let fix = fixed_by(kind, &file.glb());
        let (mut text, mut json) = (Vec::new(), Vec::new());
        write_fix_text(&fix, "in.glb", Some("out.glb"), &mut text).unwrap();
        write_fix_json(&fix, "in.glb", Some("out.glb"), &mut json).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(expected), "{text}");
        let json: Value = serde_json::from_slice(&json).unwrap();
        let errors: Vec<_> = validator.iter_errors(&json).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}: {json}");
        assert_eq!(json["repair"], kind.name());
        let moves = fix.groups.first().is_some_and(|_| !kind.is_exact());
        assert_eq!(!json["groups"][0]["change"].is_null(), moves, "{json}");
    }
}

#[test]
fn a_motion_that_cannot_be_baked_can_be_made_even() {
    let mut file = turned_below([2.0, 1.0, 1.0]);
    let output = file.floats(&[[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]]);
    let input = file.floats(&[[0.0], [1.0]]);
    let animation = json!({ "samplers": [{ "input": input, "output": output }],
        "channels": [{ "sampler": 0, "target": { "node": 1, "path": "rotation" } }] });
    file.push("animations", animation);
    let refused = fixed_by(RepairKind::Bake, &file.glb());
    let mut text = Vec::new();
    write_fix_text(&refused, "in.glb", None, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("`--repair uniform --dry-run` shows how much"), "{text}");
    assert_eq!(fixed_by(RepairKind::Uniform, &file.glb()).remaining.nodes, [1, 0]);
}

/// Vertices that cannot be read are no reason to fail where they need not be changed, and none to write what is not proved.
#[test]
fn what_cannot_be_read_is_refused_by_every_kind() {
    for kind in [RepairKind::Bake, RepairKind::Leaf, RepairKind::Uniform] {
        let mut file = turned_below([2.0, 1.0, 1.0]);
        file.json["accessors"][0]["count"] = json!(4000);
        let fix = fixed_by(kind, &file.glb());
        assert!(matches!(codes(&fix)[..], [(_, "unread")]), "{:?}", fix.groups);
        assert_eq!(fix.file, file.glb());
    }
    let mut file = sheared();
    file.json["accessors"][0]["count"] = json!(4000);
    for kind in [RepairKind::Helper, RepairKind::Nearest] {
        assert!(matches!(codes(&fixed_by(kind, &file.glb()))[..], [(1, "unread")]));
    }
}

/// A sheared matrix that hangs below another one.
#[test]
fn sheared_matrices_below_one_another_are_each_repaired() {
    let mut file = sheared();
    let matrix = file.json["nodes"][1]["matrix"].clone();
    file.json["nodes"][1]["children"] = json!([2]);
    file.json["nodes"][2] = json!({ "name": "Finger", "matrix": matrix, "mesh": 0 });
    file.json["scenes"] = json!([{ "nodes": [0] }]);
    for kind in [RepairKind::Helper, RepairKind::Nearest] {
        let fix = fixed_by(kind, &file.glb());
        let fixed: Vec<_> = fix.groups.iter().map(|group| (group.top, group.is_fixed())).collect();
        assert_eq!(fixed, [(1, true), (2, true)]);
        let after = File::of_glb(&fix.file);
        let is_matrix = |node: &Value| node["matrix"].is_array();
        assert!(!after.json["nodes"].as_array().unwrap().iter().any(is_matrix));
        if kind == RepairKind::Helper {
            let world = Matrix4::from_iterator(
                file.json["nodes"][1]["matrix"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|n| n.as_f64().unwrap()),
            );
            let corner = Vector3::from(CORNERS[0].map(f64::from)).push(1.0);
            let expected = (world * world * corner).xyz();
            assert!((after.shown(None, None)[2][0].position - expected).norm() < 1e-12);
        }
    }
}
