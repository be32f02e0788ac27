//! The meaning of a scene argument: a built-in scene, standard input, or a file or folder.

use std::{borrow::Cow, ffi::OsStr, fs, io::ErrorKind::NotFound, path::Path};

use xform_scene::BuiltIn;

/// Returns the name of a scene argument for people.
pub(crate) fn name(scene: &OsStr) -> Cow<'_, str> {
    if scene == "-" { "standard input".into() } else { scene.to_string_lossy() }
}

/// Returns the built-in scene with a name, unless something on disk has that name.
pub(crate) fn built_in(scene: &OsStr) -> Option<&'static BuiltIn> {
    let found = scene.to_str().and_then(BuiltIn::named)?;
    let is_free = matches!(fs::symlink_metadata(scene), Err(error) if error.kind() == NotFound);
    is_free.then_some(found)
}

/// Returns the file or folder that an argument names. `None` for a built-in scene and for standard input.
pub(crate) fn path(scene: &OsStr) -> Option<&Path> {
    (scene != "-" && built_in(scene).is_none()).then(|| Path::new(scene))
}

/// Returns the folder of a file. For a bare name it is the current folder.
pub(crate) fn folder_of(file: &Path) -> &Path {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}
