//! Removes unused data from a file: accessors, buffer views, buffers, and bytes of buffers that are inside the file.

// Data are removed only if every use is known. References are few and stand in known places of the core format. An
// extension may hold others, so there is a list of extensions known to hold none (`extensions.rs`), and with any other
// extension nothing is removed.

use std::{collections::BTreeMap, ops::Range};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::value::RawValue;
use xform_scene::gltf::{GltfAsset, GltfErrors, field::Index};

use crate::{
    document::{Document, Part, View},
    extensions::may_name_data,
    json::{Edits, Members},
};

/// The amount of unused data that was removed from a file.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Compacted {
    /// The number of accessors.
    pub accessors: usize,
    /// The number of buffer views.
    pub views: usize,
    /// The number of bytes, in buffers that are inside the file.
    pub bytes: usize,
}

impl Compacted {
    /// Whether nothing was removed.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// An asset without its unused data.
pub(crate) struct Compaction {
    pub(crate) asset: GltfAsset,
    /// The new bytes of its binary chunk, or `None` if the chunk stays as it is.
    pub(crate) chunk: Option<Vec<u8>>,
    pub(crate) compacted: Compacted,
}

/// The reason why nothing is removed: a clause for people.
pub(crate) struct NotCompacted(pub(crate) String);

/// The uses of an object that cannot be read are unknown.
impl From<serde_json::Error> for NotCompacted {
    fn from(error: serde_json::Error) -> Self {
        // The position within the object helps nobody.
        let why = error.to_string();
        Self(why.split(" at line ").next().unwrap_or_default().to_owned())
    }
}

impl From<GltfErrors> for NotCompacted {
    fn from(errors: GltfErrors) -> Self {
        Self(errors.to_string())
    }
}

/// Returns the asset without unused data, or `None` if everything is used.
pub(crate) fn compact(asset: &GltfAsset, is_glb: bool) -> Result<Option<Compaction>, NotCompacted> {
    let document = Document::parse(asset.json())?;
    document.check()?;
    let unknown = may_name_data(document.root)
        .map_err(|_| NotCompacted("its JSON is nested too deeply".to_owned()))?;
    if let Some(unknown) = unknown {
        return Err(NotCompacted(format!("the unknown extension {unknown} may use data")));
    }
    let used = Used::of(&document)?;
    let has_chunk = is_glb && document.buffers.first().is_some_and(|first| first.is.uri.is_none());
    let mut buffers = Vec::new();
    for (index, buffer) in document.buffers.iter().enumerate() {
        let is_inside = match &buffer.is.uri {
            Some(uri) => uri.starts_with("data:"),
            None => has_chunk && index == 0,
        };
        let bytes = asset.buffers().get(index).and_then(|bytes| bytes.as_ref().ok());
        let views = used.views_of(&document, index);
        buffers.push(match bytes.filter(|_| is_inside) {
            Some(bytes) => Packed::of(bytes, &views)?,
            None => Packed::as_it_is(),
        });
    }
    let packing = Packing { document: &document, used: &used, buffers: &buffers };
    let mut edits = Edits::of(asset.json());
    packing.edit(&mut edits)?;
    if edits.is_empty() {
        return Ok(None);
    }
    let unused = |is_used: &[bool]| is_used.iter().filter(|is_used| !**is_used).count();
    let compacted = Compacted {
        accessors: unused(&used.accessors),
        views: unused(&used.views),
        bytes: packing.bytes_less(asset),
    };
    let packed = asset.buffers().iter().zip(&buffers).zip(&used.buffers);
    let packed = packed
        .filter(|(_, is_used)| **is_used)
        .map(|((old, packed), _)| packed.bytes.clone().map_or_else(|| old.clone(), Ok));
    let packed: Vec<_> = packed.collect();
    // An unreadable chunk stays as it is.
    let chunk = match (has_chunk, has_chunk && used.buffers[0]) {
        (true, true) => packed[0].clone().ok(),
        (true, false) => Some(Vec::new()),
        (false, _) => None,
    };
    let asset = GltfAsset::new(edits.finish(), packed);
    Ok(Some(Compaction { asset, chunk, compacted }))
}

/// Whether something uses each accessor, view and buffer, by index.
struct Used {
    accessors: Vec<bool>,
    views: Vec<bool>,
    buffers: Vec<bool>,
}

impl Used {
    fn of(document: &Document<'_>) -> serde_json::Result<Self> {
        let mut accessors = vec![false; document.accessors.len()];
        for reference in document.accessor_references()? {
            accessors[reference.index] = true;
        }
        let mut views = vec![false; document.views.len()];
        for reference in document.view_references()? {
            if reference.of_accessor.is_none_or(|accessor| accessors[accessor]) {
                views[reference.index] = true;
            }
        }
        let mut buffers = vec![false; document.buffers.len()];
        for (view, _) in document.views.iter().zip(&views).filter(|(_, is_used)| **is_used) {
            if let Some(buffer) = view.is.buffer {
                buffers[buffer] = true;
            }
        }
        Ok(Self { accessors, views, buffers })
    }

