//! Changes of nodes, whether they draw anything or not.

use nalgebra::Matrix4;

use super::{
    super::metrics::turned_between,
    Shapes,
    matching::{is_of_file, named_parent},
};
use crate::audit::{
    FixtureDiff, Grade, MatchCounts, MatchedBy, NodeChange, NodeChangeKind, SKEWED_DEGREES,
};

impl Shapes<'_, '_> {
    /// Returns the cameras and lights that moved or turned at rest, or left or entered the default scene.
    pub(super) fn fixtures(&self) -> Vec<FixtureDiff> {
        let mut found = Vec::new();
        for (old, partner) in self.matching.after.iter().enumerate() {
            let Some((new, _)) = *partner else { continue };
            let shown = [(0, old), (1, new)].map(|(side, node)| {
                let scene = self.sides[side].scene;
                (scene.nodes[node].fixture, &self.sides[side].at_rest[scene.shown_by(node)])
            });
            let [(Some(before), old_world), (Some(after), new_world)] = shown else { continue };
            let origin = |world: &Matrix4<f64>| world.fixed_view::<3, 1>(0, 3).into_owned();
            let moved = if after.kind.has_place() {
                (origin(new_world) - origin(old_world)).norm()
            } else {
                0.0
            };
            let linear = |world: &Matrix4<f64>| world.fixed_view::<3, 3>(0, 0).into_owned();
            let (old_linear, new_linear) = (linear(old_world), linear(new_world));
            let turned_degrees = turned_between([(&before, &old_linear), (&after, &new_linear)]);
            let moved_percent = self.percent(moved);
            let default_scene = self.scene_change([Some(old), Some(new)]);
            let is_same = default_scene.is_none()
                && moved_percent <= Grade::IDENTICAL_PERCENT
                && turned_degrees.unwrap_or(0.0) <= SKEWED_DEGREES;
            if !is_same {
                found.push(FixtureDiff {
                    path: self.path(1, new),
                    before: old,
                    after: new,
                    kind: after.kind,
                    default_scene,
                    moved,
                    moved_percent,
                    turned_degrees,
                });
            }
        }
        found
    }

    /// Returns the nodes that were added, removed, renamed or given another parent.
    pub(super) fn node_changes(&self) -> Vec<NodeChange> {
        let scenes = [self.sides[0].scene, self.sides[1].scene];
        let mut changes = Vec::new();
        for (old, partner) in self.matching.after.iter().enumerate() {
            if !is_of_file(scenes[0], old) {
                continue;
            }
            let before = Some(self.path(0, old));
            let Some((new, _)) = *partner else {
                changes.push(NodeChange { change: NodeChangeKind::Gone, before, after: None });
                continue;
            };
            let after = Some(self.path(1, new));
            let parents = [named_parent(scenes[0], old), named_parent(scenes[1], new)];
            let then = parents[0].and_then(|parent| self.matching.after[parent]);
            if scenes[0].nodes[old].name != scenes[1].nodes[new].name {
                let change = NodeChangeKind::Renamed;
                changes.push(NodeChange { change, before: before.clone(), after: after.clone() });
            }
            if then.map(|(parent, _)| parent) != parents[1]
                || parents[0].is_some() != parents[1].is_some()
            {
                changes.push(NodeChange { change: NodeChangeKind::Reparented, before, after });
            }
        }
        let new = (0..scenes[1].nodes.len())
            .filter(|&node| is_of_file(scenes[1], node) && !self.matching.is_taken(node));
        changes.extend(new.map(|node| NodeChange {
            change: NodeChangeKind::New,
            before: None,
            after: Some(self.path(1, node)),
        }));
        changes
    }

    /// Returns the number of nodes that each method matched.
    pub(super) fn counts(&self) -> MatchCounts {
        let mut counts = MatchCounts::default();
        for (_, by) in self.matching.after.iter().flatten() {
            *match by {
                MatchedBy::Path => &mut counts.path,
                MatchedBy::Name => &mut counts.name,
                MatchedBy::Place => &mut counts.place,
                MatchedBy::Order => &mut counts.order,
            } += 1;
        }
        counts
    }
}
