//! glTF 2.0, `.gltf` and `.glb`: the node hierarchy alone. Buffers and images need not exist.

mod document;
mod error;
mod glb;
mod mesh;
mod pose;
mod structure;
mod ties;

use std::io::Read;

use document::Document;
use xform_core::Inherit;

use crate::{Node, Scene, Warning, WarningCode};

pub use error::GltfError;

/// Reads the nodes of a glTF 2.0 asset from the bytes of a `.gltf` or `.glb` file, told apart by
/// the magic of the latter.
///
/// Tolerant of what does not matter here (unknown extensions, missing buffers, bytes after a GLB),
/// strict about structure. Every node of the file becomes a node of the scene with the same index,
/// also those outside the default scene.
///
/// # Errors
///
/// Bytes that are not glTF 2.0; a node hierarchy that is no forest; indices out of range; values
/// of the wrong type or length. Each names its place.
pub fn read_gltf(bytes: &[u8], source: &str) -> Result<Scene, GltfError> {
    read(bytes, bytes.len() as u64, source)
}

/// The same for a file of so many bytes, of which no more is read than matters: of a GLB the JSON
/// alone.
///
/// # Errors
///
/// As for [`read_gltf`]; those of the file.
pub fn read_gltf_file(file: &mut impl Read, len: u64, source: &str) -> Result<Scene, GltfError> {
    read(&glb::head(file)?, len, source)
}

/// From the head of a file of so many bytes.
fn read(bytes: &[u8], len: u64, source: &str) -> Result<Scene, GltfError> {
    let json = if glb::is_glb(bytes) { glb::json_chunk(bytes, len)? } else { bytes };
    let document = Document::parse(json)?;
    let parents = structure::parents(&document)?;
    let mut warnings = Vec::new();
    let bounds = mesh::mesh_bounds(&document, &mut warnings)?;
    let ties = ties::ties(&document);
    let mut nodes = Vec::with_capacity(parents.len());
    for (index, (node, &parent)) in document.nodes.iter().zip(&parents).enumerate() {
        nodes.push(Node {
            name: node.name.clone(),
            parent,
            local: pose::local(index, node, &mut warnings)?,
            inherit: Inherit::All,
            bounds: mesh::node_bounds(&document, &bounds, index, &mut warnings)?,
            ties: ties[index],
        });
    }
    warnings.extend(structure::outside_default_scene(&document, &parents)?);
    warnings.extend(ties::not_sampled(&document));
    Ok(Scene { source: source.to_owned(), nodes, warnings })
}

fn node_warning(
    code: WarningCode,
    node: usize,
    field: &str,
    message: impl Into<String>,
) -> Warning {
    Warning {
        code,
        node: Some(node),
        pointer: format!("/nodes/{node}{field}"),
        message: message.into(),
    }
}
