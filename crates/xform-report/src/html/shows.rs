//! Labels for the shows of a page.

use xform_compare::{
    SceneAudit,
    judge::{Report, definition, names},
};

/// Lists the engines of a group for people. Empty without a group.
pub(super) fn group_names(scene: &SceneAudit, group: Option<usize>) -> String {
    group.map_or_else(String::new, |group| names(&scene.engines.groups[group].engines))
}

/// Lists the engines of a show for people.
pub(super) fn show_label(report: &Report, place: usize) -> String {
    match &report.playback.shows[place].engines[..] {
        [] => definition(&report.audit).to_owned(),
        engines => names(engines),
    }
}

/// Labels a show briefly, for a switch: the best-known engine, and the number of others.
pub(super) fn short_label(report: &Report, place: usize) -> String {
    const KNOWN: [&str; 5] = ["unity", "unreal", "godot", "blender", "three"];
    match &report.playback.shows[place].engines[..] {
        [] if report.audit.fbx.is_some() => "the FBX file".to_owned(),
        [] => "glTF".to_owned(),
        engines @ ([_] | [_, _]) => names(engines),
        engines => {
            let known = KNOWN.iter().find_map(|id| engines.iter().find(|engine| engine.id == *id));
            let known = known.unwrap_or(&engines[0]);
            format!("{} and {} more", known.name, engines.len() - 1)
        }
    }
}

/// The choice of a show for one side of the comparison.
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
