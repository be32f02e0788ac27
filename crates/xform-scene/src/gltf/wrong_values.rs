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
        let is_list = (rereader.read)(&format!("{{{name}:[]}}")).is_ok();
        match serde_json::from_str::<Vec<&RawValue>>(value.get()) {
            Ok(elements) if is_list => {
                for (index, element) in elements.iter().enumerate() {
                    if rereader.defects.is_full() {
                        // Whether there are more is all that is left to know.
                        let rest = &value.get()[offset_of(element.get(), value.get())..];
                        rereader.find(format!("{{{name}:[{rest}}}"), None);
                        break;
                    }
                    rereader.find(format!("{{{name}:[{element}]}}"), Some(index));
                }
            }
            _ => rereader.find(format!("{{{name}:{value}}}"), None),
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
        while let Some(GltfError::Value { pointer, message }) = wrong {
            let place = in_truth(&pointer, index);
            self.defects.push(GltfError::Value { pointer: place, message });
            wrong = match self.without(&document, &pointer) {
                Some((rest, next)) => {
                    document = rest;
                    next
                }
                None => return,
            };
        }
    }

    /// The document with something harmless in place of a value, and what is wrong with it then. `None` where nothing is
    /// harmless there, or enough was read.
    fn without(&mut self, document: &str, pointer: &str) -> Option<(String, Option<GltfError>)> {
        let range = range_of(document, pointer)?;
        for harmless in ["null", "{}", "0"] {
            if self.defects.is_full() {
                return None;
            }
            let Some(budget) = self.budget.checked_sub(document.len()) else {
                self.defects.count_more();
                return None;
            };
            self.budget = budget;
            let mut replaced = document.to_owned();
            replaced.replace_range(range.clone(), harmless);
            let next = (self.read)(&replaced).err();
            if next.as_ref().is_none_or(|next| next.pointer() != pointer) {
                return Some((replaced, next));
            }
        }
        None
    }
}

/// A place in a document that has one element of an array alone, as a place in the whole document.
fn in_truth(pointer: &str, index: Option<usize>) -> String {
    let Some(index) = index else { return pointer.to_owned() };
    // Such as /nodes/0/scale.
    let mut steps: Vec<_> = pointer.split('/').map(str::to_owned).collect();
    if let Some(step) = steps.get_mut(2) {
        *step = index.to_string();
    }
    steps.join("/")
}

/// Where a value is in the text.
fn range_of(text: &str, pointer: &str) -> Option<Range<usize>> {
    let mut value: &RawValue = serde_json::from_str(text).ok()?;
    for step in pointer.split('/').skip(1) {
        value = match serde_json::from_str::<Members<'_>>(value.get()) {
            // No name that is read has a character that a pointer escapes.
            Ok(Members(members)) => members.into_iter().find(|(name, _)| *name == step)?.1,
            Err(_) => serde_json::from_str::<Vec<&RawValue>>(value.get())
                .ok()?
                .get(step.parse::<usize>().ok()?)?,
        };
    }
    let start = offset_of(value.get(), text);
    Some(start..start + value.get().len())
}

/// Where a part of a text begins.
fn offset_of(part: &str, text: &str) -> usize {
    part.as_ptr().addr() - text.as_ptr().addr()
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
