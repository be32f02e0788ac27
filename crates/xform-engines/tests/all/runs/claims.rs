//! The list of runs, and the rule that is claimed of each.

use xform_engines::{
    Getters, KeepWorld, SwitchRule,
    fbx::{self, InheritType},
    kit,
};

use super::{
    F32, MODES, Rule, engine, given, imported, kept, switched, switched_one_by_one, unrotated,
};
use crate::answers::{Scene, SceneNode, nodes};

/// What the rounding of `f64` comes to in these scenes.
const F64: f64 = 1e-14;

/// Skinned nodes, which importers put elsewhere.
const SKIN: &[&str] = &["skin"];
/// A scale of zero, which exporters of Blender and its importer of FBX replace.
const ZERO: &[&str] = &["zero"];
/// Those, and an animation, of which Blender shows the first frame.
const BLENDER_GLTF: &[&str] = &["skin", "anim"];
const BLENDER_ROUNDTRIP: &[&str] = &["skin", "anim", "zero"];

/// What becomes of rounding in the FBXLoader of three.js: it stretches a chain of nodes up to a million times, and with it the last digits
/// of the degrees in a file.
fn loader_rounding(types: &str) -> f64 {
    match types {
        "i0" => 1e-9,
        "mix" => 1e-11,
        _ => 1e-12,
    }
}

/// All runs that a rule is claimed for.
pub(crate) fn rules() -> Vec<Rule> {
    let parts: [fn() -> Vec<Rule>; 6] = [worlds, imports, kept_worlds, switches, bones, fbx_files];
    parts.into_iter().flat_map(|part| part()).collect()
}

/// Hierarchies that were built by calls.
fn worlds() -> Vec<Rule> {
    let kept = "matrices multiplied";
    let taken_apart = "matrices multiplied; a sheared one taken apart when it is set";
    let of = |id: &str, bound| Rule::new(format!("{id}/api"), kept, given(id)).within(bound);
    let exact = ["three", "usd", "osg"].map(|id| of(id, F64));
    let rounded = ["playcanvas", "galacean", "filament", "godot", "panda3d", "irrlicht"];
    let rounded = rounded.map(|id| of(id, F32));
    let decomposing = [
        ("babylon", "babylon/api"),
        ("bevy", "bevy/api"),
        ("unity", "unity-mathematics/api"),
        ("blender", "blender52/api"),
        ("blender", "blender50/api"),
    ];
    let decomposing = decomposing.map(|(id, run)| Rule::new(run, taken_apart, given(id)));
    let combined = "scales, rotations and positions combined";
    let combining = [
        Rule::new("ogre/default", combined, imported("ogre")),
        Rule::new("ogre/bones", combined, imported("ogre")),
        Rule::new(
            "rtm/qvv_mul",
            "the same; where a scale is negative, the rotation of the matrix product",
            imported("unreal"),
        ),
    ];
    exact.into_iter().chain(rounded).chain(decomposing).chain(combining).collect()
}

/// glTF files.
fn imports() -> Vec<Rule> {
    let (kept, taken_apart) = ("a sheared matrix kept", "a sheared matrix taken apart");
    let mut rules = vec![
        Rule::new("three/gltf", taken_apart, imported("three")).within(F64),
        Rule::new("babylon/gltf-rh", taken_apart, imported("babylon")).without(SKIN),
        Rule::new("babylon/gltf-lh", "the same below a node that mirrors x", imported("babylon"))
            .without(SKIN),
        Rule::new("playcanvas/gltf", taken_apart, imported("playcanvas")),
        Rule::new("godot/gltf", kept, imported("godot")).without(SKIN),
        Rule::new("godot/bones", "matrices multiplied", imported("godot")),
        Rule::new(
            "usd/UsdSkel-concat",
            "matrices multiplied; joint scales are half floats",
            imported("usd"),
        )
        .within(3e-3),
        Rule::new("gltf-transform/gltf", taken_apart, imported("gltf-transform")).within(F64),
        Rule::new("filament/gltf", kept, imported("filament")).without(SKIN),
        Rule::new("assimp/gltf", kept, imported("assimp")),
        Rule::new("trimesh/gltf", kept, imported("trimesh")).within(F64),
    ];
    for blender in ["blender52", "blender50"] {
        let again = "out and in again: as after the first import";
        rules.extend([
            Rule::new(
                format!("{blender}/gltf"),
                "a sheared matrix taken apart, z up",
                imported("blender"),
            )
            .without(BLENDER_GLTF),
            Rule::new(format!("{blender}/gltf-roundtrip"), again, imported("blender"))
                .without(BLENDER_ROUNDTRIP),
            Rule::new(format!("{blender}/fbx-roundtrip"), again, imported("blender"))
                .without(ZERO)
                .within(5e-6),
            Rule::new(format!("{blender}/usd-roundtrip"), again, imported("blender")).without(ZERO),
        ]);
    }
    rules
}

