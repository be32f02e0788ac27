//! The one loop over nodes that every kernel of every strategy runs in.

mod batch;
mod prefetch;

use std::ops::Range;

use crate::{Inherit, InstructionSet, Topology, Transform, Trs, WorldMatrix};
use batch::{BATCH, Batch, Batches, SlotList};
use prefetch::prefetch;

/// One pass over slots, parents before children, that recomputes their world transforms.
///
/// What [`Transform::sweep`] is given: a strategy hands [`run`](Self::run) what one step does, in
/// plain Rust or with the instructions of a processor. Everything about order, ranges and bounds is
/// settled here, so a step sees one parent and one local pose and cannot reach anything else.
#[derive(Debug)]
pub struct Sweep<'a, X: Transform> {
    topology: &'a Topology,
    locals: &'a [Trs<X::Scalar>],
    ranges: &'a [Range<usize>],
    worlds: Piece<'a, X>,
    instruction_set: InstructionSet,
}

/// Consecutive slots of the world slice that a sweep may write, and those above that it may read.
#[derive(Debug)]
pub(crate) struct Piece<'a, X: Transform> {
    /// The slot of the first world transform.
    pub(crate) first: usize,
    pub(crate) worlds: &'a mut [X],
    /// As long as `worlds`, where matrices are wanted.
    pub(crate) matrices: Option<&'a mut [WorldMatrix<X::Scalar>]>,
    /// The slot of the first transform in `above`.
    pub(crate) above_first: usize,
    /// Where a parent outside the piece is found; a parent in neither is the identity.
    pub(crate) above: &'a [X],
}

impl<'a, X: Transform> Sweep<'a, X> {
    /// A pass over `ranges` of slots, ascending and apart.
    ///
    /// # Panics
    ///
    /// If `locals` or `worlds` is not as long as `topology`, or a range reaches beyond it.
    #[must_use]
    pub fn new(
        topology: &'a Topology,
        locals: &'a [Trs<X::Scalar>],
        worlds: &'a mut [X],
        ranges: &'a [Range<usize>],
    ) -> Self {
        assert_eq!(worlds.len(), topology.len(), "one world transform a slot");
        let piece = Piece { first: 0, worlds, matrices: None, above_first: 0, above: &[] };
        Self::of_piece(topology, locals, piece, ranges)
    }

    pub(crate) fn of_piece(
        topology: &'a Topology,
        locals: &'a [Trs<X::Scalar>],
        worlds: Piece<'a, X>,
        ranges: &'a [Range<usize>],
    ) -> Self {
        assert_eq!(locals.len(), topology.len(), "one local pose a slot");
        let end = worlds.first + worlds.worlds.len();
        let is_within = |range: &Range<usize>| range.is_empty() || range.end <= end;
        assert!(ranges.iter().all(is_within), "ranges of slots that there are");
        let instruction_set = InstructionSet::best();
        Self { topology, locals, ranges, worlds, instruction_set }
    }

    /// The same pass, which also writes each recomputed world transform as a matrix.
    ///
    /// # Panics
    ///
    /// If `matrices` is not as long as the world transforms.
    #[must_use]
    pub fn with_matrices(mut self, matrices: &'a mut [WorldMatrix<X::Scalar>]) -> Self {
        assert_eq!(matrices.len(), self.worlds.worlds.len(), "one matrix a slot");
        self.worlds.matrices = Some(matrices);
        self
    }

    /// The same pass by another kernel.
    ///
    /// # Panics
    ///
    /// If this processor does not have the instruction set.
    #[doc(hidden)]
    #[must_use]
    pub fn with_instruction_set(mut self, instruction_set: InstructionSet) -> Self {
        assert!(instruction_set.is_available(), "an instruction set that this processor has");
        self.instruction_set = instruction_set;
        self
    }

    /// The instructions to use; this processor has them.
    #[must_use]
    pub fn instruction_set(&self) -> InstructionSet {
        self.instruction_set
    }

    /// Runs the pass with the step of [`Transform::concat`].
    pub fn run_plain(self) {
        self.run::<1, (), X, X>(
            |_, _| (),
            |world| *world,
            |world_from_parent, (), local| world_from_parent.concat(local),
            |world_from_child, world| *world = world_from_child,
            |[world], [matrix]| *matrix = WorldMatrix(world.to_homogeneous()),
        );
    }

    /// Runs the pass, slots in ascending order, in batches:
    ///
    /// - `prepare` does for `LANES` local poses at once what needs no parent, and does it for the
    ///   whole batch first, so that it never waits for a parent;
    /// - `load` takes the parent's world transform into registers, `step` makes the child's from
    ///   that, what was prepared, and the local pose, and `store` writes it;
    /// - `fill` makes matrices of `LANES` world transforms at once, where matrices are wanted.
    ///
    /// The parts are inlined: where they are closures in a function with target features, they are
    /// compiled with those.
    #[inline(always)]
    pub fn run<const LANES: usize, P: Copy + Default, R, C>(
        self,
        prepare: impl Fn([&Trs<X::Scalar>; LANES], &mut [P; LANES]),
        load: impl Fn(&X) -> R,
        step: impl Fn(R, &P, &Trs<X::Scalar>) -> C,
        store: impl Fn(C, &mut X),
        fill: impl Fn([&X; LANES], &mut [WorldMatrix<X::Scalar>; LANES]),
    ) {
        // Two loops, since even a test that always fails the same way costs a tenth.
        if self.topology.inherits().is_empty() {
            self.run_where::<false, LANES, P, R, C>(prepare, load, step, store, fill);
        } else {
            self.run_where::<true, LANES, P, R, C>(prepare, load, step, store, fill);
        }
    }

