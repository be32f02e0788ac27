use std::io::{Cursor, Read};

use wasm_bindgen::prelude::wasm_bindgen;
use xform_compare::audit::Problem;
use zip::{ZipArchive, result::ZipError};

use crate::problem::Failure;

/// A `.zip` file, such as a model is downloaded in.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Archive {
    source: String,
    files: ZipArchive<Cursor<Vec<u8>>>,
    /// How many bytes may still be read.
    left: u64,
}

/// How many bytes files may have in all: WebAssembly has 4 GiB for them and all that is made of them.
const MOST: u64 = 1 << 31;

#[wasm_bindgen]
impl Archive {
    /// The archive of this name.
    ///
    /// # Errors
    ///
    /// Bytes that are no archive, and files that are too large in all.
    #[wasm_bindgen(constructor)]
    pub fn new(source: String, bytes: Vec<u8>) -> Result<Self, Failure> {
        let files =
            ZipArchive::new(Cursor::new(bytes)).map_err(|error| bad(&source, "", &error))?;
        let is_small = files.decompressed_size().is_none_or(|size| size <= u128::from(MOST));
        if is_small { Ok(Self { source, files, left: MOST }) } else { Err(too_large(&source)) }
    }

    /// The paths of what is in it, with `/` between their parts and at the end of a folder's.
    ///
    /// # Errors
    ///
    /// A name that cannot be read.
    pub fn names(&self) -> Result<Vec<String>, Failure> {
        let names = self.files.file_names().map(|name| {
            // Some programs write paths as Windows has them.
            name.map(|name| name.replace('\\', "/")).map_err(|error| bad(&self.source, "", &error))
        });
        names.collect()
    }

    /// The bytes of the file at this place among the names.
    ///
    /// # Errors
    ///
    /// A file that is encrypted, broken, or packed in a way that is not known, and more than 2 GiB in all.
    pub fn read(&mut self, place: usize) -> Result<Vec<u8>, Failure> {
        let of = |error: &ZipError, name: &str| bad(&self.source, name, error);
        let file = self.files.by_index(place).map_err(|error| of(&error, ""))?;
        let name = file.name().map(|name| name.into_owned()).unwrap_or_default();
        let mut bytes = Vec::new();
        // Whatever it says of its size.
        let read = file.take(self.left + 1).read_to_end(&mut bytes);
        read.map_err(|error| of(&error.into(), &name))?;
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.ok_or_else(|| too_large(&self.source))?;
        Ok(bytes)
    }
}

fn bad(source: &str, name: &str, error: &ZipError) -> Failure {
    let of = if name.is_empty() { String::new() } else { format!(", {name}") };
    let error = format!("{source}{of}: {error}");
    Problem::new(source, "zip", "", error).into()
}

fn too_large(source: &str) -> Failure {
    let error = format!("{source}: what is in it takes more than {} GiB", MOST >> 30);
    Problem::new(source, "out-of-memory", "", error).into()
}
