//! What the tests share: generators, oracles, strategies that are odd on purpose.

pub(crate) mod edited;
pub(crate) mod every_strategy;
pub(crate) mod forest;
pub(crate) mod fuse;
pub(crate) mod given_tree;
pub(crate) mod inheriting;
pub(crate) mod misused;
pub(crate) mod naive;
pub(crate) mod placed;
pub(crate) mod random;
pub(crate) mod strategy;
#[cfg(feature = "rayon")]
pub(crate) mod threads;
pub(crate) mod unreliable;
