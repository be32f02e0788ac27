use nalgebra::{Matrix3, Unit, UnitQuaternion};
use xform_core::Trs;
use xform_matrix::AccumulatedMatrix;

use crate::{Accumulation, LocalPose, Reason};

/// What an engine's importer makes of a rotation whose quaternion is not of unit length, as glTF demands.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum QuaternionRule {
    /// It makes the length 1.
    Unit,
    /// It takes the quaternion as it comes into the formula for unit quaternions: I + l²·(R − I), with the length l and the rotation R,
    /// which squashes the node across the axis of R, or stretches it.
    AsItComes,
    /// It turns about the axis by 2·acos(w), where w is not divided by the length.
    AngleOfW,
    /// It was not seen.
    NotSeen,
}

impl QuaternionRule {
    /// The smallest difference of a length from 1 that is told. What less comes to nobody can see: it moves no corner of a node by more
    /// than 0.02 % of the node's own size.
    pub const TOLD: f64 = 1e-4;

    /// The pose that the engine has in place of one whose rotation has another length in the file.
    ///
    /// # Errors
    ///
    /// [`Reason::Quaternion`] where it is not known.
    pub fn imported(
        self,
        accumulation: Accumulation,
        pose: &Trs<f64>,
        length: f64,
    ) -> Result<LocalPose, Reason> {
        match (self, accumulation) {
            (Self::Unit, _) => Ok((*pose).into()),
            (Self::AsItComes, Accumulation::Matrix) => {
                let turn = pose.rotation.to_rotation_matrix();
                let linear =
                    Matrix3::identity() + (turn.matrix() - Matrix3::identity()) * (length * length);
                let mut matrix = (linear * Matrix3::from_diagonal(&pose.scale)).to_homogeneous();
                matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&pose.translation);
                AccumulatedMatrix::from_matrix(matrix)
                    .map(LocalPose::Matrix)
                    .ok_or(Reason::Overflow)
            }
            (Self::AngleOfW, _) => {
                // Where there is no axis, nothing turns.
                let rotation = Unit::try_new(pose.rotation.imag(), 0.0).map(|axis| {
                    let angle = 2.0 * libm::acos((pose.rotation.w * length).clamp(-1.0, 1.0));
                    UnitQuaternion::from_axis_angle(&axis, angle)
                });
                Ok(pose.with_rotation(rotation.unwrap_or_default()).into())
            }
            (Self::AsItComes | Self::NotSeen, _) => Err(Reason::Quaternion),
        }
    }
}
