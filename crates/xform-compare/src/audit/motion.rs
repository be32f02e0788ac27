use serde::Serialize;

use crate::{NodeAudit, NotSampled, SceneAudit, Thresholds};

/// What was found on a scene while one of its animations moves it.
#[derive(Clone, Debug, PartialEq)]
pub struct AnimationAudit {
    /// Its number in the file.
    pub index: usize,
    /// Its name, which need not be unique.
    pub name: Option<String>,
    /// When its first keyframe is; `None` where nothing of it could be sampled.
    pub start_seconds: Option<f64>,
    /// When its last keyframe is.
    pub end_seconds: Option<f64>,
    /// At how many times there is a keyframe.
    pub keyframes: usize,
    /// At how many times it was sampled.
    pub samples: usize,
    /// Every node that it moves, those below what it animates included, in file order.
    pub nodes: Vec<NodeMotion>,
    /// What of it could not be read: that counts as at rest.
    pub not_sampled: Vec<NotSampled>,
    /// The largest figures of any node over time, one for each sample.
    pub moments: Vec<Moment>,
}

/// The largest figures of a node while an animation moves it; `None` where a figure is undefined at
/// all times.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeMotion {
    /// Its index in the file.
    #[serde(rename = "node")]
    pub index: usize,
    /// The largest |skew| among its pairs of axes, in degrees.
    pub skew_degrees: Option<Peak>,
    /// ‖Lm − Lt‖ / ‖Lm‖ of the 3×3 parts.
    pub linear_difference: Option<Peak>,
    /// The farthest that a corner of its bounds moves between the strategies, in scene units.
    pub displacement: Option<Peak>,
    /// The same in percent of the diagonal of the scene at rest; `None` where that is zero.
    pub displacement_percent: Option<f64>,
    /// The node when it is at its worst; for the worst nodes of a scene alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_worst: Option<Box<AtWorst>>,
}

/// The largest value of a figure, and when it was found first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Peak {
    /// The value.
    pub max: f64,
    /// When, in seconds.
    pub seconds: f64,
}

/// A node when it is at its worst: its displacement the largest, or where it has none, its linear
/// difference or its skew.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AtWorst {
    /// When, in seconds.
    pub seconds: f64,
    /// All figures, and the cause, of the scene as it is posed then.
    pub node: NodeAudit,
    /// The cause in words, as [`explain`](crate::explain) gives them.
    #[serde(skip)]
    pub why: Option<String>,
}

/// The largest figures of any node at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// When, in seconds.
    pub seconds: f64,
    /// The largest |skew|, in degrees.
    pub skew_degrees: f64,
    /// The largest displacement, in scene units.
    pub displacement: f64,
}

/// The largest figures of a node over all animations; `None` where a figure is undefined throughout.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorstInMotion {
    /// The largest |skew|, in degrees.
    pub skew_degrees: Option<Worst>,
    /// The largest linear difference.
    pub linear_difference: Option<Worst>,
    /// The largest displacement, in scene units.
    pub displacement: Option<Worst>,
    /// The same in percent of the diagonal of the scene at rest; `None` where that is zero.
    pub displacement_percent: Option<f64>,
}

/// A [`Peak`] in one of several animations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worst {
    /// The value, and when it was found.
    pub peak: Peak,
    /// In which animation, by its place in [`SceneAudit::animations`].
    pub animation: usize,
}

/// A scene over all its animations in a few figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MotionSummary {
    /// How many animations were sampled, at least in part.
    pub animations: usize,
    /// Of how many not everything could be read.
    pub not_sampled: usize,
    /// How many nodes are skewed at some time.
    pub skewed_nodes: usize,
    /// How many nodes differ between the strategies at some time, skewed or not.
    pub differing_nodes: usize,
    /// The largest skew of a node, in degrees.
    pub max_skew_degrees: f64,
    /// The largest displacement of a node, in scene units.
    pub max_displacement: f64,
    /// The same in percent of the diagonal at rest; `None` where that is zero.
    pub max_displacement_percent: Option<f64>,
}

