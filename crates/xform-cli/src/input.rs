use std::{
    ffi::OsStr,
    io::{self, Read},
    path::Path,
};

use xform_compare::{
    Animations, BuiltIn, CompareError, Drawing, EngineChoice, ErrorCode, GltfErrors, Problem,
    Report, ReportError, Scene, SceneAudit, SettingError, compare, compare_engines, read_gltf,
    read_gltf_drawing, read_gltf_file, read_gltf_file_drawing,
};

use crate::{
    arguments::Settings,
    engines,
    fbx::{self, FbxError},
    overwritten::{Kept, Overwritten},
    scene_argument::{built_in, name},
    suggestion::nearest,
};

/// What is wrong with one of the scenes named on the command line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it is a directory")]
    Directory,
    #[error("no such file{}", suggested(.0))]
    Missing(Option<&'static str>),
    #[error("it takes more memory than there is")]
    OutOfMemory,
    #[error(transparent)]
    Gltf(#[from] GltfErrors),
    #[error(transparent)]
    Fbx(#[from] FbxError),
    #[error(transparent)]
    Compare(#[from] CompareError),
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error("--set works on built-in scenes alone")]
    SettingOfFile,
    #[error(transparent)]
    Kept(#[from] Kept),
}

impl InputError {
    /// What is wrong with this scene of the command line.
    pub(crate) fn problem(&self, scene: &OsStr) -> Problem {
        let name = name(scene);
        let whole = |code: &'static str| Problem::of_file(&name, code, self);
        match self {
            Self::Gltf(errors) => Problem::of_gltf(&name, errors),
            Self::Compare(error) | Self::Report(ReportError::Compare(error)) => {
                Problem::of_scene(&name, error)
            }
            Self::Kept(kept) => {
                Problem::new(&*name, ErrorCode::Unreadable.name(), "", kept.to_string())
            }
            Self::Io(_) | Self::Directory | Self::Missing(_) => whole(ErrorCode::Unreadable.name()),
            Self::Fbx(error) => whole(error.code.name()),
            Self::OutOfMemory => whole(ErrorCode::OutOfMemory.name()),
            Self::Setting(_) | Self::Report(_) | Self::SettingOfFile => whole("setting"),
        }
    }
}

/// Reads and compares one scene. `undrawn`: nodes that draw nothing count too.
pub(crate) fn audit(
    scene: &OsStr,
    settings: &Settings,
    undrawn: bool,
    engines: Option<&EngineChoice>,
    overwritten: &Overwritten,
) -> Result<SceneAudit, InputError> {
    let mut scene = load(scene, settings, false, overwritten)?;
    scene.counts_undrawn = undrawn;
    Ok(compared(&scene, engines)?)
}

fn compared(scene: &Scene, engines: Option<&EngineChoice>) -> Result<SceneAudit, CompareError> {
    engines.map_or_else(|| compare(scene), |engines| compare_engines(scene, engines))
}

/// Reads one scene and makes the report on it.
pub(crate) fn report(
    scene: &OsStr,
    settings: &Settings,
    mesh_budget: Option<u64>,
    overwritten: &Overwritten,
) -> Result<Report, InputError> {
    let is_built_in = built_in(scene).is_some();
    let engines = engines::choice(settings, &[], is_built_in);
    let loaded = load(scene, settings, mesh_budget.is_some(), overwritten)?;
    let audit = compared(&loaded, engines.as_ref())?;
    let Some(built_in) = built_in(scene) else {
        let mut report = Report::of_audit(&loaded, audit);
        report.mesh_budget = mesh_budget.unwrap_or(0);
        return Ok(report);
    };
    let mut report = Report::of_built_in(built_in, &settings.values)?;
    report.audit.engines = audit.engines;
    match mesh_budget {
        Some(budget) => report.mesh_budget = budget,
        None => report.drawing = Drawing::default(),
    }
    Ok(report)
}

/// Reads a scene, and what is drawn of it where that is wanted.
fn load(
    scene: &OsStr,
    settings: &Settings,
    is_drawn: bool,
    overwritten: &Overwritten,
) -> Result<Scene, InputError> {
    if let Some(built_in) = built_in(scene) {
        return Ok(built_in.scene(&settings.values)?);
    }
    if !settings.values.is_empty() {
        return Err(InputError::SettingOfFile);
    }
    if scene == "-" {
        let bytes = standard_input()?;
        if fbx::is_fbx(&bytes) {
            let scene = fbx::read_bytes(&bytes, &name(scene), is_drawn)??;
            return Ok(if settings.no_animation { scene.at_rest() } else { scene });
        }
        let mut scene = read_gltf(&bytes, &name(scene))?;
        if is_drawn {
            scene.drawing = read_gltf_drawing(&bytes)?;
        }
        return Ok(if settings.no_animation { scene.at_rest() } else { scene });
    }
    let path = Path::new(scene);
    if path.is_dir() {
        return Err(InputError::Directory);
    }
    if matches!(path.try_exists(), Ok(false)) {
        return Err(InputError::Missing(nearest(&name(scene), built_in_names())));
    }
    if fbx::is_file(path) {
        let scene = fbx::read_file(path, &name(scene), is_drawn)??;
        return Ok(if settings.no_animation { scene.at_rest() } else { scene });
    }
    let animations = if settings.no_animation { Animations::Skip } else { Animations::Read };
    let mut scene = read_gltf_file(path, animations)?;
    if is_drawn {
        scene.drawing = read_gltf_file_drawing(path)?;
    }
    overwritten.check_buffers(&scene)?;
    Ok(scene)
}

fn built_in_names() -> impl Iterator<Item = &'static str> {
    BuiltIn::all().iter().map(|scene| scene.name)
}

fn suggested(name: &Option<&'static str>) -> String {
    let name = name.map(|name| format!("; did you mean the built-in scene `{name}`?"));
    name.unwrap_or_default()
}

/// How many bytes of standard input are read: a GLB can have no more.
const MOST: u64 = 1 << 32;

fn standard_input() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(MOST + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MOST {
        true => Err(io::Error::other(format!("it has more than {MOST} bytes"))),
        false => Ok(bytes),
    }
}
