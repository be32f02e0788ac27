//! Edits in the world of nodes that inherit less than everything.

use nalgebra::{Matrix3, Matrix4, Point3, UnitQuaternion, Vector3, Vector4};
use proptest::prelude::*;
use xform_cases::properties;
use xform_core::{
    Axes, Hierarchy, Inherit, Kept, NodeId, Real, Transform, Trs, spaces::WorldScale,
    strategy::RelativeTransform,
};
use xform_trs::CombinedTrs;

use crate::support::{
    every_strategy::for_every_strategy,
    given_tree::{epsilon, rotation, vector},
    inheriting::{Family, Known, family, inherit, is_apart, pose},
    placed::{Edit, at, linear, narrow, origin, turn, wide, world},
};

/// Roundings of what was computed with: [`Kept::BOUND`] for the worst corner, which the distance between
/// two matrices is at most √5 times, and the world transforms on both sides.
const ROUNDINGS: f64 = 128.0;

/// What an edit is given.
#[derive(Clone, Debug)]
struct Wish {
    pose: Trs<f64>,
    inner: Trs<f64>,
    turn: UnitQuaternion<f64>,
    point: Vector3<f64>,
    up: Vector3<f64>,
    other: prop::sample::Index,
}

fn wish() -> impl Strategy<Value = Wish> {
    (pose(), pose(), rotation(), vector(), vector(), any::<prop::sample::Index>()).prop_map(
        |(pose, inner, turn, point, up, other)| Wish { pose, inner, turn, point, up, other },
    )
}

/// A node before an edit.
struct Case<X: RelativeTransform> {
    hierarchy: Hierarchy<X>,
    node: NodeId,
    inherit: Inherit,
    world: Matrix4<f64>,
    above: Known,
    /// What its rotation and scale act in.
    frame: Known,
}

/// What remains once it is rounded to the scalar.
fn rounded<T: Real>(vector: &Vector3<f64>) -> Vector3<f64> {
    narrow::<T>(vector).map(Into::into)
}

fn worst_corner(difference: &Matrix4<f64>) -> f64 {
    let corner = |i: u8| {
        let [x, y, z] = [0, 1, 2].map(|axis| f64::from(i >> axis & 1) - 0.5);
        (difference * Vector4::new(x, y, z, 1.0)).norm()
    };
    (0..8).map(corner).fold(0.0, f64::max)
}

/// Whether a node's world transform is always a translation, rotation and scale.
fn has_straight_axes<X: Transform>(inherit: Inherit) -> bool {
    is_apart::<X>() || !inherit.scale()
}

fn known<X: Transform>(hierarchy: &Hierarchy<X>, node: NodeId) -> Known {
    Known::of(hierarchy, &[node])[0]
}

/// Whether the scalar can tell it from flat.
fn has_inverse(known: &Known) -> bool {
    known.linear.try_inverse().is_some_and(|inverse| inverse.norm() * known.linear_off < 0.01)
}

impl<X: RelativeTransform> Case<X> {
    /// `None` where a parent is too flat for the scalar to have an inverse that means anything.
    fn new(family: &Family, wish: &Wish, inherit: Inherit) -> Option<Self> {
        let (mut hierarchy, ids) = family.hierarchy::<X>();
        let node = ids[wish.other.index(ids.len())];
        hierarchy.set_inherit(node, inherit).unwrap();
        let parent = hierarchy.parent(node).unwrap();
        let above = parent.map_or(Known::root(), |parent| known(&hierarchy, parent));
        if !has_inverse(&above) {
            return None;
        }
        let world = world(&hierarchy, node);
        Some(Self { hierarchy, node, inherit, world, above, frame: above.frame::<X>(inherit) })
    }

