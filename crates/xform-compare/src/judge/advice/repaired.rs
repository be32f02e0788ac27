use std::collections::{HashMap, HashSet};

use nalgebra::{Matrix3, Matrix4, Quaternion, UnitQuaternion, Vector3};
use xform_core::{Transform, Trs};
use xform_matrix::AccumulatedMatrix;
use xform_scene::{LocalPose, Scene};
use xform_trs::CombinedTrs;

use super::{Repair, RepairOutcome, RepairRefusal, refusal};
use crate::{
    audit::{NodeAudit, SceneAudit, is_non_uniform},
    measure::{SkinnedMesh, UniformScale, displacement, worst_skew_degrees},
};

/// Nodes of a scene with one cause, to be measured after a repair.
pub(super) struct Repaired<'a> {
    pub(super) scene: &'a Scene,
    pub(super) audit: &'a SceneAudit,
    /// The worst first.
    pub(super) nodes: &'a [usize],
    pub(super) skinned: &'a [SkinnedMesh],
}

/// The world transforms of a node under both strategies.
#[derive(Clone, Copy)]
struct Both {
    matrix: Matrix4<f64>,
    trs: CombinedTrs<f64>,
}

impl Both {
    fn linear(&self) -> Matrix3<f64> {
        self.matrix.fixed_view::<3, 3>(0, 0).into_owned()
    }

    fn below(&self, local: &Trs<f64>) -> Self {
        Self { matrix: self.matrix * local.to_homogeneous(), trs: self.trs.concat(local) }
    }
}

/// The world matrices with which a mesh is drawn under both strategies.
struct Shown {
    matrix: Matrix4<f64>,
    trs: Matrix4<f64>,
}

