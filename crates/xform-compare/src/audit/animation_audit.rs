use serde::Serialize;
use xform_scene::{animation::NotSampled, text::printable};

use super::{
    Apart, Grade, Role,
    thresholds::{SKEWED_DEGREES, is_displaced, percent_of_scene},
};

/// The measurements of a scene while one of its animations plays.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct AnimationAudit {
    /// Its index in the file.
    pub index: usize,
    /// Its name, which need not be unique.
    pub name: Option<String>,
    /// Whether it [uses only the first](xform_scene::Animation::takes_first_channels) of several channels for
    /// one property.
    pub takes_first_channels: bool,
    /// The time of its first keyframe, in seconds; `None` if no part of it could be sampled.
    pub start_seconds: Option<f64>,
    /// The time of its last keyframe, in seconds.
    pub end_seconds: Option<f64>,
    /// The number of distinct times that have a keyframe.
    pub keyframes: usize,
    /// The number of times at which it was sampled.
    pub samples: usize,
    /// Whether every scale above another node is uniform throughout, so that no node can look different. It
    /// was then sampled only at its first and last keyframe.
    pub is_uniform: bool,
    /// Every node that it moves, including descendants of the animated nodes, in file order.
    pub nodes: Vec<NodeMotion>,
    /// The parts of it that could not be read. The properties that they would animate keep their values at rest.
    pub not_sampled: Vec<NotSampled>,
    /// The worst grade of the nodes that it moves and that [count](super::NodeAudit::counts); `None` if
    /// nothing was sampled.
    pub grade: Option<Grade>,
    /// The group of engines in which it looks worst, as an index into
    /// [`EngineAudit::groups`](super::EngineAudit::groups). The timeline compares this group with the
    /// reference. `None` if all engines show the same.
    pub group: Option<usize>,
    /// The largest figures of any node between that group and the reference, one point for each sample.
    pub timeline: Vec<TimelinePoint>,
}

impl AnimationAudit {
    /// Returns the name for people to read; `animation 3` if it has no name.
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

/// The largest figures of a node while an animation plays. A figure that is undefined at all times is `None`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NodeMotion {
    /// The index of the node in the file.
    #[serde(rename = "node")]
    pub index: usize,
    /// The group of engines that shows it worst, as an index into
    /// [`EngineAudit::groups`](super::EngineAudit::groups). The figures compare this group with the
    /// reference. `None` if all engines show the node alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<usize>,
    /// The largest difference in skew between a group of engines and the reference, in degrees.
    pub skew_difference_degrees: Option<Peak>,
    /// The group that has this difference. It need not be the group that shows the node worst.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skew_group: Option<usize>,
    /// The largest ‖La − Lb‖ / ‖La‖, where La and Lb are the 3×3 parts in the reference and in the group.
    pub linear_difference: Option<Peak>,
    /// The largest angle by which it points elsewhere, if it is a camera or a light, in degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turned_degrees: Option<Peak>,
    /// The farthest that a corner of its bounds moves between the two, in scene units.
    pub displacement: Option<Peak>,
    /// The largest displacement as a percentage of the scene's diagonal at rest; `None` if the diagonal is
    /// zero.
    pub displacement_percent: Option<f64>,
    /// The largest displacement as a percentage of the node's own size at that time; `None` if it has no
    /// size.
    pub displacement_percent_of_itself: Option<f64>,
    /// How its difference is graded.
    #[serde(skip)]
    pub role: Role,
}

/// The largest value of a figure, and the first time at which it occurs.
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
    /// The largest difference in skew, in degrees.
    pub skew_difference_degrees: f64,
    /// The largest displacement, in scene units.
    pub displacement: f64,
}

impl NodeMotion {
    /// Whether its skew differs between the two by more than [`SKEWED_DEGREES`] at some time.
    #[must_use]
    pub fn is_skewed(&self) -> bool {
        self.skew_difference_degrees.map(|peak| peak.max) > Some(SKEWED_DEGREES)
    }

    /// Whether it differs between the two at some time: its grade is worse than identical.
    #[must_use]
    pub fn is_differing(&self) -> bool {
        self.grade() > Grade::Identical
    }

    /// Returns how visible its difference is at the worst time, if anything is drawn there.
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

    /// Returns its largest displacement as a percentage of the scene's diagonal; infinite if the scene has no
    /// extent.
    #[must_use]
    pub fn percent_of_scene(&self) -> Option<f64> {
        percent_of_scene(self.displacement.map(|peak| peak.max)?, self.displacement_percent)
    }

    /// Returns the time at which it is at its worst, as [`AtWorst`](super::AtWorst) defines it.
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