    /// Returns the ranges of a buffer that its used views cover.
    fn views_of(&self, document: &Document<'_>, buffer: usize) -> Vec<Range<usize>> {
        let views = document.views.iter().zip(&self.views);
        let views = views.filter(|(view, is_used)| **is_used && view.is.buffer == Some(buffer));
        views.map(|(view, _)| view.is.range()).collect()
    }
}

/// A buffer without the bytes that no view covers.
struct Packed {
    /// Its new bytes, or `None` if they are unchanged.
    bytes: Option<Vec<u8>>,
    /// The new start of each range, by its old start.
    starts: BTreeMap<usize, usize>,
}

impl Packed {
    fn as_it_is() -> Self {
        Self { bytes: None, starts: BTreeMap::new() }
    }

    fn of(bytes: &[u8], views: &[Range<usize>]) -> Result<Self, NotCompacted> {
        let mut ranges = views.to_vec();
        ranges.sort_unstable_by_key(|range| (range.start, range.end));
        if ranges.iter().any(|range| range.end > bytes.len() || range.end < range.start) {
            let what = "a buffer view ends beyond its buffer";
            return Err(NotCompacted(what.to_owned()));
        }
        // Views may overlap.
        let mut joined: Vec<Range<usize>> = Vec::new();
        for range in ranges {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        let (mut packed, mut starts) = (Vec::new(), BTreeMap::new());
        for range in joined {
            // Keep the offset modulo 4, because components must be aligned.
            let pad = (range.start % 4 + 4 - packed.len() % 4) % 4;
            packed.resize(packed.len() + pad, 0);
            starts.insert(range.start, packed.len());
            packed.extend(&bytes[range]);
        }
        // Padding at the end of a chunk cannot be saved.
        let is_less = packed.len().next_multiple_of(4) < bytes.len().next_multiple_of(4);
        Ok(if is_less { Self { bytes: Some(packed), starts } } else { Self::as_it_is() })
    }

    /// Returns the new offset of an old offset in the buffer.
    fn place(&self, old: usize) -> usize {
        let before = self.starts.range(..=old).next_back();
        before.map_or(old, |(start, now)| now + (old - start))
    }
}

/// A document and the parts of it that remain.
struct Packing<'a, 'b> {
    document: &'b Document<'a>,
    used: &'b Used,
    buffers: &'b [Packed],
}

impl<'a> Packing<'a, '_> {
    fn edit(&self, edits: &mut Edits<'a>) -> serde_json::Result<()> {
        let Self { document, used, .. } = *self;
        let accessors = ranks(&used.accessors);
        for reference in document.accessor_references()? {
            renumber(edits, reference.raw, reference.index, &accessors);
        }
        let views = ranks(&used.views);
        for reference in document.view_references()? {
            if reference.of_accessor.is_none_or(|accessor| used.accessors[accessor]) {
                renumber(edits, reference.raw, reference.index, &views);
            }
        }
        for (view, _) in document.views.iter().zip(&used.views).filter(|(_, is_used)| **is_used) {
            self.place(edits, view)?;
        }
        for (index, buffer) in document.buffers.iter().enumerate() {
            let Some(bytes) = self.buffers[index].bytes.as_ref().filter(|_| used.buffers[index])
            else {
                continue;
            };
            edits.set(buffer.raw, "byteLength", bytes.len().to_string())?;
            if buffer.is.uri.is_some() {
                let text = STANDARD.encode(bytes);
                let uri = format!(r#""data:application/octet-stream;base64,{text}""#);
                edits.set(buffer.raw, "uri", uri)?;
            }
        }
        let all = [
            ("accessors", &used.accessors),
            ("bufferViews", &used.views),
            ("buffers", &used.buffers),
        ];
        // glTF forbids empty arrays here, so the whole member goes.
        let is_gone = |name: &str| {
            all.iter().any(|(of, is_used)| *of == name && !is_used.iter().any(|&is_used| is_used))
        };
        edits.remove(document.root, is_gone)?;
        for (name, is_used) in all.into_iter().filter(|(name, _)| !is_gone(name)) {
            if let Some(array) = document.members.get(name)? {
                edits.retain(array, is_used)?;
            }
        }
        Ok(())
    }

    /// Writes the new buffer index and byte offset of a view.
    fn place(&self, edits: &mut Edits<'a>, view: &Part<'a, View>) -> serde_json::Result<()> {
        let Some(old) = view.is.buffer else { return Ok(()) };
        let buffers = ranks(&self.used.buffers);
        if buffers[old] != old {
            edits.set(view.raw, "buffer", buffers[old].to_string())?;
        }
        let start = view.is.range().start;
        let now = self.buffers[old].place(start);
        if now != start {
            edits.set(view.raw, "byteOffset", now.to_string())?;
        }
        Ok(())
    }

    fn bytes_less(&self, asset: &GltfAsset) -> usize {
        let len = |bytes: &Result<Vec<u8>, String>| bytes.as_ref().map_or(0, Vec::len);
        let less = asset.buffers().iter().zip(self.buffers).map(|(old, packed)| {
            packed.bytes.as_ref().map_or(0, |bytes| len(old).saturating_sub(bytes.len()))
        });
        less.sum()
    }
}

/// Returns the new index of each kept element, by its old index.
fn ranks(is_kept: &[bool]) -> Vec<usize> {
    let mut next = 0;
    let rank = |&is_kept: &bool| {
        let rank = next;
        next += usize::from(is_kept);
        rank
    };
    is_kept.iter().map(rank).collect()
}

fn renumber<'a>(edits: &mut Edits<'a>, raw: &'a RawValue, old: usize, ranks: &[usize]) {
    if ranks[old] != old {
        edits.replace(raw, ranks[old].to_string());
    }
}

/// A place where a document refers to an accessor or a view.
struct Reference<'a> {
    raw: &'a RawValue,
    index: usize,
    /// The accessor that contains the reference, if one does.
    of_accessor: Option<usize>,
}

