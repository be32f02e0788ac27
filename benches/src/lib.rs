//! The inputs that all benches share, and the peers that they compare with.

#[cfg(feature = "peers")]
pub mod crowds;
#[cfg(feature = "peers")]
pub mod measure;
#[cfg(feature = "peers")]
pub mod ours;
#[cfg(feature = "peers")]
pub mod peers;
#[cfg(feature = "peers")]
pub mod row;

use xform_scene::built_in::Shape;

/// Every shape, with its name in the benches.
pub const SHAPES: [(&str, Shape); 5] = [
    ("tree", Shape::Tree),
    ("humanoids", Shape::Humanoids),
    ("fan", Shape::Fan),
    ("random", Shape::Random),
    ("chain", Shape::Chain),
];

/// Numbers of nodes that fit in the first-level cache, fit in the second, and exceed both.
pub const SIZES: [u32; 3] = [1_000, 10_000, 100_000];

/// The seed of all random poses.
pub const SEED: u64 = 1;
