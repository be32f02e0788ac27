use nalgebra::Vector3;

/// The uniform scale that stands for another one, with the turn that keeps a mirror what it is.
///
/// `diag(s) = factor · diag(|s|) / |factor| · half turn`, and `|factor|` is the geometric mean of `|s|`; so of a scale that only
/// mirrors nothing is lost: diag(−1, 1, 1) is −1 on all axes and half a turn about x.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct UniformScale {
    /// The factor on all axes; 1 where the scale has a zero.
    pub factor: f64,
    /// About which of the node's own axes to turn by 180°, if at all: where the factor has another sign than two of the scale's.
    pub half_turn: Option<usize>,
}

impl UniformScale {
    /// The uniform scale in place of `scale`.
    #[must_use]
    pub fn of(scale: &Vector3<f64>) -> Self {
        let factor = made_uniform(scale);
        let is_whole = scale.iter().all(|&factor| factor != 0.0);
        let is_turned = |&i: &usize| {
            let others = [(i + 1) % 3, (i + 2) % 3];
            is_whole && others.iter().all(|&other| scale[other] * factor < 0.0)
        };
        Self { factor, half_turn: (0..3).find(is_turned) }
    }
}

/// The uniform scale that stands for another: the geometric mean of |s|, the sign of the
/// determinant kept, 1 where it is 0.
pub(crate) fn made_uniform(scale: &Vector3<f64>) -> f64 {
    // One root at a time, so that the product neither overflows nor vanishes.
    let mean: f64 = scale.iter().map(|factor| libm::cbrt(factor.abs())).product();
    let sign: f64 = scale.iter().map(|factor| factor.signum()).product();
    if mean > 0.0 { mean.copysign(sign) } else { 1.0 }
}
