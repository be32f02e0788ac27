//! Whether colliders are worth judging, if the caller requested no physics engines.

use nalgebra::Vector3;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use xform_engines::LocalPose;
use xform_scene::{ColliderSource, NodeCollider, Scene};

use super::judge::Judge;
use crate::audit::{PhysicsAudit, PhysicsChoice};

/// The number of colliders that are examined.
const UNASKED: usize = 256;

/// Judges the shapes of a scene in the usual engines at rest, with the boxes of meshes instead of their
/// vertices.
pub(in crate::measure) fn unasked(scene: &Scene, diagonal: f64) -> PhysicsAudit {
    if scene.colliders.is_empty() {
        return PhysicsAudit::default();
    }
    let engines = PhysicsChoice::usual().engines;
    let mut scaled = Scaled { scene, below: vec![None; scene.nodes.len()] };
    // Physics engines ignore the colliders of spring bones.
    let of_physics = |collider: &&NodeCollider| collider.source != ColliderSource::VrmSpringBone;
    let below_a_scale = scene.colliders.iter().filter(of_physics);
    let below_a_scale = below_a_scale.filter(|collider| scaled.is_below(collider.node));
    let mut below_a_scale: Vec<_> = below_a_scale.take(UNASKED + 1).collect();
    let has_more = below_a_scale.len() > UNASKED;
    below_a_scale.truncate(UNASKED);
    let judged = below_a_scale.into_par_iter().filter_map(|collider| {
        let shape = collider.outlined(&scene.nodes)?;
        Some(Judge::new(scene, collider, &engines, diagonal).at_rest(&shape))
    });
    let (colliders, shapes) = (judged.collect(), scene.colliders.len());
    PhysicsAudit { shapes, has_more, colliders, engines, ..PhysicsAudit::default() }
}

/// Whether each node or an ancestor has a scale or a matrix. Without one, everything collides where it is
/// drawn.
struct Scaled<'a> {
    scene: &'a Scene,
    below: Vec<Option<bool>>,
}

impl Scaled<'_> {
    fn is_below(&mut self, node: usize) -> bool {
        let mut path = Vec::new();
        let mut at = Some(node);
        let found = loop {
            let Some(node) = at else { break false };
            if let Some(known) = self.below[node] {
                break known;
            }
            path.push(node);
            let has_scale = match &self.scene.nodes[node].local {
                LocalPose::Trs(pose) => pose.scale != Vector3::repeat(1.0),
                LocalPose::Matrix(_) => true,
            };
            if has_scale {
                break true;
            }
            at = self.scene.nodes[node].parent;
        };
        path.into_iter().for_each(|node| self.below[node] = Some(found));
        found
    }
}
