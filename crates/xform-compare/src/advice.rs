//! What can be done about a difference, each repair carried out on the path of the node and measured.

mod refusal;

use nalgebra::{Matrix3, Matrix4, Vector3};
use xform_core::{Transform, Trs};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::{
    Local, NodeAudit, Scene, SceneAudit,
    cause::{is_non_uniform, made_uniform},
    displacement,
    metrics::worst_skew_degrees,
};

pub use refusal::Refusal;

/// A displacement under which nothing needs to be done, in percent of the scene: a pixel where the
/// scene fills two thousand of them.
const UNSEEN_PERCENT: f64 = 0.05;

/// A way to make a node look the same under both strategies, and what comes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// What to do.
    pub repair: Repair,
    /// What would remain, or why it cannot be done.
    pub outcome: Result<Outcome, Refusal>,
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Repair {
    /// Nothing: the node moves by less than a two-thousandth of the scene, and is not skewed.
    Nothing,
    /// Take the uneven scales of a node and of all below it into their meshes: each vertex is moved to
    /// where accumulated matrices show it, each origin stays. Where a scale mirrors, faces are to be
    /// turned over too.
    Bake {
        /// The node whose scale is the cause.
        scaler: usize,
    },
    /// Give the scale of a node to a new leaf below it that shows its mesh, so that nothing hangs below
    /// the scale. Origins stay where accumulated matrices have them.
    MoveToLeaf {
        /// The node whose scale is the cause.
        scaler: usize,
    },
    /// Give a node a uniform scale.
    MakeUniform {
        /// The node whose scale is the cause.
        scaler: usize,
        /// The geometric mean of what it has.
        scale: f64,
    },
    /// Put a node between this one and its parent, so that accumulated matrices show what combined TRS
    /// shows: by singular values, world_from_parent⁻¹ · world = (T·U·Σ)·Vᵀ, two poses.
    HelperNode,
}

/// What a repair leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// How far the node would still move between the strategies; `None` where it shows nothing.
    pub displacement: Option<f64>,
    /// How skewed it would still be by matrices, in degrees.
    pub skew_degrees: Option<f64>,
    /// How far it would move from where accumulated matrices show it now.
    pub change: Option<f64>,
}

/// The repairs for a node that is skewed or differs, those that change least first.
///
/// # Panics
///
/// If `audit` is not of `scene`, or `node` is out of range.
#[must_use]
pub fn advise(scene: &Scene, audit: &SceneAudit, node: usize) -> Vec<Advice> {
    assert_eq!(scene.nodes.len(), audit.nodes.len(), "the audit of the scene");
    let found = &audit.nodes[node];
    let is_unseen = found.displacement_percent.is_some_and(|percent| percent < UNSEEN_PERCENT);
    if is_unseen && !found.is_skewed() {
        let (displacement, skew_degrees) = (found.displacement, found.skew_degrees);
        let outcome = Outcome { displacement, skew_degrees, change: Some(0.0) };
        return vec![Advice { repair: Repair::Nothing, outcome: Ok(outcome) }];
    }
    let mut advice = Vec::new();
    let repaired = Repaired { scene, audit, node };
    if let Some(cause) = &found.cause {
        let scaler = cause.scaler;
        let scale = made_uniform(&Vector3::from(audit.nodes[scaler].local.scale));
        let repairs = [
            Repair::Bake { scaler },
            Repair::MoveToLeaf { scaler },
            Repair::MakeUniform { scaler, scale },
        ];
        // A leaf of its own is no help to the node that has the scale.
        let is_help =
            |repair: &Repair| scaler != node || !matches!(repair, Repair::MoveToLeaf { .. });
        for repair in repairs.into_iter().filter(is_help) {
            let outcome = repaired.outcome(&repair, scaler);
            advice.push(Advice { repair, outcome });
        }
    }
    let outcome = repaired.with_helper();
    advice.push(Advice { repair: Repair::HelperNode, outcome });
    advice
}

/// A node of a scene, to be measured after a repair.
struct Repaired<'a> {
    scene: &'a Scene,
    audit: &'a SceneAudit,
    node: usize,
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

