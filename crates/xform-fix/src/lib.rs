//! Repairs glTF assets that look different in engines that multiply matrices and in engines that combine translation,
//! rotation and scale (TRS). Each repair is proved on every vertex.
//!
//! [`fix`] *bakes*: below the uppermost non-uniform scale it moves all scales into the vertices. Nothing moves in
//! engines that multiply matrices (Unity, Godot, three.js, Blender). No non-uniform scale is left below the uppermost
//! one, so engines that combine TRS (Unreal, OGRE) show the same.
//!
//! The *top* is the node with the uppermost non-uniform scale. Let `G` be the accumulated matrix of a node relative to
//! the parent of the top, and `G'` the same matrix without any scale. Each vertex `v` becomes `G'⁻¹ · G · v`. This map
//! has no translation: each translation below the top is already replaced with its image under the scales above it.
//! Normals follow the inverse transpose. Inverse bind matrices of joints are multiplied from the left. Keyframes of
//! translations change like translations.
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
