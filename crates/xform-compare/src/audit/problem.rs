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
    /// What is wrong with it, the first of it if that is more than one thing.
    #[serde(flatten)]
    pub first: Defect,
    /// What else is wrong with it.
    pub others: Vec<Defect>,
    /// How much more is wrong with it, as far as that was counted: not 0 where not all was looked for.
    pub more: usize,
}

/// One thing that is wrong with a file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Defect {
    /// Its kind; stable, for programs: mostly an [`ErrorCode`](xform_scene::ErrorCode).
    pub code: Cow<'static, str>,
    /// Its place in the file, as a JSON pointer (RFC 6901); empty for the whole file.
    pub pointer: String,
    /// One line for people, which names the file.
    pub error: String,
}

impl Problem {
    /// A problem with a file, or with a place in it.
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

    /// What is wrong with a whole file.
    #[must_use]
    pub fn of_file(source: &str, code: &'static str, error: &dyn Display) -> Self {
        Self::new(source, code, "", line(source, error, code))
    }

    /// What is wrong with a glTF file.
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

    /// Why a scene that was read cannot be compared.
    #[must_use]
    pub fn of_scene(source: &str, error: &CompareError) -> Self {
        let code = error.code().name();
        Self::new(source, code, error.pointer(), line(source, error, code))
    }

    /// This problem, with what else is wrong, and how much more is.
    #[must_use]
    pub fn with_others(self, others: Vec<Defect>, more: usize) -> Self {
        Self { others, more, ..self }
    }

    /// All that is wrong with the file, as far as it is known.
    pub fn defects(&self) -> impl Iterator<Item = &Defect> {
        iter::once(&self.first).chain(&self.others)
    }

    /// A line for each defect, and one for those beyond them.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let more = (self.more > 0)
            .then(|| format!("{}: {} or more defects beside these", self.source, self.more));
        self.defects().map(|defect| defect.error.clone()).chain(more)
    }
}

fn line(source: &str, error: &dyn Display, code: &str) -> String {
    format!("{source}: {error} ({code})")
}

impl Defect {
    /// A defect of this kind at this place, as a line that names the file.
    #[must_use]
    pub fn new(code: &'static str, pointer: impl Into<String>, error: impl Into<String>) -> Self {
        Self { code: code.into(), pointer: pointer.into(), error: error.into() }
    }
}