    /// Applies an edit to a copy and checks what it says it kept.
    fn edited(
        &self,
        wanted: &Matrix4<f64>,
        edit: impl FnOnce(&mut Hierarchy<X>, NodeId) -> Edit<X::Scalar>,
    ) -> (Hierarchy<X>, Kept<X::Scalar>) {
        let mut after = self.hierarchy.clone();
        let kept = edit(&mut after, self.node).unwrap();
        let found = world(&after, self.node);
        assert_eq!(after.inherit(self.node), Ok(self.inherit));
        let local: Trs<f64> = after.local(self.node).unwrap().cast();
        let parent = after.parent(self.node).unwrap().filter(|_| self.inherit != Inherit::Nothing);
        let parent = parent.map_or(Matrix4::identity(), |parent| world(&after, parent));
        let frame = if self.inherit.scale() { linear(&parent).norm() } else { 2.0 };
        let reach = frame * local.scale.norm()
            + linear(&parent).norm() * local.translation.norm()
            + origin(&parent).norm();
        let within = ROUNDINGS * epsilon::<X::Scalar>() * (reach + wanted.norm());
        let off = worst_corner(&(found - wanted));
        match kept {
            Kept::Exact => assert!(off <= within, "{off} is not exact, {within}"),
            Kept::Lossy { displacement, .. } => {
                assert!(!is_apart::<X>(), "{kept:?} in combined TRS");
                let displacement = displacement.into();
                assert!((displacement - off).abs() <= within, "{displacement} instead of {off}");
            }
        }
        after.propagate();
        assert_eq!(world(&after, self.node), found);
        (after, kept)
    }

    /// What [`edited`](Self::edited) does, for an edit that has an answer.
    fn exactly(
        &self,
        wanted: &Matrix4<f64>,
        edit: impl FnOnce(&mut Hierarchy<X>, NodeId) -> Edit<X::Scalar>,
    ) -> Hierarchy<X> {
        let (after, kept) = self.edited(wanted, edit);
        assert!(kept.is_exact(), "{kept:?} of {wanted} for {:?}", self.inherit);
        after
    }

    fn can_turn_rigidly(&self) -> bool {
        has_straight_axes::<X>(self.inherit)
    }
}

fn worlds_are_set<X: RelativeTransform>(family: &Family, wish: &Wish, inherit: Inherit) {
    let Some(case) = Case::<X>::new(family, wish, inherit) else { return };
    let straight = X::identity().concat(&wish.pose.cast());
    for target in [straight, straight.concat(&wish.inner.cast())] {
        let wanted = target.to_homogeneous().map(Into::into);
        let (after, kept) = case.edited(&wanted, |h, node| h.set_world(node, target));
        let can = is_apart::<X>()
            || !inherit.scale() && target.to_homogeneous() == straight.to_homogeneous();
        assert!(kept.is_exact() || !can, "{kept:?} for {inherit:?}");
        let off = (origin(&world(&after, case.node)) - origin(&wanted)).norm();
        let parent = after.parent(case.node).unwrap();
        let reach = parent.map_or(1.0, |parent| {
            let parent = world(&after, parent);
            parent.norm()
                * (1.0 + after.local(case.node).unwrap().translation.map(Into::<f64>::into).norm())
        });
        assert!(off <= ROUNDINGS * epsilon::<X::Scalar>() * (reach + wanted.norm()));
    }
}

fn nodes_are_moved<X: RelativeTransform>(family: &Family, wish: &Wish, inherit: Inherit) {
    let Some(case) = Case::<X>::new(family, wish, inherit) else { return };
    let axes = linear(&case.world);
    let step = rounded::<X::Scalar>(&wish.point);
    let narrow = narrow(&wish.point);
    case.exactly(&at(&axes, &step), |h, node| h.set_world_translation(node, narrow));
    let moved = at(&axes, &(origin(&case.world) + step));
    case.exactly(&moved, |h, node| h.translate(node, narrow, Axes::World));
    // Along its own axes, in the units of what it inherits.
    let mut after = case.hierarchy.clone();
    let kept = after.translate(case.node, narrow, Axes::Local).unwrap();
    let local = case.hierarchy.local(case.node).unwrap();
    let along = case.frame.linear * (wide(&local.rotation) * step);
    let found = origin(&world(&after, case.node)) - origin(&case.world);
    let translation = after.local(case.node).unwrap().translation.map(Into::<f64>::into);
    let parent =
        after.parent(case.node).unwrap().map_or(1.0, |parent| world(&after, parent).norm());
    let reach = (parent + case.frame.linear.norm()) * (1.0 + translation.norm() + step.norm());
    let within = case.frame.linear_off * step.norm() + ROUNDINGS * epsilon::<X::Scalar>() * reach;
    assert!(kept.is_exact() && (found - along).norm() <= within, "{found} instead of {along}");
}

