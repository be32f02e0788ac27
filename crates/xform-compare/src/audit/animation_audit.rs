use serde::Serialize;
use xform_scene::{animation::NotSampled, text::printable};

use super::{
    Apart, Grade, Role,
    thresholds::{SKEWED_DEGREES, is_displaced, percent_of_scene},
};

/// The measurements of a scene while one of its animations moves it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct AnimationAudit {
    /// Its index in the file.
    pub index: usize,
    /// Its name, which need not be unique.
    pub name: Option<String>,
    /// Whether it [takes the first](xform_scene::Animation::takes_first_channels) of several channels for one property.
    pub takes_first_channels: bool,
    /// The time of its first keyframe, in seconds; `None` where nothing of it could be sampled.
    pub start_seconds: Option<f64>,
    /// The time of its last keyframe, in seconds.
    pub end_seconds: Option<f64>,
    /// The number of times at which there is a keyframe.
    pub keyframes: usize,
    /// The number of times at which it was sampled.
    pub samples: usize,
    /// Whether every scale above another node is uniform throughout, so that no node can look different: it was sampled
    /// at its first and its last keyframe alone.
    pub is_uniform: bool,
    /// Every node that it moves, those below what it animates included, in file order.
    pub nodes: Vec<NodeMotion>,
    /// The parts of it that could not be read: what they move counts as at rest.
    pub not_sampled: Vec<NotSampled>,
    /// The worst grade of the nodes that it moves, of those that [count](super::NodeAudit::counts); `None` where
    /// nothing was sampled.
    pub grade: Option<Grade>,
    /// The group of engines that it looks worst in, by its place in [`EngineAudit::groups`](super::EngineAudit::groups): the
    /// one that the samples are of. `None` where all show the same.
    pub group: Option<usize>,
    /// The largest figures of any node over time between that group and the reference: a point for each sample.
    pub timeline: Vec<TimelinePoint>,
}

impl AnimationAudit {
    /// The name of the animation as people read it; `animation 3` where it has none.
    #[must_use]
    pub fn label(&self) -> String {
        let name = match self.name.as_deref() {
            Some(name) if !name.is_empty() => format!("\"{}\"", printable(name)),
            _ => format!("animation {}", self.index),
        };
        let which = if self.takes_first_channels { " (first channels)" } else { "" };
        format!("{name}{which}")
    }
}

/// The largest figures of a node while an animation moves it; `None` where a figure is undefined at
/// all times.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NodeMotion {
    /// The index of the node in the file.
    #[serde(rename = "node")]
    pub index: usize,
    /// The group of engines that shows it worst, by its place in [`EngineAudit::groups`](super::EngineAudit::groups), which the
    /// figures are of, beside what the reference shows. `None` where all show it alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<usize>,
    /// The largest difference between its skews in a group of engines and in the reference, in degrees.
    pub skew_difference_degrees: Option<Peak>,
    /// The group that has this difference, which need not be the one that shows the node worst.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skew_group: Option<usize>,
    /// The largest ‖La − Lb‖ / ‖La‖ of the 3×3 parts in the reference and in the group.
    pub linear_difference: Option<Peak>,
    /// How far it points elsewhere as a camera or a light, at most, in degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turned_degrees: Option<Peak>,
    /// The farthest that a corner of its bounds moves between the two, in scene units.
    pub displacement: Option<Peak>,
    /// The largest displacement in percent of the diagonal of the scene at rest; `None` where that is zero.
    pub displacement_percent: Option<f64>,
    /// The largest displacement in percent of the node's own size then; `None` where it has none.
    pub displacement_percent_of_itself: Option<f64>,
    /// How it shows.
    #[serde(skip)]
    pub role: Role,
}

/// The largest value of a figure, and when it was found first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Peak {
    /// The value.
    pub max: f64,
    /// The time, in seconds.
    pub seconds: f64,
}

/// The largest figures of any node at one time of an animation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimelinePoint {
    /// The time, in seconds.
    pub seconds: f64,
    /// The largest difference between skews, in degrees.
    pub skew_difference_degrees: f64,
    /// The largest displacement, in scene units.
    pub displacement: f64,
}

impl NodeMotion {
    /// Whether it counts as skewed in one of the two at some time, and not in the other.
    #[must_use]
    pub fn is_skewed(&self) -> bool {
        self.skew_difference_degrees.map(|peak| peak.max) > Some(SKEWED_DEGREES)
    }

    /// Whether it differs between the two at some time: its grade is worse than identical.
    #[must_use]
    pub fn is_differing(&self) -> bool {
        self.grade() > Grade::Identical
    }

    /// How much of its difference a person sees at the worst time, if anything is drawn there.
    #[must_use]
    pub fn grade(&self) -> Grade {
        let max = |peak: Option<Peak>| peak.map(|peak| peak.max);
        self.role.grade(Apart {
            percent_of_scene: self.percent_of_scene(),
            percent_of_itself: self.displacement_percent_of_itself,
            skew_degrees: max(self.skew_difference_degrees),
            linear_difference: max(self.linear_difference).unwrap_or(0.0),
            turned_degrees: max(self.turned_degrees),
        })
    }

    /// The displacement in percent of the scene's diagonal; infinite beside a scene without extent.
    #[must_use]
    pub fn percent_of_scene(&self) -> Option<f64> {
        percent_of_scene(self.displacement.map(|peak| peak.max)?, self.displacement_percent)
    }

    /// The time when it is at its worst, see [`AtWorst`](super::AtWorst).
    #[must_use]
    pub fn worst_seconds(&self) -> Option<f64> {
        let is_by_axes = self.role.is_by_axes();
        let is_displaced = is_displaced(self.percent_of_scene());
        let displacement = self.displacement.filter(|_| is_displaced && !is_by_axes);
        let linear = self.linear_difference.filter(|_| self.is_differing());
        let found = self.turned_degrees.or(displacement).or(linear);
        Some(found.or(self.skew_difference_degrees)?.seconds)
    }
}
