use nalgebra::{ComplexField, Matrix3, Rotation3, UnitQuaternion, Vector3};
use xform_core::{
    Real, Trs,
    linear::{axes, direction},
    spaces::Orientation,
};

use crate::{
    AccumulatedMatrix,
    frame::complete_frame,
    nearest::{fitting_scale, nearest_rotation},
    polar::{is_regular, newton, polar},
    svd::{reject, svd},
};

/// A method of finding a translation, rotation and scale for a matrix that may not be a product of these.
///
/// All methods agree if the matrix is `T · R · S`. The translation is always the matrix's own.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Method {
    /// The rotation and scale that minimise ‖M − R·diag(s)‖ over all rotations and scales.
    ///
    /// The search starts at the polar rotation. Each step alternates s = diag(Rᵀ·M) and R = polar(M·diag(s)), or is a
    /// Newton step if that comes closer. There may be several minima if M is nearly singular; then the best result of
    /// eight starts is taken. That may still not be the global minimum: tests check that it is within 1e-4·‖M‖² of
    /// what a search from rotations all around finds.
    NearestTrs,
    /// The rotation of the polar decomposition M = R·P, and s = diag(Rᵀ·M). Among all rotations without a scale, R is
    /// the nearest to M. Close to what Unity calls lossy scale.
    Polar,
    /// The rotation that Gram–Schmidt gives, starting with the x axis, and the matching scale. M = R · shear
    /// · diag(s) exactly unless M is singular (Graphics Gems II, "unmatrix"; CSS; OGRE's QDU).
    GramSchmidt,
}

/// The translation, rotation and scale found for a matrix, and how much they lose.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Decomposition<T: Real> {
    /// The pose. Its rotation is always a unit quaternion with w ≥ 0. If the matrix mirrors, the x scale is
    /// negative, as in glam, three.js and Unreal's import.
    pub trs: Trs<T>,
    /// The coefficients xy, xz, yz of the upper triangular shear in M = R · shear · diag(s).
    ///
    /// R is the rotation of [`Method::GramSchmidt`], whichever method was requested. All are zero without skew; for
    /// a planar skew δ, xy = −tan δ (tan δ if the matrix mirrors). If the matrix is singular, the
    /// coefficients of an axis that adds no direction are zero, and the product is not M.
    pub shear: Vector3<T>,
    /// The relative loss ‖M − R·diag(s)‖ / ‖M‖, in the Frobenius norm of the 3×3 part; 0 for M = 0.
    pub residual: T,
    /// Whether the matrix mirrors or has no inverse.
    pub orientation: Orientation,
}

impl<T: Real> AccumulatedMatrix<T> {
    /// Decomposes the matrix into translation, rotation and scale.
    ///
    /// This is lossy if the matrix skews; [`Decomposition::residual`] and [`Decomposition::shear`] give the amount.
    /// If the matrix is singular, the lost axes get scale 0, and their rotation is chosen freely. Returns `None` if a
    /// component is NaN or infinite, or so large that the scale would be.
    #[must_use]
    pub fn decompose(&self, method: Method) -> Option<Decomposition<T>> {
        let (linear, size) = self.unit_linear()?;
        let (proper, orientation) = unmirrored(&linear);
        let (gram_schmidt, shear) = gram_schmidt(&proper);
        let rotation = match method {
            Method::NearestTrs => nearest_rotation(&proper),
            Method::Polar => polar(&proper),
            Method::GramSchmidt => gram_schmidt,
        };
        let scale = fitting_scale(&rotation, &linear);
        let trs = self.pose(&rotation, scale * size)?;
        let residual = residual(&linear, &rotation, &scale);
        Some(Decomposition { trs, shear, residual, orientation })
    }

    /// Returns the pose that [`decompose`](Self::decompose) gives with [`Method::NearestTrs`].
    pub(crate) fn nearest_trs(&self) -> Option<Trs<T>> {
        let (linear, size) = self.unit_linear()?;
        let rotation = nearest_rotation(&unmirrored(&linear).0);
        self.pose(&rotation, fitting_scale(&rotation, &linear) * size)
    }

    /// Returns a pose with this translation. `None` if the pose is not valid.
    fn pose(&self, rotation: &Matrix3<T>, scale: Vector3<T>) -> Option<Trs<T>> {
        let trs = Trs::from_parts(self.translation(), to_quaternion(rotation), scale);
        trs.check().is_ok().then_some(trs)
    }

    /// Returns the rotation of [`Method::Polar`], or `None` if a component is NaN or infinite.
    // Called for every node that inherits no scale or no rotation. A parent of moderate size that has an inverse goes
    // to the iteration as it is, mirrored if its determinant is negative; only other parents are normalised and
    // checked axis by axis.
    pub(crate) fn polar_rotation(&self) -> Option<Matrix3<T>> {
        let linear = self.linear();
        let determinant = linear.determinant();
        if is_regular(&linear, determinant.abs()) && self.is_finite() {
            let is_mirrored = determinant < T::zero();
            return Some(newton(&if is_mirrored { x_reversed(&linear) } else { linear }));
        }
        let (linear, _) = self.unit_linear()?;
        let (proper, _) = unmirrored(&linear);
        Some(polar(&proper))
    }

