//! Peers, written on other libraries as a competent user would: parents first in the order of the generator,
//! one safe loop, world transforms in a `Vec`. Also the limit: a loop that only touches the same memory.

#![expect(missing_debug_implementations, reason = "measured, never printed")]

mod bevy;
mod glam_crowd;
mod glam_dirty;
mod glam_matrix;
mod glam_trs;
mod hecs;
mod nalgebra_matrix;
mod touch;
mod ultraviolet_matrix;

use nalgebra::Matrix4;
use xform_core::Trs;

pub use bevy::{BEVY, Bevy, StaticOptimizations};
pub use glam_crowd::{GlamSkin, ToGlam};
pub use glam_dirty::GlamDirty;
pub use glam_matrix::{GlamAffine, GlamPoses};
pub use glam_trs::{GlamTrs, GlamTrsMatrices};
pub use hecs::Hecs;
pub use nalgebra_matrix::NalgebraMatrix;
pub use touch::Touch;
pub use ultraviolet_matrix::UltravioletMatrix;

/// Stores local poses and computes world transforms from them.
pub trait Peer {
    /// Creates the nodes. A parent comes before its children.
    fn new(parents: &[Option<usize>], locals: &[Trs<f32>]) -> Self;

    /// Recomputes every world transform.
    fn update(&mut self);

    /// Returns the world transform of a node, to check that it equals ours.
    fn world(&self, node: usize) -> Matrix4<f32>;
}

/// The parent index of a root.
const NONE: u32 = u32::MAX;

fn parents_of(parents: &[Option<usize>]) -> Vec<u32> {
    let narrow = |parent| u32::try_from(parent).expect("the generator numbers nodes in 32 bits");
    parents.iter().map(|parent| parent.map_or(NONE, narrow)).collect()
}
