use xform_core::{linear::axis_cosines, spaces::Orientation};
use xform_matrix::{AccumulatedMatrix, Method};

use crate::{Accumulation, DecompositionRule, LocalPose, Reason};

/// Axes with a cosine up to this are perpendicular: the rounding of `f32` in files.
const PERPENDICULAR: f64 = 1e-6;

/// What an engine's importer makes of a glTF node with a `matrix`.
///
/// A matrix that is a translation, a rotation and a scale comes through every importer. These differ where it is sheared.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Import {
    /// It keeps the matrix.
    Kept,
    /// It takes the matrix apart and keeps the parts.
    Decomposed(DecompositionRule),
    /// It keeps the [nearest](Method::NearestTrs) translation, rotation and scale.
    Nearest,
    /// It was not seen: of a sheared matrix nothing can be said, and of one that mirrors not by a rule that keeps parts.
    NotSeen,
}

impl Import {
    /// The pose that the engine has in place of a matrix, in a form that its accumulation takes.
    ///
    /// # Errors
    ///
    /// [`Reason::ShearedMatrix`] or [`Reason::MirroredMatrix`] where it is not known; [`Reason::ZeroScale`] where an axis has no length.
    pub fn imported(
        self,
        accumulation: Accumulation,
        matrix: &AccumulatedMatrix<f64>,
    ) -> Result<LocalPose, Reason> {
        match (self, accumulation) {
            (Self::Kept, _) => Ok((*matrix).into()),
            (Self::Decomposed(how), Accumulation::Matrix) => Ok(how.recomposed(matrix)?.into()),
            (Self::Decomposed(how), _) => {
                let parts = how.unit().parts(&matrix.linear())?;
                let trs = parts.to_trs(matrix.translation()).ok_or(Reason::Overflow)?;
                Ok(trs.into())
            }
            (Self::Nearest, _) => {
                let nearest = matrix.decompose(Method::NearestTrs).ok_or(Reason::Overflow)?;
                Ok(nearest.trs.into())
            }
            (Self::NotSeen, _) if is_sheared(matrix) => Err(Reason::ShearedMatrix),
            (Self::NotSeen, Accumulation::Matrix) => Ok((*matrix).into()),
            (Self::NotSeen, _) if Orientation::of(&matrix.linear()) == Orientation::Mirrored => {
                Err(Reason::MirroredMatrix)
            }
            (Self::NotSeen, _) => {
                Self::Decomposed(DecompositionRule::SHEPPERD).imported(accumulation, matrix)
            }
        }
    }
}

fn is_sheared(matrix: &AccumulatedMatrix<f64>) -> bool {
    let cosines = axis_cosines(&matrix.linear()).into_iter().flatten();
    cosines.into_iter().any(|cosine| cosine.abs() > PERPENDICULAR)
}
