//! The lowest floor: how numbers, names, paths and URIs are written, whatever they are of. Escaping for a format is in
//! its writer.

mod number;
mod path;
mod uri;

pub(crate) use number::{rounded, shortest, significant};
pub use path::without_controls;
pub(crate) use path::{NodeNames, label, path, printable};
pub(crate) use uri::{data_uri_text, relative_reference};
