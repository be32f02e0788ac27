//! Every scene, and what it is about.

use nalgebra::{Quaternion, Vector3};
use serde_json::{Value, json};

use super::{
    gltf::{Gltf, corners},
    skins::{Bound, Tower, recorded_skin, tower},
};
use crate::answers::ANSWERS;

pub(super) struct Scene {
    pub(super) name: String,
    /// In sentences, of which the first is said in the list.
    pub(super) about: &'static str,
    pub(super) gltf: Gltf,
}

pub(super) fn all() -> Vec<Scene> {
    RECORDED.into_iter().map(recorded).chain(MADE.into_iter().map(made)).collect()
}

/// The scenes that all recorded runs were asked about: nodes alone, each with a cube.
const RECORDED: [(&str, &str); 13] = [
    (
        "uniform",
        "Uniform scales and turns. Every way of combining scales agrees here: a driver that is off in this scene is wrong about axes, order or units.",
    ),
    (
        "skew38",
        "A scale of (2, 1, 1), a child turned by 38° about z below it, and two more below that. The smallest scene in which engines part.",
    ),
    (
        "three_levels",
        "A non-uniform scale and a turn at each of three levels. What a decomposition at every level loses shows here alone.",
    ),
    (
        "mirror",
        "A scale of (−2, 1, 1) above turned children. Where an engine takes a mirror apart, it chooses an axis for the sign.",
    ),
    (
        "neg_two",
        "A scale of (−1, −2, 1), which mirrors nothing: two negative components are half a turn.",
    ),
    (
        "neg_all",
        "A scale of (−1, −1, −1) above turned children and non-uniform scales. All axes mirrored.",
    ),
    (
        "piston",
        "A piston in a cylinder: a non-uniform scale above a turned rod. The scene that xform's report opens with.",
    ),
    (
        "zero",
        "A scale of (1, 0, 1), which flattens what is below. Whatever divides by a scale fails here.",
    ),
    (
        "matrix_shear",
        "A node with a `matrix` that no translation, rotation and scale make. Importers keep it, or take it apart.",
    ),
    (
        "matrix_ok",
        "A node with a `matrix` that a translation, a rotation and a scale make. To take it apart loses nothing.",
    ),
    ("rand_uni", "Sixty nodes with random poses and uniform scales. As `uniform`, and deeper."),
    (
        "rand_non",
        "A hundred nodes with random poses and non-uniform scales. What holds of small scenes by chance fails here.",
    ),
    (
        "rand_neg",
        "A hundred nodes with random poses and scales, many of them negative. Mirrors of mirrors.",
    ),
];

