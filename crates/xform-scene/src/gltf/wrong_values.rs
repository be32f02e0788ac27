//! Finds all values of the wrong type or length in a document. Reading it stops at the first one.
//!
//! Each member of the document, and each element of an array in it, is read again separately. If that fails, the
//! wrong value is replaced by one that does not fail, and the rest is read once more.

// This needs no second schema. To collect the errors in one pass, every member would have to be stored as right or
// wrong: twice as many types, and slower for every valid file. At most 16 MiB are read again. Indices, parents and
// poses are checked only if all values are right, because a missing value makes others look wrong.

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

/// The number of bytes that are read again in all, not counting the first time.
const REREAD: usize = 16 << 20;

/// Returns all errors of a document, given the first one. `read` reads a document.
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
        // No member that is read can be a boolean, so this one is not read.
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
                        // Only the number of further errors is of interest now.
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
    // The document may not be an object.
    defects.found().err().unwrap_or_else(|| first.into())
}

struct Rereader<'a, R> {
    read: R,
    budget: usize,
    defects: &'a mut Defects,
}

impl<R: Fn(&str) -> Result<(), GltfError>> Rereader<'_, R> {
    /// Finds the errors in a document with one member. If that is an array with a single element, `index` is the
    /// element's index in the whole document.
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

    /// Replaces a value by a harmless one, and returns the document with its next error. `None` if no harmless value
    /// was found, or enough was read.
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

/// Converts a place in a document with a single element of an array to a place in the whole document.
fn in_truth(pointer: &str, index: Option<usize>) -> String {
    let Some(index) = index else { return pointer.to_owned() };
    // For example /nodes/0/scale.
    let mut steps: Vec<_> = pointer.split('/').map(str::to_owned).collect();
    if let Some(step) = steps.get_mut(2) {
        *step = index.to_string();
    }
    steps.join("/")
}

/// The range of a value in the text.
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

/// The offset of a part in a text.
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
