use nalgebra::Vector3;

/// The uniform scale that replaces another one, with the rotation that keeps a mirror the same.
///
/// For a scale without zeros, `diag(s) = factor · diag(|s|) / |factor| · half turn`, where `|factor|` is the
/// geometric mean of `|s|`. Nothing is lost of a scale that only mirrors: diag(−1, 1, 1) is −1 on all axes
/// and half a turn about x.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct UniformScale {
    /// The factor on all axes; 1 if the scale has a zero.
    pub factor: f64,
    /// The local axis about which to rotate by 180°: if the signs of two components of the scale differ from
    /// the factor's, the third axis.
    pub half_turn: Option<usize>,
}

impl UniformScale {
    /// Returns the uniform scale that replaces `scale`.
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

/// Returns the factor of the uniform scale that replaces another: the geometric mean of |s| with the sign of
/// the determinant, or 1 if the mean is 0.
pub(crate) fn made_uniform(scale: &Vector3<f64>) -> f64 {
    // One root at a time, so that the product neither overflows nor underflows.
    let mean: f64 = scale.iter().map(|factor| libm::cbrt(factor.abs())).product();
    let sign: f64 = scale.iter().map(|factor| factor.signum()).product();
    if mean > 0.0 { mean.copysign(sign) } else { 1.0 }
}
