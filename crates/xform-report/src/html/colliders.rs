//! The part of the page about colliders.

use xform_compare::{
    Grade, SceneAudit,
    audit::node_path,
    judge::{ColliderText, colliders_cause, colliders_line, colliders_note},
};
use xform_scene::text::shortest;

use super::words::Words;

/// The number of colliders with cards.
const CARDS: usize = 20;

/// The colliders of a scene in physics engines.
pub(super) struct Colliders {
    /// The answer in one line.
    pub(super) line: String,
    /// The common cause of several, and a remedy for all of them.
    pub(super) cause: Option<String>,
    /// The worst grade, or `None` if no physics engine was requested.
    pub(super) grade: Option<Grade>,
    pub(super) engines: Vec<EngineChoice>,
    /// The two sides of the comparison, and how they are known.
    pub(super) note: Words,
    pub(super) cards: Vec<ColliderCard>,
    /// The number of further colliders with something to report.
    pub(super) more: usize,
    /// The number of colliders whose lines did not fit.
    pub(super) left_out: usize,
}

/// A physics engine whose colliders can be shown.
pub(super) struct EngineChoice {
    pub(super) name: String,
    pub(super) is_chosen: bool,
}

/// A collider with something to report.
pub(super) struct ColliderCard {
    pub(super) index: usize,
    pub(super) path: String,
    pub(super) title: String,
    pub(super) grade: &'static str,
    pub(super) lines: Vec<String>,
    /// The index of the engine in which it is worst, and the moment, if that is in motion.
    pub(super) engine: usize,
    pub(super) motion: Option<(usize, String)>,
}

impl Colliders {
    /// Returns `None` if there is nothing to report. `left_out` is the number of colliders whose lines did not fit.
    pub(super) fn of(scene: &SceneAudit, left_out: usize) -> Option<Self> {
        let physics = &scene.physics;
        let line = colliders_line(scene)?;
        let texts = if physics.is_asked { ColliderText::all(scene) } else { Vec::new() };
        let cards: Vec<_> = texts.iter().take(CARDS).map(|text| card(scene, text)).collect();
        let chosen = cards.first().map_or(0, |card| card.engine);
        let has_lines = physics.is_asked && !physics.colliders.is_empty();
        let engines = physics.engines.iter().enumerate().filter(|_| has_lines);
        let engines = engines
            .map(|(place, road)| EngineChoice { name: road.name(), is_chosen: place == chosen });
        Some(Self {
            line,
            cause: colliders_cause(scene),
            grade: physics.is_asked.then(|| physics.grade()),
            engines: engines.collect(),
            note: Words::of(&colliders_note(scene).unwrap_or_default()),
            more: texts.len() - cards.len(),
            cards,
            left_out,
        })
    }
}

fn card(scene: &SceneAudit, text: &ColliderText<'_>) -> ColliderCard {
    let ColliderText { collider, title, grade, lines, .. } = text;
    let engine = collider.worst_engine();
    let motion = engine.and_then(|engine| collider.in_engines[engine].motion);
    ColliderCard {
        index: collider.node,
        path: node_path(scene, collider.node),
        title: title.clone(),
        grade,
        lines: lines.clone(),
        engine: engine.unwrap_or(0),
        motion: motion.map(|(animation, seconds)| (animation, shortest(seconds))),
    }
}