    /// The loop, for topologies in which some slots inherit less than everything, or none do.
    #[inline(always)]
    fn run_where<const SOME_INHERIT_LESS: bool, const LANES: usize, P: Copy + Default, R, C>(
        self,
        prepare: impl Fn([&Trs<X::Scalar>; LANES], &mut [P; LANES]),
        load: impl Fn(&X) -> R,
        step: impl Fn(R, &P, &Trs<X::Scalar>) -> C,
        store: impl Fn(C, &mut X),
        fill: impl Fn([&X; LANES], &mut [WorldMatrix<X::Scalar>; LANES]),
    ) {
        const { assert!(BATCH.is_multiple_of(LANES), "a batch is whole groups of lanes") };
        let Self { topology, locals, ranges, mut worlds, .. } = self;
        let (parents, inherits) = (topology.parents(), topology.inherits());
        let identity = X::identity();
        let take_step =
            |worlds: &mut Piece<'_, X>, slot, parent: u32, prepared: &P, local: &Trs<X::Scalar>| {
                let parent = parent as usize;
                if SOME_INHERIT_LESS && inherits[slot] != Inherit::All {
                    return worlds.step_inheriting(slot, parent, inherits[slot], local);
                }
                let world_from_parent = match worlds.worlds.get(parent.wrapping_sub(worlds.first)) {
                    Some(world) => load(world),
                    None => load(worlds.outside(parent).unwrap_or(&identity)),
                };
                let world_from_child = step(world_from_parent, prepared, local);
                store(world_from_child, &mut worlds.worlds[slot - worlds.first]);
            };
        let mut prepared = [P::default(); BATCH];
        let mut batches = Batches::new(ranges);
        while let Some(batch) = batches.next(
            |slot| {
                prefetch(parents, slot);
                prefetch(locals, slot);
                prefetch(worlds.worlds, slot - worlds.first);
            },
            |slot| prefetch(worlds.worlds, (parents[slot] as usize).wrapping_sub(worlds.first)),
        ) {
            let (places, _) = prepared.as_chunks_mut::<LANES>();
            match batch {
                Batch::Consecutive(slots) => {
                    let (parents, locals) = (&parents[slots.clone()], &locals[slots.clone()]);
                    for (group, place) in groups(locals).zip(places) {
                        prepare(group, place);
                    }
                    let steps = parents.iter().zip(locals).zip(&prepared);
                    for (slot, ((&parent, local), prepared)) in slots.clone().zip(steps) {
                        take_step(&mut worlds, slot, parent, prepared, local);
                    }
                    worlds.fill(slots, &fill);
                }
                Batch::Scattered(list) => {
                    for (group, place) in list.groups::<LANES>().zip(places) {
                        prepare(group.map(|slot| &locals[slot]), place);
                    }
                    for (slot, prepared) in list.slots().zip(&prepared) {
                        take_step(&mut worlds, slot, parents[slot], prepared, &locals[slot]);
                    }
                    worlds.fill_scattered(list, &fill);
                }
            }
        }
    }
}

impl<X: Transform> Piece<'_, X> {
    /// The step of a slot that does not inherit everything, the same for every kernel.
    #[cold]
    fn step_inheriting(
        &mut self,
        slot: usize,
        parent: usize,
        inherit: Inherit,
        local: &Trs<X::Scalar>,
    ) {
        let within = self.worlds.get(parent.wrapping_sub(self.first));
        let parent = within.or_else(|| self.outside(parent)).copied();
        let parent = parent.unwrap_or(X::identity());
        self.worlds[slot - self.first] = parent.concat_inheriting(local, inherit);
    }

    #[cold]
    fn outside(&self, parent: usize) -> Option<&X> {
        self.above.get(parent.wrapping_sub(self.above_first))
    }

    /// Writes the matrices of consecutive slots, where matrices are wanted.
    #[inline(always)]
    fn fill<const LANES: usize>(
        &mut self,
        slots: Range<usize>,
        fill: impl Fn([&X; LANES], &mut [WorldMatrix<X::Scalar>; LANES]),
    ) {
        let Some(matrices) = self.matrices.as_deref_mut() else { return };
        let positions = slots.start - self.first..slots.end - self.first;
        let (worlds, matrices) = (&self.worlds[positions.clone()], &mut matrices[positions]);
        for (worlds, matrices) in groups(worlds).zip(matrices.chunks_mut(LANES)) {
            if let Ok(matrices) = matrices.try_into() {
                fill(worlds, matrices);
            } else {
                let mut padded = [WorldMatrix::identity(); LANES];
                fill(worlds, &mut padded);
                matrices.copy_from_slice(&padded[..matrices.len()]);
            }
        }
    }

    /// The same for slots anywhere.
    #[inline(always)]
    fn fill_scattered<const LANES: usize>(
        &mut self,
        list: &SlotList,
        fill: impl Fn([&X; LANES], &mut [WorldMatrix<X::Scalar>; LANES]),
    ) {
        let Some(matrices) = self.matrices.as_deref_mut() else { return };
        let mut filled = [WorldMatrix::identity(); LANES];
        for group in list.groups::<LANES>() {
            let positions = group.map(|slot| slot - self.first);
            fill(positions.map(|position| &self.worlds[position]), &mut filled);
            for (position, matrix) in positions.into_iter().zip(filled) {
                matrices[position] = matrix;
            }
        }
    }
}

/// The elements in groups, the last one filled up with its first element.
#[inline(always)]
fn groups<T, const LANES: usize>(elements: &[T]) -> impl Iterator<Item = [&T; LANES]> {
    elements.chunks(LANES).map(|group| match <&[T; LANES]>::try_from(group) {
        Ok(group) => group.each_ref(),
        Err(_) => std::array::from_fn(|lane| group.get(lane).unwrap_or(&group[0])),
    })
}
