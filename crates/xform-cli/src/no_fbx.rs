//! What stands in place of the FBX reader where the program is built without it.

use std::{io, path::Path};

use xform_compare::{ErrorCode, Scene};

/// Why a file is not read as FBX.
#[derive(Debug, thiserror::Error)]
#[error("this program reads no FBX; build it with `--features fbx`")]
pub(crate) struct FbxError {
    pub(crate) code: ErrorCode,
}

const NOT_BUILT: FbxError = FbxError { code: ErrorCode::NoFbx };

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

pub(crate) type SceneRead = io::Result<Result<Scene, FbxError>>;

pub(crate) fn read_file(_: &Path, _: &str, _: bool) -> SceneRead {
    Ok(Err(NOT_BUILT))
}

pub(crate) fn read_bytes(_: &[u8], _: &str, _: bool) -> SceneRead {
    Ok(Err(NOT_BUILT))
}

pub(crate) fn answer() -> io::Result<()> {
    Err(io::Error::other(NOT_BUILT))
}
