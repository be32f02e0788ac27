//! The loop over nodes in which every kernel of every strategy runs.

// There is one loop, which takes closures: prepare several local poses, load a parent, take the step, store the
// result, fill matrices. Closures written in a function with target features are compiled with those features. So a
// kernel is the arithmetic in one file, and order, ranges and bounds are written only here.
//
// The loop works in batches of 64 slots. All poses of a batch are prepared first, 8 or 4 in the lanes of a vector,
// and then the steps follow. Work that waits for a parent and work that does not must not share the processor's
// window. On a tree, AVX2 takes 4.7 ns a node this way; with each pose prepared right before its step it took 8.0,
// and with 8 poses prepared right before their steps 5.2.
mod batch;
mod prefetch;

use std::ops::Range;

use super::Transform;
use crate::{Inherit, InstructionSet, Topology, Trs, world_matrix::WorldMatrix};
use batch::{BATCH, Batch, Batches, SlotList};
use prefetch::prefetch;

/// One pass over slots, parents before children, that recomputes their world transforms.
///
/// A strategy receives a sweep in [`Transform::sweep`] and passes the step to [`run`](Self::run), written in plain
/// Rust or with the instructions of a processor. The sweep takes care of order, ranges and bounds: a step sees one
/// parent and one local pose and cannot reach anything else.
#[derive(Debug)]
pub struct Sweep<'a, X: Transform> {
    topology: &'a Topology,
    locals: &'a [Trs<X::Scalar>],
    ranges: &'a [Range<usize>],
    worlds: WorldSlice<'a, X>,
    instruction_set: InstructionSet,
}

/// The world transforms of consecutive slots, which a sweep may write, and the world transforms above them, which it
/// may only read.
#[derive(Debug)]
pub(crate) struct WorldSlice<'a, X: Transform> {
    /// The slot of the first world transform.
    pub(crate) first: usize,
    pub(crate) worlds: &'a mut [X],
    /// As long as `worlds`; `None` unless matrices are wanted.
    pub(crate) matrices: Option<&'a mut [WorldMatrix<X::Scalar>]>,
    /// The slot of the first transform in `parents`.
    pub(crate) first_parent: usize,
    /// The world transforms of parents outside the slice.
    pub(crate) parents: &'a [X],
    /// The transform above roots, and above slots whose parent is neither in `worlds` nor in `parents`.
    pub(crate) above: X,
}

