use std::io::{Cursor, ErrorKind, Read};

use wasm_bindgen::prelude::wasm_bindgen;
use xform_compare::audit::Problem;
use zip::{ZipArchive, result::ZipError};

use crate::problem::Failure;

/// A `.zip` file, as models are downloaded.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Archive {
    source: String,
    files: ZipArchive<Cursor<Vec<u8>>>,
    /// The number of bytes that may still be read.
    left: u64,
}

#[wasm_bindgen]
impl Archive {
    /// Opens an archive, from which at most `left` bytes may be read in total. `source` is its name.
    ///
    /// # Errors
    ///
    /// If the bytes are not an archive.
    #[wasm_bindgen(constructor)]
    pub fn new(source: String, bytes: Vec<u8>, left: f64) -> Result<Self, Failure> {
        let files =
            ZipArchive::new(Cursor::new(bytes)).map_err(|error| bad(&source, "", &error))?;
        // The caller passes a whole number of bytes.
        let left = left.max(0.0) as u64;
        Ok(Self { source, files, left })
    }

    /// The number of bytes that may still be read.
    #[must_use]
    #[wasm_bindgen(getter)]
    pub fn left(&self) -> f64 {
        self.left as f64
    }

    /// The paths of the entries, with `/` as separator and at the end of a folder's path.
    ///
    /// # Errors
    ///
    /// If a name cannot be read.
    pub fn names(&self) -> Result<Vec<String>, Failure> {
        let names = self.files.file_names().map(|name| {
            // Some programs write paths with the separators of Windows.
            name.map(|name| name.replace('\\', "/")).map_err(|error| bad(&self.source, "", &error))
        });
        names.collect()
    }

    /// Returns the bytes of the file at an index of [`names`](Self::names).
    ///
    /// # Errors
    ///
    /// If the file is encrypted, broken or compressed by an unknown method, or if more bytes are needed than are left.
    pub fn read(&mut self, place: usize) -> Result<Vec<u8>, Failure> {
        let of = |error: &ZipError, name: &str| bad(&self.source, name, error);
        let file = self.files.by_index(place).map_err(|error| of(&error, ""))?;
        let name = file.name().map(|name| name.into_owned()).unwrap_or_default();
        let mut bytes = Vec::new();
        // Limited here, because the size in the archive cannot be trusted.
        let read = file.take(self.left + 1).read_to_end(&mut bytes);
        read.map_err(|error| of(&error.into(), &name))?;
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.ok_or_else(|| too_large(&self.source))?;
        Ok(bytes)
    }
}

/// Returns the problem with an archive, or with a file in it.
fn bad(source: &str, name: &str, error: &ZipError) -> Failure {
    let of = if name.is_empty() { source.to_owned() } else { format!("{name} in {source}") };
    let what = match error {
        ZipError::Io(error) if error.kind() == ErrorKind::OutOfMemory => return too_large(source),
        ZipError::Io(_) => "the archive is damaged",
        ZipError::InvalidArchive(_) => "it is not a .zip file, or it is truncated",
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => {
            "it is protected by a password. Unpack it and choose the folder"
        }
        ZipError::UnsupportedArchive(_) => {
            "its compression method is not supported. Unpack it and choose the folder"
        }
        _ => "it cannot be read",
    };
    Problem::new(source, "zip", "", format!("{of}: {what}")).into()
}

fn too_large(source: &str) -> Failure {
    let what = "its models take more memory than a page can use. Unpack it and choose one model";
    Problem::new(source, "zip", "", format!("{source}: {what}")).into()
}
