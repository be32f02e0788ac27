//! What tests ask of a scene, and matrices to compare with.

use nalgebra::{Matrix4, Rotation3};
use xform_compare::compare;
use xform_fbx::read_fbx;
use xform_scene::Scene;

use crate::text::Fbx;

pub(crate) fn read(fbx: &Fbx) -> Scene {
    read_fbx(fbx.text().as_bytes(), "test").unwrap()
}

pub(crate) fn named(scene: &Scene, name: &str) -> usize {
    scene.nodes.iter().position(|node| node.name.as_deref() == Some(name)).unwrap()
}

pub(crate) fn world(scene: &Scene, name: &str) -> Matrix4<f64> {
    *compare(scene).unwrap().nodes[named(scene, name)].by_matrix.matrix()
}

pub(crate) fn turn(degrees: [f64; 3]) -> Matrix4<f64> {
    let [x, y, z] = degrees.map(f64::to_radians);
    Rotation3::from_euler_angles(x, y, z).to_homogeneous()
}

pub(crate) fn moved(by: [f64; 3]) -> Matrix4<f64> {
    Matrix4::new_translation(&by.into())
}

pub(crate) fn scaled(by: [f64; 3]) -> Matrix4<f64> {
    Matrix4::new_nonuniform_scaling(&by.into())
}

pub(crate) fn property(name: &str, value: [f64; 3]) -> String {
    let [x, y, z] = value;
    format!("\t\t\tP: \"{name}\", \"Vector3D\", \"Vector\", \"\",{x:?},{y:?},{z:?}\n")
}
