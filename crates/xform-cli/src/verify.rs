//! `xform verify`: finds the rule that the answers of an importer follow.

use std::{
    ffi::OsStr,
    fs,
    io::{self, Read},
    path::Path,
    slice,
};

use xform_report::{
    write_verification_html, write_verification_json, write_verification_markdown,
    write_verification_text,
};
use xform_verify::{Answers, Question, ROUNDING, Scenes, Verification, kit, verify};

use crate::{
    arguments::VerifyArguments, choices::VerifyFormat, ending::Ending, failure::Failure, globs,
    open_files::open_regular, output, overwritten::Overwritten,
};

/// Writes which rule the answers follow, or writes the test scenes.
pub(crate) fn run(arguments: &VerifyArguments) -> Result<Ending, Failure> {
    if let Some(folder) = &arguments.write_scenes {
        return write_scenes(folder);
    }
    let overwritten = Overwritten::by(slice::from_ref(&arguments.output));
    let scenes = match &arguments.scenes {
        Some(folder) => Scenes::in_folder(folder).map_err(|error| {
            let lines = error.to_string();
            Failure(lines.lines().map(str::to_owned).collect())
        })?,
        None => Scenes::kit(),
    };
    let (mut answers, mut problems) = (Vec::new(), Vec::new());
    for named in globs::expanded(&arguments.answers) {
        let read = named.and_then(|named| {
            let name = named.to_string_lossy().into_owned();
            read(&named, &overwritten).map(|runs| (name.clone(), runs)).map_err(|why| {
                let name = if name == "-" { "standard input" } else { &*name };
                format!("{name}: {why}")
            })
        });
        match read {
            Ok(read) => answers.push(read),
            Err(line) => problems.push(line),
        }
    }
    if answers.is_empty() {
        return Err(Failure(problems));
    }
    let question =
        Question { expected: arguments.expect, bound: arguments.tolerance.unwrap_or(ROUNDING) };
    let found = verify(&answers, &scenes, &question);
    write(&arguments.output, arguments.format, &found)?;
    problems.iter().for_each(|line| output::say_problem(line));
    let mut ending = Ending::Done;
    for run in found.runs.iter().filter(|run| !run.holds(arguments.allow_unknown)) {
        // Text contains it already, and so does a page.
        if !matches!(arguments.format, VerifyFormat::Text) {
            output::say_problem(&format!("{}: {}", run.title(), run.headline));
        }
        ending = Ending::Exceeded;
    }
    Ok(if problems.is_empty() { ending } else { Ending::SomeFailed })
}

/// Writes the page about all engines that were run.
pub(crate) fn write_recorded(path: &Path) -> Result<(), Failure> {
    Ok(output::write(path, |out| write_verification_html(&xform_verify::recorded(), out))?)
}

fn write(path: &Path, format: VerifyFormat, found: &Verification) -> Result<(), Failure> {
    let style = output::style(path);
    Ok(output::write(path, |out| match format {
        VerifyFormat::Text => write_verification_text(found, style, out),
        VerifyFormat::Json => write_verification_json(found, out),
        VerifyFormat::Markdown => write_verification_markdown(found, out),
        VerifyFormat::Html => write_verification_html(found, out),
    })?)
}

fn read(named: &OsStr, overwritten: &Overwritten) -> Result<Vec<Answers>, String> {
    overwritten.check_scene(named).map_err(|kept| kept.to_string())?;
    let mut bytes = Vec::new();
    let read = if named == "-" {
        io::stdin().lock().read_to_end(&mut bytes)
    } else {
        open_regular(Path::new(named)).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    read.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        _ => error.to_string(),
    })?;
    Answers::read(&bytes).map_err(|error| error.to_string())
}

/// Writes the scenes of the kit into a folder. An existing file with other content stays and is reported.
fn write_scenes(folder: &Path) -> Result<Ending, Failure> {
    output::make_folder(folder)?;
    let path = |name: &str| folder.join(format!("{name}.gltf"));
    let other = |scene: &&kit::KitScene| {
        let path = path(scene.name);
        // A folder or link with the name also counts as another file.
        let is_same = || fs::read(&path).is_ok_and(|found| found == scene.gltf.as_bytes());
        fs::symlink_metadata(&path).is_ok_and(|there| !(there.is_file() && is_same()))
    };
    let others: Vec<_> = kit::SCENES
        .iter()
        .filter(other)
        .map(|scene| format!("{}: another file of this name exists", path(scene.name).display()))
        .collect();
    if !others.is_empty() {
        return Err(Failure(others));
    }
    for scene in kit::SCENES {
        output::replace(&path(scene.name), scene.gltf.as_bytes())?;
    }
    output::write(Path::new("-"), |out| {
        writeln!(out, "{} scenes are in {}", kit::SCENES.len(), folder.display())
    })?;
    Ok(Ending::Done)
}
