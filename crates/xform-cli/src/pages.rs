//! A page for each of many scenes, written while the others are read, and an index of the pages.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use xform_compare::audit::Problem;
use xform_report::{IndexEntry, write_index};
use xform_scene::ErrorCode;

use crate::{
    arguments::ReportArguments,
    batches,
    files::SceneFile,
    output,
    overwritten::{Overwritten, check_page},
    page::{Made, Page},
    page_names::PageNames,
    progress::Progress,
    scene_argument,
    workers::{Step, Workers},
};

/// What the index is called, without its extension.
const INDEX: &str = "index";

/// What was written.
pub(crate) struct Pages {
    pub(crate) index: PathBuf,
    /// How many scenes have no page, for reasons that the index gives.
    pub(crate) failed: usize,
}

/// A scene and the name of its page, or a line that says why there is no scene.
type Planned = Result<(OsString, String), String>;

/// Writes the pages and the index into a folder, each whole or not at all. What is wrong with a scene has been said
/// when this ends; an error is a line about an output.
pub(crate) fn write(
    scenes: Vec<SceneFile>,
    folder: &Path,
    arguments: &ReportArguments,
    workers: &Workers,
) -> Result<Pages, String> {
    let mut names = PageNames::other_than(INDEX);
    let planned = scenes.into_iter().map(|found| {
        found.map(|scene| {
            let name = names.name(&scene_argument::name(&scene));
            (scene, name)
        })
    });
    let planned: Vec<Planned> = planned.collect();
    let index = folder.join(INDEX).with_extension("html");
    let pages = planned.iter().flatten().map(|(_, name)| folder.join(name));
    let mut pages = pages.chain([index.clone()]);
    pages.try_for_each(|page| check_page(&page)).map_err(|kept| kept.to_string())?;
    output::make_folder(folder)?;

    let progress = Progress::new(arguments.quiet, || planned.len().try_into().ok());
    let (mut entries, mut errors) = (Vec::new(), Vec::new());
    let some = |planned: &[&Planned]| write_pages(planned, folder, arguments, workers);
    for written in batches::made(planned.iter().map(Ok), &progress, some) {
        match written.map_err(|kept| kept.to_string())?? {
            Ok(entry) => entries.push(entry),
            Err(problem) => {
                progress.say(&problem.lines().collect::<Vec<_>>());
                errors.push(problem);
            }
        }
    }
    output::write(&index, |out| write_index(&entries, &errors, out))?;
    Ok(Pages { index, failed: errors.len() })
}

/// Writes the pages of scenes; what the index says of each, or why it has no page.
fn write_pages(
    planned: &[&Planned],
    folder: &Path,
    arguments: &ReportArguments,
    workers: &Workers,
) -> Vec<Result<Result<IndexEntry, Problem>, String>> {
    // A page is written over a page alone, which is no input.
    let overwritten = Overwritten::nothing();
    let steps = planned.iter().map(|planned| match planned {
        Ok((scene, _)) => Page::step(scene, arguments, &overwritten, false),
        Err(line) => Step::Done(Err(Problem::new("", ErrorCode::Unreadable.name(), "", line))),
    });
    let pages = workers.done(steps.collect(), Page::of_answer);
    let names = planned.iter().map(|planned| planned.as_ref().map_or("", |(_, name)| name));
    let write = |(name, page): (&str, Made)| match page {
        Ok(mut page) => {
            output::write(&folder.join(name), |out| page.write(out))?;
            Ok(Ok(page.into_entry(name)))
        }
        Err(problem) => Ok(Err(problem)),
    };
    names.zip(pages).map(write).collect()
}
