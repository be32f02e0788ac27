//! Lists of known extensions: those that refer to no data, and those that do not depend on repaired nodes.

use std::collections::BTreeSet;

use serde_json::{Value, value::RawValue};

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
    let root: Value = serde_json::from_str(root.get())?;
    Ok(extension_names(&root).into_iter().find(|name| !is_known(name)).cloned())
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
pub(crate) fn unknown_beside_nodes(root: &RawValue) -> Vec<String> {
    // No program reads glTF that is nested too deeply for this parser.
    let mut root: Value = serde_json::from_str(root.get()).unwrap_or_default();
    if let Value::Object(members) = &mut root {
        // Extensions of nodes and meshes have been checked one by one.
        members.retain(|name, _| name != "nodes" && name != "meshes");
    }
    let names: BTreeSet<_> = extension_names(&root).into_iter().collect();
    let unknown = names.into_iter().filter(|name| !is_known(name) && !HARMLESS.contains(&&***name));
    unknown.cloned().collect()
}

fn is_known(name: &str) -> bool {
    KNOWN.contains(&name) || KNOWN_FAMILIES.iter().any(|family| name.starts_with(family))
}

/// Returns the names of all extensions in a value.
fn extension_names(root: &Value) -> Vec<&String> {
    let mut values = vec![root];
    let mut names = Vec::new();
    while let Some(value) = values.pop() {
        match value {
            Value::Array(elements) => values.extend(elements),
            Value::Object(members) => {
                if let Some(Value::Object(extensions)) = members.get("extensions") {
                    names.extend(
                        extensions.iter().filter(|(_, is)| !is.is_null()).map(|(name, _)| name),
                    );
                }
                // `extras` are notes of programs for themselves, not extensions.
                values.extend(
                    members.iter().filter(|(name, _)| *name != "extras").map(|(_, value)| value),
                );
            }
            _ => {}
        }
    }
    names
}
