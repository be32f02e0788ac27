#![doc = "[engine-calls.md]: xform_core::guide::engines\n[roads.md]: roads\n\n"]
#![doc = include_str!("../guide/engines.md")]

#[doc = "[engines.md]: crate::guide\n\n"]
#[doc = include_str!("../guide/roads.md")]
pub mod roads {}
