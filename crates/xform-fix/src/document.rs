//! The parts of a glTF document that a repair looks at, each with its text.

use std::collections::BTreeMap;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

use crate::json::Members;

#[derive(Debug)]
pub(crate) struct Document<'a> {
    pub(crate) root: &'a RawValue,
    pub(crate) members: Members<'a>,
    pub(crate) nodes: Vec<Part<'a, Node>>,
    pub(crate) meshes: Vec<Part<'a, Mesh<'a>>>,
    pub(crate) materials: Vec<Part<'a, Material>>,
    pub(crate) accessors: Vec<Part<'a, Accessor>>,
    pub(crate) views: usize,
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
pub(crate) struct Accessor {
    #[serde(default)]
    pub(crate) name: Option<String>,
}

/// A buffer or an image.
#[derive(Debug, Deserialize)]
pub(crate) struct Buffer {
    pub(crate) uri: Option<String>,
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
            nodes: parts(&members, "nodes")?,
            meshes: parts(&members, "meshes")?,
            materials: parts(&members, "materials")?,
            accessors: parts(&members, "accessors")?,
            views: members.array("bufferViews")?.len(),
            buffers: parts(&members, "buffers")?,
            images: parts(&members, "images")?,
            skins: parts(&members, "skins")?,
            animations: parts(&members, "animations")?,
            root,
            members,
        })
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
