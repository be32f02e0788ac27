use std::iter::FusedIterator;

use super::Tree;
use crate::{NodeId, index::NIL};

/// The children of a node, or the roots, in sibling order.
#[derive(Clone, Debug)]
pub struct Children<'a> {
    tree: &'a Tree,
    next: u32,
}

impl<'a> Children<'a> {
    pub(super) fn new(tree: &'a Tree, first: u32) -> Self {
        Self { tree, next: first }
    }
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let index = live(self.next)?;
        self.next = self.tree.next_sibling(index);
        Some(self.tree.id(index))
    }
}

impl FusedIterator for Children<'_> {}

/// The ancestors of a node: its parent first, its root last.
#[derive(Clone, Debug)]
pub struct Ancestors<'a> {
    tree: &'a Tree,
    next: u32,
}

impl<'a> Ancestors<'a> {
    pub(super) fn new(tree: &'a Tree, parent: u32) -> Self {
        Self { tree, next: parent }
    }
}

impl Iterator for Ancestors<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let index = live(self.next)?;
        self.next = self.tree.parent(index);
        Some(self.tree.id(index))
    }
}

impl FusedIterator for Ancestors<'_> {}

/// A node and all its descendants, or a whole forest, depth first: parents before children,
/// siblings in their order.
#[derive(Clone, Debug)]
pub struct Subtree<'a> {
    tree: &'a Tree,
    next: u32,
    top: u32,
}

impl<'a> Subtree<'a> {
    pub(super) fn new(tree: &'a Tree, first: u32, top: u32) -> Self {
        Self { tree, next: first, top }
    }
}

impl Iterator for Subtree<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let index = live(self.next)?;
        self.next = self.tree.next_in_subtree(index, self.top).unwrap_or(NIL);
        Some(self.tree.id(index))
    }
}

impl FusedIterator for Subtree<'_> {}

fn live(index: u32) -> Option<u32> {
    (index != NIL).then_some(index)
}
