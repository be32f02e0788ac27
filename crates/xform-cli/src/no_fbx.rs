//! Replaces the FBX reader if the program is built without it.

use std::path::Path;

use xform_scene::{ErrorCode, Scene};

/// Never used as an exit status here.
pub(crate) const TOO_LONG: i32 = 124;

/// The reason why a file is not read as FBX.
#[derive(Debug, thiserror::Error)]
#[error("this build cannot read FBX; build xform with `--features fbx`")]
pub(crate) struct FbxError {
    pub(crate) code: ErrorCode,
}

pub(crate) fn is_file(path: &Path) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case("fbx"))
}

/// Always false: folders are not searched for FBX files.
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
