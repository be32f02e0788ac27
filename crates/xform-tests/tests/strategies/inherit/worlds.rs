//! What a node inherits of its parent: propagation, slices, crowds and reads, against the table at
//! `Inherit`.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use std::{fmt::Debug, ops::Range};
use xform_cases::properties;
use xform_core::{
    Hierarchy, Inherit, NodeId, Real, Space, Topology, Transform, Trs,
    crowd::{Crowd, CrowdTransform},
    slices::SubtreeRanges,
    spaces::WorldScale,
    strategy::Sweep,
};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::support::{
    every_strategy::{for_every_strategy, instruction_sets},
    forest::ranges,
    given_tree::{epsilon, rotation, vector},
    inheriting::{Family, Known, family, inherit, is_apart, pose},
};

/// Debug output tells −0 from 0, so equal texts are equal bits.
fn bits<X: Transform + Debug>(hierarchy: &Hierarchy<X>, ids: &[NodeId]) -> String {
    let worlds: Vec<_> = ids.iter().map(|&id| hierarchy.world(id).unwrap()).collect();
    format!("{worlds:?}")
}

fn every_kernel_follows_the_table<X: Transform + Debug>(family: &Family) {
    let (mut hierarchy, ids) = family.hierarchy::<X>();
    hierarchy.keep_matrices(true);
    let known = Known::of(&hierarchy, &ids);
    for set in instruction_sets() {
        let mut propagated = hierarchy.clone();
        propagated.propagate_by(set);
        for (&id, known) in ids.iter().zip(&known) {
            let world = propagated.world(id).unwrap();
            known.check(&world);
            let matrix = propagated.matrices().unwrap()[propagated.slot(id).unwrap()].0;
            let off = (matrix - world.to_homogeneous()).map(Into::<f64>::into).norm();
            assert!(off <= 16.0 * epsilon::<X::Scalar>() * known.linear.norm());
        }
    }
    // No bound says anything that is as large as what it bounds; in f64 none is.
    let is_tight = |known: &Known| known.linear_off <= 1e-3 * known.linear.norm();
    assert!(epsilon::<X::Scalar>() > 1e-10 || known.iter().all(is_tight));
}

fn reads_are_what_propagation_gives<X: Transform + Debug>(
    family: &Family,
    pose: &Trs<f64>,
    inherit: Inherit,
) {
    let (mut hierarchy, ids) = family.hierarchy::<X>();
    let pending = bits(&hierarchy, &ids);
    hierarchy.propagate();
    assert_eq!(bits(&hierarchy, &ids), pending);
    let last = ids[ids.len() - 1];
    hierarchy.set_local(ids[0], pose.cast()).unwrap();
    hierarchy.set_inherit(ids[ids.len() / 2], inherit).unwrap();
    hierarchy.reparent(last, None).unwrap();
    let pending = bits(&hierarchy, &ids);
    hierarchy.propagate();
    assert_eq!(bits(&hierarchy, &ids), pending);
    let known = Known::of(&hierarchy, &ids);
    for (&id, known) in ids.iter().zip(known) {
        known.check(&hierarchy.world(id).unwrap());
        figures_are_right(&hierarchy, id, &known);
    }
}

/// World rotation and the three scales.
fn figures_are_right<X: Transform>(hierarchy: &Hierarchy<X>, id: NodeId, known: &Known) {
    let widened = |vector: Vector3<X::Scalar>| vector.map(Into::<f64>::into);
    let scale = |definition| widened(hierarchy.world_scale(id, definition).unwrap());
    let size = known.linear.norm();
    let found = matrix_of(&hierarchy.world_rotation(id).unwrap());
    let off = (found - known.rotation).norm();
    assert!(off <= 2.0 * known.rotation_off, "{found} instead of {}", known.rotation);
    let factors = scale(WorldScale::Product).component_div(&known.product);
    assert!((factors - Vector3::repeat(1.0)).amax() <= 32.0 * epsilon::<X::Scalar>());
    let lengths = Vector3::from_fn(|i, _| known.linear.column(i).norm());
    let off = (scale(WorldScale::ColumnLengths) - lengths).amax();
    assert!(off <= known.linear_off + 8.0 * epsilon::<X::Scalar>() * size);
    let projected = (known.rotation.transpose() * known.linear).diagonal();
    let off = (scale(WorldScale::Projected) - projected).amax();
    assert!(off <= known.linear_off + 2.0 * known.rotation_off * size);
}

