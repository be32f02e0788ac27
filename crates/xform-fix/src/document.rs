//! The parts of a glTF document that a repair looks at, each with its text.
//!
//! The reader of `xform-scene` has types of its own for them, since it asks the opposite: it passes over what it does not understand,
//! so that a file with an odd member is audited all the same. A repair stops at that, so that it changes nothing half understood.

use std::collections::BTreeMap;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

use crate::json::Members;

/// What is wrong with a document, so that nothing may be added to it.
#[derive(Debug)]
pub(crate) enum CheckError {
    Json(serde_json::Error),
    Dangling { from: &'static str, kind: &'static str, index: usize, len: usize },
}

impl From<serde_json::Error> for CheckError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

#[derive(Debug)]
pub(crate) struct Document<'a> {
    pub(crate) root: &'a RawValue,
    pub(crate) members: Members<'a>,
    pub(crate) scenes: Vec<Part<'a, SceneEntry>>,
    pub(crate) nodes: Vec<Part<'a, Node>>,
    pub(crate) meshes: Vec<Part<'a, Mesh<'a>>>,
    pub(crate) materials: Vec<Part<'a, Material>>,
    pub(crate) accessors: Vec<Part<'a, Accessor>>,
    pub(crate) views: Vec<Part<'a, View>>,
    pub(crate) buffers: Vec<Part<'a, Buffer>>,
    pub(crate) images: Vec<Part<'a, Buffer>>,
    pub(crate) skins: Vec<Part<'a, Skin>>,
    pub(crate) animations: Vec<Part<'a, Animation<'a>>>,
}

/// A part with its text.
#[derive(Debug)]
pub(crate) struct Part<'a, T> {
    pub(crate) raw: &'a RawValue,
    pub(crate) is: T,
}

type Extensions = BTreeMap<String, IgnoredAny>;

