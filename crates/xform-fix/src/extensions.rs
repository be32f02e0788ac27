//! Lists of known extensions: those that refer to no data, and those that do not depend on repaired nodes.

use std::{collections::BTreeSet, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::document::Document;

/// The extensions that refer to no accessor, view or buffer.
const KNOWN: [&str; 15] = [
    "EXT_texture_avif",
    "EXT_texture_webp",
    "KHR_animation_pointer",
    "KHR_interactivity",
    "KHR_lights_punctual",
    "KHR_mesh_quantization",
    "KHR_node_hoverability",
    "KHR_node_selectability",
    "KHR_node_visibility",
    "KHR_texture_basisu",
    "KHR_texture_transform",
    "KHR_xmp_json_ld",
    "MSFT_lod",
    "MSFT_texture_dds",
    "VRM",
];

/// Prefixes of the names of more such extensions.
const KNOWN_FAMILIES: [&str; 2] = ["KHR_materials_", "VRMC_"];

/// Returns an extension, from anywhere in a document, that may refer to data because it is not in the list.
pub(crate) fn may_name_data(root: &RawValue) -> Result<Option<String>, serde_json::Error> {
    let Names(names) = serde_json::from_str(root.get())?;
    Ok(names.into_iter().find(|name| !is_known(name)))
}

/// More extensions that do not depend on repaired nodes. They compress data, or matter only if a node has an extension
/// that refers to them.
const HARMLESS: [&str; 5] = [
    "EXT_meshopt_compression",
    "KHR_implicit_shapes",
    "KHR_meshopt_compression",
    "KHR_physics_rigid_bodies",
    "OMI_physics_shape",
];

/// Returns the unknown extensions of a document outside nodes and meshes. They may refer to nodes or hold lengths in
/// their space.
pub(crate) fn unknown_beside_nodes(document: &Document<'_>) -> Vec<String> {
    let of_itself = document.extensions.names().map(str::to_owned);
    // Extensions of nodes and meshes have been checked one by one.
    let rest =
        document.members.names().filter(|name| !matches!(*name, "nodes" | "meshes" | "extras"));
    let rest = rest.flat_map(|name| document.members.every(name));
    // No program reads glTF that is nested too deeply for this parser.
    let rest =
        rest.flat_map(|part| serde_json::from_str::<Names>(part.get()).unwrap_or_default().0);
    let names: BTreeSet<_> = of_itself.chain(rest).collect();
    names.into_iter().filter(|name| !is_known(name) && !HARMLESS.contains(&&**name)).collect()
}

fn is_known(name: &str) -> bool {
    KNOWN.contains(&name) || KNOWN_FAMILIES.iter().any(|family| name.starts_with(family))
}

/// The names of all extensions in a value, those of every member that occurs twice among them.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut names = BTreeSet::new();
        InAny { names: &mut names, are_extensions: false }.deserialize(deserializer)?;
        Ok(Self(names))
    }
}

/// Adds the names of the extensions in a value. If it is itself the value of `extensions`, its members are some.
struct InAny<'a> {
    names: &'a mut BTreeSet<String>,
    are_extensions: bool,
}

impl<'de> DeserializeSeed<'de> for InAny<'_> {
    /// Whether the value is anything but `null`.
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for InAny<'_> {
    type Value = bool;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<bool, M::Error> {
        while let Some(name) = map.next_key::<String>()? {
            // `extras` are notes of programs for themselves, not extensions.
            if name == "extras" && !self.are_extensions {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let are_extensions = name == "extensions" && !self.are_extensions;
            let is_some = map.next_value_seed(InAny { names: self.names, are_extensions })?;
            if self.are_extensions && is_some {
                self.names.insert(name);
            }
        }
        Ok(true)
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut elements: S) -> Result<bool, S::Error> {
        while elements
            .next_element_seed(InAny { names: self.names, are_extensions: false })?
            .is_some()
        {}
        Ok(true)
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(true)
    }

    fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
        Ok(true)
    }

    fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
        Ok(true)
    }

    fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
        Ok(true)
    }

    fn visit_str<E>(self, _: &str) -> Result<bool, E> {
        Ok(true)
    }
}
