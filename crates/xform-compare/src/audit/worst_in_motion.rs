use super::{AnimationAudit, Grade, Peak, thresholds::percent_of_scene};

/// The largest figures of a node over all animations; `None` where a figure is undefined throughout.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct WorstInMotion {
    /// The largest difference between its skews, in degrees.
    pub skew_difference_degrees: Option<AnimationPeak>,
    /// The largest linear difference.
    pub linear_difference: Option<AnimationPeak>,
    /// How far it points elsewhere as a camera or a light, at most, in degrees.
    pub turned_degrees: Option<AnimationPeak>,
    /// The largest displacement, in scene units.
    pub displacement: Option<AnimationPeak>,
    /// The largest displacement in percent of the diagonal of the scene at rest; `None` where that is zero.
    pub displacement_percent: Option<f64>,
    /// The worst grade.
    pub grade: Grade,
}

/// A [`Peak`] and which of several animations it is in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnimationPeak {
    /// The value, and when it was found.
    pub peak: Peak,
    /// The animation, by its place in [`SceneAudit::animations`](super::SceneAudit::animations).
    pub animation: usize,
    /// The group of engines that has it there.
    pub group: Option<usize>,
}

impl WorstInMotion {
    /// For each node of a scene; `None` where no animation moves it. `nodes` is their number.
    pub(super) fn of_nodes(nodes: usize, animations: &[AnimationAudit]) -> Vec<Option<Self>> {
        let mut all: Vec<Option<Self>> = vec![None; nodes];
        for (animation, audit) in animations.iter().enumerate() {
            for moved in &audit.nodes {
                let worst = all[moved.index].get_or_insert_default();
                worst.grade = worst.grade.max(moved.grade());
                let at = |peak: Option<Peak>, group| {
                    peak.map(|peak| AnimationPeak { peak, animation, group })
                };
                let skew = at(moved.skew_difference_degrees, moved.skew_group);
                raise(&mut worst.skew_difference_degrees, skew);
                raise(&mut worst.linear_difference, at(moved.linear_difference, moved.group));
                raise(&mut worst.turned_degrees, at(moved.turned_degrees, moved.group));
                if raise(&mut worst.displacement, at(moved.displacement, moved.group)) {
                    worst.displacement_percent = moved.displacement_percent;
                }
            }
        }
        all
    }

    /// Whether the node differs at some time: its grade is worse than identical.
    #[must_use]
    pub fn is_differing(&self) -> bool {
        self.grade > Grade::Identical
    }

    /// The displacement in percent of the scene's diagonal; infinite beside a scene without extent.
    #[must_use]
    pub fn percent_of_scene(&self) -> Option<f64> {
        percent_of_scene(self.displacement?.peak.max, self.displacement_percent)
    }
}

/// Replaces a peak by a larger one, and says whether it did.
fn raise(worst: &mut Option<AnimationPeak>, peak: Option<AnimationPeak>) -> bool {
    let larger = peak.filter(|peak| worst.is_none_or(|worst| peak.peak.max > worst.peak.max));
    if larger.is_some() {
        *worst = larger;
    }
    larger.is_some()
}
