use serde::{Deserialize, Serialize};
use xform_compare::{
    Drawing, ErrorCode, FbxHierarchy, FbxNode, GltfErrors, Scene, read_gltf, read_gltf_drawing,
};
use xform_engines::fbx::InheritType;

use crate::{convert::convert, error::FbxError, limits::Limits};

/// An FBX file as a GLB, with what each node takes of its parent's scale beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Converted {
    glb: Vec<u8>,
    hierarchy: FbxHierarchy,
}

/// The hierarchy, a row a node: parent, type, frame, scaled.
#[derive(Deserialize, Serialize)]
struct Rows(Vec<(Option<usize>, u8, usize, usize)>);

impl Converted {
    pub(crate) fn new(glb: Vec<u8>, hierarchy: FbxHierarchy) -> Self {
        Self { glb, hierarchy }
    }

    /// The scene that it is, without what is drawn.
    ///
    /// # Errors
    ///
    /// Those of the GLB, which [`convert`] does not make.
    pub fn scene(&self, source: &str) -> Result<Scene, GltfErrors> {
        let mut scene = read_gltf(&self.glb, source)?;
        scene.fbx = Some(self.hierarchy.clone());
        Ok(scene)
    }

    /// What is drawn of the scene.
    ///
    /// # Errors
    ///
    /// As for [`scene`](Self::scene).
    pub fn drawing(&self) -> Result<Drawing, GltfErrors> {
        read_gltf_drawing(&self.glb)
    }

    /// As bytes, for another process.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let rows = self.hierarchy.nodes.iter().map(|node| {
            let inherit = match node.inherit {
                InheritType::ComponentWise => 0,
                InheritType::Matrix => 1,
                InheritType::WithoutParent => 2,
            };
            (node.parent, inherit, node.frame, node.scaled)
        });
        let rows = serde_json::to_vec(&Rows(rows.collect())).expect("numbers are no error");
        [&(rows.len() as u64).to_le_bytes()[..], &rows, &self.glb].concat()
    }

    /// What [`to_bytes`](Self::to_bytes) gave. Nothing is taken for granted of the bytes.
    ///
    /// # Errors
    ///
    /// Bytes that are something else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FbxError> {
        let broken = || FbxError::new(ErrorCode::InvalidFbx, "what was read of it is incomplete");
        let (len, rest) = bytes.split_first_chunk::<8>().ok_or_else(broken)?;
        let len = usize::try_from(u64::from_le_bytes(*len)).map_err(|_| broken())?;
        let (rows, glb) = rest.split_at_checked(len).ok_or_else(broken)?;
        let Rows(rows) = serde_json::from_slice(rows).map_err(|_| broken())?;
        let node = |(parent, inherit, frame, scaled)| {
            let inherit = match inherit {
                0 => InheritType::ComponentWise,
                1 => InheritType::Matrix,
                2 => InheritType::WithoutParent,
                _ => return None,
            };
            Some(FbxNode { parent, inherit, frame, scaled })
        };
        let nodes = rows.into_iter().map(node).collect::<Option<_>>().ok_or_else(broken)?;
        Ok(Self::new(glb.to_vec(), FbxHierarchy { nodes }))
    }
}

/// Reads an FBX file as a scene, with what is drawn of it.
///
/// It runs C in this process: [`convert`] says what that means for files from strangers.
///
/// # Errors
///
/// As for [`convert`].
///
/// # Examples
///
/// ```no_run
/// let bytes = std::fs::read("robot.fbx")?;
/// let scene = xform_fbx::read_fbx(&bytes, "robot.fbx")?;
/// println!("{} nodes", scene.nodes.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_fbx(bytes: &[u8], source: &str) -> Result<Scene, FbxError> {
    let converted = convert(bytes, &Limits::default())?;
    let broken = |errors: GltfErrors| {
        let first = errors.first();
        FbxError::new(first.code(), first.to_string())
    };
    let mut scene = converted.scene(source).map_err(broken)?;
    scene.drawing = converted.drawing().map_err(broken)?;
    Ok(scene)
}
