use nalgebra::{Rotation3, UnitQuaternion, Vector3};

use crate::{
    Inherit, Real, Transform, Trs,
    orientation::Orientation,
    rotation::{mirrored, product},
};

/// The accumulated rotation of a path of nodes, and the axes that are mirrored before it.
///
/// A product of matrices passes the signs of scales down: R₁·σ₁·R₂·σ₂, with each σ a diagonal of signs, is
/// R₁·(σ₁·R₂·σ₁)·σ₁·σ₂, and σ₁·R₂·σ₁ is the rotation R₂ seen in the mirror. If a strategy keeps its parts apart,
/// rotations are multiplied as they are, and no sign is passed down.
// World rotations carry the signs of scales if matrices are multiplied, because the matrix does. Without the signs,
// a rotation about a world axis below a mirroring parent went the wrong way, and was reported to lose 0.68 of a unit
// cube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PathRotation<T: Real> {
    pub(crate) rotation: UnitQuaternion<T>,
    /// A bit for each axis, that of x the lowest, which is set if the axis is mirrored.
    // Numbers 1 and −1 would be compared and multiplied at every node.
    mirrored_axes: u8,
}

impl<T: Real> PathRotation<T> {
    pub(crate) fn identity() -> Self {
        Self::of(UnitQuaternion::identity())
    }

    /// Creates a rotation without mirrored axes.
    pub(crate) fn of(rotation: UnitQuaternion<T>) -> Self {
        Self { rotation, mirrored_axes: 0 }
    }

    /// Returns the rotation and mirroring of the frame that a node inherits when it leaves out scale or rotation.
    ///
    /// Without scale, the frame is a rotation. Without rotation, it has no rotation, and only its mirroring counts.
    pub(crate) fn of_frame<X: Transform<Scalar = T>>(frame: &X, inherit: Inherit) -> Self {
        if let Some(parts) = frame.parts() {
            return Self::of(parts.rotation);
        }
        let linear = frame.to_homogeneous().fixed_view::<3, 3>(0, 0).into_owned();
        if inherit.rotation() {
            let rotation = Rotation3::from_matrix_unchecked(linear);
            return Self::of(UnitQuaternion::from_rotation_matrix(&rotation));
        }
        let is_mirrored = Orientation::of(&linear) == Orientation::Mirrored;
        Self { mirrored_axes: u8::from(is_mirrored), ..Self::identity() }
    }

    /// Returns the rotation of a single node with this local pose. `passes_signs` means that the strategy passes the
    /// signs of scales down.
    #[inline]
    pub(crate) fn of_local(local: &Trs<T>, passes_signs: bool) -> Self {
        let [x, y, z]: [T; 3] = local.scale.into();
        // The processor has an instruction for this, but not for the minimum of numbers of which one may be NaN.
        let smaller = |a: T, b: T| if a < b { a } else { b };
        let is_mirrored = passes_signs && smaller(smaller(x, y), z) < T::zero();
        let mirrored_axes = if is_mirrored { negative_axes(&local.scale) } else { 0 };
        Self { rotation: local.rotation, mirrored_axes }
    }

    /// Joins the rotation of a path with that of another path below its end. The order in which several are joined
    /// makes no difference except for rounding.
    #[inline]
    pub(crate) fn then(self, below: Self) -> Self {
        let rotation = self.to_world(&below.rotation);
        Self { rotation, mirrored_axes: self.mirrored_axes ^ below.mirrored_axes }
    }

    /// Returns the same rotation with unit length restored to first order.
    #[inline]
    pub(crate) fn renormalized(mut self) -> Self {
        self.rotation.renormalize_fast();
        self
    }

    /// Converts a rotation from the space at the end of the path to the world.
    #[inline]
    pub(crate) fn to_world(self, own: &UnitQuaternion<T>) -> UnitQuaternion<T> {
        product(&self.rotation, &self.mirrored(own))
    }

    /// Converts a rotation from the world to the space at the end of the path.
    pub(crate) fn to_local(self, world: &UnitQuaternion<T>) -> UnitQuaternion<T> {
        self.mirrored(&(self.rotation.inverse() * world))
    }

    /// Converts a turn from the space at the end of the path to the world: its axis is rotated and mirrored.
    pub(crate) fn turn_to_world(self, own: &UnitQuaternion<T>) -> UnitQuaternion<T> {
        self.to_world(own) * self.rotation.inverse()
    }

    /// Converts a turn from the world to the space at the end of the path.
    pub(crate) fn turn_to_local(self, world: &UnitQuaternion<T>) -> UnitQuaternion<T> {
        self.to_local(&(world * self.rotation))
    }

    /// Returns the rotation seen in the mirror.
    #[inline]
    fn mirrored(self, rotation: &UnitQuaternion<T>) -> UnitQuaternion<T> {
        if self.mirrored_axes == 0 {
            return *rotation;
        }
        let sign =
            |axis: usize| if self.mirrored_axes >> axis & 1 == 0 { T::one() } else { -T::one() };
        mirrored(rotation, &Vector3::new(sign(0), sign(1), sign(2)))
    }
}

/// Returns a bit for each axis with a negative scale.
#[cold]
fn negative_axes<T: Real>(scale: &Vector3<T>) -> u8 {
    let is_negative = |axis: usize| u8::from(scale[axis] < T::zero()) << axis;
    is_negative(0) | is_negative(1) | is_negative(2)
}

#[cfg(test)]
mod tests {
    use nalgebra::Matrix3;

    use super::*;

    #[test]
    fn a_rotation_in_the_mirror_is_the_matrix_between_signs() {
        let rotation = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -0.7, 1.1));
        for choice in 0..8_u8 {
            let sign = |axis: u8| if choice >> axis & 1 == 0 { 1.0 } else { -1.0 };
            let signs = Vector3::new(sign(0), sign(1), sign(2));
            let path = PathRotation { rotation: UnitQuaternion::identity(), mirrored_axes: choice };
            let mirror = Matrix3::from_diagonal(&signs);
            let expected = mirror * rotation.to_rotation_matrix().matrix() * mirror;
            let found = path.to_world(&rotation).to_rotation_matrix();
            assert!((found.matrix() - expected).norm() < 1e-15);
        }
    }
}
