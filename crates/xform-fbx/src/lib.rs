//! Reads FBX files as scenes that xform can compare.
//!
//! [`read_fbx`] returns a scene in which the product of the matrices is what the file means: pivots, offsets and
//! rotation orders are folded into poses, and [`FbxHierarchy`] records which parts of its parent's scale a node
//! ignores (`InheritType`). Geometric transforms are applied to vertices. A root above all others converts the axes
//! and the unit to those of glTF.
//!
//! FBX is read by ufbx, which is written in C. Convert untrusted files in a separate process with limits on memory and
//! time: [`Converted`] passes from one process to another as bytes, and the reader of these bytes is written in Rust.
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
mod whole;

pub use convert::convert;
pub use converted::Converted;
pub use error::FbxError;
pub use memory_limit::MemoryLimit;
pub use read::read_fbx;
pub use xform_scene::fbx::is_fbx;
