//! One propagation on several threads.
//!
//! First a single thread recomputes the *spine*: a few nodes at the top of the change. Below it are ranges of slots
//! that do not depend on each other: the descendants of siblings in adjacent slots. Each range is a task, which
//! reads the world transforms of those siblings. The steps are the same as on one thread, and so are the bits of the
//! results.

// Threads divide by siblings. The nodes below adjacent siblings are one range, which reads only those siblings and
// itself. So the ranges are split off the slice of world transforms as disjoint `&mut` slices, without unsafe code.
// Below 32 768 affected nodes one thread does it all.
use std::ops::Range;

use super::{Hierarchy, layout::Layout, slot_table::SweepColumns};
use crate::{
    InstructionSet, Transform,
    transform::{Sweep, WorldSlice},
};

/// The number of affected nodes below which one thread is faster, or hardly slower.
const WORTH_THREADS: usize = 32_768;

/// The number of nodes that a task should have at least.
const GRAIN: usize = 4_096;

/// The maximum number of times that the children of a node are added to the spine. If that does not yield tasks, as
/// in a chain, more would not either.
const MOST_EXPANSIONS: usize = 256;

/// The slots that one task recomputes, and the slots above them whose world transforms it reads.
struct Task {
    parents: Range<usize>,
    slots: Range<usize>,
}

/// The slots to be recomputed: first the spine, then the tasks in any order, then the rest.
struct Plan {
    spine: Vec<Range<usize>>,
    tasks: Vec<Task>,
    rest: Vec<Range<usize>>,
}

impl<X: Transform> Hierarchy<X> {
    /// Recomputes the slots in `self.changed` on several threads. Returns `false`, having done nothing, if that is
    /// not worth it.
    pub(super) fn sweep_on_threads(&mut self, instruction_set: InstructionSet) -> bool {
        let affected: usize = self.changed.iter().map(ExactSizeIterator::len).sum();
        let threads = rayon::current_num_threads();
        if threads < 2 || affected < WORTH_THREADS {
            return false;
        }
        let grain = (affected / (4 * threads)).max(GRAIN);
        let tops = self.layout.uppermost(&self.changes);
        let plan = Plan::new(&self.layout, &tops, &self.changed, grain);
        if plan.tasks.len() < 2 {
            return false;
        }
        self.sweep_ranges(&plan.spine, instruction_set);
        self.run_tasks(&plan.tasks, instruction_set);
        self.sweep_ranges(&plan.rest, instruction_set);
        true
    }

    fn run_tasks(&mut self, tasks: &[Task], instruction_set: InstructionSet) {
        let SweepColumns { topology, locals, mut worlds, mut matrices } =
            self.layout.slots.sweep_columns();
        let parents: Vec<Vec<X>> =
            tasks.iter().map(|task| worlds[task.parents.clone()].to_vec()).collect();
        let mut done = 0;
        rayon::scope(|scope| {
            for (task, parents) in tasks.iter().zip(&parents) {
                let (skipped, len) = (task.slots.start - done, task.slots.len());
                done = task.slots.end;
                let slice = WorldSlice {
                    first: task.slots.start,
                    worlds: split_off(&mut worlds, skipped, len),
                    matrices: matrices.as_mut().map(|rest| split_off(rest, skipped, len)),
                    first_parent: task.parents.start,
                    parents,
                    above: X::identity(),
                };
                let ranges = std::slice::from_ref(&task.slots);
                scope.spawn(move |_| {
                    let sweep = Sweep::of_slice(topology, locals, slice, ranges);
                    X::sweep(sweep.with_instruction_set(instruction_set));
                });
            }
        });
    }
}

/// Splits `len` elements off the front of a slice, after dropping the first `skipped`.
fn split_off<'a, T>(slice: &mut &'a mut [T], skipped: usize, len: usize) -> &'a mut [T] {
    let (_, rest) = std::mem::take(slice).split_at_mut(skipped);
    let (taken, rest) = rest.split_at_mut(len);
    *slice = rest;
    taken
}

/// Nodes in adjacent slots, usually siblings, and the range of all their descendants.
struct Block {
    siblings: Range<usize>,
    below: Range<usize>,
}

