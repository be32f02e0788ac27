//! Random scenes: meshes and accessors that are shared, mirrors, morph targets, skins, animations, several scenes.

use nalgebra::{Matrix4, UnitQuaternion, Vector3};
use proptest::{
    prelude::Rng,
    test_runner::{RngAlgorithm, TestRng},
};
use serde_json::{Value, json};

use crate::file::File;

/// Numbers that follow from a seed.
struct Random(TestRng);

impl Random {
    fn of(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Self(TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
    }

    fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    /// True in so many of a hundred cases.
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "a number as files have it"
    )]
    fn within(&mut self, from: f32, to: f32) -> f32 {
        let part = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        (f64::from(from) + part * f64::from(to - from)) as f32
    }

    fn vector(&mut self, size: f32) -> [f32; 3] {
        std::array::from_fn(|_| self.within(-size, size))
    }

    fn direction(&mut self) -> [f32; 3] {
        let vector = Vector3::from(self.vector(1.0)) + Vector3::new(0.0, 0.0, 1.5);
        vector.normalize().into()
    }

    fn turn(&mut self) -> [f32; 4] {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::from(self.vector(2.0)));
        turn.coords.into()
    }

    fn scale(&mut self, is_non_uniform: bool) -> [f32; 3] {
        if is_non_uniform {
            let mut scale = std::array::from_fn(|_| self.within(0.4, 2.5));
            for factor in &mut scale {
                *factor *= if self.chance(15) { -1.0 } else { 1.0 };
            }
            return scale;
        }
        let factor = if self.chance(50) { 1.0 } else { self.within(0.5, 2.0) };
        [if self.chance(5) { -factor } else { factor }; 3]
    }
}

/// A file that follows from a seed. Larger sizes have more nodes.
pub(crate) fn file(seed: u64, size: usize) -> File {
    let mut random = Random::of(seed);
    let mut file = File::new();
    file.json["extras"] = json!({ "kept": [1.5, null, { "é": "\u{1F980}" }] });
    file.json["extensionsUsed"] =
        json!(["KHR_lights_punctual", "KHR_node_visibility", "ACME_unknown"]);
    file.json["extensions"] = json!({ "KHR_lights_punctual": { "lights": [{ "type": "point" }] } });
    file.push(
        "cameras",
        json!({ "type": "perspective", "perspective": { "yfov": 1, "znear": 0.1 } }),
    );
    let plain: Vec<usize> =
        (0..1 + random.below(3)).map(|_| mesh(&mut file, &mut random, false)).collect();
    let count = 2 + random.below(size);
    for index in 0..count {
        let parent = (index > 0 && random.chance(80)).then(|| random.below(index));
        let node = node(&mut random, &plain);
        file.push("nodes", node);
        if let Some(parent) = parent {
            let children = &mut file.json["nodes"][parent]["children"];
            if children.is_null() {
                *children = json!([]);
            }
            children.as_array_mut().unwrap().push(json!(index));
        }
    }
    if random.chance(40) {
        skin(&mut file, &mut random, count);
    }
    for _ in 0..random.below(3) {
        animation(&mut file, &mut random, count);
    }
    file.json["scene"] = json!(0);
    // Roots are shared out over two scenes.
    let children: Vec<u64> = (0..count)
        .flat_map(|node| {
            file.json["nodes"][node]["children"].as_array().cloned().unwrap_or_default()
        })
        .map(|child| child.as_u64().unwrap())
        .collect();
    let all = file.len("nodes") as u64;
    let roots = (0..all).filter(|node| !children.contains(node));
    let (first, second): (Vec<_>, Vec<_>) = roots.partition(|_| random.chance(70));
    for nodes in [first, second].into_iter().filter(|nodes| !nodes.is_empty()) {
        file.push("scenes", json!({ "nodes": nodes }));
    }
    file
}

