//! Conversions between spaces, against the world matrices that the local poses give.

mod found;

use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_core::{
    Hierarchy, NodeId, Real, Space, Transform, Trs,
    spaces::{Conversion, RotationConversion},
};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::support::{
    every_strategy::for_every_strategy,
    given_tree::{
        Oracle, Size, Tree, epsilon, non_uniform_scale, path, pose, rotation, tree, vector,
    },
    placed::{linear, narrow, turn, widened},
};

/// Roundings a node and a factor for vectors that are longer than 1: with 32 for a world transform,
/// docs/conventions.md, and as much again for its inverse.
const ROUNDINGS: f64 = 64.0;

/// What is converted.
#[derive(Clone, Debug)]
struct Things {
    point: Vector3<f64>,
    vector: Vector3<f64>,
    normal: Vector3<f64>,
    rotation: UnitQuaternion<f64>,
}

fn things() -> impl Strategy<Value = Things> {
    let long = |vector: &Vector3<f64>| vector.norm() > 0.1;
    (vector(), vector().prop_filter("long", long), vector().prop_filter("long", long), rotation())
        .prop_map(|(point, vector, normal, rotation)| Things { point, vector, normal, rotation })
}

/// The local poses that lead down to a space.
fn path_to<X: Oracle>(hierarchy: &Hierarchy<X>, space: Space) -> Vec<Trs<f64>> {
    let node = match space {
        Space::World => None,
        Space::Local(node) => Some(node),
        Space::Parent(node) => hierarchy.parent(node).unwrap(),
    };
    node.map_or(Vec::new(), |node| path(hierarchy, node))
}

/// What a conversion must do, and how far it may be off.
struct Expected {
    target_from_source: Matrix4<f64>,
    source: Vec<Trs<f64>>,
    target: Vec<Trs<f64>>,
    world_rotation: fn(&[Trs<f64>]) -> UnitQuaternion<f64>,
    /// For the origin, and for a vector of length 1.
    within: (f64, f64),
    angle_within: f64,
}

impl Expected {
    fn new<X: Oracle>(source: &[Trs<f64>], target: &[Trs<f64>]) -> Self {
        let (s, t) = (Size::of(source), Size::of(target));
        let nodes = s.nodes + t.nodes;
        let unit = ROUNDINGS * epsilon::<X::Scalar>() * nodes * t.condition() * t.inverse;
        let target_from_world = X::expected(target).try_inverse().unwrap();
        Self {
            target_from_source: target_from_world * X::expected(source),
            source: source.to_vec(),
            target: target.to_vec(),
            world_rotation: X::rotation,
            within: (unit * (s.reach + t.reach), unit * s.scale),
            angle_within: 16.0 * epsilon::<X::Scalar>() * nodes,
        }
    }

    fn between<X: Oracle>(hierarchy: &Hierarchy<X>, from: Space, to: Space) -> Self {
        Self::new::<X>(&path_to(hierarchy, from), &path_to(hierarchy, to))
    }

    fn check<T: Real>(&self, conversion: &Conversion<T>, things: &Things) {
        self.check_point(conversion, &things.point);
        self.check_vector(conversion, &things.vector);
        self.check_normal(conversion, &things.normal);
    }

    fn check_rotation<T: Real>(&self, conversion: &RotationConversion<T>, things: &Things) {
        let found = conversion.rotation(&turn(&things.rotation));
        let found = UnitQuaternion::new_normalize(*Trs::from_rotation(found).cast().rotation);
        // Something with that rotation in either space is turned alike in the world.
        let below = |path: &[Trs<f64>], rotation| {
            (self.world_rotation)(&[path, &[Trs::from_rotation(rotation)]].concat())
        };
        let (found, expected) = (below(&self.target, found), below(&self.source, things.rotation));
        // Not by `angle_to`, whose arc cosine is flat at 1.
        let angle = (found * expected.inverse()).imag().norm() * 2.0;
        assert!(angle <= self.angle_within, "turned by {angle}");
    }

    fn check_point<T: Real>(&self, conversion: &Conversion<T>, point: &Vector3<f64>) {
        let found = widened(&conversion.point(&narrow::<T>(point).into()).coords);
        let expected = self.target_from_source.transform_point(&Point3::from(*point)).coords;
        let within = self.within.0 + self.within.1 * point.norm();
        let off = (found - expected).norm();
        assert!(off <= within, "{found} instead of {expected}, within {within}");
        let matrix = conversion.to_homogeneous().map(Into::into);
        let off = (matrix.transform_point(&Point3::from(*point)).coords - expected).norm();
        assert!(off <= within, "{matrix} does not convert {point} to {expected}");
    }

