//! A reader for glTF 2.0, `.gltf` and `.glb`: the node hierarchy, its animations and its meshes.
//!
//! For a scene, buffers are read only for animations, skinned meshes, instances, and meshes without bounds. They need
//! not exist. Images are never read.

mod accessor;
mod animation;
mod asset;
mod behaviours;
mod buffers;
mod colliders;
mod container;
mod document;
mod draco;
mod drawing;
mod encoded;
mod error;
mod errors;
mod extension_names;
pub mod field;
mod fixtures;
mod glb;
mod instances;
mod mesh;
mod meshopt;
mod parsing;
mod pose;
mod skin;
mod structure;
mod unread;
mod uses;
mod visibility;
mod wrong_values;

use std::{borrow::Cow, collections::HashMap, fs::File, io::Cursor, ops::Range, path::Path};

use behaviours::Behaviours;
use buffers::{Beside, Buffers, Input};
use document::Document;
use errors::Defects;
use xform_core::Inherit;

use crate::{Drawing, Node, Scene, Warning, WarningCode, collider::add_names};

pub use asset::{GltfAccessors, GltfAsset};
pub use behaviours::{SetProperty, set_by_behaviours};
pub use container::GltfContainer;
pub use encoded::EncodedAccessor;
pub use error::GltfError;
pub use errors::GltfErrors;

/// The first bytes of a Git LFS pointer, a placeholder for a file that was not fetched.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Whether to read the animations of a file.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Animations {
    /// Read them, with the data that they need from the buffers.
    #[default]
    Read,
    /// Skip them. If there are any, add a warning.
    Skip,
}

/// Reads the nodes and animations of a glTF 2.0 asset from the bytes of a `.gltf` or `.glb` file.
///
/// A GLB is recognised by its magic number. Only buffers within these bytes are read. The reader tolerates what does
/// not matter (unknown extensions, missing buffers, bytes after a GLB) and is strict about structure.
///
/// Every node of the file becomes a node of the scene with the same index, including nodes outside the default scene.
/// A part of an animation that cannot be read is [kept with the reason](crate::Animation::not_sampled). If the
/// vertices of a skinned mesh cannot be read, the origins of its joints [stand in](crate::NodeUses::stands_in), with
/// a warning.
///
/// # Errors
///
/// If the bytes are not glTF 2.0, the nodes do not form a forest, an index is out of range, or a value has the wrong
/// type or length. Each error names its place, and all errors of one kind are reported.
pub fn read_gltf(bytes: &[u8], source: &str) -> Result<Scene, GltfErrors> {
    read_gltf_beside(bytes, source, Beside::Nowhere)
}

/// Returns the files of the buffers of a glTF 2.0 asset, by their path relative to the asset, each once. Files
/// outside the asset's folder are never opened, so they are left out.
///
/// # Errors
///
/// If the bytes are not glTF 2.0.
pub fn gltf_buffer_files(bytes: &[u8]) -> Result<Vec<String>, GltfErrors> {
    let len = bytes.len() as u64;
    let head = Head::read(&mut Cursor::new(bytes), len)?;
    let text = String::from_utf8_lossy(head.json(len)?);
    Ok(buffers::keys(&Document::parse(&text)?))
}

/// Like [`read_gltf`], for an asset without a folder: `files` has the other files in memory, by their path relative
/// to the asset, as [`gltf_buffer_files`] returns it.
///
/// # Errors
///
/// As for [`read_gltf`].
pub fn read_gltf_with(
    bytes: &[u8],
    source: &str,
    files: &HashMap<String, Vec<u8>>,
) -> Result<Scene, GltfErrors> {
    read_gltf_beside(bytes, source, Beside::Memory(files))
}

fn read_gltf_beside(bytes: &[u8], source: &str, beside: Beside<'_>) -> Result<Scene, GltfErrors> {
    read(&mut Cursor::new(bytes), bytes.len() as u64, source, beside, None, Animations::Read)
}

/// Reads the nodes and animations of a glTF 2.0 asset from a file, and no more of the file than they need.
///
/// Like [`read_gltf`], but buffers in other files are also read, if these are in the same folder or below it. The
/// source of the scene is the path.
///
/// # Errors
///
/// As for [`read_gltf`]. Also if the file cannot be read or is not a regular file.
pub fn read_gltf_file(path: &Path, animations: Animations) -> Result<Scene, GltfErrors> {
    let (mut file, len) = opened(path)?;
    read(&mut file, len, &path.to_string_lossy(), path.parent().into(), None, animations)
}

// Meshes are read only for drawing, by functions of their own, so an audit reads no more of a file than it needs.

/// Reads the drawable part of a glTF 2.0 asset from the bytes of a file: the meshes that can be read, and the nodes
/// that show them. It belongs to the scene that [`read_gltf`] returns for the same bytes.
///
/// # Errors
///
/// If the bytes are not glTF 2.0.
pub fn read_gltf_drawing(bytes: &[u8]) -> Result<Drawing, GltfErrors> {
    read_drawing(&mut Cursor::new(bytes), bytes.len() as u64, Beside::Nowhere)
}

/// Like [`read_gltf_drawing`], with the other files of the asset in memory, as for [`read_gltf_with`].
///
/// # Errors
///
/// As for [`read_gltf_drawing`].
pub fn read_gltf_drawing_with(
    bytes: &[u8],
    files: &HashMap<String, Vec<u8>>,
) -> Result<Drawing, GltfErrors> {
    read_drawing(&mut Cursor::new(bytes), bytes.len() as u64, Beside::Memory(files))
}

