use serde::Serialize;

use super::{Grade, GradeCounts};

/// A scene in a few figures, at rest except for [`motion`](Self::motion).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// The grade of the scene, at rest and in motion: the worst of the nodes that
    /// [count](super::NodeAudit::counts).
    pub grade: Grade,
    /// The number of nodes of the file.
    pub nodes: usize,
    /// The greatest depth of a node. A root has depth 0.
    pub max_depth: usize,
    /// The number of nodes that are skewed in accumulated matrices, as the file defines it.
    pub skewed_nodes: usize,
    /// The number of nodes that differ between an engine and the reference, including those that do not
    /// count.
    pub differing_nodes: usize,
    /// The number of nodes of each grade, among those that count.
    pub grades: GradeCounts,
    /// The number of nodes of each grade, among those that draw nothing and so do not count.
    pub undrawn: GradeCounts,
    /// The diagonal of the box around what is drawn, in accumulated matrices, in scene units. If a scene has
    /// meshes, the box encloses their bounds and the vertices of skinned meshes.
    pub diagonal: f64,
    /// The largest skew of a node in accumulated matrices, in degrees.
    pub max_skew_degrees: f64,
    /// The largest difference in skew between an engine and the reference, among nodes that count, in
    /// degrees.
    pub max_skew_difference_degrees: f64,
    /// The largest displacement of a node that counts, in scene units.
    pub max_displacement: f64,
    /// The largest displacement as a percentage of the diagonal; `None` if the diagonal is zero.
    pub max_displacement_percent: Option<f64>,
    /// The figures in motion, if there are animations.
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
    /// The number of nodes that differ between an engine and the reference at some time, including those that
    /// do not count.
    pub differing_nodes: usize,
    /// The number of nodes of each worst grade over time, among those that count.
    pub grades: GradeCounts,
    /// The number of nodes of each worst grade over time, among those that draw nothing.
    pub undrawn: GradeCounts,
    /// The largest difference in skew of a node that counts, in degrees.
    pub max_skew_difference_degrees: f64,
    /// The largest displacement of a node that counts, in scene units.
    pub max_displacement: f64,
    /// The largest displacement as a percentage of the diagonal at rest; `None` if the diagonal is zero.
    pub max_displacement_percent: Option<f64>,
}
