//! What holds of every file, whatever it is.

use std::io;

use xform_compare::{
    Audit, Engine, SceneAudit,
    audit::EngineChoice,
    compare, compare_engines, findings,
    judge::{Limits, Report},
};
use xform_report::{
    DocumentFormat, FindingsFormat, NodeSelection, TextStyle, write_csv, write_findings,
    write_html, write_json, write_markdown, write_text,
};
use xform_scene::{gltf::GltfError, read_gltf};

/// Reads, audits and writes a file in every format. Returns what was found where it could be read.
pub fn audited(bytes: &[u8]) -> Option<SceneAudit> {
    let scene = match read_gltf(bytes, "fuzz.gltf") {
        Ok(scene) => scene,
        Err(error) => {
            let message = error.to_string();
            assert!(!message.is_empty() && message.len() < 2000, "{message}");
            assert!(
                error.iter().count() <= 100 && (error.more() == 0 || error.iter().count() == 100)
            );
            for pointer in error.iter().map(GltfError::pointer) {
                assert!(pointer.is_empty() || pointer.starts_with('/'), "{pointer}");
            }
            return None;
        }
    };
    // A page takes as long as a hundred audits.
    let page = (bytes.len() % 64 == 0).then(|| Report::of_scene(&scene));
    // In engines too, of some.
    let audit = match bytes.len() % 3 {
        0 => compare_engines(&scene, &EngineChoice::named(Engine::all().iter().collect(), None)),
        1 => compare_engines(&scene, &EngineChoice::usual()),
        _ => compare(&scene),
    };
    let audit = audit.ok()?;
    for node in &audit.nodes {
        let is_angle = |skew: f64| (0.0..=90.0).contains(&skew);
        assert!(node.skew_degrees.is_none_or(is_angle), "{:?}", node.skew_degrees);
        let is_figure = |figure: f64| figure >= 0.0 && figure.is_finite();
        assert!(node.displacement.is_none_or(is_figure), "{:?}", node.displacement);
        assert!(node.linear_difference.is_none_or(is_figure), "{:?}", node.linear_difference);
    }
    let found = findings(&audit, &Limits::default());
    let all = Audit::new(vec![audit.clone()]);
    let mut json = Vec::new();
    write_json(&all, NodeSelection::All, &mut json).unwrap();
    serde_json::from_slice::<serde_json::Value>(&json).unwrap();
    let mut sink = io::sink();
    write_text(&all, TextStyle::default(), &mut sink).unwrap();
    write_csv(&all, NodeSelection::Differing, &mut sink).unwrap();
    write_markdown(&all, &mut sink).unwrap();
    let rows = DocumentFormat::JsonLines(Some(NodeSelection::All));
    rows.write_audited(&audit, &found, &[], &mut sink).unwrap();
    write_findings(FindingsFormat::Sarif, usize::MAX, [Ok(("fuzz.gltf", &found[..]))], &mut sink)
        .unwrap();
    if let Some(page) = page {
        write_html(&page.unwrap(), &mut sink).unwrap();
    }
    Some(audit)
}
