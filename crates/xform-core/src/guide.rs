//! The guide: pages that explain what the crates do and why.
//!
//! | page | the question it answers |
//! |---|---|
//! | [Choosing a strategy](choosing_a_strategy) | matrices or TRS? |
//! | [Conventions](conventions) | which space, which unit, which order? |
//! | [Coming from an engine](engines) | which call is the one I know from Unity, Unreal, Godot, three.js, Bevy or OGRE? |
//! | [Mathematics](mathematics) | which formula, and where is it from? |
//!
//! Common tasks are in `xform_matrix::everyday`. The results of comparing scenes are explained in
//! `xform_report::guide`. The other documents, such as the benchmarks, are in the folder `docs` of the repository.
//! The files in `guide/` are links to it.

#[doc = "[benchmarks.md]: crate::guide\n[report-format.md#the-page]: crate::guide\n\n"]
#[doc = include_str!("../guide/choosing-a-strategy.md")]
pub mod choosing_a_strategy {}

#[doc = include_str!("../guide/conventions.md")]
pub mod conventions {}

#[doc = include_str!("../guide/engine-calls.md")]
pub mod engines {}

#[doc = "[conventions.md]: crate::guide::conventions\n[report-format.md#animations-and-motion]: crate::guide\n\n"]
#[doc = include_str!("../guide/mathematics.md")]
pub mod mathematics {}
