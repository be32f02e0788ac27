//! Answers of engines: documents `xform-answers/1`.

use std::{
    collections::BTreeMap,
    fmt,
    io::{self, Read},
    marker::PhantomData,
};

use flate2::read::MultiGzDecoder;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error as _, MapAccess, Visitor},
};
use thiserror::Error;
use xform_scene::text::printable;

/// The supported schema.
const SCHEMA: &str = "xform-answers/1";

/// The most bytes that compressed answers may unpack to: a small file can unpack to any size.
const MOST: u64 = 1 << 30;

/// The first bytes of gzip data.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The answers of an engine that was queried in one way: a document `xform-answers/1`.
///
/// `crates/xform-engines/kit/answers.schema.json` describes the format.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Answers {
    schema: String,
    /// The name of the run. The engine's name if the document has none.
    #[serde(default)]
    pub run: String,
    /// The id of the engine, or any other name.
    pub engine: String,
    /// The version of the engine.
    pub version: String,
    /// The date of the run.
    #[serde(default)]
    pub date: String,
    /// The program or environment that ran the engine.
    #[serde(default)]
    pub by: String,
    /// How the engine was queried.
    #[serde(default)]
    pub asked: Asked,
    /// The importer or the calls that were used, in words.
    #[serde(default)]
    pub how: String,
    /// The axes and the unit of the engine, as stated in the document.
    #[serde(default)]
    pub axes: Option<Axes>,
    /// The answers by scene: the name of its file without the extension.
    #[serde(deserialize_with = "unique")]
    pub scenes: BTreeMap<String, Vec<Moment>>,
    /// Scenes that the engine could not be queried about, with the reasons.
    #[serde(default)]
    pub failed: BTreeMap<String, String>,
}

/// The way in which an engine was queried.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Asked {
    /// It imported a glTF file.
    #[default]
    Gltf,
    /// It imported an FBX file.
    Fbx,
    /// The nodes were created by calls.
    Api,
    /// The nodes were created by calls, and translations, rotations and scales were combined.
    Trs,
    /// Each node alone got another parent, by the call that keeps its world transform.
    KeepWorld,
    /// A switch for inheritance was set.
    Inherit,
    /// The nodes were joints of a skeleton.
    Skin,
    /// Every node was made a root.
    Flatten,
    /// A property in world space was set.
    Setter,
    /// The scene was exported and imported again.
    Roundtrip,
}

/// The axes and the unit of an engine relative to those of glTF.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Axes {
    /// The matrix that takes glTF's axes to the engine's, row by row.
    pub from_gltf: [[f64; 3]; 3],
    /// Whether every node has the new axes, `C·W·Cᵀ`. Otherwise a conversion above all nodes changes them, `C·W`.
    pub of_every_node: bool,
    /// The number of the engine's units in a metre.
    pub units_per_metre: f64,
}

/// A scene at one time.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    /// The time in the first animation, or `None` for the scene as imported.
    pub seconds: Option<f64>,
    /// The answers by node path: the names from the root down, joined by slashes.
    #[serde(deserialize_with = "unique")]
    pub nodes: BTreeMap<String, NodeAnswer>,
    /// The world positions of the vertices of skinned meshes and of morph targets, by node path. `None` for a number
    /// that is not finite.
    #[serde(default)]
    pub vertices: BTreeMap<String, Vec<[Option<f64>; 3]>>,
}

/// The answer for a node.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct NodeAnswer {
    /// The world matrix for column vectors, column by column. `None` for a number that is not finite.
    pub world: Option<[Option<f64>; 16]>,
    /// The results of getters, which are not used.
    #[serde(default)]
    getters: Option<Getters>,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Getters {
    position: [Option<f64>; 3],
    rotation: [Option<f64>; 4],
    scale: [Option<f64>; 3],
}

/// The reasons why answers cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AnswersError {
    /// The data cannot be decompressed.
    #[error("it cannot be decompressed: {0}")]
    Packed(io::Error),
    /// The decompressed data are too large.
    #[error("decompressed, it is larger than 1 GiB")]
    TooLarge,
    /// A document does not have the required format.
    #[error("document {document}: {place}: {why}")]
    Form {
        /// The number of the document, counted from 1.
        document: usize,
        /// The place in the document.
        place: String,
        /// The fault, as a clause.
        why: String,
    },
    /// The file contains no document.
    #[error("it contains no answers")]
    Empty,
}

