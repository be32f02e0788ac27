//! The parts of a glTF document that a repair reads, each with its JSON text.
//!
//! Members are read as `xform-scene` reads them, so every file that can be audited can be read here. It has refused
//! objects in which a member that it reads occurs twice. A member that only a repair reads may occur twice, and is not
//! among the fields of these structures, which would refuse it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny},
};
use serde_json::value::RawValue;
use xform_scene::gltf::{
    GltfError, GltfErrors,
    field::{Number, Object, index, indices, length, lenient, maybe_index, name, object, size},
};

use crate::json::{Members, elements};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Document<'a> {
    #[serde(skip, default = "null")]
    pub(crate) root: &'a RawValue,
    #[serde(skip)]
    pub(crate) members: Members<'a>,
    #[serde(skip)]
    pub(crate) extensions: Members<'a>,
    #[serde(borrow, default, deserialize_with = "parts")]
    pub(crate) scenes: Vec<Part<'a, SceneEntry>>,
    #[serde(borrow, default, deserialize_with = "parts")]
    pub(crate) nodes: Vec<Part<'a, Node>>,
    #[serde(borrow, default, deserialize_with = "parts")]
    pub(crate) meshes: Vec<Part<'a, Mesh<'a>>>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    materials: Vec<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "parts")]
    pub(crate) accessors: Vec<Part<'a, Accessor>>,
    #[serde(borrow, default, rename = "bufferViews", deserialize_with = "parts")]
    pub(crate) views: Vec<Part<'a, View>>,
    #[serde(borrow, default, deserialize_with = "parts")]
    pub(crate) buffers: Vec<Part<'a, Buffer>>,
    /// The images of every member of that name, each with its index.
    #[serde(skip)]
    pub(crate) images: Vec<(usize, Members<'a>)>,
    #[serde(borrow, default, deserialize_with = "parts")]
    pub(crate) skins: Vec<Part<'a, Skin>>,
    #[serde(borrow, default, deserialize_with = "parts")]
    pub(crate) animations: Vec<Part<'a, Animation<'a>>>,
}

fn null() -> &'static RawValue {
    RawValue::NULL
}

/// A parsed object with its JSON text.
#[derive(Debug)]
pub(crate) struct Part<'a, T> {
    pub(crate) raw: &'a RawValue,
    pub(crate) is: T,
}

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for Part<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        let Object(is) = serde_json::from_str(raw.get()).map_err(Error::custom)?;
        Ok(Self { raw, is })
    }
}

/// Reads an array of objects. `null` counts as missing.
fn parts<'de: 'a, 'a, D, T>(deserializer: D) -> Result<Vec<Part<'a, T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Reads an array of objects one by one. An object that cannot be read counts as empty.
fn each_part<'de: 'a, 'a, D, T>(deserializer: D) -> Result<Vec<Part<'a, T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    let raws: Vec<&RawValue> = lenient(deserializer)?;
    let part = |raw: &'de RawValue| {
        let is = serde_json::from_str(raw.get()).map(|Object(is)| is).unwrap_or_default();
        Part { raw, is }
    };
    Ok(raws.into_iter().map(part).collect())
}

/// Reads images, each with its index. An image that cannot be read is skipped: it names no file.
fn images(list: &RawValue) -> impl Iterator<Item = (usize, Members<'_>)> {
    let raws = elements(list).unwrap_or_default().into_iter().enumerate();
    raws.filter_map(|(index, raw)| Some((index, Members::of(raw).ok()?)))
}

/// The names of extensions.
type Extensions = BTreeSet<String>;

/// Reads the names of an object's extensions. `null` counts as missing.
fn extensions<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Extensions, D::Error> {
    let found: BTreeMap<String, Option<IgnoredAny>> = lenient(deserializer)?;
    Ok(found.into_iter().filter_map(|(name, is)| is.map(|_| name)).collect())
}

