use nalgebra::{Rotation3, UnitQuaternion, Vector3};

use crate::{Inherit, Real, Transform, Trs, orientation::Orientation, rotation::mirrored};

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
    /// 1 or −1 for each axis.
    signs: Vector3<T>,
}

impl<T: Real> PathRotation<T> {
    pub(crate) fn identity() -> Self {
        Self::of(UnitQuaternion::identity())
    }

    /// Creates a rotation without mirrored axes.
    pub(crate) fn of(rotation: UnitQuaternion<T>) -> Self {
        Self { rotation, signs: Vector3::repeat(T::one()) }
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
        let mirrored = Orientation::of(&linear) == Orientation::Mirrored;
        let x = if mirrored { -T::one() } else { T::one() };
        Self { signs: Vector3::new(x, T::one(), T::one()), ..Self::identity() }
    }

    /// Returns the rotation of a single node with this local pose. `passes_signs` means that the strategy passes the
    /// signs of scales down.
    #[inline]
    pub(crate) fn of_local(local: &Trs<T>, passes_signs: bool) -> Self {
        let is_negative = |factor: T| factor < T::zero();
        let sign = |factor: T| if is_negative(factor) { -T::one() } else { T::one() };
        // Few nodes are mirrored, and one branch detects that.
        let is_mirrored = passes_signs && local.scale.iter().copied().any(is_negative);
        let signs = if is_mirrored { local.scale.map(sign) } else { Vector3::repeat(T::one()) };
        Self { rotation: local.rotation, signs }
    }

    /// Joins the rotation of a path with that of another path below its end. The order in which several are joined
    /// makes no difference except for rounding.
    #[inline]
    pub(crate) fn then(self, below: Self) -> Self {
        let rotation = self.to_world(&below.rotation);
        Self { rotation, signs: self.signs.component_mul(&below.signs) }
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
        self.rotation * self.mirrored(own)
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
        if self.signs == Vector3::repeat(T::one()) {
            return *rotation;
        }
        mirrored(rotation, &self.signs)
    }
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
            let path = PathRotation { rotation: UnitQuaternion::identity(), signs };
            let mirror = Matrix3::from_diagonal(&signs);
            let expected = mirror * rotation.to_rotation_matrix().matrix() * mirror;
            let found = path.to_world(&rotation).to_rotation_matrix();
            assert!((found.matrix() - expected).norm() < 1e-15);
        }
    }
}
