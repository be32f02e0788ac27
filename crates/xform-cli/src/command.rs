use std::{
    ffi::{OsStr, OsString},
    io::{self, Write},
    num::NonZeroUsize,
    path::Path,
    slice, thread,
};

use clap::CommandFactory;
use clap_complete::Shell;
use xform_compare::{
    BuiltIn, Parameter, measure_drift, measure_sweep, write_diff_json, write_diff_markdown,
    write_diff_text, write_drift_csv, write_drift_json, write_html, write_sweep_csv,
    write_sweep_json,
};

#[cfg(feature = "parquet")]
use crate::arguments::PARQUET_FILES;
use crate::{
    arguments::{
        Arguments, AuditArguments, Command, DiffArguments, DiffFormat, Format, ReportArguments,
        SeriesArguments, SeriesFormat, Settings,
    },
    config::Config,
    document,
    ending::Ending,
    engines, fbx,
    files::{self, Found},
    fix, globs, input,
    memory::Memory,
    output,
    overwritten::{Kept, Overwritten},
    pages,
    progress::Progress,
    rows, scene_argument,
    scene_result::Auditor,
    tally::Tally,
};

/// Does what was asked, or returns a line for each problem.
pub(crate) fn run(arguments: &Arguments) -> Result<Ending, Vec<String>> {
    start_threads(&arguments.command)?;
    match &arguments.command {
        Command::Report(arguments) => report(arguments),
        Command::Audit(arguments) => audit(arguments),
        Command::Diff(arguments) => diff(arguments),
        Command::Fix(arguments) => fix::run(arguments),
        Command::Sweep(arguments) => sweep(arguments),
        Command::Drift(arguments) => drift(arguments),
        Command::Engines => {
            write(Path::new("-"), |out| engines::write_list(out))?;
            Ok(Ending::Done)
        }
        Command::Scenes => scenes(),
        Command::ReadFbx => {
            fbx::answer().map_err(|error| vec![error.to_string()])?;
            Ok(Ending::Done)
        }
        Command::Completions { shell } => completions(*shell),
        Command::Man { command } => man(command.as_deref()),
    }
}

/// Starts the threads that are worked on, which would be a panic later where the system has none to give.
fn start_threads(command: &Command) -> Result<(), Vec<String>> {
    let asked = match command {
        Command::Audit(arguments) => arguments.threads,
        Command::Report(_)
        | Command::Diff(_)
        | Command::Fix(_)
        | Command::Sweep(_)
        | Command::Drift(_) => None,
        Command::Engines
        | Command::Scenes
        | Command::ReadFbx
        | Command::Completions { .. }
        | Command::Man { .. } => {
            return Ok(());
        }
    };
    // More threads than cores only wait for one another.
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = asked.map_or(cores, |asked| asked.get().min(cores));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build_global().map_err(|error| vec![error.to_string()])
}

fn report(arguments: &ReportArguments) -> Result<Ending, Vec<String>> {
    let named: Vec<_> = globs::expanded(&arguments.scenes).collect();
    match &named[..] {
        [Ok(scene)] if !scene_argument::path(scene).is_some_and(Path::is_dir) => {
            report_one(scene, arguments)
        }
        _ => report_many(files::in_folders(named.into_iter()).collect(), arguments),
    }
}

fn report_one(scene: &OsStr, arguments: &ReportArguments) -> Result<Ending, Vec<String>> {
    let output = arguments.output.as_deref().unwrap_or(Path::new("xform-report.html"));
    let overwritten = Overwritten::by(&[output.to_owned()]);
    overwritten.check_scene(scene).map_err(|kept| vec![kept.to_string()])?;
    let progress = Progress::of_one(arguments.quiet);
    let report = input::report(scene, &arguments.settings, arguments.mesh_budget(), &overwritten);
    drop(progress);
    let report = report.map_err(|error| error.problem(scene).lines().collect::<Vec<_>>())?;
    write(output, |out| write_html(&report, out))?;
    if output != Path::new("-") {
        show(output, arguments)?;
    }
    Ok(Ending::Done)
}

