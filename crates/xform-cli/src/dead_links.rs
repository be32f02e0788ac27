//! Links in folders that cannot be followed.

use std::{io::ErrorKind, path::Path};

/// Whether a link that cannot be followed, for such a reason, may have led to a folder of scenes. A file of another kind that is not there may
/// be passed over: large repositories have many that were not fetched.
pub(crate) fn may_hide_scenes(link: &Path, why: ErrorKind) -> bool {
    why != ErrorKind::NotFound || link.extension().is_none()
}
