use std::path::Path;

use xform_compare::{SceneAudit, audit::Repairs};
use xform_fix::repairs;
use xform_scene::gltf::GltfAsset;

use crate::source::{Source, folder, whole};

/// What can be repaired of a file that looks different; nothing of one that cannot be read any more.
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
