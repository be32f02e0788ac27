//! The guide: pages that explain the reports and how to use them.
//!
//! | page | the question it answers |
//! |---|---|
//! | [Report format](report_format) | what does each member of the JSON, and each part of the page, mean? |
//! | [Rules](rules) | what does a finding mean, and what can I do about it? |
//! | [Defects](defects) | why could a file not be read? |
//! | [Configuration](configuration) | how do I set limits, and exceptions with reasons? |
//!
//! The two strategies are explained in [`xform_core::guide`]. The other documents are in the folder `docs` of the
//! repository; the files in `guide/` are links into that folder.

#[doc = "[sample-report.md]: crate::guide\n[report.schema.json]: crate::guide\n[mathematics.md]: xform_core::guide::mathematics"]
#[doc = "[defects.md]: crate::guide::defects\n[configuration.md]: crate::guide::configuration\n[rules.md]: crate::guide::rules\n[engines.md]: xform_engines::guide\n[physics.md]: xform_engines::guide::physics\n\n"]
#[doc = include_str!("../guide/report-format.md")]
pub mod report_format {}

#[doc = "[configuration.md]: crate::guide::configuration\n[defects.md]: crate::guide::defects\n[engines.md]: xform_engines::guide\n[physics.md]: xform_engines::guide::physics\n\n"]
#[doc = include_str!("../guide/rules.md")]
pub mod rules {}

#[doc = "[rules.md]: crate::guide::rules\n[configuration.md]: crate::guide::configuration\n[reliability.md]: crate::guide\n\n"]
#[doc = include_str!("../guide/defects.md")]
pub mod defects {}

#[doc = include_str!("../guide/configuration.md")]
pub mod configuration {}
