use std::fmt;
#[cfg(target_arch = "x86_64")]
use std::marker::PhantomData;

use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};
use xform_core::{Change, Real, Relative, Sweep, Transform, Trs};

/// A world transform as translation, rotation and scale, each combined apart: the world's space
/// from the node's own, scale first, then rotation, then translation.
///
/// It has no product and no inverse of its own type: combining is not associative under
/// non-uniform scale, and the inverse of such a transform is no TRS. Points and vectors can still
/// be taken back, by [`inverse_transform_point`](Transform::inverse_transform_point).
///
/// In memory twelve scalars: rotation x y z w, translation and scale with one of padding after each,
/// so that each part is a vector register. In `f32` that is 48 bytes on a 16-byte boundary.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct CombinedTrs<T: Real> {
    /// How the node is turned in the world; of unit length to rounding at any depth.
    pub rotation: UnitQuaternion<T>,
    /// Where the node's origin lies in the world.
    pub translation: Vector3<T>,
    after_translation: T,
    /// The product of all scales from the root down, along the node's own axes.
    pub scale: Vector3<T>,
    after_scale: T,
}

impl<T: Real> CombinedTrs<T> {
    /// A world transform from its three parts, in the order they are written: `T · R · S`.
    #[inline]
    #[must_use]
    pub fn from_parts(
        translation: Vector3<T>,
        rotation: UnitQuaternion<T>,
        scale: Vector3<T>,
    ) -> Self {
        let padding = T::zero();
        Self { rotation, translation, after_translation: padding, scale, after_scale: padding }
    }

    /// The same in the other precision, each component rounded to nearest; one that is out of range
    /// for `f32` becomes infinite.
    #[must_use]
    pub fn cast<U: Real>(&self) -> CombinedTrs<U> {
        self.to_trs().cast().into()
    }

    /// The same transform as a pose, as if the node were a root.
    #[inline]
    #[must_use]
    pub fn to_trs(&self) -> Trs<T> {
        Trs::from_parts(self.translation, self.rotation, self.scale)
    }
}

impl<T: Real> From<Trs<T>> for CombinedTrs<T> {
    /// The world transform of a root with this pose.
    #[inline]
    fn from(local: Trs<T>) -> Self {
        Self::from_parts(local.translation, local.rotation, local.scale)
    }
}

impl<T: Real> Transform for CombinedTrs<T> {
    type Scalar = T;

    fn identity() -> Self {
        Trs::identity().into()
    }

    /// Multiplies scales and rotations; the child's translation is scaled, then turned, then added.
    ///
    /// The rotation is normalised again to first order, or else errors of length would multiply.
    #[inline]
    fn concat(&self, local: &Trs<T>) -> Self {
        let mut rotation = self.rotation * local.rotation;
        rotation.renormalize_fast();
        let translation = self.transform_point(&local.translation.into()).coords;
        Self::from_parts(translation, rotation, self.scale.component_mul(&local.scale))
    }

    #[inline]
    fn transform_point(&self, point: &Point3<T>) -> Point3<T> {
        self.to_trs().transform_point(point)
    }

    #[inline]
    fn transform_vector(&self, vector: &Vector3<T>) -> Vector3<T> {
        self.to_trs().transform_vector(vector)
    }

    /// `None` where a scale is zero or the result would not be finite.
    fn inverse_transform_point(&self, point: &Point3<T>) -> Option<Point3<T>> {
        self.to_trs().inverse_transform_point(point)
    }

    /// `None` where a scale is zero or the result would not be finite.
    fn inverse_transform_vector(&self, vector: &Vector3<T>) -> Option<Vector3<T>> {
        self.to_trs().inverse_transform_vector(vector)
    }

    fn to_homogeneous(&self) -> Matrix4<T> {
        self.to_trs().to_homogeneous()
    }

