//! The drawable part of a scene: meshes, and the nodes and joints that they follow. No figure depends on it.

use std::sync::Arc;

use crate::{animation::Curve, skin::Joint};

/// The meshes of a scene and the nodes that show them. A page needs it, an audit does not.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Drawing {
    /// The meshes, by their indices in the file.
    pub meshes: Vec<Mesh>,
    /// The nodes that show a mesh, in the order of the file.
    pub shown: Vec<ShownMesh>,
    /// The animations of morph weights.
    pub morphs: Vec<MorphTrack>,
}

/// A mesh, or the reason why its triangles cannot be drawn.
pub type Mesh = Result<Vec<MeshPart>, Undrawn>;

/// A node that shows a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownMesh {
    /// The node of the file, an index into [`Scene::nodes`](super::Scene::nodes).
    pub node: usize,
    /// The mesh, an index into [`Drawing::meshes`].
    pub mesh: usize,
    /// The joints that the vertices follow. `None` if they follow the node.
    pub joints: Option<Arc<[Joint]>>,
    /// The weight of each morph target of the mesh at rest; 1 is full effect. Missing weights are 0.
    pub weights: Vec<f64>,
}

/// A part of a mesh with one colour: a primitive of glTF.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshPart {
    /// The kind of primitives that the indices form.
    pub kind: PartKind,
    /// Red, green, blue and opacity from 0 to 1, linear: the base colour without its texture.
    pub colour: [f32; 4],
    /// The vertices, in the mesh's space.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals, one per vertex. Empty if faces are flat.
    pub normals: Vec<[f32; 3]>,
    /// Indices of vertices: three per triangle, two per line, one per point.
    pub indices: Vec<u32>,
    /// For each morph target, the displacement of each vertex at full effect. Empty if the target moves nothing.
    pub targets: Vec<Vec<[f32; 3]>>,
    /// For each vertex, the joints that it follows, with weights whose sum is 1. Empty if the vertices follow the
    /// node.
    pub follows: Vec<Follows>,
}

/// The joints that a vertex follows, as indices into [`ShownMesh::joints`], and their weights.
pub type Follows = Vec<(u32, f32)>;

/// The kind of primitives that the indices of a [`MeshPart`] form.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum PartKind {
    /// Three vertices per triangle.
    #[default]
    Triangles,
    /// Two vertices per line.
    Lines,
    /// Each vertex is a point.
    Points,
}

impl PartKind {
    /// Returns the number of indices of one triangle, line or point.
    #[must_use]
    pub fn corners(self) -> usize {
        match self {
            Self::Triangles => 3,
            Self::Lines => 2,
            Self::Points => 1,
        }
    }
}

/// The reason why the triangles of a mesh cannot be drawn, for people: a clause such as "a vertex is not finite".
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Undrawn {
    /// The clause.
    pub why: String,
}

/// The morph weights of a node over time.
#[derive(Clone, Debug, PartialEq)]
pub struct MorphTrack {
    /// The animation, by its [index in the file](super::Animation::index).
    pub animation: usize,
    /// The node that shows the mesh.
    pub node: usize,
    /// A curve for each morph target.
    pub weights: Vec<Curve<1>>,
}
