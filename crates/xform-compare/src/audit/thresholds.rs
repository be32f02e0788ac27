//! The figures from which on a node counts as skewed or as differing. They are larger than rounding alone gives
//! where poses were authored in `f32`, and smaller than anybody can see.

/// A node counts as skewed if its skew is larger than this, in degrees.
pub const SKEWED_DEGREES: f64 = 0.01;

/// A displacement as a fraction of the scene's diagonal, or a linear difference, that is no larger than this is rounding: the bound
/// of the grade identical.
pub const DIFFERING_FRACTION: f64 = 1e-6;

/// The same of a displacement in percent.
pub(super) const IDENTICAL_PERCENT: f64 = 1e-4;

/// Whether a displacement in percent of the scene's diagonal counts.
pub(super) fn is_displaced(percent_of_scene: Option<f64>) -> bool {
    percent_of_scene > Some(IDENTICAL_PERCENT)
}

/// The largest displacement that is no difference in a scene without extent, in scene units: what rounding of `f64` leaves far
/// from the origin. There is nothing else to measure it by.
const ROUNDING_WITHOUT_EXTENT: f64 = 1e-9;

/// A displacement in percent of the scene's diagonal; infinite beside a scene without extent, which has no
/// percentage, unless it is rounding.
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
