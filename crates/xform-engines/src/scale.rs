use nalgebra::Vector3;

/// The largest deviation, as a fraction of a scale, that exporters' rounding explains. In a character that many
/// people use, baked keyframes of bones that nobody scaled differ among the axes by up to 3.7e-6.
pub const SCALE_ROUNDING: f64 = 1e-5;

/// Whether a scale differs among the axes by more than [exporters round](SCALE_ROUNDING). A smaller difference is
/// never reported as a cause and never repaired; its effect alone is too small to be seen.
#[must_use]
pub fn is_non_uniform(scale: &Vector3<f64>) -> bool {
    scale.max() - scale.min() > SCALE_ROUNDING * scale.amax()
}
