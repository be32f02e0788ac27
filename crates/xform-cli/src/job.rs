//! A unit of work for this process or a worker.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::Path,
};

use crate::{fbx, open_files::whole, scene_argument};

/// One scene to audit or report on, or two to compare.
pub(crate) struct Job {
    pub(crate) scenes: Vec<OsString>,
    /// The content of standard input, if one of the scenes is that.
    pub(crate) standard_input: Option<Vec<u8>>,
}

impl Job {
    /// Creates a job, and reads standard input if it is one of the scenes.
    pub(crate) fn new(scenes: &[&OsStr]) -> io::Result<Self> {
        let is_read = scenes.iter().any(|scene| *scene == "-");
        let standard_input = if is_read { Some(whole(io::stdin().lock())?) } else { None };
        Ok(Self { scenes: scenes.iter().map(|&scene| scene.to_owned()).collect(), standard_input })
    }

    /// Returns the size of its scenes in bytes, without the files that they refer to.
    pub(crate) fn len(&self) -> u64 {
        let files = self.scenes.iter().filter_map(|scene| scene_argument::path(scene));
        let files = files.filter_map(|path| Some(path.metadata().ok()?.len()));
        let bytes = self.standard_input.as_ref().map_or(0, |bytes| bytes.len() as u64);
        files.fold(bytes, u64::saturating_add)
    }

    /// Returns the size of its FBX data in bytes. `None` if there is none, so that the C reader is not needed.
    pub(crate) fn fbx_len(&self) -> Option<u64> {
        let lens = self.scenes.iter().filter_map(|scene| match scene_argument::path(scene) {
            Some(path) if path.is_file() && fbx::is_file(path) => Some(path.metadata().ok()?.len()),
            None if scene == "-" => {
                let bytes = self.standard_input.as_deref().filter(|bytes| fbx::is_fbx(bytes));
                bytes.map(|bytes| bytes.len() as u64)
            }
            _ => None,
        });
        lens.max()
    }

    /// Whether this process may do the job itself: nothing else is lost if it takes all memory or crashes the FBX
    /// reader, which is written in C. With `is_only` there is no other job.
    pub(crate) fn is_safe_here(&self, is_only: bool) -> bool {
        let is_file = |scene: &OsString| scene_argument::path(scene).is_some_and(Path::is_file);
        (is_only || !self.scenes.iter().any(is_file)) && self.fbx_len().is_none()
    }
}
