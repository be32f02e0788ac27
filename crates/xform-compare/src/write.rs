//! An audit for people and for programs: one writer a format.

mod csv;
mod html;
mod json;
mod markdown;
mod nodes;
mod number;
mod picture;
mod text;
mod verdict;

pub use csv::write_csv;
pub use html::write_html;
pub use json::write_json;
pub use markdown::write_markdown;
pub use nodes::Nodes;
pub(crate) use number::significant;
pub use text::write_text;
