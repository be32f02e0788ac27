//! Every kernel, by the instructions that this processor has, against the plain step and itself.

use std::{array, fmt::Debug, ops::Range};

use nalgebra::{RowVector4, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_core::{InstructionSet, Transform, Trs, strategy::Sweep, world_matrix::WorldMatrix};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::support::{
    every_strategy::instruction_sets,
    forest::{Forest, any_pose, clipped, forest, ranges, tame_pose},
};

/// How far a kernel may be from the plain step, in units of `f32::EPSILON` times what the absolute
/// values of the terms of an entry add up to. Either side rounds about ten times on the way to it;
/// in 6000 random forests none was further off than 3.94.
const TOLERANCE: f64 = 8.0;

/// Where the terms add up to more than this, a sum of some of them may overflow.
const MAY_OVERFLOW: f64 = f32::MAX as f64 / 4.0;

type Matrix = AccumulatedMatrix<f32>;
type Combined = CombinedTrs<f32>;

/// The scalars of a world transform, or of a matrix, with zeros behind them.
type Entries = [f32; 16];

/// For each entry: what its terms add up to in absolute value.
type Sizes = [f64; 16];

trait Subject: Transform<Scalar = f32> + From<Trs<f32>> + Debug {
    fn entries(&self) -> Entries;
    fn sizes(parent: &Self, local: &Trs<f32>) -> Sizes;
    fn matrix_sizes(&self) -> Sizes;
}

impl Subject for Matrix {
    fn entries(&self) -> Entries {
        self.matrix().as_slice().try_into().unwrap()
    }

    fn sizes(parent: &Self, local: &Trs<f32>) -> Sizes {
        let parent = parent.matrix().map(|x| f64::from(x).abs());
        let linear = linear_sizes(&local.rotation, &local.scale);
        array::from_fn(|entry| match (entry % 4, entry / 4) {
            (3, _) => 0.0,
            (row, 3) => parent[(row, 3)] + dot(|k| (parent[(row, k)], size(local.translation[k]))),
            (row, column) => dot(|k| (parent[(row, k)], linear[column][k])),
        })
    }

    fn matrix_sizes(&self) -> Sizes {
        [0.0; 16]
    }
}

impl Subject for Combined {
    fn entries(&self) -> Entries {
        let parts = [self.rotation.coords.as_slice(), self.translation.as_slice()];
        let mut scalars = parts.into_iter().flatten().chain(&self.scale).copied();
        array::from_fn(|_| scalars.next().unwrap_or(0.0))
    }

    /// A scale is one product, which leaves nothing to round otherwise: 0, unless the parent's is infinite.
    fn sizes(parent: &Self, local: &Trs<f32>) -> Sizes {
        let [x, y, z, w] = parent.rotation.coords.map(size).into();
        let scaled =
            array::from_fn(|i| on_the_way(size(parent.scale[i]) * size(local.translation[i])));
        let across = cross([x, y, z], scaled);
        let moved = cross([x, y, z], across);
        let translation = |i: usize| {
            size(parent.translation[i]) + scaled[i] + 2.0 * (on_the_way(w * across[i]) + moved[i])
        };
        array::from_fn(|entry| match entry {
            0..4 => 1.0,
            4..7 => translation(entry - 4),
            7..10 => 0.0 * size(parent.scale[entry - 7]),
            _ => 0.0,
        })
    }

    fn matrix_sizes(&self) -> Sizes {
        let columns = linear_sizes(&self.rotation, &self.scale);
        array::from_fn(|entry| match (entry % 4, entry / 4) {
            (3, _) | (_, 3) => 0.0,
            (row, column) => columns[column][row],
        })
    }
}

fn size(scalar: f32) -> f64 {
    f64::from(scalar).abs()
}

/// The size of a product or sum on the way. A subnormal one is rounded as coarsely as the least
/// normal number; one that may overflow takes all that depends on it along, even times zero.
fn on_the_way(size: f64) -> f64 {
    if size > MAY_OVERFLOW { f64::INFINITY } else { size + f64::from(f32::MIN_POSITIVE) }
}

fn dot(terms: impl Fn(usize) -> (f64, f64)) -> f64 {
    (0..3).map(terms).map(|(a, b)| on_the_way(a * b)).sum()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        on_the_way(a[j] * b[k]) + on_the_way(a[k] * b[j])
    })
}

/// The columns of `R · S`.
fn linear_sizes(rotation: &UnitQuaternion<f32>, scale: &Vector3<f32>) -> [[f64; 3]; 3] {
    let [x, y, z, w] = rotation.coords.map(size).into();
    let axis = [x, y, z];
    let entry = |i: usize, j: usize| {
        let others = [(i + 1) % 3, (i + 2) % 3].map(|k| axis[k]);
        if i == j {
            1.0 + others.map(|a| 2.0 * on_the_way(a * a)).iter().sum::<f64>()
        } else {
            2.0 * (on_the_way(axis[i] * axis[j]) + on_the_way(w * axis[3 - i - j]))
        }
    };
    array::from_fn(|j| array::from_fn(|i| on_the_way(entry(i, j) * size(scale[j]))))
}

