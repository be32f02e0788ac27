//! `xform diff`: compares two scenes, here or in a worker.

use std::{
    io::{self, Seek, Write},
    slice,
};

use tempfile::{SpooledTempFile, spooled_tempfile};
use xform_compare::{
    SceneAudit,
    audit::{CompareError, Problem},
    compare_engines, diff,
    judge::{DiffOptions, DiffReport, SceneDiff},
};
use xform_report::{
    TextStyle,
    diff::{write_diff_json, write_diff_markdown, write_diff_text},
    write_diff_html,
};
use xform_scene::Scene;

use crate::{
    arguments::{DiffArguments, ReadingArguments},
    choices::DiffFormat,
    ending::Ending,
    engines,
    failure::Failure,
    input::{self, InputError},
    invocation::Invocation,
    job::Job,
    output,
    overwritten::Overwritten,
    progress::Progress,
    scene_argument,
    workers::{IN_MEMORY, Workers},
};

/// Compares two scenes and writes the changes.
pub(crate) fn run(arguments: &DiffArguments, invocation: &Invocation) -> Result<Ending, Failure> {
    let DiffArguments { before, after, output, .. } = arguments;
    if before == "-" && after == "-" {
        return Err("only one of the two scenes can be standard input".into());
    }
    let overwritten = Overwritten::by(slice::from_ref(output));
    [before, after].into_iter().try_for_each(|scene| overwritten.check_scene(scene))?;
    let progress = Progress::of_one(false);
    let written = written(arguments, invocation);
    drop(progress);
    let (is_worse, mut written) =
        written.map_err(|problems| Failure(problems.iter().flat_map(Problem::lines).collect()))?;
    output::write(output, |out| io::copy(&mut written, out).map(|_| ()))?;
    if is_worse { Ok(Ending::Exceeded) } else { Ok(Ending::Done) }
}

/// Returns whether something is worse, and the output, computed here or by a worker.
fn written(
    arguments: &DiffArguments,
    invocation: &Invocation,
) -> Result<(bool, SpooledTempFile), Vec<Problem>> {
    let scenes = [&*arguments.before, &*arguments.after];
    let failed = |error: InputError| vec![error.problem(scenes[0])];
    let job = Job::new(&scenes).map_err(|error| failed(error.into()))?;
    let (is_worse, written) = if job.is_safe_here(true) {
        let mut written = spooled_tempfile(IN_MEMORY);
        let answer = answer(&job, arguments, &mut written)
            .and_then(|answer| written.rewind().map(|()| answer));
        (answer.map_err(|error| failed(error.into()))?, written)
    } else {
        let workers = Workers::new(invocation, None, TextStyle::default());
        workers.answer(&job).map_err(|lost| failed(lost.into()))?
    };
    Ok((is_worse?, written))
}

/// Compares the two scenes of a job, here or for another process, and returns whether something is worse.
pub(crate) fn answer(
    job: &Job,
    arguments: &DiffArguments,
    out: &mut dyn Write,
) -> io::Result<Result<bool, Vec<Problem>>> {
    let overwritten = Overwritten::by(slice::from_ref(&arguments.output));
    let read = match read(job, arguments, &overwritten) {
        Ok(read) => read,
        Err(problems) => return Ok(Err(problems)),
    };
    let options = options(arguments);
    let write: fn(&SceneDiff, &mut dyn Write) -> io::Result<()> = match arguments.format {
        DiffFormat::Text => |diff, out| write_diff_text(diff, out),
        DiffFormat::Markdown => |diff, out| write_diff_markdown(diff, out),
        DiffFormat::Json => |diff, out| write_diff_json(diff, out),
        DiffFormat::Html => {
            let found = DiffReport::new(read, &options).map(|mut report| {
                report.mesh_budget = arguments.mesh_budget();
                write_diff_html(&report, out).map(|()| report.diff.is_worse())
            });
            return told(job, found);
        }
    };
    let both = read.each_ref().map(|(scene, audit)| (scene, audit));
    let found = diff(both, &options).map(|diff| write(&diff, out).map(|()| diff.is_worse()));
    told(job, found)
}

fn told(
    job: &Job,
    found: Result<io::Result<bool>, CompareError>,
) -> io::Result<Result<bool, Vec<Problem>>> {
    match found {
        Ok(written) => written.map(Ok),
        Err(error) => Ok(Err(vec![InputError::from(error).problem(&job.scenes[0])])),
    }
}

/// Reads and audits both scenes.
fn read(
    job: &Job,
    arguments: &DiffArguments,
    overwritten: &Overwritten,
) -> Result<[(Scene, SceneAudit); 2], Vec<Problem>> {
    let settings =
        ReadingArguments { no_animation: arguments.no_animation, ..ReadingArguments::default() };
    let audits = [&job.scenes[0], &job.scenes[1]].map(|scene| {
        let engines = engines::choice(&settings, &[], scene_argument::built_in(scene).is_some());
        let read = input::drawn(scene, job, &settings, arguments.undrawn, overwritten);
        let audited = read.and_then(|read| {
            let audit = compare_engines(&read, &engines)?;
            Ok((read, audit))
        });
        audited.map_err(|error| error.problem(scene))
    });
    // A problem with one scene does not hide those of the other.
    match audits {
        [Ok(before), Ok(after)] => Ok([before, after]),
        audits => Err(audits.into_iter().filter_map(Result::err).collect()),
    }
}

fn options(arguments: &DiffArguments) -> DiffOptions {
    let mut options = DiffOptions::default();
    options.tolerance_percent = arguments.tolerance.unwrap_or(options.tolerance_percent);
    options.has_shape = !arguments.engines_only;
    options.has_engines = !arguments.shape_only;
    options.counts_undrawn = arguments.undrawn;
    options
}
