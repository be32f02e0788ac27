use std::sync::LazyLock;

use xform_scene::BuiltIn;

use super::{compare, measure_drift, measure_sweep};
use crate::audit::Background;

/// The number of levels of the scene `levels` that are measured.
const LEVELS: f64 = 16.0;

/// Returns the measurements that a report shows for any scene. They take as long as many a report does and
/// are always the same, so they are made once.
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
