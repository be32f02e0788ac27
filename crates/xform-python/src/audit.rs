use pyo3::prelude::*;
use xform_compare::{
    SceneAudit,
    audit::{EngineChoice, PhysicsChoice, Problem},
    compare_engines, diff,
    judge::{DiffOptions, Report},
    measure::collide,
};
use xform_report::{NodeSelection, diff::write_diff_json, write_html, write_json};
use xform_scene::{Drawing, Scene};

use crate::{
    engines::{choice, physics_choice},
    pool::in_pool,
    problem::Failure,
    repairs::repairs_of,
    source::{Reading, Source, Unread},
};

/// Returns the output of `xform audit --format json`.
// `audit` of the package is `json.loads` of this, so there is a single contract and no second way to build a
// dictionary. For the same reason `audit_many` passes tables as Parquet in memory, which pyarrow reads at once. Arrays
// use NumPy's own memory in both directions.
#[pyfunction]
#[pyo3(signature = (source, engines, reference, motion, physics, collider))]
pub(crate) fn audit_json(
    py: Python<'_>,
    source: Source,
    engines: Option<Vec<String>>,
    reference: Option<&str>,
    motion: bool,
    physics: Vec<String>,
    collider: Option<&str>,
) -> PyResult<String> {
    let choice = choice(engines, reference, source.built_in().is_some())?;
    let physics = physics_choice(&physics, collider)?;
    let reading = Reading { has_motion: motion, is_drawn: false };
    let text = in_pool(py, move || {
        let (_, audit) = audited(&source, reading, &choice, &physics)?;
        let audits: [Result<_, Problem>; 1] = [Ok(&audit)];
        Ok::<_, Unread>(written(|out| write_json(audits, NodeSelection::All, out)))
    });
    Ok(text??)
}

/// Returns the output of `xform report`. Without a budget for meshes, boxes take their place.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the package gives each by its name")]
pub(crate) fn report_html(
    py: Python<'_>,
    source: Source,
    engines: Option<Vec<String>>,
    reference: Option<&str>,
    motion: bool,
    physics: Vec<String>,
    collider: Option<&str>,
    mesh_budget: Option<u64>,
) -> PyResult<String> {
    let choice = choice(engines, reference, source.built_in().is_some())?;
    let physics = physics_choice(&physics, collider)?;
    let page = in_pool(py, move || {
        // A page with sliders has neither animations nor colliders.
        let built_in = source.built_in().filter(|_| motion && physics.engines.is_empty());
        let mut report = match built_in {
            Some(built_in) => Report::of_built_in_in(built_in, &[], &choice)
                .map_err(|error| Failure::of_report(&source.name(), &error))?,
            None => {
                let reading = Reading { has_motion: motion, is_drawn: mesh_budget.is_some() };
                let (scene, mut audit) = audited(&source, reading, &choice, &physics)?;
                audit.repairs = repairs_of(&source, &audit);
                Report::of_audit(&scene, audit)
            }
        };
        match mesh_budget {
            Some(budget) => report.mesh_budget = budget,
            None => report.drawing = Drawing::default(),
        }
        Ok::<_, Unread>(written(|out| write_html(&report, out)))
    });
    Ok(page??)
}

/// Returns the output of `xform diff --format json`.
#[pyfunction]
pub(crate) fn diff_json(py: Python<'_>, before: Source, after: Source) -> PyResult<String> {
    let text = in_pool(py, move || {
        let of = |source| audited(source, DRAWN, &usual(source), &PhysicsChoice::default());
        let [(before, old), (after, new)] = [of(&before)?, of(&after)?];
        let both = [(&before, &old), (&after, &new)];
        let diff = diff(both, &DiffOptions::default());
        let diff = diff.map_err(|error| Failure::of_scene(&before.source, &error))?;
        Ok::<_, Unread>(written(|out| write_diff_json(&diff, out)))
    });
    Ok(text??)
}

/// Reads everything.
const DRAWN: Reading = Reading { has_motion: true, is_drawn: true };

/// Returns the engines in which a source is compared by default.
fn usual(source: &Source) -> EngineChoice {
    match source.built_in() {
        Some(_) => EngineChoice::strategies(),
        None => EngineChoice::usual(),
    }
}

/// Audits a source in engines, and in physics engines if any are requested. Returns the scene and the audit.
pub(crate) fn audited(
    source: &Source,
    reading: Reading,
    engines: &EngineChoice,
    physics: &PhysicsChoice,
) -> Result<(Scene, SceneAudit), Unread> {
    // Colliders may use the vertices of meshes.
    let is_asked = !physics.engines.is_empty();
    let reading = Reading { is_drawn: reading.is_drawn || is_asked, ..reading };
    let scene = source.scene(reading)?;
    let audit = compare_engines(&scene, engines);
    let mut audit = audit.map_err(|error| Failure::of_scene(&scene.source, &error))?;
    if is_asked {
        audit.physics = collide(&scene, physics, audit.summary.diagonal);
    }
    Ok((scene, audit))
}

/// Returns the output of a writer, which is UTF-8.
pub(crate) fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).expect("a vector takes whatever is written to it");
    String::from_utf8(out).expect("documents are UTF-8")
}
