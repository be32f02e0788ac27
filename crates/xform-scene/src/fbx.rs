//! FBX files: which they are, and what a scene from one knows of it.

use xform_core::Trs;
pub use xform_engines::fbx::InheritType;

use crate::Fixture;

/// The nodes of an FBX file, which say one by one what they take of their parent's scale.
///
/// They are the first nodes of the scene, in the same order. A scene has a second node for one of these where it has a scale that
/// something below it leaves out: the first is without that scale, and below it hangs a [helper](crate::Node::is_helper) with the
/// scale. What takes everything hangs below the helper, what does not below the first; so the matrices of the scene, multiplied, are
/// what the file means.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FbxHierarchy {
    /// In the order of the file.
    pub nodes: Vec<FbxNode>,
}

/// A node of an FBX file, and where it is in the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FbxNode {
    /// The index of its parent among the nodes of the file.
    pub parent: Option<usize>,
    /// What it takes of its parent's scale.
    pub inherit: InheritType,
    /// Its local pose at rest, as importers start from it.
    pub local: Trs<f64>,
    /// The node of the scene with its scale, which shows its mesh: itself or its helper.
    pub scaled: usize,
    /// The camera or light that is there.
    pub fixture: Option<Fixture>,
}

impl FbxHierarchy {
    /// Whether every node takes everything of its parent, so that the file means what any engine does that multiplies matrices.
    #[must_use]
    pub fn inherits_all(&self) -> bool {
        self.nodes.iter().all(|node| node.inherit == InheritType::Matrix)
    }
}

/// What an FBX file says of its numbers, which the scene has turned into those of glTF.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FbxSettings {
    /// How many metres 1 is.
    pub unit_metres: f64,
    /// The axis that is up: `x`, `y` or `z`, with a minus where it is down.
    pub up: &'static str,
}

/// The first bytes of a binary FBX file.
const BINARY: &[u8] = b"Kaydara FBX Binary  ";

/// How far from its beginning a file of text names what it is.
const HEAD: usize = 1024;

/// Whether bytes may be an FBX file: binary ones have a mark, and text begins with a comment that names FBX, or with its header.
#[must_use]
pub fn is_fbx(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD)];
    let has = |text: &[u8]| head.windows(text.len()).any(|found| found == text);
    let is_json = head.starts_with(b"glTF") || head.trim_ascii_start().starts_with(b"{");
    let is_text = head.starts_with(b";") && has(b"FBX") || has(b"FBXHeaderExtension");
    head.starts_with(BINARY) || is_text && !is_json
}
