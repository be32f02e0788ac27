#[cfg(target_arch = "x86_64")]
use std::marker::PhantomData;

use nalgebra::{ComplexField, Matrix3, Matrix4, Point3, RowVector4, Vector3};
use xform_core::{
    Change, Inherit, Orientation, Real, Relative, Sweep, Transform, Trs,
    linear::{axis_cosines, axis_lengths},
};

use crate::Method;

/// A world transform accumulated as a matrix: the world's space from the node's own.
///
/// Column vectors, column-major, last row 0 0 0 1:
///
/// ```text
/// ┌ x.x y.x z.x t.x ┐   x, y, z: the node's axes in the world, not unit and,
/// │ x.y y.y z.y t.y │            once skewed, not perpendicular
/// │ x.z y.z z.z t.z │   t: its origin
/// └  0   0   0   1  ┘
/// ```
///
/// In memory sixteen scalars on a 64-byte boundary, so that a slice of these is ready for upload.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct AccumulatedMatrix<T: Real> {
    matrix: Matrix4<T>,
}

impl<T: Real> AccumulatedMatrix<T> {
    /// The world transform that is `matrix`; `None` unless its last row is 0 0 0 1.
    #[must_use]
    pub fn from_matrix(matrix: Matrix4<T>) -> Option<Self> {
        let last_row = RowVector4::new(T::zero(), T::zero(), T::zero(), T::one());
        (matrix.row(3) == last_row).then_some(Self { matrix })
    }

    /// Whether the axes are perpendicular and of one length, to rounding.
    fn is_similarity(&self) -> bool {
        let rounding = T::rounded(64.0) * T::default_epsilon();
        let linear = self.linear();
        let lengths = axis_lengths(&linear);
        let is_perpendicular =
            |cosine: &Option<T>| cosine.is_some_and(|cosine| cosine.abs() <= rounding);
        lengths.max() - lengths.min() <= rounding * lengths.max()
            && axis_cosines(&linear).iter().all(is_perpendicular)
    }

    fn from_parts(linear: &Matrix3<T>, translation: &Vector3<T>) -> Self {
        let mut matrix = linear.to_homogeneous();
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(translation);
        Self { matrix }
    }

    /// The same in the other precision, each entry rounded to nearest; one that is out of range for
    /// `f32` becomes infinite.
    #[must_use]
    pub fn cast<U: Real>(&self) -> AccumulatedMatrix<U> {
        AccumulatedMatrix { matrix: self.matrix.map(|x| U::rounded(x.into())) }
    }

    /// The 4×4 matrix.
    #[must_use]
    pub fn matrix(&self) -> &Matrix4<T> {
        &self.matrix
    }

    /// The upper left 3×3: the columns are the node's axes in the world.
    #[must_use]
    pub fn linear(&self) -> Matrix3<T> {
        self.matrix.fixed_view::<3, 3>(0, 0).into_owned()
    }

    /// Where the node's origin lies in the world.
    #[must_use]
    pub fn translation(&self) -> Vector3<T> {
        self.matrix.fixed_view::<3, 1>(0, 3).into_owned()
    }
}

impl<T: Real> From<Trs<T>> for AccumulatedMatrix<T> {
    /// The world transform of a root with this pose.
    fn from(local: Trs<T>) -> Self {
        Self { matrix: local.to_homogeneous() }
    }
}

impl<T: Real> Transform for AccumulatedMatrix<T> {
    type Scalar = T;

    fn identity() -> Self {
        Self { matrix: Matrix4::identity() }
    }

    /// The matrix product `self · T · R · S`.
    #[inline]
    fn concat(&self, local: &Trs<T>) -> Self {
        let linear = self.linear();
        let translation = linear * local.translation + self.translation();
        Self::from_parts(&(linear * local.to_linear()), &translation)
    }

    #[inline]
    fn transform_point(&self, point: &Point3<T>) -> Point3<T> {
        Point3::from(self.linear() * point.coords + self.translation())
    }

    #[inline]
    fn transform_vector(&self, vector: &Vector3<T>) -> Vector3<T> {
        self.linear() * vector
    }

    /// `None` where the determinant is zero to within rounding, or the result would not be finite.
    fn inverse_transform_point(&self, point: &Point3<T>) -> Option<Point3<T>> {
        let local = self.inverse_transform_vector(&(point.coords - self.translation()))?;
        Some(Point3::from(local))
    }

    /// `None` where the determinant is zero to within rounding, or the result would not be finite.
    fn inverse_transform_vector(&self, vector: &Vector3<T>) -> Option<Vector3<T>> {
        if Orientation::of(&self.linear()) == Orientation::Singular {
            return None;
        }
        // With the axes made unit the determinant neither overflows nor vanishes with the scale.
        let linear = self.linear();
        let lengths = axis_lengths(&linear);
        let axes = Matrix3::from_fn(|i, j| linear[(i, j)] / lengths[j]);
        let local = (axes.try_inverse()? * vector).component_div(&lengths);
        local.iter().all(ComplexField::is_finite).then_some(local)
    }

