//! Which node each entity has, and below which.

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
    /// Brings the hierarchy to where the unsettled entities are.
    ///
    /// First, entities that have a node are moved below their parent's; if the parent has no node, they lose theirs. Then an entity without
    /// a node gets one if it is a root or its parent has one, together with everything below it. Its parent may come later in the list:
    /// then it is among what is below the parent.
    pub(super) fn settle(&mut self, placed: &PlacedQuery) {
        let mut unsettled = std::mem::take(&mut self.unsettled);
        // Mostly it is in order already, which is the order in which they were spawned.
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
                // All new trees together: one alone costs more.
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

    /// Moves a node below that of a parent, or takes it away if the parent has none.
    fn hang(&mut self, entity: Entity, node: NodeId, parent: Option<Entity>) {
        let below = match parent.map(|parent| self.node(parent)) {
            Some(None) => return self.remove(entity),
            Some(parent) => parent,
            None => None,
        };
        if self.hierarchy.parent(node) == Ok(below) {
            return;
        }
        // The parent still hangs below this node, from which it, or one between them, has been taken as well. That one is unsettled
        // too and brings both back.
        if let Err(HierarchyError::Cycle { .. }) = self.hierarchy.reparent(node, below) {
            self.remove(entity);
        }
    }

    /// Takes away the nodes of an entity and of those below it.
    pub(super) fn remove(&mut self, entity: Entity) {
        let Some(node) = self.node(entity) else { return };
        for node in self.hierarchy.subtree(node).into_iter().flatten() {
            if let Some(entity) = self.entity(node) {
                self.nodes[entity.index_u32() as usize].take_if(|known| *known == node);
            }
        }
        // It is known.
        let _ = self.hierarchy.remove(node);
    }

    /// Collects an entity and those below it that have no nodes yet.
    ///
    /// One that has a node hangs elsewhere still and is moved on its own.
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
                // In a cycle, or where somebody tampered with components, nothing is entered twice.
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

    /// Enters an entity, unless its pose cannot be used, and opens those below it.
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
        // Bevy has no more entities than there can be nodes.
        for (&entity, node) in entities.iter().zip(nodes.into_iter().flatten()) {
            let index = entity.index_u32() as usize;
            self.nodes[index] = Some(node);
            let slot = self.hierarchy.slot(node).ok().and_then(|slot| u32::try_from(slot).ok());
            self.slots[index] = slot.unwrap_or_default();
            // It has just been inserted.
            let _ = self.hierarchy.set_tag(node, entity.to_bits());
        }
    }
}
