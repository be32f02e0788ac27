use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    fs::File,
    io::{self, Cursor, Read, Seek, SeekFrom},
    ops::Range,
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use draco_core::Mesh;
use percent_encoding::percent_decode_str;

use super::{
    GltfError, LFS_POINTER,
    document::{BufferView, Document, Meshopt, Uri},
    draco::{self, Packed},
    unread::Unread,
};
use crate::text::printable;

/// A source of bytes that can be read from any position.
pub(super) trait Input: Read + Seek {}

impl<T: Read + Seek> Input for T {}

/// The location of the files that a document names.
#[derive(Clone, Copy)]
pub(super) enum Beside<'a> {
    Nowhere,
    Folder(&'a Path),
    /// By their path relative to the file that names them.
    Memory(&'a HashMap<String, Vec<u8>>),
}

impl<'a> From<Option<&'a Path>> for Beside<'a> {
    fn from(folder: Option<&'a Path>) -> Self {
        folder.map_or(Self::Nowhere, Self::Folder)
    }
}

// Both decoders of compressed data, meshopt and Draco, are ports, so they were compared with the originals. On
// 4 158 823 streams, most of them damaged, the one for meshopt returned the bytes of its C++ original or refused what
// that refuses. Neither decoder panicked. On nine files all figures are those of a decoding by glTF-Transform, which
// calls the originals.

/// The buffers of a file, opened when they are needed.
pub(super) struct Buffers<'a> {
    document: &'a Document<'a>,
    file: &'a mut dyn Input,
    /// The range of the binary chunk, if the file is a GLB.
    chunk: Option<Range<u64>>,
    beside: Beside<'a>,
    opened: HashMap<usize, Result<Opened<'a>, Unread>>,
    /// The files that were opened. Several buffers can name the same one.
    files: HashSet<PathBuf>,
    /// The buffer views that meshopt compressed, by index.
    decompressed: HashMap<usize, Result<Vec<u8>, Unread>>,
    /// For each accessor whose data Draco compressed, the location of the data.
    packed: HashMap<usize, Result<Packed, Unread>>,
    /// The buffer views that Draco compressed, by index.
    unpacked: HashMap<usize, Result<Mesh, Unread>>,
    /// The buffers by index, if they are in memory already.
    held: Option<&'a [Result<Vec<u8>, String>]>,
    /// The number of bytes that can still be read.
    left: u64,
    /// Whether the limit is for all readings together.
    is_limited_in_all: bool,
    is_out_of_memory: bool,
}

