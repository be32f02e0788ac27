use xform_compare::{
    SceneAudit,
    judge::{caveat, definition},
};
use xform_engines::Engine;
use xform_scene::text::significant;

/// A row in the table of engines: the result for a group.
pub(super) struct EngineRow {
    pub(super) engines: Vec<(&'static str, String)>,
    pub(super) grade: &'static str,
    pub(super) shows: String,
}

impl EngineRow {
    /// Returns a row for each group, then one for each engine whose result is unknown.
    pub(super) fn all(scene: &SceneAudit) -> Vec<Self> {
        let engines = &scene.engines;
        let known = |engine: &&'static Engine| {
            let worlds = engine.accumulation.known.to_string();
            let import = engine.import.known.to_string();
            let known = if engines.has_sheared_matrices && import != worlds {
                format!("worlds: {worlds}; sheared matrices: {import}")
            } else {
                worlds
            };
            let caveat = caveat(scene, engine)
                .map_or_else(String::new, |caveat| format!(". Note: {caveat}"));
            (engine.name, format!("{known}{caveat}"))
        };
        let reference = engines.reference.map_or_else(|| definition(scene), |engine| engine.name);
        let groups = engines.groups.iter().filter(|group| !group.engines.is_empty());
        let groups = groups.map(|group| {
            let worst = group.nodes.first();
            let shows = worst.map_or_else(
                || format!("the same as {reference}"),
                |worst| {
                    let percent = worst.displacement_percent.map_or_else(String::new, |percent| {
                        format!(", by up to {} % of the scene", significant(percent, 3))
                    });
                    let nodes = match group.nodes.len() {
                        1 => "1 node differs".to_owned(),
                        nodes => format!("{nodes} nodes differ"),
                    };
                    format!("{nodes} from {reference}{percent}")
                },
            );
            let engines = group.engines.iter().map(known).collect();
            Self { engines, grade: group.grade.name(), shows }
        });
        let unknown = engines.unknown.iter().map(|unknown| Self {
            engines: vec![known(&unknown.engine)],
            grade: "unknown",
            shows: format!("unknown, because of {}", unknown.reason),
        });
        groups.chain(unknown).collect()
    }
}
