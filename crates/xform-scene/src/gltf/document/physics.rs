//! Members of extensions for collision shapes.

use serde::Deserialize;
use serde_json::Value;

use super::super::field::{Number, each, lenient, maybe_index, maybe_index_or_minus_one};

/// `KHR_implicit_shapes`, `OMI_physics_shape` or `MSFT_collision_primitives` of a document.
#[derive(Debug, Default, Deserialize)]
pub(in crate::gltf) struct Shapes {
    #[serde(default, deserialize_with = "each")]
    shapes: Vec<ShapeEntry>,
    /// The same list in `MSFT_collision_primitives` and older files.
    #[serde(default, deserialize_with = "each")]
    colliders: Vec<ShapeEntry>,
}

impl Shapes {
    pub(in crate::gltf) fn all(&self) -> &[ShapeEntry] {
        if self.shapes.is_empty() { &self.colliders } else { &self.shapes }
    }
}

/// A shape, with the members of all these extensions.
#[derive(Debug, Default, Deserialize)]
pub(in crate::gltf) struct ShapeEntry {
    #[serde(default, rename = "type", deserialize_with = "lenient")]
    pub(in crate::gltf) kind: String,
    #[serde(default, deserialize_with = "lenient")]
    pub(in crate::gltf) sphere: Sizes,
    #[serde(default, rename = "box", deserialize_with = "lenient")]
    pub(in crate::gltf) cuboid: Sizes,
    #[serde(default, deserialize_with = "lenient")]
    pub(in crate::gltf) capsule: Sizes,
    #[serde(default, deserialize_with = "lenient")]
    pub(in crate::gltf) cylinder: Sizes,
    #[serde(default, deserialize_with = "lenient")]
    pub(in crate::gltf) convex: OfMesh,
    #[serde(default, deserialize_with = "lenient")]
    pub(in crate::gltf) trimesh: OfMesh,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::gltf) struct Sizes {
    pub(in crate::gltf) radius: Option<Number>,
    pub(in crate::gltf) radius_top: Option<Number>,
    pub(in crate::gltf) radius_bottom: Option<Number>,
    pub(in crate::gltf) height: Option<Number>,
    pub(in crate::gltf) size: Option<[Number; 3]>,
}

#[derive(Debug, Default, Deserialize)]
pub(in crate::gltf) struct OfMesh {
    #[serde(default, deserialize_with = "maybe_index")]
    pub(in crate::gltf) mesh: Option<usize>,
}

/// `KHR_physics_rigid_bodies`, `OMI_physics_body` or `MSFT_rigid_bodies` of a node.
#[derive(Debug, Default, Deserialize)]
pub(in crate::gltf) struct Body {
    #[serde(default, deserialize_with = "lenient")]
    pub(in crate::gltf) motion: Option<Motion>,
    #[serde(default, deserialize_with = "lenient")]
    pub(in crate::gltf) collider: Option<ColliderEntry>,
    #[serde(default, deserialize_with = "lenient")]
    pub(in crate::gltf) trigger: Option<ColliderEntry>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::gltf) struct Motion {
    #[serde(default, rename = "type", deserialize_with = "lenient")]
    pub(in crate::gltf) kind: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(in crate::gltf) is_kinematic: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::gltf) struct ColliderEntry {
    #[serde(default, deserialize_with = "lenient")]
    pub(in crate::gltf) geometry: Option<Geometry>,
    #[serde(default, alias = "collider", deserialize_with = "maybe_index_or_minus_one")]
    pub(in crate::gltf) shape: Option<usize>,
    /// For a trigger: the nodes that have its shapes.
    pub(in crate::gltf) nodes: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::gltf) struct Geometry {
    #[serde(default, deserialize_with = "maybe_index")]
    pub(in crate::gltf) shape: Option<usize>,
    #[serde(default, deserialize_with = "maybe_index")]
    pub(in crate::gltf) node: Option<usize>,
    #[serde(default, deserialize_with = "maybe_index")]
    pub(in crate::gltf) mesh: Option<usize>,
    #[serde(default, deserialize_with = "lenient")]
    pub(in crate::gltf) convex_hull: bool,
}

/// `MOZ_hubs_components` of a node.
#[derive(Debug, Default, Deserialize)]
pub(in crate::gltf) struct Hubs {
    #[serde(default, rename = "ammo-shape", deserialize_with = "lenient")]
    pub(in crate::gltf) shape: Option<HubsShape>,
}

#[derive(Debug, Default, Deserialize)]
pub(in crate::gltf) struct HubsShape {
    #[serde(default, rename = "type", deserialize_with = "lenient")]
    pub(in crate::gltf) kind: String,
}

/// `VRMC_springBone` of a document.
#[derive(Debug, Default, Deserialize)]
pub(in crate::gltf) struct SpringBones {
    #[serde(default, deserialize_with = "lenient")]
    pub(in crate::gltf) colliders: Vec<SpringCollider>,
}

#[derive(Debug, Default, Deserialize)]
pub(in crate::gltf) struct SpringCollider {
    #[serde(default, deserialize_with = "maybe_index")]
    pub(in crate::gltf) node: Option<usize>,
    #[serde(default, deserialize_with = "lenient")]
    pub(in crate::gltf) shape: SpringShape,
}

#[derive(Debug, Default, Deserialize)]
pub(in crate::gltf) struct SpringShape {
    #[serde(default, deserialize_with = "lenient")]
    pub(in crate::gltf) sphere: Option<SpringSizes>,
    #[serde(default, deserialize_with = "lenient")]
    pub(in crate::gltf) capsule: Option<SpringSizes>,
}

#[derive(Debug, Default, Deserialize)]
pub(in crate::gltf) struct SpringSizes {
    pub(in crate::gltf) offset: Option<[Number; 3]>,
    pub(in crate::gltf) radius: Option<Number>,
    pub(in crate::gltf) tail: Option<[Number; 3]>,
}

/// `VRM` of a document, version 0.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::gltf) struct Vrm {
    #[serde(default, deserialize_with = "lenient")]
    pub(in crate::gltf) secondary_animation: SecondaryAnimation,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::gltf) struct SecondaryAnimation {
    #[serde(default, deserialize_with = "lenient")]
    pub(in crate::gltf) collider_groups: Vec<ColliderGroup>,
}

#[derive(Debug, Default, Deserialize)]
pub(in crate::gltf) struct ColliderGroup {
    #[serde(default, deserialize_with = "maybe_index")]
    pub(in crate::gltf) node: Option<usize>,
    #[serde(default, deserialize_with = "lenient")]
    pub(in crate::gltf) colliders: Vec<GroupCollider>,
}

#[derive(Debug, Default, Deserialize)]
pub(in crate::gltf) struct GroupCollider {
    #[serde(default, deserialize_with = "lenient")]
    pub(in crate::gltf) offset: Option<Value>,
    pub(in crate::gltf) radius: Option<Number>,
}
