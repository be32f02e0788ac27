//! The rotation of the nearest TRS: of all R the one that makes Σ (rᵢ · mᵢ)² largest.
//!
//! For a rotation R the best scale is diag(RᵀM), and ‖M − R·diag(RᵀM)‖² = ‖M‖² − Σ (rᵢ · mᵢ)².

use nalgebra::{Matrix3, Vector3};
use xform_core::Real;

use crate::svd::svd;

/// The rotation of the nearest TRS of a matrix that does not mirror.
///
/// Alternating (the polar rotation of M·diag(RᵀM), again and again) never loses ground, but near a flat
/// maximum each step is tiny. Newton's method converges quadratically there, but goes astray far away. So
/// each round tries a step of Newton's, and falls back to alternating if that gains nothing.
pub(crate) fn nearest_rotation<T: Real>(proper: &Matrix3<T>) -> Matrix3<T> {
    let mut rotation = svd(proper).polar();
    let rounding = T::rounded(4.0) * T::default_epsilon();
    // Eight rounds at the median; the bound only keeps rounding from going round in circles.
    for _ in 0..200 {
        let (gradient, curvature) = derivatives(&(rotation.transpose() * proper));
        let fit_now = fit(&rotation, proper);
        if gradient.amax() <= rounding * fit_now {
            break;
        }
        // Close to the top the fit itself no longer tells which of two rotations is higher.
        let newton = newton_step(&gradient, &curvature).map(|step| rotation * step);
        let newton = newton.filter(|next| fit(next, proper) >= fit_now * (T::one() - rounding));
        rotation = newton.unwrap_or_else(|| alternated(&rotation, proper));
    }
    rotation
}

/// The scale that minimises ‖M − R·diag(s)‖ for a given R.
pub(crate) fn fitting_scale<T: Real>(rotation: &Matrix3<T>, linear: &Matrix3<T>) -> Vector3<T> {
    Vector3::from_fn(|i, _| rotation.column(i).dot(&linear.column(i)))
}

/// Σ (rᵢ · mᵢ)².
fn fit<T: Real>(rotation: &Matrix3<T>, proper: &Matrix3<T>) -> T {
    fitting_scale(rotation, proper).norm_squared()
}

fn alternated<T: Real>(rotation: &Matrix3<T>, proper: &Matrix3<T>) -> Matrix3<T> {
    let scale = fitting_scale(rotation, proper);
    svd(&(proper * Matrix3::from_diagonal(&scale))).polar()
}

/// The gradient and Hessian of the fit as R turns further, by exp Ω with a cross product matrix Ω.
///
/// With a = RᵀM the scale is then the diagonal of (1 − Ω + ½Ω²)·a, to second order.
fn derivatives<T: Real>(a: &Matrix3<T>) -> (Vector3<T>, Matrix3<T>) {
    let two = T::one() + T::one();
    let turns = [0, 1, 2].map(|k| Vector3::ith(k, T::one()).cross_matrix());
    let diagonal = a.diagonal();
    let first = turns.map(|turn| -(turn * a).diagonal());
    let gradient = Vector3::from_fn(|k, _| two * diagonal.dot(&first[k]));
    let curvature = Matrix3::from_fn(|k, l| {
        let second = ((turns[k] * turns[l] + turns[l] * turns[k]) * a).diagonal();
        two * first[k].dot(&first[l]) + diagonal.dot(&second)
    });
    (gradient, curvature)
}

/// Newton's step: the rotation to the top of the parabola. `None` if the parabola opens upwards, or is so
/// flat that the top is far away.
fn newton_step<T: Real>(gradient: &Vector3<T>, curvature: &Matrix3<T>) -> Option<Matrix3<T>> {
    let step = (-curvature).cholesky()?.solve(gradient);
    if step.norm_squared() > T::one() {
        return None;
    }
    // Cayley: (1 − ½Ω)⁻¹·(1 + ½Ω) is a rotation and agrees with exp Ω to second order.
    let half = step.cross_matrix() * T::rounded(0.5);
    let inverse = (Matrix3::identity() - half).try_inverse()?;
    Some(inverse * (Matrix3::identity() + half))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How far the fit is from flat, as an angle.
    fn slope(m: &Matrix3<f64>) -> f64 {
        let rotation = nearest_rotation(m);
        assert!((rotation.transpose() * rotation - Matrix3::identity()).amax() < 1e-13);
        let (gradient, _) = derivatives(&(rotation.transpose() * m));
        gradient.amax() / m.norm_squared()
    }

    #[test]
    fn nearly_parallel_axes_converge_too() {
        for gap in [0.5, 0.1, 1e-2, 1e-3, 1e-4, 1e-6] {
            let near = 1.0 - gap;
            let m = Matrix3::new(1.0, near, 0.0, near, 1.0 + gap * 0.3, 0.1, 0.2, 0.0, 1.0);
            assert!(slope(&m) < 1e-14, "{gap}: {}", slope(&m));
        }
    }

    #[test]
    fn derivatives_are_those_of_the_fit() {
        let m = Matrix3::new(1.0, 0.3, -0.2, 0.5, 2.0, 0.7, -0.4, 0.1, 1.5);
        let (gradient, curvature) = derivatives(&m);
        let turned = |turn: &Vector3<f64>| nalgebra::Rotation3::new(*turn).into_inner();
        let step = 1e-4;
        for k in 0..3 {
            let along = Vector3::ith(k, step);
            let (up, down) = (fit(&turned(&along), &m), fit(&turned(&-along), &m));
            assert!((gradient[k] - (up - down) / (2.0 * step)).abs() < 1e-6);
            let second = (up + down - 2.0 * fit(&Matrix3::identity(), &m)) / (step * step);
            assert!((curvature[(k, k)] - second).abs() < 1e-5);
        }
    }
}
