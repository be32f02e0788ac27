use std::collections::HashMap;

use nalgebra::{Matrix3, Matrix4};
use xform_core::linear::axis_lengths;
use xform_engines::World;
use xform_matrix::AccumulatedMatrix;
use xform_scene::Scene;

use super::{measured::AuditedScene, showing::Placed};
use crate::{
    audit::{EngineNode, Grade, NodeAudit, NodeMotion, SceneAudit},
    measure::{
        metrics::{AXIS_ROUNDING, displacement, is_hidden, percent, size, skew_pairs_degrees},
        motion::{MovedNodes, displacement_at_most},
        skinned::SkinnedMesh,
    },
};

/// How far the nodes that count are apart between two showings; those alone that are not the same.
#[derive(Clone, Default)]
pub(super) struct PairFigures {
    nodes: HashMap<usize, EngineNode>,
}

/// Axes that differ by less, as a fraction of the longest, and origins, as a fraction of the scene, are the same: what `f64`
/// loses on a path.
const SAME: f64 = 1e-12;

/// Whether two world matrices differ by rounding alone, in a scene of this size.
fn is_same(a: &Matrix4<f64>, b: &Matrix4<f64>, diagonal: f64) -> bool {
    let apart = a - b;
    let linear = |matrix: &Matrix4<f64>| matrix.fixed_view::<3, 3>(0, 0).amax();
    linear(&apart) <= SAME * linear(a) && apart.fixed_view::<3, 1>(0, 3).amax() <= SAME * diagonal
}

impl PairFigures {
    /// Those of the two strategies, which the audit has.
    pub(super) fn of_audit(audit: &SceneAudit) -> Self {
        let mut figures = Self::default();
        for node in audit.nodes.iter().filter(|node| node.counts_at_rest()) {
            figures.keep(EngineNode {
                index: node.index,
                grade: node.grade(),
                displacement: node.displacement.unwrap_or(0.0),
                displacement_percent: node.displacement_percent,
                skew_degrees: node.skew_degrees.filter(|_| !node.is_skinned).unwrap_or(0.0),
                motion: None,
            });
        }
        for (place, animation) in audit.animations.iter().enumerate() {
            let counting = animation.nodes.iter().filter(|node| audit.nodes[node.index].counts);
            for node in counting {
                figures.keep(Self::in_motion(node, place));
            }
        }
        figures
    }

    fn in_motion(node: &NodeMotion, animation: usize) -> EngineNode {
        EngineNode {
            index: node.index,
            grade: node.grade(),
            displacement: node.displacement.map(|peak| peak.max).unwrap_or(0.0),
            displacement_percent: node.displacement_percent,
            skew_degrees: node.skew_degrees.map(|peak| peak.max).unwrap_or(0.0),
            motion: Some((animation, node.worst_seconds().unwrap_or(0.0))),
        }
    }

