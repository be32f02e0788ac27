//! All values of the wrong type or length in a document, of which reading it stops at the first.
//!
//! Each member of the document, and each element of an array there, is read again alone. Where that fails, the value in
//! question is replaced by one that does not fail, and the rest is read once more.

use std::{borrow::Cow, collections::HashSet, fmt, ops::Range};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{
    GltfError,
    errors::{Defects, GltfErrors},
};

/// How many bytes are read again in all, but for the first time.
const REREAD: usize = 16 << 20;

/// What is wrong with a document, where this is the first of it. `read` reads a document.
pub(super) fn wrong_values(
    json: &str,
    first: GltfError,
    read: impl Fn(&str) -> Result<(), GltfError>,
) -> GltfErrors {
    let mut defects = Defects::default();
    let mut rereader = Rereader { read, budget: REREAD, defects: &mut defects };
    let Members(members) = serde_json::from_str(json).unwrap_or_default();
    let mut names = HashSet::new();
    for (name, value) in &members {
        let is_again = !names.insert(name);
        let Ok(name) = serde_json::to_string(name) else { continue };
        // None that is read may be a boolean.
        if (rereader.read)(&format!("{{{name}:true}}")).is_ok() {
            continue;
        }
        if is_again {
            rereader.find(format!("{{{name}:null,{name}:null}}"), None);
        }
        match serde_json::from_str::<Vec<&RawValue>>(value.get()) {
            Ok(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    rereader.find(format!("{{{name}:[{element}]}}"), Some(index));
                }
            }
            Err(_) => rereader.find(format!("{{{name}:{value}}}"), None),
        }
    }
    // It may be no object at all.
    defects.found().err().unwrap_or_else(|| first.into())
}

struct Rereader<'a, R> {
    read: R,
    budget: usize,
    defects: &'a mut Defects,
}

impl<R: Fn(&str) -> Result<(), GltfError>> Rereader<'_, R> {
    /// Finds what is wrong with a document of one member; if that is an array, of an element that has this index in
    /// truth.
    fn find(&mut self, mut document: String, index: Option<usize>) {
        let mut wrong = (self.read)(&document).err();
        while let Some(GltfError::Value { pointer, message }) = wrong.take() {
            let place = in_truth(&pointer, index);
            self.defects.push(GltfError::Value { pointer: place, message });
            let Some(range) = range_of(&document, &pointer) else { return };
            for harmless in ["null", "{}", "0"] {
                if self.defects.is_full() || self.budget < document.len() {
                    return;
                }
                self.budget -= document.len();
                let mut replaced = document.clone();
                replaced.replace_range(range.clone(), harmless);
                wrong = (self.read)(&replaced).err();
                if wrong.as_ref().is_none_or(|next| next.pointer() != pointer) {
                    document = replaced;
                    break;
                }
                wrong = None;
            }
        }
    }
}

/// A place in a document that has one element of an array alone, as a place in the whole document.
fn in_truth(pointer: &str, index: Option<usize>) -> String {
    let mut steps = pointer.splitn(4, '/');
    match (index, steps.nth(1), steps.next(), steps.next()) {
        (Some(index), Some(member), Some(_), None) => format!("/{member}/{index}"),
        (Some(index), Some(member), Some(_), Some(rest)) => format!("/{member}/{index}/{rest}"),
        _ => pointer.to_owned(),
    }
}

/// Where a value is in the text.
fn range_of(text: &str, pointer: &str) -> Option<Range<usize>> {
    let mut value: &RawValue = serde_json::from_str(text).ok()?;
    for step in pointer.split('/').skip(1) {
        value = match serde_json::from_str::<Members<'_>>(value.get()) {
            Ok(Members(members)) => {
                let step = step.replace("~1", "/").replace("~0", "~");
                members.into_iter().find(|(name, _)| *name == step)?.1
            }
            Err(_) => serde_json::from_str::<Vec<&RawValue>>(value.get())
                .ok()?
                .get(step.parse::<usize>().ok()?)?,
        };
    }
    let start = value.get().as_ptr().addr() - text.as_ptr().addr();
    Some(start..start + value.get().len())
}

/// The members of an object, as they are written.
#[derive(Default)]
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfMap;

        impl<'de> Visitor<'de> for OfMap {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((Name(name), value)) = map.next_entry()? {
                    members.push((name, value));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(OfMap)
    }
}

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
