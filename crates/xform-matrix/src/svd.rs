use nalgebra::{Matrix3, Vector3};
use xform_core::{Real, linear::direction};

use crate::frame::complete_frame;

/// A singular value decomposition `m = u · diag(sigma) · vᵀ` in which `u` and `v` are rotations.
///
/// `sigma` is sorted by absolute value, largest first. The last value has the sign of the determinant, so
/// it may be negative.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Svd<T: Real> {
    pub(crate) u: Matrix3<T>,
    pub(crate) sigma: Vector3<T>,
    pub(crate) v: Matrix3<T>,
}

impl<T: Real> Svd<T> {
    /// Returns the rotation of the polar decomposition, `u · vᵀ`. For a mirroring matrix this is the nearest
    /// rotation.
    pub(crate) fn polar(&self) -> Matrix3<T> {
        self.u * self.v.transpose()
    }
}

/// Computes the singular value decomposition by one-sided Jacobi (Hestenes 1958): rotates pairs of columns until
/// all are perpendicular. The columns are then `u · diag(sigma)`.
///
/// `m` must be finite and of a magnitude whose squares are also finite.
// Chosen over methods that go through `mᵀm` because small singular values keep their relative accuracy, and because it
// needs no function but the square root, so every machine computes the same bits.
pub(crate) fn svd<T: Real>(m: &Matrix3<T>) -> Svd<T> {
    let mut columns = *m;
    let mut v = Matrix3::identity();
    // Convergence is quadratic: at most six sweeps in practice. The bound is only a safeguard.
    for _ in 0..32 {
        let rotated =
            [(0, 1), (0, 2), (1, 2)].map(|(p, q)| orthogonalise(&mut columns, &mut v, p, q));
        if rotated == [false; 3] {
            break;
        }
    }
    for (p, q) in [(0, 1), (0, 2), (1, 2)] {
        if columns.column(p).norm_squared() < columns.column(q).norm_squared() {
            swap_columns(&mut columns, p, q);
            swap_columns(&mut v, p, q);
        }
    }
    let column = |i: usize| columns.column(i).into_owned();
    let first = direction(&column(0));
    let second = first.and_then(|first| direction(&reject(&column(1), &first)));
    let u = complete_frame([first, second, None]);
    let sigma = Vector3::from_fn(|i, _| u.column(i).dot(&column(i)));
    Svd { u, sigma, v }
}

/// Rotates columns `p` and `q` in their plane until they are perpendicular. Returns whether that was necessary.
fn orthogonalise<T: Real>(
    columns: &mut Matrix3<T>,
    v: &mut Matrix3<T>,
    p: usize,
    q: usize,
) -> bool {
    let (a, b) = (columns.column(p), columns.column(q));
    let (a2, b2, ab) = (a.norm_squared(), b.norm_squared(), a.dot(&b));
    if ab.abs() <= T::default_epsilon() * (a2 * b2).sqrt() {
        return false;
    }
    let two = T::one() + T::one();
    let zeta = (b2 - a2) / (two * ab);
    let tan = T::one().copysign(zeta) / (zeta.abs() + (T::one() + zeta * zeta).sqrt());
    let cos = T::one() / (T::one() + tan * tan).sqrt();
    let sin = cos * tan;
    rotate_columns(columns, p, q, cos, sin);
    rotate_columns(v, p, q, cos, sin);
    true
}

fn rotate_columns<T: Real>(matrix: &mut Matrix3<T>, p: usize, q: usize, cos: T, sin: T) {
    let (a, b) = (matrix.column(p).into_owned(), matrix.column(q).into_owned());
    matrix.set_column(p, &(a * cos - b * sin));
    matrix.set_column(q, &(a * sin + b * cos));
}

/// Rotates two columns by a quarter turn, which swaps them and keeps the determinant.
fn swap_columns<T: Real>(matrix: &mut Matrix3<T>, p: usize, q: usize) {
    rotate_columns(matrix, p, q, T::zero(), -T::one());
}

/// Returns the vector minus its component along a unit vector.
pub(crate) fn reject<T: Real>(vector: &Vector3<T>, axis: &Vector3<T>) -> Vector3<T> {
    vector - axis * axis.dot(vector)
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;
    use xform_cases::properties;

    use super::*;

    fn assert_is_svd(m: &Matrix3<f64>) {
        let Svd { u, sigma, v } = svd(m);
        let scale = m.norm().max(1e-300);
        assert!((u * Matrix3::from_diagonal(&sigma) * v.transpose() - m).norm() <= 1e-14 * scale);
        for rotation in [u, v] {
            assert_relative_eq!(rotation.determinant(), 1.0, epsilon = 1e-14);
            assert_relative_eq!(
                rotation.transpose() * rotation,
                Matrix3::identity(),
                epsilon = 1e-14
            );
        }
        assert!(sigma[0] >= sigma[1] && sigma[1] >= sigma[2].abs());
    }

    #[test]
    fn singular_matrices_have_one_too() {
        let line = Vector3::new(1.0, 2.0, -3.0);
        assert_is_svd(&Matrix3::zeros());
        assert_is_svd(&(line * line.transpose()));
        assert_is_svd(&Matrix3::from_columns(&[line, Vector3::zeros(), Vector3::y()]));
        assert_is_svd(&Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, -2.0)));
    }

    #[test]
    fn small_singular_values_keep_their_relative_accuracy() {
        let shear = Matrix3::new(1.0, 1.0, 0.0, 0.0, 1e-12, 0.0, 0.0, 0.0, 1e-20);
        let sigma = svd(&shear).sigma;
        // The 2×2 block has determinant 1e-12 and squared norm 2 + 1e-24.
        assert_relative_eq!(sigma[0] * sigma[1], 1e-12, max_relative = 1e-14);
        assert_relative_eq!(sigma[2], 1e-20, max_relative = 1e-14);
    }

    #[test]
    fn small_columns_are_made_perpendicular_too() {
        // Two columns of 1e-3 with a cosine of 1e-5 between them.
        let m = Matrix3::new(1.0, 0.0, 0.0, 0.0, 1e-3, 1e-8, 0.0, 0.0, 1e-3);
        let sigma = svd(&m).sigma;
        // The singular values of [[1, x], [0, 1]] are √(1 + x²/4) ± x/2.
        let (half, root) = (0.5e-5_f64, (1.0 + 0.25e-10_f64).sqrt());
        assert_relative_eq!(sigma[1], 1e-3 * (root + half), max_relative = 1e-14);
        assert_relative_eq!(sigma[2], 1e-3 * (root - half), max_relative = 1e-14);
    }

    properties! {
        #[test]
        fn any_matrix_is_the_product_of_its_factors(m in proptest::array::uniform9(-10.0..10.0)) {
            assert_is_svd(&Matrix3::from_row_slice(&m));
        }
    }
}
