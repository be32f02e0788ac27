//! Malformed and odd files, each with what must come of it.

mod animations;
mod bytes;
mod documents;

use xform_scene::{ErrorCode, WarningCode, animation::NotSampledCode};

/// What must come of a file.
#[derive(Debug, PartialEq)]
pub(crate) enum Comes {
    /// It is refused with this code, at this JSON pointer.
    Refused(ErrorCode, String),
    /// It is audited, with warnings of these kinds, each named once.
    Audited(Vec<WarningCode>),
    /// It is audited, and its one animation is not sampled.
    NotSampled(NotSampledCode),
}

pub(crate) struct Odd {
    /// What is odd about it.
    pub(crate) about: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) comes: Comes,
}

/// All of them.
pub(crate) fn files() -> Vec<Odd> {
    [bytes::files(), documents::files(), animations::files()].into_iter().flatten().collect()
}

fn odd(about: impl Into<String>, bytes: impl Into<Vec<u8>>, comes: Comes) -> Odd {
    Odd { about: about.into(), bytes: bytes.into(), comes }
}

fn refused(code: ErrorCode, pointer: &str) -> Comes {
    Comes::Refused(code, pointer.to_owned())
}

fn fine() -> Comes {
    Comes::Audited(Vec::new())
}

fn warned(code: WarningCode) -> Comes {
    Comes::Audited(vec![code])
}

/// A glTF document with these members beside `asset`.
fn document(members: &str) -> String {
    let comma = if members.is_empty() { "" } else { ", " };
    format!(r#"{{ "asset": {{ "version": "2.0" }}{comma}{members} }}"#)
}
