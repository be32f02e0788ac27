//! `KHR_draco_mesh_compression`: accessors whose data are compressed together with those of their primitive.

use std::collections::HashMap;

use draco_core::{DecodeLimits, DecoderBuffer, Mesh, MeshDecoder};

use super::{
    document::{Document, Draco},
    unread::Unread,
};

/// The location of the data of an accessor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    /// The buffer view of the stream, if one is named.
    pub(super) view: Option<usize>,
    /// The unique id of the attribute; `None` for the indices.
    attribute: Option<usize>,
}

/// For each accessor whose data are only in a stream, their location. An accessor with a buffer view is an
/// uncompressed copy, which is just as good.
pub(super) fn packed(document: &Document<'_>) -> HashMap<usize, Packed> {
    let mut packed = HashMap::new();
    for primitive in document.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        let Some(Draco { buffer_view, attributes }) = primitive.draco() else { continue };
        let mut pack = |accessor: usize, attribute| {
            let entry = document.accessors.get(accessor);
            if entry.is_some_and(|entry| entry.buffer_view.is_none()) {
                packed.insert(accessor, Packed { view: *buffer_view, attribute });
            }
        };
        let named = primitive.attributes.all().into_iter().zip(attributes.all());
        for (accessor, id) in named.filter_map(|(accessor, id)| accessor.zip(id)) {
            pack(accessor, Some(id));
        }
        if let Some(accessor) = primitive.indices {
            pack(accessor, None);
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