    fn to_homogeneous(&self) -> Matrix4<T> {
        self.matrix
    }

    /// Nothing: a matrix acts after those of all descendants, so it cancels between them.
    fn for_descendants(&self) -> Self {
        Self::identity()
    }

    /// By the polar decomposition. `None` where a component is NaN or infinite.
    fn inherited(&self, inherit: Inherit, origin: &Point3<T>) -> Option<Self> {
        let rotation = self.polar_rotation()?;
        let linear = match (inherit.rotation(), inherit.scale()) {
            (true, true) => self.linear(),
            (true, false) => rotation,
            (false, true) => rotation.tr_mul(&self.linear()),
            (false, false) => Matrix3::identity(),
        };
        Some(Self::from_parts(&linear, &origin.coords))
    }

    /// While the parent is only moved and turned, so is the child, whatever the shape of either. A
    /// turn of its own changes its shape unless the parent's axes are perpendicular and of one length.
    fn change_below(&self, of_parent: Change, local: &Trs<T>, of_local: Change) -> Change {
        let (turned, scaled) = (Change::ROTATION, Change::SCALE);
        let is_reshaped = of_parent.intersects(scaled)
            || of_local.intersects(scaled)
            || of_local.intersects(turned) && !self.is_similarity();
        let is_turned = of_parent.intersects(turned | scaled) || of_local.intersects(turned);
        let is_carried =
            local.translation != Vector3::zeros() && of_parent.intersects(turned | scaled);
        let is_moved = (of_parent | of_local).intersects(Change::POSITION) || is_carried;
        scaled.when(is_reshaped) | turned.when(is_turned) | Change::POSITION.when(is_moved)
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

impl<T: Real> Relative for AccumulatedMatrix<T> {
    /// The nearest TRS, [`Method::NearestTrs`], of the product with the inverse, in `f64`.
    fn relative_to(&self, world_from_parent: &Self) -> Option<Trs<T>> {
        if Orientation::of(&world_from_parent.linear()) == Orientation::Singular {
            return None; // in `f64` it might pass
        }
        let (child, parent) = (self.cast::<f64>(), world_from_parent.cast::<f64>());
        let column = |i: usize| {
            parent.inverse_transform_vector(&child.matrix.fixed_view::<3, 1>(0, i).into_owned())
        };
        let linear = Matrix3::from_columns(&[column(0)?, column(1)?, column(2)?]);
        let origin = parent.inverse_transform_point(&child.translation().into())?;
        let parent_from_child = AccumulatedMatrix::from_parts(&linear, &origin.coords);
        let pose = parent_from_child.decompose(Method::NearestTrs)?.trs.cast::<T>();
        pose.check().is_ok().then_some(pose)
    }
}

/// A pass of this strategy, for either scalar.
#[cfg(target_arch = "x86_64")]
struct SweepOver<'a>(PhantomData<&'a ()>);

#[cfg(target_arch = "x86_64")]
impl<'a> xform_core::OverScalar for SweepOver<'a> {
    type Of<T: Real> = Sweep<'a, AccumulatedMatrix<T>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_with_perspective_is_refused() {
        let mut matrix = Matrix4::<f64>::identity();
        assert!(AccumulatedMatrix::from_matrix(matrix).is_some());
        matrix[(3, 0)] = 0.5;
        assert!(AccumulatedMatrix::from_matrix(matrix).is_none());
    }

    fn there_and_back<T: Real>(size: f64) {
        let scale = Vector3::new(size, 2.0 * size, -3.0 / size).map(T::rounded);
        let world = AccumulatedMatrix::from(Trs::from_scale(scale));
        let ones = Vector3::repeat(T::one());
        assert_eq!(world.inverse_transform_vector(&world.transform_vector(&ones)), Some(ones));
    }

    #[test]
    fn the_inverse_does_not_depend_on_the_size_of_the_scale() {
        for size in [1e-15, 1e-5, 1.0, 1e5, 1e15] {
            there_and_back::<f32>(size);
        }
        for size in [1e-150, 1e-108, 1e103, 1e150] {
            there_and_back::<f64>(size);
        }
    }

    #[test]
    fn a_flattened_world_has_no_inverse() {
        let flat = AccumulatedMatrix::from(Trs::from_scale(Vector3::new(1.0, 0.0, 1.0)));
        assert!(flat.inverse_transform_point(&Point3::origin()).is_none());
        assert!(flat.inverse_transform_vector(&Vector3::x()).is_none());
    }
}
