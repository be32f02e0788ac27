use super::compare;
use crate::{
    audit::{Background, Drift, ParameterSweep},
    scene::BuiltIn,
};

/// How many levels of the scene `levels` are measured.
const LEVELS: f64 = 16.0;

impl Background {
    /// Measures all of it.
    ///
    /// # Panics
    ///
    /// Never: none of the scenes it is measured on is refused.
    #[must_use]
    pub fn measure() -> Self {
        Self {
            sweep: ParameterSweep::measure(),
            skew_by_depth: skew_by_depth(),
            drift: Drift::measure().expect("generated hierarchies are forests of good poses"),
        }
    }
}

fn skew_by_depth() -> Vec<(usize, f64)> {
    let built_in = BuiltIn::named("levels").expect("a built-in scene");
    let scene = built_in.scene(&[("n".to_owned(), LEVELS)]).expect("within its range");
    let audit = compare(&scene).expect("a chain of good poses");
    audit.nodes.iter().filter_map(|node| Some((node.depth, node.skew_degrees?))).collect()
}
