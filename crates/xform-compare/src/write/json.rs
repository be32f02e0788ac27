mod engines;
mod layout;
mod listed;
mod views;

use std::{
    borrow::Borrow,
    cell::RefCell,
    io::{self, Write},
};

use serde::{Serialize, Serializer, ser::SerializeStruct};

use super::{NodeSelection, audited::audited};
use crate::audit::{Audit, DIFFERING_FRACTION, Grade, Problem, SKEWED_DEGREES, SceneAudit};
pub(super) use engines::EnginesView;
pub(super) use layout::write_value;
pub(super) use listed::Listed;
use views::AnimationView;
pub(super) use views::{MotionView, NodeView};

/// Writes audits as JSON: the contract that programs read, described in docs/report-format.md.
///
/// One line a node, so that two reports can be compared line by line. Each scene is written before the next is asked for;
/// those that could not be audited are written last.
///
/// # Errors
///
/// Those of the output.
pub fn write_json<S: Borrow<SceneAudit>>(
    audits: impl IntoIterator<Item = Result<S, Problem>>,
    nodes: NodeSelection,
    out: impl Write,
) -> io::Result<()> {
    let errors = RefCell::default();
    let scenes = audited(audits, &errors).map(|scene| SceneView { scene, nodes });
    let view = AuditView {
        schema: Audit::SCHEMA,
        thresholds: ThresholdsView {
            skewed_degrees: SKEWED_DEGREES,
            differing_fraction: DIFFERING_FRACTION,
            identical_percent: Grade::IDENTICAL_PERCENT,
            visible_percent: Grade::VISIBLE_PERCENT,
            visible_if_large_percent: Grade::VISIBLE_IF_LARGE_PERCENT,
            large_percent_of_itself: Grade::LARGE_PERCENT_OF_ITSELF,
            severe_percent: Grade::SEVERE_PERCENT,
        },
        scenes: Listed::new(scenes),
        errors: &errors,
    };
    // Audit, scenes, scene, its lists: a node stands on one line.
    write_value(&view, 4, out)
}

/// Audits with the nodes that are asked for. The scenes are gone through as they are written, so the errors are known
/// after them.
#[derive(Serialize)]
#[serde(bound = "I: Iterator, I::Item: Serialize")]
struct AuditView<'a, I> {
    schema: &'a str,
    thresholds: ThresholdsView,
    scenes: Listed<I>,
    errors: &'a RefCell<Vec<Problem>>,
}

#[derive(Serialize)]
struct ThresholdsView {
    skewed_degrees: f64,
    differing_fraction: f64,
    identical_percent: f64,
    visible_percent: f64,
    visible_if_large_percent: f64,
    large_percent_of_itself: f64,
    severe_percent: f64,
}

/// A scene, of whose nodes no list is made.
struct SceneView<S> {
    scene: S,
    nodes: NodeSelection,
}

impl<S: Borrow<SceneAudit>> Serialize for SceneView<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let (scene, nodes) = (self.scene.borrow(), self.nodes);
        let mut view = serializer.serialize_struct("SceneView", 7)?;
        view.serialize_field("source", &scene.source)?;
        view.serialize_field("summary", &scene.summary)?;
        if let Some(engines) = EnginesView::of(scene, usize::MAX) {
            view.serialize_field("engines", &engines)?;
        }
        view.serialize_field("warnings", &scene.warnings)?;
        let listed = nodes.of(scene).map(|(node, _)| NodeView::new(node));
        view.serialize_field("nodes", &Listed::new(listed))?;
        if !scene.animations.is_empty() {
            let animations = scene.animations.iter().map(AnimationView::new);
            view.serialize_field("animations", &Listed::new(animations))?;
        }
        let mut motion = MotionView::all(scene, nodes).peekable();
        if motion.peek().is_some() {
            view.serialize_field("motion", &Listed::new(motion))?;
        }
        view.end()
    }
}
