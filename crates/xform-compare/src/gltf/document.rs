use std::borrow::Cow;

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, IgnoredAny},
};
use serde_json::Value;

use super::GltfError;

/// What of a glTF document matters here; everything else is skipped, however deep it nests.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document<'a> {
    pub(super) scene: Option<usize>,
    #[serde(default)]
    pub(super) scenes: Vec<SceneEntry>,
    #[serde(default)]
    pub(super) nodes: Vec<NodeEntry>,
    #[serde(default)]
    pub(super) meshes: Vec<Mesh>,
    #[serde(default)]
    pub(super) accessors: Vec<Accessor>,
    #[serde(default)]
    pub(super) skins: Vec<Skin>,
    #[serde(default)]
    pub(super) animations: Vec<Animation>,
    #[serde(default)]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(borrow, default)]
    pub(super) buffers: Vec<Buffer<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SceneEntry {
    #[serde(default)]
    pub(super) nodes: Vec<usize>,
}

#[derive(Debug, Deserialize)]
pub(super) struct NodeEntry {
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) children: Vec<usize>,
    pub(super) matrix: Option<[f64; 16]>,
    pub(super) translation: Option<[f64; 3]>,
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
    pub(super) mesh: Option<usize>,
    pub(super) skin: Option<usize>,
    #[serde(default)]
    pub(super) extensions: NodeExtensions,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct NodeExtensions {
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    pub(super) gpu_instancing: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Skin {
    #[serde(default)]
    pub(super) joints: Vec<usize>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Animation {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) channels: Vec<Channel>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) samplers: Vec<Sampler>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Channel {
    #[serde(default, deserialize_with = "index")]
    pub(super) sampler: Option<usize>,
    #[serde(default)]
    pub(super) target: Target,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sampler {
    #[serde(default, deserialize_with = "index")]
    pub(super) input: Option<usize>,
    #[serde(default, deserialize_with = "index")]
    pub(super) output: Option<usize>,
    #[serde(default)]
    pub(super) interpolation: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Target {
    pub(super) node: Option<usize>,
    pub(super) path: Option<String>,
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
    #[serde(default)]
    pub(super) primitives: Vec<Primitive>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Primitive {
    #[serde(default)]
    pub(super) attributes: Attributes,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub(super) position: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) component_type: u32,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) min: Option<Vec<f64>>,
    pub(super) max: Option<Vec<f64>>,
    #[serde(default, deserialize_with = "index")]
    pub(super) buffer_view: Option<usize>,
    #[serde(default, deserialize_with = "whole")]
    pub(super) byte_offset: u64,
    #[serde(default, deserialize_with = "whole")]
    pub(super) count: u64,
    #[serde(default, deserialize_with = "lenient", rename = "type")]
    pub(super) shape: String,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) sparse: Option<Sparse>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Sparse {
    #[serde(default, deserialize_with = "whole")]
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
    #[serde(default, deserialize_with = "index")]
    pub(super) buffer_view: Option<usize>,
    #[serde(default, deserialize_with = "whole")]
    pub(super) byte_offset: u64,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) component_type: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    #[serde(default, deserialize_with = "index")]
    pub(super) buffer: Option<usize>,
    #[serde(default, deserialize_with = "whole")]
    pub(super) byte_offset: u64,
    #[serde(default, deserialize_with = "whole")]
    pub(super) byte_length: u64,
    #[serde(default, deserialize_with = "stride")]
    pub(super) byte_stride: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) extensions: Option<BufferViewExtensions>,
}

/// What is of another type counts as not there: only who needs it misses it.
fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(T::deserialize(value).unwrap_or_default())
}

/// A number without a fraction, whether or not it is written with a point; what is none is more than anything
/// has. 0 for `null`, as where it is not there.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Ok(number(&Value::deserialize(deserializer)?).unwrap_or(0))
}

/// The same, `None` for `null`.
fn index<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    let found = number(&Value::deserialize(deserializer)?);
    Ok(found.map(|index| usize::try_from(index).unwrap_or(usize::MAX)))
}

/// The same.
fn stride<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(number(&Value::deserialize(deserializer)?))
}

fn number(value: &Value) -> Option<u64> {
    let is_whole = |float: &f64| *float >= 0.0 && libm::trunc(*float) == *float;
    let from_float = || format!("{:.0}", value.as_f64().filter(is_whole)?).parse().ok();
    (!value.is_null()).then(|| value.as_u64().or_else(from_float).unwrap_or(u64::MAX))
}

/// Compression that is not undone here.
#[derive(Debug, Default, Deserialize)]
pub(super) struct BufferViewExtensions {
    #[serde(rename = "EXT_meshopt_compression", alias = "KHR_meshopt_compression")]
    pub(super) meshopt: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Buffer<'a> {
    #[serde(borrow)]
    pub(super) uri: Option<Uri<'a>>,
}

/// Not copied, since it may be a buffer itself.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Uri<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// Only what tells which glTF this is; read first, so that another version is named as such
/// instead of failing on a field that it has in another form.
#[derive(Debug, Deserialize)]
struct Preamble {
    asset: Option<Asset>,
}

#[derive(Debug, Deserialize)]
struct Asset {
    version: Option<String>,
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl Target {
    /// What it points at, where it does that instead of naming a node and a path.
    pub(super) fn pointer(&self) -> Option<&str> {
        Some(self.extensions.as_ref()?.pointer.as_ref()?.pointer.as_str())
    }
}

impl<'a> Document<'a> {
    pub(super) fn parse(json: &'a [u8]) -> Result<Self, GltfError> {
        let json = json.strip_prefix(BYTE_ORDER_MARK).unwrap_or(json);
        if json.is_empty() {
            return Err(GltfError::Empty);
        }
        let preamble: Preamble = serde_json::from_slice(json)?;
        let version = preamble.asset.and_then(|asset| asset.version);
        let version = version.ok_or(GltfError::NoVersion)?;
        if version.split('.').next() != Some("2") {
            return Err(GltfError::Version(version));
        }
        Ok(serde_json::from_slice(json)?)
    }
}