fn node(random: &mut Random, meshes: &[usize]) -> Value {
    let mut node = json!({ "extras": { "id": random.below(1000) } });
    let is_non_uniform = random.chance(35);
    let (translation, turn, scale) =
        (random.vector(2.0), random.turn(), random.scale(is_non_uniform));
    if random.chance(12) {
        let [x, y, z, w] = turn.map(f64::from);
        let turn = UnitQuaternion::new_normalize(nalgebra::Quaternion::new(w, x, y, z));
        let mut matrix = Matrix4::new_translation(&Vector3::from(translation.map(f64::from)))
            * turn.to_homogeneous()
            * Matrix4::new_nonuniform_scaling(&scale.map(f64::from).into());
        if random.chance(30) {
            let mut shear = Matrix4::identity();
            shear[(0, 1)] = 0.7;
            matrix *= shear;
        }
        node["matrix"] = json!(matrix.as_slice());
    } else {
        for (name, value) in [
            ("translation", json!(translation)),
            ("rotation", json!(turn)),
            ("scale", json!(scale)),
        ] {
            if random.chance(85) {
                node[name] = value;
            }
        }
    }
    if random.chance(65) {
        node["mesh"] = json!(meshes[random.below(meshes.len())]);
    }
    match random.below(100) {
        0..3 => node["camera"] = json!(0),
        3..6 => node["extensions"] = json!({ "KHR_lights_punctual": { "light": 0 } }),
        6..8 => node["extensions"] = json!({ "ACME_unknown": {} }),
        8..11 => node["extensions"] = json!({ "KHR_node_visibility": { "visible": true } }),
        _ => {}
    }
    node
}

fn mesh(file: &mut File, random: &mut Random, is_skinned: bool) -> usize {
    let mut primitives = Vec::new();
    let targets = if random.chance(40) { 1 + random.below(2) } else { 0 };
    for _ in 0..1 + random.below(2) {
        let count = 3 + random.below(7);
        let vectors = |random: &mut Random, size| -> Vec<_> {
            (0..count).map(|_| random.vector(size)).collect()
        };
        // Sometimes the positions of another mesh, if it has as many.
        let other = (0..file.len("meshes")).find_map(|mesh| {
            let accessor = &file.json["meshes"][mesh]["primitives"][0]["attributes"]["POSITION"];
            let at = usize::try_from(accessor.as_u64()?).unwrap();
            let is_alike = file.json["accessors"][at]["count"] == json!(count);
            is_alike.then_some(at)
        });
        let positions = match other {
            Some(other) if random.chance(50) => other,
            _ => file.floats(&vectors(random, 1.0)),
        };
        let mut attributes = json!({ "POSITION": positions });
        if random.chance(70) {
            let normals: Vec<_> = (0..count).map(|_| random.direction()).collect();
            attributes["NORMAL"] = json!(file.floats(&normals));
            if random.chance(60) {
                let side = if random.chance(50) { 1.0 } else { -1.0 };
                let tangents: Vec<_> = (0..count)
                    .map(|_| {
                        let [x, y, z] = random.direction();
                        [z, x, y, side]
                    })
                    .collect();
                attributes["TANGENT"] = json!(file.floats(&tangents));
            }
        }
        let mut primitive = json!({});
        if targets > 0 {
            let each = (0..targets).map(|_| {
                let mut target = json!({ "POSITION": file.floats(&vectors(random, 0.5)) });
                for name in ["NORMAL", "TANGENT"] {
                    if !attributes[name].is_null() && random.chance(70) {
                        target[name] = json!(file.floats(&vectors(random, 0.3)));
                    }
                }
                target
            });
            primitive["targets"] = each.collect();
        }
        if is_skinned {
            let joint = |random: &mut Random| u16::try_from(random.below(2)).unwrap();
            let joints: Vec<[u16; 4]> =
                (0..count).map(|_| std::array::from_fn(|_| joint(random))).collect();
            attributes["JOINTS_0"] = json!(file.shorts(&joints));
            let weights: Vec<_> = (0..count)
                .map(|_| {
                    let weight = random.within(0.0, 1.0);
                    [weight, 1.0 - weight, 0.0, 0.0]
                })
                .collect();
            attributes["WEIGHTS_0"] = json!(file.floats(&weights));
        }
        primitive["attributes"] = attributes;
        if random.chance(60) {
            let index = |_| [u16::try_from(random.below(count)).unwrap()];
            let indices: Vec<_> = (0..3 * (1 + count / 2)).map(index).collect();
            primitive["indices"] = json!(file.shorts(&indices));
        }
        if random.chance(30) {
            primitive["mode"] = json!(4 + random.below(3));
        }
        primitives.push(primitive);
    }
    file.push("meshes", json!({ "primitives": primitives, "name": "Mesh \"x\"" }))
}

