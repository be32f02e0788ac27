use nalgebra::{Matrix3, Unit, UnitQuaternion};
use xform_core::Trs;
use xform_matrix::AccumulatedMatrix;

use crate::{Accumulation, LocalPose, Reason};

/// How an engine's importer treats a rotation whose quaternion is not of unit length, as glTF requires.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum QuaternionRule {
    /// It normalises the quaternion.
    Unit,
    /// It puts the quaternion as it is into the formula for unit quaternions. The result is I + l²·(R − I), where l
    /// is the length and R the rotation. It squashes or stretches the node across the axis of R.
    AsItComes,
    /// It turns by 2·acos(w) about the axis; w is not divided by the length.
    AngleOfW,
    /// The importer was not seen.
    NotSeen,
}

impl QuaternionRule {
    /// The smallest deviation of a length from 1 that is reported. A smaller one is invisible: it moves no corner of
    /// a node by more than 0.02 % of the node's own size.
    pub const TOLD: f64 = 1e-4;

    /// Returns the pose that the engine has if the quaternion in the file has this length; `pose` has it normalised.
    ///
    /// # Errors
    ///
    /// - [`Reason::Quaternion`] if the result is not known.
    /// - [`Reason::Overflow`] if a number is not finite.
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
                // Without an axis there is no rotation.
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
