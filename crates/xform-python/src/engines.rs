use pyo3::{exceptions::PyValueError, prelude::*};
use serde_json::json;
use xform_compare::{
    Engine,
    audit::{EngineChoice, PhysicsChoice, PhysicsRoad},
};
use xform_scene::NodeCollider;

/// Returns every known engine, as a JSON list.
#[pyfunction]
pub(crate) fn engines_json() -> String {
    let engines = Engine::all().iter().map(|engine| {
        json!({
            "id": engine.id,
            "name": engine.name,
            "rule": engine.sentence,
            "worlds_known": engine.accumulation.known.to_string(),
            "sheared_matrices_known": engine.import.known.to_string(),
        })
    });
    json!(engines.collect::<Vec<_>>()).to_string()
}

/// Returns the engines with these ids. Without ids, the usual engines for a file, and the two strategies for a built-in
/// scene.
pub(crate) fn choice(
    ids: Option<Vec<String>>,
    reference: Option<&str>,
    is_built_in: bool,
) -> PyResult<EngineChoice> {
    let reference = reference.map(named).transpose()?;
    let Some(ids) = ids else {
        if is_built_in && reference.is_none() {
            return Ok(EngineChoice::strategies());
        }
        return Ok(EngineChoice::named(Engine::usual(), reference));
    };
    let mut engines = Vec::new();
    for id in &ids {
        match id.as_str() {
            "all" => engines.extend(Engine::all()),
            id => engines.push(named(id)?),
        }
    }
    Ok(EngineChoice::named(engines, reference))
}

pub(crate) fn named(id: &str) -> PyResult<&'static Engine> {
    Engine::named(id).ok_or_else(|| {
        let ids: Vec<_> = Engine::all().iter().map(|engine| engine.id).collect();
        PyValueError::new_err(format!("no engine `{id}`; there are: {}", ids.join(", ")))
    })
}

/// Returns the physics engines with these names, and the collider that meshes are judged as in a file without
/// colliders.
pub(crate) fn physics_choice(names: &[String], collider: Option<&str>) -> PyResult<PhysicsChoice> {
    let road = |name: &String| {
        let error = || {
            PyValueError::new_err(format!("no physics engine `{name}`; docs/physics.md lists them"))
        };
        PhysicsRoad::named(name).ok_or_else(error)
    };
    let collider = collider.map(|name| {
        let kind = NodeCollider::OF_DRAWN.into_iter().find(|kind| kind.name() == name);
        kind.ok_or_else(|| {
            PyValueError::new_err(format!(
                "no collider `{name}`; there are: sphere, box, capsule, hull, mesh"
            ))
        })
    });
    let engines = names.iter().map(road).collect::<PyResult<_>>()?;
    Ok(PhysicsChoice::named(engines, collider.transpose()?))
}
