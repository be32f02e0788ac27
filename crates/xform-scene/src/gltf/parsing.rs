use serde::{Deserialize, de::IgnoredAny};
use serde_path_to_error::{Path, Segment};

use super::{
    GltfError,
    document::Document,
    errors::GltfErrors,
    field::{Object, name, object},
    wrong_values::wrong_values,
};
use crate::text::printable;

/// The version of the document. It is read first: another version is then reported as such, instead of as an error in
/// a member that has another form there.
#[derive(Debug, Deserialize)]
struct Preamble {
    #[serde(default, deserialize_with = "object")]
    asset: Asset,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asset {
    #[serde(default, deserialize_with = "name")]
    version: Option<String>,
    #[serde(default, deserialize_with = "name")]
    min_version: Option<String>,
}

const BYTE_ORDER_MARK: char = '\u{FEFF}';

impl<'a> Document<'a> {
    pub(super) fn parse(json: &'a str) -> Result<Self, GltfErrors> {
        let json = json.strip_prefix(BYTE_ORDER_MARK).unwrap_or(json);
        if json.is_empty() {
            return Err(GltfError::Empty.into());
        }
        let preamble: Preamble = parsed(json)?;
        let version = preamble.asset.version.ok_or(GltfError::NoVersion)?;
        if version.split('.').next() != Some("2") {
            return Err(GltfError::Version(printable(&version)).into());
        }
        if let Some(needed) = preamble.asset.min_version.filter(|needed| is_newer(needed)) {
            return Err(GltfError::MinVersion(printable(&needed)).into());
        }
        parsed(json).map_err(|error| match error {
            GltfError::Value { .. } => {
                wrong_values(json, error, |json| parsed::<Document<'_>>(json).map(drop))
            }
            error => error.into(),
        })
    }
}

/// Whether a version, such as `2.1`, is newer than 2.0. A text that is not a version is not newer.
fn is_newer(version: &str) -> bool {
    let number = |part: &str| part.parse::<u32>().ok();
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    number(major).zip(number(minor)).is_some_and(|version| version > (2, 0))
}

/// Parses an object. If that fails, parses it again to find the place of the error.
fn parsed<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, GltfError> {
    let found = serde_json::from_str::<Object<T>>(json).or_else(|error| {
        serde_json::from_str::<IgnoredAny>(json)?;
        let mut again = serde_json::Deserializer::from_str(json);
        serde_path_to_error::deserialize(&mut again).map_err(|place| GltfError::Value {
            pointer: pointer(place.path()),
            message: message(&error),
        })
    });
    found.map(|Object(found)| found)
}

/// The number of characters of a message that are shown.
const LONGEST_MESSAGE: usize = 160;

/// Converts a path to a JSON pointer (RFC 6901).
fn pointer(path: &Path) -> String {
    let step = |segment: &Segment| match segment {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
        Segment::Enum { .. } | Segment::Unknown => String::new(),
    };
    path.iter().map(step).collect()
}

/// The message of an error without line and column, which count from the start of the parsed part. A long message is
/// cut, because it can quote a value.
fn message(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let words = message.rsplit_once(" at line ").map_or(message.as_str(), |(words, _)| words);
    let mut shown: String = words.chars().take(LONGEST_MESSAGE).collect();
    if shown.len() < words.len() {
        shown.push('…');
    }
    shown
}
