use std::sync::LazyLock;

use xform_scene::BuiltIn;

use super::{compare, measure_drift, measure_sweep};
use crate::audit::Background;

/// How many levels of the scene `levels` are measured.
const LEVELS: f64 = 16.0;

/// What a report shows beside any scene. It takes as long as many a report, and is the same for all of them, so it is
/// measured once.
pub(crate) fn measure_background() -> Background {
    static MEASURED: LazyLock<Background> = LazyLock::new(|| Background {
        sweep: measure_sweep(),
        skew_by_depth: skew_by_depth(),
        drift: measure_drift().expect("generated hierarchies are forests of good poses"),
    });
    MEASURED.clone()
}

fn skew_by_depth() -> Vec<(usize, f64)> {
    let built_in = BuiltIn::named("levels").expect("a built-in scene");
    let scene = built_in.scene(&[("n".to_owned(), LEVELS)]).expect("within its range");
    let audit = compare(&scene).expect("a chain of good poses");
    audit.nodes.iter().filter_map(|node| Some((node.depth, node.skew_degrees?))).collect()
}
