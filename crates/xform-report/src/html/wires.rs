//! Colliders as lines for the page's scripts.

use serde::Serialize;
use xform_compare::{
    Grade,
    audit::{ColliderAudit, PhysicsRoad},
    judge::Report,
    physics::Collider,
};

use super::{bytes::Bytes, stage::Stage};

/// The most lines that a page draws, at 24 bytes each.
const LINES: usize = 60_000;

/// The colliders of a scene in each physics engine.
#[derive(Serialize)]
pub(super) struct EmbeddedWires {
    /// The names of the engines for people.
    engines: Vec<String>,
    /// Lists of lines with six numbers each: the offset of a list, and its number of lines.
    lists: Vec<[usize; 2]>,
    shown: Vec<EmbeddedWire>,
    /// The number of colliders whose lines did not fit.
    #[serde(skip)]
    pub(super) left_out: usize,
}

/// A collider at rest, or at the time at which it is farthest from its mesh.
#[derive(Serialize)]
struct EmbeddedWire {
    node: usize,
    /// The index of the engine.
    engine: usize,
    /// The index of the animation in the audit, and the time in seconds. `None` at rest.
    motion: Option<(usize, f64)>,
    /// The lists with its lines, and with those of the same shape as the engine draws it.
    collider: usize,
    drawn: usize,
    /// Whether the two differ.
    is_apart: bool,
}

impl EmbeddedWires {
    /// Returns `None` if there are no colliders or no physics engine was requested.
    pub(super) fn of(report: &Report, stage: &Stage, bytes: &mut Bytes) -> Option<Self> {
        let physics = &report.audit.physics;
        if !physics.is_asked || physics.colliders.is_empty() {
            return None;
        }
        let engines = physics.engines.iter().map(PhysicsRoad::name).collect();
        let mut wires = Self { engines, lists: Vec::new(), shown: Vec::new(), left_out: 0 };
        let mut room = LINES;
        // If not all fit, those that differ come first.
        let told = physics.told();
        let others = physics.colliders.iter().filter(|one| !one.is_told());
        for collider in told.into_iter().chain(others) {
            wires.add(collider, stage, &mut room, bytes);
        }
        Some(wires)
    }

    fn add(&mut self, audit: &ColliderAudit, stage: &Stage, room: &mut usize, bytes: &mut Bytes) {
        // Lines that are the same in several engines are stored once.
        let mut placed: Vec<&Collider> = Vec::new();
        let mut place = |collider| {
            placed.iter().position(|known| *known == collider).unwrap_or_else(|| {
                placed.push(collider);
                placed.len() - 1
            })
        };
        let identical = Grade::IDENTICAL_PERCENT / 100.0 * stage.unit;
        let mut shown = Vec::new();
        for (engine, one) in audit.in_engines.iter().enumerate() {
            let at_worst = one.found.as_ref().ok().filter(|_| one.motion.is_some());
            let at_rest = one.at_rest.as_ref().map(|found| (None, found));
            for (motion, found) in
                at_rest.into_iter().chain(at_worst.map(|one_then| (one.motion, one_then)))
            {
                let (collider, drawn) = (place(&found.collider), place(&found.drawn));
                let (node, is_apart) = (audit.node, found.distance > identical);
                shown.push(EmbeddedWire { node, engine, motion, collider, drawn, is_apart });
            }
        }
        let lists: Vec<_> = placed.into_iter().map(Collider::wireframe).collect();
        let lines = lists.iter().map(Vec::len).sum();
        let Some(rest) = room.checked_sub(lines) else {
            self.left_out += 1;
            return;
        };
        *room = rest;
        let first = self.lists.len();
        for list in lists {
            let ends = list.iter().flatten().flat_map(|at| stage.point(at));
            self.lists.push([bytes.push_f32(ends), list.len()]);
        }
        self.shown.extend(shown.into_iter().map(|wire| EmbeddedWire {
            collider: first + wire.collider,
            drawn: first + wire.drawn,
            ..wire
        }));
    }
}
