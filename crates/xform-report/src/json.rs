mod colliders;
mod engines;
mod layout;
mod listed;
mod views;

use std::io::{self, Write};

use serde::{Serialize, Serializer, ser::SerializeStruct};
use xform_compare::{
    Audit, Grade, SceneAudit,
    audit::{DIFFERING_FRACTION, Problem, SKEWED_DEGREES},
    judge::undrawn,
};
use xform_scene::fbx::FbxSettings;

use crate::NodeSelection;
use colliders::PhysicsView;
pub(super) use colliders::{ColliderView, PhysicsCount};
pub(super) use engines::EnginesView;
pub(super) use layout::{end_list, write_at, write_item, write_open, write_value};
pub(super) use listed::Listed;
use views::{AnimationView, UndrawnView};
pub(super) use views::{MotionView, NodeView};

/// The number of levels that are spread over lines: audit, scenes, scene and its lists. A node is on one line.
const SPREAD: usize = 4;

#[derive(Serialize)]
struct Head {
    schema: &'static str,
    thresholds: ThresholdsView,
}

/// Writes the text before the scenes.
pub(super) fn begin(out: &mut dyn Write) -> io::Result<()> {
    let head = Head {
        schema: Audit::SCHEMA,
        thresholds: ThresholdsView {
            skewed_degrees: SKEWED_DEGREES,
            differing_fraction: DIFFERING_FRACTION,
            identical_percent: Grade::IDENTICAL_PERCENT,
            visible_percent: Grade::VISIBLE_PERCENT,
            visible_if_large_percent: Grade::VISIBLE_IF_LARGE_PERCENT,
            large_percent_of_itself: Grade::LARGE_PERCENT_OF_ITSELF,
            severe_percent: Grade::SEVERE_PERCENT,
            camera_degrees: Grade::CAMERA_DEGREES,
            light_degrees: Grade::LIGHT_DEGREES,
        },
    };
    write_open(&head, SPREAD, 1, out)?;
    out.write_all(b",\n  \"scenes\": [")
}

/// Writes a scene, with a leading comma.
pub(super) fn write_scene(
    scene: &SceneAudit,
    nodes: NodeSelection,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_item(&SceneView { scene, nodes }, SPREAD, 2, out)
}

/// Writes the text after the scenes.
pub(super) fn end(has_scenes: bool, problems: &[Problem], out: &mut dyn Write) -> io::Result<()> {
    end_list(has_scenes, 1, out)?;
    out.write_all(b",\n  \"errors\": ")?;
    write_at(&problems, SPREAD, 1, out)?;
    out.write_all(b"\n}\n")
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
    /// The angles from which the turn of a camera is visible, and severe.
    camera_degrees: [f64; 2],
    light_degrees: [f64; 2],
}

/// The settings in an FBX file that give its numbers their meaning.
#[derive(Serialize)]
struct FbxView {
    unit_metres: f64,
    up: &'static str,
}

/// A scene. Its nodes are written one by one and never collected.
struct SceneView<'a> {
    scene: &'a SceneAudit,
    nodes: NodeSelection,
}

impl Serialize for SceneView<'_> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let Self { scene, nodes } = *self;
        let mut view = serializer.serialize_struct("SceneView", 10)?;
        view.serialize_field("source", &scene.source)?;
        if let Some(FbxSettings { unit_metres, up, .. }) = scene.fbx {
            view.serialize_field("fbx", &FbxView { unit_metres, up })?;
        }
        view.serialize_field("summary", &scene.summary)?;
        view.serialize_field("engines", &EnginesView::of(scene, usize::MAX))?;
        view.serialize_field("warnings", &scene.warnings)?;
        let listed = nodes.of(scene).map(|(node, _)| NodeView::of(scene, node));
        view.serialize_field("nodes", &Listed::new(listed))?;
        let undrawn = undrawn(scene);
        if !undrawn.is_empty() {
            let undrawn = undrawn.iter().map(|node| UndrawnView::new(scene, node));
            view.serialize_field("undrawn", &Listed::new(undrawn))?;
        }
        if !scene.animations.is_empty() {
            let animations = scene.animations.iter().map(AnimationView::new);
            view.serialize_field("animations", &Listed::new(animations))?;
        }
        let mut motion = MotionView::all(scene, nodes).peekable();
        if motion.peek().is_some() {
            view.serialize_field("motion", &Listed::new(motion))?;
        }
        if let Some(physics) = PhysicsView::of(scene) {
            view.serialize_field("physics", &physics)?;
        }
        view.end()
    }
}
