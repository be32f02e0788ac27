use std::{
    borrow::Cow,
    ffi::OsStr,
    io::{self, Read},
    path::Path,
};

use thiserror::Error;
use xform_compare::{
    Animations, BuiltIn, CompareError, ErrorCode, GltfError, Problem, Report, ReportError, Scene,
    SceneAudit, SettingError, compare, read_gltf, read_gltf_file,
};

use crate::arguments::Settings;

/// What is wrong with one of the scenes named on the command line.
#[derive(Debug, Error)]
pub(crate) enum InputError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it is a directory")]
    Directory,
    #[error(transparent)]
    Gltf(#[from] GltfError),
    #[error(transparent)]
    Compare(#[from] CompareError),
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error("--set works on built-in scenes alone")]
    SettingOfFile,
}

impl InputError {
    /// Its kind by a stable name, which docs/defects.md lists, and its place in the file.
    fn place(&self) -> (&'static str, String) {
        match self {
            Self::Io(_) | Self::Directory => (ErrorCode::Unreadable.name(), String::new()),
            Self::Gltf(error) => (error.code().name(), error.pointer()),
            Self::Compare(error) | Self::Report(ReportError::Compare(error)) => {
                (error.code().name(), error.pointer())
            }
            _ => ("setting", String::new()),
        }
    }

    /// One line that names the file, and what it is called.
    fn problem(&self, name: &str) -> Problem {
        let (code, pointer) = self.place();
        Problem::new(code, pointer, format!("{name}: {self} ({code})"))
    }
}

/// Reads and compares one scene.
pub(crate) fn audit(scene: &OsStr, settings: &Settings) -> Result<SceneAudit, Problem> {
    let name = name(scene);
    let audit = load(scene, &name, settings).and_then(|scene| Ok(compare(&scene)?));
    audit.map_err(|error| error.problem(&name))
}

/// Reads one scene and makes the report on it.
pub(crate) fn report(scene: &OsStr, settings: &Settings) -> Result<Report, Problem> {
    let name = name(scene);
    let report = match built_in(scene) {
        Some(built_in) => Report::of_built_in(built_in, &settings.values).map_err(Into::into),
        None => load(scene, &name, settings).and_then(|scene| Ok(Report::of_scene(&scene)?)),
    };
    report.map_err(|error: InputError| error.problem(&name))
}

fn name(scene: &OsStr) -> Cow<'_, str> {
    if scene == "-" { "standard input".into() } else { scene.to_string_lossy() }
}

fn built_in(scene: &OsStr) -> Option<&'static BuiltIn> {
    scene.to_str().and_then(BuiltIn::named)
}

fn load(scene: &OsStr, name: &str, settings: &Settings) -> Result<Scene, InputError> {
    if let Some(built_in) = built_in(scene) {
        return Ok(built_in.scene(&settings.values)?);
    }
    if !settings.values.is_empty() {
        return Err(InputError::SettingOfFile);
    }
    if scene == "-" {
        let scene = read_gltf(&standard_input()?, name)?;
        return Ok(if settings.no_animation { scene.at_rest() } else { scene });
    }
    let path = Path::new(scene);
    if path.is_dir() {
        return Err(InputError::Directory);
    }
    let animations = if settings.no_animation { Animations::Skip } else { Animations::Read };
    Ok(read_gltf_file(path, animations)?)
}

fn standard_input() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}
