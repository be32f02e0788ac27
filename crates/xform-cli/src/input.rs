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
    #[error("no such file{}", suggested(.0))]
    Missing(Option<&'static str>),
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
            Self::Io(_) | Self::Directory | Self::Missing(_) => {
                (ErrorCode::Unreadable.name(), String::new())
            }
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
        Problem::new(name, code, pointer, format!("{name}: {self} ({code})"))
    }
}

/// Reads and compares one scene. `undrawn`: nodes that draw nothing count too.
pub(crate) fn audit(
    scene: &OsStr,
    settings: &Settings,
    undrawn: bool,
) -> Result<SceneAudit, Problem> {
    let name = name(scene);
    let audit = load(scene, &name, settings).and_then(|mut scene| {
        scene.counts_undrawn = undrawn;
        Ok(compare(&scene)?)
    });
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

/// What a scene of the command line is called.
pub(crate) fn name(scene: &OsStr) -> Cow<'_, str> {
    if scene == "-" { "standard input".into() } else { scene.to_string_lossy() }
}

fn built_in(scene: &OsStr) -> Option<&'static BuiltIn> {
    scene.to_str().and_then(BuiltIn::named)
}

/// The file or folder that a scene names; `None` for a built-in scene and for standard input.
pub(crate) fn path(scene: &OsStr) -> Option<&Path> {
    (scene != "-" && built_in(scene).is_none()).then(|| Path::new(scene))
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
    if matches!(path.try_exists(), Ok(false)) {
        return Err(InputError::Missing(near(name)));
    }
    let animations = if settings.no_animation { Animations::Skip } else { Animations::Read };
    Ok(read_gltf_file(path, animations)?)
}

/// How alike two names are from which on one may be a slip of the other: as in clap's suggestions.
const ALIKE: f64 = 0.7;

/// The built-in scene whose name is nearest to one that nothing has, if it is near at all.
fn near(name: &str) -> Option<&'static str> {
    let alike = |scene: &'static BuiltIn| (strsim::jaro(name, scene.name), scene.name);
    let nearest = BuiltIn::all().iter().map(alike).max_by(|a, b| a.0.total_cmp(&b.0));
    nearest.filter(|&(alike, _)| alike > ALIKE).map(|(_, name)| name)
}

fn suggested(name: &Option<&'static str>) -> String {
    let name = name.map(|name| format!("; did you mean the built-in scene `{name}`?"));
    name.unwrap_or_default()
}

fn standard_input() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}
