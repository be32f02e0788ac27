//! Random trees, and what each strategy must give on them: matrices in double precision from the
//! local poses alone.

use std::fmt::Debug;

use nalgebra::{Matrix3, Matrix4, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_core::{Hierarchy, NodeId, Real, Transform, Trs, strategy::RelativeTransform};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use super::placed::linear;

/// Parents in front of their children, and a pose a node.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) parents: Vec<Option<usize>>,
    pub(crate) locals: Vec<Trs<f64>>,
}

impl Tree {
    pub(crate) fn hierarchy<X: Transform>(&self) -> (Hierarchy<X>, Vec<NodeId>) {
        let locals: Vec<_> = self.locals.iter().map(Trs::cast).collect();
        let mut hierarchy = Hierarchy::new();
        let ids = hierarchy.insert_forest(None, &self.parents, &locals).unwrap();
        hierarchy.propagate();
        (hierarchy, ids)
    }
}

pub(crate) fn rotation() -> impl Strategy<Value = UnitQuaternion<f64>> {
    proptest::array::uniform3(-3.0..3.0)
        .prop_map(|axis| UnitQuaternion::from_scaled_axis(Vector3::from(axis)))
}

pub(crate) fn vector() -> impl Strategy<Value = Vector3<f64>> {
    proptest::array::uniform3(-5.0..5.0).prop_map(Vector3::from)
}

/// Non-uniform, and sometimes mirroring; so near 1 that no path of 25 nodes loses all digits of `f64`.
pub(crate) fn non_uniform_scale() -> impl Strategy<Value = Vector3<f64>> {
    let factor = prop_oneof![4 => 0.6..1.7, 1 => -1.7..-0.6];
    proptest::array::uniform3(factor).prop_map(Vector3::from)
}

pub(crate) fn pose(scale: impl Strategy<Value = Vector3<f64>>) -> impl Strategy<Value = Trs<f64>> {
    (vector(), rotation(), scale).prop_map(|(t, r, s)| Trs::from_parts(t, r, s))
}

/// One to 25 nodes, below one root or several.
pub(crate) fn tree(
    scale: impl Strategy<Value = Vector3<f64>> + Clone,
) -> impl Strategy<Value = Tree> {
    (1_usize..=25).prop_flat_map(move |len| {
        let parent = |node: usize| {
            let parent = proptest::option::weighted(0.85, 0..node.max(1));
            parent.prop_map(move |parent| parent.filter(|&parent| parent < node))
        };
        let locals = proptest::collection::vec(pose(scale.clone()), len);
        ((0..len).map(parent).collect::<Vec<_>>(), locals)
            .prop_map(|(parents, locals)| Tree { parents, locals })
    })
}

/// A strategy of which it is known what it must give.
pub(crate) trait Oracle: RelativeTransform + Debug + PartialEq {
    /// The 4×4 world matrix at the end of a path of local poses, root first.
    fn expected(path: &[Trs<f64>]) -> Matrix4<f64>;

    /// The world rotation at the end of a path.
    fn rotation(path: &[Trs<f64>]) -> UnitQuaternion<f64>;
}

impl<T: Real> Oracle for AccumulatedMatrix<T> {
    fn expected(path: &[Trs<f64>]) -> Matrix4<f64> {
        path.iter().fold(Matrix4::identity(), |world, local| world * matrix(local))
    }

    /// That of the world matrix if every scale were a sign, with the signs taken out at its end.
    fn rotation(path: &[Trs<f64>]) -> UnitQuaternion<f64> {
        let signs_alone: Vec<_> =
            path.iter().map(|local| local.with_scale(local.scale.map(f64::signum))).collect();
        let mirror = |sum: Vector3<f64>, local: &Trs<f64>| sum.component_mul(&local.scale);
        let signs = signs_alone.iter().fold(Vector3::repeat(1.0), mirror);
        let turned = linear(&Self::expected(&signs_alone)) * Matrix3::from_diagonal(&signs);
        UnitQuaternion::from_matrix(&turned)
    }
}

impl<T: Real> Oracle for CombinedTrs<T> {
    fn expected(path: &[Trs<f64>]) -> Matrix4<f64> {
        let world = path.iter().fold(Trs::<f64>::identity(), |parent, local| {
            let step = parent.scale.component_mul(&local.translation);
            Trs::from_parts(
                parent.translation + parent.rotation * step,
                UnitQuaternion::new_normalize(*(parent.rotation * local.rotation)),
                parent.scale.component_mul(&local.scale),
            )
        });
        matrix(&world)
    }

    fn rotation(path: &[Trs<f64>]) -> UnitQuaternion<f64> {
        path.iter().fold(UnitQuaternion::identity(), |world, local| {
            UnitQuaternion::new_normalize(*(world * local.rotation))
        })
    }
}

/// `T · R · S`, by nalgebra alone.
pub(crate) fn matrix(pose: &Trs<f64>) -> Matrix4<f64> {
    Matrix4::new_translation(&pose.translation)
        * pose.rotation.to_homogeneous()
        * Matrix4::new_nonuniform_scaling(&pose.scale)
}

/// The local poses from the root down to a node, as they are now.
pub(crate) fn path<X: Transform>(hierarchy: &Hierarchy<X>, node: NodeId) -> Vec<Trs<f64>> {
    let nodes = std::iter::once(node).chain(hierarchy.ancestors(node).unwrap());
    let local = |node| {
        let local: Trs<f64> = hierarchy.local(node).unwrap().cast();
        local.with_rotation(UnitQuaternion::new_normalize(*local.rotation))
    };
    let mut path: Vec<_> = nodes.map(local).collect();
    path.reverse();
    path
}

/// How large things can get on a path: bounds for what rounding does to them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) nodes: f64,
    /// Of the 3×3 part, and of its inverse.
    pub(crate) scale: f64,
    pub(crate) inverse: f64,
    /// Of the origin and the axes together.
    pub(crate) reach: f64,
}

impl Size {
    pub(crate) fn of(path: &[Trs<f64>]) -> Self {
        let start = Self { nodes: 1.0, scale: 1.0, inverse: 1.0, reach: 0.0 };
        let size = path.iter().fold(start, |size, local| Self {
            nodes: size.nodes + 1.0,
            scale: size.scale * local.scale.amax(),
            inverse: size.inverse / local.scale.map(f64::abs).min(),
            reach: size.reach + size.scale * local.translation.norm(),
        });
        Self { reach: size.reach + size.scale, ..size }
    }

    /// How many times worse the inverse may get a relative error.
    pub(crate) fn condition(&self) -> f64 {
        self.scale * self.inverse
    }
}

pub(crate) fn epsilon<T: Real>() -> f64 {
    T::default_epsilon().into()
}
