//! How two scenes look beside one another in one engine.

use serde::{Serialize, Serializer};
use xform_scene::FixtureKind;

use super::Grade;

/// How much what is drawn of a scene is elsewhere in another one, both by multiplied matrices.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ShapeDiff {
    /// The diagonal of the box around what is drawn at rest of the scene before, or of the one after where that draws nothing: what
    /// moves are measured by.
    pub diagonal: f64,
    /// How many nodes draw something, before and after.
    pub drawn: [usize; 2],
    /// What is drawn and is elsewhere, inside out or not there on one side, what moved farthest first.
    pub things: Vec<ThingDiff>,
    /// Cameras and lights that are elsewhere or point elsewhere.
    pub fixtures: Vec<FixtureDiff>,
    /// Nodes that came, went, have another name or hang elsewhere.
    pub nodes: Vec<NodeChange>,
    /// How many nodes of both scenes are taken for the same, by how that was found.
    pub matched: MatchCounts,
    /// How many animations have so many keyframes that only some of them were compared, evenly over time.
    pub thinned: usize,
    /// Why something could not be compared, for people.
    pub not_compared: Vec<String>,
}

impl ShapeDiff {
    /// What is drawn and is elsewhere by more than this, in percent of the diagonal, or is seen from its other side.
    pub fn elsewhere(&self, tolerance_percent: f64) -> impl Iterator<Item = &ThingDiff> {
        self.things.iter().filter(move |thing| thing.is_elsewhere(tolerance_percent))
    }
}

impl ThingDiff {
    /// Whether it moved by more than this, in percent of the diagonal, or is seen from its other side.
    #[must_use]
    pub fn is_elsewhere(&self, tolerance_percent: f64) -> bool {
        self.moved_percent > tolerance_percent || self.inside_out > 0
    }
}

impl FixtureDiff {
    /// Whether it moved by more than this, in percent of the diagonal, or points visibly elsewhere.
    #[must_use]
    pub fn is_elsewhere(&self, tolerance_percent: f64) -> bool {
        let turned = self.turned_degrees.unwrap_or(0.0);
        self.moved_percent > tolerance_percent || Grade::of_turn(self.kind, turned).is_seen()
    }
}

/// What a node draws, beside what it or something else draws in the other scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ThingDiff {
    /// The names from the root down to the node; as it is after, where it is still there.
    pub path: String,
    /// The node of the scene before; `None` where nothing there is taken for the same.
    pub before: Option<usize>,
    /// The node of the scene after.
    pub after: Option<usize>,
    /// How the two were found to be the same; `None` where one is missing.
    pub matched: Option<MatchedBy>,
    /// What was compared.
    pub compared: Compared,
    /// The farthest that a vertex is from where it was, or from the surface of the other scene, in scene units.
    pub moved: f64,
    /// That in percent of the diagonal.
    pub moved_percent: f64,
    /// The animation in which it is, by its index in the scene before; `None` at rest.
    pub animation: Option<usize>,
    /// The time in the animation.
    pub seconds: Option<f64>,
    /// How many triangles are seen from their other side at rest.
    pub inside_out: usize,
    /// The most that a normal turned at rest, in degrees; only where vertices were compared, and both have normals.
    pub normals_turned_degrees: Option<f64>,
}

/// What of a thing was compared.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Compared {
    /// Each vertex with the one of the same number.
    Vertices,
    /// Each vertex with the nearest point of what the other scene draws, since vertices are others or in another order.
    Surface,
}

/// How two nodes were found to be the same.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum MatchedBy {
    /// By the names from the root down, which no other node has.
    Path,
    /// By a name that no other node of either scene has.
    Name,
    /// By where what they draw is.
    Place,
    /// By the names from the root down, and the order of those that have the same.
    Order,
}

/// How many nodes were matched in which way.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MatchCounts {
    /// By [`MatchedBy::Path`].
    pub path: usize,
    /// By [`MatchedBy::Name`].
    pub name: usize,
    /// By [`MatchedBy::Place`].
    pub place: usize,
    /// By [`MatchedBy::Order`].
    pub order: usize,
}

/// A camera or light that is elsewhere at rest.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FixtureDiff {
    /// The names from the root down to the node after.
    pub path: String,
    /// The node of the scene before.
    pub before: usize,
    /// The node of the scene after.
    pub after: usize,
    /// What it is.
    #[serde(rename = "role", serialize_with = "by_name")]
    pub kind: FixtureKind,
    /// How far it is from where it was, in scene units.
    pub moved: f64,
    /// That in percent of the diagonal.
    pub moved_percent: f64,
    /// How far it points elsewhere, in degrees; `None` where it has no direction.
    pub turned_degrees: Option<f64>,
}

/// What became of a node.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NodeChange {
    /// What it is.
    pub change: NodeChangeKind,
    /// The names from the root down before; `None` where it is new.
    pub before: Option<String>,
    /// The names from the root down after; `None` where it is gone.
    pub after: Option<String>,
}

/// What can become of a node.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NodeChangeKind {
    /// It is not there before.
    New,
    /// It is not there after.
    Gone,
    /// It has another name.
    Renamed,
    /// It hangs from another node, or from none.
    Reparented,
}

fn by_name<S: Serializer>(kind: &FixtureKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}
