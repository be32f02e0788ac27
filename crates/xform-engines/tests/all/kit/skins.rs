//! The skinned towers of the scenes.

use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};
use serde_json::json;
use xform_core::Trs;

use super::{
    gltf::{Gltf, corners},
    scenes::turn,
};
use crate::answers::ANSWERS;

pub(super) fn recorded_skin(gltf: &mut Gltf) {
    let nodes = &ANSWERS.scenes["skin"];
    let middles = [1.0, 2.0, 3.0, 4.0].map(|y| [0.0, y, 0.0]);
    let inverse_binds = middles.map(|[x, y, z]| Matrix4::new_translation(&-Vector3::new(x, y, z)));
    let mut primitive = gltf.box_primitive(&middles);
    let followed: Vec<[u8; 4]> = (0..32_u8).map(|vertex| [vertex / 8, 0, 0, 0]).collect();
    primitive["attributes"]["JOINTS_0"] = gltf.joints(&followed).into();
    let weights = gltf.vectors("VEC4", &[[1.0, 0.0, 0.0, 0.0]; 32], false);
    primitive["attributes"]["WEIGHTS_0"] = weights.into();
    let mesh = gltf.mesh(json!({"primitives": [primitive]}));
    let skin = gltf.skin(&[1, 2, 3, 4], &inverse_binds);
    for node in nodes {
        let mut entry = node.entry();
        if node.name == "Skinned" {
            entry["mesh"] = mesh.into();
            entry["skin"] = skin.into();
        }
        gltf.node(node.parent(nodes.iter()), entry);
    }
}

pub(super) struct Tower {
    pub(super) armature: [f64; 3],
    pub(super) lowest: [f64; 3],
    pub(super) bound: Bound,
    pub(super) is_animated: bool,
}

/// How the joints stood when the mesh was bound, beside where they were.
#[derive(Clone, Copy, Default)]
pub(super) enum Bound {
    #[default]
    Straight,
    Sheared,
    Turned,
}

impl Bound {
    fn linear(self) -> Matrix4<f64> {
        match self {
            Self::Straight => Matrix4::identity(),
            Self::Sheared => {
                let mut sheared = Matrix4::identity();
                sheared[(0, 1)] = 0.4;
                sheared[(2, 0)] = -0.3;
                sheared
            }
            Self::Turned => {
                let [x, y, z, w] = turn(Vector3::new(0.6, 0.0, 0.8), 50.0);
                let rotation = UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z));
                Trs::from_parts(Vector3::zeros(), rotation, Vector3::new(1.0, 1.25, 0.8))
                    .to_homogeneous()
            }
        }
    }
}

impl Default for Tower {
    fn default() -> Self {
        let bound = Bound::Straight;
        Self { armature: [1.0; 3], lowest: [1.0; 3], bound, is_animated: false }
    }
}

/// Three cubes one on the other, each of which follows a joint in its middle; the upper corners follow the next joint by a third.
pub(super) fn tower(gltf: &mut Gltf, tower: &Tower) {
    const JOINTS: [&str; 3] = ["J0", "J1", "J2"];
    let armature = gltf.node(None, json!({"name": "Armature", "scale": tower.armature}));
    let turns = [turn(Vector3::y(), 20.0), turn(Vector3::z(), 38.0), turn(Vector3::x(), 30.0)];
    let mut above = armature;
    let mut joints = Vec::new();
    for (place, (name, rotation)) in JOINTS.into_iter().zip(turns).enumerate() {
        let up = if place == 0 { 0.5 } else { 1.0 };
        let mut joint = json!({"name": name, "translation": [0.0, up, 0.0], "rotation": rotation});
        if place == 0 {
            joint["scale"] = json!(tower.lowest);
        }
        above = gltf.node(Some(above), joint);
        joints.push(above);
    }
    let middles = [0.5, 1.5, 2.5].map(|y| [0.0, y, 0.0]);
    let inverse_binds: Vec<_> = middles
        .iter()
        .map(|&[x, y, z]| {
            let bind = Matrix4::new_translation(&Vector3::new(x, y, z)) * tower.bound.linear();
            bind.try_inverse().expect("it has an inverse")
        })
        .collect();
    let skin = gltf.skin(&joints, &inverse_binds);
    let mut primitive = gltf.box_primitive(&middles);
    let (mut followed, mut weights) = (Vec::new(), Vec::new());
    for (vertex, position) in corners(&middles).iter().enumerate() {
        let own = u8::try_from(vertex / 8).expect("three");
        let is_upper = own < 2 && position[1] > middles[usize::from(own)][1];
        followed.push([own, if is_upper { own + 1 } else { 0 }, 0, 0]);
        let of_next = if is_upper { 1.0 / 3.0 } else { 0.0 };
        weights.push([1.0 - of_next, of_next, 0.0, 0.0]);
    }
    primitive["attributes"]["JOINTS_0"] = gltf.joints(&followed).into();
    primitive["attributes"]["WEIGHTS_0"] = gltf.vectors("VEC4", &weights, false).into();
    let mesh = gltf.mesh(json!({"primitives": [primitive]}));
    gltf.node(None, json!({"name": "Body", "mesh": mesh, "skin": skin}));
    if tower.is_animated {
        let scales = gltf.vectors("VEC3", &[[1.0; 3], [1.0, 2.0, 1.0], [1.5, 1.0, 1.0]], false);
        let turns = [38.0, 0.0, -38.0].map(|degrees| turn(Vector3::z(), degrees));
        let turns = gltf.vectors("VEC4", &turns, false);
        gltf.animation(
            &[0.0, 1.0, 2.0],
            &[(joints[0], "scale", scales), (joints[1], "rotation", turns)],
        );
    }
}
