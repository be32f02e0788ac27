//! Scenes: hierarchies of nodes with the animations that move them, read from a file or generated, in double
//! precision.
//!
//! A [`Scene`] is read from a glTF file ([`read_gltf`]), converted from an FBX file by `xform-fbx`, built in
//! ([`BuiltIn`]), or assembled from [`Node`]s. It contains nothing about engines: `xform-compare` compares what they
//! show of it.
//!
//! ```
//! use xform_scene::BuiltIn;
//!
//! let scene = BuiltIn::named("skewed-child").expect("built in").scene(&[])?;
//! assert_eq!(scene.nodes[1].parent, Some(0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod animation;
mod bounds;
pub mod built_in;
mod code;
mod collider;
pub mod drawing;
pub mod fbx;
mod fixture;
pub mod gltf;
mod node;
mod scene;
pub mod skin;
pub mod text;
mod warning;

pub use animation::Animation;
pub use bounds::{Bounds, BoundsShape};
pub use built_in::BuiltIn;
pub use code::ErrorCode;
pub use collider::{ColliderShape, ColliderSource, NodeCollider};
pub use drawing::Drawing;
pub use fixture::{Fixture, FixtureAxes, FixtureKind};
pub use gltf::{read_gltf, read_gltf_file, read_gltf_with};
pub use node::{Node, NodeUses};
pub use scene::Scene;
pub use skin::Skin;
pub use warning::{Warning, WarningCode};
pub use xform_core::{Inherit, Trs};
pub use xform_engines::LocalPose;
