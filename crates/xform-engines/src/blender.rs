//! Blender's bones, which inherit the scale of their parent in one of six modes.

use nalgebra::{Matrix3, Vector3};
use xform_core::{TopologyError, Trs};
use xform_matrix::AccumulatedMatrix;

use crate::{
    Reason, SourceNode,
    fold::{Affine, WorldMatrices, lengths, scaled, unscaled, world_matrices},
};

/// How a bone inherits its parent's scale: `Bone.inherit_scale`.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum InheritScale {
    /// The whole scale: matrices are multiplied.
    Full,
    /// The whole scale, then the axes are made perpendicular about the bone's own y.
    FixShear,
    /// The lengths of the parent's axes, applied along the bone's own.
    Aligned,
    /// The cube root of the parent's volume, on all axes.
    Average,
    /// No scale.
    None,
    /// No scale, but the shear of the parent, as before Blender 2.9.
    NoneLegacy,
}

/// A bone of an armature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone {
    /// The index of its parent; `None` for a root.
    pub parent: Option<usize>,
    /// Its rest pose, without skew or scale, in the space of the parent's rest pose, or of the armature for a root.
    pub rest: AccumulatedMatrix<f64>,
    /// Its pose in the space of its rest pose.
    pub pose: Trs<f64>,
    /// How it inherits its parent's scale.
    pub inherit_scale: InheritScale,
    /// Whether it inherits its parent's rotation: `Bone.use_inherit_rotation`.
    pub inherits_rotation: bool,
    /// Whether its translation is along its own rest axes instead of its parent's: `Bone.use_local_location`.
    pub has_local_location: bool,
}

/// Returns the pose of each bone in the space of the armature.
///
/// The pose of a bone below a scale of zero is not known.
///
/// # Errors
///
/// [`TopologyError`] if the parents do not form a forest.
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
    /// Returns the axes of the bone in the space of the armature, given its parent's pose and rest pose.
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
        // The frame that the bone inherits, and the lengths that are applied last, along the bone's own axes.
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

/// Makes axes perpendicular to each other, keeping y.
///
/// The components of x and z along y are removed. If x and z are then not perpendicular, each turns by half of the
/// missing angle. Unless they become unit vectors, they are also shortened by the square root of the sine of the
/// angle between them, which keeps the volume.
fn straightened(axes: &Matrix3<f64>, are_unit: bool) -> Result<Matrix3<f64>, Reason> {
    /// x and z are taken as perpendicular up to this cosine.
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
    // Not finite if y has no length, or x and z are parallel.
    let is_finite = straight.iter().all(|entry| entry.is_finite());
    is_finite.then_some(straight).ok_or(Reason::ZeroScale)
}