/// Writes a page a scene and an index of them; a bad one hides none of the others.
fn report_many(scenes: Vec<Found>, arguments: &ReportArguments) -> Result<Ending, Vec<String>> {
    if let [Err(line)] = &scenes[..] {
        return Err(vec![line.clone()]);
    }
    let folder = arguments.output.as_deref().unwrap_or(Path::new("xform-report"));
    if folder == Path::new("-") {
        return Err(vec!["a report on several scenes needs --output FOLDER".to_owned()]);
    }
    let written = pages::write(scenes, folder, arguments).map_err(|line| vec![line])?;
    show(&written.index, arguments)?;
    Ok(if written.failed == 0 { Ending::Done } else { Ending::SomeFailed })
}

/// Says where a page is, and opens it, as far as that is asked for.
fn show(page: &Path, arguments: &ReportArguments) -> Result<(), Vec<String>> {
    if !arguments.quiet {
        output::say(&page.display().to_string());
    }
    if arguments.open {
        let opened = open::that(page);
        opened.map_err(|error| vec![format!("the page was written, but not opened: {error}")])?;
    }
    Ok(())
}

fn audit(arguments: &AuditArguments) -> Result<Ending, Vec<String>> {
    let config = Config::of(arguments).map_err(|line| vec![line])?;
    let overwritten = overwritten(arguments, &config).map_err(|kept| vec![kept.to_string()])?;
    let scenes = files::scenes(arguments, &overwritten).map_err(|line| vec![line])?;
    let is_one = arguments.files_from.is_none() && is_one_file(&arguments.scenes);
    let memory = if is_one { Memory::unlimited() } else { Memory::available() };
    let auditor = Auditor { arguments, config: &config, overwritten: &overwritten, memory };
    match arguments.format {
        Format::Jsonl => audit_rows(auditor, scenes),
        #[cfg(feature = "parquet")]
        Format::Parquet => audit_tables(auditor, scenes),
        Format::Text | Format::Json | Format::Csv | Format::Markdown | Format::Sarif => {
            audit_as_document(auditor, scenes)
        }
    }
}

/// Whether these are a single scene, and no folder or pattern, whatever is in it.
fn is_one_file(scenes: &[OsString]) -> bool {
    matches!(scenes, [scene] if scene_argument::path(scene).is_none_or(Path::is_file))
}

/// What an audit would overwrite, which must be neither its configuration nor its list of files.
fn overwritten(arguments: &AuditArguments, config: &Config) -> Result<Overwritten, Kept> {
    let overwritten = Overwritten::by(&arguments.outputs());
    // Those of other shards too.
    let named = arguments.scenes.iter().map(OsString::as_os_str);
    let standard_input = arguments.files_from.iter().map(|list| list.as_os_str());
    let standard_input = standard_input.filter(|&list| list == "-");
    named.chain(standard_input).try_for_each(|input| overwritten.check_scene(input))?;
    let mut lists = config.file.iter().chain(&arguments.files_from);
    lists.try_for_each(|list| overwritten.check(list))?;
    Ok(overwritten)
}

/// Writes one document of all scenes; a bad one hides none of the others.
fn audit_as_document(
    auditor: Auditor<'_>,
    scenes: impl Iterator<Item = Result<Found, Kept>>,
) -> Result<Ending, Vec<String>> {
    let mut tally = Tally::default();
    document::write(auditor, scenes, &mut tally)?;
    Ok(ending(&tally))
}

/// Writes a row a scene as it goes. What is wrong with a scene, and what it exceeds, has been said when
/// this ends.
fn audit_rows(
    auditor: Auditor<'_>,
    scenes: impl Iterator<Item = Result<Found, Kept>>,
) -> Result<Ending, Vec<String>> {
    let mut tally = Tally::default();
    write(&auditor.arguments.output, |out| rows::write(auditor, scenes, &mut tally, out))?;
    Ok(tally_ending(&tally, auditor.arguments.quiet))
}

