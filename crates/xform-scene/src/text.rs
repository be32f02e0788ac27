//! Formatting of numbers, names, paths and URIs. Escaping for a format is the job of its writer.

mod number;
mod path;
mod uri;
mod word;

pub use number::{rounded, shortest, significant, units};
pub use path::{NodeNames, label, path, printable, without_controls};
pub use uri::{data_uri_text, reference_part, relative_reference};
pub use word::capitalised;
