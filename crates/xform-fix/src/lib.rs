//! Repairs glTF assets that look different in engines that multiply matrices and in engines that combine TRS, and proves
//! it on every vertex.
//!
//! [`fix`] *bakes*: below the uppermost non-uniform scale it takes all scales into the vertices, and nothing moves in engines
//! that multiply matrices (Unity, Godot, three.js, Blender). Below it no non-uniform scale is left, so engines that combine TRS
//! (Unreal, OGRE) show the same.
//!
//! With `G` the accumulated matrix of a node below the parent of the top, and `G'` the same with every scale taken out, each
//! vertex becomes `G'⁻¹ · G · v`. That has no translation, since translations below the top become what the scales above
//! them made of them. Normals follow the inverse transpose, inverse bind matrices of joints are multiplied from the left,
//! and keyframes of translations become what translations do.
//!
//! Nothing here touches the file system: bytes come in, bytes go out.

mod bake;
mod compact;
mod data;
mod document;
mod edit;
mod error;
mod extensions;
mod instances;
mod json;
mod non_uniform;
mod placement;
mod plan;
mod pointers;
mod proof;
mod refusal;
mod repair;
mod repair_kind;
mod repose;
mod selection;
mod source;
mod triangles;
mod write;

pub use compact::Compacted;
pub use error::FixError;
pub use plan::Group;
pub use proof::{Broken, Proof};
pub use refusal::{Refusal, Why};
pub use repair::{Fix, Options, Output, Remaining, SameFolder, fix, repairs};
pub use repair_kind::RepairKind;
pub use write::{write_fix_json, write_fix_text};
