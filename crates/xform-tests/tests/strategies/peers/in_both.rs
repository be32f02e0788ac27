//! Shared by the tests of peers' assertions. Each says whose test it follows; the words and the code are ours, the figures theirs.
//!
//! Where xform does something else on purpose, the test is of that, and a comment says why: "Not as there".

use std::fmt::Debug;

use approx::AbsDiffEq;
use nalgebra::{UnitQuaternion, Vector3};
use xform_core::{Hierarchy, NodeId, Transform, Trs, spaces::EulerOrder};

/// Tests in both strategies, in double precision.
macro_rules! in_both {
    ($($(#[$attribute:meta])* fn $name:ident<$X:ident>() $body:block)*) => {$(
        $(#[$attribute])*
        #[test]
        fn $name() {
            fn check<$X>()
            where
                $X: xform_core::strategy::RelativeTransform<Scalar = f64>
                    + std::fmt::Debug
                    + PartialEq
                    + From<xform_core::Trs<f64>>,
            $body
            check::<xform_matrix::AccumulatedMatrix<f64>>();
            check::<xform_trs::CombinedTrs<f64>>();
        }
    )*};
}
pub(super) use in_both;

/// They differ by rounding alone: the figures are below a thousand, of which 1e-12 is four and a half units of `f64::EPSILON`.
#[track_caller]
pub(super) fn near<V: AbsDiffEq<Epsilon = f64> + Debug>(found: &V, expected: &V) {
    assert!(found.abs_diff_eq(expected, 1e-12), "{found:?} is not {expected:?}");
}

pub(super) fn at(x: f64, y: f64, z: f64) -> Trs<f64> {
    Trs::from_translation(Vector3::new(x, y, z))
}

pub(super) fn posed(place: [f64; 3], turn: UnitQuaternion<f64>, scale: [f64; 3]) -> Trs<f64> {
    Trs::from_parts(place.into(), turn, scale.into())
}

/// A rotation by angles about x, y and z, in degrees.
pub(super) fn degrees(order: EulerOrder, x: f64, y: f64, z: f64) -> UnitQuaternion<f64> {
    order.rotation(&Vector3::new(x, y, z).map(f64::to_radians))
}

pub(super) fn children<X: Transform>(hierarchy: &Hierarchy<X>, node: NodeId) -> Vec<NodeId> {
    hierarchy.children(node).unwrap().collect()
}
