pub(super) mod physics;
mod primitive;

use std::{borrow::Cow, collections::BTreeMap};

use serde::{Deserialize, Deserializer, de::IgnoredAny};
use serde_json::{Value, value::RawValue};

use super::{
    extension_names::has_no_elements,
    field::{
        Number, each, index, indices, length, lenient, maybe_index, maybe_size, name, object,
        objects, present, size,
    },
};

use physics::{Body, Hubs, Shapes, SpringBones, Vrm};
pub(super) use primitive::Primitive;

// Structures for only these members, and GLB framing by hand, replace the crate `gltf`. On 1 290 real files `gltf`
// 1.4.1 rejects 43 % with validation and 20 files without, and it panics on a GLB with a length below 12 in its
// header. These structures reject 14 files, all truly broken or glTF 1.0. Unknown members are skipped without
// recursion, so nesting in `extras` costs nothing.

/// The parts of a glTF document that are needed. Everything else is skipped, at any nesting depth.
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
    #[serde(default, deserialize_with = "lenient")]
    pub(super) extensions: DocumentExtensions,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) extensions_required: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct DocumentExtensions {
    #[serde(default, rename = "KHR_interactivity", deserialize_with = "lenient")]
    pub(super) interactivity: Option<Value>,
    #[serde(default, rename = "KHR_lights_punctual", deserialize_with = "lenient")]
    pub(super) lights: Lights,
    #[serde(default, rename = "KHR_implicit_shapes", deserialize_with = "lenient")]
    pub(super) khr_shapes: Shapes,
    #[serde(default, rename = "OMI_physics_shape", deserialize_with = "lenient")]
    pub(super) omi_shapes: Shapes,
    #[serde(default, rename = "MSFT_collision_primitives", deserialize_with = "lenient")]
    pub(super) msft_shapes: Shapes,
    #[serde(default, rename = "VRMC_springBone", deserialize_with = "lenient")]
    pub(super) spring_bones: SpringBones,
    #[serde(default, rename = "VRM", deserialize_with = "lenient")]
    pub(super) vrm: Vrm,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Lights {
    #[serde(default, deserialize_with = "lenient")]
    pub(super) lights: Vec<Light>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Light {
    #[serde(default, rename = "type", deserialize_with = "lenient")]
    pub(super) kind: String,
}

/// The light of a node.
#[derive(Debug, Default, Deserialize)]
pub(super) struct NodeLight {
    #[serde(default, deserialize_with = "maybe_index")]
    pub(super) light: Option<usize>,
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
    pub(super) camera: Option<usize>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) weights: Option<Vec<Number>>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) extensions: NodeExtensions,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct NodeExtensions {
    #[serde(default, rename = "EXT_mesh_gpu_instancing", deserialize_with = "present")]
    pub(super) gpu_instancing: Option<GpuInstancing>,
    #[serde(default, rename = "KHR_node_visibility", deserialize_with = "lenient")]
    pub(super) visibility: Option<NodeVisibility>,
    #[serde(default, rename = "KHR_lights_punctual", deserialize_with = "lenient")]
    pub(super) light: Option<NodeLight>,
    #[serde(default, rename = "KHR_physics_rigid_bodies", deserialize_with = "lenient")]
    pub(super) khr_body: Option<Body>,
    #[serde(default, rename = "OMI_physics_body", deserialize_with = "lenient")]
    pub(super) omi_body: Option<Body>,
    #[serde(default, rename = "MSFT_rigid_bodies", deserialize_with = "lenient")]
    pub(super) msft_body: Option<Body>,
    #[serde(default, rename = "MOZ_hubs_components", deserialize_with = "lenient")]
    pub(super) hubs: Option<Hubs>,
}

#[derive(Debug, Deserialize)]
pub(super) struct NodeVisibility {
    pub(super) visible: Option<bool>,
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
    #[serde(default, deserialize_with = "each")]
    pub(super) samplers: Vec<Sampler>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Channel {
    #[serde(default, deserialize_with = "maybe_index")]
    pub(super) sampler: Option<usize>,
    #[serde(default, deserialize_with = "object")]
    pub(super) target: Target,
}

#[derive(Debug, Default, Deserialize)]
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
    /// The number of its elements, if it is stated.
    #[serde(default, deserialize_with = "maybe_size")]
    pub(super) count: Option<u64>,
    #[serde(default, deserialize_with = "lenient", rename = "type")]
    pub(super) shape: String,
    #[serde(default, deserialize_with = "present")]
    pub(super) sparse: Option<Sparse>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) extensions: BTreeMap<String, IgnoredAny>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sparse {
    #[serde(default, deserialize_with = "maybe_size")]
    count: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) indices: SparsePart,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) values: SparsePart,
}

