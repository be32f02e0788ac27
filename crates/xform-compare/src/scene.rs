use nalgebra::Point3;
use xform_core::{Inherit, Trs};
use xform_matrix::AccumulatedMatrix;

use crate::{Animation, Warning};

/// Nodes under one another, as a file or a generator gives them: what is compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// What the scene is called in reports: the file as the user named it, or a built-in name.
    pub source: String,
    /// The nodes, in any order; a parent is an index into this list.
    pub nodes: Vec<Node>,
    /// What moves the nodes; as they stand in [`nodes`](Self::nodes), they are at rest.
    pub animations: Vec<Animation>,
    /// What its reader noticed.
    pub warnings: Vec<Warning>,
}

/// One node of a [`Scene`].
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its name, which need not be unique.
    pub name: Option<String>,
    /// The index of its parent; `None` for a root.
    pub parent: Option<usize>,
    /// Where it stands in its parent's space.
    pub local: Local,
    /// What it takes over from its parent. In a glTF file that is always everything.
    pub inherit: Inherit,
    /// What of it can be seen to move.
    pub bounds: Bounds,
    /// What else hangs on its pose.
    pub ties: Ties,
}

/// What hangs on the pose of a node, and so has to be thought of when that is changed.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Ties {
    /// The mesh that it shows, as its file numbers them; other nodes may show it too.
    pub mesh: Option<usize>,
    /// Whether it is a joint of a skin, or shows a mesh by one.
    pub is_skinned: bool,
    /// Whether an animation moves it.
    pub is_animated: bool,
}

/// A local pose as it was authored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Local {
    /// Translation, rotation and scale.
    Trs(Trs<f64>),
    /// An affine matrix, which may be no `T · R · S`.
    Matrix(AccumulatedMatrix<f64>),
}

/// What of a node can be seen to move, in the node's own space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds {
    /// The box around its mesh, from its least to its greatest corner.
    Box(Point3<f64>, Point3<f64>),
    /// Its origin alone: a node without a mesh.
    Origin,
    /// Nothing: what it shows ignores its transform, as a skinned mesh does in glTF.
    Nothing,
}

impl Bounds {
    /// The cube [−½, ½]³, for scenes without any mesh.
    #[must_use]
    pub fn unit_cube() -> Self {
        Self::Box(Point3::new(-0.5, -0.5, -0.5), Point3::new(0.5, 0.5, 0.5))
    }

    /// The points that decide: eight corners, the origin, or none.
    pub fn corners(&self) -> impl Iterator<Item = Point3<f64>> + use<> {
        let (min, max, count) = match *self {
            Self::Box(min, max) => (min, max, 8),
            Self::Origin => (Point3::origin(), Point3::origin(), 1),
            Self::Nothing => (Point3::origin(), Point3::origin(), 0),
        };
        (0..count).map(move |corner: u8| {
            let pick = |axis: usize| {
                if corner >> axis & 1 == 0 { min[axis] } else { max[axis] }
            };
            Point3::new(pick(0), pick(1), pick(2))
        })
    }
}
