use crate::{
    Inherit, TopologyError,
    index::{NIL, stored},
};

/// The parent of each slot, with parents before children: the parent of slot `i` is in `0..i`, unless `i` is a root.
///
/// A topology is validated once, when it is made. A kernel that walks the slots in ascending order therefore always
/// finds the parent's world transform ready, and never reads out of bounds. A topology also holds which parts of its
/// parent's transform each slot [inherits](Inherit).
///
/// # Examples
///
/// ```
/// use xform_core::Topology;
///
/// let topology = Topology::from_parents(&[None, Some(0), Some(0), Some(2)])?;
/// assert_eq!(topology.parent(3), Some(2));
/// assert!(Topology::from_parents(&[Some(1), None]).is_err());
/// # Ok::<(), xform_core::TopologyError>(())
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Topology {
    parents: Vec<u32>,
    /// The parts that each slot inherits; empty if every slot inherits everything.
    inherits: Vec<Inherit>,
}

/// The entry of a root in `parents`.
const NO_PARENT: u32 = NIL;

impl Topology {
    /// Creates a topology from the parent of each slot.
    ///
    /// If parents do not come before children in your array, [`parents_first`] finds an order in which they do.
    ///
    /// # Errors
    ///
    /// The first parent that is out of range or does not come before its child; more slots than a `u32` can number.
    pub fn from_parents(parents: &[Option<usize>]) -> Result<Self, TopologyError> {
        let slot_count = checked_len(parents.len())?;
        let slots = (0..slot_count).zip(parents);
        let parents =
            slots.map(|(slot, &parent)| Self::checked_parent(slot, parent, parents.len()));
        Ok(Self { parents: parents.collect::<Result<_, _>>()?, inherits: Vec::new() })
    }