impl Answers {
    /// Reads a sequence of documents, one per line or otherwise separated, compressed with gzip or not.
    ///
    /// # Errors
    ///
    /// The first violation of the format, with its place.
    pub fn read(bytes: &[u8]) -> Result<Vec<Self>, AnswersError> {
        if bytes.starts_with(&GZIP) {
            let mut unpacked = Vec::new();
            let read = MultiGzDecoder::new(bytes).take(MOST + 1).read_to_end(&mut unpacked);
            read.map_err(AnswersError::Packed)?;
            let is_too_large = unpacked.len() as u64 > MOST;
            return if is_too_large { Err(AnswersError::TooLarge) } else { documents(&unpacked) };
        }
        documents(bytes)
    }

    /// Returns the first violation that the JSON types do not exclude: its place, and the reason.
    fn problem(&self) -> Option<(String, String)> {
        if self.schema != SCHEMA {
            return Some(("schema".to_owned(), format!("`{}` is not {SCHEMA}", self.schema)));
        }
        for (place, text) in [("engine", &self.engine), ("version", &self.version)] {
            if text.trim().is_empty() {
                return Some((place.to_owned(), "it is empty".to_owned()));
            }
        }
        if let Some(axes) = self.axes {
            let change = nalgebra::Matrix3::from_fn(|i, j| axes.from_gltf[i][j]);
            let off = (change * change.transpose() - nalgebra::Matrix3::identity()).amax();
            if !off.is_finite() || off > 1e-6 {
                let why = "its rows are not perpendicular unit vectors";
                return Some(("axes.from_gltf".to_owned(), why.to_owned()));
            }
            if !(axes.units_per_metre.is_finite() && axes.units_per_metre > 0.0) {
                return Some((
                    "axes.units_per_metre".to_owned(),
                    "it is not greater than 0".to_owned(),
                ));
            }
        }
        for (scene, moments) in &self.scenes {
            for (place, moment) in moments.iter().enumerate() {
                if moments[..place].iter().any(|other| other.seconds == moment.seconds) {
                    let why = "there are two answers for one time";
                    return Some((format!("scenes.{scene}[{place}]"), why.to_owned()));
                }
                for (path, answer) in &moment.nodes {
                    let why = answer.world.as_ref().and_then(wrong_last_row);
                    if let Some(why) = why {
                        return Some((format!("scenes.{scene}: {path}"), why.to_owned()));
                    }
                }
            }
        }
        None
    }
}

/// Returns why a matrix, column by column, is not affine.
fn wrong_last_row(world: &[Option<f64>; 16]) -> Option<&'static str> {
    let near = |at: usize, value: f64| world[at].is_none_or(|found| (found - value).abs() < 1e-6);
    let is_last = |places: [usize; 4]| {
        places.into_iter().zip([0.0, 0.0, 0.0, 1.0]).all(|(at, value)| near(at, value))
    };
    let is_moved = [3, 7, 11].into_iter().filter(|&at| !near(at, 0.0)).count() > 0;
    if is_last([3, 7, 11, 15]) {
        None
    } else if is_last([12, 13, 14, 15]) && is_moved {
        Some("the matrix is stored row by row; store it column by column, the translation last")
    } else {
        Some("the last row of the matrix is not 0 0 0 1")
    }
}

/// Reads a map and refuses duplicate names, because it would be unclear which of two answers counts.
fn unique<'de, D, T>(deserializer: D) -> Result<BTreeMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct Unique<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Unique<T> {
        type Value = BTreeMap<String, T>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
            let mut found = Self::Value::new();
            while let Some((name, value)) = map.next_entry::<String, T>()? {
                if found.contains_key(&name) {
                    let name = printable(&name);
                    return Err(M::Error::custom(format_args!("`{name}` occurs twice")));
                }
                found.insert(name, value);
            }
            Ok(found)
        }
    }

    deserializer.deserialize_map(Unique(PhantomData))
}

/// The byte-order mark with which text files from Windows may begin.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

fn documents(bytes: &[u8]) -> Result<Vec<Answers>, AnswersError> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let mut all = Vec::new();
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    loop {
        let document = all.len() + 1;
        if reader.end().is_ok() {
            break;
        }
        let read: Result<Answers, _> = serde_path_to_error::deserialize(&mut reader);
        let mut answers = read.map_err(|error| AnswersError::Form {
            document,
            place: error.path().to_string(),
            why: error.inner().to_string(),
        })?;
        if let Some((place, why)) = answers.problem() {
            return Err(AnswersError::Form { document, place, why });
        }
        if answers.run.is_empty() {
            answers.run.clone_from(&answers.engine);
        }
        all.push(answers);
    }
    if all.is_empty() { Err(AnswersError::Empty) } else { Ok(all) }
}
