//! What is known of extensions: which name no data, and which say nothing of nodes that are repaired.

use std::collections::BTreeSet;

use serde_json::{Value, value::RawValue};

/// The extensions that name no accessor, view or buffer.
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

/// Families of such extensions, by how their names begin.
const KNOWN_FAMILIES: [&str; 2] = ["KHR_materials_", "VRMC_"];

/// An extension anywhere in a document of which it is not known that it names no data.
pub(crate) fn may_name_data(root: &RawValue) -> Result<Option<String>, serde_json::Error> {
    let root: Value = serde_json::from_str(root.get())?;
    Ok(extension_names(&root).into_iter().find(|name| !is_known(name)).cloned())
}

/// Beside those, extensions that say nothing of nodes that are repaired: they compress data, or matter where nodes
/// have an extension that refers to them.
const HARMLESS: [&str; 5] = [
    "EXT_meshopt_compression",
    "KHR_implicit_shapes",
    "KHR_meshopt_compression",
    "KHR_physics_rigid_bodies",
    "OMI_physics_shape",
];

/// The extensions of a document that are neither those of nodes nor of meshes, and may refer to nodes or have lengths in their space.
pub(crate) fn unknown_beside_nodes(root: &RawValue) -> Vec<String> {
    // What is nested too deeply is no glTF of any program.
    let mut root: Value = serde_json::from_str(root.get()).unwrap_or_default();
    if let Value::Object(members) = &mut root {
        // What these have was looked at, node by node.
        members.retain(|name, _| name != "nodes" && name != "meshes");
    }
    let names: BTreeSet<_> = extension_names(&root).into_iter().collect();
    let unknown = names.into_iter().filter(|name| !is_known(name) && !HARMLESS.contains(&&***name));
    unknown.cloned().collect()
}

fn is_known(name: &str) -> bool {
    KNOWN.contains(&name) || KNOWN_FAMILIES.iter().any(|family| name.starts_with(family))
}

/// The names of all extensions in a value.
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
                // What programs note for themselves is no extension.
                values.extend(
                    members.iter().filter(|(name, _)| *name != "extras").map(|(_, value)| value),
                );
            }
            _ => {}
        }
    }
    names
}
