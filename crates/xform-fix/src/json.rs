//! Edits JSON as text: everything that is not edited stays the same to the byte.

// An edit replaces a span of the document's text. The spans come from the places of `serde_json`'s borrowed values in
// that text. Rewriting a parsed tree would keep the order of members only with a map of our own, and the digits of
// numbers only with a feature of `serde_json` that changes how every crate of the program reads numbers.

use std::{collections::HashSet, fmt, ops::Range};

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor},
};
use serde_json::value::RawValue;
use xform_scene::text::printable;

/// The members of an object, in document order.
#[derive(Debug, Default)]
pub(crate) struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Members<'a> {
    /// Reads the members of an object. A name may occur twice.
    pub(crate) fn of(object: &'a RawValue) -> serde_json::Result<Self> {
        serde_json::from_str(object.get())
    }

    /// Returns the value of a member. `null` counts as missing.
    pub(crate) fn get(&self, name: &str) -> serde_json::Result<Option<&'a RawValue>> {
        Ok(self.written(name)?.filter(|value| value.get() != "null"))
    }

    /// Returns the value of a member, even if it is `null`. Fails if the name occurs twice: some programs read the first
    /// of the two, others the last.
    fn written(&self, name: &str) -> serde_json::Result<Option<&'a RawValue>> {
        let mut found = self.every(name);
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(Error::custom(format_args!("`{}` occurs twice", printable(name)))),
            (found, None) => Ok(found),
        }
    }

    /// Returns the values of all members of this name.
    pub(crate) fn every(&self, name: &str) -> impl Iterator<Item = &'a RawValue> {
        self.0.iter().filter(move |(found, _)| found == name).map(|(_, value)| *value)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the values that are not `null`.
    pub(crate) fn values(&self) -> impl Iterator<Item = &'a RawValue> {
        self.0.iter().map(|(_, value)| *value).filter(|value| value.get() != "null")
    }
}

pub(crate) fn elements(array: &RawValue) -> serde_json::Result<Vec<&RawValue>> {
    serde_json::from_str(array.get())
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(InOrder).map(Self)
    }
}

/// A text and its edits, applied all at once.
#[derive(Clone, Debug)]
pub(crate) struct Edits<'a> {
    text: &'a str,
    edits: Vec<(Range<usize>, String)>,
    /// The ends of objects and arrays that were extended.
    extended: HashSet<usize>,
    /// The ends of objects and arrays from which everything was removed.
    emptied: HashSet<usize>,
}

impl<'a> Edits<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self { text, edits: Vec::new(), extended: HashSet::new(), emptied: HashSet::new() }
    }

    /// Returns the byte range of a part of the text.
    fn span(&self, part: &str) -> Range<usize> {
        let start = part.as_ptr() as usize - self.text.as_ptr() as usize;
        start..start + part.len()
    }

    pub(crate) fn replace(&mut self, value: &'a RawValue, with: impl Into<String>) {
        self.edits.push((self.span(value.get()), with.into()));
    }

    /// Sets a member of an object. A new member goes behind all others.
    pub(crate) fn set(
        &mut self,
        object: &'a RawValue,
        name: &str,
        value: impl Into<String>,
    ) -> serde_json::Result<()> {
        let members = Members::of(object)?;
        match members.written(name)? {
            Some(found) => self.replace(found, value),
            None => {
                let member = format!("{}:{}", serde_json::Value::from(name), value.into());
                self.extend(object, members.0.is_empty(), &[member]);
            }
        }
        Ok(())
    }

    /// Appends values to an array that is a member of an object. A missing array is added.
    pub(crate) fn push(
        &mut self,
        object: &'a RawValue,
        name: &str,
        values: &[String],
    ) -> serde_json::Result<()> {
        if values.is_empty() {
            return Ok(());
        }
        match Members::of(object)?.get(name)? {
            Some(array) => {
                let is_empty = elements(array)?.is_empty();
                self.extend(array, is_empty, values);
                Ok(())
            }
            None => self.set(object, name, format!("[{}]", values.join(","))),
        }
    }

    /// Removes members from an object, if it has them. Members added to the object are added after that.
    pub(crate) fn remove(
        &mut self,
        object: &'a RawValue,
        is_taken: impl Fn(&str) -> bool,
    ) -> serde_json::Result<()> {
        let members = Members::of(object)?;
        let is_kept: Vec<_> = members.names().map(|name| !is_taken(name)).collect();
        let parts = members.0.iter().map(|(_, value)| {
            let value = self.span(value.get());
            key_start(self.text, value.start)..value.end
        });
        let parts: Vec<_> = parts.collect();
        self.cut(object, &parts, &is_kept);
        Ok(())
    }

    /// Removes the elements of an array that are not kept.
    pub(crate) fn retain(
        &mut self,
        array: &'a RawValue,
        is_kept: &[bool],
    ) -> serde_json::Result<()> {
        let parts = elements(array)?.into_iter().map(|element| self.span(element.get()));
        let parts: Vec<_> = parts.collect();
        self.cut(array, &parts, is_kept);
        Ok(())
    }

    fn cut(&mut self, whole: &'a RawValue, parts: &[Range<usize>], is_kept: &[bool]) {
        let mut first = 0;
        while let Some(taken) = is_kept[first..].iter().position(|is_kept| !is_kept) {
            let start = first + taken;
            let kept = is_kept[start..].iter().position(|&is_kept| is_kept);
            let end = kept.map_or(parts.len(), |kept| start + kept);
            let (from, to) = match (parts.get(end), start.checked_sub(1)) {
                (Some(next), _) => (parts[start].start, next.start),
                (None, Some(last)) => (parts[last].end, parts[end - 1].end),
                (None, None) => {
                    self.emptied.insert(self.span(whole.get()).end - 1);
                    (parts[start].start, parts[end - 1].end)
                }
            };
            self.edits.push((from..to, String::new()));
            first = end;
        }
    }

    /// Adds text before the bracket that ends an object or array.
    fn extend(&mut self, whole: &'a RawValue, is_empty: bool, with: &[String]) {
        let end = self.span(whole.get()).end - 1;
        // Behind the last value, but before a line break that may follow it.
        let inside = self.text[..end].trim_end_matches([' ', '\t', '\r', '\n']);
        let is_empty = is_empty || self.emptied.contains(&end);
        let is_first = self.extended.insert(end) && is_empty;
        let comma = if is_first { "" } else { "," };
        self.edits.push((inside.len()..inside.len(), format!("{comma}{}", with.join(","))));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns the edited text.
    pub(crate) fn finish(mut self) -> String {
        // The sort is stable, so additions at one place keep their order.
        self.edits.sort_by_key(|(range, _)| range.start);
        let mut edited = String::with_capacity(self.text.len());
        let mut at = 0;
        for (range, with) in &self.edits {
            edited.push_str(&self.text[at..range.start]);
            edited.push_str(with);
            at = range.end;
        }
        edited.push_str(&self.text[at..]);
        edited
    }
}

