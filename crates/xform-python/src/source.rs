//! The source of an audit: a file, its bytes, or a built-in scene.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use pyo3::{exceptions::PyOSError, prelude::*, pybacked::PyBackedBytes, types::PyBytes};
use xform_fbx::{is_fbx, read_fbx};
use xform_scene::{
    BuiltIn, Scene,
    gltf::{Animations, GltfError, GltfErrors, read_gltf_drawing, read_gltf_file_drawing},
    read_gltf, read_gltf_file,
};

use crate::problem::Failure;

/// The name of bytes in reports and errors.
const BYTES: &str = "bytes";

pub(crate) enum Source {
    Bytes(PyBackedBytes),
    Path(PathBuf),
}

impl<'py> FromPyObject<'_, 'py> for Source {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        // Checked first, because Python also accepts bytes as a path.
        match given.cast::<PyBytes>() {
            Ok(bytes) => Ok(Self::Bytes(bytes.to_owned().into())),
            Err(_) => given.extract().map(Self::Path),
        }
    }
}

/// The parts of a source to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    pub(crate) has_motion: bool,
    pub(crate) is_drawn: bool,
}

/// The reason why a source was not read.
pub(crate) enum Unread {
    Failure(Failure),
    Io(io::Error, PathBuf),
    Directory(PathBuf),
}

impl From<Failure> for Unread {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<Unread> for PyErr {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::Failure(failure) => failure.into(),
            Unread::Directory(path) => {
                PyOSError::new_err((IS_A_DIRECTORY, "Is a directory", path.into_os_string()))
            }
            // Python chooses the exception class by the number and adds the file name.
            Unread::Io(error, path) => match error.raw_os_error() {
                Some(number) => {
                    let text = error.to_string();
                    let text = text.split(" (os error").next().unwrap_or_default().to_owned();
                    // On Windows the number is not an `errno`, and it is the fourth argument instead.
                    PyOSError::new_err((number, text, path.into_os_string(), number))
                }
                None => PyOSError::new_err(format!("{}: {error}", path.display())),
            },
        }
    }
}

impl Source {
    /// Returns the name that errors and reports use.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Bytes(_) => BYTES.to_owned(),
            Self::Path(path) => path.to_string_lossy().into_owned(),
        }
    }

    /// Returns the built-in scene of this name, if no such file exists.
    pub(crate) fn built_in(&self) -> Option<&'static BuiltIn> {
        match self {
            Self::Path(path) if !path.exists() => BuiltIn::named(path.to_str()?),
            Self::Path(_) | Self::Bytes(_) => None,
        }
    }

    pub(crate) fn scene(&self, reading: Reading) -> Result<Scene, Unread> {
        let name = self.name();
        if let Some(built_in) = self.built_in() {
            let scene = built_in.scene(&[]);
            return scene.map_err(|error| Failure::new(&name, "setting", &error).into());
        }
        let bad = |errors| Failure::of_gltf(&name, &errors);
        let fbx = |bytes: &[u8]| {
            let scene = read_fbx(bytes, &name).map_err(|error| Failure::of_fbx(&name, &error))?;
            Ok(if reading.has_motion { scene } else { scene.at_rest() })
        };
        match self {
            Self::Bytes(bytes) if is_fbx(bytes) => fbx(bytes),
            Self::Bytes(bytes) => {
                let mut scene = read_gltf(bytes, &name).map_err(bad)?;
                if reading.is_drawn {
                    scene.drawing = read_gltf_drawing(bytes).map_err(bad)?;
                }
                Ok(if reading.has_motion { scene } else { scene.at_rest() })
            }
            Self::Path(path) => {
                check_regular(path)?;
                if is_fbx_file(path)? {
                    return fbx(&whole(path)?);
                }
                let animations =
                    if reading.has_motion { Animations::Read } else { Animations::Skip };
                let mut scene = read_gltf_file(path, animations).map_err(bad)?;
                if reading.is_drawn {
                    scene.drawing = read_gltf_file_drawing(path).map_err(bad)?;
                }
                Ok(scene)
            }
        }
    }
}

/// Returns the folder of a file. For a bare name, this is the current folder.
pub(crate) fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Reads all bytes of a file.
pub(crate) fn whole(path: &Path) -> Result<Vec<u8>, Unread> {
    check_regular(path)?;
    fs::read(path).map_err(|error| Unread::Io(error, path.to_owned()))
}

/// Whether a file is FBX, by its extension or, as in the program, by its first bytes.
fn is_fbx_file(path: &Path) -> Result<bool, Unread> {
    if path.extension().is_some_and(|found| found.eq_ignore_ascii_case("fbx")) {
        return Ok(true);
    }
    let mut head = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.map(|_| is_fbx(&head)).map_err(|error| Unread::Io(error, path.to_owned()))
}

/// The number of bytes that identify FBX.
const HEAD: u64 = 1024;

/// Fails if the path is not an existing regular file: other files may be endless.
fn check_regular(path: &Path) -> Result<(), Unread> {
    let at_path = |error| Unread::Io(error, path.to_owned());
    let stored = fs::metadata(path).map_err(at_path)?;
    if stored.is_dir() {
        return Err(Unread::Directory(path.to_owned()));
    }
    if !stored.is_file() {
        let errors = GltfErrors::from(GltfError::NotAFile);
        return Err(Failure::of_gltf(&path.to_string_lossy(), &errors).into());
    }
    Ok(())
}

/// The number of this error in C libraries.
const IS_A_DIRECTORY: i32 = 21;
