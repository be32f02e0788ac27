//! Both strategies run over a scene in `f64`, and every node measured: at rest, in motion, and with one scale made
//! uniform, which finds the cause.

mod ablation;
mod at_rest;
mod background;
mod compare;
mod drift;
mod engines;
mod metrics;
mod motion;
mod parameter_sweep;
mod playback;
mod poses;
mod skinned;
mod uniform_scale;
mod warnings;
mod worlds;

pub(crate) use background::measure_background;
pub use compare::{compare, compare_engines};
pub use drift::measure_drift;
pub(crate) use metrics::worst_skew_degrees;
pub use metrics::{displacement, linear_difference, orthogonality, skew_pairs};
pub use parameter_sweep::measure_sweep;
pub(crate) use playback::playback;
pub(crate) use skinned::SkinnedMesh;
pub use uniform_scale::UniformScale;
pub(crate) use uniform_scale::made_uniform;
pub(crate) use worlds::displacement_at_rest;
