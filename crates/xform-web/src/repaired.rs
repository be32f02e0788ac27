use wasm_bindgen::prelude::wasm_bindgen;
use xform_compare::audit::EngineChoice;
use xform_fix::{Fix, Options, SameFolder, fix, write_fix_text};
use xform_scene::{gltf::GltfAsset, text::reference_part};

use crate::{problem::Failure, written::written};

/// A repaired file, proved.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Repaired {
    fixed: Fix,
    source: String,
}

impl Repaired {
    /// Repairs a file, like `xform fix` without options.
    pub(crate) fn of(
        bytes: &[u8],
        asset: &GltfAsset,
        source: &str,
        data: &str,
    ) -> Result<Self, Failure> {
        let mut options = Options::default();
        options.engines = EngineChoice::usual();
        let fixed = fix(bytes, asset, source, &mut SameFolder(reference_part(data)), &options)
            .map_err(|error| error.problem(source))?;
        Ok(Self { fixed, source: source.to_owned() })
    }

    /// Returns the first reason why nothing was repaired.
    fn why_not(&self) -> String {
        let mut refusals = self.fixed.groups.iter().flat_map(|group| &group.refusals);
        refusals.next().map_or_else(
            || "Nothing in this file can be repaired exactly.".to_owned(),
            |(path, refusal)| format!("Cannot be repaired exactly: {path}: {refusal}."),
        )
    }
}

#[wasm_bindgen]
impl Repaired {
    /// Whether anything was repaired.
    #[must_use]
    #[wasm_bindgen(getter, js_name = isRepaired)]
    pub fn is_repaired(&self) -> bool {
        self.fixed.proof.is_some()
    }

    /// The repaired file.
    #[must_use]
    pub fn file(&self) -> Vec<u8> {
        self.fixed.file.clone()
    }

    /// The new data beside a `.gltf` file, if there are any.
    #[must_use]
    pub fn data(&self) -> Option<Vec<u8>> {
        self.fixed.data.clone()
    }

    /// A summary of the result, in one sentence.
    #[must_use]
    pub fn summary(&self) -> String {
        let [before, after] = self.fixed.remaining.nodes;
        let nodes = if before == 1 { "node looks" } else { "nodes look" };
        match (self.is_repaired(), after) {
            (false, _) => self.why_not(),
            (true, 0) => format!(
                "Can be repaired: {before} {nodes} different now, none will after the repair."
            ),
            (true, _) => {
                format!(
                    "Can be partly repaired: {before} {nodes} different now, {after} still will after the repair."
                )
            }
        }
    }

    /// The output of `xform fix --dry-run` for it, one line each: repairs, groups left alone with reasons, and the
    /// proof.
    #[must_use]
    pub fn told(&self) -> Vec<String> {
        let text = written(|out| write_fix_text(&self.fixed, &self.source, None, out));
        let text = String::from_utf8_lossy(&text);
        // Skips the name in the first line, and lines about options, which apply only on the command line.
        let lines = text.lines().skip(1).map(str::trim);
        lines.filter(|line| !line.starts_with('`')).map(str::to_owned).collect()
    }
}
