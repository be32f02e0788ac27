//! The measurements: how engines show a scene, computed in `f64`, and the difference of every node between
//! two engines. Nodes are compared at rest, in motion, and with one scale made uniform, which finds the
//! cause.

mod ablation;
mod at_rest;
mod background;
mod changed;
mod colliders;
mod compare;
mod compared;
mod drift;
mod metrics;
mod motion;
mod moved_nodes;
mod of_the_file;
mod parameter_sweep;
mod playback;
mod poses;
mod shape;
mod shows;
mod skinned;
mod subtrees;
mod surface;
mod uniform_scale;
mod warnings;
mod worlds;

pub(crate) use background::measure_background;
pub(crate) use changed::{Change, Changed, Changes, NotMeasured, displacement_in, moved_between};
pub use colliders::collide;
pub use compare::{compare, compare_engines};
pub use drift::measure_drift;
pub(crate) use metrics::worst_skew_degrees;
pub use metrics::{displacement, linear_difference, orthogonality, skew_pairs};
pub use parameter_sweep::measure_sweep;
pub(crate) use playback::{playback, worlds_in};
pub(crate) use shape::{NodePair, ShapesApart, shapes_apart, shapes_shown};
pub use uniform_scale::UniformScale;
pub(crate) use uniform_scale::made_uniform;