    /// Splits this affine map into two nested poses, `[outer, inner]`. The inner one applies first. The result is exact
    /// to rounding even if no single pose is.
    ///
    /// With the singular value decomposition M = U·Σ·Vᵀ, the outer pose consists of the translation, U and
    /// Σ; the inner one is the rotation Vᵀ alone. So two nodes can hold a sheared local pose in engines that multiply
    /// matrices. Combined TRS makes U·Vᵀ·Σ of the two, which has no shear. Returns `None` if a component is NaN or
    /// infinite, or so large that the scale would be.
    #[must_use]
    pub fn to_nested_trs(&self) -> Option<[Trs<T>; 2]> {
        let (linear, size) = self.unit_linear()?;
        let factors = svd(&linear);
        let outer =
            Trs::from_parts(self.translation(), to_quaternion(&factors.u), factors.sigma * size);
        let inner = Trs::from_rotation(to_quaternion(&factors.v.transpose()));
        outer.check().is_ok().then_some([outer, inner])
    }

    /// Returns the 3×3 part divided by its largest component, so that squares neither overflow nor vanish,
    /// and that component. Returns `None` if any entry is not finite.
    fn unit_linear(&self) -> Option<(Matrix3<T>, T)> {
        let linear = self.linear();
        let largest = linear.camax();
        let size = if largest > T::zero() { largest } else { T::one() };
        self.is_finite().then(|| (linear / size, size))
    }

    fn is_finite(&self) -> bool {
        self.matrix().iter().all(ComplexField::is_finite)
    }
}

/// Returns the matrix, with its x axis reversed if it mirrors, and its original orientation.
fn unmirrored<T: Real>(linear: &Matrix3<T>) -> (Matrix3<T>, Orientation) {
    let orientation = Orientation::of(linear);
    match orientation {
        Orientation::Mirrored => (x_reversed(linear), orientation),
        _ => (*linear, orientation),
    }
}

fn x_reversed<T: Real>(linear: &Matrix3<T>) -> Matrix3<T> {
    let mut reversed = *linear;
    reversed.column_mut(0).neg_mut();
    reversed
}

fn residual<T: Real>(linear: &Matrix3<T>, rotation: &Matrix3<T>, scale: &Vector3<T>) -> T {
    let norm = linear.norm();
    if norm == T::zero() {
        return T::zero();
    }
    (linear - rotation * Matrix3::from_diagonal(scale)).norm() / norm
}

/// Returns the rotation and the shear of M = R · shear · diag(s).
fn gram_schmidt<T: Real>(proper: &Matrix3<T>) -> (Matrix3<T>, Vector3<T>) {
    let mut frame = [None; 3];
    let mut shear = Matrix3::zeros();
    for (j, column) in axes(proper).iter().enumerate() {
        // Twice: after a single pass over nearly parallel columns, the rest is not perpendicular.
        let known = frame.iter().chain(&frame).flatten();
        let rest = known.fold(*column, |rest, axis| reject(&rest, axis));
        if rest.norm() <= rounding_of(column) {
            continue;
        }
        for (i, axis) in frame.iter().enumerate() {
            shear[(i, j)] =
                axis.map_or(T::zero(), |axis: Vector3<T>| axis.dot(column)) / rest.norm();
        }
        frame[j] = direction(&rest);
    }
    let coefficients = Vector3::new(shear[(0, 1)], shear[(0, 2)], shear[(1, 2)]);
    (complete_frame(frame), coefficients)
}

/// Returns the length at or below which the remainder of a vector is rounding alone.
fn rounding_of<T: Real>(vector: &Vector3<T>) -> T {
    T::rounded(8.0) * T::default_epsilon() * vector.norm()
}

/// Returns the unit quaternion of a rotation matrix, with w ≥ 0.
fn to_quaternion<T: Real>(rotation: &Matrix3<T>) -> UnitQuaternion<T> {
    let rotation = Rotation3::from_matrix_unchecked(*rotation);
    let quaternion = UnitQuaternion::from_rotation_matrix(&rotation).into_inner();
    let quaternion = if quaternion.w < T::zero() { -quaternion } else { quaternion };
    UnitQuaternion::new_normalize(quaternion)
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use super::*;

    #[test]
    fn short_axes_that_are_nearly_parallel_still_shear() {
        let (short, angle) = (1e-6, 1e-9_f64);
        let third = Vector3::new(0.0, angle.cos(), angle.sin()) * short;
        let linear = Matrix3::from_columns(&[Vector3::x(), Vector3::y() * short, third]);
        let shear = gram_schmidt(&linear).1;
        // In units of the part of the third axis that is perpendicular to the second.
        assert_relative_eq!(shear.z, angle.tan().recip(), max_relative = 1e-6);
    }
}
