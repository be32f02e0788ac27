use std::{
    ffi::OsString,
    io::{self, Write},
    path::Path,
};

use xform_compare::{
    Audit, BuiltIn, Drift, Parameter, SceneAudit, Sweep, write_csv, write_drift_csv,
    write_drift_json, write_html, write_json, write_markdown, write_sweep_csv, write_sweep_json,
    write_text,
};

use crate::{
    arguments::{
        Arguments, AuditArguments, Command, Format, ReportArguments, SeriesArguments, SeriesFormat,
        Settings,
    },
    input, limits, output,
};

/// Does what was asked. Returns a line for each limit that was exceeded, or for each problem.
pub(crate) fn run(arguments: &Arguments) -> Result<Vec<String>, Vec<String>> {
    match &arguments.command {
        Command::Report(arguments) => report(arguments),
        Command::Audit(arguments) => audit(arguments),
        Command::Sweep(arguments) => sweep(arguments),
        Command::Drift(arguments) => drift(arguments),
        Command::Scenes => scenes(),
    }
}

fn report(arguments: &ReportArguments) -> Result<Vec<String>, Vec<String>> {
    let report = input::report(&arguments.scene, &arguments.settings).map_err(|line| vec![line])?;
    write(&arguments.output, |mut out| write_html(&report, &mut out))?;
    if arguments.output != Path::new("-") {
        output::say(&arguments.output.display().to_string());
    }
    Ok(Vec::new())
}

fn audit(arguments: &AuditArguments) -> Result<Vec<String>, Vec<String>> {
    let scenes = audit_all(&arguments.scenes, &arguments.settings)?;
    let exceeded = scenes.iter().flat_map(|scene| limits::exceeded(scene, arguments)).collect();
    let audit = Audit::new(scenes);
    write(&arguments.output, |mut out| match arguments.format {
        Format::Text => write_text(&audit, output::colour(&arguments.output), &mut out),
        Format::Json => write_json(&audit, arguments.nodes.into(), &mut out),
        Format::Csv => write_csv(&audit, arguments.nodes.into(), &mut out),
        Format::Markdown => write_markdown(&audit, &mut out),
    })?;
    Ok(exceeded)
}

/// All the scenes, or all the problems.
fn audit_all(scenes: &[OsString], settings: &Settings) -> Result<Vec<SceneAudit>, Vec<String>> {
    let mut audits = Vec::with_capacity(scenes.len());
    let mut problems = Vec::new();
    for scene in scenes {
        match input::audit(scene, settings) {
            Ok(audit) => audits.push(audit),
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(audits) } else { Err(problems) }
}

fn sweep(arguments: &SeriesArguments) -> Result<Vec<String>, Vec<String>> {
    let sweep = Sweep::measure();
    write(&arguments.output, |mut out| match arguments.format {
        SeriesFormat::Json => write_sweep_json(&sweep, &mut out),
        SeriesFormat::Csv => write_sweep_csv(&sweep, &mut out),
    })?;
    Ok(Vec::new())
}

fn drift(arguments: &SeriesArguments) -> Result<Vec<String>, Vec<String>> {
    let drift = Drift::measure().map_err(|error| vec![error.to_string()])?;
    write(&arguments.output, |mut out| match arguments.format {
        SeriesFormat::Json => write_drift_json(&drift, &mut out),
        SeriesFormat::Csv => write_drift_csv(&drift, &mut out),
    })?;
    Ok(Vec::new())
}

fn scenes() -> Result<Vec<String>, Vec<String>> {
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
    Ok(Vec::new())
}

fn write(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Vec<String>> {
    output::write(path, content).map_err(|line| vec![line])
}
