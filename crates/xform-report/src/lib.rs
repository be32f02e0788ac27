//! Writes comparisons for people and for programs, with one writer per format. A writer measures nothing:
//! `xform-compare` has measured and judged everything that it prints.
//!
//! The [guide] explains the formats.
//!
//! ```
//! use xform_compare::{Audit, compare};
//! use xform_report::{NodeSelection, write_json};
//! use xform_scene::BuiltIn;
//!
//! let scene = BuiltIn::named("skewed-child").expect("built in").scene(&[])?;
//! let mut json = Vec::new();
//! write_json(&Audit::new(vec![compare(&scene)?]), NodeSelection::All, &mut json)?;
//! assert!(json.starts_with(b"{"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod csv;
pub mod diff;
mod document;
mod found;
pub mod guide;
mod html;
mod json;
mod jsonl;
mod list;
mod markdown;
mod node_selection;
#[cfg(feature = "parquet")]
pub mod parquet;
mod scene_figures;
pub mod series;
mod table;
mod text;
mod verification;
mod warning_counts;
mod whole;

pub use document::{Document, DocumentFormat, Part};
pub use found::FindingsFormat;
pub use html::{
    IndexEntry, write_diff_html, write_html, write_index, write_unfinished_index,
    write_verification_html,
};
pub use list::NodeList;
pub use node_selection::NodeSelection;
pub use text::{Colour, TextStyle};
pub use verification::{
    write_verification_json, write_verification_markdown, write_verification_text,
};
pub use whole::{write_csv, write_findings, write_json, write_markdown, write_text};

/// The examples of the README, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The examples of the page on matrices, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/matrices.md")]
struct Matrices;