#[derive(Debug, Deserialize)]
pub(crate) struct SceneEntry {
    #[serde(default, deserialize_with = "indices")]
    nodes: Vec<usize>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Node {
    #[serde(default, deserialize_with = "index")]
    pub(crate) mesh: Option<usize>,
    #[serde(default, deserialize_with = "index")]
    pub(crate) skin: Option<usize>,
    pub(crate) camera: Option<IgnoredAny>,
    pub(crate) matrix: Option<IgnoredAny>,
    pub(crate) rotation: Option<[Number; 4]>,
    pub(crate) scale: Option<[Number; 3]>,
    #[serde(default, deserialize_with = "extensions")]
    pub(crate) extensions: Extensions,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Mesh<'a> {
    #[serde(borrow, default, deserialize_with = "parts")]
    pub(crate) primitives: Vec<Part<'a, Primitive<'a>>>,
    /// Those of every member of that name.
    #[serde(skip)]
    pub(crate) extensions: Extensions,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Primitive<'a> {
    #[serde(borrow)]
    pub(crate) attributes: Option<Part<'a, Attributes>>,
    #[serde(default, deserialize_with = "maybe_index")]
    pub(crate) indices: Option<usize>,
    #[serde(default, deserialize_with = "maybe_index")]
    pub(crate) mode: Option<usize>,
    #[serde(default, deserialize_with = "maybe_index")]
    pub(crate) material: Option<usize>,
    #[serde(borrow, default, deserialize_with = "each_part")]
    pub(crate) targets: Vec<Part<'a, Attributes>>,
    #[serde(default, deserialize_with = "extensions")]
    pub(crate) extensions: Extensions,
}

/// The accessors of a vertex's attributes, by attribute name.
#[derive(Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(transparent)]
pub(crate) struct Attributes(BTreeMap<String, Accessed>);

/// The index of an accessor, or `null`.
#[derive(Debug, Deserialize, Eq, PartialEq)]
#[serde(transparent)]
struct Accessed(#[serde(deserialize_with = "maybe_index")] Option<usize>);

impl Attributes {
    pub(crate) fn get(&self, name: &str) -> Option<usize> {
        self.0.get(name)?.0
    }

    fn all(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.iter().filter_map(|(name, accessed)| Some((name.as_str(), accessed.0?)))
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Accessor {
    #[serde(default, deserialize_with = "maybe_index")]
    buffer_view: Option<usize>,
    #[serde(default, deserialize_with = "lenient")]
    sparse: Option<Sparse>,
}

#[derive(Debug, Default, Deserialize)]
struct Sparse {
    #[serde(default, deserialize_with = "lenient")]
    indices: SparsePart,
    #[serde(default, deserialize_with = "lenient")]
    values: SparsePart,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SparsePart {
    #[serde(default, deserialize_with = "maybe_index")]
    buffer_view: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct View {
    #[serde(default, deserialize_with = "maybe_index")]
    pub(crate) buffer: Option<usize>,
    #[serde(default, deserialize_with = "size")]
    byte_offset: u64,
    #[serde(default, deserialize_with = "length")]
    byte_length: u64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Buffer {
    #[serde(default, deserialize_with = "lenient")]
    pub(crate) uri: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Skin {
    #[serde(default, deserialize_with = "indices")]
    pub(crate) joints: Vec<usize>,
    #[serde(default, deserialize_with = "maybe_index")]
    pub(crate) inverse_bind_matrices: Option<usize>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Animation<'a> {
    #[serde(borrow, default, deserialize_with = "parts")]
    pub(crate) channels: Vec<Part<'a, Channel>>,
    #[serde(borrow, default, deserialize_with = "each_part")]
    pub(crate) samplers: Vec<Part<'a, Sampler>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Channel {
    #[serde(default, deserialize_with = "maybe_index")]
    pub(crate) sampler: Option<usize>,
    #[serde(default, deserialize_with = "object")]
    pub(crate) target: Target,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Target {
    #[serde(default, deserialize_with = "maybe_index")]
    pub(crate) node: Option<usize>,
    #[serde(default, deserialize_with = "name")]
    pub(crate) path: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    extensions: TargetExtensions,
}

#[derive(Debug, Default, Deserialize)]
struct TargetExtensions {
    #[serde(default, rename = "KHR_animation_pointer", deserialize_with = "lenient")]
    pointer: Option<Pointer>,
}

#[derive(Debug, Deserialize)]
struct Pointer {
    #[serde(default, deserialize_with = "lenient")]
    pointer: String,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Sampler {
    #[serde(default, deserialize_with = "maybe_index")]
    input: Option<usize>,
    #[serde(default, deserialize_with = "maybe_index")]
    pub(crate) output: Option<usize>,
    #[serde(default, deserialize_with = "name")]
    pub(crate) interpolation: Option<String>,
}

impl<'a> Document<'a> {
    /// Parses JSON that can be read as a scene.
    pub(crate) fn parse(json: &'a str) -> serde_json::Result<Self> {
        let json = json.strip_prefix('\u{FEFF}').unwrap_or(json);
        let root: &RawValue = serde_json::from_str(json)?;
        let members = Members::of(root)?;
        let extensions = members.get("extensions")?.map(Members::of);
        let extensions = extensions.and_then(Result::ok).unwrap_or_default();
        let images = members.every("images").flat_map(images).collect();
        let mut document: Self = serde_json::from_str(json)?;
        for mesh in &mut document.meshes {
            let found = Members::of(mesh.raw)?;
            let found = found.every("extensions").map(self::extensions);
            mesh.is.extensions =
                found.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        }
        Ok(Self { root, members, extensions, images, ..document })
    }

    /// Fails if an index points nowhere: once something is appended, it would point to that.
    pub(crate) fn check(&self) -> Result<(), GltfErrors> {
        let Self { accessors, views, buffers, nodes, .. } = self;
        let within = |kind: &'static str, len: usize, index: Option<usize>, at: String| match index
        {
            Some(index) if index >= len => {
                Err(GltfError::IndexOutOfRange { pointer: at, kind, index, len })
            }
            _ => Ok(()),
        };
        let accessor = |index, at| within("accessor", accessors.len(), index, at);
        let view = |index, at| within("buffer view", views.len(), index, at);
        for (skin, Part { is, .. }) in self.skins.iter().enumerate() {
            for (place, &joint) in is.joints.iter().enumerate() {
                within("node", nodes.len(), Some(joint), format!("/skins/{skin}/joints/{place}"))?;
            }
            accessor(is.inverse_bind_matrices, format!("/skins/{skin}/inverseBindMatrices"))?;
        }
        for (mesh, Part { is, .. }) in self.meshes.iter().enumerate() {
            for (place, Part { is: primitive, .. }) in is.primitives.iter().enumerate() {
                let at = format!("/meshes/{mesh}/primitives/{place}");
                let targets = primitive.targets.iter().enumerate();
                let targets = targets.map(|(target, part)| (format!("targets/{target}"), part));
                let base = primitive.attributes.iter().map(|part| ("attributes".to_owned(), part));
                for (of, part) in base.chain(targets) {
                    for (name, index) in part.is.all() {
                        accessor(Some(index), format!("{at}/{of}/{name}"))?;
                    }
                }
                accessor(primitive.indices, format!("{at}/indices"))?;
            }
        }
        for (animation, Part { is, .. }) in self.animations.iter().enumerate() {
            for (sampler, Part { is: Sampler { input, output, .. }, .. }) in
                is.samplers.iter().enumerate()
            {
                let at = format!("/animations/{animation}/samplers/{sampler}");
                accessor(*input, format!("{at}/input"))?;
                accessor(*output, format!("{at}/output"))?;
            }
        }
        for (index, Part { is, .. }) in accessors.iter().enumerate() {
            let at = format!("/accessors/{index}");
            view(is.buffer_view, format!("{at}/bufferView"))?;
            if let Some(Sparse { indices, values }) = &is.sparse {
                view(indices.buffer_view, format!("{at}/sparse/indices/bufferView"))?;
                view(values.buffer_view, format!("{at}/sparse/values/bufferView"))?;
            }
        }
        for (index, image) in &self.images {
            for written in image.every("bufferView") {
                let found = maybe_index(written).unwrap_or(Some(usize::MAX));
                view(found, format!("/images/{index}/bufferView"))?;
            }
        }
        for (index, Part { is, .. }) in views.iter().enumerate() {
            within("buffer", buffers.len(), is.buffer, format!("/bufferViews/{index}/buffer"))?;
        }
        Ok(())
    }

    /// Whether a scene lists a node as a root.
    pub(crate) fn is_root_of_a_scene(&self, node: usize) -> bool {
        self.scenes.iter().any(|scene| scene.is.nodes.contains(&node))
    }

    /// Whether a material has a thickness, which depends on the scale of the node. A member may occur twice.
    pub(crate) fn is_thick(&self, material: usize) -> bool {
        let named = |of: &'a RawValue, name: &'static str| {
            let found: Vec<_> = Members::of(of).unwrap_or_default().every(name).collect();
            found.into_iter()
        };
        let material = self.materials.get(material).copied();
        let extensions = material.into_iter().flat_map(|found| named(found, "extensions"));
        let volumes = extensions.flat_map(|found| named(found, "KHR_materials_volume"));
        let mut all = volumes.flat_map(|found| named(found, "thicknessFactor"));
        all.any(|found| serde_json::from_str(found.get()).is_ok_and(|Number(factor)| factor > 0.0))
    }

    /// Returns the primitives of a mesh, or an empty slice without a mesh.
    pub(crate) fn primitives(&self, mesh: Option<usize>) -> &[Part<'a, Primitive<'a>>] {
        mesh.map_or(&[], |mesh| &self.meshes[mesh].is.primitives)
    }
}

impl Primitive<'_> {
    /// Returns the accessors of its base vertices, without morph targets.
    pub(crate) fn base(&self) -> &Attributes {
        static NONE: Attributes = Attributes(BTreeMap::new());
        self.attributes.as_ref().map_or(&NONE, |part| &part.is)
    }
}

impl View {
    /// Returns its byte range in its buffer.
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        let [start, len] = [self.byte_offset, self.byte_length]
            .map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        start..start.saturating_add(len)
    }
}

impl Target {
    /// Returns the JSON pointer of `KHR_animation_pointer`, which replaces a node and a path.
    pub(crate) fn pointer(&self) -> Option<&str> {
        self.extensions.pointer.as_ref().map(|found| found.pointer.as_str())
    }
}
