//! Blender's bones, which can inherit the scale of their parent in six ways.

use nalgebra::{Matrix3, Vector3};
use xform_core::{TopologyError, Trs};
use xform_matrix::AccumulatedMatrix;

use crate::{
    Reason, SourceNode,
    fold::{Affine, WorldMatrices, lengths, scaled, unscaled, world_matrices},
};

/// What a bone takes of its parent's scale: `Bone.inherit_scale`.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum InheritScale {
    /// All of it: matrices are multiplied.
    Full,
    /// All of it, then made perpendicular about the bone's own y.
    FixShear,
    /// The lengths of the parent's axes, along the bone's own.
    Aligned,
    /// The cube root of the volume, evenly.
    Average,
    /// None of it.
    None,
    /// None of it, as it was before Blender 2.9: the shear of the parent stays.
    NoneLegacy,
}

/// A bone of an armature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone {
    /// The index of its parent; `None` for a root.
    pub parent: Option<usize>,
    /// Its rest pose in the space of the parent's rest pose, or of the armature; neither skewed nor scaled.
    pub rest: AccumulatedMatrix<f64>,
    /// Its pose in the space of its rest pose.
    pub pose: Trs<f64>,
    /// What it takes of its parent's scale.
    pub inherit_scale: InheritScale,
    /// Whether it takes its parent's rotation: `Bone.use_inherit_rotation`.
    pub inherits_rotation: bool,
    /// Whether its translation is along its own rest axes, not along its parent's: `Bone.use_local_location`.
    pub has_local_location: bool,
}

/// The pose of each bone in the space of the armature.
///
/// # Errors
///
/// Parents that form no forest. Nothing can be said below a scale of zero.
pub fn bone_worlds(bones: &[Bone]) -> Result<WorldMatrices, TopologyError> {
    let nodes: Vec<_> = bones
        .iter()
        .map(|bone| SourceNode { parent: bone.parent, local: bone.pose.into() })
        .collect();
    let step = |bone: usize, parent: Option<&(Affine, Matrix3<f64>)>| {
        let bone = &bones[bone];
        let rest = Affine::of(&bone.rest.into());
        let pose = Affine::of(&bone.pose.into());
        let location = if bone.has_local_location {
            rest.point(&pose.origin)
        } else {
            rest.origin + pose.origin
        };
        let Some((parent, parent_rest)) = parent else {
            let world = Affine { linear: rest.linear * pose.linear, origin: location };
            return Ok((world, rest.linear));
        };
        let linear = bone.linear(&parent.linear, parent_rest, &rest.linear, &pose.linear)?;
        let world = Affine { linear, origin: parent.point(&location) };
        Ok((world, parent_rest * rest.linear))
    };
    world_matrices(&nodes, step, |(world, _)| world.to_homogeneous())
}

impl Bone {
    /// The axes of the bone in the space of the armature, below a parent that is posed and rests like this.
    fn linear(
        &self,
        parent: &Matrix3<f64>,
        parent_rest: &Matrix3<f64>,
        rest: &Matrix3<f64>,
        pose: &Matrix3<f64>,
    ) -> Result<Matrix3<f64>, Reason> {
        use InheritScale::{Aligned, Average, FixShear, Full, None, NoneLegacy};
        let ones = Vector3::repeat(1.0);
        let volume = libm::cbrt(parent.determinant().abs());
        // What the bone inherits, and the lengths that come last, along its own axes.
        let (frame, last) = match (self.inherit_scale, self.inherits_rotation) {
            (Full | FixShear, true) => (*parent, ones),
            (None | Average, true) => (straightened(parent, true)?, ones),
            (Aligned, true) => {
                let straight = straightened(parent, false)?;
                let lengths = lengths(&straight)?;
                (unscaled(&straight, &lengths), lengths)
            }
            (NoneLegacy, true) => (unscaled(parent, &lengths(parent)?), ones),
            (scale, false) => {
                let lengths = lengths(parent)?;
                let evened = lengths * (volume / libm::cbrt(lengths.product()));
                match scale {
                    Full => (scaled(parent_rest, &lengths), ones),
                    FixShear => (scaled(parent_rest, &evened), ones),
                    Aligned => (*parent_rest, evened),
                    None | Average | NoneLegacy => (*parent_rest, ones),
                }
            }
        };
        let frame = if self.inherit_scale == Average { frame * volume } else { frame };
        let frame = frame * rest;
        let frame = match self.inherit_scale {
            FixShear => straightened(&frame, false)?,
            _ => frame,
        };
        Ok(scaled(&(frame * pose), &last))
    }
}

/// Axes made perpendicular about their y.
///
/// x and z lose what they have along y. Where they are not perpendicular then, both turn by half of what is missing, and
/// with lengths of their own they are shortened by the root of the sine of their angle, which keeps the volume.
fn straightened(axes: &Matrix3<f64>, are_unit: bool) -> Result<Matrix3<f64>, Reason> {
    /// Cosines below this are left as they are.
    const PERPENDICULAR: f64 = 1e-4;
    let y = axes.column(1).into_owned();
    let across = |axis: usize| {
        let axis = axes.column(axis).into_owned();
        axis - y * (axis.dot(&y) / y.norm_squared())
    };
    let (x, z) = (across(0), across(2));
    let (length_x, length_y, length_z) = (x.norm(), y.norm(), z.norm());
    if [length_x, length_y, length_z].contains(&0.0) {
        return Err(Reason::ZeroScale);
    }
    let (mut x, mut z, mut shorter) = (x / length_x, z / length_z, 1.0);
    let cosine = x.dot(&z);
    if cosine.abs() > PERPENDICULAR {
        let (sum, difference) = ((x + z).normalize(), (x - z).normalize());
        x = (sum + difference) * std::f64::consts::FRAC_1_SQRT_2;
        z = (sum - difference) * std::f64::consts::FRAC_1_SQRT_2;
        shorter = (1.0 - cosine * cosine).sqrt().sqrt();
    }
    let straight = if are_unit {
        [x, y / length_y, z]
    } else {
        [x * length_x * shorter, y, z * length_z * shorter]
    };
    let straight = Matrix3::from_columns(&straight);
    // Without a y, or of x and z in one line, it is not.
    let is_finite = straight.iter().all(|entry| entry.is_finite());
    is_finite.then_some(straight).ok_or(Reason::ZeroScale)
}
