use super::{Drift, ParameterSweep};

/// General measurements of the two strategies, which a report shows for any scene.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Background {
    /// Skew and displacement as functions of a child's rotation and its parent's stretch.
    pub sweep: ParameterSweep,
    /// Skew in degrees by depth, with the same stretch and rotation repeated at every level.
    pub skew_by_depth: Vec<(usize, f64)>,
    /// The error of single precision by depth.
    pub drift: Drift,
}
