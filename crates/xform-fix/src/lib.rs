//! Repairs glTF assets that look different in engines that multiply matrices and in engines that combine TRS, and proves
//! it on every vertex.
//!
//! [`fix`] *bakes*: below the uppermost uneven scale it takes all scales into the vertices, and nothing moves in engines
//! that multiply matrices (Unity, Godot, three.js, Blender). Below it no uneven scale is left, so engines that combine TRS
//! (Unreal, OGRE) show the same.
//!
//! With `G` the accumulated matrix of a node below the parent of the top, and `G'` the same with every scale taken out, each
//! vertex becomes `G'⁻¹ · G · v`. That has no translation, since translations below the top become what the scales above
//! them made of them. Normals follow the inverse transpose, inverse bind matrices of joints are multiplied from the left,
//! and keyframes of translations become what translations do.
//!
//! Nothing here touches the file system: bytes come in, bytes go out.

mod chosen;
mod compact;
mod container;
mod data;
mod document;
mod edit;
mod error;
mod fixed;
mod group;
mod json;
mod moved;
mod placed;
mod plan;
mod planned;
mod proof;
mod refusal;
mod repair_kind;
mod reposed;
mod triangles;
mod write;

pub use compact::Compacted;
pub use error::FixError;
pub use fixed::{Fix, Options, Output, Remaining, SameFolder, fix};
pub use planned::Group;
pub use proof::{Broken, Proof};
pub use refusal::{Refusal, Why};
pub use repair_kind::RepairKind;
pub use write::{write_fix_json, write_fix_text};
