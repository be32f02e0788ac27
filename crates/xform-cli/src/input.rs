use std::{
    ffi::OsStr,
    io::{self, Read},
    path::Path,
};

use xform_compare::{
    CompareError, SceneAudit,
    audit::{EngineChoice, Problem},
    compare_engines,
    judge::{Report, ReportError, is_alike},
    measure::collide,
};
use xform_fix::repairs;
use xform_scene::{
    BuiltIn, Drawing, ErrorCode, Scene,
    built_in::SettingError,
    gltf::{Animations, GltfAsset, GltfErrors, read_gltf_drawing, read_gltf_file_drawing},
    read_gltf, read_gltf_file,
};

use crate::{
    arguments::{ReadingArguments, ReportArguments},
    config::Config,
    engines,
    fbx::{self, FbxError},
    job::Job,
    open_files::open_regular,
    overwritten::{Overwritten, WouldOverwrite},
    scene_argument::{built_in, folder_of, name, path},
    suggestion::nearest,
    workers::Lost,
};

/// A problem with a scene from the command line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it is a directory")]
    Directory,
    #[error("no such file{}", suggested(.0))]
    Missing(Option<&'static str>),
    #[error("the link is dead")]
    DeadLink,
    #[error(transparent)]
    Lost(#[from] Lost),
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
    #[error("--set works only for built-in scenes")]
    SettingOfFile,
    #[error(transparent)]
    WouldOverwrite(#[from] WouldOverwrite),
}

impl InputError {
    /// Converts the error to a problem of this scene.
    pub(crate) fn problem(&self, scene: &OsStr) -> Problem {
        let name = name(scene);
        let whole = |code: &'static str| Problem::of_file(&name, code, self);
        match self {
            Self::Gltf(errors) => Problem::of_gltf(&name, errors),
            Self::Compare(error) | Self::Report(ReportError::Compare(error)) => {
                Problem::of_scene(&name, error)
            }
            Self::WouldOverwrite(kept) => {
                Problem::new(&*name, ErrorCode::Unreadable.name(), "", kept.to_string())
            }
            Self::Io(_) | Self::Directory | Self::Missing(_) | Self::DeadLink => {
                whole(ErrorCode::Unreadable.name())
            }
            Self::Fbx(error) => whole(error.code.name()),
            Self::Lost(lost) => whole(lost.code().name()),
            Self::Setting(_) | Self::Report(_) | Self::SettingOfFile => whole("setting"),
        }
    }
}

/// Reads and compares a scene of a job, as the configuration requires.
pub(crate) fn audit(
    scene: &OsStr,
    job: &Job,
    settings: &ReadingArguments,
    config: &Config,
    engines: &EngineChoice,
    overwritten: &Overwritten,
) -> Result<SceneAudit, InputError> {
    audited(scene, job, settings, config, engines, false, overwritten).map(|(_, audit)| audit)
}

/// Reads and audits a scene of a job. With `is_drawn`, its meshes are read even if the comparison does not need them.
fn audited(
    scene: &OsStr,
    job: &Job,
    settings: &ReadingArguments,
    config: &Config,
    engines: &EngineChoice,
    is_drawn: bool,
    overwritten: &Overwritten,
) -> Result<(Scene, SceneAudit), InputError> {
    let physics = &config.physics;
    // Colliders may use the vertices of meshes.
    let is_asked = !physics.engines.is_empty();
    let mut loaded = load(scene, job, settings, is_asked || is_drawn, overwritten)?;
    loaded.counts_undrawn = config.undrawn;
    let mut audit = compare_engines(&loaded, engines)?;
    if is_asked {
        audit.physics = collide(&loaded, physics, audit.summary.diagonal);
    }
    Ok((loaded, audit))
}

/// Reads a scene of a job with its meshes. With `undrawn`, nodes that draw nothing count too.
pub(crate) fn drawn(
    scene: &OsStr,
    job: &Job,
    settings: &ReadingArguments,
    undrawn: bool,
    overwritten: &Overwritten,
) -> Result<Scene, InputError> {
    let mut loaded = load(scene, job, settings, true, overwritten)?;
    loaded.counts_undrawn = undrawn;
    Ok(loaded)
}

/// Tries the possible repairs of a scene that looks different, so that no useless command is advised.
pub(crate) fn try_repairs(scene: &OsStr, audit: &mut SceneAudit) {
    let engines = audit.engines.choice();
    let Some(path) = path(scene).filter(|_| audit.summary.grade.is_seen() && audit.fbx.is_none())
    else {
        return;
    };
    let mut bytes = Vec::new();
    let read = open_regular(path).and_then(|mut file| file.read_to_end(&mut bytes));
    let repairs = read.ok().and_then(|_| {
        // A file that cannot be read any more cannot be repaired either.
        let asset = GltfAsset::read(&bytes, Some(folder_of(path))).ok()?;
        repairs(&bytes, &asset, &audit.source, &engines).ok()
    });
    audit.repairs = repairs.unwrap_or_default();
}

/// The material for a report.
pub(crate) enum Reported {
    Differs(Box<Report>),
    /// Nothing differs and no page was requested.
    Alike(Box<SceneAudit>),
}

/// Reads the first scene of a job and prepares its report. With `is_wanted`, also if nothing differs.
pub(crate) fn report(
    job: &Job,
    arguments: &ReportArguments,
    config: &Config,
    is_wanted: bool,
    overwritten: &Overwritten,
) -> Result<Reported, InputError> {
    let (settings, mesh_budget) = (&arguments.settings, arguments.mesh_budget());
    let scene = &*job.scenes[0];
    let is_built_in = built_in(scene).is_some();
    let engines = engines::choice(settings, &config.engines, is_built_in);
    // Scenes with sliders have no animation, and no colliders at each position of the sliders.
    let is_asked = !config.physics.engines.is_empty();
    let built_in = built_in(scene).filter(|_| !settings.no_animation && !is_asked);
    let mut report = if let Some(built_in) = built_in {
        Report::of_built_in_in(built_in, &settings.values, &engines)?
    } else {
        // FBX is converted once for both uses; the meshes of glTF are read only if there is a page.
        let is_drawn = mesh_budget.is_some() && job.fbx_len().is_some();
        let (mut loaded, mut audit) =
            audited(scene, job, settings, config, &engines, is_drawn, overwritten)?;
        if !is_wanted && is_alike(&audit) {
            return Ok(Reported::Alike(Box::new(audit)));
        }
        if mesh_budget.is_some() && !is_drawn {
            draw(&mut loaded, scene, job)?;
        }
        try_repairs(scene, &mut audit);
        Report::of_audit(&loaded, audit)
    };
    match mesh_budget {
        Some(budget) => report.mesh_budget = budget,
        None => report.drawing = Drawing::default(),
    }
    Ok(Reported::Differs(Box::new(report)))
}

/// Reads a scene, with its meshes if requested.
fn load(
    scene: &OsStr,
    job: &Job,
    settings: &ReadingArguments,
    is_drawn: bool,
    overwritten: &Overwritten,
) -> Result<Scene, InputError> {
    let at_rest = |scene: Scene| if settings.no_animation { scene.at_rest() } else { scene };
    if let Some(built_in) = built_in(scene) {
        return Ok(at_rest(built_in.scene(&settings.values)?));
    }
    if !settings.values.is_empty() {
        return Err(InputError::SettingOfFile);
    }
    let name = name(scene);
    if scene == "-" {
        let bytes = job.standard_input.as_deref().unwrap_or_default();
        if fbx::is_fbx(bytes) {
            return Ok(at_rest(fbx::read(bytes, &name, is_drawn)?));
        }
        let mut loaded = read_gltf(bytes, &name)?;
        if is_drawn {
            draw(&mut loaded, scene, job)?;
        }
        return Ok(at_rest(loaded));
    }
    let path = Path::new(scene);
    if path.is_dir() {
        return Err(InputError::Directory);
    }
    if path.is_symlink() && !path.exists() {
        return Err(InputError::DeadLink);
    }
    if matches!(path.try_exists(), Ok(false)) {
        return Err(InputError::Missing(nearest(&name, built_in_names())));
    }
    if fbx::is_file(path) {
        let mut bytes = Vec::new();
        open_regular(path)?.read_to_end(&mut bytes)?;
        return Ok(at_rest(fbx::read(&bytes, &name, is_drawn)?));
    }
    let animations = if settings.no_animation { Animations::Skip } else { Animations::Read };
    let mut loaded = read_gltf_file(path, animations)?;
    if is_drawn {
        draw(&mut loaded, scene, job)?;
    }
    overwritten.check_buffers(&loaded)?;
    Ok(loaded)
}

/// Reads the meshes of a glTF scene. A built-in scene has only its boxes.
fn draw(loaded: &mut Scene, scene: &OsStr, job: &Job) -> Result<(), InputError> {
    if scene == "-" {
        loaded.drawing = read_gltf_drawing(job.standard_input.as_deref().unwrap_or_default())?;
    } else if let Some(path) = path(scene) {
        loaded.drawing = read_gltf_file_drawing(path)?;
    }
    Ok(())
}

fn built_in_names() -> impl Iterator<Item = &'static str> {
    BuiltIn::all().iter().map(|scene| scene.name)
}

fn suggested(name: &Option<&'static str>) -> String {
    let name = name.map(|name| format!("; did you mean the built-in scene `{name}`?"));
    name.unwrap_or_default()
}
