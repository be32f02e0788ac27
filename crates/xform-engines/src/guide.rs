#![doc = "[engine-calls.md]: xform_core::guide::engines\n[roads.md]: roads\n\n"]
#![doc = include_str!("../guide/engines.md")]

#[doc = "[engines.md]: crate::guide\n[physics.md]: physics\n\n"]
#[doc = include_str!("../guide/roads.md")]
pub mod roads {}

#[doc = "[report-format.md]: https://docs.rs/xform-report\n\n"]
#[doc = include_str!("../guide/physics.md")]
pub mod physics {}