fn nodes_are_turned<X: RelativeTransform>(family: &Family, wish: &Wish, inherit: Inherit) {
    let Some(case) = Case::<X>::new(family, wish, inherit) else { return };
    let Case { hierarchy, node, world: before, .. } = &case;
    let narrowed = turn(&wish.turn);
    let (wanted, old) = (wide(&narrowed), wide(&hierarchy.world_rotation(*node).unwrap()));
    let turned = |by: UnitQuaternion<f64>, origin| {
        at(&(by.to_rotation_matrix().matrix() * linear(before)), &origin)
    };
    let rigid = turned(wanted * old.inverse(), origin(before));
    let (after, kept) = case.edited(&rigid, |h, node| h.set_world_rotation(node, narrowed));
    assert!(kept.is_exact() || !case.can_turn_rigidly(), "{kept:?}");
    let found = wide(&after.world_rotation(*node).unwrap());
    let off = 2.0 * (found * wanted.inverse()).imag().norm();
    assert!(off <= 32.0 * epsilon::<X::Scalar>(), "{found} instead of {wanted}");
    let rigid = turned(wanted, origin(before));
    let (_, kept) = case.edited(&rigid, |h, node| h.rotate(node, narrowed, Axes::World));
    assert!(kept.is_exact() || !case.can_turn_rigidly(), "{kept:?}");
    let point = rounded::<X::Scalar>(&wish.point);
    let rigid = turned(wanted, point + wanted * (origin(before) - point));
    let around = Point3::from(narrow(&wish.point));
    let (_, kept) = case.edited(&rigid, |h, node| h.rotate_around(node, around, narrowed));
    assert!(kept.is_exact() || !case.can_turn_rigidly(), "{kept:?}");
    let local = *hierarchy.local(*node).unwrap();
    let (own, about_parent) = (local.rotation * narrowed, narrowed * local.rotation);
    for (axes, rotation) in [(Axes::Local, own), (Axes::Parent, about_parent)] {
        let mut after = hierarchy.clone();
        assert_eq!(after.rotate(*node, narrowed, axes), Ok(Kept::Exact));
        let expected = case.above.below::<X>(inherit, &local.with_rotation(rotation));
        expected.check(&after.world(*node).unwrap());
    }
}

fn nodes_look<X: RelativeTransform>(family: &Family, wish: &Wish, inherit: Inherit) {
    let Some(case) = Case::<X>::new(family, wish, inherit) else { return };
    let (target, up) = (rounded::<X::Scalar>(&wish.point), rounded::<X::Scalar>(&wish.up));
    let ahead = target - origin(&case.world);
    let aside = ahead.cross(&up);
    let condition = case.frame.linear.norm() * case.frame.linear.try_inverse().unwrap().norm();
    if ahead.norm() < 0.5 || aside.norm() < 0.3 * ahead.norm() * up.norm() || condition > 100.0 {
        return;
    }
    let mut after = case.hierarchy.clone();
    let kept = after.look_at(case.node, narrow(&target), narrow(&up)).unwrap();
    assert!(kept.is_exact() || !case.can_turn_rigidly(), "{kept:?}");
    let axes = linear(&world(&after, case.node));
    let [y, z] = [1, 2].map(|i| axes.column(i).normalize());
    // The origin is rounded, and seen from near.
    let far = 1.0 + (origin(&case.world).norm() + target.norm()) / ahead.norm();
    let within = 256.0 * epsilon::<X::Scalar>() * condition * condition * far;
    assert!((z + ahead.normalize()).norm() <= within, "{z} does not look along {ahead}");
    assert!(y.dot(&aside.normalize()).abs() <= 4.0 * within, "{y} is aside of {up}");
    assert!(y.dot(&(up - ahead * ahead.dot(&up) / ahead.norm_squared())) > 0.0);
}

