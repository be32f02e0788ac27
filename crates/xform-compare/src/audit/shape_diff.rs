//! A comparison of two scenes as one engine draws them.

use serde::{Serialize, Serializer};
use xform_scene::FixtureKind;

use super::Grade;

/// How far the drawn parts of two scenes are apart, with multiplied matrices on both sides.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ShapeDiff {
    /// The diagonal of the box around what the default scene before draws at rest, or the default scene after if the
    /// first draws nothing, or else everything in the files. Moves are given as percentages of it.
    pub diagonal: f64,
    /// The number of nodes that draw something, before and after.
    pub drawn: [usize; 2],
    /// Drawn parts that moved, are inside out or are missing on one side; the part that moved farthest comes
    /// first.
    pub things: Vec<ThingDiff>,
    /// Cameras and lights that moved, point elsewhere, or left or entered the default scene.
    pub fixtures: Vec<FixtureDiff>,
    /// Nodes that were added, removed, renamed or given another parent.
    pub nodes: Vec<NodeChange>,
    /// The number of matched nodes, by how they were matched.
    pub matched: MatchCounts,
    /// The number of animations with so many keyframes that only some of them were compared, evenly spread
    /// over time.
    pub thinned: usize,
    /// The reasons why something could not be compared, for people.
    pub not_compared: Vec<String>,
}

impl ShapeDiff {
    /// Returns the drawn parts that moved by more than this percentage of the diagonal, or that are inside
    /// out.
    pub fn elsewhere(&self, tolerance_percent: f64) -> impl Iterator<Item = &ThingDiff> {
        self.things.iter().filter(move |thing| thing.is_elsewhere(tolerance_percent))
    }
}

impl ThingDiff {
    /// Whether it moved by more than this percentage of the diagonal, or is inside out.
    #[must_use]
    pub fn is_elsewhere(&self, tolerance_percent: f64) -> bool {
        self.moved_percent > tolerance_percent || self.inside_out > 0
    }
}

impl FixtureDiff {
    /// Whether it moved by more than this percentage of the diagonal, visibly points elsewhere, or left or entered the
    /// default scene.
    #[must_use]
    pub fn is_elsewhere(&self, tolerance_percent: f64) -> bool {
        let turned = self.turned_degrees.unwrap_or(0.0);
        self.default_scene.is_some()
            || self.moved_percent > tolerance_percent
            || Grade::of_turn(self.kind, turned).is_seen()
    }
}

/// A drawn part, compared with its counterpart in the other scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ThingDiff {
    /// The names from the root down to the node: its path after if it still exists, otherwise its path
    /// before.
    pub path: String,
    /// The node of the scene before; `None` if no node there was matched.
    pub before: Option<usize>,
    /// The node of the scene after.
    pub after: Option<usize>,
    /// Whether it left or entered the default scene of its glTF file, which programs show first. What left is compared
    /// with what the default scene still draws, and what entered with what it drew before.
    pub default_scene: Option<DefaultSceneChange>,
    /// How the two were matched; `None` if one is missing.
    pub matched: Option<MatchedBy>,
    /// The parts of the meshes that were compared.
    pub compared: Compared,
    /// The farthest that a vertex is from its old position, or from the surface of the other scene, in scene
    /// units.
    pub moved: f64,
    /// The same as a percentage of the diagonal.
    pub moved_percent: f64,
    /// The animation in which this occurs, as an index into the scene before; `None` at rest.
    pub animation: Option<usize>,
    /// The time in the animation.
    pub seconds: Option<f64>,
    /// The number of triangles that face the other way at rest.
    pub inside_out: usize,
    /// The largest turn of a normal at rest, in degrees. Only if vertices were compared and both meshes have
    /// normals.
    pub normals_turned_degrees: Option<f64>,
}

/// A change in whether a node is in the default scene.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DefaultSceneChange {
    /// It was in the default scene before, and is not after.
    Left,
    /// It is in the default scene after, and was not before.
    Entered,
}

/// The method by which two meshes were compared.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Compared {
    /// Each vertex with the vertex of the same number.
    Vertices,
    /// Each vertex with the nearest point of what the other scene draws, because the vertices differ or are
    /// in another order.
    Surface,
}

/// The method by which two nodes were matched.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum MatchedBy {
    /// By the names from the root down, which are unique.
    Path,
    /// By a name that is unique in both scenes.
    Name,
    /// By the position of what they draw.
    Place,
    /// By the names from the root down and, among nodes with the same names, by order.
    Order,
}

/// The number of nodes that each method matched.
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

/// A camera or light that moved or turned at rest, or left or entered the default scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FixtureDiff {
    /// The names from the root down to the node, in the scene after.
    pub path: String,
    /// The node of the scene before.
    pub before: usize,
    /// The node of the scene after.
    pub after: usize,
    /// The kind of fixture.
    #[serde(rename = "role", serialize_with = "by_name")]
    pub kind: FixtureKind,
    /// Whether it left or entered the default scene of its glTF file.
    pub default_scene: Option<DefaultSceneChange>,
    /// The distance from its old position, in scene units.
    pub moved: f64,
    /// The same as a percentage of the diagonal.
    pub moved_percent: f64,
    /// The angle by which it points elsewhere, in degrees; `None` if it has no direction.
    pub turned_degrees: Option<f64>,
}

/// A node that was added, removed, renamed or given another parent.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NodeChange {
    /// The kind of change.
    pub change: NodeChangeKind,
    /// The names from the root down before; `None` if the node is new.
    pub before: Option<String>,
    /// The names from the root down after; `None` if the node is gone.
    pub after: Option<String>,
}

/// The kind of change of a node.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NodeChangeKind {
    /// It did not exist before.
    New,
    /// It no longer exists.
    Gone,
    /// Its name changed.
    Renamed,
    /// Its parent changed, or it gained or lost one.
    Reparented,
}

fn by_name<S: Serializer>(kind: &FixtureKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}