    fn check_vector<T: Real>(&self, conversion: &Conversion<T>, vector: &Vector3<f64>) {
        let length = vector.norm();
        let within = self.within.1 * length;
        let expected = linear(&self.target_from_source) * vector;
        let found = widened(&conversion.vector(&narrow(vector)));
        assert!((found - expected).norm() <= within, "{found} instead of {expected}");
        let directed = widened(&conversion.direction(&narrow(vector)).unwrap());
        let few = 8.0 * epsilon::<T>() * length;
        assert!((directed.norm() - length).abs() <= few, "{directed} is not of length {length}");
        let expected_length = expected.norm();
        let within = 2.0 * within / expected_length * length + few;
        let off = (directed - expected / expected_length * length).norm();
        assert!(off <= within, "{directed} is not along {expected}");
    }

    /// With N the inverse transpose, an error δ of the map is one of ‖N‖²·δ of N, and what it makes
    /// of a unit normal is at least 1/‖M‖ long.
    fn check_normal<T: Real>(&self, conversion: &Conversion<T>, normal: &Vector3<f64>) {
        let map = linear(&self.target_from_source);
        let inverse = map.try_inverse().unwrap();
        let off = 4.0 * self.within.1 * inverse.norm_squared() * map.norm();
        if off > 0.1 {
            return; // in f32 so ill-conditioned a map need not even count as invertible
        }
        let found = widened(&conversion.normal(&narrow(normal)).unwrap());
        assert!((found.norm() - 1.0).abs() <= 4.0 * epsilon::<T>(), "{found} is not unit");
        let expected = inverse.transpose() * normal;
        let error = (found - expected.normalize()).norm();
        assert!(error <= off, "{found} instead of {expected}, {error} > {off}");
        let covector = widened(&conversion.covector(&narrow(normal)).unwrap());
        let error = (covector - expected).norm() / expected.norm();
        assert!(error <= off, "{covector} instead of {expected}, {error} > {off}");
        // Two tangents stay tangents, and what was outside stays so.
        let tangent = normal.cross(&Vector3::ith(normal.iamin(), 1.0)).normalize();
        let tangents = [tangent, normal.cross(&tangent).normalize()];
        for moved in tangents.map(|tangent| map * tangent) {
            assert!(found.dot(&moved).abs() <= off * moved.norm(), "{found} on {moved}");
        }
        for outward in [*normal, normal + tangents[0] * 3.0, normal - tangents[1] * 2.0] {
            let height = found.dot(&(map * outward));
            assert!(height > -off * map.norm() * outward.norm(), "{found} looks inside");
        }
        assert!(found.dot(&(map * normal)) > 0.0 || off > 1e-3, "{found} looks inside");
    }
}

/// To and fro between the world, parents, ancestors, strangers and the node itself.
fn pairs<X: Oracle>(hierarchy: &Hierarchy<X>, ids: &[NodeId]) -> Vec<(Space, Space)> {
    let of_node = |(i, &node): (usize, &NodeId)| {
        let ancestor = hierarchy.ancestors(node).unwrap().last().unwrap_or(node);
        let others = [ids[(7 * i + 3) % ids.len()], ids[ids.len() - 1 - i], ancestor, node];
        let mut pairs = vec![(Space::World, node.into()), (Space::Parent(node), node.into())];
        pairs.extend(others.map(|other| (Space::Local(other), Space::Local(node))));
        pairs.push((Space::Parent(others[0]), Space::Parent(node)));
        pairs.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]).collect::<Vec<_>>()
    };
    ids.iter().enumerate().flat_map(of_node).collect()
}

fn check_all<X: Oracle>(
    hierarchy: &Hierarchy<X>,
    ids: &[NodeId],
    things: &Things,
) -> Vec<Conversion<X::Scalar>> {
    let check = |(from, to)| {
        let conversion = hierarchy.conversion(from, to).unwrap();
        let expected = Expected::between(hierarchy, from, to);
        expected.check(&conversion, things);
        expected.check_rotation(&hierarchy.rotation_conversion(from, to).unwrap(), things);
        let back = hierarchy.conversion(to, from).unwrap();
        there_and_back((&conversion, &expected), (&back, to, from), hierarchy, things);
        conversion
    };
    pairs(hierarchy, ids).into_iter().map(check).collect()
}

