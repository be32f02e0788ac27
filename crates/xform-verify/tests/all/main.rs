//! What `xform_verify::verify` finds.

mod importer;
mod not_fooled;
mod recorded;
mod wrong_importers;
