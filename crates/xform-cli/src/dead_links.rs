//! Dead links in folders.

use std::{io::ErrorKind, path::Path};

/// Whether a link that cannot be followed for this reason may have led to a folder of scenes. A missing file of another
/// kind may be skipped: large repositories have many that were not fetched.
pub(crate) fn may_hide_scenes(link: &Path, why: ErrorKind) -> bool {
    why != ErrorKind::NotFound || link.extension().is_none()
}
