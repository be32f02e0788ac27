use std::{
    ffi::{OsStr, OsString},
    io::{self, Write},
    path::Path,
};

use clap::CommandFactory;
use clap_complete::Shell;
use xform_compare::measure::{measure_drift, measure_sweep};
use xform_report::{
    DocumentFormat, TextStyle,
    series::{write_drift_csv, write_drift_json, write_sweep_csv, write_sweep_json},
};
use xform_scene::{BuiltIn, built_in::Parameter};

use crate::{
    arguments::{Arguments, AuditArguments, Command, ReportArguments, SeriesArguments},
    audits::Audits,
    choices::SeriesFormat,
    config::Config,
    cores::cores,
    diff,
    ending::Ending,
    engines,
    failure::Failure,
    files::{self, SceneFile},
    fix, globs,
    invocation::Invocation,
    output,
    overwritten::{Overwritten, WouldOverwrite},
    page::{Page, Reporter},
    pages,
    progress::Progress,
    scene_argument,
    scene_result::{AuditFormat, Auditor},
    tally::Tally,
    verify, worker,
    workers::{Step, Workers},
};

/// Executes the requested command.
pub(crate) fn run(arguments: &Arguments, invocation: &Invocation) -> Result<Ending, Failure> {
    start_threads(&arguments.command)?;
    match &arguments.command {
        Command::Report(arguments) => report(arguments, invocation),
        Command::Audit(arguments) => audit(arguments, invocation),
        Command::Diff(arguments) => diff::run(arguments, invocation),
        Command::Fix(arguments) => fix::run(arguments),
        Command::Sweep(arguments) => sweep(arguments),
        Command::Drift(arguments) => drift(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Engines { page } => {
            match page {
                Some(page) => verify::write_recorded(page)?,
                None => write(Path::new("-"), |out| engines::write_list(out))?,
            }
            Ok(Ending::Done)
        }
        Command::Scenes => scenes(),
        Command::Work => work(),
        Command::Completions { shell } => completions(*shell),
        Command::Man { command } => man(command.as_deref()),
    }
}

/// Starts the thread pool now: rayon would panic later if the system cannot create threads. A worker starts its own.
fn start_threads(command: &Command) -> Result<(), Failure> {
    let asked = match command {
        Command::Audit(arguments) => arguments.threads,
        Command::Report(_)
        | Command::Diff(_)
        | Command::Fix(_)
        | Command::Sweep(_)
        | Command::Drift(_) => None,
        Command::Verify(_)
        | Command::Engines { .. }
        | Command::Scenes
        | Command::Work
        | Command::Completions { .. }
        | Command::Man { .. } => {
            return Ok(());
        }
    };
    // More threads than cores would only wait for one another.
    let threads = asked.map_or(cores(), |asked| asked.get().min(cores()));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    Ok(pool.build_global().map_err(|error| {
        format!(
            "cannot start threads, perhaps because the system allows no more (`ulimit -u`): {error}"
        )
    })?)
}

fn report(arguments: &ReportArguments, invocation: &Invocation) -> Result<Ending, Failure> {
    let source = Config::source(&arguments.config)?;
    let config = Config::over(source.as_ref(), &arguments.physics)?;
    let workers = Workers::new(invocation, source, TextStyle::default());
    let named: Vec<_> = globs::expanded(&arguments.scenes).collect();
    match &named[..] {
        [Ok(scene)] if !scene_argument::path(scene).is_some_and(Path::is_dir) => {
            report_one(scene, arguments, &config, &workers)
        }
        _ => {
            let scenes = files::in_folders(named.into_iter()).collect();
            report_many(scenes, arguments, &config, &workers)
        }
    }
}

fn report_one(
    scene: &OsStr,
    arguments: &ReportArguments,
    config: &Config,
    workers: &Workers,
) -> Result<Ending, Failure> {
    let output = arguments.output.as_deref().unwrap_or(Path::new("xform-report.html"));
    let overwritten = Overwritten::by(&[output.to_owned()]);
    overwritten.check_scene(scene)?;
    check_config(&overwritten, config)?;
    let progress = Progress::of_one(arguments.quiet);
    let reporter = Reporter { arguments, config, overwritten: &overwritten };
    let page = match reporter.step(scene, true) {
        Step::Done(page) => page,
        Step::Job(job) => Page::of_answer(&job, workers.answer(&job)),
    };
    drop(progress);
    let mut page = page.map_err(|problem| Failure(problem.lines().collect()))?;
    write(output, |out| page.write(out))?;
    if output != Path::new("-") {
        show(output, arguments)?;
    }
    Ok(Ending::Done)
}

/// Writes a page for each scene and an index. A bad scene does not hide the others.
fn report_many(
    scenes: Vec<SceneFile>,
    arguments: &ReportArguments,
    config: &Config,
    workers: &Workers,
) -> Result<Ending, Failure> {
    if let [Err(line)] = &scenes[..] {
        return Err(line.clone().into());
    }
    let folder = arguments.output.as_deref().unwrap_or(Path::new("xform-report"));
    if folder == Path::new("-") {
        return Err("a report on several scenes needs a folder: --output FOLDER".into());
    }
    let written = pages::write(scenes, folder, arguments, config, workers)?;
    show(&written.index, arguments)?;
    Ok(if written.failed == 0 { Ending::Done } else { Ending::SomeFailed })
}

/// Prints the path of a page, and opens it if requested.
fn show(page: &Path, arguments: &ReportArguments) -> Result<(), Failure> {
    if !arguments.quiet {
        output::say(&page.display().to_string());
    }
    if arguments.open {
        let opened = open::that(page);
        opened.map_err(|error| format!("the page was written but could not be opened: {error}"))?;
    }
    Ok(())
}

fn audit(arguments: &AuditArguments, invocation: &Invocation) -> Result<Ending, Failure> {
    let source = Config::source(&arguments.config)?;
    let config = Config::of_audit(source.as_ref(), arguments)?;
    let overwritten = overwritten(arguments, &config)?;
    // A parameter applies only to built-in scenes, so one is meant.
    if config.can_fail() && arguments.settings.values.is_empty() {
        say_built_in(&arguments.scenes);
    }
    let scenes = files::scenes(arguments, &overwritten)?;
    let style = output::style(&arguments.output);
    let auditor = Auditor::new(arguments, &config, &overwritten, style);
    let is_only = arguments.files_from.is_none() && is_one_file(&arguments.scenes);
    let audits = Audits { auditor, workers: &Workers::new(invocation, source, style), is_only };
    let mut tally = Tally::default();
    let lacks_summary = match auditor.format {
        AuditFormat::Document(format) => {
            audits.write(scenes, format, &mut tally)?;
            matches!(format, DocumentFormat::JsonLines(_) | DocumentFormat::Findings(..))
        }
        #[cfg(feature = "parquet")]
        AuditFormat::Tables(nodes) => {
            audits.write_tables(scenes, nodes, &mut tally)?;
            true
        }
    };
    // Other documents contain the summary.
    if lacks_summary && !arguments.quiet {
        tally.say();
    }
    Ok(tally.ending())
}

/// Reports built-in scenes among these. If a check meant a folder of that name that is gone, it would pass.
fn say_built_in(scenes: &[OsString]) {
    for built_in in scenes.iter().filter_map(|scene| scene_argument::built_in(scene)) {
        let name = built_in.name;
        output::say_problem(&format!(
            "{name}: no such file or folder, so the built-in scene of that name is checked"
        ));
    }
}

/// Whether this is a single scene, and not a folder or a pattern, whatever it matches.
fn is_one_file(scenes: &[OsString]) -> bool {
    matches!(scenes, [scene] if scene_argument::path(scene).is_none_or(Path::is_file))
}

/// Returns the files that an audit would overwrite. Neither its configuration nor its list of files may be among them.
fn overwritten(arguments: &AuditArguments, config: &Config) -> Result<Overwritten, WouldOverwrite> {
    let overwritten = Overwritten::by(&arguments.outputs());
    // Including scenes of other shards.
    let named = arguments.scenes.iter().map(OsString::as_os_str);
    let standard_input = arguments.files_from.iter().map(|list| list.as_os_str());
    let standard_input = standard_input.filter(|&list| list == "-");
    named.chain(standard_input).try_for_each(|input| overwritten.check_scene(input))?;
    check_config(&overwritten, config)?;
    arguments.files_from.iter().try_for_each(|list| overwritten.check(list))?;
    Ok(overwritten)
}

fn check_config(overwritten: &Overwritten, config: &Config) -> Result<(), WouldOverwrite> {
    config.file.iter().try_for_each(|file| overwritten.check(file))
}

/// Runs as a worker of the process that started this one.
fn work() -> Result<Ending, Failure> {
    let failed = |error: io::Error| format!("a worker cannot continue: {error}");
    let told = worker::told().map_err(failed)?;
    let Arguments { command } = told.arguments().map_err(|error| error.to_string())?;
    match &command {
        Command::Audit(arguments) => {
            let config = Config::of_audit(told.hello.config.as_ref(), arguments)?;
            let overwritten = Overwritten::by(&arguments.outputs());
            let auditor = Auditor::new(arguments, &config, &overwritten, told.hello.style);
            told.answer_all(|job, out| auditor.answer(job, out))
        }
        Command::Report(arguments) => {
            let config = Config::over(told.hello.config.as_ref(), &arguments.physics)?;
            let overwritten = Overwritten::by(arguments.output.as_slice());
            let pages = Reporter { arguments, config: &config, overwritten: &overwritten };
            told.answer_all(|job, out| pages.answer(job, out))
        }
        Command::Diff(arguments) => told.answer_all(|job, out| diff::answer(job, arguments, out)),
        _ => Ok(()),
    }
    .map_err(failed)?;
    Ok(Ending::Done)
}

fn sweep(arguments: &SeriesArguments) -> Result<Ending, Failure> {
    let sweep = measure_sweep();
    write(&arguments.output, |out| match arguments.format {
        SeriesFormat::Json => write_sweep_json(&sweep, out),
        SeriesFormat::Csv => write_sweep_csv(&sweep, out),
    })?;
    Ok(Ending::Done)
}

fn drift(arguments: &SeriesArguments) -> Result<Ending, Failure> {
    let drift = measure_drift().map_err(|error| error.to_string())?;
    write(&arguments.output, |out| match arguments.format {
        SeriesFormat::Json => write_drift_json(&drift, out),
        SeriesFormat::Csv => write_drift_csv(&drift, out),
    })?;
    Ok(Ending::Done)
}

fn scenes() -> Result<Ending, Failure> {
    write(Path::new("-"), |out| {
        for scene in BuiltIn::all() {
            writeln!(out, "{:<14}{}", scene.name, scene.summary)?;
            for Parameter { name, meaning, default, min, max, .. } in scene.parameters {
                let setting = format!("--set {name}={default}");
                writeln!(out, "{:14}{setting:<22}{meaning} ({min} to {max})", "")?;
            }
        }
        Ok(())
    })?;
    Ok(Ending::Done)
}

fn completions(shell: Shell) -> Result<Ending, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "xform", &mut script);
    write(Path::new("-"), |out| out.write_all(&script))?;
    Ok(Ending::Done)
}

fn man(command: Option<&str>) -> Result<Ending, Failure> {
    let mut program = Arguments::command();
    program.build();
    let about = match command {
        None => program,
        Some(name) => {
            let found = program.find_subcommand(name).filter(|found| !found.is_hide_set()).cloned();
            found.ok_or_else(|| format!("there is no command `{name}`"))?
        }
    };
    write(Path::new("-"), |out| clap_mangen::Man::new(about).render(out))?;
    Ok(Ending::Done)
}

fn write(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    Ok(output::write(path, content)?)
}
