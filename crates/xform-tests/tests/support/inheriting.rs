//! Trees in which each node inherits something else, and where they must be: in double precision from
//! the table at `Inherit`, with bounds for what rounding may do.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_core::{Hierarchy, Inherit, NodeId, Real, Transform, Trs};

use super::given_tree::{epsilon, rotation, vector};

/// Roundings a node, as docs/conventions.md allows them.
const ROUNDINGS: f64 = 32.0;

/// Parents in front of their children.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    pub(crate) parents: Vec<Option<usize>>,
    pub(crate) locals: Vec<Trs<f64>>,
    pub(crate) inherits: Vec<Inherit>,
}

impl Family {
    /// Not propagated.
    pub(crate) fn hierarchy<X: Transform>(&self) -> (Hierarchy<X>, Vec<NodeId>) {
        let locals: Vec<_> = self.locals.iter().map(Trs::cast).collect();
        let mut hierarchy = Hierarchy::new();
        let ids = hierarchy.insert_forest(None, &self.parents, &locals).unwrap();
        for (&id, &inherit) in ids.iter().zip(&self.inherits) {
            hierarchy.set_inherit(id, inherit).unwrap();
        }
        (hierarchy, ids)
    }
}

/// Non-uniform, and often mirroring; so near 1 that no path of 25 nodes loses all digits of `f64`.
pub(crate) fn pose() -> impl Strategy<Value = Trs<f64>> {
    let scale = proptest::array::uniform3(prop_oneof![3 => 0.6..1.7, 1 => -1.7..-0.6]);
    (vector(), rotation(), scale).prop_map(|(t, r, s)| Trs::from_parts(t, r, Vector3::from(s)))
}

pub(crate) fn inherit() -> impl Strategy<Value = Inherit> {
    proptest::sample::select(Inherit::EACH.to_vec())
}

/// Up to 25 nodes below one root or several. Half of them inherit everything, so that some paths
/// skew before something is left out.
pub(crate) fn family() -> impl Strategy<Value = Family> {
    let inherit = prop_oneof![Just(Inherit::All), inherit()];
    proptest::collection::vec((any::<usize>(), pose(), inherit), 1..=25).prop_map(|nodes| {
        let parent = |(node, &(random, ..)): (usize, &(usize, _, _))| {
            let near = || node - 1 - random / 7 % node.min(3);
            (node > 0 && !random.is_multiple_of(7)).then(near)
        };
        let parents = nodes.iter().enumerate().map(parent).collect();
        let locals = nodes.iter().map(|node| node.1).collect();
        Family { parents, locals, inherits: nodes.iter().map(|node| node.2).collect() }
    })
}

/// A world transform, and how far rounding may be from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) linear: Matrix3<f64>,
    pub(crate) origin: Vector3<f64>,
    /// The world rotation, and which axes are mirrored before it acts.
    pub(crate) rotation: Matrix3<f64>,
    pub(crate) signs: Vector3<f64>,
    pub(crate) product: Vector3<f64>,
    pub(crate) linear_off: f64,
    pub(crate) origin_off: f64,
    pub(crate) rotation_off: f64,
}

impl Known {
    pub(crate) fn root() -> Self {
        Self {
            linear: Matrix3::identity(),
            origin: Vector3::zeros(),
            rotation: Matrix3::identity(),
            signs: Vector3::repeat(1.0),
            product: Vector3::repeat(1.0),
            linear_off: 0.0,
            origin_off: 0.0,
            rotation_off: 0.0,
        }
    }

    /// Of all nodes, as they are in a hierarchy.
    pub(crate) fn of<X: Transform>(hierarchy: &Hierarchy<X>, ids: &[NodeId]) -> Vec<Self> {
        let one = |&id: &NodeId| {
            let mut path = vec![id];
            path.extend(hierarchy.ancestors(id).unwrap());
            path.iter().rev().fold(Self::root(), |above, &id| {
                let local = hierarchy.local(id).unwrap();
                above.below::<X>(hierarchy.inherit(id).unwrap(), local)
            })
        };
        ids.iter().map(one).collect()
    }

