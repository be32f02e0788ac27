use nalgebra::Matrix4;
use xform_engines::{CannotSay, LocalPose, World};
use xform_scene::Scene;

use super::Show;
use crate::measure::{moved_nodes::MovedNodes, worlds::Worlds};

/// A show posed by an animation.
pub(in crate::measure) struct Placed<'a> {
    show: &'a Show,
    /// By place among the moved nodes.
    moved: Vec<World>,
    pub(in crate::measure) matrices: Vec<Matrix4<f64>>,
    pub(in crate::measure) unknown: Option<CannotSay>,
}

impl<'a> Placed<'a> {
    pub(in crate::measure) fn new(show: &'a Show) -> Self {
        Self { show, moved: Vec::new(), matrices: Vec::new(), unknown: show.unknown }
    }

    /// Whether the world transforms of all nodes are known.
    fn is_known(&self) -> bool {
        self.unknown.is_none()
    }

    /// Computes the world transforms at a time.
    pub(in crate::measure) fn pose(
        &mut self,
        scene: &Scene,
        worlds: &Worlds,
        nodes: &MovedNodes<'_>,
        seconds: f64,
    ) {
        self.moved.clear();
        self.matrices.clear();
        let rest = &worlds.poses.locals;
        let moved = |node: usize| {
            let pose = nodes.place(node).and_then(|at| nodes.pose(at, &rest[node], seconds));
            pose.unwrap_or(rest[node])
        };
        if let Some(found) = self.show.by_type(scene, moved) {
            for place in 0..nodes.len() {
                match found[nodes.node(place)] {
                    Ok(world) => self.matrices.push(world.to_homogeneous()),
                    Err(unknown) => self.unknown = self.unknown.or(Some(unknown)),
                }
            }
            return;
        }
        for place in 0..nodes.len() {
            if !self.is_known() {
                return;
            }
            let (node, parent) = (nodes.node(place), nodes.parent(place));
            let parent = match (parent, scene.nodes[node].parent) {
                (Some(place), _) => Some(self.moved[place]),
                (None, Some(parent)) => self.show.world(worlds, parent),
                (None, None) => None,
            };
            let pose = nodes.pose(place, &worlds.poses.locals[node], seconds).map(LocalPose::from);
            match self.show.step(scene, worlds, node, pose, parent.as_ref()) {
                Ok(world) => {
                    self.moved.push(world);
                    self.matrices.push(world.to_homogeneous());
                }
                Err(reason) => self.unknown = Some(CannotSay { node, reason }),
            }
        }
    }
}
