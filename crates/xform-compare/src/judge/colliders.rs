//! Sentences about colliders.

mod shared_cause;
mod text;

use xform_engines::Known;
use xform_scene::text::units;

use crate::audit::{ColliderAudit, PhysicsRoad, SceneAudit};
use shared_cause::SharedCause;
pub use text::ColliderText;

/// Summarises the colliders of a scene in a sentence.
///
/// If the caller did not request physics engines, it names an engine to request, or is `None` if colliders visibly
/// differ in none or the scene has none.
#[must_use]
pub fn colliders_line(scene: &SceneAudit) -> Option<String> {
    let physics = &scene.physics;
    let all = physics.shapes;
    if all == 0 {
        let nothing = "The file has no colliders.".to_owned();
        return physics.is_asked.then_some(nothing);
    }
    let of_all = |differs: usize| match (differs, all) {
        (1, 1) => "The only collider differs".to_owned(),
        (1, _) => format!("1 of {all} colliders differs"),
        _ => format!("{differs} of {all} colliders differ"),
    };
    if physics.is_asked {
        return Some(answer(scene, of_all));
    }
    // The engine in which most colliders differ.
    let in_engine = |place: usize| {
        let differs = |one: &&ColliderAudit| one.in_engines[place].grade.is_seen();
        physics.colliders.iter().filter(differs).count()
    };
    let (count, road) = physics
        .engines
        .iter()
        .enumerate()
        .map(|(place, road)| (in_engine(place), road))
        .rev()
        .max_by_key(|(count, _)| *count)
        .filter(|(count, _)| *count > 0)?;
    let (name, id) = (road.engine.name, road.id());
    let least = if physics.has_more { "At least " } else { "" };
    Some(format!("{least}{} from the drawn shape in {name}: --physics {id}", of_all(count)))
}

/// States how many of the colliders differ, and by how much at most.
fn answer(scene: &SceneAudit, of_all: impl Fn(usize) -> String) -> String {
    let physics = &scene.physics;
    let [and, or] = ["and", "or"].map(|last| names(physics.engines.iter(), last));
    let seen = || physics.colliders.iter().filter(|one| one.grade().is_seen());
    let line = match (physics.seen(), physics.shapes) {
        (0, _) if !physics.told().is_empty() => {
            format!("No collider is known to differ visibly from the drawn shape in {or}.")
        }
        (0, 1) => format!("The only collider matches the drawn shape in {and}."),
        (0, _) => format!("All colliders match the drawn shapes in {and}."),
        (differs, _) => {
            let most = seen().map(ColliderAudit::distance).fold(0.0, f64::max);
            let far = if most > 0.0 {
                format!(": bodies collide up to {} away from the drawn shape", units(most, 3))
            } else {
                String::new()
            };
            format!("{} from the drawn shape in {or}{far}.", of_all(differs))
        }
    };
    let judged_as = physics.judged_as.map(|kind| {
        format!("The file has no colliders: each drawn mesh is judged as a {}.", kind.name())
    });
    let unknown = physics.colliders.iter().filter(|one| one.is_unknown()).count();
    let unknown =
        (unknown > 0).then(|| format!("For {unknown} of them, some results are unknown."));
    [judged_as, Some(line), unknown].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Names the scale that contributes to most of the differing colliders, and one way to author them all.
/// `None` if no two share a cause, or if the caller did not request physics engines.
#[must_use]
pub fn colliders_cause(scene: &SceneAudit) -> Option<String> {
    let physics = &scene.physics;
    physics.is_asked.then(|| SharedCause::of(scene)).flatten().map(|shared| shared.explain(scene))
}

/// Explains the figures of colliders: what is compared, how that is known, and how shapes are assumed to
/// reach the engines. `None` if the caller did not request physics engines, or if there are no colliders.
#[must_use]
pub fn colliders_note(scene: &SceneAudit) -> Option<String> {
    let physics = &scene.physics;
    if !physics.is_asked || physics.shapes == 0 {
        return None;
    }
    let known = physics.engines.iter().map(|on| {
        let how = match on.road.rule.known {
            Known::Run { version, .. } => format!("was run ({version})"),
            other => format!("is {}, not run", other.name()),
        };
        format!("{} {how}, with {}", on.engine.name, on.road.words)
    });
    Some(format!(
        "Each collider is compared with its own shape, placed and scaled as its node is drawn; a mesh beside it may have another shape. {}. `xform engines` lists other ways in which \
         shapes can reach them. Whether an importer reads these shapes from the file is a separate question.",
        known.collect::<Vec<_>>().join("; ")
    ))
}

/// Joins the names of engines for a sentence.
fn names<'a>(roads: impl Iterator<Item = &'a PhysicsRoad>, before_last: &str) -> String {
    let mut names: Vec<_> = roads.map(PhysicsRoad::name).collect();
    match names.pop() {
        None => String::new(),
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} {before_last} {last}", names.join(", ")),
    }
}

/// Returns the worst grade and the remedy, as a line for a list of findings.
pub(super) fn finding_message(scene: &SceneAudit, collider: &ColliderAudit) -> String {
    let ColliderText { title, lines, .. } = ColliderText::of(scene, collider);
    format!("{title}. {}", lines.join(" "))
}
