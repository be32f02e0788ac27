//! How engines, importers and tools treat a hierarchy of transforms, engine by engine, with the evidence for each
//! rule.
//!
//! An [`Engine`] is data. It states how the engine accumulates world transforms, how it imports a sheared `matrix`
//! from a glTF file, how much of a world transform survives a change of parent, what its getters return, and which
//! settings change any of this. Each rule is a [`Claim`] that also says how it is [known](Known): *run*, *read* or
//! *documented*. The answers of the engines that were run are stored beside the tests, which check every rule against
//! them. The [guide] has the table.
//!
//! ```
//! use nalgebra::{UnitQuaternion, Vector3};
//! use xform_core::Trs;
//! use xform_engines::{Engine, SourceNode};
//!
//! // A child that is turned by 90° below a parent that is stretched along x.
//! let stretched = Trs::from_scale(Vector3::new(2.0, 1.0, 1.0));
//! let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 90_f64.to_radians());
//! let nodes = [
//!     SourceNode { parent: None, local: stretched.into() },
//!     SourceNode { parent: Some(0), local: Trs::from_rotation(turn).into() },
//! ];
//! let x_axis = |id| -> Result<f64, Box<dyn std::error::Error>> {
//!     let worlds = Engine::named(id).expect("known").worlds(&nodes)?;
//!     Ok(worlds[1]?.to_homogeneous().column(0).norm())
//! };
//! assert!((x_axis("godot")? - 1.0).abs() < 1e-12);
//! assert!((x_axis("unreal")? - 2.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Positions, lengths and axes are those of the file; an engine's [axes](AxesConvention) convert them. Angles are in
//! radians.
//!
//! Rules that need more than a node's pose and its parent's world transform have a module each: [`fbx`] (inherit
//! types), [`blender`] (bones), [`houdini`], [`ogre`], [`playcanvas`] and [`usd`] (switches).

mod accumulation;
mod axes;
pub mod blender;
mod cannot_say;
mod decomposition;
mod engine;
pub mod fbx;
mod fold;
mod getters;
pub mod guide;
pub mod houdini;
mod import;
mod keep_world;
pub mod kit;
mod known;
mod node;
pub mod ogre;
pub mod physics;
pub mod playcanvas;
mod quaternion;
mod registry;
mod scale;
mod skin;
mod switch;
pub mod usd;

pub use accumulation::{Accumulation, World};
pub use axes::AxesConvention;
pub use cannot_say::{CannotSay, Reason};
pub use decomposition::{DecompositionRule, MirroredSign, Parts, RotationSource, ScaleSource};
pub use engine::Engine;
pub use fold::WorldMatrices;
pub use getters::{Getters, WorldParts};
pub use import::Import;
pub use keep_world::KeepWorld;
pub use known::{Claim, Known};
pub use node::{LocalPose, SourceNode};
pub use quaternion::QuaternionRule;
pub use scale::{SCALE_ROUNDING, is_non_uniform};
pub use skin::SkinRule;
pub use switch::{Switch, SwitchRule};
