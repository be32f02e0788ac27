//! The figures from which on a node counts as skewed or as differing. They are larger than rounding alone gives
//! where poses were authored in `f32`, and smaller than anybody can see.

/// A node counts as skewed if its skew is larger than this, in degrees.
pub const SKEWED_DEGREES: f64 = 0.01;

/// A node counts as differing between the strategies if its linear difference, or its displacement as a fraction
/// of the scene's diagonal, is larger than this.
pub const DIFFERING_FRACTION: f64 = 1e-6;

/// Whether a node with these figures counts as differing.
pub(super) fn is_differing(linear_difference: Option<f64>, percent_of_scene: Option<f64>) -> bool {
    linear_difference > Some(DIFFERING_FRACTION) || is_displaced(percent_of_scene)
}

/// Whether a displacement in percent of the scene's diagonal counts.
pub(super) fn is_displaced(percent_of_scene: Option<f64>) -> bool {
    percent_of_scene > Some(DIFFERING_FRACTION * 100.0)
}

/// A displacement in percent of the scene's diagonal; infinite beside a scene without extent, which has no
/// percentage.
pub(super) fn percent_of_scene(displacement: f64, percent: Option<f64>) -> Option<f64> {
    let beside_nothing = if displacement > 0.0 { f64::INFINITY } else { 0.0 };
    Some(percent.unwrap_or(beside_nothing))
}
