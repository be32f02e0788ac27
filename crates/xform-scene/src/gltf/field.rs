//! Readers for the members of a document, for `serde`. Each is as strict as the meaning of the member needs, and no stricter.
//!
//! [`read_gltf`](crate::read_gltf) reads files by these. Whoever edits files and needs more of them than a [`Scene`](crate::Scene) has
//! reads the rest by these too, so that what can be read can be edited. All are for the values of a JSON text: they borrow from it.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Unexpected, Visitor, value::MapAccessDeserializer},
};
use serde_json::value::RawValue;

use crate::text::printable;

/// A number of any size: beyond the range of `f64` it is infinite, which is an error only where it matters.
#[derive(Clone, Copy, Debug)]
pub struct Number(pub f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = text(deserializer)?;
        let number = number(text).ok_or_else(|| wrong(text, "a number"))?;
        Ok(Self(number))
    }
}

/// An index, also if it is written with a decimal point.
#[derive(Clone, Copy, Debug)]
pub struct Index(pub usize);

impl<'de> Deserialize<'de> for Index {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = text(deserializer)?;
        let index = text.parse().ok().or_else(|| usize::try_from(whole_of(text)?).ok());
        Ok(Self(index.ok_or_else(|| wrong(text, "an index"))?))
    }
}

/// An object. Without this wrapper a struct could also be read from an array.
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

/// Reads an object; `null` counts as missing.
///
/// # Errors
///
/// A value of another type.
pub fn object<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    let found = Option::<Object<T>>::deserialize(deserializer)?;
    Ok(found.map_or_else(T::default, |Object(found)| found))
}

/// Reads an array of objects; `null` counts as missing.
pub(super) fn objects<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let found = Option::<Vec<Object<T>>>::deserialize(deserializer)?.unwrap_or_default();
    Ok(found.into_iter().map(|Object(found)| found).collect())
}

/// Reads an array of indices; `null` counts as missing.
///
/// # Errors
///
/// A value of another type.
pub fn indices<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<usize>, D::Error> {
    let found = Option::<Vec<Index>>::deserialize(deserializer)?.unwrap_or_default();
    Ok(found.into_iter().map(|Index(found)| found).collect())
}

/// Reads an index; `null` counts as missing.
///
/// # Errors
///
/// A value of another type.
pub fn index<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    Ok(Option::<Index>::deserialize(deserializer)?.map(|Index(found)| found))
}

/// Reads a name; a value that is no string is taken as it is written.
///
/// # Errors
///
/// None of its own.
pub fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = text(deserializer)?;
    Ok(serde_json::from_str(text).unwrap_or_else(|_| Some(text.to_owned())))
}

/// Reads a value; one of another type counts as missing, which is an error only where it is needed.
///
/// # Errors
///
/// None of its own.
pub fn lenient<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(serde_json::from_str(text(deserializer)?).unwrap_or_default())
}

/// Reads an array of values, each by itself; one of another type is as if it were empty.
///
/// # Errors
///
/// None of its own.
pub fn each<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    let raws: Vec<&RawValue> = lenient(deserializer)?;
    let value = |raw: &'de RawValue| serde_json::from_str(raw.get()).unwrap_or_default();
    Ok(raws.into_iter().map(value).collect())
}

/// Reads a value whose presence counts, whatever it is; `null` counts as missing.
pub(super) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    let text = text(deserializer)?;
    Ok((text != "null").then(|| serde_json::from_str(text).unwrap_or_default()))
}

/// Reads a whole number; anything else becomes the greatest there is, so that it is out of range wherever it is
/// used. `null` is 0, as if it were missing.
///
/// # Errors
///
/// None of its own.
pub fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(size_of(text(deserializer)?).unwrap_or(0))
}

/// Reads a length; anything but a whole number is 0, so that nothing fits in.
///
/// # Errors
///
/// None of its own.
pub fn length<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(whole_of(text(deserializer)?).unwrap_or(0))
}

/// Reads a whole number or `null`; anything else becomes the greatest there is.
pub(super) fn maybe_size<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    Ok(size_of(text(deserializer)?))
}

/// Reads an index or `null`; anything else becomes an index that is out of range everywhere.
///
/// # Errors
///
/// None of its own.
pub fn maybe_index<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    let found = size_of(text(deserializer)?);
    Ok(found.map(|index| usize::try_from(index).unwrap_or(usize::MAX)))
}

/// The same where −1 is no index either.
pub(super) fn maybe_index_or_minus_one<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<usize>, D::Error> {
    let text = text(deserializer)?;
    let found = size_of(text).filter(|_| text != "-1");
    Ok(found.map(|index| usize::try_from(index).unwrap_or(usize::MAX)))
}

/// The text of a value; to read it never fails, whatever the value is.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'de str, D::Error> {
    <&RawValue>::deserialize(deserializer).map(RawValue::get)
}

fn size_of(text: &str) -> Option<u64> {
    (text != "null").then(|| whole_of(text).unwrap_or(u64::MAX))
}

/// A whole number that is not negative, with or without a decimal point.
fn whole_of(text: &str) -> Option<u64> {
    let is_whole = |float: &f64| *float >= 0.0 && libm::trunc(*float) == *float;
    let from_float = || format!("{:.0}", number(text).filter(is_whole)?.abs()).parse().ok();
    text.parse().ok().or_else(from_float)
}

/// A number; no other JSON value begins with a minus or a digit.
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
