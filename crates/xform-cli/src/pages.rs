//! Writes a page for each of many scenes while others are read, and an index of the pages.

use std::{
    ffi::OsString,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use xform_compare::audit::Problem;
use xform_report::{IndexEntry, write_index, write_unfinished_index};
use xform_scene::ErrorCode;

use crate::{
    arguments::ReportArguments,
    batches,
    config::Config,
    files::SceneFile,
    output,
    overwritten::{Overwritten, check_page},
    page::{Made, Page, Reporter},
    page_names::PageNames,
    progress::Progress,
    scene_argument,
    workers::{Step, Workers},
};

/// The name of the index, without its extension.
const INDEX: &str = "index";

/// The files that were written.
pub(crate) struct Pages {
    pub(crate) index: PathBuf,
    /// The number of scenes without a page, for reasons that the index gives.
    pub(crate) failed: usize,
}

/// A scene and the name of its page, or a line that reports why there is no scene.
type Planned = Result<(OsString, String), String>;

/// Writes the pages and the index into a folder, each as a whole or not at all. By the time this returns, problems with
/// scenes have been printed. An error is a line about an output.
pub(crate) fn write(
    scenes: Vec<SceneFile>,
    folder: &Path,
    arguments: &ReportArguments,
    config: &Config,
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
    let pages: Vec<_> = pages.chain([index.clone()]).collect();
    let mut kept = pages.iter().map(|page| check_page(page));
    kept.try_for_each(|kept| kept).map_err(|kept| kept.to_string())?;
    let overwritten = Overwritten::by(&pages);
    config
        .file
        .iter()
        .try_for_each(|file| overwritten.check(file))
        .map_err(|kept| kept.to_string())?;
    output::make_folder(folder)?;
    // After an interrupted run, the pages that it left have this index beside them.
    output::write(&index, |out| write_unfinished_index(planned.len(), out))?;

    let progress = Progress::new(arguments.quiet, || planned.len().try_into().ok());
    let (mut entries, mut errors) = (Vec::new(), Vec::new());
    // Only pages are overwritten, and a page is never an input.
    let overwritten = Overwritten::nothing();
    let reporter = Reporter { arguments, config, overwritten: &overwritten };
    let some = |planned: &[&Planned]| write_pages(planned, folder, reporter, workers);
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

/// Writes the pages of scenes. Returns the index entry of each scene, or the reason why it has no page.
fn write_pages(
    planned: &[&Planned],
    folder: &Path,
    reporter: Reporter<'_>,
    workers: &Workers,
) -> Vec<Result<Result<IndexEntry, Problem>, String>> {
    let steps = planned.iter().map(|planned| match planned {
        Ok((scene, _)) => reporter.step(scene, false),
        Err(line) => Step::Done(Err(Problem::new("", ErrorCode::Unreadable.name(), "", line))),
    });
    let pages = workers.done(steps.collect(), Page::of_answer);
    let write = |(planned, page): (&&Planned, Made)| match (planned, page) {
        (Ok((scene, name)), Ok(mut page)) => {
            let path = folder.join(name);
            let entry = if page.is_one() {
                output::write(&path, |out| page.write(out))?;
                page.into_entry().with_page(name)
            } else {
                remove_page(&path)?;
                page.into_entry()
            };
            Ok(Ok(entry.with_owner(reporter.config.owner(scene).map(str::to_owned))))
        }
        (planned, Err(problem)) => {
            planned.iter().try_for_each(|(_, name)| remove_page(&folder.join(name)))?;
            Ok(Err(problem))
        }
        (Err(line), Ok(_)) => Err(line.clone()),
    };
    planned.iter().zip(pages).map(write).collect()
}

/// Removes an old page that would contradict the index. It was checked to be a page.
fn remove_page(page: &Path) -> Result<(), String> {
    match fs::remove_file(page) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(format!("{}: {error}", page.display()))
        }
        _ => Ok(()),
    }
}