impl<'a> Document<'a> {
    fn accessor_references(&self) -> serde_json::Result<Vec<Reference<'a>>> {
        let mut raws = Vec::new();
        for mesh in &self.meshes {
            for primitive in &mesh.is.primitives {
                for part in primitive.is.attributes.iter().chain(&primitive.is.targets) {
                    raws.extend(Members::of(part.raw)?.values());
                }
                raws.extend(Members::of(primitive.raw)?.get("indices")?);
            }
        }
        for skin in &self.skins {
            raws.extend(Members::of(skin.raw)?.get("inverseBindMatrices")?);
        }
        for animation in &self.animations {
            for sampler in &animation.is.samplers {
                let members = Members::of(sampler.raw)?;
                raws.extend([members.get("input")?, members.get("output")?].into_iter().flatten());
            }
        }
        raws.into_iter().map(|raw| reference(raw, None)).collect()
    }

    fn view_references(&self) -> serde_json::Result<Vec<Reference<'a>>> {
        let mut raws = Vec::new();
        for (index, accessor) in self.accessors.iter().enumerate() {
            let members = Members::of(accessor.raw)?;
            raws.extend(members.get("bufferView")?.map(|raw| (raw, Some(index))));
            if let Some(sparse) = members.get("sparse")? {
                let sparse = Members::of(sparse)?;
                for part in [sparse.get("indices")?, sparse.get("values")?].into_iter().flatten() {
                    let view = Members::of(part)?.get("bufferView")?;
                    raws.extend(view.map(|raw| (raw, Some(index))));
                }
            }
        }
        for (_, image) in &self.images {
            let views = image.every("bufferView").filter(|raw| raw.get() != "null");
            raws.extend(views.map(|raw| (raw, None)));
        }
        raws.into_iter().map(|(raw, of_accessor)| reference(raw, of_accessor)).collect()
    }
}

fn reference(raw: &RawValue, of_accessor: Option<usize>) -> serde_json::Result<Reference<'_>> {
    let Index(index) = serde_json::from_str(raw.get())?;
    Ok(Reference { raw, index, of_accessor })
}