enum Opened<'a> {
    Held(&'a [u8]),
    Chunk(Range<u64>),
    Embedded(Cursor<Vec<u8>>),
    /// A file and its length. It is opened again for each reading, because a process can only have a limited number
    /// of open files.
    File(PathBuf, u64),
    /// A file in memory, with its path relative to the file that names it.
    Beside(String, &'a [u8]),
}

/// The limit on the bytes that accessors can request: this many in any case, plus this many times the bytes of the
/// buffers. Accessors may overlap, and one without a buffer view has a count but no bytes. So without a limit a small
/// file could make the reader allocate any amount. Data beyond the limit are reported as not sampled.
const IN_ANY_CASE: u64 = 1 << 20;
const TIMES: u64 = 4;

// The bytes of a stream are decompressed once and kept by buffer view. Then they can be requested like the bytes of a
// buffer.

/// The factor by which compressed data may grow, on top of [`TIMES`]: 32 times in all. A whole file is 2 to 10 times
/// smaller than its data; a track that stands still up to 60 times.
const SMALLER: u64 = 8;

impl<'a> Buffers<'a> {
    pub(super) fn new(
        document: &'a Document<'a>,
        file: &'a mut dyn Input,
        chunk: Option<Range<u64>>,
        beside: Beside<'a>,
    ) -> Self {
        Self {
            document,
            file,
            chunk,
            beside,
            opened: HashMap::new(),
            files: HashSet::new(),
            decompressed: HashMap::new(),
            packed: draco::packed(document),
            unpacked: HashMap::new(),
            held: None,
            left: IN_ANY_CASE,
            is_limited_in_all: true,
            is_out_of_memory: false,
        }
    }

    /// Uses buffers that are in memory instead of those that the document names.
    pub(super) fn hold(&mut self, held: &'a [Result<Vec<u8>, String>]) {
        self.held = Some(held);
    }

    /// The same, but the limit applies to each reading separately: the caller decides how much to keep.
    pub(super) fn hold_for_each(&mut self, held: &'a [Result<Vec<u8>, String>]) {
        let len = held.iter().flatten().map(|bytes| bytes.len() as u64).sum::<u64>();
        self.left = len.saturating_mul(TIMES).saturating_add(IN_ANY_CASE);
        self.is_limited_in_all = false;
        self.hold(held);
    }

    /// Reads all bytes of a buffer.
    pub(super) fn whole(&mut self, buffer: usize) -> Result<Vec<u8>, Unread> {
        let len = self.open(buffer)?.len();
        self.read_checked(buffer, 0..len)
    }

    /// Fails if there was not enough memory for a buffer. This is an error of the whole scene, not only of a part.
    pub(super) fn check_memory(&self) -> Result<(), GltfError> {
        if self.is_out_of_memory {
            Err(io::Error::from(io::ErrorKind::OutOfMemory).into())
        } else {
            Ok(())
        }
    }

    /// Reads a range of a buffer view: byte offset and length. `used` of these bytes are elements, and the others are
    /// between them. Only the used bytes count against the limit.
    pub(super) fn bytes(
        &mut self,
        view: usize,
        from: u64,
        len: u64,
        used: u64,
    ) -> Result<Vec<u8>, Unread> {
        let found = self.view(view)?;
        let outside = |what, index| Unread::OutOfBounds { what, index };
        let end = from.checked_add(len).filter(|&end| end <= found.byte_length);
        end.ok_or(outside("an accessor of buffer view", view))?;
        if let Some(name) = found.other_place(self.document) {
            return Err(Unread::View { view, name: name.to_owned() });
        }
        if let Some(meshopt) = found.meshopt() {
            let bytes = self.decompressed(view, meshopt)?;
            let range = usize::try_from(from).ok().zip(usize::try_from(from + len).ok());
            let bytes = range.and_then(|(start, end)| bytes.get(start..end)).map(<[u8]>::to_vec);
            let bytes = bytes.ok_or(outside("buffer view", view))?;
            self.charge(used)?;
            return Ok(bytes);
        }
        let buffer = found.buffer.ok_or(Unread::Missing("buffer"))?;
        let view_start = found.byte_offset;
        let opened = self.open(buffer)?;
        let start = view_start.checked_add(from);
        let range = start.and_then(|start| Some(start..start.checked_add(len)?));
        let range = range.filter(|range| range.end <= opened.len());
        let range = range.ok_or(outside("buffer view", view))?;
        self.charge(used)?;
        self.read_checked(buffer, range)
    }

    /// Returns all bytes of a compressed buffer view. An uncompressed copy is ignored, as in programs that know the
    /// extension. The buffer of such a copy may have a length but no bytes.
    fn decompressed(&mut self, view: usize, meshopt: &Meshopt) -> Result<&[u8], Unread> {
        if !self.decompressed.contains_key(&view) {
            let found = self.decompress(view, meshopt);
            self.decompressed.insert(view, found);
        }
        self.decompressed[&view].as_deref().map_err(Clone::clone)
    }

    fn decompress(&mut self, view: usize, meshopt: &Meshopt) -> Result<Vec<u8>, Unread> {
        let buffer = meshopt.buffer.ok_or(Unread::Missing("buffer"))?;
        let opened = self.open(buffer)?;
        let end = meshopt.byte_offset.checked_add(meshopt.byte_length);
        let end = end.filter(|&end| end <= opened.len());
        let end =
            end.ok_or(Unread::OutOfBounds { what: "the data of buffer view", index: view })?;
        let len = meshopt.decompressed_len().ok_or(Unread::TooMuch)?;
        self.charge(len / SMALLER)?;
        let stream = self.read_checked(buffer, meshopt.byte_offset..end)?;
        let bytes = meshopt.decompress(view, &stream)?;
        self.allow(len);
        Ok(bytes)
    }

    /// Returns the stored elements of an accessor that Draco compressed, or `None` for any other accessor.
    pub(super) fn packed<const N: usize>(
        &mut self,
        accessor: usize,
    ) -> Result<Option<Vec<[f64; N]>>, Unread> {
        let Some(packed) = self.packed.get(&accessor) else { return Ok(None) };
        let packed = packed.clone()?;
        let view = packed.view.ok_or(Unread::Missing("buffer view"))?;
        if !self.unpacked.contains_key(&view) {
            let found = self.unpack(view);
            self.unpacked.insert(view, found);
        }
        let mesh = self.unpacked[&view].as_ref().map_err(Clone::clone)?;
        let elements = packed.elements(mesh)?;
        self.charge((elements.len() * N * size_of::<f32>()) as u64)?;
        Ok(Some(elements))
    }

    fn unpack(&mut self, view: usize) -> Result<Mesh, Unread> {
        let found = self.view(view)?;
        let stream = self.bytes(view, 0, found.byte_length, 0)?;
        let mesh = draco::decompress(view, &stream, self.left.saturating_mul(SMALLER))?;
        let len = draco::len(&mesh);
        self.charge(len / SMALLER)?;
        self.allow(len);
        Ok(mesh)
    }

    /// Raises the limit for decompressed bytes as for stored ones.
    fn allow(&mut self, len: u64) {
        self.left = self.left.saturating_add(len.saturating_mul(TIMES));
    }

    fn view(&self, index: usize) -> Result<&'a BufferView, Unread> {
        let views = &self.document.buffer_views;
        let unknown = Unread::Index { kind: "buffer view", index, len: views.len() };
        views.get(index).ok_or(unknown)
    }

    fn read_checked(&mut self, buffer: usize, range: Range<u64>) -> Result<Vec<u8>, Unread> {
        let read = self.read(buffer, range);
        read.map_err(|error| {
            self.is_out_of_memory |= error.kind() == io::ErrorKind::OutOfMemory;
            Unread::Io { name: format!("buffer {buffer}"), error: error.to_string() }
        })
    }

    /// Counts bytes that are about to be allocated against the limit.
    pub(super) fn charge(&mut self, len: u64) -> Result<(), Unread> {
        let left = self.left.checked_sub(len).ok_or(Unread::TooMuch)?;
        if self.is_limited_in_all {
            self.left = left;
        }
        Ok(())
    }

    fn open(&mut self, buffer: usize) -> Result<&Opened<'a>, Unread> {
        if !self.opened.contains_key(&buffer) {
            let opened = self.opened_now(buffer);
            let is_new = match &opened {
                Ok(Opened::File(path, _)) => self.files.insert(path.clone()),
                Ok(Opened::Beside(path, _)) => self.files.insert(path.into()),
                _ => true,
            };
            if let Some(opened) = opened.as_ref().ok().filter(|_| is_new && self.is_limited_in_all)
            {
                self.allow(opened.len());
            }
            self.opened.insert(buffer, opened);
        }
        self.opened[&buffer].as_ref().map_err(Clone::clone)
    }

    fn opened_now(&self, buffer: usize) -> Result<Opened<'a>, Unread> {
        let buffers = &self.document.buffers;
        let found = buffers.get(buffer).ok_or(Unread::Index {
            kind: "buffer",
            index: buffer,
            len: buffers.len(),
        })?;
        if let Some(held) = self.held.and_then(|held| held.get(buffer)) {
            return match held {
                Ok(bytes) => Ok(Opened::Held(bytes)),
                Err(error) => {
                    Err(Unread::Io { name: format!("buffer {buffer}"), error: error.clone() })
                }
            };
        }
        let Some(Uri(uri)) = &found.uri else {
            let chunk = self.chunk.clone().filter(|_| buffer == 0);
            return chunk.map(Opened::Chunk).ok_or(Unread::NoUri(buffer));
        };
        if let Some(data) = uri.strip_prefix("data:") {
            let bytes = embedded(data).ok_or(Unread::Base64(buffer))?;
            return Ok(Opened::Embedded(Cursor::new(bytes)));
        }
        let name = percent_decode_str(uri).decode_utf8_lossy();
        let folder = match self.beside {
            Beside::Nowhere => return Err(Unread::NoFolder(printable(&name))),
            Beside::Folder(folder) => folder,
            Beside::Memory(files) => {
                let key = beside_key(&name)?;
                if key.is_empty() {
                    return Err(no_file(&name));
                }
                let none = || failed(&name, &io::ErrorKind::NotFound.into());
                let bytes = files.get(&key).ok_or_else(none)?;
                return if bytes.starts_with(LFS_POINTER) {
                    Err(Unread::LfsPointer(printable(&name)))
                } else {
                    Ok(Opened::Beside(key, bytes))
                };
            }
        };
        let path = within(folder, &name)?;
        let len = path.metadata().and_then(|stored| {
            let mut head = Vec::new();
            File::open(&path)?.take(LFS_POINTER.len() as u64).read_to_end(&mut head)?;
            Ok((stored.len(), head == LFS_POINTER))
        });
        match len.map_err(|error| failed(&name, &error))? {
            (_, true) => Err(Unread::LfsPointer(printable(&name))),
            (len, false) => Ok(Opened::File(path, len)),
        }
    }

    /// Reads a range of bytes that is known to be within the buffer.
    fn read(&mut self, buffer: usize, range: Range<u64>) -> io::Result<Vec<u8>> {
        let len = range.end - range.start;
        let read = |input: &mut dyn Input, start| {
            input.seek(SeekFrom::Start(start))?;
            let mut bytes = Vec::new();
            input.take(len).read_to_end(&mut bytes)?;
            // A file can shrink while it is read.
            if bytes.len() as u64 == len {
                Ok(bytes)
            } else {
                Err(io::ErrorKind::UnexpectedEof.into())
            }
        };
        match self.opened.get_mut(&buffer) {
            Some(Ok(Opened::Held(bytes) | Opened::Beside(_, bytes))) => {
                read(&mut Cursor::new(*bytes), range.start)
            }
            Some(Ok(Opened::Chunk(chunk))) => read(self.file, chunk.start + range.start),
            Some(Ok(Opened::Embedded(bytes))) => read(bytes, range.start),
            Some(Ok(Opened::File(path, _))) => read(&mut File::open(path)?, range.start),
            Some(Err(_)) | None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// The files in a folder that the buffers of a document name, whether or not they exist.
pub(super) fn named(document: &Document<'_>, folder: &Path) -> Vec<PathBuf> {
    names(document).map(|name| folder.join(&*name)).collect()
}

/// The names of the files of the buffers.
fn names<'a>(document: &'a Document<'_>) -> impl Iterator<Item = Cow<'a, str>> {
    let uris = document.buffers.iter().filter_map(|buffer| buffer.uri.as_ref());
    let files = uris.filter(|Uri(uri)| !uri.starts_with("data:"));
    files.map(|Uri(uri)| percent_decode_str(uri).decode_utf8_lossy())
}

impl Opened<'_> {
    fn len(&self) -> u64 {
        match self {
            Self::Held(bytes) | Self::Beside(_, bytes) => bytes.len() as u64,
            Self::Chunk(chunk) => chunk.end - chunk.start,
            Self::Embedded(bytes) => bytes.get_ref().len() as u64,
            Self::File(_, len) => *len,
        }
    }
}

/// Decodes a data URI without its scheme (RFC 2397). Returns `None` if it is not valid base64.
fn embedded(data: &str) -> Option<Vec<u8>> {
    let (kind, data) = data.split_once(',')?;
    if kind.ends_with(";base64") {
        STANDARD.decode(data).ok()
    } else {
        Some(percent_decode_str(data).collect())
    }
}

/// Resolves the path of a file that a glTF file names. It must stay in the folder: no other scheme or drive, no
/// absolute path, no `..`, and no link that leads out.
fn within(folder: &Path, name: &str) -> Result<PathBuf, Unread> {
    check_within(name)?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let real = folder.join(name).canonicalize().map_err(|error| failed(name, &error))?;
    let real_folder = folder.canonicalize().map_err(|error| failed(name, &error))?;
    if !real.starts_with(real_folder) {
        return Err(Unread::OutsideFolder(printable(name)));
    }
    if real.is_file() { Ok(real) } else { Err(no_file(name)) }
}

fn no_file(name: &str) -> Unread {
    Unread::Io { name: printable(name), error: "it is not a file".to_owned() }
}

/// The key of a file in memory: its path without empty parts and without `.`.
fn beside_key(name: &str) -> Result<String, Unread> {
    check_within(name)?;
    let parts: Vec<_> = name.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    Ok(parts.join("/"))
}

/// The paths of the files of the buffers, each once, without those that may not be opened.
pub(super) fn keys(document: &Document<'_>) -> Vec<String> {
    let keys = names(document).map(|name| beside_key(&name));
    let mut seen = HashSet::new();
    keys.flatten().filter(|key| !key.is_empty() && seen.insert(key.clone())).collect()
}

/// The checks of [`within`] that need only the name.
fn check_within(name: &str) -> Result<(), Unread> {
    if name.contains(':') {
        return Err(Unread::Elsewhere(printable(name)));
    }
    let mut parts = name.split(['/', '\\']);
    if name.starts_with(['/', '\\']) || parts.any(|part| part == "..") {
        return Err(Unread::OutsideFolder(printable(name)));
    }
    Ok(())
}

fn failed(name: &str, error: &io::Error) -> Unread {
    let error = match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        other => other.to_string(),
    };
    Unread::Io { name: printable(name), error }
}
