use pyo3::prelude::*;
use xform_compare::{
    SceneAudit,
    audit::{EngineChoice, Problem},
    compare_engines, diff,
    judge::{DiffOptions, Report},
    measure::collide,
};
use xform_report::{NodeSelection, diff::write_diff_json, write_html, write_json};
use xform_scene::Scene;

use crate::{
    engines::{choice, physics_choice},
    pool::in_pool,
    problem::Failure,
    repairs::repairs_of,
    source::{Reading, Source, Unread},
};

/// What `xform audit --format json` writes.
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
    let audit = py.detach(|| {
        in_pool(|| {
            // Colliders may have the vertices of meshes.
            let is_drawn = !physics.engines.is_empty();
            let scene = source.scene(Reading { has_motion: motion, is_drawn })?;
            let audit = compare_engines(&scene, &choice);
            let mut audit =
                audit.map_err(|error| Unread::from(Failure::of_scene(&scene.source, &error)))?;
            if is_drawn {
                audit.physics = collide(&scene, &physics, audit.summary.diagonal);
            }
            Ok::<_, Unread>(audit)
        })
    })??;
    let audits: [Result<_, Problem>; 1] = [Ok(&audit)];
    Ok(written(|out| write_json(audits, NodeSelection::All, out)))
}

/// What `xform report` writes.
#[pyfunction]
pub(crate) fn report_html(py: Python<'_>, source: Source) -> PyResult<String> {
    let page = py.detach(|| {
        in_pool(|| {
            let name = source.name();
            let report = match source.built_in() {
                Some(built_in) => Report::of_built_in(built_in, &[]),
                None => {
                    let scene = source.scene(Reading { has_motion: true, is_drawn: true })?;
                    let audit = compare_engines(&scene, &EngineChoice::usual());
                    let of_audit = |mut audit: SceneAudit| {
                        audit.repairs = repairs_of(&source, &audit);
                        Report::of_audit(&scene, audit)
                    };
                    audit.map(of_audit).map_err(Into::into)
                }
            };
            let report = report.map_err(|error| Failure::of_report(&name, &error))?;
            Ok::<_, Unread>(written(|out| write_html(&report, out)))
        })
    })??;
    Ok(page)
}

/// What `xform diff --format json` writes.
#[pyfunction]
pub(crate) fn diff_json(py: Python<'_>, before: Source, after: Source) -> PyResult<String> {
    let text = py.detach(|| {
        in_pool(|| {
            let [(before, old), (after, new)] = [audited(&before)?, audited(&after)?];
            let both = [(&before, &old), (&after, &new)];
            let diff = diff(both, &DiffOptions::default());
            let diff = diff.map_err(|error| Failure::of_scene(&before.source, &error))?;
            Ok::<_, Unread>(written(|out| write_diff_json(&diff, out)))
        })
    })??;
    Ok(text)
}

fn audited(source: &Source) -> Result<(Scene, SceneAudit), Unread> {
    let scene = source.scene(Reading { has_motion: true, is_drawn: true })?;
    let choice = match source.built_in() {
        Some(_) => EngineChoice::strategies(),
        None => EngineChoice::usual(),
    };
    let audit = compare_engines(&scene, &choice);
    let audit = audit.map_err(|error| Failure::of_scene(&scene.source, &error))?;
    Ok((scene, audit))
}

/// What a writer writes, which is UTF-8.
pub(crate) fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).expect("a vector takes whatever is written to it");
    String::from_utf8(out).expect("documents are UTF-8")
}
