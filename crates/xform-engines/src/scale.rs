use nalgebra::Vector3;

/// What is no more than exporters round, as a fraction of a scale. In a character that many people use, baked keyframes of bones that
/// nobody scales differ among the axes by up to 3.7e-6.
pub const SCALE_ROUNDING: f64 = 1e-5;

/// Whether a scale differs among the axes by more than [exporters round](SCALE_ROUNDING). Any other is nobody's cause of a difference,
/// and no repair touches it. What differs because of it alone is too little to be seen.
#[must_use]
pub fn is_non_uniform(scale: &Vector3<f64>) -> bool {
    scale.max() - scale.min() > SCALE_ROUNDING * scale.amax()
}
