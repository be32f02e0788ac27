//! Primitives: parts of meshes.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::super::{
    extension_names::has_no_elements,
    field::{each, index, lenient, maybe_index, object},
    unread::Unread,
};

#[derive(Debug, Deserialize)]
pub(in crate::gltf) struct Primitive {
    #[serde(default, deserialize_with = "object")]
    pub(in crate::gltf) attributes: Attributes,
    #[serde(default, deserialize_with = "maybe_index")]
    pub(in crate::gltf) indices: Option<usize>,
    /// The kind of primitive, by its number in glTF; triangles by default.
    #[serde(default, deserialize_with = "maybe_index")]
    pub(in crate::gltf) mode: Option<usize>,
    #[serde(default, deserialize_with = "maybe_index")]
    pub(in crate::gltf) material: Option<usize>,
    /// Its morph targets.
    #[serde(default, deserialize_with = "each")]
    pub(in crate::gltf) targets: Vec<MorphTarget>,
    #[serde(default, deserialize_with = "lenient")]
    extensions: PrimitiveExtensions,
}

/// There can be any number of sets of joints and weights, with four joints each. Sixteen joints are more than anyone
/// uses.
#[derive(Debug, Default, Deserialize)]
pub(in crate::gltf) struct Attributes {
    #[serde(default, rename = "POSITION", deserialize_with = "index")]
    pub(in crate::gltf) position: Option<usize>,
    #[serde(default, rename = "NORMAL", deserialize_with = "maybe_index")]
    pub(in crate::gltf) normal: Option<usize>,
    #[serde(default, rename = "TANGENT", deserialize_with = "maybe_index")]
    tangent: Option<usize>,
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
pub(in crate::gltf) struct MorphTarget {
    #[serde(default, rename = "POSITION", deserialize_with = "maybe_index")]
    pub(in crate::gltf) position: Option<usize>,
}

impl Primitive {
    pub(in crate::gltf) fn draco(&self) -> Option<&Draco> {
        self.extensions.draco.as_ref()
    }

    /// The accessor of its vertices, or `None` if it has none. Fails if only an extension may have them.
    pub(in crate::gltf) fn position(&self) -> Result<Option<usize>, Unread> {
        match (self.attributes.position, self.other_place()) {
            (None, Some(extension)) => Err(Unread::Vertices(extension.to_owned())),
            (position, _) => Ok(position),
        }
    }

    /// The extension that may have its vertices, if there is one.
    pub(in crate::gltf) fn other_place(&self) -> Option<&str> {
        self.extensions.other_place.as_deref()
    }
}

impl Attributes {
    /// All attributes, in the order of their fields.
    pub(in crate::gltf) fn all(&self) -> [Option<usize>; 11] {
        [
            self.position,
            self.normal,
            self.tangent,
            self.joints_0,
            self.joints_1,
            self.joints_2,
            self.joints_3,
            self.weights_0,
            self.weights_1,
            self.weights_2,
            self.weights_3,
        ]
    }

    /// The accessors of joints and of their weights, a pair for each set.
    pub(in crate::gltf) fn influences(&self) -> impl Iterator<Item = [usize; 2]> {
        let joints = [self.joints_0, self.joints_1, self.joints_2, self.joints_3];
        let weights = [self.weights_0, self.weights_1, self.weights_2, self.weights_3];
        joints.into_iter().zip(weights).filter_map(|(joints, weights)| Some([joints?, weights?]))
    }
}

#[derive(Debug, Default)]
struct PrimitiveExtensions {
    /// `KHR_draco_mesh_compression`, if it can be read.
    draco: Option<Draco>,
    /// The first extension that may have vertices: Draco, or an unknown one.
    other_place: Option<String>,
}

impl<'de> Deserialize<'de> for PrimitiveExtensions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const DRACO: &str = "KHR_draco_mesh_compression";
        let mut found = BTreeMap::<String, &RawValue>::deserialize(deserializer)?;
        found.retain(|_, value| value.get() != "null");
        let draco = found.get(DRACO).and_then(|value| serde_json::from_str(value.get()).ok());
        let may_have = |name: &String| name == DRACO || !has_no_elements(name);
        Ok(Self { draco, other_place: found.into_keys().find(may_have) })
    }
}

/// The location of the compressed data of a primitive.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::gltf) struct Draco {
    #[serde(default, deserialize_with = "maybe_index")]
    pub(in crate::gltf) buffer_view: Option<usize>,
    /// The unique id of each attribute in the stream.
    #[serde(default, deserialize_with = "object")]
    pub(in crate::gltf) attributes: Attributes,
}
