use std::borrow::Cow;

use serde::{Deserialize, de::IgnoredAny};

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
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) channels: Vec<Channel>,
    #[serde(default)]
    pub(super) samplers: Vec<Sampler>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Channel {
    pub(super) sampler: Option<usize>,
    #[serde(default)]
    pub(super) target: Target,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sampler {
    pub(super) input: Option<usize>,
    pub(super) output: Option<usize>,
    pub(super) interpolation: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Target {
    pub(super) node: Option<usize>,
    pub(super) path: Option<String>,
    #[serde(default)]
    pub(super) extensions: TargetExtensions,
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
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: u64,
    #[serde(default)]
    pub(super) count: u64,
    #[serde(default, rename = "type")]
    pub(super) shape: String,
    pub(super) sparse: Option<Sparse>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sparse {
    pub(super) count: u64,
    pub(super) indices: SparsePart,
    pub(super) values: SparsePart,
}

/// The indices of a sparse accessor, or its values, which have no type of their own.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparsePart {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
    #[serde(default)]
    pub(super) component_type: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
    #[serde(default)]
    pub(super) byte_length: u64,
    pub(super) byte_stride: Option<u64>,
    #[serde(default)]
    pub(super) extensions: BufferViewExtensions,
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