/// World transforms with and without their matrices.
#[derive(Clone)]
struct Worlds<X> {
    worlds: Vec<X>,
    matrices: Vec<WorldMatrix<f32>>,
}

impl<X: Subject> Worlds<X> {
    /// As nothing in a forest is.
    fn untouched(len: usize) -> Self {
        let world = X::from(Trs::from_translation(Vector3::new(7.5, -77.25, 0.625)));
        Self { worlds: vec![world; len], matrices: vec![WorldMatrix::identity(); len] }
    }

    fn full(forest: &Forest, set: InstructionSet) -> Self {
        let mut all = Self::untouched(forest.len());
        all.sweep(forest, set, std::slice::from_ref(&(0..forest.len())));
        all
    }

    /// Sweeps with matrices and without, which must give the same.
    fn sweep(&mut self, forest: &Forest, set: InstructionSet, ranges: &[Range<usize>]) {
        let mut alone = self.worlds.clone();
        let sweep = Sweep::new(&forest.topology, &forest.locals, &mut alone, ranges);
        X::sweep(sweep.with_instruction_set(set));
        let sweep = Sweep::new(&forest.topology, &forest.locals, &mut self.worlds, ranges);
        X::sweep(sweep.with_matrices(&mut self.matrices).with_instruction_set(set));
        let pairs = alone.iter().zip(&self.worlds);
        assert!(pairs.into_iter().all(|(a, b)| bits(a.entries()) == bits(b.entries())));
    }

    fn bits(&self, slot: usize) -> ([u32; 16], [u32; 16]) {
        (bits(self.worlds[slot].entries()), bits(matrix_entries(&self.matrices[slot])))
    }
}

fn matrix_entries(matrix: &WorldMatrix<f32>) -> Entries {
    matrix.0.as_slice().try_into().unwrap()
}

/// All NaN are one: which of them comes out is up to the order of the operands of a sum, and that
/// up to the compiler.
fn bits(entries: Entries) -> [u32; 16] {
    entries.map(|entry| if entry.is_nan() { f32::NAN } else { entry }.to_bits())
}

fn is_finite(entries: Entries) -> bool {
    entries.iter().all(|entry| entry.is_finite())
}

fn is_close(actual: f32, plain: f32, size: f64) -> bool {
    let distance = (f64::from(actual) - f64::from(plain)).abs();
    let may_overflow = size.is_nan() || size > MAY_OVERFLOW;
    actual.to_bits() == plain.to_bits()
        || distance <= TOLERANCE * f64::from(f32::EPSILON) * size
        || may_overflow && !(actual.is_finite() && plain.is_finite())
}

fn assert_close(actual: Entries, plain: Entries, sizes: Sizes, what: &str) {
    for (entry, ((actual, plain), size)) in actual.into_iter().zip(plain).zip(sizes).enumerate() {
        assert!(
            is_close(actual, plain, size),
            "{what} {entry}: {actual:e} for {plain:e}, {size:e}"
        );
    }
}

fn parent_world<X: Subject>(forest: &Forest, slot: usize, worlds: &[X]) -> X {
    forest.topology.parent(slot).map_or(X::identity(), |parent| worlds[parent])
}

fn assert_step<X: Subject>(forest: &Forest, worlds: &[X], slot: usize, set: InstructionSet) {
    let (parent, local) = (parent_world(forest, slot, worlds), &forest.locals[slot]);
    let plain = parent.concat(local).entries();
    let what = format!("{} slot {slot} entry", set.name());
    assert_close(worlds[slot].entries(), plain, X::sizes(&parent, local), &what);
}

fn check_steps<X: Subject>(forest: &Forest) {
    for set in instruction_sets() {
        let all = Worlds::<X>::full(forest, set);
        (0..forest.len()).for_each(|slot| assert_step(forest, &all.worlds, slot, set));
    }
}

fn check_ranges<X: Subject>(forest: &Forest, ranges: &[Range<usize>], is_known: &[bool]) {
    for set in instruction_sets() {
        let full = Worlds::<X>::full(forest, set);
        let mut before = Worlds::<X>::untouched(forest.len());
        for slot in (0..forest.len()).filter(|&slot| is_known[slot]) {
            before.worlds[slot] = full.worlds[slot];
        }
        let mut after = before.clone();
        after.sweep(forest, set, ranges);
        for slot in 0..forest.len() {
            if ranges.iter().any(|range| range.contains(&slot)) {
                assert_recomputed(forest, &after, &full, slot, set);
            } else {
                assert_eq!(after.bits(slot), before.bits(slot));
            }
        }
    }
}