impl<'a, X: Transform> Sweep<'a, X> {
    /// Creates a pass over the slots in `ranges`, which must be ascending and must not overlap; the result is
    /// otherwise unspecified.
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
        assert_eq!(worlds.len(), topology.len(), "one world transform per slot");
        let slice = WorldSlice {
            first: 0,
            worlds,
            matrices: None,
            first_parent: 0,
            parents: &[],
            above: X::identity(),
        };
        Self::of_slice(topology, locals, slice, ranges)
    }

    pub(crate) fn of_slice(
        topology: &'a Topology,
        locals: &'a [Trs<X::Scalar>],
        worlds: WorldSlice<'a, X>,
        ranges: &'a [Range<usize>],
    ) -> Self {
        assert_eq!(locals.len(), topology.len(), "one local pose per slot");
        let end = worlds.first + worlds.worlds.len();
        let is_within = |range: &Range<usize>| range.is_empty() || range.end <= end;
        assert!(ranges.iter().all(is_within), "ranges within the slots of the topology");
        let instruction_set = InstructionSet::best();
        Self { topology, locals, ranges, worlds, instruction_set }
    }

    /// Sets the transform above all roots, which is the identity otherwise.
    #[must_use]
    pub fn below(mut self, above: X) -> Self {
        self.worlds.above = above;
        self
    }

    /// Makes this pass also write each recomputed world transform as a matrix.
    ///
    /// # Panics
    ///
    /// If `matrices` is not as long as the world transforms.
    #[must_use]
    pub fn with_matrices(mut self, matrices: &'a mut [WorldMatrix<X::Scalar>]) -> Self {
        assert_eq!(matrices.len(), self.worlds.worlds.len(), "one matrix per slot");
        self.worlds.matrices = Some(matrices);
        self
    }

    /// Sets the instruction set that this pass uses.
    ///
    /// # Panics
    ///
    /// If the processor lacks it.
    #[doc(hidden)]
    #[must_use]
    pub fn with_instruction_set(mut self, instruction_set: InstructionSet) -> Self {
        assert!(instruction_set.is_available(), "an instruction set that this processor has");
        self.instruction_set = instruction_set;
        self
    }

    /// Returns the instruction set that this pass uses. The processor supports it.
    #[must_use]
    pub fn instruction_set(&self) -> InstructionSet {
        self.instruction_set
    }

    /// Runs the pass with [`Transform::concat`] as its step.
    pub fn run_plain(self) {
        self.run::<1, (), X, X>(
            |_, _| (),
            |world| *world,
            |world_from_parent, (), local| world_from_parent.concat(local),
            |world_from_child, world| *world = world_from_child,
            |[world], [matrix]| *matrix = WorldMatrix(world.to_homogeneous()),
        );
    }

    /// Runs the pass over the slots in ascending order, in batches.
    ///
    /// The closures divide the work:
    ///
    /// - `prepare` does the work that needs no parent, for `LANES` local poses at once. It runs for a whole batch
    ///   before the first step, so it never waits for a parent.
    /// - `load` reads the parent's world transform into registers. `step` computes the child's world transform from
    ///   it, the prepared value and the local pose. `store` writes the result.
    /// - `fill` converts `LANES` world transforms to matrices at once, if matrices are wanted.
    ///
    /// The closures are inlined. Written in a function with target features, they are compiled with those features.
    #[inline(always)]
    pub fn run<const LANES: usize, P: Copy + Default, R, C>(
        self,
        prepare: impl Fn([&Trs<X::Scalar>; LANES], &mut [P; LANES]),
        load: impl Fn(&X) -> R,
        step: impl Fn(R, &P, &Trs<X::Scalar>) -> C,
        store: impl Fn(C, &mut X),
        fill: impl Fn([&X; LANES], &mut [WorldMatrix<X::Scalar>; LANES]),
    ) {
        // The kernels handle only slots that inherit everything. A slot that inherits less takes the plain
        // `Transform::concat_inheriting`, so all kernels agree on it to the bit. The loop exists twice because a
        // single test for each node, which always fails, made trees a tenth slower (matrices, AVX2) and a crowd a
        // fifth. If one node in a hundred leaves out scale, a full update takes 1.2 times as long with matrices and
        // 1.1 times with combined TRS (`ratios inherited`, 100 000 nodes).
        if self.topology.inherits().is_empty() {
            self.run_where::<false, LANES, P, R, C>(prepare, load, step, store, fill);
        } else {
            self.run_where::<true, LANES, P, R, C>(prepare, load, step, store, fill);
        }
    }

    /// The loop itself, compiled once for topologies in which some slots inherit less than everything, and once for
    /// those in which none do.
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
        let roots_parent = worlds.above;
        let take_step = |worlds: &mut WorldSlice<'_, X>,
                         slot,
                         parent: u32,
                         prepared: &P,
                         local: &Trs<X::Scalar>| {
            let (parent, position) = (parent as usize, slot - worlds.first);
            // Everything that can fail comes before the first load, because the compiler splits up a load that is
            // separated from its use.
            let (above, own) = worlds.worlds[..=position].split_at_mut(position);
            let world_from_parent = match above.get(parent.wrapping_sub(worlds.first)) {
                Some(world) => world,
                None => parent_outside(worlds.parents, worlds.first_parent, parent)
                    .unwrap_or(&roots_parent),
            };
            store(step(load(world_from_parent), prepared, local), &mut own[0]);
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
                Batch::Consecutive(slots, ahead) => {
                    let (parents, poses) = (&parents[slots.clone()], &locals[slots.clone()]);
                    for (group, place) in groups(poses).zip(places) {
                        prepare(group, place);
                    }
                    // Goes from one slot that inherits less to the next, so that the slots in between need no test.
                    let mut start = 0;
                    loop {
                        let less = if SOME_INHERIT_LESS {
                            first_less(&inherits[slots.start + start..slots.end])
                        } else {
                            None
                        };
                        let end = less.map_or(slots.len(), |less| start + less);
                        let steps = parents[start..end].iter().zip(&poses[start..end]);
                        let steps = steps.zip(&prepared[start..end]);
                        for (slot, ((&parent, local), prepared)) in
                            (slots.start + start..).zip(steps)
                        {
                            prefetch(locals, slot + ahead);
                            prefetch(worlds.worlds, slot - worlds.first + ahead);
                            take_step(&mut worlds, slot, parent, prepared, local);
                        }
                        if less.is_none() {
                            break;
                        }
                        let (slot, parent) = (slots.start + end, parents[end] as usize);
                        worlds.step_inheriting(slot, parent, inherits[slot], &poses[end]);
                        start = end + 1;
                    }
                    worlds.fill(slots, &fill);
                }
                Batch::Scattered(list) => {
                    for (group, place) in list.groups::<LANES>().zip(places) {
                        prepare(group.map(|slot| &locals[slot]), place);
                    }
                    for (slot, prepared) in list.slots().zip(&prepared) {
                        let (parent, local) = (parents[slot], &locals[slot]);
                        if SOME_INHERIT_LESS && inherits[slot] != Inherit::All {
                            let parent = parent as usize;
                            worlds.step_inheriting(slot, parent, inherits[slot], local);
                        } else {
                            take_step(&mut worlds, slot, parent, prepared, local);
                        }
                    }
                    worlds.fill_scattered(list, &fill);
                }
            }
        }
    }
}

