use super::{Drift, ParameterSweep};

/// Measurements of the two strategies in general, which a report shows whatever its scene.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Background {
    /// Skew and displacement over the turn of a child and the stretch of its parent.
    pub sweep: ParameterSweep,
    /// Skew in degrees by depth, where one stretch and turn is repeated at every level.
    pub skew_by_depth: Vec<(usize, f64)>,
    /// The error of single precision by depth.
    pub drift: Drift,
}
