//! What is audited: a file, its bytes, or a scene that is built in.

use std::{fs, io, path::PathBuf};

use pyo3::{exceptions::PyOSError, prelude::*, pybacked::PyBackedBytes};
use xform_compare::{
    Animations, BuiltIn, Scene, read_gltf, read_gltf_drawing, read_gltf_file,
    read_gltf_file_drawing,
};
use xform_fbx::{is_fbx, read_fbx};

use crate::problem::Failure;

/// What stands for the name of bytes that have none.
const BYTES: &str = "bytes";

#[derive(FromPyObject)]
pub(crate) enum Source {
    // First, since Python takes bytes for a path too.
    #[pyo3(transparent)]
    Bytes(PyBackedBytes),
    #[pyo3(transparent)]
    Path(PathBuf),
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
            // Python chooses the class by the number, and names the file.
            Unread::Io(error, path) => match error.raw_os_error() {
                Some(number) => {
                    let text = error.to_string();
                    let text = text.split(" (os error").next().unwrap_or_default().to_owned();
                    PyOSError::new_err((number, text, path))
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
                let at_path = |error| Unread::Io(error, path.clone());
                let stored = fs::metadata(path).map_err(at_path)?;
                if stored.is_dir() {
                    return Err(at_path(io::Error::from_raw_os_error(IS_A_DIRECTORY)));
                }
                // A pipe or a device is left to the reader, which says what is wrong with it.
                let is_named_fbx =
                    path.extension().is_some_and(|found| found.eq_ignore_ascii_case("fbx"));
                if is_named_fbx && stored.is_file() {
                    return fbx(&fs::read(path).map_err(at_path)?);
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

/// The number that systems have for it.
const IS_A_DIRECTORY: i32 = 21;