/// Writes two tables as it goes, each whole or not at all.
#[cfg(feature = "parquet")]
fn audit_tables(
    auditor: Auditor<'_>,
    scenes: impl Iterator<Item = Result<Found, Kept>>,
) -> Result<Ending, Vec<String>> {
    if auditor.arguments.output == Path::new("-") {
        return Err(vec!["--format parquet needs --output FOLDER".to_owned()]);
    }
    let mut tally = Tally::default();
    let written = output::write_into(&auditor.arguments.output, PARQUET_FILES, |files| {
        rows::write_tables(auditor, scenes, &mut tally, files)
    });
    written.map_err(|line| vec![line])?;
    Ok(tally_ending(&tally, auditor.arguments.quiet))
}

/// How an audit of many scenes ended; unless it is to be quiet, says what came of them.
fn tally_ending(tally: &Tally, is_quiet: bool) -> Ending {
    let Tally { files, grades, exceeding, ignored, failed } = *tally;
    let scenes = if files == 1 { "scene" } else { "scenes" };
    let ignored = if ignored > 0 { format!("{ignored} ignored, ") } else { String::new() };
    let total = format!(
        "xform: {files} {scenes}: {grades}; {exceeding} beyond a limit, {ignored}{failed} not audited"
    );
    if !is_quiet {
        output::say(&total);
    }
    ending(tally)
}

fn ending(tally: &Tally) -> Ending {
    match (tally.failed, tally.exceeding) {
        (0, 0) => Ending::Done,
        (0, _) => Ending::Exceeded,
        _ => Ending::SomeFailed,
    }
}

fn diff(arguments: &DiffArguments) -> Result<Ending, Vec<String>> {
    let DiffArguments { before, after, format, output, no_animation, undrawn } = arguments;
    let overwritten = Overwritten::by(slice::from_ref(output));
    let kept = [before, after].into_iter().try_for_each(|scene| overwritten.check_scene(scene));
    kept.map_err(|kept| vec![kept.to_string()])?;
    let settings = Settings { no_animation: *no_animation, ..Settings::default() };
    let progress = Progress::of_one(false);
    let audits = [before, after].map(|scene| {
        let audit = input::audit(scene, &settings, *undrawn, None, &overwritten);
        audit.map_err(|error| error.problem(scene).lines().collect::<Vec<_>>())
    });
    drop(progress);
    let problems: Vec<_> =
        audits.iter().filter_map(|audit| audit.as_ref().err()).flatten().cloned().collect();
    let [Ok(before), Ok(after)] = audits else { return Err(problems) };
    let diff = xform_compare::diff(&before, &after);
    write(output, |out| match format {
        DiffFormat::Text => write_diff_text(&diff, out),
        DiffFormat::Markdown => write_diff_markdown(&diff, out),
        DiffFormat::Json => write_diff_json(&diff, out),
    })?;
    Ok(if diff.is_worse() { Ending::Exceeded } else { Ending::Done })
}

fn sweep(arguments: &SeriesArguments) -> Result<Ending, Vec<String>> {
    let sweep = measure_sweep();
    write(&arguments.output, |out| match arguments.format {
        SeriesFormat::Json => write_sweep_json(&sweep, out),
        SeriesFormat::Csv => write_sweep_csv(&sweep, out),
    })?;
    Ok(Ending::Done)
}

fn drift(arguments: &SeriesArguments) -> Result<Ending, Vec<String>> {
    let drift = measure_drift().map_err(|error| vec![error.to_string()])?;
    write(&arguments.output, |out| match arguments.format {
        SeriesFormat::Json => write_drift_json(&drift, out),
        SeriesFormat::Csv => write_drift_csv(&drift, out),
    })?;
    Ok(Ending::Done)
}

fn scenes() -> Result<Ending, Vec<String>> {
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

fn completions(shell: Shell) -> Result<Ending, Vec<String>> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "xform", &mut script);
    write(Path::new("-"), |out| out.write_all(&script))?;
    Ok(Ending::Done)
}

fn man(command: Option<&str>) -> Result<Ending, Vec<String>> {
    let mut program = Arguments::command();
    program.build();
    let about = match command {
        None => program,
        Some(name) => {
            let found = program.find_subcommand(name).cloned();
            found.ok_or_else(|| vec![format!("there is no command `{name}`")])?
        }
    };
    write(Path::new("-"), |out| clap_mangen::Man::new(about).render(out))?;
    Ok(Ending::Done)
}

fn write(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Vec<String>> {
    output::write(path, content).map_err(|line| vec![line])
}
