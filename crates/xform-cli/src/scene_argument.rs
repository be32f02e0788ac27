//! What a scene of the command line is: built in, standard input, or a file or folder.

use std::{borrow::Cow, ffi::OsStr, fs, io::ErrorKind::NotFound, path::Path};

use xform_scene::BuiltIn;

/// What a scene of the command line is called.
pub(crate) fn name(scene: &OsStr) -> Cow<'_, str> {
    if scene == "-" { "standard input".into() } else { scene.to_string_lossy() }
}

/// The built-in scene of a name, where nothing on disk has that name.
pub(crate) fn built_in(scene: &OsStr) -> Option<&'static BuiltIn> {
    let found = scene.to_str().and_then(BuiltIn::named)?;
    let is_free = matches!(fs::symlink_metadata(scene), Err(error) if error.kind() == NotFound);
    is_free.then_some(found)
}

/// The file or folder that a scene names; `None` for a built-in scene and for standard input.
pub(crate) fn path(scene: &OsStr) -> Option<&Path> {
    (scene != "-" && built_in(scene).is_none()).then(|| Path::new(scene))
}

/// The folder of a file; that of a bare name is the current one.
pub(crate) fn folder_of(file: &Path) -> &Path {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}