fn matrix_of<T: Real>(rotation: &UnitQuaternion<T>) -> Matrix3<f64> {
    let rotation = Trs::from_rotation(*rotation).cast::<f64>().rotation;
    UnitQuaternion::new_normalize(*rotation).to_rotation_matrix().into_inner()
}

/// A family in slices: topology, local poses, and world transforms, all of which are propagated.
fn slices<X: Transform>(family: &Family) -> (Topology, Vec<Trs<X::Scalar>>, Vec<X>) {
    let topology = Topology::from_parents(&family.parents).unwrap();
    let topology = topology.with_inherit(&family.inherits);
    let locals: Vec<Trs<X::Scalar>> = family.locals.iter().map(Trs::cast).collect();
    let mut worlds = vec![X::identity(); locals.len()];
    let all = 0..locals.len();
    X::accumulate(&topology, &locals, &mut worlds, std::slice::from_ref(&all));
    (topology, locals, worlds)
}

fn slices_follow_the_table<X: Transform + Debug>(
    family: &Family,
    other: &Trs<f64>,
    ranges: &[Range<usize>],
) {
    let (topology, mut locals, mut worlds) = slices::<X>(family);
    let all = 0..locals.len();
    let (hierarchy, ids) = family.hierarchy::<X>();
    assert_eq!(format!("{worlds:?}"), bits(&hierarchy, &ids));
    let mut known = Known::of(&hierarchy, &ids);
    let before = worlds.clone();
    locals.iter_mut().step_by(2).for_each(|local| *local = other.cast());
    let len = locals.len();
    let ranges: Vec<_> = ranges.iter().map(|r| r.start.min(len)..r.end.min(len)).collect();
    X::accumulate(&topology, &locals, &mut worlds, &ranges);
    for slot in all {
        assert_eq!(topology.inherit(slot), family.inherits[slot]);
        if ranges.iter().any(|range| range.contains(&slot)) {
            let above = topology.parent(slot).map_or(Known::root(), |parent| known[parent]);
            known[slot] = above.below::<X>(family.inherits[slot], &locals[slot]);
            known[slot].check(&worlds[slot]);
        } else {
            assert_eq!(format!("{:?}", worlds[slot]), format!("{:?}", before[slot]));
        }
    }
}

/// As if the transform were the world transform of one more slot, which is every root's parent.
fn roots_hang_below<X: Transform + Debug>(family: &Family, above: &Trs<f64>) {
    let (topology, locals, mut worlds) = slices::<X>(family);
    let parents = family.parents.iter().map(|parent| Some(parent.map_or(0, |parent| parent + 1)));
    let parents: Vec<_> = std::iter::once(None).chain(parents).collect();
    let inherits = [&[Inherit::All], family.inherits.as_slice()].concat();
    let with_parent = Topology::from_parents(&parents).unwrap().with_inherit(&inherits);
    let above: Trs<X::Scalar> = above.cast();
    let all_locals = [&[above], locals.as_slice()].concat();
    let mut expected = vec![X::identity(); parents.len()];
    let all = 0..parents.len();
    X::accumulate(&with_parent, &all_locals, &mut expected, std::slice::from_ref(&all));
    let all = 0..locals.len();
    for set in instruction_sets() {
        let sweep = Sweep::new(&topology, &locals, &mut worlds, std::slice::from_ref(&all));
        X::sweep(sweep.with_instruction_set(set).below(expected[0]));
        let size = expected.iter().map(|world| world.to_homogeneous().amax().into());
        let size: f64 = size.fold(1.0, f64::max);
        for (world, expected) in worlds.iter().zip(&expected[1..]) {
            let off = (world.to_homogeneous() - expected.to_homogeneous()).amax().into();
            assert!(off <= 64.0 * epsilon::<X::Scalar>() * size, "{off}");
        }
    }
    X::accumulate_below(&expected[0], &topology, &locals, &mut worlds, std::slice::from_ref(&all));
    assert_eq!(format!("{worlds:?}"), format!("{:?}", &expected[1..]));
}

