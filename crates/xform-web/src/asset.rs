use std::collections::HashMap;

use wasm_bindgen::prelude::wasm_bindgen;
use xform_compare::{
    SceneAudit,
    audit::{EngineChoice, Problem},
    compare_engines,
    judge::{DiffOptions, DiffReport, Report},
};
use xform_fix::repairs;
use xform_report::{NodeSelection, diff::write_diff_json, write_diff_html, write_html, write_json};
use xform_scene::{
    BuiltIn, Scene,
    fbx::is_fbx,
    gltf::{GltfAsset, gltf_buffer_files, read_gltf_drawing_with},
    read_gltf_with,
};

use crate::{fbx, problem::Failure, repaired::Repaired, written::written};

/// The files that an asset refers to, by their path relative to it.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Files(HashMap<String, Vec<u8>>);

#[wasm_bindgen]
impl Files {
    /// Creates an empty set of files.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file. The path has `/` as separator.
    pub fn add(&mut self, path: String, bytes: Vec<u8>) {
        self.0.insert(path, bytes);
    }
}

/// A file to be read.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Model {
    source: String,
    bytes: Vec<u8>,
}

#[wasm_bindgen]
impl Model {
    /// Creates the file of this name.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(source: String, bytes: Vec<u8>) -> Self {
        Self { source, bytes }
    }

    /// The paths of the files with its buffers. Empty if it is not glTF; [`read`](Self::read) reports that.
    #[must_use]
    pub fn needs(&self) -> Vec<String> {
        gltf_buffer_files(&self.bytes).unwrap_or_default()
    }

    /// Reads a glTF file (a `.glb`, or a `.gltf` with its buffers) or an FBX file.
    ///
    /// # Errors
    ///
    /// If the file has a problem.
    pub fn read(self, files: &Files) -> Result<Asset, Failure> {
        let Self { source, bytes } = self;
        if is_fbx(&bytes) {
            return Ok(Asset(Source::Fbx(Box::new(fbx::read(&bytes, &source)?))));
        }
        let bad = |errors| Failure(Problem::of_gltf(&source, &errors));
        let mut scene = read_gltf_with(&bytes, &source, &files.0).map_err(bad)?;
        scene.drawing = read_gltf_drawing_with(&bytes, &files.0).map_err(bad)?;
        let asset = GltfAsset::read_with(&bytes, &files.0).map_err(bad)?;
        Ok(Asset(Source::Gltf { scene: Box::new(scene), bytes, asset }))
    }
}

/// A file or built-in scene that has been read.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Asset(Source);

#[derive(Debug)]
enum Source {
    Gltf { scene: Box<Scene>, bytes: Vec<u8>, asset: GltfAsset },
    Fbx(Box<Scene>),
    BuiltIn(&'static BuiltIn),
}

#[wasm_bindgen]
impl Asset {
    /// Creates a built-in scene with its default parameters.
    ///
    /// # Errors
    ///
    /// If no scene has this name.
    #[wasm_bindgen(js_name = builtIn)]
    pub fn built_in(name: &str) -> Result<Self, Failure> {
        let unknown = || Problem::of_file(name, "setting", &"no such scene");
        Ok(Self(Source::BuiltIn(BuiltIn::named(name).ok_or_else(unknown)?)))
    }

    /// Measures the asset between the engines that `xform audit` compares files in.
    ///
    /// # Errors
    ///
    /// If poses overflow.
    pub fn measured(&self) -> Result<Measured, Failure> {
        let report = match &self.0 {
            Source::Gltf { scene, bytes, asset } => {
                let mut audit = audited(scene, &EngineChoice::usual())?;
                if audit.summary.grade.is_seen() {
                    let found = repairs(bytes, asset, &scene.source, &audit.engines.choice());
                    audit.repairs = found.unwrap_or_default();
                }
                Report::of_audit(scene, audit)
            }
            Source::Fbx(scene) => Report::of_audit(scene, audited(scene, &EngineChoice::usual())?),
            // Between engines, like a file: visitors know engines, but not the strategies by name.
            Source::BuiltIn(scene) => Report::of_built_in_in(scene, &[], &EngineChoice::usual())
                .map_err(|error| Problem::of_file(scene.name, "setting", &error))?,
        };
        Ok(Measured(Found::Report(Box::new(report))))
    }

    /// Repairs the asset, like `xform fix` without options. Returns nothing if it is not glTF. `data` is the name of
    /// the new data beside a `.gltf` file.
    ///
    /// # Errors
    ///
    /// If a repair is not proved.
    pub fn repaired(&self, data: &str) -> Result<Option<Repaired>, Failure> {
        match &self.0 {
            Source::Gltf { scene, bytes, asset } => {
                Repaired::of(bytes, asset, &scene.source, data).map(Some)
            }
            Source::Fbx(_) | Source::BuiltIn(_) => Ok(None),
        }
    }

    /// Compares the asset with a later version of it, like `xform diff` without options.
    ///
    /// # Errors
    ///
    /// If poses overflow.
    pub fn compared(self, after: Self) -> Result<Measured, Failure> {
        let both = [self.compared_scene()?, after.compared_scene()?];
        let source = both[0].0.source.clone();
        let report = DiffReport::new(both, &DiffOptions::default())
            .map_err(|error| Problem::of_scene(&source, &error))?;
        Ok(Measured(Found::Diff(Box::new(report))))
    }
}

impl Asset {
    fn compared_scene(self) -> Result<(Scene, SceneAudit), Failure> {
        let scene = match self.0 {
            Source::Gltf { scene, .. } | Source::Fbx(scene) => *scene,
            Source::BuiltIn(scene) => {
                scene.scene(&[]).map_err(|error| Problem::of_file(scene.name, "setting", &error))?
            }
        };
        let audit = audited(&scene, &EngineChoice::usual())?;
        Ok((scene, audit))
    }
}

fn audited(scene: &Scene, engines: &EngineChoice) -> Result<SceneAudit, Failure> {
    compare_engines(scene, engines).map_err(|error| Problem::of_scene(&scene.source, &error).into())
}

/// The measurements of one asset, or between two.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Measured(Found);

#[derive(Debug)]
enum Found {
    Report(Box<Report>),
    Diff(Box<DiffReport>),
}

#[wasm_bindgen]
impl Measured {
    /// The page, as `xform report` or `xform diff --format html` writes it.
    #[must_use]
    pub fn page(&self) -> Vec<u8> {
        written(|out| match &self.0 {
            Found::Report(report) => write_html(report, out),
            Found::Diff(report) => write_diff_html(report, out),
        })
    }

    /// The JSON, as `xform audit --format json` or `xform diff --format json` writes it.
    #[must_use]
    pub fn json(&self) -> Vec<u8> {
        written(|out| match &self.0 {
            Found::Report(report) => {
                let audit: [Result<_, Problem>; 1] = [Ok(&report.audit)];
                write_json(audit, NodeSelection::All, out)
            }
            Found::Diff(report) => write_diff_json(&report.diff, out),
        })
    }

    /// Whether something looks different between engines, so that a repair is worth trying.
    #[must_use]
    #[wasm_bindgen(getter, js_name = looksDifferent)]
    pub fn looks_different(&self) -> bool {
        matches!(&self.0, Found::Report(report) if report.audit.summary.grade.is_seen())
    }
}
