//! Reads FBX files as scenes that xform compares.
//!
//! [`read_fbx`] gives a scene whose matrices, multiplied, are what the file means: pivots, offsets and rotation orders are folded into
//! poses, and what a node leaves out of its parent's scale (`InheritType`) is told by [`FbxHierarchy`]. Geometric transforms go
//! into vertices. Axes and the unit become those of glTF, by a root above all others.
//!
//! FBX is read by ufbx, which is written in C. A file from a stranger is best converted in a process of its own, with limits on memory
//! and time: [`Converted`] goes from one process to another as bytes, and what reads these bytes is written in Rust.
//!
//! [`FbxHierarchy`]: xform_scene::fbx::FbxHierarchy

mod convert;
mod converted;
mod error;
mod glb;
mod hierarchy;
mod memory_limit;
mod motion;
mod read;
mod shape;

pub use convert::convert;
pub use converted::Converted;
pub use error::FbxError;
pub use memory_limit::MemoryLimit;
pub use read::read_fbx;

/// The first bytes of a binary FBX file.
const BINARY: &[u8] = b"Kaydara FBX Binary  ";

/// How far from its beginning a file of text names what it is.
const HEAD: usize = 1024;

/// Whether bytes may be an FBX file: binary ones have a mark, and text begins with a comment that names FBX, or with its header.
#[must_use]
pub fn is_fbx(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD)];
    let has = |text: &[u8]| head.windows(text.len()).any(|found| found == text);
    let is_json = head.starts_with(b"glTF") || head.trim_ascii_start().starts_with(b"{");
    let is_text = head.starts_with(b";") && has(b"FBX") || has(b"FBXHeaderExtension");
    head.starts_with(BINARY) || is_text && !is_json
}
