//! FBX: recognising files, and the data of an FBX file that belongs to its scene.

use xform_core::Trs;
pub use xform_engines::fbx::InheritType;

use crate::Fixture;

// A node stays one where its scale is 1 at all times, as in nearly every rig of Maya: otherwise a page would count
// the joints of an artist twice. Because the file's meaning is a product of matrices, strategies, causes, motion,
// skins and the page need to know nothing of inherit types.

/// The nodes of an FBX file. Each defines how it inherits its parent's scale.
///
/// They are the first nodes of the scene, in the same order. If a node has a scale that a descendant leaves out, the
/// scene has two nodes for it. The first is without that scale, and a [helper](crate::Node::is_helper) below it has
/// the scale. Children that inherit everything are below the helper, and the others below the first node. So
/// multiplying the matrices of the scene gives the result that the file defines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FbxHierarchy {
    /// In the order of the file.
    pub nodes: Vec<FbxNode>,
}

/// A node of an FBX file, and its place in the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FbxNode {
    /// The index of its parent among the nodes of the file.
    pub parent: Option<usize>,
    /// How it inherits its parent's scale.
    pub inherit: InheritType,
    /// Its local pose at rest, from which importers start.
    pub local: Trs<f64>,
    /// The index of the scene's node that has its scale and shows its mesh: itself or its helper.
    pub scaled: usize,
    /// The camera or light at the node.
    pub fixture: Option<Fixture>,
}

impl FbxHierarchy {
    /// Whether every node inherits everything from its parent. Then any engine that multiplies matrices shows what
    /// the file defines.
    #[must_use]
    pub fn inherits_all(&self) -> bool {
        self.nodes.iter().all(|node| node.inherit == InheritType::Matrix)
    }
}

/// The unit and axes of an FBX file. The scene has been converted to those of glTF.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FbxSettings {
    /// The length of one unit in metres.
    pub unit_metres: f64,
    /// The axis that points up: `x`, `y` or `z`, with a minus if it points down.
    pub up: &'static str,
}

/// The first bytes of a binary FBX file.
const BINARY: &[u8] = b"Kaydara FBX Binary  ";

/// A text file must identify itself within this many bytes.
const HEAD: usize = 1024;

/// Whether bytes can be an FBX file. A binary file has a magic number. A text file begins with its header, or with a
/// comment that mentions FBX.
#[must_use]
pub fn is_fbx(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD)];
    let has = |text: &[u8]| head.windows(text.len()).any(|found| found == text);
    let is_json = head.starts_with(b"glTF") || head.trim_ascii_start().starts_with(b"{");
    let is_text = head.starts_with(b";") && has(b"FBX") || has(b"FBXHeaderExtension");
    head.starts_with(BINARY) || is_text && !is_json
}
