//! What `xform_verify::verify` finds.

mod importer;
mod recorded;
mod wrong_importers;
