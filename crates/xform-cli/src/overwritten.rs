//! Protects files that must not be overwritten.

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

/// The reasons not to overwrite a file.
#[derive(Debug, Deserialize, Error, Serialize)]
pub(crate) enum WouldOverwrite {
    /// The same command reads it.
    #[error("{0} is an input that the output would overwrite; nothing was written")]
    Input(String),
    /// It has the name of an asset, unlike every output of this program.
    #[error("refusing to overwrite {0}: by its name it is not a report")]
    Asset(String),
    /// It is not text, or not a page of this program where one of many pages goes.
    #[error("refusing to overwrite {0}: by its content it is not a report")]
    Foreign(String),
}

/// The extensions of files that are never overwritten: scenes and their parts.
const ASSETS: [&str; 5] = ["gltf", "glb", "vrm", "fbx", "bin"];

/// The number of bytes that are read to recognise a file.
const BEGINNING: u64 = 8192;

/// Fails if an existing file has the name of an asset or is not text, as all reports are: it may be a buffer of a scene
/// that is not read now.
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
        // An unreadable file is reported when it is written.
        _ => Ok(()),
    }
}

/// A tag near the beginning of every page of this program.
const MARK: &str = r#"<meta name="generator" content="xform">"#;

/// Fails if something other than a page of this program exists there: the user did not choose the names of many pages.
pub(crate) fn check_page(page: &Path) -> Result<(), WouldOverwrite> {
    match beginning(page) {
        // A path below something that is not a folder is reported when the folder is created.
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(()),
        Ok(begin) if String::from_utf8_lossy(&begin).contains(MARK) => Ok(()),
        _ => Err(WouldOverwrite::Foreign(page.display().to_string())),
    }
}

/// Reads the first bytes of a file.
fn beginning(path: &Path) -> io::Result<Vec<u8>> {
    let mut begin = Vec::new();
    open_regular(path)?.take(BEGINNING).read_to_end(&mut begin)?;
    Ok(begin)
}

/// The existing files that the outputs of a command would overwrite.
#[derive(Debug)]
pub(crate) struct Overwritten(Vec<Handle>);

impl Overwritten {
    pub(crate) fn nothing() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn by(outputs: &[PathBuf]) -> Self {
        // `-` is standard output, even if a file has that name.
        let existing = outputs.iter().filter(|path| path.is_file() && **path != Path::new("-"));
        // A file that cannot be opened cannot be an input either.
        Self(existing.filter_map(|path| Handle::from_path(path).ok()).collect())
    }

    /// Fails if an input is one of these files, by any path or link.
    pub(crate) fn check(&self, input: &Path) -> Result<(), WouldOverwrite> {
        // Only regular files are opened here, because a pipe must not be opened twice.
        let is_one = !self.0.is_empty()
            && fs::metadata(input).is_ok_and(|metadata| metadata.is_file())
            && Handle::from_path(input).is_ok_and(|input| self.0.contains(&input));
        if is_one { Err(WouldOverwrite::Input(input.display().to_string())) } else { Ok(()) }
    }

    /// Like [`check`](Self::check), for the files that a scene refers to.
    pub(crate) fn check_buffers(&self, scene: &Scene) -> Result<(), WouldOverwrite> {
        scene.buffers.iter().try_for_each(|buffer| self.check(buffer))
    }

    /// Like [`check`](Self::check), for a scene or a list from the command line, which may be standard input or built
    /// in.
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
