use xform_core::Trs;
use xform_matrix::AccumulatedMatrix;

/// A node of a hierarchy, as a file or a program hands it to an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SourceNode {
    /// The index of its parent; `None` for a root.
    pub parent: Option<usize>,
    /// Its local pose.
    pub local: LocalPose,
}

/// A local pose as authored. It maps the node's own space to its parent's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LocalPose {
    /// Scale first, then rotation, then translation.
    Trs(Trs<f64>),
    /// An affine matrix, which need not be a product `T · R · S`.
    Matrix(AccumulatedMatrix<f64>),
}

impl LocalPose {
    /// Returns the pose as an affine matrix.
    #[must_use]
    pub fn to_affine(&self) -> AccumulatedMatrix<f64> {
        match self {
            Self::Trs(trs) => (*trs).into(),
            Self::Matrix(matrix) => *matrix,
        }
    }
}

impl From<Trs<f64>> for LocalPose {
    fn from(pose: Trs<f64>) -> Self {
        Self::Trs(pose)
    }
}

impl From<AccumulatedMatrix<f64>> for LocalPose {
    fn from(matrix: AccumulatedMatrix<f64>) -> Self {
        Self::Matrix(matrix)
    }
}
