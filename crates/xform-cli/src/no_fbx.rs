//! What stands in place of the FBX reader where the program is built without it.

use std::path::Path;

use xform_scene::{ErrorCode, Scene};

/// No process ends so.
pub(crate) const TOO_LONG: i32 = 124;

/// Why a file is not read as FBX.
#[derive(Debug, thiserror::Error)]
#[error("this program reads no FBX; build it with `--features fbx`")]
pub(crate) struct FbxError {
    pub(crate) code: ErrorCode,
}

pub(crate) fn is_file(path: &Path) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case("fbx"))
}

/// None is looked for in folders.
pub(crate) fn has_name(_: &Path) -> bool {
    false
}

pub(crate) fn is_fbx(_: &[u8]) -> bool {
    false
}

pub(crate) fn seconds(_: u64) -> u64 {
    0
}

pub(crate) fn read(_: &[u8], _: &str, _: bool) -> Result<Scene, FbxError> {
    Err(FbxError { code: ErrorCode::NoFbx })
}
