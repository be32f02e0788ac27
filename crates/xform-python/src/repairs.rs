use std::path::Path;

use xform_compare::{SceneAudit, audit::Repairs};
use xform_fix::repairs;
use xform_scene::gltf::GltfAsset;

use crate::source::{Source, folder, whole};

/// Returns the possible repairs of a file that looks different. Empty if the file can no longer be read.
pub(crate) fn repairs_of(source: &Source, audit: &SceneAudit) -> Repairs {
    if !audit.summary.grade.is_seen() || audit.fbx.is_some() {
        return Repairs::default();
    }
    let found = |bytes: &[u8], folder: Option<&Path>| {
        let asset = GltfAsset::read(bytes, folder).ok()?;
        repairs(bytes, &asset, &audit.source, &audit.engines.choice()).ok()
    };
    let found = match source {
        Source::Bytes(bytes) => found(bytes, None),
        Source::Path(path) => whole(path).ok().and_then(|bytes| found(&bytes, Some(folder(path)))),
    };
    found.unwrap_or_default()
}
