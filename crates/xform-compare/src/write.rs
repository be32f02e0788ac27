//! An audit for people and for programs: one writer a format.

mod csv;
mod html;
mod json;
mod markdown;
mod nodes;
mod number;
#[cfg(feature = "parquet")]
mod parquet;
mod picture;
mod rows;
mod sarif;
mod series;
mod table;
mod text;
mod verdict;

pub use csv::write_csv;
pub use html::write_html;
pub use json::write_json;
pub use markdown::write_markdown;
pub use nodes::Nodes;
pub(crate) use number::significant;
#[cfg(feature = "parquet")]
pub use parquet::ParquetTables;
pub use rows::{Problem, write_error_row, write_file_row, write_ignored_row, write_node_rows};
pub use sarif::{RULES, write_sarif};
pub use series::{write_drift_csv, write_drift_json, write_sweep_csv, write_sweep_json};
pub use text::{Colour, write_text};
