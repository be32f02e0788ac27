use wasm_bindgen::prelude::wasm_bindgen;
use xform_compare::audit::EngineChoice;
use xform_fix::{Fix, Options, SameFolder, fix, write_fix_text};
use xform_scene::{gltf::GltfAsset, text::reference_part};

use crate::{asset::written, problem::Failure};

/// A repaired file, proved.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Repaired {
    fixed: Fix,
    source: String,
}

impl Repaired {
    /// What `xform fix` makes of a file without options; nothing where nothing of it is repaired.
    pub(crate) fn of(
        bytes: &[u8],
        asset: &GltfAsset,
        source: &str,
        data: &str,
    ) -> Result<Option<Self>, Failure> {
        let mut options = Options::default();
        options.engines = EngineChoice::usual();
        let fixed = fix(bytes, asset, source, &mut SameFolder(reference_part(data)), &options)
            .map_err(|error| error.problem(source))?;
        let is_repaired = fixed.proof.is_some();
        Ok(is_repaired.then(|| Self { fixed, source: source.to_owned() }))
    }
}

#[wasm_bindgen]
impl Repaired {
    /// The file.
    #[must_use]
    pub fn file(&self) -> Vec<u8> {
        self.fixed.file.clone()
    }

    /// The new data beside a `.gltf` file, if there are any.
    #[must_use]
    pub fn data(&self) -> Option<Vec<u8>> {
        self.fixed.data.clone()
    }

    /// What is repaired, what is not and why, and the proof: what `xform fix --dry-run` says of it, a line each.
    #[must_use]
    pub fn told(&self) -> Vec<String> {
        let text = written(|out| write_fix_text(&self.fixed, &self.source, None, out));
        let text = String::from_utf8_lossy(&text);
        // The first line is the name.
        text.lines().skip(1).map(|line| line.trim().to_owned()).collect()
    }
}
