use std::ops::Range;

use crate::tree::NIL;

/// The slots of a forest in sibling-block order.
///
/// All roots first, then what is below the first root, below the second, and so on; below a node,
/// again its children first, side by side, then what is below each of them. So the descendants of a
/// node are one range, siblings wait for the same parent and not for each other, and a parent's
/// world transform is still in a near cache when its children need it.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    /// Which node stands in each slot.
    pub(crate) order: Vec<u32>,
    /// By slot: the slot of the parent, `NIL` for a root.
    pub(crate) parents: Vec<u32>,
    /// By slot: the slots of the descendants.
    pub(crate) descendants: Vec<Range<u32>>,
}

impl Blocks {
    /// Lays out the nodes whose parents these are, `NIL` for a root; siblings stay in the order of
    /// the slice. A node that is its own ancestor is left out, with all below it.
    pub(crate) fn new(parents: &[u32]) -> Self {
        let (starts, children) = children_by_parent(parents);
        let children_of = |node: usize| &children[starts[node] as usize..starts[node + 1] as usize];
        let mut blocks = Self {
            order: Vec::with_capacity(parents.len()),
            parents: Vec::with_capacity(parents.len()),
            descendants: Vec::new(),
        };
        // What is left of each block on the way down: slots below which nothing stands yet.
        let mut pending = vec![blocks.append(children_of(parents.len()), NIL)];
        while let Some(mut block) = pending.pop() {
            let Some(slot) = block.next() else { continue };
            if !block.is_empty() {
                pending.push(block);
            }
            let children = children_of(blocks.order[slot as usize] as usize);
            if !children.is_empty() {
                pending.push(blocks.append(children, slot));
            }
        }
        blocks.descendants = descendants(&blocks.parents);
        blocks
    }

    fn append(&mut self, block: &[u32], parent: u32) -> Range<u32> {
        let start = narrow(self.order.len());
        self.order.extend_from_slice(block);
        self.parents.resize(self.order.len(), parent);
        start..narrow(self.order.len())
    }
}

/// By counting: the children of node `i` are `children[starts[i]..starts[i + 1]]`, the roots those
/// of the node after the last.
fn children_by_parent(parents: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let place = |parent: u32| parents.len().min(parent as usize);
    let mut starts = vec![0; parents.len() + 2];
    for &parent in parents {
        starts[place(parent)] += 1;
    }
    let mut total = 0;
    for start in &mut starts {
        total += *start;
        *start = total;
    }
    // Each is the end of its children now, and their start once they are filled in from there.
    let mut children = vec![0; parents.len()];
    for (node, &parent) in parents.iter().enumerate().rev() {
        let next = &mut starts[place(parent)];
        *next -= 1;
        children[*next as usize] = narrow(node);
    }
    (starts, children)
}

/// The range of the descendants of each slot, from the parents in sibling-block order.
fn descendants(parents: &[u32]) -> Vec<Range<u32>> {
    let mut ranges = vec![0..0; parents.len()];
    for (slot, &parent) in parents.iter().enumerate().rev() {
        let own: Range<u32> = ranges[slot].clone();
        if let Some(range) = ranges.get_mut(parent as usize) {
            range.start = narrow(slot);
            range.end = range.end.max(own.end).max(narrow(slot) + 1);
        }
    }
    ranges
}

fn narrow(slot: usize) -> u32 {
    u32::try_from(slot).expect("there are fewer slots than a u32 can number")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn siblings_stand_side_by_side_and_descendants_are_one_range() {
        //  0        3     nodes 0 and 3 are roots
        //  1 4      2
        //  5
        let blocks = Blocks::new(&[NIL, 0, 3, NIL, 0, 1]);
        assert_eq!(blocks.order, [0, 3, 1, 4, 5, 2]);
        assert_eq!(blocks.parents, [NIL, NIL, 0, 0, 2, 1]);
        assert_eq!(blocks.descendants[..3], [2..5, 5..6, 4..5]);
    }

    #[test]
    fn what_is_on_a_cycle_or_below_one_is_left_out() {
        let blocks = Blocks::new(&[NIL, 2, 1, 3, 0, 2]);
        assert_eq!(blocks.order, [0, 4]);
        assert_eq!(blocks.parents, [NIL, 0]);
    }

    proptest! {
        #[test]
        fn the_range_of_a_slot_is_its_descendants(
            parents in (1_u32..60).prop_flat_map(|len| {
                (0..len).map(|i| prop_oneof![1 => Just(NIL), 4 => 0..i.max(1)].prop_map(
                    move |parent| if parent < i { parent } else { NIL }
                )).collect::<Vec<_>>()
            })
        ) {
            let blocks = Blocks::new(&parents);
            prop_assert_eq!(blocks.order.len(), parents.len());
            for (slot, range) in blocks.descendants.iter().enumerate() {
                let is_below = |mut other: usize| {
                    while let Some(&parent) = blocks.parents.get(other) {
                        other = parent as usize;
                        if other == slot { return true; }
                    }
                    false
                };
                for other in 0..parents.len() {
                    prop_assert_eq!(range.contains(&narrow(other)), is_below(other));
                }
            }
        }
    }
}
