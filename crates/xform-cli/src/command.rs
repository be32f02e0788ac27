use std::{
    io::{self, Write},
    path::Path,
};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use xform_compare::{
    Audit, BuiltIn, Parameter, measure_drift, measure_sweep, write_csv, write_drift_csv,
    write_drift_json, write_html, write_json, write_markdown, write_sarif, write_sweep_csv,
    write_sweep_json, write_text,
};

use crate::{
    arguments::{
        Arguments, AuditArguments, Command, Format, NodeChoice, ReportArguments, SeriesArguments,
        SeriesFormat,
    },
    config::Config,
    files::{self, Found},
    input, output,
    rows::{self, Tally},
    scene_result::{Audited, SceneResult, audit_scene},
};

/// How the program ends where something was written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ending {
    Done,
    /// Something was written, and a limit was exceeded.
    Exceeded,
    /// Something was written, and some of the scenes could not be audited.
    SomeFailed,
}

/// Does what was asked, or returns a line for each problem.
pub(crate) fn run(arguments: &Arguments) -> Result<Ending, Vec<String>> {
    match &arguments.command {
        Command::Report(arguments) => report(arguments),
        Command::Audit(arguments) => audit(arguments),
        Command::Sweep(arguments) => sweep(arguments),
        Command::Drift(arguments) => drift(arguments),
        Command::Scenes => scenes(),
    }
}

fn report(arguments: &ReportArguments) -> Result<Ending, Vec<String>> {
    let report = input::report(&arguments.scene, &arguments.settings);
    let report = report.map_err(|problem| vec![problem.error])?;
    write(&arguments.output, |out| write_html(&report, out))?;
    if arguments.output != Path::new("-") {
        output::say(&arguments.output.display().to_string());
    }
    Ok(Ending::Done)
}

fn audit(arguments: &AuditArguments) -> Result<Ending, Vec<String>> {
    if let Some(threads) = arguments.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get());
        pool.build_global().map_err(|error| vec![error.to_string()])?;
    }
    let config = Config::of(arguments).map_err(|line| vec![line])?;
    let scenes = files::scenes(arguments).map_err(|line| vec![line])?;
    match arguments.format {
        Format::Jsonl => audit_rows(arguments, &config, scenes),
        #[cfg(feature = "parquet")]
        Format::Parquet => audit_tables(arguments, &config, scenes),
        Format::Text | Format::Json | Format::Csv | Format::Markdown | Format::Sarif => {
            audit_at_once(arguments, &config, scenes)
        }
    }
}

/// Audits all scenes, then writes what was found: nothing, if one of them is bad.
fn audit_at_once(
    arguments: &AuditArguments,
    config: &Config,
    scenes: impl Iterator<Item = Found>,
) -> Result<Ending, Vec<String>> {
    let audited = audit_all(scenes, arguments, config)?;
    let nodes = arguments.nodes.unwrap_or(NodeChoice::All).into();
    let exceeded: Vec<_> = audited.iter().flat_map(Audited::exceeded).collect();
    let audited = audited.into_iter().map(|one| (one.audit, one.findings));
    let (scenes, findings): (Vec<_>, Vec<_>) = audited.unzip();
    let audit = Audit::new(scenes);
    write(&arguments.output, |out| match arguments.format {
        Format::Text => write_text(&audit, output::colour(&arguments.output), out),
        Format::Json => write_json(&audit, nodes, out),
        Format::Csv => write_csv(&audit, nodes, out),
        Format::Markdown => write_markdown(&audit, out),
        Format::Sarif => {
            let sources = audit.scenes.iter().map(|scene| scene.source.as_str());
            write_sarif(sources.zip(findings.iter().map(Vec::as_slice)), out)
        }
        Format::Jsonl => unreachable!("written as it goes"),
        #[cfg(feature = "parquet")]
        Format::Parquet => unreachable!("written as it goes"),
    })?;
    exceeded.iter().for_each(|line| output::say_problem(line));
    Ok(if exceeded.is_empty() { Ending::Done } else { Ending::Exceeded })
}

/// All the scenes with what was found in them, or all the problems.
fn audit_all(
    scenes: impl Iterator<Item = Found>,
    arguments: &AuditArguments,
    config: &Config,
) -> Result<Vec<Audited>, Vec<String>> {
    let scenes: Vec<_> = scenes.collect();
    let results = scenes.par_iter().map(|scene| audit_scene(scene, arguments, config));
    let results: Vec<_> = results.collect();
    let (mut audits, mut problems) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            SceneResult::Audited(audited) => audits.push(*audited),
            SceneResult::Ignored { source, reason } => {
                output::say_problem(&format!("{source}: ignored: {reason}"));
            }
            SceneResult::Failed { problem, .. } => problems.push(problem.error),
        }
    }
    if problems.is_empty() { Ok(audits) } else { Err(problems) }
}

/// Writes a row a scene as it goes. What is wrong with a scene, and what it exceeds, has been said when
/// this ends.
fn audit_rows(
    arguments: &AuditArguments,
    config: &Config,
    scenes: impl Iterator<Item = Found>,
) -> Result<Ending, Vec<String>> {
    let mut tally = Tally::default();
    write(&arguments.output, |out| rows::write((arguments, config), scenes, &mut tally, out))?;
    Ok(say_tally(&tally))
}

/// Writes two tables as it goes, each whole or not at all.
#[cfg(feature = "parquet")]
fn audit_tables(
    arguments: &AuditArguments,
    config: &Config,
    scenes: impl Iterator<Item = Found>,
) -> Result<Ending, Vec<String>> {
    if arguments.output == Path::new("-") {
        return Err(vec!["--format parquet needs --output FOLDER".to_owned()]);
    }
    let mut tally = Tally::default();
    let names = ["assets.parquet", "nodes.parquet"];
    let written = output::write_into(&arguments.output, names, |files| {
        rows::write_tables((arguments, config), scenes, &mut tally, files)
    });
    written.map_err(|line| vec![line])?;
    Ok(say_tally(&tally))
}

/// Says what came of many scenes, and how it ended.
fn say_tally(tally: &Tally) -> Ending {
    let Tally { files, differing, exceeding, ignored, failed } = *tally;
    let scenes = if files == 1 { "scene" } else { "scenes" };
    let ignored = if ignored > 0 { format!("{ignored} ignored, ") } else { String::new() };
    output::say(&format!(
        "xform: {files} {scenes}: {differing} with nodes that differ, {exceeding} beyond a limit, \
         {ignored}{failed} not audited"
    ));
    match (failed, exceeding) {
        (0, 0) => Ending::Done,
        (0, _) => Ending::Exceeded,
        _ => Ending::SomeFailed,
    }
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

fn write(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Vec<String>> {
    output::write(path, content).map_err(|line| vec![line])
}
