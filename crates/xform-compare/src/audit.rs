mod motion;

use serde::Serialize;

use xform_core::Inherit;

use crate::{Bounds, Cause, Warning};

pub(crate) use motion::max;
pub use motion::{
    AnimationAudit, AtWorst, Moment, MotionSummary, NodeMotion, Peak, Worst, WorstInMotion,
};

/// What [`compare`](crate::compare) found on one or more scenes: the report as plain data.
///
/// [`write_json`](crate::write_json) makes the JSON of `xform audit` of it, which
/// docs/report-format.md describes.
#[derive(Clone, Debug, PartialEq)]
pub struct Audit {
    /// The form of this data, `xform-audit/1`.
    pub schema: &'static str,
    /// From where on a node counts.
    pub thresholds: Thresholds,
    /// The scenes, in the order given.
    pub scenes: Vec<SceneAudit>,
}

impl Audit {
    /// An audit of these scenes.
    #[must_use]
    pub fn new(scenes: Vec<SceneAudit>) -> Self {
        Self { schema: "xform-audit/1", thresholds: Thresholds::DEFAULT, scenes }
    }
}

/// From where on a node is counted as skewed or differing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Thresholds {
    /// Skewed: its skew is larger than this.
    pub skewed_degrees: f64,
    /// Differing: its linear difference, or its displacement as a fraction of the scene's
    /// diagonal, is larger than this.
    pub differing_fraction: f64,
}

impl Thresholds {
    /// Above what poses authored in `f32` give by rounding alone, below what anybody can see.
    pub const DEFAULT: Self = Self { skewed_degrees: 0.01, differing_fraction: 1e-6 };
}

/// What was found on one scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneAudit {
    /// The file or built-in scene.
    pub source: String,
    /// The scene in a few figures.
    pub summary: Summary,
    /// What was noticed on the way.
    pub warnings: Vec<Warning>,
    /// Every node of the file, in file order: node `i` is at `i`.
    pub nodes: Vec<NodeAudit>,
    /// Every animation that moves nodes, in file order.
    pub animations: Vec<AnimationAudit>,
}

/// A scene in a few figures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// How many nodes there are.
    pub nodes: usize,
    /// The greatest depth of a node, a root having 0.
    pub max_depth: usize,
    /// How many nodes are skewed.
    pub skewed_nodes: usize,
    /// How many nodes differ between the strategies, skewed or not.
    pub differing_nodes: usize,
    /// The diagonal of the box around all bounds, by accumulated matrices.
    pub diagonal: f64,
    /// The largest skew of a node, in degrees.
    pub max_skew_degrees: f64,
    /// The largest displacement of a node, in scene units.
    pub max_displacement: f64,
    /// The same in percent of the diagonal; `None` where that is zero.
    pub max_displacement_percent: Option<f64>,
    /// The same in motion, where there are animations; the figures above are of the pose at rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionSummary>,
}

impl Summary {
    /// Whether any node is skewed or differs, at rest or in motion.
    #[must_use]
    pub fn is_differing(&self) -> bool {
        let moving = self.motion.unwrap_or_default();
        self.differing_nodes + self.skewed_nodes + moving.differing_nodes + moving.skewed_nodes > 0
    }
}

/// What was found on one node. Angles in degrees; `None` where a figure is undefined.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeAudit {
    /// Its index in the file.
    pub index: usize,
    /// Its name, which need not be unique.
    pub name: Option<String>,
    /// The index of its parent.
    pub parent: Option<usize>,
    /// How many ancestors it has.
    pub depth: usize,
    /// Its local pose.
    pub local: LocalAudit,
    /// What it inherits, where that is not everything.
    #[serde(skip_serializing_if = "inherits_all")]
    pub inherit: Inherit,
    /// How far its local `matrix` is from that pose, as a fraction; only where it is no TRS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_residual: Option<f64>,
    /// Its world transform by accumulated matrices.
    pub matrix: MatrixAudit,
    /// Its world transform by combined TRS.
    pub trs: TrsAudit,
    /// The largest |skew| among its pairs of axes.
    pub skew_degrees: Option<f64>,
    /// The skew between its axes xy, xz and yz.
    pub skew_pairs_degrees: [Option<f64>; 3],
    /// The volume of its axes as a fraction of what it were without skew.
    pub orthogonality: Option<f64>,
    /// ‖Lm − Lt‖ / ‖Lm‖ of the 3×3 parts.
    pub linear_difference: Option<f64>,
    /// How far the matrix is from the nearest translation, rotation and scale, as a fraction.
    pub nearest_trs_distance: f64,
    /// The farthest that a corner of its bounds moves between the strategies, in scene units.
    pub displacement: Option<f64>,
    /// The same in percent of the scene's diagonal.
    pub displacement_percent: Option<f64>,
    /// Why it is skewed or differs, where it is or does.
    pub cause: Option<Cause>,
    /// What of it can be seen to move.
    #[serde(skip)]
    pub bounds: Bounds,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn inherits_all(inherit: &Inherit) -> bool {
    *inherit == Inherit::All
}

impl NodeAudit {
    /// Whether it counts as skewed.
    #[must_use]
    pub fn is_skewed(&self) -> bool {
        self.skew_degrees > Some(Thresholds::DEFAULT.skewed_degrees)
    }

    /// How far it moves in percent of the scene's diagonal; infinitely far beside a scene without extent.
    #[must_use]
    pub fn percent_of_scene(&self) -> Option<f64> {
        percent_of_scene(self.displacement?, self.displacement_percent)
    }

    /// Whether it counts as differing between the strategies.
    ///
    /// An undefined linear difference is one: the matrix is zero there and combined TRS is not. So
    /// is any displacement in a scene whose diagonal is zero.
    #[must_use]
    pub fn is_differing(&self) -> bool {
        let limit = Thresholds::DEFAULT.differing_fraction;
        let is_moved = self.percent_of_scene() > Some(limit * 100.0);
        is_moved || self.linear_difference.is_none_or(|fraction| fraction > limit)
    }
}

fn percent_of_scene(moved: f64, percent: Option<f64>) -> Option<f64> {
    let beside_nothing = if moved > 0.0 { f64::INFINITY } else { 0.0 };
    Some(percent.unwrap_or(beside_nothing))
}

/// A local pose: scale first, then rotation, then translation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LocalAudit {
    /// Where it stands in its parent's space.
    pub translation: [f64; 3],
    /// A unit quaternion, x y z w.
    pub rotation: [f64; 4],
    /// The factors along its own axes.
    pub scale: [f64; 3],
}

/// A world transform by accumulated matrices.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MatrixAudit {
    /// The 4×4 matrix, column-major.
    pub world: [f64; 16],
}

/// A world transform by combined TRS.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TrsAudit {
    /// Where it stands in the world.
    pub translation: [f64; 3],
    /// A unit quaternion, x y z w.
    pub rotation: [f64; 4],
    /// The product of all scales from the root down.
    pub scale: [f64; 3],
    /// The same as a 4×4 matrix, column-major.
    pub world: [f64; 16],
}
