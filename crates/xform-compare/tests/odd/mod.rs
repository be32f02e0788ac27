//! Malformed and odd files, each with what must come of it.

mod animations;
mod bytes;
mod documents;

use xform_compare::{ErrorCode, NotSampledCode, WarningCode};

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

/// Nodes below one that each of some animations turns, below an uneven scale.
pub(crate) fn turned(nodes: usize, animations: usize) -> String {
    let children: Vec<_> = (2..nodes).map(|child| child.to_string()).collect();
    let rest = vec![r#"{"translation":[1,0,0]}"#; nodes - 2].join(",");
    let animation = r#"{"channels":[{"sampler":0,"target":{"node":1,"path":"rotation"}}],
        "samplers":[{"input":0,"output":1}]}"#;
    let animations = vec![animation; animations].join(",");
    let data = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.6, 0.8_f32].map(f32::to_le_bytes);
    let data: String = data.concat().iter().map(|byte| format!("%{byte:02x}")).collect();
    format!(
        r#"{{"asset":{{"version":"2.0"}},"animations":[{animations}],
        "nodes":[{{"scale":[3,1,1],"children":[1]}},{{"children":[{}]}},{rest}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":2,"type":"SCALAR"}},
            {{"bufferView":1,"componentType":5126,"count":2,"type":"VEC4"}}],
        "bufferViews":[{{"buffer":0,"byteLength":8}},{{"buffer":0,"byteOffset":8,"byteLength":32}}],
        "buffers":[{{"byteLength":40,"uri":"data:,{data}"}}]}}"#,
        children.join(","),
    )
}
