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
pub use xform_scene::fbx::is_fbx;