fn what_is_below_a_change_is_all_that_changes<X: Transform + Debug>(
    family: &Family,
    other: &Trs<f64>,
    changed: &[usize],
) {
    let (topology, mut locals, mut worlds) = slices::<X>(family);
    let all = 0..locals.len();
    let changed = changed.iter().map(|slot| slot % all.len());
    changed.clone().for_each(|slot| locals[slot] = other.cast());
    let mut below = SubtreeRanges::new(&topology);
    X::accumulate(&topology, &locals, &mut worlds, below.of(changed));
    let partly = format!("{worlds:?}");
    X::accumulate(&topology, &locals, &mut worlds, std::slice::from_ref(&all));
    assert_eq!(partly, format!("{worlds:?}"));
}

fn crowds_follow_the_table<X: CrowdTransform>(family: &Family, instances: usize) {
    let topology = Topology::from_parents(&family.parents).unwrap();
    let mut crowd = Crowd::<X>::new(topology.with_inherit(&family.inherits), instances);
    let joints = family.locals.len();
    let mut locals: Vec<Trs<f32>> = family.locals.iter().map(Trs::cast).collect();
    let mut expected = Vec::new();
    for instance in 0..instances {
        locals.rotate_left(1); // each has poses of its own
        crowd.set_locals(instance, &locals);
        let mut known: Vec<Known> = Vec::new();
        for (joint, local) in locals.iter().enumerate() {
            let above = family.parents[joint].map_or(Known::root(), |parent| known[parent]);
            known.push(above.below::<X>(family.inherits[joint], local));
        }
        expected.push(known);
    }
    crowd.propagate().unwrap();
    for (instance, known) in expected.iter().enumerate() {
        (0..joints).for_each(|joint| known[joint].check(&crowd.world(joint, instance)));
    }
}

fn conversions_lead_from_world_to_world<X: Transform>(
    family: &Family,
    point: &Vector3<f64>,
    turn: &UnitQuaternion<f64>,
) {
    let (hierarchy, ids) = family.hierarchy::<X>();
    let known = Known::of(&hierarchy, &ids);
    let given = point.map(X::Scalar::rounded);
    let turn = Trs::from_rotation(*turn).cast::<X::Scalar>().rotation;
    for (i, source) in known.iter().enumerate() {
        for (j, target) in known.iter().enumerate() {
            let inverse = target.linear.try_inverse().unwrap();
            let condition = inverse.norm() * target.linear.norm();
            if inverse.norm() * target.linear_off > 0.01 || source.linear_off > source.linear.norm()
            {
                continue; // too skewed for the scalar to tell from flat
            }
            let conversion = hierarchy.conversion(ids[i], Space::Local(ids[j])).unwrap();
            let found = conversion.point(&given.into()).coords.map(Into::<f64>::into);
            let arm = source.linear * point + source.origin - target.origin;
            let expected = inverse * arm;
            let reach =
                source.linear.norm() * point.norm() + source.origin.norm() + target.origin.norm();
            let within = source.linear_off * point.norm()
                + source.origin_off
                + target.origin_off
                + 2.0 * target.linear_off * expected.norm()
                + 64.0 * epsilon::<X::Scalar>() * condition * reach;
            let off = (found - expected).norm();
            assert!(off <= inverse.norm() * within, "{i} to {j}: {found} for {expected}");
            let turned = |rotation: &UnitQuaternion<X::Scalar>, end: &Known| {
                let mirror = Matrix3::from_diagonal(&end.signs);
                end.rotation * mirror * matrix_of(rotation) * mirror
            };
            let conversion = hierarchy.rotation_conversion(ids[i], Space::Local(ids[j])).unwrap();
            let (a, b) = (turned(&turn, source), turned(&conversion.rotation(&turn), target));
            let within = 2.0 * (source.rotation_off + target.rotation_off);
            assert!((a - b).norm() <= within, "{i} to {j}: turned {a} for {b}");
        }
    }
}

