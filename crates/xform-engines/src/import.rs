use xform_core::{linear::axis_cosines, spaces::Orientation};
use xform_matrix::{AccumulatedMatrix, Method};

use crate::{Accumulation, DecompositionRule, LocalPose, Reason};

/// Axes are perpendicular up to this cosine, which allows for `f32` rounding in files.
const PERPENDICULAR: f64 = 1e-6;

/// How an engine's importer treats a glTF node with a `matrix`.
///
/// A matrix that is a translation, a rotation and a scale survives every importer. The rules differ for a sheared
/// one.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Import {
    /// It keeps the matrix.
    Kept,
    /// It decomposes the matrix and keeps the parts.
    Decomposed(DecompositionRule),
    /// It keeps the [nearest](Method::NearestTrs) translation, rotation and scale.
    Nearest,
    /// The importer was not seen. The result for a sheared matrix is not known, nor that for a mirroring one if the
    /// accumulation stores parts.
    NotSeen,
}

impl Import {
    /// Returns the pose that the engine has instead of a matrix, in a form that its accumulation accepts.
    ///
    /// # Errors
    ///
    /// - [`Reason::ShearedMatrix`] or [`Reason::MirroredMatrix`] if the result is not known.
    /// - [`Reason::ZeroScale`] if an axis has no length.
    /// - [`Reason::Overflow`] if a number is not finite.
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
