use nalgebra::{Matrix3, Vector3};
use xform_core::{Real, Trs};

use crate::CombinedTrs;

/// Comparisons of one more step down with a matrix product.
///
/// Both methods compare with the matrix product below this same transform. Both depend only on its
/// scale and the child's rotation (and on the child's scale if that has a zero). Zero is too strict a
/// tolerance for computed rotations; 1e-6 suits poses authored in `f32`.
impl<T: Real> CombinedTrs<T> {
    /// Whether combining equals the matrix product: ‖Lm − Lt‖ ≤ `tolerance` · ‖Lm‖ in the
    /// Frobenius norm, where Lm and Lt are the 3×3 parts in accumulated matrices and in combined TRS.
    ///
    /// If the child's scale has no zero, this is S_P·R_C = R_C·S_P. It holds for a uniform scale under any
    /// rotation. It never holds for a quarter turn that swaps axes of different scale, although that does not
    /// skew.
    #[must_use]
    pub fn is_step_exact(&self, local: &Trs<T>, tolerance: T) -> bool {
        let (parent, child) = (unit_size(&self.scale), unit_size(&local.scale));
        let turned = local.with_scale(child).to_linear();
        let by_matrix = Matrix3::from_diagonal(&parent) * turned;
        let by_trs = local.with_scale(parent.component_mul(&child)).to_linear();
        (by_matrix - by_trs).norm() <= tolerance * by_matrix.norm()
    }

    /// Whether the child would be skewed in accumulated matrices: the cosine between two of the axes
    /// S_P·R_C·S_C is larger than `tolerance`. For small skew the cosine is the skew in radians.
    ///
    /// This checks whether R_Cᵀ·S_P²·R_C has an entry off its diagonal. An axis of zero length has no angle
    /// and counts as not skewed.
    #[must_use]
    pub fn skews_as_matrix(&self, local: &Trs<T>, tolerance: T) -> bool {
        let rotation = local.with_scale(Vector3::repeat(T::one())).to_linear();
        let axes = Matrix3::from_diagonal(&unit_size(&self.scale)) * rotation;
        let is_skewed = |i: usize, j: usize| {
            let (a, b) = (axes.column(i), axes.column(j));
            let have_length = local.scale[i] != T::zero() && local.scale[j] != T::zero();
            have_length && a.dot(&b).abs() > tolerance * a.norm() * b.norm()
        };
        is_skewed(0, 1) || is_skewed(0, 2) || is_skewed(1, 2)
    }
}

/// Divides a scale by its largest factor, so that squares neither overflow nor vanish.
fn unit_size<T: Real>(scale: &Vector3<T>) -> Vector3<T> {
    let size = scale.amax();
    if size > T::zero() { scale / size } else { *scale }
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;

    use super::*;

    const TOLERANCE: f64 = 1e-9;

    fn parent(x: f64, y: f64, z: f64) -> CombinedTrs<f64> {
        Trs::from_scale(Vector3::new(x, y, z)).into()
    }

    fn turned(degrees: f64) -> Trs<f64> {
        let axis = Vector3::z_axis();
        Trs::from_rotation(UnitQuaternion::from_axis_angle(&axis, degrees.to_radians()))
    }

    fn verdict(parent: &CombinedTrs<f64>, local: &Trs<f64>) -> (bool, bool) {
        let is_exact = parent.is_step_exact(local, TOLERANCE);
        (is_exact, parent.skews_as_matrix(local, TOLERANCE))
    }

    #[test]
    fn a_uniform_scale_is_exact_under_any_rotation() {
        assert_eq!(verdict(&parent(1e200, 1e200, 1e200), &turned(38.0)), (true, false));
    }

    #[test]
    fn a_rotation_about_the_axis_of_the_odd_scale_is_exact() {
        assert_eq!(verdict(&parent(1.0, 1.0, 7.0), &turned(38.0)), (true, false));
    }

    #[test]
    fn a_quarter_turn_differs_without_skew() {
        assert_eq!(verdict(&parent(2.0, 1.0, 1.0), &turned(90.0)), (false, false));
    }

    #[test]
    fn any_other_turn_under_a_non_uniform_scale_skews() {
        assert_eq!(verdict(&parent(2.0, 1.0, 1.0), &turned(38.0)), (false, true));
        let mirrored = turned(38.0).with_scale(Vector3::new(-1.0, 2.0, 3.0));
        assert_eq!(verdict(&parent(2.0, 1.0, 1.0), &mirrored), (false, true));
    }

    #[test]
    fn the_size_of_a_scale_does_not_matter() {
        for size in [1e-200, 1e200] {
            let child = turned(38.0).with_scale(Vector3::repeat(size));
            assert_eq!(verdict(&parent(2.0, 1.0, 1.0), &child), (false, true));
            assert_eq!(verdict(&parent(2.0 * size, size, size), &child), (false, true));
        }
    }

    #[test]
    fn any_two_axes_may_be_those_that_skew() {
        for axis in [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()] {
            let turned = Trs::from_rotation(UnitQuaternion::from_axis_angle(&axis, 0.6));
            assert_eq!(verdict(&parent(1.0, 2.0, 4.0), &turned), (false, true), "{axis:?}");
            // If one of the two axes is zero, there is no angle between them.
            let mut flat = Vector3::repeat(1.0);
            flat[(axis.imax() + 1) % 3] = 0.0;
            assert!(!parent(1.0, 2.0, 4.0).skews_as_matrix(&turned.with_scale(flat), TOLERANCE));
        }
    }

    #[test]
    fn the_tolerance_is_of_what_there_is() {
        // One axis is 1e3 times as long as the others, because of parent and child or because of the parent alone.
        let needle = parent(1e-3, 1.0, 1e-3);
        let sliver = turned(1e-3).with_scale(Vector3::new(1.0, 1e-3, 1.0));
        let [by_matrix, by_trs] = [
            Matrix3::from_diagonal(&needle.scale) * sliver.to_linear(),
            sliver.with_scale(needle.scale.component_mul(&sliver.scale)).to_linear(),
        ];
        let off = (by_matrix - by_trs).norm() / by_matrix.norm();
        assert!(
            needle.is_step_exact(&sliver, off * 1.01) && !needle.is_step_exact(&sliver, off * 0.99)
        );
        let tilted = Trs::from_rotation(UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 0.6));
        let flat = parent(1.0, 1e-3, 1.1e-3);
        let axes = Matrix3::from_diagonal(&flat.scale) * tilted.to_linear();
        let cosine = axes.column(1).normalize().dot(&axes.column(2).normalize()).abs();
        assert!(flat.skews_as_matrix(&tilted, cosine * 0.99));
        assert!(!flat.skews_as_matrix(&tilted, cosine * 1.01));
    }

    #[test]
    fn a_mirroring_parent_differs_without_skew() {
        assert_eq!(verdict(&parent(-1.0, 1.0, 1.0), &turned(38.0)), (false, false));
    }

    #[test]
    fn axes_of_zero_length_neither_skew_nor_differ() {
        let needle = turned(90.0).with_scale(Vector3::new(0.0, 0.0, 1.0));
        assert_eq!(verdict(&parent(2.0, 1.0, 1.0), &needle), (true, false));
        assert_eq!(verdict(&parent(0.0, 0.0, 0.0), &turned(38.0)), (true, false));
    }
}
