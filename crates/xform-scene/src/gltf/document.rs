use std::borrow::Cow;

use serde::{Deserialize, de::IgnoredAny};
use serde_path_to_error::{Path, Segment};

use super::{
    GltfError,
    errors::GltfErrors,
    field::{
        Number, Object, index, indices, length, lenient, maybe_index, maybe_size, name, object,
        objects, present, size,
    },
    wrong_values::wrong_values,
};
use crate::text::printable;

/// The parts of a glTF document that are needed; everything else is skipped, however deep it nests.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document<'a> {
    #[serde(default, deserialize_with = "index")]
    pub(super) scene: Option<usize>,
    #[serde(default, deserialize_with = "objects")]
    pub(super) scenes: Vec<SceneEntry>,
    #[serde(default, deserialize_with = "objects")]
    pub(super) nodes: Vec<NodeEntry>,
    #[serde(default, deserialize_with = "objects")]
    pub(super) meshes: Vec<Mesh>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) materials: Vec<Material>,
    #[serde(default, deserialize_with = "objects")]
    pub(super) accessors: Vec<Accessor>,
    #[serde(default, deserialize_with = "objects")]
    pub(super) skins: Vec<Skin>,
    #[serde(default, deserialize_with = "objects")]
    pub(super) animations: Vec<Animation>,
    #[serde(default, deserialize_with = "objects")]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(borrow, default, deserialize_with = "objects")]
    pub(super) buffers: Vec<Buffer<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SceneEntry {
    #[serde(default, deserialize_with = "indices")]
    pub(super) nodes: Vec<usize>,
}

#[derive(Debug, Deserialize)]
pub(super) struct NodeEntry {
    #[serde(default, deserialize_with = "name")]
    pub(super) name: Option<String>,
    #[serde(default, deserialize_with = "indices")]
    pub(super) children: Vec<usize>,
    pub(super) matrix: Option<[Number; 16]>,
    pub(super) translation: Option<[Number; 3]>,
    pub(super) rotation: Option<[Number; 4]>,
    pub(super) scale: Option<[Number; 3]>,
    #[serde(default, deserialize_with = "index")]
    pub(super) mesh: Option<usize>,
    #[serde(default, deserialize_with = "index")]
    pub(super) skin: Option<usize>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) weights: Option<Vec<Number>>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) extensions: NodeExtensions,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct NodeExtensions {
    #[serde(default, rename = "EXT_mesh_gpu_instancing", deserialize_with = "present")]
    pub(super) gpu_instancing: Option<GpuInstancing>,
}

/// One mesh in many places, each an element of these accessors.
#[derive(Debug, Default, Deserialize)]
pub(super) struct GpuInstancing {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) attributes: InstanceAttributes,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) struct InstanceAttributes {
    #[serde(default, deserialize_with = "maybe_index")]
    pub(super) translation: Option<usize>,
    #[serde(default, deserialize_with = "maybe_index")]
    pub(super) rotation: Option<usize>,
    #[serde(default, deserialize_with = "maybe_index")]
    pub(super) scale: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    #[serde(default, deserialize_with = "indices")]
    pub(super) joints: Vec<usize>,
    #[serde(default, deserialize_with = "maybe_index")]
    pub(super) inverse_bind_matrices: Option<usize>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Animation {
    #[serde(default, deserialize_with = "name")]
    pub(super) name: Option<String>,
    #[serde(default, deserialize_with = "objects")]
    pub(super) channels: Vec<Channel>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) samplers: Vec<Sampler>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Channel {
    #[serde(default, deserialize_with = "maybe_index")]
    pub(super) sampler: Option<usize>,
    #[serde(default, deserialize_with = "object")]
    pub(super) target: Target,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sampler {
    #[serde(default, deserialize_with = "maybe_index")]
    pub(super) input: Option<usize>,
    #[serde(default, deserialize_with = "maybe_index")]
    pub(super) output: Option<usize>,
    #[serde(default, deserialize_with = "name")]
    pub(super) interpolation: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Target {
    #[serde(default, deserialize_with = "maybe_index")]
    pub(super) node: Option<usize>,
    #[serde(default, deserialize_with = "name")]
    pub(super) path: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) extensions: Option<TargetExtensions>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct TargetExtensions {
    #[serde(rename = "KHR_animation_pointer")]
    pub(super) pointer: Option<AnimationPointer>,
}

#[derive(Debug, Deserialize)]
pub(super) struct AnimationPointer {
    #[serde(default)]
    pub(super) pointer: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Mesh {
    #[serde(default, deserialize_with = "objects")]
    pub(super) primitives: Vec<Primitive>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) weights: Option<Vec<Number>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Primitive {
    #[serde(default, deserialize_with = "object")]
    pub(super) attributes: Attributes,
    #[serde(default, deserialize_with = "maybe_index")]
    pub(super) indices: Option<usize>,
    /// What is joined, by its number in glTF: triangles unless set.
    #[serde(default, deserialize_with = "maybe_index")]
    pub(super) mode: Option<usize>,
    #[serde(default, deserialize_with = "maybe_index")]
    pub(super) material: Option<usize>,
    /// Its morph targets.
    #[serde(default, deserialize_with = "lenient")]
    pub(super) targets: Vec<MorphTarget>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) extensions: Option<PrimitiveExtensions>,
}

/// Of joints and weights there may be any number of sets, and four joints in each; sixteen joints are more than
/// anybody uses.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Attributes {
    #[serde(default, rename = "POSITION", deserialize_with = "index")]
    pub(super) position: Option<usize>,
    #[serde(default, rename = "NORMAL", deserialize_with = "maybe_index")]
    pub(super) normal: Option<usize>,
    #[serde(default, rename = "JOINTS_0", deserialize_with = "maybe_index")]
    joints_0: Option<usize>,
    #[serde(default, rename = "JOINTS_1", deserialize_with = "maybe_index")]
    joints_1: Option<usize>,
    #[serde(default, rename = "JOINTS_2", deserialize_with = "maybe_index")]
    joints_2: Option<usize>,
    #[serde(default, rename = "JOINTS_3", deserialize_with = "maybe_index")]
    joints_3: Option<usize>,
    #[serde(default, rename = "WEIGHTS_0", deserialize_with = "maybe_index")]
    weights_0: Option<usize>,
    #[serde(default, rename = "WEIGHTS_1", deserialize_with = "maybe_index")]
    weights_1: Option<usize>,
    #[serde(default, rename = "WEIGHTS_2", deserialize_with = "maybe_index")]
    weights_2: Option<usize>,
    #[serde(default, rename = "WEIGHTS_3", deserialize_with = "maybe_index")]
    weights_3: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct MorphTarget {
    #[serde(default, rename = "POSITION", deserialize_with = "maybe_index")]
    pub(super) position: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Material {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) pbr_metallic_roughness: PbrMetallicRoughness,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PbrMetallicRoughness {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) base_color_factor: Option<[Number; 4]>,
}

/// Compression of a primitive, which is not supported.
#[derive(Debug, Default, Deserialize)]
pub(super) struct PrimitiveExtensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    pub(super) draco: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    #[serde(default, deserialize_with = "size")]
    pub(super) component_type: u64,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) normalized: bool,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) min: Option<[Number; 3]>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) max: Option<[Number; 3]>,
    #[serde(default, deserialize_with = "maybe_index")]
    pub(super) buffer_view: Option<usize>,
    #[serde(default, deserialize_with = "size")]
    pub(super) byte_offset: u64,
    #[serde(default, deserialize_with = "size")]
    pub(super) count: u64,
    #[serde(default, deserialize_with = "lenient", rename = "type")]
    pub(super) shape: String,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) sparse: Option<Sparse>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Sparse {
    #[serde(default, deserialize_with = "size")]
    pub(super) count: u64,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) indices: SparsePart,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) values: SparsePart,
}

