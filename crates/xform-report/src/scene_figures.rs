use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use xform_compare::{Grade, SceneAudit};
use xform_scene::text::significant;

/// The figures of one scene in tables of many, at rest and in motion.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(from = "Bits", into = "Bits")]
pub(super) struct SceneFigures {
    pub(super) grade: Grade,
    /// The colliders, if physics engines were requested.
    pub(super) colliders: Option<ColliderFigures>,
    /// The largest displacement of a node that counts, in percent of the scene.
    percent: f64,
    /// The largest difference of skew of a node that counts, in degrees.
    skew: f64,
}

/// The figures of a scene's colliders in tables of many scenes.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct ColliderFigures {
    pub(super) grade: Grade,
    /// The number of colliders that differ visibly, and the number of all.
    pub(super) seen: usize,
    pub(super) all: usize,
}

/// Figures as bits, because not every number exists in JSON.
type Bits = (Grade, Option<ColliderFigures>, u64, u64);

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
        let physics = Some(&scene.physics).filter(|physics| physics.is_asked);
        let colliders = physics.map(|physics| {
            let (seen, all) = (physics.seen(), physics.shapes);
            ColliderFigures { grade: physics.grade(), seen, all }
        });
        Self { grade: scene.summary.grade, colliders, percent, skew }
    }

    /// Whether something visibly looks different or collides elsewhere.
    pub(super) fn is_seen(&self) -> bool {
        self.grade.is_seen() || self.has_colliders_apart()
    }

    /// Whether a collider differs visibly.
    pub(super) fn has_colliders_apart(&self) -> bool {
        self.colliders.is_some_and(|colliders| colliders.grade.is_seen())
    }

    /// Orders the worse first. Equally bad ones keep their order.
    pub(super) fn worst_first(&self, other: &Self) -> Ordering {
        let badness = |one: &Self| {
            let colliders = one.colliders.map_or(Grade::Identical, |colliders| colliders.grade);
            (one.grade.max(colliders), one.grade, one.percent, one.skew)
        };
        badness(other).partial_cmp(&badness(self)).unwrap_or(Ordering::Equal)
    }

    /// Returns the displacement and the skew to sort by.
    pub(super) fn values(&self) -> [f64; 2] {
        [self.percent, self.skew]
    }

    /// Returns the grade to sort by: the worse, the higher.
    pub(super) fn grade_rank(&self) -> usize {
        self.grade as usize
    }

    /// Returns the displacement and the skew as cells of a table.
    pub(super) fn cells(&self) -> [String; 2] {
        match self.grade {
            // A figure of 1e-17 would look like a difference.
            Grade::Identical => ["–".to_owned(), "–".to_owned()],
            _ => [self.percent, self.skew].map(|figure| significant(figure, 3)),
        }
    }
}

impl From<SceneFigures> for Bits {
    fn from(SceneFigures { grade, colliders, percent, skew }: SceneFigures) -> Self {
        (grade, colliders, percent.to_bits(), skew.to_bits())
    }
}

impl From<Bits> for SceneFigures {
    fn from((grade, colliders, percent, skew): Bits) -> Self {
        let [percent, skew] = [percent, skew].map(f64::from_bits);
        Self { grade, colliders, percent, skew }
    }
}