    /// Makes this a copy of another topology and reuses the memory that it has.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.parents.clone_from(&other.parents);
        self.inherits.clone_from(&other.inherits);
    }

    fn checked_parent(slot: u32, parent: Option<usize>, len: usize) -> Result<u32, TopologyError> {
        let node = slot as usize;
        match parent {
            None => Ok(NO_PARENT),
            Some(parent) if parent >= len => {
                Err(TopologyError::ParentOutOfRange { node, parent, len })
            }
            Some(parent) => u32::try_from(parent)
                .ok()
                .filter(|&parent| parent < slot)
                .ok_or(TopologyError::ChildBeforeParent { node, parent }),
        }
    }

    /// Sets which parts of its parent's world transform each slot inherits.
    ///
    /// If a strategy cannot leave out a part, the slot inherits everything instead; see
    /// [`Transform::inherited`](crate::Transform::inherited).
    ///
    /// # Panics
    ///
    /// If `inherits` is not as long as the topology.
    #[must_use]
    pub fn with_inherit(mut self, inherits: &[Inherit]) -> Self {
        assert_eq!(inherits.len(), self.len(), "one `inherit` per slot");
        self.inherits.clear();
        self.inherits.extend_from_slice(inherits);
        self.forget_if_all();
        self
    }

    /// Returns which parts of its parent's world transform a slot inherits.
    ///
    /// # Panics
    ///
    /// If `slot` is out of range.
    #[inline]
    #[must_use]
    pub fn inherit(&self, slot: usize) -> Inherit {
        assert!(slot < self.len(), "a slot of the topology");
        self.inherits.get(slot).copied().unwrap_or_default()
    }

    /// The parts that each slot inherits; empty if every slot inherits everything.
    #[inline]
    pub(crate) fn inherits(&self) -> &[Inherit] {
        &self.inherits
    }

    pub(crate) fn set_inherit(&mut self, slot: usize, inherit: Inherit) {
        if self.inherits.is_empty() {
            self.inherits.resize(self.len(), Inherit::All);
        }
        self.inherits[slot] = inherit;
    }

    fn forget_if_all(&mut self) {
        if self.inherits.iter().all(|&inherit| inherit == Inherit::All) {
            self.inherits.clear();
        }
    }

    /// Creates a topology in which each slot's parent is the slot before it.
    pub(crate) fn chain(len: usize) -> Self {
        let mut chain = Self::default();
        for slot in 0..len {
            chain.push(slot.checked_sub(1), Inherit::All);
        }
        chain
    }

    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { parents: Vec::with_capacity(capacity), inherits: Vec::new() }
    }

    /// Adds a slot after the last. Its parent must be one of the existing slots.
    pub(crate) fn push(&mut self, parent: Option<usize>, inherit: Inherit) {
        let parent = parent.map_or(NO_PARENT, |parent| {
            assert!(parent < self.parents.len(), "parents first");
            stored(parent)
        });
        self.parents.push(parent);
        if !self.inherits.is_empty() {
            self.inherits.push(inherit);
        } else if inherit != Inherit::All {
            self.set_inherit(self.parents.len() - 1, inherit);
        }
    }

    pub(crate) fn reserve(&mut self, additional: usize) {
        self.parents.reserve(additional);
    }

    /// Puts the slots in another order.
    ///
    /// `parents` is the parent of each new slot, and `old_slots` the former slot of each new slot. Parents come
    /// before their children.
    pub(crate) fn reorder(&mut self, parents: &[u32], old_slots: &[u32]) {
        let is_first =
            |(slot, &parent): (usize, &u32)| parent == NO_PARENT || (parent as usize) < slot;
        debug_assert!(parents.iter().enumerate().all(is_first), "parents first");
        // Reuses the vector because it has spare capacity.
        self.parents.clear();
        self.parents.extend_from_slice(parents);
        if !self.inherits.is_empty() {
            let inherits = old_slots.iter().map(|&slot| self.inherits[slot as usize]);
            self.inherits = inherits.collect();
            self.forget_if_all();
        }
    }

    /// The parent of each slot, or [`NO_PARENT`].
    pub(crate) fn parents(&self) -> &[u32] {
        &self.parents
    }

    /// Returns the number of slots.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Returns whether there are no slots.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Returns the parent of a slot, which is always less than `slot`; `None` for a root.
    ///
    /// # Panics
    ///
    /// If `slot` is out of range.
    #[inline]
    #[must_use]
    pub fn parent(&self, slot: usize) -> Option<usize> {
        let parent = self.parents[slot];
        (parent != NO_PARENT).then_some(parent as usize)
    }
}

