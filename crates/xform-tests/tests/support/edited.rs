//! What is left of a world transform after an edit, measured without the library.

use nalgebra::{Matrix3, Matrix4, UnitQuaternion, Vector3, Vector4};
use xform_core::{Hierarchy, HierarchyError, Kept, NodeId, Real, Trs};

use super::{
    given_tree::{Oracle, Size, epsilon, path},
    placed::{linear, origin},
};

/// What remains of it once it is rounded to the scalar.
pub(crate) fn rounded<T: Real>(vector: &Vector3<f64>) -> Vector3<f64> {
    vector.map(|x| T::rounded(x).into())
}

pub(crate) fn world<X: Oracle>(hierarchy: &Hierarchy<X>, node: NodeId) -> Matrix4<f64> {
    X::expected(&path(hierarchy, node))
}

pub(crate) fn parent_path<X: Oracle>(hierarchy: &Hierarchy<X>, node: NodeId) -> Vec<Trs<f64>> {
    let mut path = path(hierarchy, node);
    path.pop();
    path
}

/// The matrix with its axes turned, and its origin elsewhere.
pub(crate) fn turned(
    matrix: &Matrix4<f64>,
    by: &UnitQuaternion<f64>,
    origin: &Vector3<f64>,
) -> Matrix4<f64> {
    let mut turned = by.to_homogeneous() * matrix;
    turned.fixed_view_mut::<3, 1>(0, 3).copy_from(origin);
    turned
}

/// Combined TRS, where no edit in the world loses anything.
pub(crate) fn keeps_all<X: Oracle>() -> bool {
    X::identity().parts().is_some()
}

/// How far the worst corner of the unit cube is apart.
fn worst_corner(a: &Matrix4<f64>, b: &Matrix4<f64>) -> f64 {
    let corner = |i: u8| {
        let [x, y, z] = [0, 1, 2].map(|axis| f64::from(i >> axis & 1) - 0.5);
        ((a - b) * Vector4::new(x, y, z, 1.0)).norm()
    };
    (0..8).map(corner).fold(0.0, f64::max)
}

/// The largest deviation of two axes from a right angle.
pub(crate) fn skew(linear: &Matrix3<f64>) -> f64 {
    let deviation = |(i, j): (usize, usize)| {
        let cosine = linear.column(i).normalize().dot(&linear.column(j).normalize());
        cosine.clamp(-1.0, 1.0).asin().abs()
    };
    [(0, 1), (0, 2), (1, 2)].map(deviation).into_iter().fold(0.0, f64::max)
}

/// Applies an edit to a copy, and checks what every edit must do: no local pose but the node's is
/// touched, and every world transform follows, to the same bits before propagation and after.
pub(crate) fn edited<X: Oracle>(
    hierarchy: &Hierarchy<X>,
    node: NodeId,
    edit: impl FnOnce(&mut Hierarchy<X>) -> Result<Kept<X::Scalar>, HierarchyError>,
) -> (Hierarchy<X>, Kept<X::Scalar>) {
    let mut after = hierarchy.clone();
    let kept = edit(&mut after).unwrap();
    let others = hierarchy.iter().filter(|&other| other != node);
    assert!(others.into_iter().all(|id| hierarchy.local(id) == after.local(id)));
    let pending: Vec<_> = hierarchy.iter().map(|id| after.world(id).unwrap()).collect();
    after.propagate();
    for (id, pending) in hierarchy.iter().zip(pending) {
        assert_eq!(after.world(id).unwrap(), pending);
        let path = path(&after, id);
        let size = Size::of(&path);
        let off = pending.to_homogeneous().map(Into::into) - X::expected(&path);
        assert!(off.norm() <= 64.0 * epsilon::<X::Scalar>() * size.nodes * size.reach);
    }
    (after, kept)
}

/// Checks what an edit says it kept against the world transform that was asked for.
pub(crate) fn check_kept<X: Oracle>(
    hierarchy: &Hierarchy<X>,
    node: NodeId,
    kept: Kept<X::Scalar>,
    wanted: &Matrix4<f64>,
) {
    let path = path(hierarchy, node);
    let (local, above) = path.split_last().unwrap();
    let parent = X::expected(above);
    let off = worst_corner(&X::expected(&path), wanted);
    let reach = linear(&parent).norm() * (local.scale.norm() + local.translation.norm())
        + origin(&parent).norm();
    let bound = Kept::<X::Scalar>::BOUND * epsilon::<X::Scalar>() * reach;
    // Where the parent stands is rounded as well, docs/conventions.md, and what is wanted with it;
    // for a root that is only its own axes and origin, once.
    let size = Size::of(&path);
    let count = if above.is_empty() { 8.0 } else { 96.0 * size.nodes };
    let noise = count * epsilon::<X::Scalar>() * (size.reach + wanted.norm());
    match kept {
        Kept::Exact => assert!(off <= bound + noise, "{off} is not exact, {bound} and {noise}"),
        Kept::Lossy { skew: found, displacement } => {
            assert!(!keeps_all::<X>(), "{kept:?} in combined TRS, {off}");
            let displacement = displacement.into();
            assert!((displacement - off).abs() <= noise, "{displacement} instead of {off}");
            assert!(displacement > bound - noise, "{displacement} counts as exact");
            let condition = Size::of(above).condition();
            let needed = linear(&parent).try_inverse().unwrap() * linear(wanted);
            let within = 64.0 * epsilon::<X::Scalar>() * size.nodes * condition.powi(2);
            // The arc sine has a root's slope at a right angle.
            let off = (found.into() - skew(&needed)).abs();
            assert!(off <= within.sqrt(), "skew {found} instead of {}", skew(&needed));
        }
    }
}

/// The angle between two rotations, also where it is small.
pub(crate) fn angle(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>) -> f64 {
    2.0 * (a * b.inverse()).imag().norm()
}
