//! How the shows of a page are called.

use xform_compare::judge::{BY_MATRICES, BY_TRS, Report, names};

/// The file's own worlds, where no engine that is known shows them.
const FBX_FILE: &str = "the FBX file";

/// Who shows what a show does, as people list them.
pub(super) fn show_label(report: &Report, place: usize) -> String {
    let show = &report.playback.shows[place];
    match (place, names(&show.engines)) {
        // The engines that were compared are in other shows.
        (1, none) if none.is_empty() && report.audit.engines.is_some() => "OGRE".to_owned(),
        (0, none) if none.is_empty() && report.audit.fbx.is_some() => FBX_FILE.to_owned(),
        (0, none) if none.is_empty() => BY_MATRICES.to_owned(),
        (1, none) if none.is_empty() => BY_TRS.to_owned(),
        (_, engines) => engines,
    }
}

/// The same, short enough for a switch: the engine that most people know, and how many more.
pub(super) fn short_label(report: &Report, place: usize) -> String {
    const KNOWN: [&str; 5] = ["unity", "unreal", "godot", "blender", "three"];
    match (place, &report.playback.shows[place].engines[..]) {
        (0, []) if report.audit.fbx.is_some() => FBX_FILE.to_owned(),
        (0, []) => "Unity, Godot …".to_owned(),
        (1, []) => show_label(report, place).replace(" and ", ", "),
        (_, engines @ ([_] | [_, _])) => names(engines),
        (_, engines) => {
            let known = KNOWN.iter().find_map(|id| engines.iter().find(|engine| engine.id == *id));
            let known = known.unwrap_or(&engines[0]);
            format!("{} and {} more", known.name, engines.len() - 1)
        }
    }
}

/// Which of the shows is one of the two that are compared.
pub(super) struct ShowChoice {
    pub(super) what: &'static str,
    pub(super) shows: Vec<(String, bool)>,
}

impl ShowChoice {
    pub(super) fn both(shows: &[String], chosen: [usize; 2]) -> Vec<Self> {
        let choice = |(what, chosen): (&'static str, usize)| {
            let shows = shows.iter().enumerate();
            let shows = shows.map(|(place, show)| (show.clone(), place == chosen));
            Self { what, shows: shows.collect() }
        };
        let both = ["Compare", "with"].into_iter().zip(chosen).map(choice);
        if shows.len() > 2 { both.collect() } else { Vec::new() }
    }
}
