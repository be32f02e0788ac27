#![doc = include_str!("../README.md")]

mod bevy_matrix;
mod helper;
mod hierarchy;
mod inherit;
mod plugin;
mod pose;
mod since;
mod strategy;

pub use bevy_matrix::BevyMatrix;
pub use helper::{ComputeGlobalTransformError, XformHelper};
pub use hierarchy::{XformHierarchy, propagate_transforms};
pub use inherit::Inherit;
pub use plugin::XformPlugin;
pub use strategy::Strategy;