fn skin(file: &mut File, random: &mut Random, count: usize) {
    let joints: Vec<_> =
        (0..1 + random.below(3).min(count - 1)).map(|_| random.below(count)).collect();
    let mut skin = json!({ "joints": joints });
    if random.chance(75) {
        let binds: Vec<[f32; 16]> = joints
            .iter()
            .map(|_| {
                let mut bind = Matrix4::<f32>::identity();
                bind.fixed_view_mut::<3, 1>(0, 3).copy_from(&Vector3::from(random.vector(1.0)));
                std::array::from_fn(|i| bind[i])
            })
            .collect();
        skin["inverseBindMatrices"] = json!(file.floats(&binds));
    }
    if joints.len() == 1 {
        skin["joints"] = json!([joints[0], joints[0]]);
        skin.as_object_mut().unwrap().remove("inverseBindMatrices");
    }
    let skin = file.push("skins", skin);
    let mesh = mesh(file, random, true);
    file.push("nodes", json!({ "mesh": mesh, "skin": skin, "scale": [1, 3, 1] }));
}

fn animation(file: &mut File, random: &mut Random, count: usize) {
    let input = file.floats(&[[0.0], [0.5], [1.25]]);
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for _ in 0..1 + random.below(3) {
        let mut node = random.below(count);
        if !file.json["nodes"][node]["matrix"].is_null() {
            continue;
        }
        let kind = ["LINEAR", "STEP", "CUBICSPLINE"][random.below(3)];
        let values = if kind == "CUBICSPLINE" { 9 } else { 3 };
        let (path, output) = match random.below(10) {
            0..5 => {
                let moves: Vec<_> = (0..values).map(|_| random.vector(1.5)).collect();
                ("translation", file.floats(&moves))
            }
            5..7 => {
                let turns: Vec<_> = (0..values).map(|_| random.turn()).collect();
                ("rotation", file.floats(&turns))
            }
            7 => {
                let scales: Vec<_> = (0..values).map(|_| random.scale(true)).collect();
                ("scale", file.floats(&scales))
            }
            _ => {
                // As it is at rest: without effect, until the rest changes.
                let rest = &file.json["nodes"][node]["scale"];
                let rest: [f32; 3] = serde_json::from_value(rest.clone()).unwrap_or([1.0; 3]);
                let is_tangent = |i: usize| kind == "CUBICSPLINE" && i % 3 != 1;
                let held: Vec<_> =
                    (0..values).map(|i| if is_tangent(i) { [0.0; 3] } else { rest }).collect();
                ("scale", file.floats(&held))
            }
        };
        samplers.push(json!({ "input": input, "output": output, "interpolation": kind }));
        let sampler = samplers.len() - 1;
        channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
        if path == "translation" && random.chance(30) {
            node = random.below(count);
            if file.json["nodes"][node]["matrix"].is_null() {
                channels
                    .push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
            }
        }
    }
    if !channels.is_empty() {
        file.push("animations", json!({ "samplers": samplers, "channels": channels }));
    }
}
