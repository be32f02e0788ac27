//! An audit for people and for programs: one writer a format.

mod html;
mod json;
mod number;
mod picture;
mod ranking;
mod text;
mod verdict;

pub use html::write_html;
pub use json::write_json;
pub use text::write_text;
