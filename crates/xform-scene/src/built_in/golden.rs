use std::f64::consts::{FRAC_1_SQRT_2, PI};

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use xform_core::{Inherit, Trs};

use crate::Node;

/// The interactive scene of "Accumulating Transforms": a root whose x scale is `k`, and two cylinders along z. The
/// first is turned by 90° about y, so it lies along x.
///
/// Source: docs/mathematics.md, "Golden scenes".
pub(super) fn piston(k: f64) -> Vec<Node> {
    let quarter_about_y =
        UnitQuaternion::new_unchecked(Quaternion::new(FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2, 0.0));
    let root =
        Trs::from_translation(Vector3::new(3.0, 3.0, 3.0)).with_scale(Vector3::new(k, 1.0, 1.0));
    let a = Trs::from_parts(
        Vector3::new(0.0, 0.0, 1.5),
        quarter_about_y,
        Vector3::new(0.25, 0.25, 2.0),
    );
    let b =
        Trs::from_translation(Vector3::new(0.0, 0.0, 0.5)).with_scale(Vector3::new(4.0, 4.0, 0.5));
    vec![named("Root", None, root), named("A", Some(0), a), named("B", Some(1), b)]
}

/// A parent scaled by (s, 1, 1) and a child at (2, 2, 0), turned about z.
pub(super) fn skewed_child(s: f64, degrees: f64) -> Vec<Node> {
    let a = Trs::from_scale(Vector3::new(s, 1.0, 1.0));
    let b = Trs::from_translation(Vector3::new(2.0, 2.0, 0.0)).with_rotation(about_z(degrees));
    vec![named("A", None, a), named("B", Some(0), b)]
}

/// diag(2, 1, 1) · Rz(45°), repeated: `n` levels below the root.
pub(super) fn levels(n: u32) -> Vec<Node> {
    let stretch = Trs::from_scale(Vector3::new(2.0, 1.0, 1.0));
    let turned = stretch.with_rotation(about_z(45.0));
    let level = |i: u32| {
        let local = if i == 0 { stretch } else { turned };
        let parent = (i as usize).checked_sub(1);
        named(&format!("Level {i}"), parent, local)
    };
    (0..=n).map(level).collect()
}

/// Two parents that cause skew, and a child that inherits part of it.
pub(super) fn inherit(inherit: Inherit) -> Vec<Node> {
    let a = Trs::from_scale(Vector3::new(2.0, 1.0, 1.0));
    let b = Trs::from_rotation(about_z(38.0)).with_scale(Vector3::new(1.0, 3.0, 1.0));
    let c =
        Trs::from_parts(Vector3::new(1.0, 2.0, 0.0), about_z(20.0), Vector3::new(1.0, 2.0, 1.0));
    let c = named("C", Some(1), c).with_inherit(inherit);
    vec![named("A", None, a), named("B", Some(0), b), c]
}

fn named(name: &str, parent: Option<usize>, local: Trs<f64>) -> Node {
    Node::new(parent, local).with_name(name)
}

/// With `libm`, whose bits are the same on every machine.
fn about_z(degrees: f64) -> UnitQuaternion<f64> {
    let half = degrees * (PI / 360.0);
    UnitQuaternion::new_unchecked(Quaternion::new(libm::cos(half), 0.0, 0.0, libm::sin(half)))
}
