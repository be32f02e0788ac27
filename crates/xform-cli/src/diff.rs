//! The comparison of two scenes, made here or by a worker.

use std::{
    io::{self, Write},
    slice,
};

use tempfile::SpooledTempFile;
use xform_compare::{
    audit::Problem,
    compare_engines, diff,
    judge::{DiffOptions, SceneDiff},
};
use xform_report::{
    TextStyle,
    diff::{write_diff_json, write_diff_markdown, write_diff_text},
};

use crate::{
    arguments::{DiffArguments, ReadingArguments},
    choices::DiffFormat,
    ending::Ending,
    engines,
    failure::Failure,
    input::{self, InputError},
    job::Job,
    output,
    overwritten::Overwritten,
    progress::Progress,
    scene_argument,
    workers::Workers,
};

/// Compares two scenes and writes what changed.
pub(crate) fn run(arguments: &DiffArguments) -> Result<Ending, Failure> {
    let DiffArguments { before, after, output, .. } = arguments;
    let overwritten = Overwritten::by(slice::from_ref(output));
    [before, after].into_iter().try_for_each(|scene| overwritten.check_scene(scene))?;
    let progress = Progress::of_one(false);
    let compared = Compared::of(arguments, &overwritten);
    drop(progress);
    let compared =
        compared.map_err(|problems| Failure(problems.iter().flat_map(Problem::lines).collect()))?;
    let is_worse = match compared {
        Compared::Here(diff) => {
            output::write(output, |out| write(&diff, arguments, out)).map(|()| diff.is_worse())
        }
        Compared::Away(is_worse, mut written) => {
            output::write(output, |out| io::copy(&mut written, out).map(|_| ())).map(|()| is_worse)
        }
    };
    if is_worse? { Ok(Ending::Exceeded) } else { Ok(Ending::Done) }
}

enum Compared {
    Here(Box<SceneDiff>),
    /// Whether something is worse, and what a worker has written.
    Away(bool, SpooledTempFile),
}

impl Compared {
    fn of(arguments: &DiffArguments, overwritten: &Overwritten) -> Result<Self, Vec<Problem>> {
        let scenes = [&*arguments.before, &*arguments.after];
        let failed = |error: InputError| vec![error.problem(scenes[0])];
        let job = Job::new(&scenes).map_err(|error| failed(error.into()))?;
        if job.is_safe_here(true) {
            return Ok(Self::Here(Box::new(compared(&job, arguments, overwritten)?)));
        }
        let workers = Workers::new(None, TextStyle::default());
        let answer = workers.answer::<Result<bool, Vec<Problem>>>(&job);
        let (is_worse, written) = answer.map_err(|lost| failed(lost.into()))?;
        Ok(Self::Away(is_worse?, written))
    }
}

fn compared(
    job: &Job,
    arguments: &DiffArguments,
    overwritten: &Overwritten,
) -> Result<SceneDiff, Vec<Problem>> {
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
    // What is wrong with one of them hides nothing of the other.
    match audits {
        [Ok(before), Ok(after)] => {
            let both = [&before, &after].map(|(scene, audit)| (scene, audit));
            let failed = |error| vec![InputError::from(error).problem(&job.scenes[0])];
            diff(both, &options(arguments)).map_err(failed)
        }
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

fn write(diff: &SceneDiff, arguments: &DiffArguments, out: &mut dyn Write) -> io::Result<()> {
    match arguments.format {
        DiffFormat::Text => write_diff_text(diff, out),
        DiffFormat::Markdown => write_diff_markdown(diff, out),
        DiffFormat::Json => write_diff_json(diff, out),
    }
}

/// Compares the two scenes of a job, for another process: whether something is worse.
pub(crate) fn answer(
    job: &Job,
    arguments: &DiffArguments,
    out: &mut dyn Write,
) -> io::Result<Result<bool, Vec<Problem>>> {
    let overwritten = Overwritten::by(slice::from_ref(&arguments.output));
    match compared(job, arguments, &overwritten) {
        Ok(diff) => {
            write(&diff, arguments, out)?;
            Ok(Ok(diff.is_worse()))
        }
        Err(problems) => Ok(Err(problems)),
    }
}
