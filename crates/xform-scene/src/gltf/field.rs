//! Readers of the members of a glTF document, for `serde`. Each is as strict as the meaning of its member requires,
//! and no stricter.
//!
//! [`read_gltf`](crate::read_gltf) uses them. A program that edits files and needs members beyond those in a
//! [`Scene`](crate::Scene) can read them with these functions too, so that it accepts the same files. They work only
//! on JSON text, from which they borrow.

// Numbers, and members that only some features need, are first taken as text (`RawValue`), so that looking at them
// cannot fail. The member then decides how an invalid value is treated. So a document is read in one pass, whatever
// is wrong with it. Only a refused document is read again, to find the places of its errors (`wrong_values.rs`).

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Unexpected, Visitor, value::MapAccessDeserializer},
};
use serde_json::value::RawValue;

use crate::text::printable;

/// A number of any size. Beyond the range of `f64` it is infinite, which is an error only if the number is needed.
#[derive(Clone, Copy, Debug)]
pub struct Number(pub f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = text(deserializer)?;
        let number = number(text).ok_or_else(|| wrong(text, "a number"))?;
        Ok(Self(number))
    }
}

/// An index, even if it is written with a decimal point.
#[derive(Clone, Copy, Debug)]
pub struct Index(pub usize);

impl<'de> Deserialize<'de> for Index {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = text(deserializer)?;
        let index = text.parse().ok().or_else(|| usize::try_from(whole_of(text)?).ok());
        Ok(Self(index.ok_or_else(|| wrong(text, "an index"))?))
    }
}

/// An object. Without this wrapper, serde would also accept an array for a struct.
#[derive(Clone, Copy, Debug)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfMap<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for OfMap<T> {
            type Value = T;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }

        deserializer.deserialize_map(OfMap(PhantomData)).map(Self)
    }
}

/// Reads an object. `null` counts as missing.
///
/// # Errors
///
/// If the value has another type.
pub fn object<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    let found = Option::<Object<T>>::deserialize(deserializer)?;
    Ok(found.map_or_else(T::default, |Object(found)| found))
}

/// Reads an array of objects. `null` counts as missing.
pub(super) fn objects<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let found = Option::<Vec<Object<T>>>::deserialize(deserializer)?.unwrap_or_default();
    Ok(found.into_iter().map(|Object(found)| found).collect())
}

/// Reads an array of indices. `null` counts as missing.
///
/// # Errors
///
/// If the value has another type.
pub fn indices<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<usize>, D::Error> {
    let found = Option::<Vec<Index>>::deserialize(deserializer)?.unwrap_or_default();
    Ok(found.into_iter().map(|Index(found)| found).collect())
}

/// Reads an index. `null` counts as missing.
///
/// # Errors
///
/// If the value has another type.
pub fn index<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    Ok(Option::<Index>::deserialize(deserializer)?.map(|Index(found)| found))
}

/// Reads a name. A value that is not a string is returned as it is written.
///
/// # Errors
///
/// Only those of the deserializer.
pub fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = text(deserializer)?;
    Ok(serde_json::from_str(text).unwrap_or_else(|_| Some(text.to_owned())))
}

/// Reads a value. One of another type counts as missing, which is an error only if it is needed.
///
/// # Errors
///
/// Only those of the deserializer.
pub fn lenient<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(serde_json::from_str(text(deserializer)?).unwrap_or_default())
}

/// Reads an array of independent values. One of another type is replaced by the default.
///
/// # Errors
///
/// Only those of the deserializer.
pub fn each<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    let raws: Vec<&RawValue> = lenient(deserializer)?;
    let value = |raw: &'de RawValue| serde_json::from_str(raw.get()).unwrap_or_default();
    Ok(raws.into_iter().map(value).collect())
}

/// Reads a value whose presence counts, even if it is invalid. `null` counts as missing.
pub(super) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    let text = text(deserializer)?;
    Ok((text != "null").then(|| serde_json::from_str(text).unwrap_or_default()))
}

/// Reads a whole number. Anything else becomes the largest number, so that it is out of range wherever it is used.
/// `null` is 0, as if the member were missing.
///
/// # Errors
///
/// Only those of the deserializer.
pub fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(size_of(text(deserializer)?).unwrap_or(0))
}

/// Reads a length. Anything but a whole number becomes 0, so that nothing fits.
///
/// # Errors
///
/// Only those of the deserializer.
pub fn length<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(whole_of(text(deserializer)?).unwrap_or(0))
}

/// Reads a whole number or `null`. Anything else becomes the largest number.
pub(super) fn maybe_size<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    Ok(size_of(text(deserializer)?))
}

/// Reads an index or `null`. Anything else becomes an index that is out of range everywhere.
///
/// # Errors
///
/// Only those of the deserializer.
pub fn maybe_index<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    let found = size_of(text(deserializer)?);
    Ok(found.map(|index| usize::try_from(index).unwrap_or(usize::MAX)))
}

/// The same, but −1 also means that there is no index.
pub(super) fn maybe_index_or_minus_one<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<usize>, D::Error> {
    let text = text(deserializer)?;
    let found = size_of(text).filter(|_| text != "-1");
    Ok(found.map(|index| usize::try_from(index).unwrap_or(usize::MAX)))
}

/// The text of a value. This succeeds for any value.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'de str, D::Error> {
    <&RawValue>::deserialize(deserializer).map(RawValue::get)
}

fn size_of(text: &str) -> Option<u64> {
    (text != "null").then(|| whole_of(text).unwrap_or(u64::MAX))
}

/// Parses a non-negative whole number, with or without a decimal point.
fn whole_of(text: &str) -> Option<u64> {
    let is_whole = |float: &f64| *float >= 0.0 && libm::trunc(*float) == *float;
    let from_float = || format!("{:.0}", number(text).filter(is_whole)?.abs()).parse().ok();
    text.parse().ok().or_else(from_float)
}

/// Parses a number. No other JSON value begins with a minus or a digit.
fn number(text: &str) -> Option<f64> {
    let is_number = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

fn wrong<E: Error>(text: &str, expected: &'static str) -> E {
    let found = match text.as_bytes().first() {
        Some(b'"') => Unexpected::Other("string"),
        Some(b'[') => Unexpected::Seq,
        Some(b'{') => Unexpected::Map,
        Some(b't' | b'f') => Unexpected::Other("boolean"),
        Some(b'n') => Unexpected::Other("null"),
        _ => return E::custom(format_args!("{} is not {expected}", printable(text))),
    };
    E::invalid_type(found, &expected)
}
