//! What was answered: documents `xform-answers/1`.

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

/// The form that is read.
const SCHEMA: &str = "xform-answers/1";

/// The most that packed answers may come to: a small file can unpack to any size.
const MOST: u64 = 1 << 30;

/// The first bytes of what gzip packed.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What an engine answered in one way of asking it: a document `xform-answers/1`.
///
/// `crates/xform-engines/kit/answers.schema.json` describes the form.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Answers {
    schema: String,
    /// The name of the run; that of the engine where there is none.
    #[serde(default)]
    pub run: String,
    /// The engine, or any other name.
    pub engine: String,
    /// Its version.
    pub version: String,
    /// When it was asked.
    #[serde(default)]
    pub date: String,
    /// What it was run in.
    #[serde(default)]
    pub by: String,
    /// How it was asked.
    #[serde(default)]
    pub asked: Asked,
    /// The importer or the calls, in words.
    #[serde(default)]
    pub how: String,
    /// Its axes and its unit, as it says itself.
    #[serde(default)]
    pub axes: Option<Axes>,
    /// By the name of the file, without its ending.
    #[serde(deserialize_with = "unique")]
    pub scenes: BTreeMap<String, Vec<Moment>>,
    /// Scenes that it could not be asked about, and why.
    #[serde(default)]
    pub failed: BTreeMap<String, String>,
}

/// How an engine was asked.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Asked {
    /// A glTF file, imported.
    #[default]
    Gltf,
    /// An FBX file, imported.
    Fbx,
    /// Nodes made by calls.
    Api,
    /// The same, combining translations, rotations and scales.
    Trs,
    /// Each node given another parent by the call that keeps its place, alone.
    KeepWorld,
    /// With a switch set.
    Inherit,
    /// As joints of a skeleton.
    Skin,
    /// Every node made a root.
    Flatten,
    /// A property of the world set.
    Setter,
    /// Exported and imported again.
    Roundtrip,
}

/// The axes and the unit of an engine beside those of glTF.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Axes {
    /// The matrix that takes glTF's axes to the engine's, row by row.
    pub from_gltf: [[f64; 3]; 3],
    /// Whether every node has the new axes, `C·W·Cᵀ`; otherwise something above all nodes changes them, `C·W`.
    pub of_every_node: bool,
    /// How many of the engine's units are a metre.
    pub units_per_metre: f64,
}

/// A scene at one time.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    /// The time of the first animation; `None` for the scene as it is imported.
    pub seconds: Option<f64>,
    /// By the names from the root down, joined by slashes.
    #[serde(deserialize_with = "unique")]
    pub nodes: BTreeMap<String, NodeAnswer>,
    /// The vertices of skinned meshes and of morph targets in the world, by the path of the node. `None` where a number is not finite.
    #[serde(default)]
    pub vertices: BTreeMap<String, Vec<[Option<f64>; 3]>>,
}

/// What was answered of a node.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct NodeAnswer {
    /// The world matrix for column vectors, column by column; `None` where a number is not finite.
    pub world: Option<[Option<f64>; 16]>,
    /// What getters said, which is not looked at.
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

/// Why answers cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AnswersError {
    /// They cannot be unpacked.
    #[error("it cannot be unpacked: {0}")]
    Packed(io::Error),
    /// They come to too much.
    #[error("unpacked it is larger than 1 GiB")]
    TooLarge,
    /// They are not of the form.
    #[error("document {document}: {place}: {why}")]
    Form {
        /// The document, from 1 on.
        document: usize,
        /// The place in it.
        place: String,
        /// What is wrong there.
        why: String,
    },
    /// There is no document.
    #[error("there is no answer in it")]
    Empty,
}

impl Answers {
    /// Reads documents that follow one another, a line each or otherwise, packed by gzip or not.
    ///
    /// # Errors
    ///
    /// What is not of the form, with its place.
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

    /// What is wrong with it beside its form: the place, and why.
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
                let why = "its rows are not unit and perpendicular";
                return Some(("axes.from_gltf".to_owned(), why.to_owned()));
            }
            if !(axes.units_per_metre.is_finite() && axes.units_per_metre > 0.0) {
                return Some(("axes.units_per_metre".to_owned(), "it is not above 0".to_owned()));
            }
        }
        for (scene, moments) in &self.scenes {
            for (place, moment) in moments.iter().enumerate() {
                if moments[..place].iter().any(|other| other.seconds == moment.seconds) {
                    let why = "there are two answers at one time";
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

/// Why numbers are no affine matrix, column by column.
fn wrong_last_row(world: &[Option<f64>; 16]) -> Option<&'static str> {
    let near = |at: usize, value: f64| world[at].is_none_or(|found| (found - value).abs() < 1e-6);
    let is_last = |places: [usize; 4]| {
        places.into_iter().zip([0.0, 0.0, 0.0, 1.0]).all(|(at, value)| near(at, value))
    };
    let is_moved = [3, 7, 11].into_iter().filter(|&at| !near(at, 0.0)).count() > 0;
    if is_last([3, 7, 11, 15]) {
        None
    } else if is_last([12, 13, 14, 15]) && is_moved {
        Some("the matrix is row by row; write it column by column, the translation last")
    } else {
        Some("the last row of the matrix is not 0 0 0 1")
    }
}

/// Reads a map in which no name is twice: of two answers nobody knows which one counts.
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
                    return Err(M::Error::custom(format_args!("`{name}` is there twice")));
                }
                found.insert(name, value);
            }
            Ok(found)
        }
    }

    deserializer.deserialize_map(Unique(PhantomData))
}

/// What text files from Windows may begin with.
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