    /// One step down.
    pub(crate) fn below<X: Transform>(&self, inherit: Inherit, local: &Trs<X::Scalar>) -> Self {
        let local = local.cast::<f64>();
        let turn = UnitQuaternion::new_normalize(*local.rotation).to_rotation_matrix();
        let step = ROUNDINGS * epsilon::<X::Scalar>();
        let frame = self.frame::<X>(inherit);
        let mirror = Matrix3::from_diagonal(&frame.signs);
        let rotation = frame.rotation * mirror * turn.matrix() * mirror;
        let product = frame.product.component_mul(&local.scale);
        let (linear, signs) = if is_apart::<X>() {
            (rotation * Matrix3::from_diagonal(&product), frame.signs)
        } else {
            let own = turn.matrix() * Matrix3::from_diagonal(&local.scale);
            (frame.linear * own, frame.signs.component_mul(&local.scale.map(f64::signum)))
        };
        let parent = if inherit == Inherit::Nothing { Self::root() } else { *self };
        let t = local.translation;
        let reach = parent.linear.norm() * t.norm() + parent.origin.norm();
        Self {
            linear,
            origin: parent.origin + parent.linear * t,
            rotation,
            signs,
            product,
            linear_off: (frame.linear_off + step * frame.linear.norm()) * local.scale.amax(),
            origin_off: parent.origin_off + parent.linear_off * t.norm() + step * reach,
            rotation_off: frame.rotation_off + step,
        }
    }

    /// What the rotation and scale of a child act in, by the table at `Inherit`.
    pub(crate) fn frame<X: Transform>(&self, inherit: Inherit) -> Self {
        let root = Self { origin: self.origin, origin_off: self.origin_off, ..Self::root() };
        match inherit {
            Inherit::All => *self,
            Inherit::PositionOnly | Inherit::Nothing => root,
            Inherit::NoScale if is_apart::<X>() => {
                let Self { rotation, linear_off, rotation_off, .. } = *self;
                Self { linear: rotation, rotation, linear_off, rotation_off, ..root }
            }
            Inherit::NoRotation if is_apart::<X>() => {
                let Self { product, linear_off, .. } = *self;
                Self { linear: Matrix3::from_diagonal(&product), product, linear_off, ..root }
            }
            Inherit::NoScale => {
                let (polar, off) = self.polar::<X::Scalar>();
                Self { linear: polar, rotation: polar, linear_off: off, rotation_off: off, ..root }
            }
            Inherit::NoRotation => {
                let (polar, polar_off) = self.polar::<X::Scalar>();
                let mirrored = self.linear.determinant() < 0.0;
                // The stretching is at most √2 times as far off as the matrix, Higham, "Functions of
                // Matrices", theorem 8.9, as long as it is known whether it mirrors.
                let off = if polar_off.is_finite() {
                    2.0 * self.uncertainty::<X::Scalar>()
                } else {
                    polar_off
                };
                Self {
                    linear: polar.transpose() * self.linear,
                    signs: Vector3::new(if mirrored { -1.0 } else { 1.0 }, 1.0, 1.0),
                    product: self.product,
                    linear_off: off,
                    ..root
                }
            }
            other => unreachable!("{other:?} is not in the table"),
        }
    }

    fn uncertainty<T: Real>(&self) -> f64 {
        self.linear_off + ROUNDINGS * epsilon::<T>() * self.linear.norm()
    }

    /// The nearest rotation by Newton's iteration, and how far off it may be; infinitely, where it cannot
    /// be said whether the matrix mirrors.
    fn polar<T: Real>(&self) -> (Matrix3<f64>, f64) {
        let mut proper = self.linear;
        if proper.determinant() < 0.0 {
            proper.column_mut(0).neg_mut();
        }
        let singular = proper.singular_values();
        let average = |x: Matrix3<f64>, _| (x + x.try_inverse().unwrap().transpose()) * 0.5;
        let rotation = (0..60).fold(proper, average);
        let is_known = 64.0 * self.uncertainty::<T>() < singular[2];
        // Higham, theorem 8.9 again.
        let off = 2.0 * self.uncertainty::<T>() / (singular[1] + singular[2]);
        (rotation, if is_known { off } else { f64::INFINITY })
    }

    pub(crate) fn check<X: Transform>(&self, world: &X) {
        let world = world.to_homogeneous().map(Into::<f64>::into);
        let linear = (world.fixed_view::<3, 3>(0, 0) - self.linear).norm();
        let origin = (world.fixed_view::<3, 1>(0, 3) - self.origin).norm();
        assert!(linear <= self.linear_off, "{linear} off, {world} for {self:?}");
        assert!(origin <= self.origin_off, "{origin} off, {world} for {self:?}");
    }
}

/// Combined TRS.
pub(crate) fn is_apart<X: Transform>() -> bool {
    X::identity().parts().is_some()
}