impl Plan {
    /// Divides the changed slots into a spine, tasks and a rest. Tasks have `grain` nodes or more if the order of
    /// the slots allows it. Spine and tasks are in ascending order.
    fn new<X: Transform>(
        layout: &Layout<X>,
        tops: &[usize],
        changed: &[Range<usize>],
        grain: usize,
    ) -> Self {
        let end = layout.orderly_len();
        let orderly = &tops[..tops.partition_point(|&slot| slot < end)];
        let mut rest = changed.to_vec();
        for range in &mut rest {
            range.start = range.start.max(end);
        }
        rest.retain(|range| !range.is_empty());
        let blocks = blocks(orderly, |slot| layout.slots.descendants(slot));
        let spine = blocks.iter().map(|block| block.siblings.clone()).collect();
        let mut plan = Self { spine, tasks: Vec::new(), rest };
        plan.divide(layout, blocks, grain);
        plan.spine.sort_unstable_by_key(|range| range.start);
        plan.tasks.sort_unstable_by_key(|task| task.slots.start);
        plan
    }

    /// Divides the descendants of these blocks, whose siblings are already in the spine, into tasks.
    fn divide<X: Transform>(&mut self, layout: &Layout<X>, mut pending: Vec<Block>, grain: usize) {
        let mut expansions = 0;
        while let Some(Block { siblings, below }) = pending.pop() {
            if below.len() <= 2 * grain || expansions == MOST_EXPANSIONS {
                self.tasks.push(Task { parents: siblings, slots: below });
            } else if siblings.len() > 1 {
                pending.extend(groups(siblings, grain, |slot| layout.slots.descendants(slot)));
            } else {
                expansions += 1;
                let children = layout.children_block(siblings.start);
                if children == below {
                    self.tasks.extend(chunks(&siblings, &children, grain));
                } else {
                    self.spine.push(children.clone());
                    pending.push(Block { below: children.end..below.end, siblings: children });
                }
            }
        }
        self.tasks.retain(|task| !task.slots.is_empty());
    }
}

/// Joins slots to blocks if they are adjacent and their descendants are too.
fn blocks(slots: &[usize], below: impl Fn(usize) -> Range<usize>) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for &slot in slots {
        let own = Block { siblings: slot..slot + 1, below: below(slot) };
        match blocks.last().and_then(|block| block.joined(&own)) {
            Some(joined) => *blocks.last_mut().expect("just seen") = joined,
            None => blocks.push(own),
        }
    }
    blocks
}

/// Divides siblings into groups. Neighbours with few descendants share a group until it has `grain` of them.
fn groups(
    siblings: Range<usize>,
    grain: usize,
    below: impl Fn(usize) -> Range<usize>,
) -> Vec<Block> {
    let mut groups: Vec<Block> = Vec::new();
    for slot in siblings {
        let own = Block { siblings: slot..slot + 1, below: below(slot) };
        let small = groups.last_mut().filter(|group| group.below.len() < grain);
        let joined = small.as_deref().filter(|_| own.below.len() < grain);
        match joined.and_then(|group| group.joined(&own)).zip(small) {
            Some((joined, group)) => *group = joined,
            None => groups.push(own),
        }
    }
    groups
}

impl Block {
    /// Returns the two blocks as one; `None` unless both their slots and their descendants are adjacent.
    fn joined(&self, next: &Self) -> Option<Self> {
        let below = match (&self.below, &next.below) {
            (below, none) if none.is_empty() => below.clone(),
            (none, below) if none.is_empty() => below.clone(),
            (below, behind) if below.end == behind.start => below.start..behind.end,
            _ => return None,
        };
        let is_next = self.siblings.end == next.siblings.start;
        is_next.then_some(Self { siblings: self.siblings.start..next.siblings.end, below })
    }
}

/// Returns tasks that share the children of one node, if all of these children are leaves.
fn chunks(
    parent: &Range<usize>,
    children: &Range<usize>,
    grain: usize,
) -> impl Iterator<Item = Task> {
    children.clone().step_by(grain).map(move |start| Task {
        parents: parent.clone(),
        slots: start..children.end.min(start + grain),
    })
}
