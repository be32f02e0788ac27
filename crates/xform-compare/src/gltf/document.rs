use serde::{Deserialize, de::IgnoredAny};

use super::GltfError;

/// What of a glTF document matters here; everything else is skipped, however deep it nests.
#[derive(Debug, Deserialize)]
pub(super) struct Document {
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
    #[serde(default)]
    pub(super) channels: Vec<Channel>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Channel {
    #[serde(default)]
    pub(super) target: Target,
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
}

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

impl Document {
    pub(super) fn parse(json: &[u8]) -> Result<Self, GltfError> {
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
