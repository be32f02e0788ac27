//! How the members of a document are read: as strict as what they mean needs, and no stricter.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Unexpected, Visitor, value::MapAccessDeserializer},
};
use serde_json::value::RawValue;

/// A number of any size: what is beyond the range of `f64` is infinite, and an error only where it matters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number(pub(super) f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = text(deserializer)?;
        let number = number(text).ok_or_else(|| wrong(text, "a number"))?;
        Ok(Self(number))
    }
}

/// An index, also one that is written with a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Index(pub(super) usize);

impl<'de> Deserialize<'de> for Index {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = text(deserializer)?;
        let index = text.parse().ok().or_else(|| usize::try_from(whole_of(text)?).ok());
        Ok(Self(index.ok_or_else(|| wrong(text, "an index"))?))
    }
}

/// What is an object, where a struct would also be read from an array.
pub(super) struct Object<T>(pub(super) T);

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

/// An object; `null` is as if it were not there.
pub(super) fn object<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    let found = Option::<Object<T>>::deserialize(deserializer)?;
    Ok(found.map_or_else(T::default, |Object(found)| found))
}

/// An array of objects; `null` is as if it were not there.
pub(super) fn objects<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let found = Option::<Vec<Object<T>>>::deserialize(deserializer)?.unwrap_or_default();
    Ok(found.into_iter().map(|Object(found)| found).collect())
}

/// An array of indices; `null` is as if it were not there.
pub(super) fn indices<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<usize>, D::Error> {
    let found = Option::<Vec<Index>>::deserialize(deserializer)?.unwrap_or_default();
    Ok(found.into_iter().map(|Index(found)| found).collect())
}

pub(super) fn index<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    Ok(Option::<Index>::deserialize(deserializer)?.map(|Index(found)| found))
}

/// A name; what is none is taken as it is written.
pub(super) fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = text(deserializer)?;
    Ok(serde_json::from_str(text).unwrap_or_else(|_| Some(text.to_owned())))
}

/// What is of another type counts as not there: only who needs it misses it.
pub(super) fn lenient<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(serde_json::from_str(text(deserializer)?).unwrap_or_default())
}

/// A number without a fraction, for who may need it; what is none is more than anything has. 0 for `null`, as
/// where it is not there.
pub(super) fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(size_of(text(deserializer)?).unwrap_or(0))
}

/// A number without a fraction; what is none is 0, so that nothing is in it.
pub(super) fn length<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(whole_of(text(deserializer)?).unwrap_or(0))
}

/// A number without a fraction, for who may need it, `None` for `null`.
pub(super) fn maybe_size<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    Ok(size_of(text(deserializer)?))
}

/// The same.
pub(super) fn maybe_index<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<usize>, D::Error> {
    let found = size_of(text(deserializer)?);
    Ok(found.map(|index| usize::try_from(index).unwrap_or(usize::MAX)))
}

/// A value as it is written; looking at it so never fails, whatever it is.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'de str, D::Error> {
    <&RawValue>::deserialize(deserializer).map(RawValue::get)
}

fn size_of(text: &str) -> Option<u64> {
    (text != "null").then(|| whole_of(text).unwrap_or(u64::MAX))
}

/// A number that is not negative and has no fraction, whether or not it is written with a point.
fn whole_of(text: &str) -> Option<u64> {
    let is_whole = |float: &f64| *float >= 0.0 && libm::trunc(*float) == *float;
    let from_float = || format!("{:.0}", number(text).filter(is_whole)?.abs()).parse().ok();
    text.parse().ok().or_else(from_float)
}

/// JSON has no other value that begins so.
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
        _ => return E::custom(format_args!("{} is not {expected}", crate::path::shown(text))),
    };
    E::invalid_type(found, &expected)
}
