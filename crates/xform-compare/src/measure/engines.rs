//! What engines show of a scene: groups of those that show the same, and how far the groups are apart.

mod figures;
mod from_fbx;
mod measured;
mod pair;
mod showing;

use xform_engines::{CannotSay, Engine};
use xform_scene::{LocalPose, Scene};

use super::worlds::Worlds;
use crate::audit::{
    CompareError, EngineAudit, EngineChoice, EnginePair, SceneAudit, UnknownEngine,
};
use figures::Figures;
use measured::AuditedScene;
pub(super) use showing::{Placed, Showing};

/// What the engines show of a scene that was audited.
///
/// Engines with rules that come to the same on this scene are measured once. Where that leaves the two strategies alone,
/// the audit has their figures. Where it is not known what the reference shows, what glTF defines stands in its place.
pub(super) fn engines(
    scene: &Scene,
    worlds: &Worlds,
    audit: &SceneAudit,
    choice: &EngineChoice,
) -> Result<EngineAudit, CompareError> {
    let mut showings = Showing::all(scene, worlds, choice);
    let mut figures = Figures::of(&AuditedScene { scene, worlds, audit }, &mut showings)?;
    if let (Some(_), Some(reference)) = (showings[0].unknown, choice.reference) {
        let mut others = choice.clone();
        others.reference = None;
        others.engines.push(reference);
        let found = engines(scene, worlds, audit, &others)?;
        return Ok(EngineAudit { unknown_reference: Some(reference), ..found });
    }
    let groups = Group::all(&showings, &mut figures);
    let mut pairs = Vec::new();
    for (b, later) in groups.iter().enumerate() {
        for (a, earlier) in groups[..b].iter().enumerate() {
            let nodes = figures.pair(earlier.first, later.first).worst_first();
            let other = nodes.first().and_then(|worst| {
                showings[earlier.first].first_other(&showings[later.first], scene, worst.index)
            });
            let has_matrix =
                |&node: &usize| matches!(scene.nodes[node].local, LocalPose::Matrix(_));
            let sheared = other.filter(has_matrix);
            let odd_rotation = other.filter(|node| !has_matrix(node));
            let grade = nodes.first().map(|node| node.grade).unwrap_or_default();
            pairs.push(EnginePair { groups: [a, b], grade, nodes, sheared, odd_rotation });
        }
    }
    let groups = groups.into_iter().map(|mut group| {
        group.engines.sort_by_key(|engine| rank(engine, choice));
        group.engines
    });
    Ok(EngineAudit {
        reference: choice.reference,
        unknown_reference: None,
        are_named: choice.are_named,
        groups: groups.collect(),
        pairs,
        unknown: unknown(&showings, choice),
        has_sheared_matrices: worlds.poses.has_sheared_matrices(),
    })
}

/// What each group of engines shows of a scene, and who they are.
pub(super) fn others(
    scene: &Scene,
    worlds: &Worlds,
    engines: &EngineAudit,
) -> Vec<(Showing, Vec<&'static Engine>)> {
    let groups = engines.groups.iter().enumerate();
    let shown = groups.map(|(place, group)| {
        let reference = engines.reference.filter(|_| place == 0);
        let first = if place == 0 { reference } else { group.first().copied() };
        (Showing::of_engine(scene, worlds, first), group.clone())
    });
    shown.collect()
}

/// Engines that show the same.
struct Group {
    engines: Vec<&'static Engine>,
    /// The place of the showing that others are compared with.
    first: usize,
}

impl Group {
    /// Each showing that is known in the first group whose first it equals.
    fn all(showings: &[Showing], figures: &mut Figures) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        let known = showings.iter().enumerate().filter(|(_, showing)| showing.unknown.is_none());
        for (place, showing) in known {
            match groups.iter_mut().find(|group| figures.pair(group.first, place).is_identical()) {
                Some(group) => group.engines.extend(&showing.engines),
                None => groups.push(Self { engines: showing.engines.clone(), first: place }),
            }
        }
        groups
    }
}

/// The engines of which it is not known what they show.
fn unknown(showings: &[Showing], choice: &EngineChoice) -> Vec<UnknownEngine> {
    let unknown = showings.iter().filter_map(|showing| Some((showing, showing.unknown?)));
    let unknown = unknown.flat_map(|(showing, CannotSay { node, reason })| {
        showing.engines.iter().map(move |&engine| UnknownEngine { engine, node, reason })
    });
    let mut unknown: Vec<_> = unknown.collect();
    unknown.sort_by_key(|unknown| rank(unknown.engine, choice));
    unknown
}

/// The place of an engine in the order of the registry, the reference before all.
fn rank(engine: &Engine, choice: &EngineChoice) -> (bool, usize) {
    let is_reference = choice.reference.is_some_and(|reference| reference.id == engine.id);
    let place = Engine::all().iter().position(|known| known.id == engine.id);
    (!is_reference, place.unwrap_or(usize::MAX))
}