/// The substitute for an invalid one. It replaces more elements than exist, so it is not mistaken for one that
/// replaces none.
impl Default for Sparse {
    fn default() -> Self {
        let [indices, values] = [(), ()].map(|()| SparsePart::default());
        Self { count: Some(u64::MAX), indices, values }
    }
}

impl Sparse {
    /// The number of elements that it replaces. Without one it replaces none, unless it says where they are: then nobody
    /// knows how many.
    pub(super) fn count(&self) -> u64 {
        let parts = [&self.indices, &self.values];
        let is_nothing = parts.iter().all(|part| part.buffer_view.is_none());
        self.count.unwrap_or(if is_nothing { 0 } else { u64::MAX })
    }
}

/// The indices of a sparse accessor, or its values. The values have no type of their own.
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
    extensions: BufferViewExtensions,
}

/// Compression of a buffer view. One that cannot be read has an unknown method.
#[derive(Debug, Default)]
pub(super) struct BufferViewExtensions {
    meshopt: Option<Meshopt>,
    /// The unknown ones.
    others: Vec<String>,
}

impl<'de> Deserialize<'de> for BufferViewExtensions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut found = BTreeMap::<String, &RawValue>::deserialize(deserializer)?;
        found.retain(|_, value| value.get() != "null");
        // If it has both, they have the same data.
        let meshopt = ["KHR_meshopt_compression", "EXT_meshopt_compression"];
        let meshopt = meshopt.into_iter().find_map(|name| found.get(name));
        let read = |value: &&RawValue| serde_json::from_str(value.get()).unwrap_or_default();
        let meshopt = meshopt.map(read);
        let others = found.into_keys().filter(|name| !has_no_elements(name)).collect();
        Ok(Self { meshopt, others })
    }
}

/// The location of the compressed data of a buffer view, and the compression method.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Meshopt {
    #[serde(default, deserialize_with = "maybe_index")]
    pub(super) buffer: Option<usize>,
    #[serde(default, deserialize_with = "size")]
    pub(super) byte_offset: u64,
    #[serde(default, deserialize_with = "size")]
    pub(super) byte_length: u64,
    #[serde(default, deserialize_with = "size")]
    pub(super) byte_stride: u64,
    #[serde(default, deserialize_with = "size")]
    pub(super) count: u64,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) mode: String,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) filter: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Buffer<'a> {
    #[serde(borrow, default, deserialize_with = "lenient")]
    pub(super) uri: Option<Uri<'a>>,
}

/// A URI, borrowed from the document because a data URI can be a whole buffer.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Uri<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

impl Accessor {
    /// Whether it says that it has no elements.
    pub(super) fn is_empty(&self) -> bool {
        self.count == Some(0)
    }

    /// The elements that it replaces, if there are any.
    pub(super) fn replaced(&self) -> Option<&Sparse> {
        self.sparse.as_ref().filter(|sparse| sparse.count() > 0)
    }
}

impl BufferView {
    /// The buffer that has its data.
    pub(super) fn stored_in(&self) -> Option<usize> {
        self.meshopt().map_or(self.buffer, |meshopt| meshopt.buffer)
    }

    /// An unknown extension that the document requires. Its bytes are then not those that it stands for.
    pub(super) fn other_place(&self, document: &Document<'_>) -> Option<&str> {
        let is_required = |name: &&String| document.extensions_required.contains(name);
        self.extensions.others.iter().find(is_required).map(String::as_str)
    }

    pub(super) fn meshopt(&self) -> Option<&Meshopt> {
        self.extensions.meshopt.as_ref()
    }
}

impl Target {
    /// The node and its property, from the target's own members or from a pointer such as `/nodes/3/scale`. If the
    /// pointer is missing or has no valid index, the node is one that no file has.
    pub(super) fn property(&self) -> (Option<usize>, Option<&str>) {
        match (self.pointer(), self.path.as_deref()) {
            (None, path @ Some("pointer")) => (Some(usize::MAX), path),
            (None, path) => (self.node, path),
            (Some(pointer), _) if !pointer.starts_with('/') => (Some(usize::MAX), None),
            (Some(pointer), _) => {
                let of_node = pointer.strip_prefix("/nodes/").and_then(|rest| rest.split_once('/'));
                of_node.map_or((None, None), |(node, path)| (Some(index_of(node)), Some(path)))
            }
        }
    }

    /// The JSON pointer of `KHR_animation_pointer`, which replaces node and path.
    pub(super) fn pointer(&self) -> Option<&str> {
        Some(self.extensions.as_ref()?.pointer.as_ref()?.pointer.as_str())
    }
}

/// Parses an index in a JSON pointer (RFC 6901), which has neither a sign nor leading zeros.
fn index_of(text: &str) -> usize {
    let is_index = text == "0" || text.starts_with(|c: char| matches!(c, '1'..='9'));
    text.parse().ok().filter(|_| is_index).unwrap_or(usize::MAX)
}