/// The indices of a sparse accessor, or its values, which have no type of their own.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparsePart {
    #[serde(default, deserialize_with = "maybe_index")]
    pub(super) buffer_view: Option<usize>,
    #[serde(default, deserialize_with = "size")]
    pub(super) byte_offset: u64,
    #[serde(default, deserialize_with = "size")]
    pub(super) component_type: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    #[serde(default, deserialize_with = "maybe_index")]
    pub(super) buffer: Option<usize>,
    #[serde(default, deserialize_with = "size")]
    pub(super) byte_offset: u64,
    #[serde(default, deserialize_with = "length")]
    pub(super) byte_length: u64,
    #[serde(default, deserialize_with = "maybe_size")]
    pub(super) byte_stride: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) extensions: Option<BufferViewExtensions>,
}

/// Compression of a buffer view, which is not supported.
#[derive(Debug, Default, Deserialize)]
pub(super) struct BufferViewExtensions {
    #[serde(rename = "EXT_meshopt_compression", alias = "KHR_meshopt_compression")]
    pub(super) meshopt: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Buffer<'a> {
    #[serde(borrow, default, deserialize_with = "lenient")]
    pub(super) uri: Option<Uri<'a>>,
}

/// A URI, borrowed from the document, since a data URI may be a whole buffer.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Uri<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// The version of the document. It is read first, so that another version is named as such instead of failing on a
/// member that has another form there.
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

impl Attributes {
    /// The accessors of joints and of their weights, a pair for each set.
    pub(super) fn influences(&self) -> impl Iterator<Item = [usize; 2]> {
        let joints = [self.joints_0, self.joints_1, self.joints_2, self.joints_3];
        let weights = [self.weights_0, self.weights_1, self.weights_2, self.weights_3];
        joints.into_iter().zip(weights).filter_map(|(joints, weights)| Some([joints?, weights?]))
    }
}

const BYTE_ORDER_MARK: char = '\u{FEFF}';

impl Target {
    /// The JSON pointer of `KHR_animation_pointer`, which stands in place of a node and a path.
    pub(super) fn pointer(&self) -> Option<&str> {
        Some(self.extensions.as_ref()?.pointer.as_ref()?.pointer.as_str())
    }
}

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

/// Whether a version, such as `2.1`, is newer than 2.0; what is none is not.
fn is_newer(version: &str) -> bool {
    let number = |part: &str| part.parse::<u32>().ok();
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    number(major).zip(number(minor)).is_some_and(|version| version > (2, 0))
}

/// Parses an object. If that fails, it is parsed again to find the place of the error.
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

/// The path as a JSON pointer (RFC 6901).
fn pointer(path: &Path) -> String {
    let step = |segment: &Segment| match segment {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
        Segment::Enum { .. } | Segment::Unknown => String::new(),
    };
    path.iter().map(step).collect()
}

/// The message of an error without line and column, which count from the part that was parsed, and cut if it is
/// long, since it may quote a value.
fn message(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let words = message.rsplit_once(" at line ").map_or(message.as_str(), |(words, _)| words);
    let mut shown: String = words.chars().take(LONGEST_MESSAGE).collect();
    if shown.len() < words.len() {
        shown.push('…');
    }
    shown
}