/// Returns an order in which every node comes after its parent: element `i` is the node to visit `i`-th.
///
/// The order is depth first, with roots and siblings in the order of the array, so every subtree is contiguous.
/// Takes linear time and does not recurse.
///
/// # Errors
///
/// A parent that is out of range; a node that is its own ancestor; more nodes than a `u32` can number.
///
/// # Examples
///
/// ```
/// use xform_core::slices::parents_first;
///
/// assert_eq!(parents_first(&[Some(2), Some(0), None])?, [2, 0, 1]);
/// assert!(parents_first(&[Some(1), Some(0)]).is_err());
/// # Ok::<(), xform_core::TopologyError>(())
/// ```
pub fn parents_first(parents: &[Option<usize>]) -> Result<Vec<usize>, TopologyError> {
    check_parents(parents)?;
    let len = parents.len();
    // The children of `node` are `children[starts[node]..starts[node + 1]]`. The roots follow after those of the
    // last node.
    let mut starts = vec![0; len + 2];
    for parent in parents {
        starts[parent.unwrap_or(len) + 1] += 1;
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut children = vec![0; len];
    let mut next = starts.clone();
    for (node, &parent) in parents.iter().enumerate() {
        let place = &mut next[parent.unwrap_or(len)];
        children[*place] = node;
        *place += 1;
    }

    let mut order = Vec::with_capacity(len);
    let mut pending: Vec<usize> = children[starts[len]..].iter().rev().copied().collect();
    while let Some(node) = pending.pop() {
        order.push(node);
        pending.extend(children[starts[node]..starts[node + 1]].iter().rev());
    }
    if order.len() < len {
        return Err(TopologyError::Cycle { node: node_on_a_cycle(parents, order) });
    }
    Ok(order)
}

/// Fails if a parent is out of range, or if there are more nodes than a `u32` can number.
pub(crate) fn check_parents(parents: &[Option<usize>]) -> Result<(), TopologyError> {
    let len = parents.len();
    checked_len(len)?;
    for (node, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent.filter(|&parent| parent >= len) {
            return Err(TopologyError::ParentOutOfRange { node, parent, len });
        }
    }
    Ok(())
}

/// Returns a node on a cycle, given the nodes that can be reached from the roots.
pub(crate) fn node_on_a_cycle(
    parents: &[Option<usize>],
    reached: impl IntoIterator<Item = usize>,
) -> usize {
    let mut is_reached = vec![false; parents.len()];
    for node in reached {
        is_reached[node] = true;
    }
    let unreached = is_reached.iter().position(|&reached| !reached);
    let mut node = unreached.expect("called because not every node was reached");
    // The parent of an unreached node is unreached too, so the climb ends on a cycle.
    for _ in parents {
        node = parents[node].expect("a root is reached");
    }
    node
}

fn checked_len(len: usize) -> Result<u32, TopologyError> {
    u32::try_from(len)
        .ok()
        .filter(|&len| len < NO_PARENT)
        .ok_or(TopologyError::TooManyNodes { len })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xform_cases::properties;

    use super::*;

    #[test]
    fn errors_name_the_node_and_its_parent() {
        let out_of_range = TopologyError::ParentOutOfRange { node: 1, parent: 2, len: 2 };
        assert_eq!(Topology::from_parents(&[None, Some(2)]), Err(out_of_range));
        assert_eq!(parents_first(&[None, Some(2)]), Err(out_of_range));
        assert_eq!(
            Topology::from_parents(&[None, Some(1)]),
            Err(TopologyError::ChildBeforeParent { node: 1, parent: 1 })
        );
        // 0 is a descendant of the cycle of 1 and 2 without being on it.
        let Err(TopologyError::Cycle { node }) = parents_first(&[Some(1), Some(2), Some(1)]) else {
            panic!("a cycle is an error");
        };
        assert!(node == 1 || node == 2);
    }

    #[test]
    fn no_nodes_are_a_topology_too() {
        assert_eq!(parents_first(&[]), Ok(vec![]));
        assert!(Topology::from_parents(&[]).unwrap().is_empty());
        assert!(!Topology::from_parents(&[None]).unwrap().is_empty());
    }

    #[test]
    fn to_inherit_everything_is_to_say_nothing_about_it() {
        let topology = Topology::from_parents(&[None, Some(0)]).unwrap();
        let less = topology.clone().with_inherit(&[Inherit::All, Inherit::NoScale]);
        assert_ne!(less, topology);
        assert_eq!(less.with_inherit(&[Inherit::All; 2]), topology);
    }

    properties! {
        #[test]
        fn any_array_is_ordered_or_refused(
            parents in proptest::collection::vec(proptest::option::of(0_usize..12), 0..12)
        ) {
            if let Ok(order) = parents_first(&parents) {
                let mut seen = vec![false; parents.len()];
                for node in order {
                    prop_assert!(!seen[node]);
                    prop_assert!(parents[node].is_none_or(|parent| seen[parent]));
                    seen[node] = true;
                }
                prop_assert!(seen.iter().all(|&seen| seen));
            } else {
                let climb = |mut node: usize| {
                    for _ in 0..=parents.len() {
                        match parents.get(node)? { Some(parent) => node = *parent, None => return Some(()) }
                    }
                    None
                };
                prop_assert!((0..parents.len()).any(|node| climb(node).is_none()));
            }
        }
    }
}
