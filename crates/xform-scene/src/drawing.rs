//! What a viewer draws of a scene: meshes, and what they follow. No figure depends on it.

use std::sync::Arc;

use crate::{animation::Curve, skin::Joint};

/// What a viewer draws of a scene: its meshes, and the nodes that show them. An audit needs none of it, a page does.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Drawing {
    /// The meshes, by their indices in the file.
    pub meshes: Vec<Mesh>,
    /// The nodes that show a mesh, in the order of the file.
    pub shown: Vec<ShownMesh>,
    /// What puts morph targets into effect over time.
    pub morphs: Vec<MorphTrack>,
}

/// A mesh, or why its triangles cannot be drawn.
pub type Mesh = Result<Vec<MeshPart>, Undrawn>;

/// A node that shows a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownMesh {
    /// The node of the file, an index into [`Scene::nodes`](super::Scene::nodes).
    pub node: usize,
    /// The mesh, an index into [`Drawing::meshes`].
    pub mesh: usize,
    /// The joints that the vertices follow; none where they follow the node.
    pub joints: Option<Arc<[Joint]>>,
    /// How far each morph target of the mesh is in effect at rest, 1 for wholly. What is missing is 0.
    pub weights: Vec<f64>,
}

/// A part of a mesh with one colour: a primitive of glTF.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshPart {
    /// What the indices join.
    pub kind: PartKind,
    /// Red, green, blue and opacity from 0 to 1, linear: the base colour without its texture.
    pub colour: [f32; 4],
    /// The vertices, in the mesh's space.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals, one a vertex; none where faces are flat.
    pub normals: Vec<[f32; 3]>,
    /// Places in the vertices: three a triangle, two a line, one a point.
    pub indices: Vec<u32>,
    /// By morph target: how far each vertex moves where that is wholly in effect; none where nothing moves.
    pub targets: Vec<Vec<[f32; 3]>>,
    /// By vertex: the joints that it follows, with weights whose sum is 1; none where it follows the node.
    pub follows: Vec<Follows>,
}

/// The joints that a vertex follows, as places in [`ShownMesh::joints`], and their weights.
pub type Follows = Vec<(u32, f32)>;

/// What the indices of a [`MeshPart`] join.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum PartKind {
    /// Three vertices to a triangle.
    #[default]
    Triangles,
    /// Two vertices to a line.
    Lines,
    /// Each vertex is a point.
    Points,
}

impl PartKind {
    /// The number of indices of one triangle, line or point.
    #[must_use]
    pub fn corners(self) -> usize {
        match self {
            Self::Triangles => 3,
            Self::Lines => 2,
            Self::Points => 1,
        }
    }
}

/// Why the triangles of a mesh cannot be drawn, for people: a clause such as "it has no POSITION".
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