fn assert_recomputed<X: Subject>(
    forest: &Forest,
    after: &Worlds<X>,
    full: &Worlds<X>,
    slot: usize,
    set: InstructionSet,
) {
    assert_step(forest, &after.worlds, slot, set);
    let [parent, parent_in_full] = [after, full].map(|all| parent_world(forest, slot, &all.worlds));
    if bits(parent.entries()) == bits(parent_in_full.entries()) {
        assert_eq!(after.bits(slot), full.bits(slot), "{} slot {slot}", set.name());
    }
}

fn check_places<X: Subject>(forest: &Forest) {
    for set in instruction_sets() {
        let full = Worlds::<X>::full(forest, set);
        let one_by_one: Vec<_> = (0..forest.len()).map(|slot| slot..slot + 1).collect();
        let mut scattered = Worlds::<X>::untouched(forest.len());
        scattered.sweep(forest, set, &one_by_one);
        let mut alone = Worlds::<X>::untouched(forest.len());
        for range in &one_by_one {
            alone.sweep(forest, set, std::slice::from_ref(range));
        }
        for slot in 0..forest.len() {
            assert_eq!(scattered.bits(slot), full.bits(slot), "{} slot {slot}", set.name());
            assert_eq!(alone.bits(slot), full.bits(slot), "{} slot {slot}", set.name());
        }
    }
}

fn check_poison<X: Subject>(forest: &Forest, poisoned: &Forest, top: usize) {
    for set in instruction_sets() {
        let clean = Worlds::<X>::full(forest, set);
        let all = Worlds::<X>::full(poisoned, set);
        for slot in 0..forest.len() {
            let what = format!("{} slot {slot} below {top}", set.name());
            if forest.is_at_or_below(slot, top) {
                assert!(!is_finite(all.worlds[slot].entries()), "{what}");
                assert!(!is_finite(matrix_entries(&all.matrices[slot])), "{what}");
            } else {
                assert_eq!(all.bits(slot), clean.bits(slot), "{what}");
            }
        }
    }
}

fn check_matrices<X: Subject>(forest: &Forest) {
    for set in instruction_sets() {
        let all = Worlds::<X>::full(forest, set);
        for (slot, (world, matrix)) in all.worlds.iter().zip(&all.matrices).enumerate() {
            let plain = matrix_entries(&WorldMatrix(world.to_homogeneous()));
            let what = format!("{} matrix {slot} entry", set.name());
            assert_close(matrix_entries(matrix), plain, world.matrix_sizes(), &what);
            assert_eq!(matrix.0.row(3), RowVector4::new(0.0, 0.0, 0.0, 1.0));
        }
    }
}

/// Single slots, short ranges and long ones.
fn slot_ranges() -> impl Strategy<Value = Vec<Range<usize>>> {
    let len = prop_oneof![6 => Just(1_usize), 3 => 2_usize..16, 2 => 16_usize..150];
    ranges(12, len, 40)
}

properties! {
    #![cases(64)]

    #[test]
    fn a_result_does_not_depend_on_its_place_in_a_batch(forest in forest(any_pose(), 0..200)) {
        check_places::<Matrix>(&forest);
        check_places::<Combined>(&forest);
    }
}

properties! {
    #[test]
    fn every_kernel_takes_the_plain_step_to_within_rounding(forest in forest(any_pose(), 0..200)) {
        check_steps::<Matrix>(&forest);
        check_steps::<Combined>(&forest);
    }

    #[test]
    fn every_kernel_writes_the_ranges_and_nothing_else(
        forest in forest(any_pose(), 0..400),
        ranges in slot_ranges(),
        is_known in proptest::collection::vec(any::<bool>(), 400),
    ) {
        let ranges = clipped(&ranges, forest.len());
        check_ranges::<Matrix>(&forest, &ranges, &is_known);
        check_ranges::<Combined>(&forest, &ranges, &is_known);
    }

    #[test]
    fn what_is_not_finite_reaches_descendants_and_no_one_else(
        forest in forest(tame_pose(), 1..200),
        top in any::<prop::sample::Index>(),
        component in 0_usize..10,
        value in prop_oneof![Just(f32::NAN), Just(f32::INFINITY), Just(f32::NEG_INFINITY)],
    ) {
        let top = top.index(forest.len());
        let poisoned = forest.with_component(top, component, value);
        check_poison::<Matrix>(&forest, &poisoned, top);
        check_poison::<Combined>(&forest, &poisoned, top);
    }

    #[test]
    fn matrices_written_alongside_are_those_of_the_worlds(forest in forest(any_pose(), 0..200)) {
        check_matrices::<Matrix>(&forest);
        check_matrices::<Combined>(&forest);
    }
}