properties! {
    #![cases(64)]

    #[test]
    fn propagation_by_every_kernel_follows_the_table(family in family()) {
        for_every_strategy!(every_kernel_follows_the_table(&family));
    }

    #[test]
    fn reads_and_figures_are_the_same_before_propagation_and_after(
        family in family(), pose in pose(), inherit in inherit()
    ) {
        for_every_strategy!(reads_are_what_propagation_gives(&family, &pose, inherit));
    }

    #[test]
    fn slices_follow_the_table_where_they_are_recomputed(
        family in family(), other in pose(), ranges in ranges(4, 0_usize..4, 12)
    ) {
        for_every_strategy!(slices_follow_the_table(&family, &other, &ranges));
    }

    #[test]
    fn slices_hang_below_a_transform(family in family(), above in pose()) {
        for_every_strategy!(roots_hang_below(&family, &above));
    }

    #[test]
    fn slices_are_whole_after_what_is_below_a_change_was_recomputed(
        family in family(), other in pose(), changed in proptest::collection::vec(0_usize..64, 0..4)
    ) {
        for_every_strategy!(what_is_below_a_change_is_all_that_changes(&family, &other, &changed));
    }

    #[test]
    fn each_instance_of_a_crowd_follows_the_table(family in family(), instances in 1_usize..10) {
        crowds_follow_the_table::<AccumulatedMatrix<f32>>(&family, instances);
        crowds_follow_the_table::<CombinedTrs<f32>>(&family, instances);
    }

    #[test]
    fn conversions_agree_with_both_worlds(
        family in family(), point in vector(), turn in rotation()
    ) {
        for_every_strategy!(conversions_lead_from_world_to_world(&family, &point, &turn));
    }
}

/// Computed with NumPy from the table, polar decompositions by its SVD: the entries xx, yx, xy and yy of
/// the world matrix, and x and y of its origin, for each of [`Inherit::EACH`].
struct Golden {
    mirror: f64,
    matrices: [[f64; 6]; 5],
    combined: [[f64; 6]; 5],
}

const ALONE: [f64; 4] = [0.939_693, 0.342_020, -0.684_040, 1.879_385];

const fn at(axes: [f64; 4], origin: [f64; 2]) -> [f64; 6] {
    [axes[0], axes[1], axes[2], axes[3], origin[0], origin[1]]
}

const PROPER: Golden = Golden {
    mirror: 1.0,
    matrices: [
        at([0.217_564, 1.387_079, -8.020_453, 4.021_790], [-3.311_916, 5.343_726]),
        at([0.381_634, 0.924_314, -1.848_627, 0.763_268], [-3.311_916, 5.343_726]),
        at([1.170_528, 0.775_363, -2.443_561, 8.633_161], [-3.311_916, 5.343_726]),
        at(ALONE, [-3.311_916, 5.343_726]),
        at(ALONE, [1.0, 2.0]),
    ],
    combined: [
        at([1.059_839, 1.696_096, -5.088_289, 3.179_516], [0.382_053, 5.959_387]),
        at([0.529_919, 0.848_048, -1.696_096, 1.059_839], [0.382_053, 5.959_387]),
        at([1.879_385, 0.684_040, -2.052_121, 5.638_156], [0.382_053, 5.959_387]),
        at(ALONE, [0.382_053, 5.959_387]),
        at(ALONE, [1.0, 2.0]),
    ],
};

