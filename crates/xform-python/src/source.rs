//! What is audited: a file, its bytes, or a scene that is built in.

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

/// What stands for the name of bytes that have none.
const BYTES: &str = "bytes";

pub(crate) enum Source {
    Bytes(PyBackedBytes),
    Path(PathBuf),
}

impl<'py> FromPyObject<'_, 'py> for Source {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        // Python takes bytes for a path too.
        match given.cast::<PyBytes>() {
            Ok(bytes) => Ok(Self::Bytes(bytes.to_owned().into())),
            Err(_) => given.extract().map(Self::Path),
        }
    }
}

/// How it is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    pub(crate) has_motion: bool,
    pub(crate) is_drawn: bool,
}

/// Why it was not read.
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
            // Python chooses the class by the number, and names the file.
            Unread::Io(error, path) => match error.raw_os_error() {
                Some(number) => {
                    let text = error.to_string();
                    let text = text.split(" (os error").next().unwrap_or_default().to_owned();
                    // On Windows it is no `errno`, and stands in another place.
                    PyOSError::new_err((number, text, path.into_os_string(), number))
                }
                None => PyOSError::new_err(format!("{}: {error}", path.display())),
            },
        }
    }
}

impl Source {
    /// What errors and reports call it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Bytes(_) => BYTES.to_owned(),
            Self::Path(path) => path.to_string_lossy().into_owned(),
        }
    }

    /// The scene that is built in, where it names one and there is no such file.
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

/// The folder of a file; that of a bare name is the current one.
pub(crate) fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// All bytes of a file.
pub(crate) fn whole(path: &Path) -> Result<Vec<u8>, Unread> {
    check_regular(path)?;
    fs::read(path).map_err(|error| Unread::Io(error, path.to_owned()))
}

/// Whether a file is FBX by its name or, as for the program, by how it begins.
fn is_fbx_file(path: &Path) -> Result<bool, Unread> {
    if path.extension().is_some_and(|found| found.eq_ignore_ascii_case("fbx")) {
        return Ok(true);
    }
    let mut head = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.map(|_| is_fbx(&head)).map_err(|error| Unread::Io(error, path.to_owned()))
}

/// How many bytes tell FBX from others.
const HEAD: u64 = 1024;

/// Fails where there is no file, or one that may have no end.
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

/// The number that C libraries have for it.
const IS_A_DIRECTORY: i32 = 21;