/// Nodes that were given another parent by the call that keeps the world, or were set in the world.
fn kept_worlds() -> Vec<Rule> {
    let of = |id: &str| engine(id).keep_world.rule;
    let taken_apart = "the world transform taken apart";
    let rule = |id: &str, run: &str, words| {
        Rule::new(format!("{id}/{run}"), words, kept(of(id), imported(id), |_| false))
    };
    let Getters::Decomposed(read) = engine("godot").getters.rule else { panic!("decomposed") };
    let by_quaternion = kept(KeepWorld::Decomposed(read), imported("godot"), |_| false);
    let blender = |run: &str| {
        Rule::new(run, taken_apart, kept(of("blender"), imported("blender"), |_| false))
    };
    vec![
        // A matrix that it was given by a call it does not take apart.
        Rule::new(
            "three/attach-to-root",
            taken_apart,
            kept(of("three"), given("three"), SceneNode::has_matrix),
        )
        .within(F64),
        Rule::new(
            "three/gltf-attach",
            "the same of an imported file, whose sheared matrices are taken apart",
            kept(of("three"), imported("three"), |_| false),
        )
        .within(F64),
        rule("babylon", "setParent-null", taken_apart),
        // Its API takes no matrices.
        rule(
            "playcanvas",
            "addChildAndSaveTransform",
            "position and rotation; the local scale stays",
        )
        .without(&["matrix_ok", "matrix_shear"]),
        rule("gltf-transform", "clearNodeParent", taken_apart).within(F64),
        rule("godot", "reparent", "the world transform kept"),
        Rule::new(
            "godot/reparent-then-quaternion",
            "then its quaternion set: taken apart",
            by_quaternion,
        ),
        Rule::new(
            "godot/global_rotation-0",
            "its world rotation set to none: the scale stays",
            unrotated(read),
        ),
        rule("panda3d", "wrtReparentTo", "the world transform kept"),
        rule("bevy", "set_parent_in_place", taken_apart),
        blender("blender52/parent_clear-keep"),
        blender("blender50/parent_clear-keep"),
    ]
}

/// Switches of what nodes inherit, and calls that multiply otherwise.
fn switches() -> Vec<Rule> {
    let ogre = [
        ("no_scale", "setInheritScale(false)", "S = s on every other node"),
        ("bones_no_scale", "setInheritScale(false)", "S = s on every other bone"),
        ("no_orientation", "setInheritOrientation(false)", "R = r on every other node"),
        ("neither", "both false", "S = s and R = r on every other node"),
    ];
    let ogre = ogre.map(|(run, setting, words)| {
        Rule::new(format!("ogre/{run}"), words, switched(("ogre", setting), |node| node % 2 == 1))
    });
    let others = [
        Rule::new(
            "godot/top_level",
            "the world transform kept",
            switched(("godot", "top_level"), |_| true),
        ),
        Rule::new(
            "godot/disable_scale",
            "world axes made unit and perpendicular",
            switched_one_by_one("godot", "set_disable_scale(true)"),
        ),
        Rule::new(
            "usd/resetXformStack-every-third",
            "every third node a root",
            switched(("usd", "!resetXformStack!"), |node| node % 3 == 1),
        )
        .within(F64),
        Rule::new(
            "playcanvas/scaleCompensation-odd",
            "the parent's scale left out on every other node",
            switched(("playcanvas", "scaleCompensation"), |node| node % 2 == 1),
        ),
        Rule::new(
            "gltf-transform/flatten",
            "taken apart at every level",
            switched(("gltf-transform", "flatten()"), |_| true),
        )
        .without(SKIN)
        .within(F64),
        Rule::new(
            "bevy/Transform*Transform",
            "scales, rotations and positions combined",
            switched(("bevy", "Transform * Transform"), |_| true),
        ),
    ];
    ogre.into_iter().chain(others).collect()
}

/// Blender's bones, with rest poses that are the identity.
fn bones() -> Vec<Rule> {
    let modes = MODES.into_iter().flat_map(|(name, scale)| {
        [("", true, "an inherit mode of bones"), ("_NOROT", false, "the same without rotation")]
            .map(|(suffix, rotation, words)| {
                let rule = SwitchRule::Bone { scale, rotation };
                let is_listed = engine("blender").switches.iter().any(|switch| switch.rule == rule);
                assert!(!rotation || is_listed, "{name}");
                let says =
                    move |scene: &Scene| rule.worlds(&nodes(scene), |_| true).expect("a forest");
                Rule::new(format!("blender/bones-{name}{suffix}"), words, says)
            })
    });
    modes.collect()
}

/// The type of each node.
type TypeOfNode = fn(usize) -> InheritType;

/// FBX files, in which all nodes have one InheritType, or several have several.
fn fbx_files() -> Vec<Rule> {
    let types: [(&str, TypeOfNode); 4] = [
        ("i0", |_| InheritType::ComponentWise),
        ("i1", |_| InheritType::Matrix),
        ("i2", |_| InheritType::WithoutParent),
        ("mix", |node| kit::MIX[node % 5]),
    ];
    let ignored = "the type ignored: matrices multiplied";
    let mut rules = Vec::new();
    for (name, kind) in types {
        let evaluated = move |scene: &Scene| fbx::worlds(&nodes(scene), kind).expect("a forest");
        let loaded =
            move |scene: &Scene| fbx::three_loader_worlds(&nodes(scene), kind).expect("a forest");
        rules.extend([
            Rule::new(format!("ufbx/{name}"), "InheritType", evaluated).within(F64),
            Rule::new(format!("three-FBXLoader/{name}"), "a formula of its own", loaded)
                .within(loader_rounding(name)),
            Rule::new(format!("assimp/{name}"), ignored, imported("assimp")),
            Rule::new(format!("blender-wm.fbx_import/{name}"), ignored, imported("blender"))
                .without(ZERO),
        ]);
    }
    let godot = ["i0", "i1"]
        .map(|name| Rule::new(format!("godot-FBXDocument/{name}"), ignored, imported("godot")));
    rules.into_iter().chain(godot).collect()
}
