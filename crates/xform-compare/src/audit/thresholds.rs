//! The thresholds above which a node counts as skewed or as differing. They are larger than the rounding of
//! poses that were authored in `f32`, and smaller than anybody can see.

/// A node counts as skewed if its skew is larger than this, in degrees.
pub const SKEWED_DEGREES: f64 = 0.01;

/// The largest displacement, as a fraction of the scene's diagonal, or linear difference that counts as
/// rounding. It is the upper bound of the grade identical.
pub const DIFFERING_FRACTION: f64 = 1e-6;

/// The same for a displacement in percent.
pub(super) const IDENTICAL_PERCENT: f64 = 1e-4;

/// Whether a displacement, as a percentage of the scene's diagonal, is more than rounding.
pub(super) fn is_displaced(percent_of_scene: Option<f64>) -> bool {
    percent_of_scene > Some(IDENTICAL_PERCENT)
}

/// The largest displacement that counts as none in a scene without extent, in scene units: `f64` rounding far
/// from the origin. Such a scene offers no other measure.
const ROUNDING_WITHOUT_EXTENT: f64 = 1e-9;

/// Returns a displacement as a percentage of the scene's diagonal. A scene without extent has no percentage:
/// then the result is 0 for rounding, and infinite for anything larger.
pub(crate) fn percent_of_scene(displacement: f64, percent: Option<f64>) -> Option<f64> {
    let is_rounding = displacement <= ROUNDING_WITHOUT_EXTENT;
    let beside_nothing = if is_rounding { 0.0 } else { f64::INFINITY };
    Some(percent.unwrap_or(beside_nothing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_no_displacement_in_a_scene_without_extent() {
        assert_eq!(percent_of_scene(2e-16, None), Some(0.0));
        assert_eq!(percent_of_scene(2e-3, None), Some(f64::INFINITY));
        assert_eq!(percent_of_scene(2e-16, Some(0.5)), Some(0.5));
    }
}
