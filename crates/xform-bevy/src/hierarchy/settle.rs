//! Gives each entity its node, below the node of its parent.

use bevy_ecs::{entity::Entity, hierarchy::ChildOf};
use xform_core::{HierarchyError, NodeId, Trs};

use super::{PlacedItem, PlacedQuery, XformHierarchy};
use crate::{Inherit, Strategy, pose::to_trs};

/// Entities that get their nodes together, parents first.
#[derive(Default)]
struct Forest {
    entities: Vec<Entity>,
    parents: Vec<Option<usize>>,
    poses: Vec<Trs<f32>>,
    inherits: Vec<xform_core::Inherit>,
}

impl<X: Strategy> XformHierarchy<X> {
    /// Updates the hierarchy to match the unsettled entities.
    ///
    /// First, each entity that has a node is moved below its parent's node; if the parent has no node, the entity
    /// loses its own. Then each entity without a node gets one if it is a root or its parent has a node, together with
    /// all its descendants. If its parent comes later in the list, the entity gets its node as a descendant of that
    /// parent.
    pub(super) fn settle(&mut self, placed: &PlacedQuery) {
        let mut unsettled = std::mem::take(&mut self.unsettled);
        // Usually the list is already in this order, the order in which the entities were spawned.
        unsettled.sort_unstable_by_key(|entity| entity.index_u32());
        unsettled.dedup();
        for &entity in &unsettled {
            if let (Some(node), Ok(placed)) = (self.node(entity), placed.get(entity)) {
                self.hang(entity, node, placed.parent.map(|parent| parent.parent()));
            }
        }
        let mut trees = Forest::default();
        for &entity in &unsettled {
            if self.node(entity).is_some() {
                continue;
            }
            let Ok(item) = placed.get(entity) else { continue };
            match item.parent.as_ref().map(|parent| self.node(parent.parent())) {
                // All new trees are inserted together: inserting them one by one costs more.
                None => self.collect(item, placed, &mut trees),
                Some(Some(parent)) => {
                    let mut below = Forest::default();
                    self.collect(item, placed, &mut below);
                    self.insert(Some(parent), &below);
                }
                Some(None) => {}
            }
        }
        self.insert(None, &trees);
        self.unsettled = unsettled;
        self.unsettled.clear();
    }

    /// Moves a node below the node of its parent, or removes it if the parent has no node.
    fn hang(&mut self, entity: Entity, node: NodeId, parent: Option<Entity>) {
        let below = match parent.map(|parent| self.node(parent)) {
            Some(None) => return self.remove(entity),
            Some(parent) => parent,
            None => None,
        };
        if self.hierarchy.parent(node) == Ok(below) {
            return;
        }
        // The parent's node is still below this node, and the parent or an entity between the two has been moved
        // elsewhere as well. That entity is also unsettled, and inserting it brings both back.
        if let Err(HierarchyError::Cycle { .. }) = self.hierarchy.reparent(node, below) {
            self.remove(entity);
        }
    }

    /// Removes the nodes of an entity and its descendants.
    pub(super) fn remove(&mut self, entity: Entity) {
        let Some(node) = self.node(entity) else { return };
        for node in self.hierarchy.subtree(node).into_iter().flatten() {
            if let Some(entity) = self.entity(node) {
                self.nodes[entity.index_u32() as usize].take_if(|known| *known == node);
            }
        }
        // Cannot fail: the node exists.
        let _ = self.hierarchy.remove(node);
    }

    /// Collects an entity and its descendants that have no nodes yet.
    ///
    /// A descendant that has a node is still elsewhere in the hierarchy and is moved separately.
    fn collect<'w>(
        &mut self,
        top: PlacedItem<'w, 'w>,
        placed: &'w PlacedQuery,
        forest: &mut Forest,
    ) {
        let mut open = Vec::new();
        self.enter(top, None, forest, &mut open);
        while let Some((parent, place, children)) = open.pop() {
            for &child in children {
                // Checked so that no entity is entered twice, in a cycle or after the components were tampered with.
                let is_below = |child: &PlacedItem<'_, '_>| {
                    child.parent.as_deref().map(ChildOf::parent) == Some(parent)
                };
                let child = placed.get(child).ok().filter(is_below);
                if let Some(child) = child.filter(|child| self.node(child.entity).is_none()) {
                    self.enter(child, Some(place), forest, &mut open);
                }
            }
        }
    }

    /// Enters an entity, unless its pose cannot be used, and queues its children.
    fn enter<'w>(
        &mut self,
        item: PlacedItem<'w, 'w>,
        parent: Option<usize>,
        forest: &mut Forest,
        open: &mut Vec<(Entity, usize, &'w [Entity])>,
    ) {
        match to_trs(&item.pose).normalized() {
            Ok(pose) => {
                if let Some(children) = item.children {
                    open.push((item.entity, forest.entities.len(), children.into_inner()));
                }
                self.refused.remove(&item.entity);
                forest.entities.push(item.entity);
                forest.parents.push(parent);
                forest.poses.push(pose);
                forest.inherits.push(item.inherit.map_or(Inherit::All, |inherit| *inherit).into());
            }
            Err(error) => self.refuse(item.entity, &error),
        }
    }

    fn insert(&mut self, parent: Option<NodeId>, forest: &Forest) {
        let Forest { entities, parents, poses, inherits } = forest;
        let nodes = self.hierarchy.insert_forest_inheriting(parent, parents, poses, inherits);
        let end = entities.iter().map(|entity| entity.index_u32() as usize + 1).max();
        if let Some(end) = end.filter(|&end| end > self.nodes.len()) {
            self.nodes.resize(end, None);
            self.slots.resize(end, 0);
        }
        // Every entity gets a node, because Bevy has at most as many entities as there can be nodes.
        for (&entity, node) in entities.iter().zip(nodes.into_iter().flatten()) {
            let index = entity.index_u32() as usize;
            self.nodes[index] = Some(node);
            let slot = self.hierarchy.slot(node).ok().and_then(|slot| u32::try_from(slot).ok());
            self.slots[index] = slot.unwrap_or_default();
            // Cannot fail: the node has just been inserted.
            let _ = self.hierarchy.set_tag(node, entity.to_bits());
        }
    }
}