/// Returns the start of a member's name, given the start of its value.
fn key_start(text: &str, value: usize) -> usize {
    let bytes = &text.as_bytes()[..value];
    let quotes = (0..value).rev().filter(|&at| bytes[at] == b'"');
    // A quote within a name follows an odd number of backslashes, because escaped backslashes come in pairs.
    let is_bare = |&at: &usize| {
        let escapes = bytes[..at].iter().rev().take_while(|&&byte| byte == b'\\').count();
        escapes % 2 == 0
    };
    quotes.filter(is_bare).nth(1).unwrap_or(value)
}

/// Formats numbers as an array, each with the fewest digits that identify it.
pub(crate) fn array(numbers: &[f64]) -> String {
    let numbers: Vec<_> = numbers.iter().map(|&number| self::number(number)).collect();
    format!("[{}]", numbers.join(","))
}

fn number(number: f64) -> String {
    // Adding 0 turns a negative zero into 0.
    serde_json::Value::from(number + 0.0).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> &RawValue {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn what_is_not_edited_stays_as_it_is() {
        let text = "{ \"a\": 1.50, \"b\" : [ ],\n\t\"c\":{}, \"d\":[1e3 ,2]\n}";
        let root = raw(text);
        let members = Members::of(root).unwrap();
        let mut edits = Edits::of(text);
        edits.set(root, "a", "2").unwrap();
        edits.push(root, "b", &["3".to_owned(), "4".to_owned()]).unwrap();
        edits.push(root, "d", &["5".to_owned()]).unwrap();
        edits.set(members.get("c").unwrap().unwrap(), "x", "6").unwrap();
        edits.set(members.get("c").unwrap().unwrap(), "y", "7").unwrap();
        edits.push(root, "e", &["8".to_owned()]).unwrap();
        let expected =
            "{ \"a\": 2, \"b\" : [3,4 ],\n\t\"c\":{\"x\":6,\"y\":7}, \"d\":[1e3 ,2,5],\"e\":[8]\n}";
        assert_eq!(edits.finish(), expected);
    }

    #[test]
    fn what_is_taken_out_leaves_no_comma() {
        let text = r#"{ "a\\\"": 1, "b" : 2 , "c":[0, 1, 2 ,3]}"#;
        let cases = [
            (&["b"][..], r#"{ "a\\\"": 1, "c":[1]}"#),
            (&["c"], r#"{ "a\\\"": 1, "b" : 2}"#),
            (&["a\\\""], r#"{ "b" : 2 , "c":[1]}"#),
            (&["a\\\"", "b"], r#"{ "c":[1]}"#),
            (&["b", "c"], r#"{ "a\\\"": 1}"#),
            (&["a\\\"", "b", "c"], "{ }"),
        ];
        for (taken, expected) in cases {
            let root = raw(text);
            let mut edits = Edits::of(text);
            if !taken.contains(&"c") {
                let array = Members::of(root).unwrap().get("c").unwrap().unwrap();
                edits.retain(array, &[false, true, false, false]).unwrap();
            }
            edits.remove(root, |name| taken.contains(&name)).unwrap();
            let (mut added, expected) = (edits.clone(), expected.to_owned());
            assert_eq!(edits.finish(), expected);
            added.set(root, "d", "4").unwrap();
            let comma = if taken.len() == 3 { "" } else { "," };
            let end = expected.trim_end_matches(['}', ' ']);
            assert_eq!(
                added.finish().replace(' ', ""),
                format!("{end}{comma}\"d\":4}}").replace(' ', "")
            );
        }
    }

    #[test]
    fn numbers_are_as_short_as_they_can_be() {
        assert_eq!(array(&[1.0, -0.0, 0.1, 1e-9]), "[1.0,0.0,0.1,1e-9]");
    }
}
