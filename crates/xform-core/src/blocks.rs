use std::ops::Range;

/// The slots of a forest in sibling-block order.
///
/// All roots first, then what is below the first root, below the second, and so on; below a node,
/// again its children first, side by side, then what is below each of them. So the descendants of a
/// node are one range, siblings wait for the same parent and not for each other, and a parent's
/// world transform is still in a near cache when its children need it.
#[derive(Debug)]
pub(crate) struct Blocks {
    /// Which node stands in each slot.
    pub(crate) order: Vec<u32>,
    /// By slot: the slot of the parent.
    pub(crate) parents: Vec<Option<u32>>,
    /// By slot: the slots of the descendants.
    pub(crate) descendants: Vec<Range<u32>>,
}

impl Blocks {
    /// Lays out the nodes whose parents these are; siblings stay in the order of the slice. `None`
    /// where a node is its own ancestor.
    pub(crate) fn new(parents: &[Option<u32>]) -> Option<Self> {
        let (starts, children) = children_by_parent(parents);
        let children_of = |node: usize| &children[starts[node] as usize..starts[node + 1] as usize];
        let mut slots = vec![0; parents.len()];
        let mut order = Vec::with_capacity(parents.len());
        let mut pending = Vec::new();
        let mut append = |block: &[u32], pending: &mut Vec<u32>| {
            for &node in block {
                slots[node as usize] = narrow(order.len());
                order.push(node);
            }
            pending.extend(block.iter().rev());
        };
        append(children_of(parents.len()), &mut pending);
        while let Some(node) = pending.pop() {
            append(children_of(node as usize), &mut pending);
        }
        if order.len() < parents.len() {
            return None;
        }
        let slot_of = |parent: u32| slots[parent as usize];
        let parents: Vec<_> =
            order.iter().map(|&node| parents[node as usize].map(slot_of)).collect();
        let descendants = descendants(&parents);
        Some(Self { order, parents, descendants })
    }
}

/// By counting: the children of node `i` are `children[starts[i]..starts[i + 1]]`, the roots those
/// of the node after the last.
fn children_by_parent(parents: &[Option<u32>]) -> (Vec<u32>, Vec<u32>) {
    let place = |parent: Option<u32>| parent.map_or(parents.len(), |parent| parent as usize);
    let mut starts = vec![0; parents.len() + 2];
    for &parent in parents {
        starts[place(parent) + 1] += 1;
    }
    let mut total = 0;
    for start in &mut starts {
        total += *start;
        *start = total;
    }
    let mut children = vec![0; parents.len()];
    let mut nexts = starts.clone();
    for (node, &parent) in parents.iter().enumerate() {
        let next = &mut nexts[place(parent)];
        children[*next as usize] = narrow(node);
        *next += 1;
    }
    (starts, children)
}

/// The range of the descendants of each slot, from the parents in sibling-block order.
fn descendants(parents: &[Option<u32>]) -> Vec<Range<u32>> {
    let mut ranges = vec![0..0; parents.len()];
    for (slot, &parent) in parents.iter().enumerate().rev() {
        let own: Range<u32> = ranges[slot].clone();
        if let Some(parent) = parent {
            let range = &mut ranges[parent as usize];
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
        let parents = [None, Some(0), Some(3), None, Some(0), Some(1)];
        let blocks = Blocks::new(&parents).unwrap();
        assert_eq!(blocks.order, [0, 3, 1, 4, 5, 2]);
        assert_eq!(blocks.parents, [None, None, Some(0), Some(0), Some(2), Some(1)]);
        assert_eq!(blocks.descendants[..3], [2..5, 5..6, 4..5]);
    }

    #[test]
    fn a_cycle_has_no_order() {
        assert!(Blocks::new(&[None, Some(2), Some(1)]).is_none());
    }

    proptest! {
        #[test]
        fn the_range_of_a_slot_is_its_descendants(
            parents in (1_usize..60).prop_flat_map(|len| {
                (0..len).map(|i| proptest::option::of(0..narrow(i.max(1))).prop_map(move |p| p.filter(|&p| p < narrow(i)))).collect::<Vec<_>>()
            })
        ) {
            let blocks = Blocks::new(&parents).unwrap();
            for (slot, range) in blocks.descendants.iter().enumerate() {
                let is_below = |mut other: usize| {
                    while let Some(parent) = blocks.parents[other] {
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
