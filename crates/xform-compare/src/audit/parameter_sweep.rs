use serde::Serialize;

/// The simplest difference as a function of its two parameters, measured and in closed form.
///
/// A child with the unit cube as its bounds is turned by θ about z, below a parent with a scale of (s, 1, 1).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ParameterSweep {
    /// One sample for every combination of s and θ.
    pub samples: Vec<SweepSample>,
}

/// One s and θ. The closed forms are from docs/mathematics.md, "A turn below a stretch".
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SweepSample {
    /// The parent's scale along x.
    pub s: f64,
    /// The child's turn about z.
    pub theta_degrees: f64,
    /// The largest |skew| of the child.
    pub skew_degrees: f64,
    /// The skew in closed form.
    pub skew_closed_form_degrees: f64,
    /// The farthest that a corner of the cube moves between the strategies.
    pub displacement: f64,
    /// The displacement in closed form.
    pub displacement_closed_form: f64,
    /// ‖Lm − Lt‖ / ‖Lm‖ of the 3×3 parts.
    pub linear_difference: f64,
    /// The linear difference in closed form.
    pub linear_difference_closed_form: f64,
}

impl ParameterSweep {
    /// The name of the JSON format: `xform-sweep/1`.
    pub const SCHEMA: &'static str = "xform-sweep/1";
}