impl<X: Transform> WorldSlice<'_, X> {
    /// Takes the step of a slot that inherits less than everything. All kernels share this function.
    #[cold]
    fn step_inheriting(
        &mut self,
        slot: usize,
        parent: usize,
        inherit: Inherit,
        local: &Trs<X::Scalar>,
    ) {
        let within = self.worlds.get(parent.wrapping_sub(self.first));
        let parent = within.or_else(|| parent_outside(self.parents, self.first_parent, parent));
        let parent = parent.copied().unwrap_or(self.above);
        self.worlds[slot - self.first] = parent.concat_inheriting(local, inherit);
    }

    /// Writes the matrices of consecutive slots, if matrices are wanted.
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

    /// Writes the matrices of slots that need not be consecutive, if matrices are wanted.
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

/// Returns the world transform of a parent outside the slice, if it is in `parents`, whose first element belongs to
/// slot `first`.
#[cold]
fn parent_outside<X>(parents: &[X], first: usize, parent: usize) -> Option<&X> {
    parents.get(parent.wrapping_sub(first))
}

/// Returns the index of the first slot that inherits less than everything. Tests sixteen at a time, because most
/// inherit everything.
#[inline(always)]
fn first_less(inherits: &[Inherit]) -> Option<usize> {
    const TOGETHER: usize = 16;
    let is_less = |inherit: &Inherit| *inherit != Inherit::All;
    let any_less = |group: &[Inherit]| group.iter().fold(false, |any, one| any | is_less(one));
    let first = inherits.chunks(TOGETHER).position(any_less)? * TOGETHER;
    inherits[first..].iter().position(is_less).map(|place| first + place)
}

/// Returns the elements in groups of `LANES`. A short last group is padded with its own first element.
#[inline(always)]
fn groups<T, const LANES: usize>(elements: &[T]) -> impl Iterator<Item = [&T; LANES]> {
    elements.chunks(LANES).map(|group| match <&[T; LANES]>::try_from(group) {
        Ok(group) => group.each_ref(),
        Err(_) => std::array::from_fn(|lane| group.get(lane).unwrap_or(&group[0])),
    })
}
