//! How engines show a scene: an accumulation rule and import rules give world transforms, at rest and at a
//! time.

mod from_fbx;
mod pair;
mod placed;
mod questions;
mod show;

pub(super) use pair::{Figures, ShowPair, is_worse, skew_difference};
pub(super) use placed::Placed;
pub(super) use show::{Show, Strategy};
