use std::{borrow::Cow, fmt::Display, iter};

use serde::{Deserialize, Serialize};
use xform_scene::gltf::{GltfError, GltfErrors};

use super::CompareError;

/// Why a scene was not audited.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Problem {
    /// The file.
    pub source: String,
    /// The first defect.
    #[serde(flatten)]
    pub first: Defect,
    /// The other defects.
    pub others: Vec<Defect>,
    /// The number of further defects, as far as they were counted. Not 0 if the search stopped early.
    pub more: usize,
}

/// A defect of a file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Defect {
    /// Its kind, a stable code for programs: usually an [`ErrorCode`](xform_scene::ErrorCode).
    pub code: Cow<'static, str>,
    /// Its place in the file as a JSON pointer (RFC 6901); empty for the whole file.
    pub pointer: String,
    /// A line for people, which names the file.
    pub error: String,
}

impl Problem {
    /// Creates a problem with a file, or with a place in it.
    #[must_use]
    pub fn new(
        source: impl Into<String>,
        code: &'static str,
        pointer: impl Into<String>,
        error: impl Into<String>,
    ) -> Self {
        let first = Defect::new(code, pointer, error);
        Self { source: source.into(), first, others: Vec::new(), more: 0 }
    }

    /// Creates a problem with a whole file.
    #[must_use]
    pub fn of_file(source: &str, code: &'static str, error: &dyn Display) -> Self {
        Self::new(source, code, "", line(source, error, code))
    }

    /// Creates a problem from the errors of a glTF file.
    #[must_use]
    pub fn of_gltf(source: &str, errors: &GltfErrors) -> Self {
        let defect = |error: &GltfError| {
            let code = error.code().name();
            Defect::new(code, error.pointer(), line(source, error, code))
        };
        Self {
            source: source.to_owned(),
            first: defect(errors.first()),
            others: errors.iter().skip(1).map(defect).collect(),
            more: errors.more(),
        }
    }

    /// Creates a problem from the reason why a scene that was read cannot be compared.
    #[must_use]
    pub fn of_scene(source: &str, error: &CompareError) -> Self {
        let code = error.code().name();
        Self::new(source, code, error.pointer(), line(source, error, code))
    }

    /// Returns this problem with further defects, and with the number of those not listed.
    #[must_use]
    pub fn with_others(self, others: Vec<Defect>, more: usize) -> Self {
        Self { others, more, ..self }
    }

    /// Returns all known defects of the file.
    pub fn defects(&self) -> impl Iterator<Item = &Defect> {
        iter::once(&self.first).chain(&self.others)
    }

    /// Returns a line for each defect, and one for those that are not listed.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let of = if self.more == 1 { "defect" } else { "defects" };
        let more = (self.more > 0)
            .then(|| format!("{}: at least {} further {of}", self.source, self.more));
        self.defects().map(|defect| defect.error.clone()).chain(more)
    }
}

fn line(source: &str, error: &dyn Display, code: &str) -> String {
    format!("{source}: {error} ({code})")
}

impl Defect {
    /// Creates a defect of this kind at this place, with a line that names the file.
    #[must_use]
    pub fn new(code: &'static str, pointer: impl Into<String>, error: impl Into<String>) -> Self {
        Self { code: code.into(), pointer: pointer.into(), error: error.into() }
    }
}
