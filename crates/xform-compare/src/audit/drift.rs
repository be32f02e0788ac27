use serde::Serialize;

/// The error of `f32` world transforms against `f64`, by depth, for both strategies.
///
/// Both are accumulated from the same local poses, which are rounded to `f32`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Drift {
    /// For every shape and strategy, one sample at each of the depths 0, 1, 2, 4, 8 and so on.
    pub samples: Vec<DriftSample>,
}

/// One depth of one shape under one strategy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DriftSample {
    /// The shape of the hierarchy.
    pub shape: &'static str,
    /// `matrix` or `trs`.
    pub strategy: &'static str,
    /// The depth: the number of ancestors of the nodes.
    pub depth: usize,
    /// The number of nodes at this depth.
    pub nodes: usize,
    /// The largest ‖L₃₂ − L₆₄‖ / ‖L₆₄‖ of the 3×3 parts.
    pub max_linear_error: f64,
    /// The largest distance between the positions, in scene units.
    pub max_position_error: f64,
}

impl Drift {
    /// The name of the JSON format: `xform-drift/1`.
    pub const SCHEMA: &'static str = "xform-drift/1";
}
