//! The inputs that all benches share, and what they are measured beside.

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

/// Every shape, with the name it has in a bench's.
pub const SHAPES: [(&str, Shape); 5] = [
    ("tree", Shape::Tree),
    ("humanoids", Shape::Humanoids),
    ("fan", Shape::Fan),
    ("random", Shape::Random),
    ("chain", Shape::Chain),
];

/// Nodes in a hierarchy: within the first cache, within the second, beyond both.
pub const SIZES: [u32; 3] = [1_000, 10_000, 100_000];

/// What all random poses start from.
pub const SEED: u64 = 1;