const MIRRORED: Golden = Golden {
    mirror: -1.0,
    matrices: [
        at([-0.217_564, 1.387_079, 8.020_453, 4.021_790], [4.311_916, 5.343_726]),
        at([0.886_486, -0.462_756, 0.925_511, 1.772_972], [4.311_916, 5.343_726]),
        at([-1.170_528, 0.775_363, 2.443_561, 8.633_161], [4.311_916, 5.343_726]),
        at(ALONE, [4.311_916, 5.343_726]),
        at(ALONE, [1.0, 2.0]),
    ],
    combined: [
        at([-1.059_839, -1.696_096, -5.088_289, 3.179_516], [-6.769_990, 3.496_742]),
        at([0.529_919, 0.848_048, -1.696_096, 1.059_839], [-6.769_990, 3.496_742]),
        at([-1.879_385, -0.684_040, -2.052_121, 5.638_156], [-6.769_990, 3.496_742]),
        at(ALONE, [-6.769_990, 3.496_742]),
        at(ALONE, [1.0, 2.0]),
    ],
};

/// Below diag(±2, 1, 1) · Rz(38°) · diag(1, 3, 1).
fn follows<X: Transform + Debug>(golden: &Golden, which: usize) {
    let turn = |angle: f64| UnitQuaternion::from_scaled_axis(Vector3::z() * angle.to_radians());
    let axis_scales = [(2.0 * golden.mirror, 1.0), (1.0, 3.0), (1.0, 2.0)];
    let steps =
        [Vector3::new(0.5, -1.0, 2.0), Vector3::new(1.0, 1.0, 0.0), Vector3::new(1.0, 2.0, 0.0)];
    let pose = |i: usize| {
        let (x, y) = axis_scales[i];
        Trs::from_parts(steps[i], turn([0.0, 38.0, 20.0][i]), Vector3::new(x, y, 1.0)).cast()
    };
    let mut hierarchy = Hierarchy::<X>::new();
    let mut node = None;
    for i in 0..3 {
        node = Some(hierarchy.insert(node, pose(i)).unwrap());
    }
    let inherit = Inherit::EACH[which];
    hierarchy.set_inherit(node.unwrap(), inherit).unwrap();
    let world = hierarchy.world_matrix(node.unwrap()).unwrap().map(Into::<f64>::into);
    let found = [(0, 0), (1, 0), (0, 1), (1, 1), (0, 3), (1, 3)].map(|entry| world[entry]);
    let table = if is_apart::<X>() { &golden.combined } else { &golden.matrices };
    for (found, expected) in found.into_iter().zip(table[which]) {
        // To six digits, and the rounding of f32.
        assert!((found - expected).abs() < 5e-6, "{inherit:?}: {found} for {expected}");
    }
    let depth = if inherit == Inherit::Nothing { 0.0 } else { 2.0 };
    assert!((world[(2, 2)] - 1.0).abs() <= 4.0 * epsilon::<X::Scalar>());
    assert_eq!(world[(2, 3)], depth);
}

#[test]
fn who_inherits_everything_is_skewed_in_matrices_and_not_in_combined_trs() {
    for_every_strategy!(follows(&PROPER, 0));
    for_every_strategy!(follows(&MIRRORED, 0));
}

#[test]
fn who_inherits_no_scale_is_turned_alone() {
    for_every_strategy!(follows(&PROPER, 1));
    for_every_strategy!(follows(&MIRRORED, 1));
}

#[test]
fn who_inherits_no_rotation_is_stretched_along_the_axes_of_the_world() {
    for_every_strategy!(follows(&PROPER, 2));
    for_every_strategy!(follows(&MIRRORED, 2));
}

#[test]
fn who_inherits_position_alone_is_carried_along() {
    for_every_strategy!(follows(&PROPER, 3));
    for_every_strategy!(follows(&MIRRORED, 3));
}

#[test]
fn who_inherits_nothing_stands_where_its_pose_says() {
    for_every_strategy!(follows(&PROPER, 4));
    for_every_strategy!(follows(&MIRRORED, 4));
}