fn nodes_are_kept<X: RelativeTransform>(family: &Family, wish: &Wish, inherit: Inherit) {
    let Some(case) = Case::<X>::new(family, wish, inherit) else { return };
    let Case { hierarchy, node, world: before, .. } = &case;
    let ids: Vec<_> = hierarchy.iter().collect();
    let base = (ids.len() > 2).then(|| ids[ids.len() / 2]);
    let has_inverse = base.is_none_or(|base| has_inverse(&known(hierarchy, base)));
    let can_hang = hierarchy.clone().reparent(*node, base).is_ok();
    if !has_inverse || !can_hang || hierarchy.parent(*node) == Ok(base) {
        return;
    }
    let told = hierarchy.relative_pose(*node, base).unwrap();
    let (after, kept) = case.edited(before, |h, node| h.reparent_keeping_world(node, base));
    assert_eq!(told, (*after.local(*node).unwrap(), kept));
    assert!(kept.is_exact() || !case.can_turn_rigidly(), "{kept:?}");
    assert_eq!(after.parent(*node), Ok(base));
}

fn nodes_are_put_back<X: RelativeTransform>(family: &Family, wish: &Wish, inherit: Inherit) {
    let Some(mut case) = Case::<X>::new(family, wish, inherit) else { return };
    let before = case.hierarchy.world(case.node).unwrap();
    let was_straight = case.can_turn_rigidly();
    for &other in Inherit::EACH {
        case.hierarchy.set_inherit(case.node, other).unwrap();
        case.inherit = other;
        let (_, kept) = case.edited(&case.world, |h, node| h.set_world(node, before));
        let can = is_apart::<X>() || was_straight && !other.scale();
        assert!(kept.is_exact() || !can, "{kept:?} from {inherit:?} to {other:?}");
    }
}

fn nodes_are_scaled<T: Real>(family: &Family, wish: &Wish, inherit: Inherit) {
    let Some(case) = Case::<CombinedTrs<T>>::new(family, wish, inherit) else { return };
    let scale = narrow(&wish.pose.scale);
    let axes = wide(&case.hierarchy.world_rotation(case.node).unwrap()).to_rotation_matrix();
    let wanted = axes.matrix() * Matrix3::from_diagonal(&scale.map(Into::into));
    let wanted = at(&wanted, &origin(&case.world));
    let after = case.exactly(&wanted, |h, node| h.set_world_scale(node, scale));
    let found = after.world_scale(case.node, WorldScale::Product).unwrap();
    assert!((found - scale).amax() <= T::rounded(8.0) * T::default_epsilon());
}

properties! {
    #![cases(256)]

    #[test]
    fn the_world_is_what_it_was_set_to(
        family in family(), wish in wish(), inherit in inherit()
    ) {
        for_every_strategy!(worlds_are_set(&family, &wish, inherit));
        nodes_are_scaled::<f64>(&family, &wish, inherit);
        nodes_are_scaled::<f32>(&family, &wish, inherit);
    }

    #[test]
    fn an_origin_is_where_it_was_put(family in family(), wish in wish(), inherit in inherit()) {
        for_every_strategy!(nodes_are_moved(&family, &wish, inherit));
    }

    #[test]
    fn a_turn_is_the_one_asked_for(family in family(), wish in wish(), inherit in inherit()) {
        for_every_strategy!(nodes_are_turned(&family, &wish, inherit));
    }

    #[test]
    fn a_node_looks_where_it_should(family in family(), wish in wish(), inherit in inherit()) {
        for_every_strategy!(nodes_look(&family, &wish, inherit));
    }

    #[test]
    fn a_node_stays_where_it_is_below_another_parent(
        family in family(), wish in wish(), inherit in inherit()
    ) {
        for_every_strategy!(nodes_are_kept(&family, &wish, inherit));
    }

    #[test]
    fn a_node_goes_back_to_where_it_was_before_it_inherited_something_else(
        family in family(), wish in wish(), inherit in inherit()
    ) {
        for_every_strategy!(nodes_are_put_back(&family, &wish, inherit));
    }
}
