//! An audit for people and for programs: one writer a format. A writer measures nothing: what it prints was
//! measured and judged before.

mod csv;
mod diff;
mod document;
mod html;
mod json;
mod jsonl;
mod markdown;
mod node_selection;
#[cfg(feature = "parquet")]
mod parquet;
mod sarif;
mod scene_figures;
mod series;
mod table;
mod text;
mod warning_counts;
mod whole;

pub use diff::{write_diff_json, write_diff_markdown, write_diff_text};
pub use document::{Document, DocumentFormat, Part};
pub use html::{IndexEntry, write_html, write_index};
pub use node_selection::NodeSelection;
#[cfg(feature = "parquet")]
pub use parquet::{ParquetTables, write_parquet_rows};
pub use series::{write_drift_csv, write_drift_json, write_sweep_csv, write_sweep_json};
pub use text::{Colour, TextStyle};
pub use whole::{write_csv, write_json, write_markdown, write_sarif, write_text};