/// Like [`read_gltf_drawing`], from a file, with the buffers in its folder or below it.
///
/// # Errors
///
/// As for [`read_gltf_drawing`]. Also if the file cannot be read or is not a regular file.
pub fn read_gltf_file_drawing(path: &Path) -> Result<Drawing, GltfErrors> {
    let (mut file, len) = opened(path)?;
    read_drawing(&mut file, len, path.parent().into())
}

fn opened(path: &Path) -> Result<(File, u64), GltfErrors> {
    // A pipe or a device may have no end, and opening one may block forever.
    let stored = path.metadata()?;
    if !stored.is_file() {
        return Err(GltfError::NotAFile.into());
    }
    Ok((File::open(path)?, stored.len()))
}

fn read_drawing(file: &mut dyn Input, len: u64, beside: Beside<'_>) -> Result<Drawing, GltfErrors> {
    let head = Head::read(file, len)?;
    let text = String::from_utf8_lossy(head.json(len)?);
    let document = Document::parse(&text)?;
    let chunk = head.binary_chunk(file)?;
    let mut buffers = Buffers::new(&document, file, chunk, beside);
    let drawing = drawing::read(&document, &mut buffers);
    buffers.check_memory()?;
    Ok(drawing)
}

/// The start of a file, up to the end of its JSON.
struct Head {
    bytes: Vec<u8>,
    is_glb: bool,
}

impl Head {
    fn read(file: &mut dyn Input, len: u64) -> Result<Self, GltfErrors> {
        let bytes = glb::head(file, len)?;
        if bytes.starts_with(LFS_POINTER) {
            return Err(GltfError::LfsPointer.into());
        }
        Ok(Self { is_glb: glb::is_glb(&bytes), bytes })
    }

    /// Returns the JSON of a file of `len` bytes.
    fn json(&self, len: u64) -> Result<&[u8], GltfError> {
        if self.is_glb { glb::json_chunk(&self.bytes, len) } else { Ok(&self.bytes) }
    }

    fn binary_chunk(&self, file: &mut dyn Input) -> Result<Option<Range<u64>>, GltfError> {
        Ok(if self.is_glb { glb::binary_chunk(file, &self.bytes)? } else { None })
    }
}

/// Reads a scene from a file of `len` bytes. If the buffers are in memory already, they are `held`.
fn read(
    file: &mut dyn Input,
    len: u64,
    source: &str,
    beside: Beside<'_>,
    held: Option<&[Result<Vec<u8>, String>]>,
    animations: Animations,
) -> Result<Scene, GltfErrors> {
    let head = Head::read(file, len)?;
    let text = String::from_utf8_lossy(head.json(len)?);
    let document = Document::parse(&text)?;
    let mut scene = at_rest(&document, source)?;
    if matches!(text, Cow::Owned(_)) {
        scene.warnings.insert(0, not_utf8());
    }
    if let Beside::Folder(folder) = beside {
        scene.buffers = buffers::named(&document, folder);
    }
    scene.animations = animation::of_nodes(&document);
    let is_moving = animations == Animations::Read && !scene.animations.is_empty();
    if animations == Animations::Skip {
        scene = scene.at_rest();
    }
    if is_moving
        || document.nodes.iter().any(skin::is_skinned)
        || instances::are_there(&document)
        || mesh::are_unbounded(&document)
    {
        let chunk = head.binary_chunk(file)?;
        let mut buffers = Buffers::new(&document, file, chunk, beside);
        if let Some(held) = held {
            buffers.hold(held);
        }
        mesh::read_bounds(&mut scene, &document, &mut buffers);
        skin::read(&mut scene, &document, &mut buffers);
        if is_moving {
            animation::read(&mut scene, &document, &mut buffers);
            uses::forget_still_channels(&mut scene);
        }
        instances::add(&mut scene, &document, &mut buffers);
        buffers.check_memory()?;
    }
    Ok(scene)
}

/// Returns the scene without its animations.
fn at_rest(document: &Document<'_>, source: &str) -> Result<Scene, GltfErrors> {
    let (mut defects, mut warnings) = (Defects::default(), Vec::new());
    let parents = structure::parents(document, &mut defects);
    let bounds = mesh::mesh_bounds(document, &mut defects, &mut warnings);
    let behaviours = Behaviours::of(document);
    let uses = uses::node_uses(document, &behaviours);
    let hidden = visibility::hidden(document, &behaviours);
    let in_default_scene = structure::in_default_scene(document);
    let mut nodes = Vec::with_capacity(parents.len());
    for (index, (node, &parent)) in document.nodes.iter().zip(&parents).enumerate() {
        nodes.push(Node {
            name: node.name.clone(),
            parent,
            local: pose::local(index, node, &mut defects, &mut warnings),
            rotation_length: pose::rotation_length(node),
            inherit: Inherit::All,
            bounds: mesh::node_bounds(document, &bounds, index, &mut defects),
            skin: None,
            fixture: fixtures::of_node(document, node),
            uses: uses[index],
            is_invisible: hidden[index],
            is_in_default_scene: in_default_scene[index],
            instance_of: None,
            is_helper: false,
        });
    }
    structure::check_scenes(document, &mut defects);
    // The placeholders for invalid values are not used before this check.
    defects.found()?;
    warnings.extend(structure::warnings(document, &nodes));
    warnings.extend(behaviours.warnings(document.nodes.len()));
    let mut colliders = colliders::read(document, &parents);
    add_names(&mut colliders, &nodes);
    Ok(Scene { colliders, warnings, ..Scene::new(source, nodes) })
}

fn not_utf8() -> Warning {
    Warning::new(WarningCode::NotUtf8, "", "bytes that are not UTF-8 were read as U+FFFD")
}