impl SceneAudit {
    /// For each node the largest figures over all animations; `None` where none moves it.
    #[must_use]
    pub fn worst_in_motion(&self) -> Vec<Option<WorstInMotion>> {
        let mut nodes = vec![None; self.nodes.len()];
        for (animation, audit) in self.animations.iter().enumerate() {
            for moved in &audit.nodes {
                let worst: &mut WorstInMotion = nodes[moved.index].get_or_insert_default();
                raise(&mut worst.skew_degrees, moved.skew_degrees, animation);
                raise(&mut worst.linear_difference, moved.linear_difference, animation);
                if raise(&mut worst.displacement, moved.displacement, animation) {
                    worst.displacement_percent = moved.displacement_percent;
                }
            }
        }
        nodes
    }
}

/// Whether a peak is larger than the one before, which it then replaces.
fn raise(worst: &mut Option<Worst>, peak: Option<Peak>, animation: usize) -> bool {
    let larger = peak.filter(|peak| worst.is_none_or(|worst| peak.max > worst.peak.max));
    if let Some(peak) = larger {
        *worst = Some(Worst { peak, animation });
    }
    larger.is_some()
}

impl WorstInMotion {
    /// Whether the node counts as skewed or as differing at some time.
    #[must_use]
    pub fn is_differing(&self) -> bool {
        let value = |worst: Option<Worst>| Some(worst?.peak.max);
        value(self.skew_degrees) > Some(Thresholds::DEFAULT.skewed_degrees)
            || is_differing(value(self.linear_difference), self.percent_of_scene())
    }

    /// How far the node moves in percent of the scene's diagonal; infinitely far beside a scene without
    /// extent.
    #[must_use]
    pub fn percent_of_scene(&self) -> Option<f64> {
        super::percent_of_scene(self.displacement?.peak.max, self.displacement_percent)
    }
}

/// What of a node in motion is worse than of the same at rest, by more than rounding.
impl NodeAudit {
    pub(crate) fn is_more_skewed(&self, degrees: f64) -> bool {
        degrees > self.skew_degrees.unwrap_or(0.0) + Thresholds::DEFAULT.skewed_degrees
    }

    /// By its displacement in percent of the scene.
    pub(crate) fn is_moved_more(&self, percent: f64) -> bool {
        let by = Thresholds::DEFAULT.differing_fraction * 100.0;
        percent > self.percent_of_scene().unwrap_or(0.0) + by
    }

    /// By its linear difference; one that is undefined at rest is as bad as can be.
    pub(crate) fn is_differing_more(&self, fraction: f64) -> bool {
        let at_rest = self.linear_difference.unwrap_or(f64::INFINITY);
        fraction > at_rest + Thresholds::DEFAULT.differing_fraction
    }
}

/// Whether such figures count as differing.
fn is_differing(linear_difference: Option<f64>, percent_of_scene: Option<f64>) -> bool {
    let limit = Thresholds::DEFAULT.differing_fraction;
    linear_difference > Some(limit) || percent_of_scene > Some(limit * 100.0)
}

impl NodeMotion {
    /// Whether it counts as skewed at some time.
    #[must_use]
    pub fn is_skewed(&self) -> bool {
        max(self.skew_degrees) > Some(Thresholds::DEFAULT.skewed_degrees)
    }

    /// Whether it counts as differing between the strategies at some time.
    #[must_use]
    pub fn is_differing(&self) -> bool {
        is_differing(max(self.linear_difference), self.percent_of_scene())
    }

    /// How far it moves in percent of the scene's diagonal; infinitely far beside a scene without extent.
    #[must_use]
    pub fn percent_of_scene(&self) -> Option<f64> {
        super::percent_of_scene(max(self.displacement)?, self.displacement_percent)
    }

    /// When it is at its worst, see [`AtWorst`].
    pub(crate) fn worst_seconds(&self) -> Option<f64> {
        let is_moved =
            self.percent_of_scene() > Some(Thresholds::DEFAULT.differing_fraction * 100.0);
        let displacement = self.displacement.filter(|_| is_moved);
        let linear = self.linear_difference.filter(|_| self.is_differing());
        Some(displacement.or(linear).or(self.skew_degrees)?.seconds)
    }
}

pub(crate) fn max(peak: Option<Peak>) -> Option<f64> {
    Some(peak?.max)
}