#[derive(Debug, Deserialize)]
pub(crate) struct SceneEntry {
    #[serde(default)]
    nodes: Vec<usize>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Node {
    pub(crate) mesh: Option<usize>,
    pub(crate) skin: Option<usize>,
    pub(crate) camera: Option<IgnoredAny>,
    pub(crate) matrix: Option<IgnoredAny>,
    pub(crate) rotation: Option<[f64; 4]>,
    pub(crate) scale: Option<[f64; 3]>,
    #[serde(default)]
    pub(crate) extensions: Extensions,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Mesh<'a> {
    #[serde(borrow, default)]
    primitives: Vec<&'a RawValue>,
    #[serde(default)]
    pub(crate) extensions: Extensions,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Primitive<'a> {
    #[serde(borrow)]
    pub(crate) attributes: &'a RawValue,
    pub(crate) indices: Option<usize>,
    pub(crate) mode: Option<u64>,
    pub(crate) material: Option<usize>,
    #[serde(borrow, default)]
    pub(crate) targets: Vec<&'a RawValue>,
    #[serde(default)]
    pub(crate) extensions: Extensions,
}

/// Accessors by what they are of a vertex.
pub(crate) type Attributes = BTreeMap<String, usize>;

#[derive(Debug, Deserialize)]
pub(crate) struct Material {
    #[serde(default)]
    extensions: MaterialExtensions,
}

#[derive(Debug, Default, Deserialize)]
struct MaterialExtensions {
    #[serde(rename = "KHR_materials_volume")]
    volume: Option<Volume>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Volume {
    #[serde(default)]
    thickness_factor: f64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Accessor {
    #[serde(default)]
    pub(crate) name: Option<String>,
    buffer_view: Option<usize>,
    sparse: Option<Sparse>,
}

#[derive(Debug, Deserialize)]
struct Sparse {
    indices: SparsePart,
    values: SparsePart,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SparsePart {
    buffer_view: usize,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct View {
    pub(crate) buffer: usize,
    #[serde(default)]
    byte_offset: usize,
    #[serde(default)]
    byte_length: usize,
}

/// A buffer or an image.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Buffer {
    pub(crate) uri: Option<String>,
    buffer_view: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Skin {
    pub(crate) joints: Vec<usize>,
    pub(crate) inverse_bind_matrices: Option<usize>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Animation<'a> {
    #[serde(borrow, default)]
    channels: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    samplers: Vec<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Channel {
    pub(crate) sampler: usize,
    pub(crate) target: Target,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) node: Option<usize>,
    pub(crate) path: String,
    #[serde(default)]
    extensions: TargetExtensions,
}

#[derive(Debug, Default, Deserialize)]
struct TargetExtensions {
    #[serde(rename = "KHR_animation_pointer")]
    pointer: Option<Pointer>,
}

#[derive(Debug, Deserialize)]
struct Pointer {
    #[serde(default)]
    pointer: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Sampler {
    input: usize,
    pub(crate) output: usize,
    #[serde(default)]
    pub(crate) interpolation: Option<String>,
}

impl<'a> Document<'a> {
    pub(crate) fn parse(json: &'a str) -> serde_json::Result<Self> {
        let json = json.strip_prefix('\u{FEFF}').unwrap_or(json);
        let root: &RawValue = serde_json::from_str(json)?;
        let members = Members::of(root)?;
        Ok(Self {
            scenes: parts(&members, "scenes")?,
            nodes: parts(&members, "nodes")?,
            meshes: parts(&members, "meshes")?,
            materials: parts(&members, "materials")?,
            accessors: parts(&members, "accessors")?,
            views: parts(&members, "bufferViews")?,
            buffers: parts(&members, "buffers")?,
            images: parts(&members, "images")?,
            skins: parts(&members, "skins")?,
            animations: parts(&members, "animations")?,
            root,
            members,
        })
    }

    /// Fails where a reference leads to nothing: to what is added it would lead to something.
    pub(crate) fn check(&self) -> Result<(), CheckError> {
        let (accessors, views) = (self.accessors.len(), self.views.len());
        let within = |from: &'static str, kind: &'static str, index: usize, len: usize| {
            if index < len { Ok(()) } else { Err(CheckError::Dangling { from, kind, index, len }) }
        };
        for node in self.nodes.iter().map(|node| &node.is) {
            node.mesh.map_or(Ok(()), |mesh| within("a node", "mesh", mesh, self.meshes.len()))?;
            node.skin.map_or(Ok(()), |skin| within("a node", "skin", skin, self.skins.len()))?;
        }
        for skin in self.skins.iter().map(|skin| &skin.is) {
            let mut joints = skin.joints.iter();
            joints.try_for_each(|&joint| within("a skin", "node", joint, self.nodes.len()))?;
            let binds = skin.inverse_bind_matrices;
            binds.map_or(Ok(()), |binds| within("a skin", "accessor", binds, accessors))?;
        }
        for mesh in &self.meshes {
            for Part { is: primitive, .. } in mesh.is.primitives()? {
                let targets = primitive.targets.iter().copied();
                for one in std::iter::once(primitive.attributes).chain(targets) {
                    let mut all = attributes(one)?.into_values();
                    all.try_for_each(|one| within("a primitive", "accessor", one, accessors))?;
                }
                let indices = primitive.indices;
                indices.map_or(Ok(()), |one| within("a primitive", "accessor", one, accessors))?;
            }
        }
        for animation in &self.animations {
            for Part { is: Sampler { input, output, .. }, .. } in animation.is.samplers()? {
                within("a sampler", "accessor", input.max(output), accessors)?;
            }
        }
        for Accessor { buffer_view, sparse, .. } in self.accessors.iter().map(|part| &part.is) {
            let sparse = sparse.iter();
            let sparse = sparse.flat_map(|sparse| [&sparse.indices, &sparse.values]);
            let named = buffer_view.iter().copied().chain(sparse.map(|part| part.buffer_view));
            for view in named {
                within("an accessor", "buffer view", view, views)?;
            }
        }
        for view in self.images.iter().filter_map(|image| image.is.buffer_view) {
            within("an image", "buffer view", view, views)?;
        }
        for View { buffer, .. } in self.views.iter().map(|view| &view.is) {
            within("a buffer view", "buffer", *buffer, self.buffers.len())?;
        }
        Ok(())
    }

    /// Whether a scene shows a node as a root.
    pub(crate) fn is_root_of_a_scene(&self, node: usize) -> bool {
        self.scenes.iter().any(|scene| scene.is.nodes.contains(&node))
    }
}

fn parts<'a, T: Deserialize<'a>>(
    members: &Members<'a>,
    name: &str,
) -> serde_json::Result<Vec<Part<'a, T>>> {
    members.array(name)?.into_iter().map(part).collect()
}

fn part<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> serde_json::Result<Part<'a, T>> {
    Ok(Part { raw, is: serde_json::from_str(raw.get())? })
}

impl<'a> Mesh<'a> {
    pub(crate) fn primitives(&self) -> serde_json::Result<Vec<Part<'a, Primitive<'a>>>> {
        self.primitives.iter().map(|raw| part(raw)).collect()
    }
}

impl<'a> Animation<'a> {
    pub(crate) fn channels(&self) -> serde_json::Result<Vec<Part<'a, Channel>>> {
        self.channels.iter().map(|raw| part(raw)).collect()
    }

    pub(crate) fn samplers(&self) -> serde_json::Result<Vec<Part<'a, Sampler>>> {
        self.samplers.iter().map(|raw| part(raw)).collect()
    }
}

impl View {
    /// The bytes of its buffer that it has.
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.byte_offset..self.byte_offset.saturating_add(self.byte_length)
    }
}

impl Target {
    /// The JSON pointer of `KHR_animation_pointer`, which stands in place of a node and a path.
    pub(crate) fn pointer(&self) -> Option<&str> {
        self.extensions.pointer.as_ref().map(|found| found.pointer.as_str())
    }
}

impl Material {
    /// Whether it has a thickness, which the scale of a node acts on.
    pub(crate) fn is_thick(&self) -> bool {
        self.extensions.volume.as_ref().is_some_and(|volume| volume.thickness_factor > 0.0)
    }
}

/// The accessors of a primitive or of a morph target.
pub(crate) fn attributes(raw: &RawValue) -> serde_json::Result<Attributes> {
    serde_json::from_str(raw.get())
}
