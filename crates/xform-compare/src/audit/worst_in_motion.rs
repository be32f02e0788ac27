use super::{AnimationAudit, Grade, Peak, thresholds::percent_of_scene};

/// The largest figures of a node over all animations. A figure that is undefined throughout is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct WorstInMotion {
    /// The largest difference in skew, in degrees.
    pub skew_difference_degrees: Option<AnimationPeak>,
    /// The largest linear difference.
    pub linear_difference: Option<AnimationPeak>,
    /// The largest angle by which it points elsewhere, if it is a camera or a light, in degrees.
    pub turned_degrees: Option<AnimationPeak>,
    /// The largest displacement, in scene units.
    pub displacement: Option<AnimationPeak>,
    /// The largest displacement as a percentage of the scene's diagonal at rest; `None` if the diagonal is
    /// zero.
    pub displacement_percent: Option<f64>,
    /// The worst grade.
    pub grade: Grade,
}

/// A [`Peak`], and the animation in which it occurs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnimationPeak {
    /// The value and its time.
    pub peak: Peak,
    /// The animation, as an index into [`SceneAudit::animations`](super::SceneAudit::animations).
    pub animation: usize,
    /// The group of engines that has this value.
    pub group: Option<usize>,
}

impl WorstInMotion {
    /// Returns the figures of each of `nodes` nodes; `None` for a node that no animation moves.
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

    /// Returns the displacement as a percentage of the scene's diagonal; infinite if the scene has no extent.
    #[must_use]
    pub fn percent_of_scene(&self) -> Option<f64> {
        percent_of_scene(self.displacement?.peak.max, self.displacement_percent)
    }
}

/// Replaces a peak by a larger one. Returns whether it did.
fn raise(worst: &mut Option<AnimationPeak>, peak: Option<AnimationPeak>) -> bool {
    let larger = peak.filter(|peak| worst.is_none_or(|worst| peak.peak.max > worst.peak.max));
    if larger.is_some() {
        *worst = larger;
    }
    larger.is_some()
}