impl Repaired<'_> {
    fn found(&self) -> &NodeAudit {
        &self.audit.nodes[self.node]
    }

    fn outcome(&self, repair: &Repair, scaler: usize) -> Result<Outcome, Refusal> {
        let is_rebuilt = !matches!(repair, Repair::MakeUniform { .. });
        refusal::check(self.scene, repair, scaler)?;
        let mut world = self.above(scaler);
        for node in self.path(scaler) {
            world = match self.scene.nodes[node].local {
                Local::Matrix(matrix) if !is_rebuilt && node != scaler => Both {
                    matrix: world.matrix * matrix.matrix(),
                    trs: world.trs.concat(&self.local(node)),
                },
                _ => world.below(&self.repaired(repair, scaler, node, &world)?),
            };
        }
        let mut geometry = Matrix3::identity();
        if matches!(repair, Repair::Bake { .. }) {
            let inverse = world.linear().try_inverse().ok_or(Refusal::Flat(self.node))?;
            geometry = inverse * linear(self.found());
        }
        Ok(self.measured(&world, &geometry))
    }

    /// The local pose of a node on the path after the repair, below a parent that is repaired.
    fn repaired(
        &self,
        repair: &Repair,
        scaler: usize,
        node: usize,
        parent: &Both,
    ) -> Result<Trs<f64>, Refusal> {
        let local = self.local(node);
        let scale = match repair {
            Repair::MakeUniform { scale, .. } if node == scaler => Vector3::repeat(*scale),
            Repair::MoveToLeaf { .. } if node == scaler => Vector3::repeat(1.0),
            Repair::Bake { .. } if node == scaler || is_non_uniform(&local.scale) => {
                Vector3::repeat(1.0)
            }
            _ => local.scale,
        };
        let local = local.with_scale(scale);
        if node == scaler || matches!(repair, Repair::MakeUniform { .. }) {
            return Ok(local);
        }
        let inverse = parent.linear().try_inverse().ok_or(Refusal::Flat(node))?;
        let from_parent = origin(&self.audit.nodes[node]) - parent.matrix.fixed_view::<3, 1>(0, 3);
        Ok(local.with_translation(inverse * from_parent))
    }

    /// With the pose that combined TRS shows, as two poses below the parent's matrix.
    fn with_helper(&self) -> Result<Outcome, Refusal> {
        refusal::check_pose(self.scene, self.node)?;
        let found = self.found();
        let parent =
            found.parent.map_or(Matrix4::identity(), |parent| world(&self.audit.nodes[parent]));
        let wanted = Matrix4::from_column_slice(&found.trs.world);
        let flat = Refusal::Flat(found.parent.unwrap_or(self.node));
        let mut needed = parent.try_inverse().ok_or(flat)? * wanted;
        needed.row_mut(3).copy_from_slice(&[0.0, 0.0, 0.0, 1.0]);
        let nested =
            AccumulatedMatrix::from_matrix(needed).and_then(|needed| needed.to_nested_trs());
        let [outer, inner] = nested.ok_or(flat)?;
        let matrix = parent * outer.to_homogeneous() * inner.to_homogeneous();
        let linear = matrix.fixed_view::<3, 3>(0, 0).into_owned();
        Ok(Outcome {
            displacement: displacement(&matrix, &wanted, &found.bounds),
            skew_degrees: worst_skew_degrees(&linear),
            change: displacement(&matrix, &world(found), &found.bounds),
        })
    }

    fn measured(&self, after: &Both, geometry: &Matrix3<f64>) -> Outcome {
        let found = self.found();
        let geometry = geometry.to_homogeneous();
        let (matrix, trs) = (after.matrix * geometry, after.trs.to_homogeneous() * geometry);
        Outcome {
            displacement: displacement(&matrix, &trs, &found.bounds),
            skew_degrees: worst_skew_degrees(&after.linear()),
            change: displacement(&matrix, &world(found), &found.bounds),
        }
    }

    /// From the scaler down to the node.
    fn path(&self, scaler: usize) -> Vec<usize> {
        let upwards = std::iter::successors(Some(self.node), |&node| self.scene.nodes[node].parent);
        let mut path: Vec<_> = upwards.take_while(|&node| node != scaler).collect();
        path.push(scaler);
        path.reverse();
        path
    }

    /// The worlds that the parent of a node has now.
    fn above(&self, node: usize) -> Both {
        match self.scene.nodes[node].parent {
            None => Both { matrix: Matrix4::identity(), trs: CombinedTrs::identity() },
            Some(parent) => {
                let parent = &self.audit.nodes[parent];
                let [x, y, z, w] = parent.trs.rotation;
                let rotation = nalgebra::Quaternion::new(w, x, y, z);
                let rotation = nalgebra::UnitQuaternion::new_unchecked(rotation);
                let translation = Vector3::from(parent.trs.translation);
                let scale = Vector3::from(parent.trs.scale);
                let trs = CombinedTrs::from_parts(translation, rotation, scale);
                Both { matrix: world(parent), trs }
            }
        }
    }

    /// The local pose as combined TRS has it.
    fn local(&self, node: usize) -> Trs<f64> {
        let local = &self.audit.nodes[node].local;
        let [x, y, z, w] = local.rotation;
        let rotation =
            nalgebra::UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(w, x, y, z));
        Trs::from_parts(Vector3::from(local.translation), rotation, Vector3::from(local.scale))
    }
}

fn world(node: &NodeAudit) -> Matrix4<f64> {
    Matrix4::from_column_slice(&node.matrix.world)
}

fn linear(node: &NodeAudit) -> Matrix3<f64> {
    world(node).fixed_view::<3, 3>(0, 0).into_owned()
}

fn origin(node: &NodeAudit) -> Vector3<f64> {
    world(node).fixed_view::<3, 1>(0, 3).into_owned()
}
