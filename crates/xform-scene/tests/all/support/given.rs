//! Small glTF files.

use xform_scene::{Scene, gltf::GltfErrors, read_gltf};

/// A glTF document with these members beside `asset`.
pub(crate) fn document(members: &str) -> String {
    let comma = if members.is_empty() { "" } else { ", " };
    format!(r#"{{ "asset": {{ "version": "2.0" }}{comma}{members} }}"#)
}

pub(crate) fn read(members: &str) -> Result<Scene, GltfErrors> {
    read_gltf(document(members).as_bytes(), "test.gltf")
}

/// The same in a binary file.
pub(crate) fn glb(json: &str) -> Vec<u8> {
    let length = |len: usize| u32::try_from(len).unwrap().to_le_bytes();
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend(length(20 + json.len()));
    bytes.extend(length(json.len()));
    bytes.extend(b"JSON");
    bytes.extend(json.as_bytes());
    bytes
}
