use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};
use xform_core::Transform;
use xform_matrix::AccumulatedMatrix;
use xform_scene::{LocalPose, Scene};
use xform_trs::CombinedTrs;

use super::{Repair, RepairOutcome, RepairRefusal, inherit_types, refusal};
use crate::{
    audit::{CauseKind, NodeAudit, SceneAudit, is_non_uniform},
    measure::{
        Change, Changed, Changes, NotMeasured, UniformScale, displacement, worst_skew_degrees,
    },
};

/// Nodes of a scene with the same cause, to be measured after a repair.
pub(super) struct Repaired<'a> {
    pub(super) scene: &'a Scene,
    pub(super) audit: &'a SceneAudit,
    /// Worst first.
    pub(super) nodes: &'a [usize],
    pub(super) changes: &'a Changes<'a>,
}

impl Repaired<'_> {
    /// Returns the nodes of the scene that show these nodes of the file.
    fn shown(&self) -> Vec<usize> {
        self.nodes.iter().map(|&node| self.scene.shown_by(node)).collect()
    }

    /// Returns the worst of the nodes.
    fn found(&self) -> &NodeAudit {
        &self.audit.nodes[self.nodes[0]]
    }

    /// Returns the repairs that can be tried, each with the node that it changes.
    pub(super) fn repairs(&self) -> Vec<(Repair, usize)> {
        let Some(cause) = &self.found().cause else { return Vec::new() };
        let scaler = cause.scaler;
        match cause.kind {
            CauseKind::InheritType => return vec![(Repair::InheritAll, scaler)],
            CauseKind::Rotation => return vec![(Repair::MakeUnit { node: scaler }, scaler)],
            CauseKind::Scale => {}
        }
        let local = self.audit.nodes[scaler].local.scale;
        let UniformScale { factor: scale, half_turn } = UniformScale::of(&local);
        let upwards = std::iter::successors(Some(scaler), |&at| self.audit.nodes[at].parent);
        let is_non_uniform = |&at: &usize| is_non_uniform(&self.audit.nodes[at].local.scale);
        let top = upwards.filter(is_non_uniform).last().unwrap_or(scaler);
        let mut repairs = vec![
            (Repair::Bake { top }, top),
            (Repair::MakeUniform { scaler, scale, half_turn }, scaler),
        ];
        // A leaf of its own does not help a node that has the scale itself.
        if !self.nodes.contains(&scaler) {
            repairs.push((Repair::MoveToLeaf { scaler }, scaler));
        }
        repairs
    }

    /// Carries out a repair on the whole subtree of the node that it changes, in every group of engines.
    pub(super) fn outcome(
        &self,
        repair: &Repair,
        scaler: usize,
    ) -> Result<RepairOutcome, RepairRefusal> {
        if let Repair::InheritAll = repair {
            let typed = inherit_types(self.audit);
            let changed = self.changes.with_types(&typed, &self.shown());
            let changed = changed.ok_or(RepairRefusal::Unknown(scaler))?;
            return Ok(outcome(changed, None, None));
        }
        // In the scene, the scale is on the node that shows the scaler.
        let scaler = self.scene.shown_by(scaler);
        refusal::check(self.scene, repair, scaler)?;
        let mut below: Vec<_> = refusal::subtree(self.scene, scaler).collect();
        let keyed = below.iter().copied().find(|&node| self.scene.nodes[node].uses.is_keyed);
        // A helper is a child of the file node that it shows, and the parent of that node's children.
        below.sort_by_key(|&node| {
            let depth = self.scene.of_file(node).map_or(0, |own| self.audit.nodes[own].depth);
            (depth, self.scene.nodes[node].is_helper)
        });
        let local = self.audit.nodes[scaler].local;
        let change = match *repair {
            Repair::Bake { .. } => Change::Bake,
            Repair::MoveToLeaf { .. } => Change::Leaf,
            Repair::MakeUniform { scale, half_turn, .. } => {
                let turn = half_turn.map_or_else(UnitQuaternion::identity, half_turn_about);
                let turned = local.with_rotation(local.rotation * turn);
                Change::Pose(turned.with_scale(Vector3::repeat(scale)))
            }
            _ => Change::Pose(local),
        };
        let changed = self.changes.made(scaler, change, &below, &self.shown());
        let changed = changed.map_err(|why| match why {
            NotMeasured::Flat(node) => RepairRefusal::Flat(node),
            NotMeasured::Unknown(node) => RepairRefusal::Unknown(node),
        })?;
        let has_matrix = matches!(self.scene.nodes[scaler].local, LocalPose::Matrix(_));
        Ok(outcome(changed, has_matrix.then_some(scaler), keyed))
    }

    /// Measures the helper node: the pose that combined TRS shows, split into two poses below the parent's
    /// matrix. `None` if the two strategies are not what is compared.
    pub(super) fn with_helper(&self, node: usize) -> Option<Result<RepairOutcome, RepairRefusal>> {
        let found = self.found();
        let is_of_strategies = self.changes.is_of_strategies(found.group?);
        (is_of_strategies && found.inherit_type.is_none()).then(|| {
            refusal::check_pose(self.scene, node)?;
            let parent = found.parent.map(|parent| &self.audit.nodes[parent]);
            let above = parent.map_or_else(Matrix4::identity, |parent| *parent.by_matrix.matrix());
            let wanted = found.by_trs.to_homogeneous();
            let flat = RepairRefusal::Flat(found.parent.unwrap_or(node));
            let mut needed = above.try_inverse().ok_or(flat)? * wanted;
            needed.row_mut(3).copy_from_slice(&[0.0, 0.0, 0.0, 1.0]);
            let nested =
                AccumulatedMatrix::from_matrix(needed).and_then(|needed| needed.to_nested_trs());
            let [outer, inner] = nested.ok_or(flat)?;
            let matrix = above * outer.to_homogeneous() * inner.to_homogeneous();
            let trs = parent.map_or_else(CombinedTrs::identity, |parent| parent.by_trs);
            let trs = trs.concat(&outer).concat(&inner).to_homogeneous();
            let moved = |then: &Matrix4<f64>, now: &Matrix4<f64>| {
                displacement(then, now, &found.bounds).unwrap_or(0.0)
            };
            Ok(RepairOutcome {
                displacement: displacement(&matrix, &trs, &found.bounds),
                skew_degrees: worst_skew_degrees(&matrix.fixed_view::<3, 3>(0, 0).into_owned()),
                changes: vec![moved(&matrix, found.by_matrix.matrix()), moved(&trs, &wanted)],
                worsens: Vec::new(),
                matrix: None,
                keyed: Some(node).filter(|&node| self.scene.nodes[node].uses.is_keyed),
            })
        })
    }
}

fn outcome(changed: Changed, matrix: Option<usize>, keyed: Option<usize>) -> RepairOutcome {
    let Changed { displacement, skew_difference_degrees, changes, worsens } = changed;
    RepairOutcome {
        displacement,
        skew_degrees: skew_difference_degrees,
        changes,
        worsens,
        matrix,
        keyed,
    }
}

/// Returns an exact half turn about an axis.
fn half_turn_about(axis: usize) -> UnitQuaternion<f64> {
    UnitQuaternion::new_unchecked(Quaternion::from_parts(0.0, Vector3::ith(axis, 1.0)))
}
