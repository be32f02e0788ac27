//! A page for each of many scenes, written while the others are read, and an index of the pages.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use xform_compare::{ErrorCode, IndexEntry, Problem, write_index};

use crate::{
    arguments::ReportArguments,
    batches,
    files::Found,
    output,
    overwritten::{Overwritten, check_page},
    page::Page,
    page_names::PageNames,
    progress::Progress,
    scene_argument,
    workers::Workers,
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
    scenes: Vec<Found>,
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
    let one = |planned: &&Planned| write_page(planned, folder, arguments, workers);
    for written in batches::made(planned.iter().map(Ok), &progress, one) {
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

/// Writes the page of a scene; what the index says of it, or why it has no page.
fn write_page(
    planned: &Planned,
    folder: &Path,
    arguments: &ReportArguments,
    workers: &Workers,
) -> Result<Result<IndexEntry, Problem>, String> {
    let (scene, name) = match planned {
        Ok(planned) => planned,
        Err(line) => return Ok(Err(Problem::new("", ErrorCode::Unreadable.name(), "", line))),
    };
    // A page is written over a page alone, which is no input.
    let mut page = match Page::new(scene, arguments, &Overwritten::nothing(), workers, false) {
        Ok(page) => page,
        Err(problem) => return Ok(Err(problem)),
    };
    output::write(&folder.join(name), |out| page.write(out))?;
    Ok(Ok(page.into_entry(name)))
}
