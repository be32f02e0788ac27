use nalgebra::{Matrix3, Matrix4};
use xform_core::Trs;

use crate::{DecompositionRule, Reason, World};

/// How an engine moves the vertices of a skinned mesh that follow a joint.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum SkinRule {
    /// By the world matrix of the joint times its inverse bind matrix, as in glTF.
    Matrices,
    /// By separate rotations and scales, as OGRE's bones do: `v ↦ P + Q·Q₀⁻¹·((S/S₀) ⊙ (v − P₀))`. P, Q and S are the
    /// joint's position, rotation and scale in the world, and P₀, Q₀ and S₀ those of its binding pose. Scales are
    /// divided component by component, along the axes of the mesh (OGRE 1.12.10, OgreBone.cpp,
    /// `Bone::_getOffsetTransform`).
    Parts,
}

/// The largest deviation of a binding pose from its parts, as a fraction of its largest entry: files are in single
/// precision.
const ROUNDING: f64 = 1e-4;

impl SkinRule {
    /// Returns the transform from the space of the mesh to the world, for vertices that follow only this joint.
    ///
    /// # Errors
    ///
    /// For [`Parts`](Self::Parts):
    ///
    /// - [`Reason::Matrix`] if the joint has no separate scale, rotation and position.
    /// - [`Reason::BindPose`] if the binding pose has none: it is sheared, or the inverse bind matrix has no inverse.
    pub fn world_from_mesh(
        self,
        joint: &World,
        inverse_bind: &Matrix4<f64>,
    ) -> Result<Matrix4<f64>, Reason> {
        match (self, joint) {
            (Self::Matrices, joint) => Ok(joint.to_homogeneous() * inverse_bind),
            (Self::Parts, World::Trs(joint)) => parts(&joint.to_trs(), inverse_bind),
            (Self::Parts, _) => Err(Reason::Matrix),
        }
    }
}

// A repair can put a shear into an inverse bind matrix. That is exact if matrices are multiplied, but an engine that
// decomposes the matrix shows something else (docs/fixing.md).
fn parts(joint: &Trs<f64>, inverse_bind: &Matrix4<f64>) -> Result<Matrix4<f64>, Reason> {
    let inverse: Matrix3<f64> = inverse_bind.fixed_view::<3, 3>(0, 0).into();
    let linear = inverse.try_inverse().ok_or(Reason::BindPose)?;
    let origin = -linear * inverse_bind.fixed_view::<3, 1>(0, 3);
    let parts = DecompositionRule::SHEPPERD.unit().parts(&linear).ok();
    let pose = parts.and_then(|parts| parts.to_trs(origin)).ok_or(Reason::BindPose)?;
    if (pose.to_linear() - linear).amax() > ROUNDING * linear.amax() {
        return Err(Reason::BindPose);
    }
    let moved = Trs {
        translation: joint.translation,
        rotation: joint.rotation * pose.rotation.inverse(),
        scale: joint.scale.component_div(&pose.scale),
    };
    Ok(moved.to_homogeneous() * Matrix4::new_translation(&-pose.translation))
}
