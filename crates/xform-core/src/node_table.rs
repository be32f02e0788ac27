use std::ops::{Index, IndexMut};

use crate::NodeId;

/// A table of values for the nodes of one hierarchy: a mesh, a name or a collider for each.
///
/// A table is separate from the [`Hierarchy`](crate::Hierarchy). You can keep any number of tables, and the
/// hierarchy has no cost for them. A lookup takes an index and a comparison. The table has room for every node up to
/// the last one with a value; if only few nodes have one, a `HashMap<NodeId, V>` is smaller.
///
/// An id is never used twice, so the value of a removed node is never found for another node. The value is dropped
/// when its place is used again, or by [`retain`](Self::retain).
///
/// # Examples
///
/// ```
/// # use xform_core::{Hierarchy, HierarchyError, NodeTable, Transform, Trs};
/// fn named<X: Transform>(hierarchy: &mut Hierarchy<X>) -> Result<(), HierarchyError> {
///     let node = hierarchy.insert(None, Trs::identity())?;
///     let mut names = NodeTable::new();
///     names.insert(node, "arm");
///     assert_eq!(names[node], "arm");
///     hierarchy.remove(node)?;
///     names.retain(|node, _| hierarchy.contains(node));
///     assert_eq!(names.get(node), None);
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug)]
pub struct NodeTable<V> {
    entries: Vec<Option<(NodeId, V)>>,
}

impl<V> NodeTable<V> {
    /// Creates a table without values.
    #[must_use]
    pub fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// Sets the value of a node, and returns its previous value.
    ///
    /// If the node was removed and a newer node has taken its place, the new value is dropped and the newer node's
    /// value stays.
    pub fn insert(&mut self, node: NodeId, value: V) -> Option<V> {
        let index = node.index as usize;
        if index >= self.entries.len() {
            self.entries.resize_with(index + 1, || None);
        }
        let entry = &mut self.entries[index];
        if entry.as_ref().is_some_and(|(id, _)| id.generation > node.generation) {
            return None;
        }
        let old = entry.replace((node, value));
        old.filter(|(id, _)| *id == node).map(|(_, value)| value)
    }

    /// Returns the value of a node, if it has one.
    #[must_use]
    pub fn get(&self, node: NodeId) -> Option<&V> {
        let entry = self.entries.get(node.index as usize)?.as_ref();
        entry.filter(|(id, _)| *id == node).map(|(_, value)| value)
    }

    /// Returns the value of a node as a mutable reference, if it has one.
    #[must_use]
    pub fn get_mut(&mut self, node: NodeId) -> Option<&mut V> {
        let entry = self.entries.get_mut(node.index as usize)?.as_mut();
        entry.filter(|(id, _)| *id == node).map(|(_, value)| value)
    }

    /// Removes the value of a node and returns it, if it has one.
    pub fn remove(&mut self, node: NodeId) -> Option<V> {
        let entry = self.entries.get_mut(node.index as usize)?;
        entry.take_if(|(id, _)| *id == node).map(|(_, value)| value)
    }

    /// Keeps only the values for which the condition holds.
    pub fn retain(&mut self, mut condition: impl FnMut(NodeId, &V) -> bool) {
        for entry in &mut self.entries {
            entry.take_if(|(node, value)| !condition(*node, value));
        }
    }

    /// Returns the nodes that have a value, each with its value, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &V)> {
        self.entries.iter().flatten().map(|(node, value)| (*node, value))
    }

    /// Returns the nodes that have a value, each with its value as a mutable reference, in no particular order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (NodeId, &mut V)> {
        self.entries.iter_mut().flatten().map(|(node, value)| (*node, value))
    }
}

impl<V> Default for NodeTable<V> {
    /// Creates a table without values.
    fn default() -> Self {
        Self::new()
    }
}

impl<V> Index<NodeId> for NodeTable<V> {
    type Output = V;

    /// # Panics
    ///
    /// If the node has no value.
    fn index(&self, node: NodeId) -> &V {
        self.get(node).expect("the node has a value in this table")
    }
}

impl<V> IndexMut<NodeId> for NodeTable<V> {
    /// # Panics
    ///
    /// If the node has no value.
    fn index_mut(&mut self, node: NodeId) -> &mut V {
        self.get_mut(node).expect("the node has a value in this table")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;
    use xform_cases::properties;

    use super::*;
    use crate::node_id::Generation;

    fn id(index: u32, generation: u64) -> NodeId {
        NodeId { index, generation: Generation::new(generation).unwrap() }
    }

    #[test]
    fn the_successor_of_a_removed_node_keeps_its_value_to_itself() {
        let (old, new) = (id(3, 1), id(3, 2));
        let mut table = NodeTable::new();
        assert_eq!(table.insert(old, "old"), None);
        assert_eq!(table.get(new), None);
        assert_eq!(table.insert(new, "new"), None);
        assert_eq!(table.get(old), None);
        assert_eq!(table.insert(old, "older"), None);
        assert_eq!((table.remove(old), table[new]), (None, "new"));
    }

    properties! {
        #[test]
        fn it_does_as_a_map_does(
            steps in proptest::collection::vec((0_u32..6, 0_u8..5, any::<u8>()), 0..80)
        ) {
            let (mut table, mut map) = (NodeTable::new(), HashMap::new());
            for (index, kind, value) in steps {
                let node = id(index, 1);
                match kind {
                    0 => prop_assert_eq!(table.remove(node), map.remove(&node)),
                    1 => {
                        table.retain(|_, value| value % 2 == 0);
                        map.retain(|_, value| *value % 2 == 0);
                    }
                    2 if value % 2 == 0 => {
                        let change = |node: NodeId, value: &mut u8| *value ^= 1 << node.index;
                        table.iter_mut().for_each(|(node, value)| change(node, value));
                        map.iter_mut().for_each(|(node, value)| change(*node, value));
                    }
                    2 => {
                        let change = |value: &mut u8| *value ^= 1;
                        table.get_mut(node).map(change);
                        map.get_mut(&node).map(change);
                    }
                    _ => prop_assert_eq!(table.insert(node, value), map.insert(node, value)),
                }
                prop_assert_eq!(table.get(node), map.get(&node));
            }
            let found: HashMap<_, _> = table.iter().map(|(node, &value)| (node, value)).collect();
            prop_assert_eq!(found, map);
        }
    }
}
