//! The lowest floor: how numbers, names and paths are written, whatever they are of.

mod number;
mod path;
mod uri;

pub(crate) use number::{rounded, shortest, significant};
pub(crate) use path::{NodeNames, label, path, printable};
pub(crate) use uri::{data_uri_text, relative_reference};