/// What the way there is off by is enlarged by the way back.
fn there_and_back<X: Oracle>(
    (there, expected): (&Conversion<X::Scalar>, &Expected),
    (back, from, to): (&Conversion<X::Scalar>, Space, Space),
    hierarchy: &Hierarchy<X>,
    things: &Things,
) {
    let point: Point3<X::Scalar> = narrow(&things.point).into();
    let away = there.point(&point);
    let found = widened(&(back.point(&away) - point));
    let returning = Expected::between(hierarchy, from, to);
    let enlarged = linear(&returning.target_from_source).norm();
    let first = expected.within.0 + expected.within.1 * things.point.norm();
    let second = returning.within.0 + returning.within.1 * (widened(&away.coords).norm() + first);
    assert!(found.norm() <= enlarged * first + second, "back at {found}");
}

/// Edits of any kind: poses and parents.
fn edit<X: Transform>(hierarchy: &mut Hierarchy<X>, ids: &[NodeId], pose: &Trs<f64>) {
    hierarchy.set_local(ids[0], pose.cast()).unwrap();
    let (last, middle) = (ids[ids.len() - 1], ids[ids.len() / 2]);
    hierarchy.set_translation(middle, narrow(&pose.scale)).unwrap();
    hierarchy.reparent(middle, None).unwrap();
    if last != middle {
        hierarchy.reparent(last, middle).unwrap();
        hierarchy.set_rotation(last, pose.cast().rotation).unwrap();
    }
}

fn conversions_agree<X: Oracle>(tree: &Tree, things: &Things, pose: &Trs<f64>) {
    let (mut hierarchy, ids) = tree.hierarchy::<X>();
    check_all(&hierarchy, &ids, things);
    edit(&mut hierarchy, &ids, pose);
    let pending = check_all(&hierarchy, &ids, things);
    hierarchy.propagate();
    assert_eq!(check_all(&hierarchy, &ids, things), pending);
}

fn batches_equal_singles<X: Oracle>(tree: &Tree, things: &Things) {
    let (hierarchy, ids) = tree.hierarchy::<X>();
    let conversion = hierarchy.conversion(ids[ids.len() - 1], ids[ids.len() / 2]).unwrap();
    let given = [things.point, things.vector, things.normal, Vector3::zeros()];
    let given = given.map(|vector| narrow::<X::Scalar>(&vector));
    let mut points = given.map(Point3::from);
    conversion.points(&mut points);
    assert_eq!(points, given.map(|v| conversion.point(&v.into())));
    let mut vectors = given;
    conversion.vectors(&mut vectors);
    assert_eq!(vectors, given.map(|v| conversion.vector(&v)));
    let mut directions = given;
    conversion.directions(&mut directions).unwrap();
    assert_eq!(directions, given.map(|v| conversion.direction(&v).unwrap()));
    assert_eq!(directions[3], Vector3::zeros());
    let mut normals = given;
    conversion.normals(&mut normals).unwrap();
    assert_eq!(normals, given.map(|v| conversion.normal(&v).unwrap()));
    assert_eq!(normals[3], Vector3::zeros());
    let mut rotations = [turn(&things.rotation), UnitQuaternion::identity()];
    let conversion = hierarchy.rotation_conversion(ids[ids.len() - 1], ids[ids.len() / 2]).unwrap();
    conversion.rotations(&mut rotations);
    assert_eq!(rotations[0], conversion.rotation(&turn(&things.rotation)));
    assert_eq!(rotations[1], conversion.rotation(&UnitQuaternion::identity()));
}

