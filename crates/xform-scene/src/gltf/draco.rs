//! `KHR_draco_mesh_compression`: accessors whose data are compressed together with those of their primitive.

use std::collections::{HashMap, hash_map::Entry};

use draco_core::{DecodeLimits, DecoderBuffer, Mesh, MeshDecoder};

use super::{document::Document, unread::Unread};

/// The location of the data of an accessor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Packed {
    /// The buffer view of the stream, if one is named.
    pub(super) view: Option<usize>,
    /// The unique id of the attribute; `None` for the indices.
    attribute: Option<usize>,
}

/// For each accessor of a primitive whose data are only in an extension, their location, or why it is not known. An
/// accessor with a buffer view is an uncompressed copy, which is just as good.
pub(super) fn packed(document: &Document<'_>) -> HashMap<usize, Result<Packed, Unread>> {
    let mut packed = HashMap::new();
    for primitive in document.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        let Some(extension) = primitive.other_place() else { continue };
        let mut pack = |index: usize, place: Option<Packed>| {
            let entry = document.accessors.get(index);
            if entry.is_none_or(|entry| entry.buffer_view.is_some()) {
                return;
            }
            let unread = || Unread::Extension { index, name: extension.to_owned() };
            match packed.entry(index) {
                Entry::Vacant(entry) => _ = entry.insert(place.ok_or_else(unread)),
                // Streams of several primitives are the same, or nobody knows which one is meant.
                Entry::Occupied(known) if known.get().as_ref().ok() == place.as_ref() => {}
                Entry::Occupied(mut known) => _ = known.insert(Err(Unread::DracoTwice(index))),
            }
        };
        let draco = primitive.draco();
        let ids = draco.map_or([None; _], |draco| draco.attributes.all());
        let place = |attribute| Some(Packed { view: draco?.buffer_view, attribute });
        for (accessor, id) in primitive.attributes.all().into_iter().zip(ids) {
            let Some(accessor) = accessor else { continue };
            pack(accessor, id.and_then(|id| place(Some(id))));
        }
        if let Some(accessor) = primitive.indices {
            pack(accessor, place(None));
        }
    }
    packed
}

/// Decompresses the stream of a buffer view, to at most `most` bytes.
pub(super) fn decompress(view: usize, stream: &[u8], most: u64) -> Result<Mesh, Unread> {
    let mut mesh = Mesh::new();
    // A face takes three indices, and the same again during decompression.
    let faces = most / 24;
    let limits = DecodeLimits::default().with_max_decoded_bytes(most).with_max_faces(faces);
    let mut stream = DecoderBuffer::new(stream).with_limits(limits);
    let decoded = MeshDecoder::new().decode(&mut stream, &mut mesh);
    decoded.map_err(|error| Unread::Draco { view, error: error.to_string() })?;
    Ok(mesh)
}

/// Returns the number of bytes of a mesh.
pub(super) fn len(mesh: &Mesh) -> u64 {
    let attributes = (0..mesh.num_attributes()).map(|id| mesh.attribute(id).buffer().data().len());
    let corners = mesh.num_faces() * 3;
    (attributes.sum::<usize>() + corners * size_of::<u32>()) as u64
}

impl Packed {
    /// Returns the stored elements, `N` components each.
    pub(super) fn elements<const N: usize>(self, mesh: &Mesh) -> Result<Vec<[f64; N]>, Unread> {
        let Some(id) = self.attribute else {
            let corners = mesh.faces().iter().flatten();
            return Ok(corners.map(|corner| [f64::from(corner.0); N]).collect());
        };
        let attribute = u32::try_from(id).ok().and_then(|id| mesh.attribute_by_unique_id(id));
        let attribute = attribute.ok_or(Unread::DracoAttribute(id))?;
        let components = attribute.read_f32s(mesh.num_points(), N);
        let element = |chunk: &[f32; N]| chunk.map(f64::from);
        Ok(components.as_chunks().0.iter().map(element).collect())
    }
}
