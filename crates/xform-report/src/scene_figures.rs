use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use xform_compare::{Grade, SceneAudit};
use xform_scene::text::significant;

/// What tables of many scenes say of one, at rest and in motion.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, PartialOrd, Serialize)]
#[serde(from = "(Grade, u64, u64)", into = "(Grade, u64, u64)")]
pub(super) struct SceneFigures {
    pub(super) grade: Grade,
    /// The largest displacement of a node that counts, in percent of the scene.
    percent: f64,
    /// The largest difference between the skews of a node that counts, in degrees.
    skew: f64,
}

impl SceneFigures {
    pub(super) fn of(scene: &SceneAudit) -> Self {
        let at_rest = scene.nodes.iter().filter(|node| node.counts_at_rest());
        let at_rest = at_rest.map(|node| (node.displacement_percent, node.skew_difference_degrees));
        let moving = scene.animations.iter().flat_map(|animation| &animation.nodes);
        let moving = moving.filter(|node| scene.nodes[node.index].counts);
        let moving = moving.map(|node| {
            (node.displacement_percent, node.skew_difference_degrees.map(|peak| peak.max))
        });
        let figures =
            at_rest.chain(moving).map(|(a, b)| [a, b].map(|figure| figure.unwrap_or(0.0)));
        let [percent, skew] = figures.fold([0.0, 0.0], |most, [percent, skew]| {
            [f64::max(most[0], percent), f64::max(most[1], skew)]
        });
        Self { grade: scene.summary.grade, percent, skew }
    }

    /// Puts the worse first; equally bad ones stay in the order given.
    pub(super) fn worst_first(&self, other: &Self) -> Ordering {
        other.partial_cmp(self).unwrap_or(Ordering::Equal)
    }

    /// The displacement and the skew as cells of a table.
    pub(super) fn cells(&self) -> [String; 2] {
        match self.grade {
            // A figure of 1e-17 would be taken for a difference.
            Grade::Identical => ["–".to_owned(), "–".to_owned()],
            _ => [self.percent, self.skew].map(|figure| significant(figure, 3)),
        }
    }
}

/// As bits: not every number is one in JSON.
impl From<SceneFigures> for (Grade, u64, u64) {
    fn from(SceneFigures { grade, percent, skew }: SceneFigures) -> Self {
        (grade, percent.to_bits(), skew.to_bits())
    }
}

impl From<(Grade, u64, u64)> for SceneFigures {
    fn from((grade, percent, skew): (Grade, u64, u64)) -> Self {
        Self { grade, percent: f64::from_bits(percent), skew: f64::from_bits(skew) }
    }
}