/// A tree as it is below one root at the origin and below one far away: what moves all alike makes
/// no difference, so the same bound holds for both.
fn far_is_as_good_as_near<X: Oracle>(tree: &Tree, things: &Things, root: &Trs<f64>) {
    const FAR: f64 = 1e6;
    let near = root.with_translation(Vector3::zeros());
    let below = |parent: &Option<usize>| Some(parent.map_or(0, |parent| parent + 1));
    let parents = std::iter::once(None).chain(tree.parents.iter().map(below)).collect();
    let locals = std::iter::once(near).chain(tree.locals.iter().copied()).collect();
    let (mut hierarchy, ids) = Tree { parents, locals }.hierarchy::<X>();
    let nodes_only = |&(a, b): &(Space, Space)| a != Space::World && b != Space::World;
    let not_above = |&(a, b): &(Space, Space)| ![a, b].contains(&Space::Parent(ids[0]));
    let pairs: Vec<_> =
        pairs(&hierarchy, &ids).into_iter().filter(nodes_only).filter(not_above).collect();
    let at_origin: Vec<_> =
        pairs.iter().map(|&(from, to)| Expected::between(&hierarchy, from, to)).collect();
    let away = Vector3::new(FAR, -FAR, FAR) + root.translation;
    hierarchy.set_translation(ids[0], narrow(&away)).unwrap();
    for _ in 0..2 {
        for (&(from, to), expected) in pairs.iter().zip(&at_origin) {
            expected.check(&hierarchy.conversion(from, to).unwrap(), things);
            expected.check_rotation(&hierarchy.rotation_conversion(from, to).unwrap(), things);
        }
        hierarchy.propagate();
    }
}

properties! {
    #![cases(16)]

    #[test]
    fn conversions_agree_with_the_world_matrices(
        tree in tree(non_uniform_scale().boxed()), things in things(), pose in pose(non_uniform_scale())
    ) {
        for_every_strategy!(conversions_agree(&tree, &things, &pose));
    }

    #[test]
    fn a_batch_is_converted_as_each_of_its_elements(
        tree in tree(non_uniform_scale().boxed()), things in things()
    ) {
        for_every_strategy!(batches_equal_singles(&tree, &things));
    }

    #[test]
    fn nodes_that_are_close_together_far_away_convert_as_at_the_origin(
        tree in tree(non_uniform_scale().boxed()), things in things(), root in pose(non_uniform_scale())
    ) {
        far_is_as_good_as_near::<AccumulatedMatrix<f32>>(&tree, &things, &root);
        far_is_as_good_as_near::<CombinedTrs<f32>>(&tree, &things, &root);
        far_is_as_good_as_near::<CombinedTrs<f64>>(&tree, &things, &root);
    }
}

/// Neighbours within a stretched and turned root that stands 1e6 away, where an `f32` is good to 1/16.
fn neighbours_far_away<X: Oracle>() {
    let turned = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.5, 0.7));
    let away = Vector3::new(1e6, -1e6, 1e6);
    let root = Trs::from_parts(away, turned, Vector3::new(3.0, -0.5, 2.0));
    let mut hierarchy = Hierarchy::<X>::new();
    let root = hierarchy.insert(None, root.cast()).unwrap();
    let mut child = |z: f64| {
        let step = Trs::from_translation(narrow(&Vector3::new(1.0, 2.0, z)));
        hierarchy.insert(root, step).unwrap()
    };
    let [a, b] = [child(3.0), child(3.25)];
    hierarchy.propagate();
    let found = hierarchy.conversion(a, b).unwrap().point(&Point3::origin());
    let off = (widened(&found.coords) - Vector3::new(0.0, 0.0, -0.25)).norm();
    assert!(off <= 16.0 * epsilon::<X::Scalar>(), "{found}");
}

#[test]
fn neighbours_see_each_other_exactly_however_far_away_they_are() {
    for_every_strategy!(neighbours_far_away());
}

fn siblings<X: Oracle>() {
    for scale in [[2.0, 2.0, 1.0], [1.0, 2.0, 2.0], [2.0, 1.0, 2.0], [3.0, 3.0, 3.0]] {
        let mut hierarchy = Hierarchy::<X>::new();
        let parent = Trs::from_scale(Vector3::from(scale)).cast();
        let parent = hierarchy.insert(None, parent).unwrap();
        let turns = [Vector3::new(0.4, 0.5, 0.6), Vector3::new(-0.7, 0.2, 0.9)];
        let [a, b] = turns.map(|turn| {
            let turn = UnitQuaternion::from_scaled_axis(turn);
            let local = Trs::from_parts(
                turn.axis().unwrap().into_inner(),
                turn,
                Vector3::new(1.0, 2.0, 3.0),
            );
            Space::Local(hierarchy.insert(parent, local.cast()).unwrap())
        });
        let expected = Expected::between(&hierarchy, a, b);
        let conversion = hierarchy.conversion(a, b).unwrap();
        expected.check_point(&conversion, &Vector3::new(1.0, -2.0, 3.0));
        expected.check_vector(&conversion, &Vector3::new(3.0, 1.0, -2.0));
    }
}

#[test]
fn siblings_see_each_other_through_their_parent_s_scale() {
    for_every_strategy!(siblings());
}
