use serde::Serialize;

use super::{Grade, GradeCounts};

/// A scene in a few figures, at rest but for [`motion`](Self::motion).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// The grade of the scene, at rest and in motion: the worst of the nodes that
    /// [count](super::NodeAudit::counts).
    pub grade: Grade,
    /// The number of nodes of the file.
    pub nodes: usize,
    /// The greatest depth of a node, a root having 0.
    pub max_depth: usize,
    /// The number of nodes that are skewed by accumulated matrices, as the file defines it.
    pub skewed_nodes: usize,
    /// The number of nodes that differ between an engine and the reference, whether they count or not.
    pub differing_nodes: usize,
    /// How many of the nodes that count have which grade.
    pub grades: GradeCounts,
    /// How many of the nodes that draw nothing, and so do not count, have which grade.
    pub undrawn: GradeCounts,
    /// The diagonal of the box around what is drawn, by accumulated matrices, in scene units. Where a scene has
    /// meshes, it is that of their bounds and of the vertices of skinned ones.
    pub diagonal: f64,
    /// The largest skew of a node by accumulated matrices, in degrees.
    pub max_skew_degrees: f64,
    /// The largest difference between the skews of a node that counts in an engine and in the reference, in degrees.
    pub max_skew_difference_degrees: f64,
    /// The largest displacement of a node that counts, in scene units.
    pub max_displacement: f64,
    /// The largest displacement in percent of the diagonal; `None` where that is zero.
    pub max_displacement_percent: Option<f64>,
    /// The figures in motion, where there are animations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionSummary>,
}

/// A scene over all its animations in a few figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MotionSummary {
    /// The number of animations that were sampled, at least in part.
    pub animations: usize,
    /// The number of animations that could not be read or sampled in full.
    pub not_sampled: usize,
    /// The number of nodes that differ between an engine and the reference at some time, whether they count or not.
    pub differing_nodes: usize,
    /// How many of the nodes that count have which grade at some time.
    pub grades: GradeCounts,
    /// How many of the nodes that draw nothing have which grade at some time.
    pub undrawn: GradeCounts,
    /// The largest difference between the skews of a node that counts, in degrees.
    pub max_skew_difference_degrees: f64,
    /// The largest displacement of a node that counts, in scene units.
    pub max_displacement: f64,
    /// The largest displacement in percent of the diagonal at rest; `None` where that is zero.
    pub max_displacement_percent: Option<f64>,
}
