//! FBX files made in tests, read, and compared with what ufbx answered, closed forms, and the rules of engines.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod binary;
mod blender;
mod colliders;
mod engines;
mod fixtures;
mod inherit_types;
mod kit;
mod malformed;
mod motion;
mod pivots;
mod read;
mod real_files;
mod shape;
mod support;
mod text;
mod witnesses;
