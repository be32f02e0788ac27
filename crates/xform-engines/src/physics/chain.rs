use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use xform_core::Trs;

use crate::{
    DecompositionRule, LocalPose, Reason,
    fold::{Affine, lengths},
};

/// The local poses from the root to the node of a shape, with the steps that engines take before they look at the
/// shape.
#[derive(Clone, Copy)]
pub(super) struct Chain<'a>(pub(super) &'a [LocalPose]);

/// The frame of a shape: a rotation, the scale along its axes, and the position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) axes: Matrix3<f64>,
    pub(super) scale: Vector3<f64>,
    pub(super) position: Vector3<f64>,
}

/// A decomposed world matrix.
pub(super) struct Decomposed {
    pub(super) world: Affine,
    pub(super) frame: Frame,
    /// The rotation of the frame as it was computed. For a skewed matrix it need not have unit length.
    pub(super) rotation: Quaternion<f64>,
}

/// The rotation matrix of a quaternion of any length.
pub(super) fn rotation_matrix(rotation: Quaternion<f64>) -> Matrix3<f64> {
    Trs::from_rotation(UnitQuaternion::new_normalize(rotation)).to_linear()
}

impl<'a> Chain<'a> {
    /// The product of the matrices.
    pub(super) fn product(self) -> Affine {
        self.0.iter().fold(Affine::identity(), |above, local| above * Affine::of(local))
    }

    /// The product, or an error if it is not finite or an axis has no length.
    pub(super) fn world(self) -> Result<Affine, Reason> {
        let world = self.product();
        if !world.linear.iter().chain(&world.origin).all(|part| part.is_finite()) {
            return Err(Reason::Overflow);
        }
        lengths(&world.linear)?;
        Ok(world)
    }

    /// Decomposes the world matrix.
    pub(super) fn decomposed(self, rule: DecompositionRule) -> Result<Decomposed, Reason> {
        let world = self.world()?;
        let parts = rule.parts(&world.linear)?;
        let axes = rotation_matrix(parts.rotation);
        let frame = Frame { axes, scale: parts.scale, position: world.origin };
        Ok(Decomposed { world, frame, rotation: parts.rotation })
    }

    /// Combined TRS: multiplies scales and rotations, and scales and turns each position by those above.
    pub(super) fn combined(self) -> Result<Frame, Reason> {
        let root = Frame {
            axes: Matrix3::identity(),
            scale: Vector3::repeat(1.0),
            position: Vector3::zeros(),
        };
        self.poses().try_fold(root, |above, pose| {
            let pose = pose?;
            if pose.scale.iter().any(|&factor| factor == 0.0) {
                return Err(Reason::ZeroScale);
            }
            let offset = above.scale.component_mul(&pose.translation);
            Ok(Frame {
                axes: above.axes * Trs::from_rotation(pose.rotation).to_linear(),
                scale: above.scale.component_mul(&pose.scale),
                position: above.position + above.axes * offset,
            })
        })
    }

    /// The poses, or errors for matrices, for a rule that does not take matrices.
    pub(super) fn poses(self) -> impl DoubleEndedIterator<Item = Result<Trs<f64>, Reason>> + 'a {
        self.0.iter().map(|local| match local {
            LocalPose::Trs(pose) => Ok(*pose),
            LocalPose::Matrix(_) => Err(Reason::Matrix),
        })
    }

    /// Splits the chain into the poses above the node and the node's own.
    pub(super) fn parted(self) -> Option<(Self, &'a LocalPose)> {
        let (own, above) = self.0.split_last()?;
        Some((Self(above), own))
    }
}
