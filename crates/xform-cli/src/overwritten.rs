//! What must not be written over.

use std::{
    ffi::OsStr,
    fs,
    io::{
        self,
        ErrorKind::{NotADirectory, NotFound},
        Read,
    },
    path::{Path, PathBuf},
};

use same_file::Handle;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use xform_scene::Scene;

use crate::{open_files::open_regular, scene_argument};

/// Why a file is not written over.
#[derive(Debug, Deserialize, Error, Serialize)]
pub(crate) enum WouldOverwrite {
    /// It is read by the same command.
    #[error("{0} is an input, and the output would overwrite it; nothing was written")]
    Input(String),
    /// It is named like an asset, which no output of this program is.
    #[error("{0} is there already and is no report by its name; nothing was written")]
    Asset(String),
    /// It is no text, or not the page that one of many is to replace.
    #[error("{0} is there already and is no report by its content; nothing was written")]
    Foreign(String),
}

/// How files are named that are never written over: scenes, and what they consist of.
const ASSETS: [&str; 5] = ["gltf", "glb", "vrm", "fbx", "bin"];

/// How many bytes tell what a file is.
const BEGINNING: u64 = 8192;

/// Fails where a file that is there already is named like an asset, or is no text, as all reports are: it may be a buffer
/// of a scene that nobody reads now.
pub(crate) fn check_is_replaceable(existing: &Path) -> Result<(), WouldOverwrite> {
    let extension = existing.extension();
    let is = |asset: &str| extension.is_some_and(|found| found.eq_ignore_ascii_case(asset));
    if ASSETS.into_iter().any(is) {
        return Err(WouldOverwrite::Asset(existing.display().to_string()));
    }
    match beginning(existing) {
        Ok(begin) if begin.contains(&0) => {
            Err(WouldOverwrite::Foreign(existing.display().to_string()))
        }
        // What cannot be read is told by who writes it.
        _ => Ok(()),
    }
}

/// What the pages of this program have near their beginning.
const MARK: &str = r#"<meta name="generator" content="xform">"#;

/// Fails where there is something else than a page of this program already: of many, the user chose no name.
pub(crate) fn check_page(page: &Path) -> Result<(), WouldOverwrite> {
    match beginning(page) {
        // A folder that is none is told by who makes it.
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(()),
        Ok(begin) if String::from_utf8_lossy(&begin).contains(MARK) => Ok(()),
        _ => Err(WouldOverwrite::Foreign(page.display().to_string())),
    }
}

/// The first bytes of a file.
fn beginning(path: &Path) -> io::Result<Vec<u8>> {
    let mut begin = Vec::new();
    open_regular(path)?.take(BEGINNING).read_to_end(&mut begin)?;
    Ok(begin)
}

/// The files that the outputs of a command would overwrite.
#[derive(Debug)]
pub(crate) struct Overwritten(Vec<Handle>);

impl Overwritten {
    pub(crate) fn nothing() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn by(outputs: &[PathBuf]) -> Self {
        // Standard output is no file, whatever is called like it.
        let existing = outputs.iter().filter(|path| path.is_file() && **path != Path::new("-"));
        // What cannot be opened cannot be an input that is read.
        Self(existing.filter_map(|path| Handle::from_path(path).ok()).collect())
    }

    /// Fails where a file that is read is one of them, by whatever path or link.
    pub(crate) fn check(&self, input: &Path) -> Result<(), WouldOverwrite> {
        // A pipe must not be opened twice, so only what is a file is.
        let is_one = !self.0.is_empty()
            && fs::metadata(input).is_ok_and(|metadata| metadata.is_file())
            && Handle::from_path(input).is_ok_and(|input| self.0.contains(&input));
        if is_one { Err(WouldOverwrite::Input(input.display().to_string())) } else { Ok(()) }
    }

    /// As [`check`](Self::check), for the files that a scene names.
    pub(crate) fn check_buffers(&self, scene: &Scene) -> Result<(), WouldOverwrite> {
        scene.buffers.iter().try_for_each(|buffer| self.check(buffer))
    }

    /// As [`check`](Self::check), for a scene or a list of the command line, which may be standard input or built in.
    pub(crate) fn check_scene(&self, scene: &OsStr) -> Result<(), WouldOverwrite> {
        if scene == "-" {
            let is_one = Handle::stdin().is_ok_and(|input| self.0.contains(&input));
            return if is_one {
                Err(WouldOverwrite::Input("standard input".to_owned()))
            } else {
                Ok(())
            };
        }
        scene_argument::path(scene).map_or(Ok(()), |path| self.check(path))
    }
}
