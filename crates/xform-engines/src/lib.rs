//! What engines, importers and tools show of a hierarchy of transforms, engine by engine, and how that is known.
//!
//! An [`Engine`] is data: how it accumulates world transforms, what it makes of a sheared `matrix` in a glTF file, what it
//! keeps of a world transform below another parent, what its getters answer, and what can be switched. Each of these is a
//! [`Claim`] with the way in which it is [known](Known): *run*, *read* or *documented*. The answers of those that were run
//! are kept beside the tests, which hold every rule to them; the [guide] has the table.
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
//! Positions, lengths and axes are those of the file until the [axes](AxesConvention) of an engine change them. Angles are in radians.
//!
//! Rules that need more of a node than its pose and its parent's world transform have a module each: [`fbx`] (inherit
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