    pub(super) fn is_identical(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The nodes, the worst first: by grade, displacement, skew, then as in the file.
    pub(super) fn worst_first(&self) -> Vec<EngineNode> {
        let mut nodes: Vec<_> = self.nodes.values().copied().collect();
        nodes.sort_by(EngineNode::worse_first);
        nodes
    }

    /// Adds what was found elsewhere.
    pub(super) fn merge(&mut self, other: Self) {
        // In the order of the file, so that of equals it is always the same that stays.
        let mut nodes: Vec<_> = other.nodes.into_values().collect();
        nodes.sort_by_key(|node| node.index);
        nodes.into_iter().for_each(|node| self.keep(node));
    }

    fn keep(&mut self, node: EngineNode) {
        if node.grade == Grade::Identical {
            return;
        }
        let known = self.nodes.entry(node.index).or_insert(node);
        if node.worse_first(known).is_lt() {
            *known = node;
        }
    }

    /// Measures every node that counts as the scene stands.
    pub(super) fn see_at_rest(
        &mut self,
        &AuditedScene { scene, worlds, audit }: &AuditedScene<'_>,
        shown: [&[Option<World>]; 2],
    ) {
        let both = |node: usize| {
            shown.map(|shown| {
                shown[node].map_or_else(Matrix4::identity, |world| world.to_homogeneous())
            })
        };
        for node in audit.nodes.iter().filter(|node| node.counts_at_rest()) {
            match worlds.skinned(node.index) {
                Some(mesh) => self.see_skinned(audit, mesh, both, None),
                None => self.see(scene, audit, node, both(node.index), None),
            }
        }
    }

    /// Measures every node that counts and is moved, at a time of an animation.
    pub(super) fn see_in_motion(
        &mut self,
        &AuditedScene { scene, worlds, audit }: &AuditedScene<'_>,
        nodes: &MovedNodes<'_>,
        placed: [&Placed<'_>; 2],
        when: (usize, f64),
    ) {
        for place in 0..nodes.len() {
            let node = &audit.nodes[nodes.node(place)];
            if node.counts && worlds.skinned(node.index).is_none() {
                let both = placed.map(|placed| placed.matrices[place]);
                self.see(scene, audit, node, both, Some(when));
            }
        }
        for &(_, mesh) in nodes.skinned() {
            if audit.nodes[mesh.node].counts {
                let both = |node: usize| placed.map(|placed| placed.matrix(nodes, node));
                self.see_skinned(audit, mesh, both, Some(when));
            }
        }
    }

    /// Measures a node between two world matrices.
    fn see(
        &mut self,
        scene: &Scene,
        audit: &SceneAudit,
        node: &NodeAudit,
        [a, b]: [Matrix4<f64>; 2],
        motion: Option<(usize, f64)>,
    ) {
        if is_same(&a, &b, audit.summary.diagonal) {
            return;
        }
        let [linear, other] = [&a, &b].map(|world| world.fixed_view::<3, 3>(0, 0).into_owned());
        let entry = &scene.nodes[node.index];
        if is_hidden(&linear, &other) && entry.draws() {
            return;
        }
        let diagonal = audit.summary.diagonal;
        let known = self.nodes.get(&node.index).map_or(0.0, |known| known.displacement);
        let least = known.max(Grade::IDENTICAL_PERCENT / 100.0 * diagonal);
        let [origin, other_origin] =
            [&a, &b].map(|world| world.fixed_view::<3, 1>(0, 3).into_owned());
        let at_most =
            displacement_at_most((&linear, &origin), (&other, &other_origin), &entry.bounds);
        let moved =
            if at_most > least { displacement(&a, &b, &entry.bounds).unwrap_or(0.0) } else { 0.0 };
        let skew =
            if known == 0.0 || moved > known { skew_difference(&linear, &other) } else { 0.0 };
        let size =
            || AccumulatedMatrix::from_matrix(a).map_or(0.0, |world| size(&world, &entry.bounds));
        self.keep_figures(audit, node.index, moved, skew, size, motion);
    }

    fn see_skinned(
        &mut self,
        audit: &SceneAudit,
        mesh: &SkinnedMesh,
        worlds: impl Fn(usize) -> [Matrix4<f64>; 2],
        motion: Option<(usize, f64)>,
    ) {
        let is_unmoved = |joint: usize| {
            let [a, b] = worlds(joint);
            is_same(&a, &b, audit.summary.diagonal)
        };
        if mesh.joints().all(is_unmoved) {
            return;
        }
        let joints = mesh.posed(&worlds);
        let moved = mesh.farthest(&joints).map_or(0.0, |farthest| farthest.displacement);
        self.keep_figures(audit, mesh.node, moved, 0.0, || mesh.size(&joints), motion);
    }

    fn keep_figures(
        &mut self,
        audit: &SceneAudit,
        index: usize,
        displacement: f64,
        skew_degrees: f64,
        size: impl Fn() -> f64,
        motion: Option<(usize, f64)>,
    ) {
        let displacement_percent = percent(displacement, audit.summary.diagonal);
        let grade = Grade::Identical;
        let node =
            EngineNode { index, grade, displacement, displacement_percent, skew_degrees, motion };
        let of_scene = node.percent_of_scene();
        let matters = of_scene >= Grade::VISIBLE_IF_LARGE_PERCENT;
        let of_itself = if matters { percent(displacement, size()) } else { None };
        let grade = Grade::new(Some(of_scene), of_itself, Some(skew_degrees));
        self.keep(EngineNode { grade, ..node });
    }
}

/// The largest difference between the skews of two linear maps, in degrees. An axis that is rounding alone has none.
fn skew_difference(a: &Matrix3<f64>, b: &Matrix3<f64>) -> f64 {
    let [a, b] = [a, b].map(|linear| {
        let lengths = axis_lengths(linear);
        let mut kept = *linear;
        for (mut axis, &length) in kept.column_iter_mut().zip(&lengths) {
            if length <= AXIS_ROUNDING * lengths.max() {
                axis.fill(0.0);
            }
        }
        skew_pairs_degrees(&kept)
    });
    let apart = a.into_iter().zip(b).filter_map(|(a, b)| Some((a? - b?).abs()));
    apart.fold(0.0, f64::max)
}