fn recorded((name, about): (&str, &'static str)) -> Scene {
    let mut gltf = Gltf::default();
    let mesh = gltf.cube();
    let nodes = &ANSWERS.scenes[name];
    for node in nodes {
        let mut entry = node.entry();
        entry["mesh"] = mesh.into();
        gltf.node(node.parent(nodes.iter()), entry);
    }
    Scene { name: name.to_owned(), about, gltf }
}

type Made = (&'static str, &'static str, fn(&mut Gltf));

const MADE: [Made; 14] = [
    (
        "anim",
        "A scale that grows to (3, 1, 1) and shrinks to (1, 1, 2) within two seconds, above a node that turns by 76° and half of that back meanwhile. Ask at 0, 0.5, 1, 1.25 and 1.75 seconds.",
        animated,
    ),
    (
        "quaternions",
        "Rotations whose quaternions are 0.5, 0.995 and 2 long, each on a stretched node with a child. glTF demands a length of 1. Some engines make it 1; others scale or shear the node by it.",
        quaternions,
    ),
    (
        "skin",
        "A skinned tower of four cubes, one a joint, with the node that shows it last. The armature above the joints is scaled by (2, 1, 1), and one joint by (1, 1.5, 1). Importers put the skinned node elsewhere: ask about the joints.",
        recorded_skin,
    ),
    (
        "skin_below_scale",
        "A skinned tower of three cubes, one a joint; the armature above it is scaled by (2, 1, 1). The joints are turned, so their matrices are sheared. The vertices tell whether an engine keeps that shear.",
        |gltf| tower(gltf, &Tower { armature: [2.0, 1.0, 1.0], ..Tower::default() }),
    ),
    (
        "skin_stretched",
        "The same tower, whose lowest joint is scaled by (1, 2, 1). This is how a rig is stretched.",
        |gltf| tower(gltf, &Tower { lowest: [1.0, 2.0, 1.0], ..Tower::default() }),
    ),
    (
        "skin_mirrored",
        "The same tower below an armature that is scaled by (−1, 1, 1). Half of a character that was mirrored.",
        |gltf| tower(gltf, &Tower { armature: [-1.0, 1.0, 1.0], ..Tower::default() }),
    ),
    (
        "skin_sheared_bind",
        "The same tower, bound while its joints were sheared: the inverse bind matrices are no translation, rotation and scale. Importers that take them apart move vertices.",
        |gltf| tower(gltf, &Tower { bound: Bound::Sheared, ..Tower::default() }),
    ),
    (
        "skin_turned_bind",
        "The same tower, bound while its joints were turned and scaled, as those of a character are; the lowest is scaled by (1, 2, 1). An engine that combines scales, rotations and positions does not undo a binding pose in the order in which it was made.",
        |gltf| {
            tower(
                gltf,
                &Tower { lowest: [1.0, 2.0, 1.0], bound: Bound::Turned, ..Tower::default() },
            );
        },
    ),
    (
        "skin_animated",
        "The same tower; the scale of its lowest joint is animated to (1, 2, 1), and the middle one turns. Ask at 0, 0.5, 1, 1.25 and 1.75 seconds.",
        |gltf| tower(gltf, &Tower { is_animated: true, ..Tower::default() }),
    ),
    (
        "morph",
        "A cube with a morph target at weight 0.5, turned by 38° below a scale of (2, 1, 1). Morph targets act in the mesh, before the node.",
        morph,
    ),
    (
        "instances",
        "A node with `EXT_mesh_gpu_instancing`, three cubes, below a scale of (2, 1, 1). An importer that reads the extension shows each as a node below that node would be.",
        instances,
    ),
    (
        "camera_light",
        "A camera, a spot light, a point light and a sun turned by 38° about z and 20° about x below a scale of (1, 3, 1). Engines normalise the direction of view; a sheared one points elsewhere. Godot takes the scale out of cameras and lights, Blender and Babylon.js turn them.",
        camera_light,
    ),
    (
        "units",
        "A root scaled by 100 above one scaled by 0.01, as exporters write that mistake the unit, and a cube in each. Positions are what matters: importers that change units change them too.",
        units,
    ),
    (
        "colliders",
        "A box, a sphere, a capsule, a cylinder and a mesh as colliders (`KHR_physics_rigid_bodies`), each turned by 38° about z below a scale of (2, 1, 1), the sphere mirrored and the capsule scaled by (1, 1.5, 1) besides. The world transforms are those of the nodes that draw the shapes; what physics engines make of the shapes is another question.",
        colliders,
    ),
];

fn made((name, about, make): Made) -> Scene {
    let mut gltf = Gltf::default();
    make(&mut gltf);
    Scene { name: name.to_owned(), about, gltf }
}

/// A rotation about one axis as x y z w, by functions that give the same everywhere.
pub(super) fn turn(axis: Vector3<f64>, degrees: f64) -> [f64; 4] {
    let half = degrees.to_radians() / 2.0;
    let [x, y, z]: [f64; 3] = (axis * libm::sin(half)).into();
    [x, y, z, libm::cos(half)]
}

fn animated(gltf: &mut Gltf) {
    let mesh = gltf.cube();
    let stretched = gltf.node(None, json!({"name": "A", "mesh": mesh}));
    let turned =
        gltf.node(Some(stretched), json!({"name": "B", "translation": [2, 0, 0], "mesh": mesh}));
    let rotation = turn(Vector3::x(), 25.0);
    gltf.node(
        Some(turned),
        json!({"name": "C", "translation": [1, 0, 0], "rotation": rotation, "mesh": mesh}),
    );
    let scales = gltf.vectors("VEC3", &[[1.0; 3], [3.0, 1.0, 1.0], [1.0, 1.0, 2.0]], false);
    let turns = [0.0, 76.0, 38.0].map(|degrees| turn(Vector3::z(), degrees));
    let turns = gltf.vectors("VEC4", &turns, false);
    gltf.animation(&[0.0, 1.0, 2.0], &[(stretched, "scale", scales), (turned, "rotation", turns)]);
}

fn quaternions(gltf: &mut Gltf) {
    let mesh = gltf.cube();
    for (place, (name, length)) in
        [("Half", 0.5), ("Near", 0.995), ("Double", 2.0)].into_iter().enumerate()
    {
        let rotation = turn(Vector3::z(), 40.0).map(|part| part * length);
        let node = json!({
            "name": name, "translation": [0, 3 * place, 0], "rotation": rotation, "scale": [2, 1, 1], "mesh": mesh,
        });
        let node = gltf.node(None, node);
        let child = json!({"name": format!("{name}Child"), "translation": [1, 0, 0], "mesh": mesh});
        gltf.node(Some(node), child);
    }
}

fn morph(gltf: &mut Gltf) {
    let mut primitive = gltf.box_primitive(&[[0.0; 3]]);
    let moved: Vec<_> = corners(&[[0.0; 3]])
        .iter()
        .map(|&[x, y, _]| [0.0, if x > 0.0 { 1.0 } else { 0.0 }, if y > 0.0 { 0.5 } else { 0.0 }])
        .collect();
    let target = gltf.vectors("VEC3", &moved, true);
    primitive["targets"] = json!([{"POSITION": target}]);
    let mesh = gltf.mesh(json!({"primitives": [primitive], "weights": [0.5]}));
    let above = gltf.node(None, json!({"name": "A", "scale": [2, 1, 1]}));
    let rotation = turn(Vector3::z(), 38.0);
    gltf.node(Some(above), json!({"name": "B", "rotation": rotation, "mesh": mesh}));
}

fn instances(gltf: &mut Gltf) {
    let mesh = gltf.cube();
    let places = gltf.vectors("VEC3", &[[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 1.0]], false);
    let turns = [0.0, 38.0, 90.0].map(|degrees| turn(Vector3::z(), degrees));
    let turns = gltf.vectors("VEC4", &turns, false);
    let scales = gltf.vectors("VEC3", &[[1.0; 3], [1.0, 2.0, 1.0], [1.0; 3]], false);
    let above = gltf.node(None, json!({"name": "A", "scale": [2, 1, 1]}));
    let attributes = json!({"TRANSLATION": places, "ROTATION": turns, "SCALE": scales});
    let node = json!({
        "name": "B", "rotation": turn(Vector3::z(), 20.0), "mesh": mesh,
        "extensions": {"EXT_mesh_gpu_instancing": {"attributes": attributes}},
    });
    gltf.node(Some(above), node);
    uses(gltf, "EXT_mesh_gpu_instancing");
}

fn camera_light(gltf: &mut Gltf) {
    let mesh = gltf.cube();
    let above = gltf.node(None, json!({"name": "A", "scale": [1, 3, 1], "mesh": mesh}));
    let [z, x] = [turn(Vector3::z(), 38.0), turn(Vector3::x(), 20.0)];
    let [z, x] = [z, x].map(|[x, y, z, w]| Quaternion::new(w, x, y, z));
    let tilt = z * x;
    let rotation = [tilt.i, tilt.j, tilt.k, tilt.w];
    let at = |name: &str, x: f64| json!({"name": name, "translation": [x, 1.0, 0.0], "rotation": rotation});
    let mut camera = at("Camera", 0.0);
    camera["camera"] = 0.into();
    gltf.node(Some(above), camera);
    for (light, (name, x)) in [("Spot", 1.0), ("Point", 2.0), ("Sun", 3.0)].into_iter().enumerate()
    {
        let mut node = at(name, x);
        node["extensions"] = json!({"KHR_lights_punctual": {"light": light}});
        gltf.node(Some(above), node);
    }
    let perspective = json!({"yfov": 0.8, "znear": 0.1, "zfar": 100.0, "aspectRatio": 1.5});
    gltf.also
        .insert("cameras".to_owned(), json!([{"type": "perspective", "perspective": perspective}]));
    let lights = json!([
        {"type": "spot", "spot": {"innerConeAngle": 0.3, "outerConeAngle": 0.6}, "name": "Spot"},
        {"type": "point", "name": "Point"},
        {"type": "directional", "name": "Sun"},
    ]);
    gltf.also.insert("extensions".to_owned(), json!({"KHR_lights_punctual": {"lights": lights}}));
    uses(gltf, "KHR_lights_punctual");
}

fn units(gltf: &mut Gltf) {
    let mesh = gltf.cube();
    let large = gltf.node(None, json!({"name": "Hundred", "scale": [100, 100, 100], "mesh": mesh}));
    let small = json!({
        "name": "Hundredth", "translation": [1, 2, 3], "rotation": turn(Vector3::x(), -90.0), "scale": [0.01, 0.01, 0.01],
        "mesh": mesh,
    });
    let small = gltf.node(Some(large), small);
    gltf.node(Some(small), json!({"name": "Tip", "translation": [10, 20, 30], "mesh": mesh}));
}

fn colliders(gltf: &mut Gltf) {
    let mesh = gltf.cube();
    let above = gltf.node(None, json!({"name": "A", "scale": [2, 1, 1]}));
    let shapes = json!([
        {"type": "box", "box": {"size": [1, 1, 1]}},
        {"type": "sphere", "sphere": {"radius": 0.5}},
        {"type": "capsule", "capsule": {"height": 1, "radiusBottom": 0.25, "radiusTop": 0.25}},
        {"type": "cylinder", "cylinder": {"height": 1, "radiusBottom": 0.5, "radiusTop": 0.5}},
    ]);
    for (place, (name, scale)) in [
        ("Box", [1.0; 3]),
        ("Sphere", [-1.0, 1.0, 1.0]),
        ("Capsule", [1.0, 1.5, 1.0]),
        ("Cylinder", [1.0; 3]),
        ("Mesh", [1.0; 3]),
    ]
    .into_iter()
    .enumerate()
    {
        let geometry = match place {
            // Its own mesh, by the index of the node.
            4 => json!({"node": 5}),
            shape => json!({"shape": shape}),
        };
        let node = json!({
            "name": name, "translation": [2 * place, 1, 0], "rotation": turn(Vector3::z(), 38.0), "scale": scale, "mesh": mesh,
            "extensions": {"KHR_physics_rigid_bodies": {"collider": {"geometry": geometry}}},
        });
        gltf.node(Some(above), node);
    }
    gltf.also.insert("extensions".to_owned(), json!({"KHR_implicit_shapes": {"shapes": shapes}}));
    let used = json!(["KHR_implicit_shapes", "KHR_physics_rigid_bodies"]);
    gltf.also.insert("extensionsUsed".to_owned(), used);
}

fn uses(gltf: &mut Gltf, extension: &str) {
    gltf.also.insert("extensionsUsed".to_owned(), Value::from(vec![extension]));
}