    /// The pose of a root that would stand here: there always is one.
    fn parts(&self) -> Option<Trs<T>> {
        Some(self.to_trs())
    }

    /// The scale, which acts along the axes of whatever is below; nothing where it is uniform.
    fn for_descendants(&self) -> Self {
        let [x, y, z] = self.scale.into();
        let is_uniform = x == y && y == z && x != T::zero();
        if is_uniform { Self::identity() } else { Trs::from_scale(self.scale).into() }
    }

    /// Rotation changes with rotation and scale with scale; the position with its own or, away
    /// from the parent's origin, with anything of the parent's.
    fn change_below(&self, of_parent: Change, local: &Trs<T>, of_local: Change) -> Change {
        let either = of_parent | of_local;
        let is_carried = local.translation != Vector3::zeros()
            && of_parent.intersects(Change::ROTATION | Change::SCALE);
        Change::ROTATION.when(either.intersects(Change::ROTATION))
            | Change::SCALE.when(either.intersects(Change::SCALE))
            | Change::POSITION.when(either.intersects(Change::POSITION) || is_carried)
    }

    fn sweep(sweep: Sweep<'_, Self>) {
        #[cfg(target_arch = "x86_64")]
        match T::try_as_f32::<SweepOver>(sweep) {
            Ok(sweep) => crate::kernel::sweep(sweep),
            Err(sweep) => sweep.run_plain(),
        }
        #[cfg(not(target_arch = "x86_64"))]
        sweep.run_plain();
    }
}

impl<T: Real> Relative for CombinedTrs<T> {
    /// S = S_W / S_P, R = R_P⁻¹ · R_W, t = (R_P⁻¹ · (t_W − t_P)) / S_P, component by component:
    /// exact to rounding. `None` where a scale of the parent is zero.
    fn relative_to(&self, world_from_parent: &Self) -> Option<Trs<T>> {
        let parent = world_from_parent;
        let translation = parent.inverse_transform_point(&self.translation.into())?.coords;
        let rotation = parent.rotation.inverse() * self.rotation;
        let pose = Trs::from_parts(
            translation,
            UnitQuaternion::new_normalize(rotation.into_inner()),
            self.scale.component_div(&parent.scale),
        );
        pose.check().is_ok().then_some(pose)
    }
}

/// A pass of this strategy, for either scalar.
#[cfg(target_arch = "x86_64")]
struct SweepOver<'a>(PhantomData<&'a ()>);

#[cfg(target_arch = "x86_64")]
impl<'a> xform_core::OverScalar for SweepOver<'a> {
    type Of<T: Real> = Sweep<'a, CombinedTrs<T>>;
}

impl<T: Real> PartialEq for CombinedTrs<T> {
    /// Whether the three parts are equal.
    fn eq(&self, other: &Self) -> bool {
        self.to_trs() == other.to_trs()
    }
}

impl<T: Real> fmt::Debug for CombinedTrs<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CombinedTrs")
            .field("translation", &self.translation)
            .field("rotation", &self.rotation)
            .field("scale", &self.scale)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flattened_world_has_no_inverse_not_even_for_the_origin() {
        let flat = CombinedTrs::from(Trs::from_scale(Vector3::new(1.0, 0.0, 1.0)));
        assert!(flat.inverse_transform_point(&Point3::origin()).is_none());
        assert!(flat.inverse_transform_vector(&Vector3::y()).is_none());
    }

    #[test]
    fn transforms_are_equal_in_all_parts_and_say_which_they_have() {
        let moved = CombinedTrs::from(Trs::from_translation(Vector3::new(1.0, 2.0, 3.5)));
        assert_eq!(moved, moved);
        assert_ne!(moved, CombinedTrs::identity());
        let text = format!("{moved:?}");
        assert!(text.starts_with("CombinedTrs {") && text.contains("3.5"), "{text}");
        assert!(["translation:", "rotation:", "scale:"].iter().all(|part| text.contains(part)));
    }
}