impl Repaired<'_> {
    /// The worst of the nodes.
    fn found(&self) -> &NodeAudit {
        &self.audit.nodes[self.nodes[0]]
    }

    /// The repairs that can be tried, each with the node whose scale it changes.
    pub(super) fn repairs(&self) -> Vec<(Repair, usize)> {
        let Some(cause) = &self.found().cause else { return Vec::new() };
        let scaler = cause.scaler;
        let local = self.local(scaler).scale;
        let UniformScale { factor: scale, half_turn } = UniformScale::of(&local);
        let upwards = std::iter::successors(Some(scaler), |&at| self.scene.nodes[at].parent);
        let is_non_uniform = |&at: &usize| is_non_uniform(&self.local(at).scale);
        let top = upwards.filter(is_non_uniform).last().unwrap_or(scaler);
        let mut repairs = vec![
            (Repair::Bake { top }, top),
            (Repair::MakeUniform { scaler, scale, half_turn }, scaler),
        ];
        // A leaf of its own is no help to a node that has the scale.
        if !self.nodes.contains(&scaler) {
            repairs.push((Repair::MoveToLeaf { scaler }, scaler));
        }
        repairs
    }

    /// Carries a repair out on all that hangs below the node whose scale it changes.
    pub(super) fn outcome(
        &self,
        repair: &Repair,
        scaler: usize,
    ) -> Result<RepairOutcome, RepairRefusal> {
        refusal::check(self.scene, repair, scaler)?;
        let mut below: Vec<_> = refusal::subtree(self.scene, scaler).collect();
        let keyed = below.iter().copied().find(|&node| self.scene.nodes[node].uses.is_keyed);
        below.sort_by_key(|&node| self.audit.nodes[node].depth);
        let wanted: HashSet<_> = self.nodes.iter().copied().collect();
        let mut worlds: HashMap<usize, Both> = HashMap::with_capacity(below.len());
        let (mut change, mut change_by_trs): (f64, f64) = (0.0, 0.0);
        let [mut left, mut skew_degrees]: [Option<f64>; 2] = [None; 2];
        let larger = |a: Option<f64>, b: Option<f64>| if b > a { b } else { a };
        for node in below {
            let parent = match self.scene.nodes[node].parent {
                Some(parent) if node != scaler => worlds[&parent],
                _ => self.above(scaler),
            };
            let world = self.repaired(repair, scaler, node, &parent)?;
            worlds.insert(node, world);
            let shown = self.shown(repair, scaler, node, &world)?;
            let found = &self.audit.nodes[node];
            let moved = |now: &Matrix4<f64>, then: &Matrix4<f64>| {
                displacement(now, then, &found.bounds).unwrap_or(0.0)
            };
            change = change.max(moved(found.by_matrix.matrix(), &shown.matrix));
            change_by_trs = change_by_trs.max(moved(&found.by_trs.to_homogeneous(), &shown.trs));
            if wanted.contains(&node) && !found.is_skinned {
                left = larger(left, displacement(&shown.matrix, &shown.trs, &found.bounds));
                skew_degrees = larger(skew_degrees, worst_skew_degrees(&world.linear()));
            }
        }
        let follows = |mesh: &&SkinnedMesh| mesh.joints().any(|joint| worlds.contains_key(&joint));
        for mesh in self.skinned.iter().filter(follows) {
            let now = |node| self.now(node);
            let then = |node: usize| worlds.get(&node).copied().unwrap_or_else(|| self.now(node));
            let apart = |worlds: &dyn Fn(usize) -> [Matrix4<f64>; 2]| {
                let farthest = mesh.posed(worlds);
                mesh.farthest(&farthest).map(|farthest| farthest.displacement)
            };
            let moved = apart(&|node| [now(node).matrix, then(node).matrix]);
            change = change.max(moved.unwrap_or(0.0));
            let moved = apart(&|node| [now(node), then(node)].map(|at| at.trs.to_homogeneous()));
            change_by_trs = change_by_trs.max(moved.unwrap_or(0.0));
            if wanted.contains(&mesh.node) {
                let apart = apart(&|node| [then(node).matrix, then(node).trs.to_homogeneous()]);
                left = larger(left, apart);
            }
        }
        Ok(RepairOutcome {
            displacement: left,
            skew_degrees,
            change: Some(change),
            change_by_trs: Some(change_by_trs),
            matrix: self.has_matrix(scaler).then_some(scaler),
            keyed,
        })
    }

    /// The world matrices with which the mesh of a node is drawn after the repair: baked, or on the leaf that got
    /// the scale.
    fn shown(
        &self,
        repair: &Repair,
        scaler: usize,
        node: usize,
        world: &Both,
    ) -> Result<Shown, RepairRefusal> {
        let found = &self.audit.nodes[node];
        let geometry = match repair {
            Repair::Bake { .. } => {
                world.linear().try_inverse().ok_or(RepairRefusal::Flat(node))?
                    * found.by_matrix.linear()
            }
            Repair::MoveToLeaf { .. } if node == scaler => {
                let leaf = world.below(&Trs::from_scale(self.local(scaler).scale));
                return Ok(Shown { matrix: leaf.matrix, trs: leaf.trs.to_homogeneous() });
            }
            _ => Matrix3::identity(),
        };
        let geometry = geometry.to_homogeneous();
        Ok(Shown { matrix: world.matrix * geometry, trs: world.trs.to_homogeneous() * geometry })
    }

    /// The worlds of a node after the repair, below a parent that is repaired.
    fn repaired(
        &self,
        repair: &Repair,
        scaler: usize,
        node: usize,
        parent: &Both,
    ) -> Result<Both, RepairRefusal> {
        let local = self.local(node);
        if let Repair::MakeUniform { scale, half_turn, .. } = *repair {
            return Ok(match self.scene.nodes[node].local {
                _ if node == scaler => {
                    let turn = half_turn.map_or_else(UnitQuaternion::identity, half_turn_about);
                    let uniform = Vector3::repeat(scale);
                    parent.below(&local.with_rotation(local.rotation * turn).with_scale(uniform))
                }
                LocalPose::Matrix(matrix) => {
                    Both { matrix: parent.matrix * matrix.matrix(), ..parent.below(&local) }
                }
                LocalPose::Trs(_) => parent.below(&local),
            });
        }
        let is_bake = matches!(repair, Repair::Bake { .. });
        let is_taken = node == scaler || is_bake && is_non_uniform(&local.scale);
        let local = if is_taken { local.with_scale(Vector3::repeat(1.0)) } else { local };
        if node == scaler {
            return Ok(parent.below(&local));
        }
        let inverse = parent.linear().try_inverse().ok_or(RepairRefusal::Flat(node))?;
        let origin = self.audit.nodes[node].by_matrix.translation();
        let from_parent = origin - parent.matrix.fixed_view::<3, 1>(0, 3);
        Ok(parent.below(&local.with_translation(inverse * from_parent)))
    }

    /// With the pose that combined TRS shows, as two poses below the parent's matrix.
    pub(super) fn with_helper(&self, node: usize) -> Result<RepairOutcome, RepairRefusal> {
        refusal::check_pose(self.scene, node)?;
        let found = self.found();
        let parent = self.above(node).matrix;
        let wanted = found.by_trs.to_homogeneous();
        let flat = RepairRefusal::Flat(found.parent.unwrap_or(node));
        let mut needed = parent.try_inverse().ok_or(flat)? * wanted;
        needed.row_mut(3).copy_from_slice(&[0.0, 0.0, 0.0, 1.0]);
        let nested =
            AccumulatedMatrix::from_matrix(needed).and_then(|needed| needed.to_nested_trs());
        let [outer, inner] = nested.ok_or(flat)?;
        let copy = self.above(node).below(&outer).below(&inner);
        let trs = copy.trs.to_homogeneous();
        Ok(RepairOutcome {
            displacement: displacement(&copy.matrix, &trs, &found.bounds),
            skew_degrees: worst_skew_degrees(&copy.linear()),
            change: displacement(&copy.matrix, found.by_matrix.matrix(), &found.bounds),
            change_by_trs: displacement(&trs, &wanted, &found.bounds),
            matrix: None,
            keyed: Some(node).filter(|&node| self.scene.nodes[node].uses.is_keyed),
        })
    }

    /// The worlds that the parent of a node has now.
    fn above(&self, node: usize) -> Both {
        match self.scene.nodes[node].parent {
            None => Both { matrix: Matrix4::identity(), trs: CombinedTrs::identity() },
            Some(parent) => self.now(parent),
        }
    }

    /// The worlds that a node has now.
    fn now(&self, node: usize) -> Both {
        let NodeAudit { by_matrix, by_trs, .. } = &self.audit.nodes[node];
        Both { matrix: *by_matrix.matrix(), trs: *by_trs }
    }

    fn has_matrix(&self, node: usize) -> bool {
        matches!(self.scene.nodes[node].local, LocalPose::Matrix(_))
    }

    /// The local pose as combined TRS has it.
    fn local(&self, node: usize) -> Trs<f64> {
        self.audit.nodes[node].local
    }
}

/// Half a turn about an axis, exactly.
fn half_turn_about(axis: usize) -> UnitQuaternion<f64> {
    UnitQuaternion::new_unchecked(Quaternion::from_parts(0.0, Vector3::ith(axis, 1.0)))
}
