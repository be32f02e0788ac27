use super::{
    buffers::Buffers,
    document::{Accessor, Document, Sparse, SparsePart},
    extension_names::has_no_elements,
    unread::Unread,
};

/// The largest stride between elements that glTF 2.0 allows, in bytes.
const GREATEST_STRIDE: u64 = 252;

/// Reads the elements of an accessor, each of `N` components. Normalised integers become fractions.
pub(super) fn elements<const N: usize>(
    document: &Document<'_>,
    buffers: &mut Buffers<'_>,
    index: usize,
) -> Result<Vec<[f64; N]>, Unread> {
    let accessors = &document.accessors;
    let unknown = Unread::Index { kind: "accessor", index, len: accessors.len() };
    let accessor = accessors.get(index).ok_or(unknown)?;
    let shape = match N {
        1 => "SCALAR",
        3 => "VEC3",
        4 => "VEC4",
        _ => "MAT4",
    };
    if accessor.shape != shape {
        return Err(Unread::Shape { index, shape });
    }
    // In a matrix of smaller components the columns would be padded.
    let component = Component::of(accessor.component_type);
    let component = component.filter(|&component| N < 16 || component == Component::F32);
    let component = component.ok_or(Unread::Component { index })?;
    let element = component.size() * N as u64;
    let count = accessor.count.ok_or(Unread::Missing("count"))?;
    let size = count.checked_mul(element).ok_or(Unread::TooMuch)?;
    let element_of = |bytes: &[u8]| {
        let mut components = bytes.chunks(component.bytes()).map(|bytes| component.read(bytes));
        std::array::from_fn(|_| value_of(accessor, components.next().unwrap_or(0.0)))
    };
    let mut elements = match accessor.buffer_view {
        None => match buffers.packed(index)? {
            Some(stored) => {
                let value = |stored: [f64; N]| stored.map(|one| value_of(accessor, one));
                stored.into_iter().map(value).collect()
            }
            None => {
                if let Some(name) = other_place(document, accessor) {
                    return Err(Unread::Extension { index, name: name.to_owned() });
                }
                buffers.charge(size)?;
                vec![[0.0; N]; index_of(count)?]
            }
        },
        Some(_) if count == 0 => Vec::new(),
        Some(view) => {
            let stride = document.buffer_views.get(view).and_then(|view| view.byte_stride);
            let stride = stride.unwrap_or(element);
            if !(element..=GREATEST_STRIDE).contains(&stride) {
                return Err(Unread::Stride { view });
            }
            let len = (count - 1).checked_mul(stride).and_then(|len| len.checked_add(element));
            let len = len.ok_or(Unread::TooMuch)?;
            let bytes = buffers.bytes(view, accessor.byte_offset, len, size)?;
            bytes.chunks(index_of(stride)?).map(element_of).collect()
        }
    };
    if let Some(sparse) = accessor.replaced() {
        let (places, values) = replaced(buffers, sparse, index, element)?;
        for (place, bytes) in places.into_iter().zip(values.chunks(index_of(element)?)) {
            *elements.get_mut(place).ok_or(Unread::Sparse { index })? = element_of(bytes);
        }
    }
    Ok(elements)
}

/// Returns the extension that may have the elements of an accessor without a buffer view: one of its own, or an unknown
/// one that the document requires. Without any, the elements are zeros.
pub(super) fn other_place<'a>(
    document: &'a Document<'_>,
    accessor: &'a Accessor,
) -> Option<&'a str> {
    let required = || document.extensions_required.iter().find(|name| !has_no_elements(name));
    let required = accessor.replaced().is_none().then(required).flatten();
    accessor.extensions.keys().next().or(required).map(String::as_str)
}

/// The positions of the elements that a sparse accessor replaces, and the bytes of their new values.
fn replaced(
    buffers: &mut Buffers<'_>,
    sparse: &Sparse,
    index: usize,
    element: u64,
) -> Result<(Vec<usize>, Vec<u8>), Unread> {
    let (count, Sparse { indices, values, .. }) = (sparse.count(), sparse);
    let component = Component::of(indices.component_type).filter(|one| one.is_unsigned());
    let component = component.ok_or(Unread::Component { index })?;
    let len = |size: u64| count.checked_mul(size).ok_or(Unread::TooMuch);
    let (places_len, values_len) = (len(component.size())?, len(element)?);
    let view = |part: &SparsePart| part.buffer_view.ok_or(Unread::Missing("buffer view"));
    let places = buffers.bytes(view(indices)?, indices.byte_offset, places_len, places_len)?;
    let values = buffers.bytes(view(values)?, values.byte_offset, values_len, values_len)?;
    let place = |bytes: &[u8]| {
        bytes.iter().rev().fold(0, |place: usize, &byte| place << 8 | usize::from(byte))
    };
    Ok((places.chunks(component.bytes()).map(place).collect(), values))
}

fn index_of(value: u64) -> Result<usize, Unread> {
    usize::try_from(value).map_err(|_| Unread::TooMuch)
}

/// The stored type of a component (glTF 2.0, 3.6.2.2), little-endian.
#[derive(Clone, Copy, PartialEq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(code: u64) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    fn is_unsigned(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32)
    }

    fn size(self) -> u64 {
        self.bytes() as u64
    }

    /// The number in these bytes, which have the length of the type.
    fn read(self, bytes: &[u8]) -> f64 {
        match (self, bytes) {
            (Self::I8, &[a]) => i8::from_le_bytes([a]).into(),
            (Self::U8, &[a]) => a.into(),
            (Self::I16, &[a, b]) => i16::from_le_bytes([a, b]).into(),
            (Self::U16, &[a, b]) => u16::from_le_bytes([a, b]).into(),
            (Self::U32, &[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]).into(),
            (Self::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]).into(),
            _ => unreachable!("cut into pieces of its size"),
        }
    }
}

/// The value of a stored component. Normalised integers become fractions (glTF 2.0, 3.6.2.2).
pub(super) fn value_of(accessor: &Accessor, stored: f64) -> f64 {
    let greatest = match accessor.component_type {
        5120 => f64::from(i8::MAX),
        5121 => f64::from(u8::MAX),
        5122 => f64::from(i16::MAX),
        5123 => f64::from(u16::MAX),
        _ => return stored,
    };
    if accessor.normalized { (stored / greatest).max(-1.0) } else { stored }
}
