//! One propagation on several threads.
//!
//! A short *spine* is recomputed first. What is below it falls into ranges of slots that need
//! nothing of each other: the descendants of siblings that stand side by side. Each is a task of
//! its own and reads the world transforms of those siblings. The steps are the same as on one
//! thread, and so are the bits.

use std::ops::Range;

use super::{Hierarchy, layout::Layout};
use crate::{InstructionSet, Sweep, Transform, sweep::Piece};

/// Below this many affected nodes one thread is faster, or hardly slower.
const WORTH_THREADS: usize = 32_768;

/// How many nodes a task has at least.
const GRAIN: usize = 4_096;

/// How often siblings are taken into the spine at most; where that does not make tasks, as in a
/// chain, nothing would.
const MOST_EXPANSIONS: usize = 256;

/// What a task recomputes, and the siblings whose world transforms it reads.
struct Task {
    above: Range<usize>,
    slots: Range<usize>,
}

/// What is to be recomputed: first the spine, then the tasks in any order, then the rest.
struct Plan {
    spine: Vec<Range<usize>>,
    tasks: Vec<Task>,
    rest: Vec<Range<usize>>,
}

impl<X: Transform> Hierarchy<X> {
    /// Recomputes `self.changed` on several threads; `false` where that is not worth it and
    /// nothing was done.
    pub(super) fn sweep_on_threads(&mut self, instruction_set: InstructionSet) -> bool {
        let affected: usize = self.changed.iter().map(ExactSizeIterator::len).sum();
        let threads = rayon::current_num_threads();
        if threads < 2 || affected < WORTH_THREADS {
            return false;
        }
        let grain = (affected / (4 * threads)).max(GRAIN);
        let changes: Vec<_> = self.changes.iter().collect();
        let plan = Plan::new(&self.layout, &changes, &self.changed, grain);
        if plan.tasks.len() < 2 {
            return false;
        }
        self.sweep_ranges(&plan.spine, instruction_set);
        self.run_tasks(&plan.tasks, instruction_set);
        self.sweep_ranges(&plan.rest, instruction_set);
        true
    }

    fn run_tasks(&mut self, tasks: &[Task], instruction_set: InstructionSet) {
        let above: Vec<Vec<X>> =
            tasks.iter().map(|task| self.worlds[task.above.clone()].to_vec()).collect();
        let (topology, locals) = (&self.layout.topology, &*self.locals);
        let (mut worlds, mut matrices) = (&mut *self.worlds, self.matrices.as_deref_mut());
        let mut done = 0;
        rayon::scope(|scope| {
            for (task, above) in tasks.iter().zip(&above) {
                let (skipped, len) = (task.slots.start - done, task.slots.len());
                done = task.slots.end;
                let piece = Piece {
                    first: task.slots.start,
                    worlds: split_off(&mut worlds, skipped, len),
                    matrices: matrices.as_mut().map(|rest| split_off(rest, skipped, len)),
                    above_first: task.above.start,
                    above,
                };
                let ranges = std::slice::from_ref(&task.slots);
                scope.spawn(move |_| {
                    let sweep = Sweep::of_piece(topology, locals, piece, ranges);
                    X::sweep(sweep.with_instruction_set(instruction_set));
                });
            }
        });
    }
}

/// Takes `len` elements off the front of the slice, after `skipped` that nobody gets.
fn split_off<'a, T>(slice: &mut &'a mut [T], skipped: usize, len: usize) -> &'a mut [T] {
    let (_, rest) = std::mem::take(slice).split_at_mut(skipped);
    let (taken, rest) = rest.split_at_mut(len);
    *slice = rest;
    taken
}

/// Siblings that stand side by side, and the range of all their descendants.
struct Block {
    siblings: Range<usize>,
    below: Range<usize>,
}

impl Plan {
    /// Tasks of `grain` nodes or more where the order gives them, ascending.
    fn new(layout: &Layout, changes: &[usize], changed: &[Range<usize>], grain: usize) -> Self {
        let end = layout.orderly_len();
        let mut rest = changed.to_vec();
        for range in &mut rest {
            range.start = range.start.max(end);
        }
        rest.retain(|range| !range.is_empty());
        let blocks = blocks(&tops(layout, changes, end), |slot| layout.below(slot));
        let spine = blocks.iter().map(|block| block.siblings.clone()).collect();
        let mut plan = Self { spine, tasks: Vec::new(), rest };
        plan.divide(layout, blocks, grain);
        plan.spine.sort_unstable_by_key(|range| range.start);
        plan.tasks.sort_unstable_by_key(|task| task.slots.start);
        plan
    }

    /// Divides what is below blocks whose siblings are in the spine.
    fn divide(&mut self, layout: &Layout, mut pending: Vec<Block>, grain: usize) {
        let mut expansions = 0;
        while let Some(Block { siblings, below }) = pending.pop() {
            if below.len() <= 2 * grain || expansions == MOST_EXPANSIONS {
                self.tasks.push(Task { above: siblings, slots: below });
            } else if siblings.len() > 1 {
                pending.extend(groups(siblings, grain, |slot| layout.below(slot)));
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

/// The changed nodes that are not below another one, ascending, and before `end`.
fn tops(layout: &Layout, changes: &[usize], end: usize) -> Vec<usize> {
    let orderly = changes.iter().copied().take_while(|&slot| slot < end);
    let mut below: Vec<_> = orderly.clone().map(|slot| layout.below(slot)).collect();
    below.sort_unstable_by_key(|range| range.start);
    let mut below = below.into_iter().peekable();
    let mut covered_to = 0;
    let is_top = |&slot: &usize| {
        while let Some(range) = below.next_if(|range| range.start <= slot) {
            covered_to = covered_to.max(range.end);
        }
        covered_to <= slot
    };
    orderly.filter(is_top).collect()
}

/// Joins slots that stand side by side, and what is below them too.
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

/// Divides siblings so that there are `grain` nodes or more below each group, except the last.
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
    /// The two as one, where what is below them stands side by side as they do.
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

/// Tasks that share the children of one node, none of which has any.
fn chunks(
    parent: &Range<usize>,
    children: &Range<usize>,
    grain: usize,
) -> impl Iterator<Item = Task> {
    children.clone().step_by(grain).map(move |start| Task {
        above: parent.clone(),
        slots: start..children.end.min(start + grain),
    })
}
