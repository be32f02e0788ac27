use nalgebra::{ComplexField, Matrix3, Matrix4, Point3, Vector3};
use xform_core::{
    Inherit, Real, Transform, Trs,
    changes::Change,
    linear::{axis_cosines, axis_lengths},
    spaces::Orientation,
    strategy::{RelativeTransform, Sweep},
};

use crate::AccumulatedMatrix;

impl<T: Real> Transform for AccumulatedMatrix<T> {
    type Scalar = T;

    #[inline]
    fn identity() -> Self {
        Self::from_parts(&Matrix3::identity(), &Vector3::zeros())
    }

    /// The matrix product `self · T · R · S`.
    #[inline]
    fn concat(&self, local: &Trs<T>) -> Self {
        #[cfg(any(
            target_arch = "x86_64",
            all(target_arch = "wasm32", target_feature = "simd128")
        ))]
        if let Some(child) = crate::kernel::concat(self, local) {
            return child;
        }
        self.after(&local.to_linear(), &local.translation)
    }

    #[inline]
    fn transform_point(&self, point: &Point3<T>) -> Point3<T> {
        Point3::from(self.linear() * point.coords + self.translation())
    }

    #[inline]
    fn transform_vector(&self, vector: &Vector3<T>) -> Vector3<T> {
        self.linear() * vector
    }

    /// Returns `None` if the determinant is zero to within rounding, or if the result would not be finite.
    fn inverse_transform_point(&self, point: &Point3<T>) -> Option<Point3<T>> {
        let local = self.inverse_transform_vector(&(point.coords - self.translation()))?;
        Some(Point3::from(local))
    }

    /// Returns `None` if the determinant is zero to within rounding, or if the result would not be finite.
    fn inverse_transform_vector(&self, vector: &Vector3<T>) -> Option<Vector3<T>> {
        let (axes, lengths) = self.inverse_axes()?;
        let local = (axes * vector).component_div(&lengths);
        local.iter().all(ComplexField::is_finite).then_some(local)
    }

    fn inverse_linear(&self) -> Option<Matrix3<T>> {
        let (axes, lengths) = self.inverse_axes()?;
        let linear = Matrix3::from_fn(|i, j| axes[(i, j)] / lengths[i]);
        linear.iter().all(ComplexField::is_finite).then_some(linear)
    }

    #[inline]
    fn to_homogeneous(&self) -> Matrix4<T> {
        *self.matrix()
    }

    /// Returns the identity: a matrix acts after those of all its descendants, so it cancels between two of them.
    fn for_descendants(&self) -> Self {
        Self::identity()
    }

    /// Uses the polar decomposition. Returns `None` if a component is NaN or infinite.
    // Gram–Schmidt is cheaper but prefers the x axis: renaming the parent's axes would turn the child differently. The
    // product of the local rotations, which `world_rotation` returns, is not in a matrix; every strategy and kernel
    // would have to accumulate it as well.
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

    /// If the parent is only moved and rotated, so is the child, whatever the shapes of the two. A rotation of the
    /// child itself changes its shape unless the parent's axes are perpendicular and of equal length.
    // Derived instead of compared: old and new world transforms would both have to be kept, and a turn slower than the
    // tolerance would never be reported. A matrix does not separate rotation from scale, so the rule is about the
    // shape of the axes: a rigid map on the left preserves it, a turn inside a non-uniform scale does not.
    #[inline]
    fn change_below(&self, of_parent: Change, local: &Trs<T>, of_local: Change) -> Change {
        let (turned, scaled) = (Change::ROTATION, Change::SCALE);
        let is_reshaped = of_parent.intersects(scaled)
            || of_local.intersects(scaled)
            || of_local.intersects(turned) && !is_similarity(&self.linear());
        let is_turned = of_parent.intersects(turned | scaled) || of_local.intersects(turned);
        let is_carried =
            of_parent.intersects(turned | scaled) && local.translation != Vector3::zeros();
        let is_moved = (of_parent | of_local).intersects(Change::POSITION) || is_carried;
        scaled.when(is_reshaped) | turned.when(is_turned) | Change::POSITION.when(is_moved)
    }

    fn sweep(sweep: Sweep<'_, Self>) {
        #[cfg(any(
            target_arch = "x86_64",
            all(target_arch = "wasm32", target_feature = "simd128")
        ))]
        crate::kernel::sweep(sweep);
        #[cfg(not(any(
            target_arch = "x86_64",
            all(target_arch = "wasm32", target_feature = "simd128")
        )))]
        sweep.run_plain();
    }
}

impl<T: Real> RelativeTransform for AccumulatedMatrix<T> {
    /// Returns the nearest TRS of the parent's inverse times this matrix, by
    /// [`Method::NearestTrs`](crate::Method::NearestTrs), computed in `f64`.
    fn relative_to(&self, world_from_parent: &Self) -> Option<Trs<T>> {
        if Orientation::of(&world_from_parent.linear()) == Orientation::Singular {
            return None; // in `f64` it might not be singular
        }
        let (child, parent) = (self.cast::<f64>(), world_from_parent.cast::<f64>());
        let (axes, lengths) = parent.inverse_axes()?;
        let to_parent = |vector: Vector3<f64>| (axes * vector).component_div(&lengths);
        let own = child.linear();
        let column = |i| to_parent(own.column(i).into_owned());
        let origin = to_parent(child.translation() - parent.translation());
        let parent_from_child = AccumulatedMatrix::from_parts(
            &Matrix3::from_columns(&[column(0), column(1), column(2)]),
            &origin,
        );
        if !parent_from_child.matrix().iter().all(ComplexField::is_finite) {
            return None;
        }
        let pose = parent_from_child.nearest_trs()?.cast::<T>();
        pose.check().is_ok().then_some(pose)
    }
}

/// Whether the axes are perpendicular and of equal length, to within rounding.
fn is_similarity<T: Real>(linear: &Matrix3<T>) -> bool {
    let rounding = T::rounded(64.0) * T::default_epsilon();
    let lengths = axis_lengths(linear);
    let is_perpendicular =
        |cosine: &Option<T>| cosine.is_some_and(|cosine| cosine.abs() <= rounding);
    lengths.max() - lengths.min() <= rounding * lengths.max()
        && axis_cosines(linear).iter().all(is_perpendicular)
}

#[cfg(test)]
mod tests {
    use super::*;

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
