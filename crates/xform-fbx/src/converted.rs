use std::collections::HashMap;

use nalgebra::{Quaternion, UnitQuaternion};
use serde::Deserialize;
use serde_json::json;
use xform_scene::{
    Bounds, Drawing, ErrorCode, Fixture, FixtureAxes, FixtureKind, Scene, Trs, Warning,
    WarningCode,
    fbx::{FbxHierarchy, FbxNode, InheritType},
    gltf::{GltfErrors, read_gltf_drawing},
    read_gltf,
};

use crate::error::FbxError;

/// An FBX file as a GLB, together with what each node inherits of its parent's scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Converted {
    glb: Vec<u8>,
    hierarchy: FbxHierarchy,
    has_meshes: bool,
}

/// A node of the hierarchy: its parent, type and scaled node, its translation, rotation x y z w and scale, and the
/// kind of its camera or light. Numbers are stored as bits, so that they are preserved exactly.
type Row = (Option<usize>, u8, usize, [u64; 3], [u64; 4], [u64; 3], Option<usize>);

fn bits<const N: usize>(numbers: impl Into<[f64; N]>) -> [u64; N] {
    numbers.into().map(f64::to_bits)
}

#[derive(Deserialize)]
struct Rows(bool, Vec<Row>);

impl Converted {
    pub(crate) fn new(glb: Vec<u8>, hierarchy: FbxHierarchy, has_meshes: bool) -> Self {
        Self { glb, hierarchy, has_meshes }
    }

    /// Returns the scene, without its drawing.
    ///
    /// # Errors
    ///
    /// If the GLB lacks nodes of the hierarchy or is not a valid GLB. [`convert`](crate::convert) never returns such a
    /// file.
    pub fn scene(&self, source: &str) -> Result<Scene, FbxError> {
        let mut scene = read_gltf(&self.glb, source).map_err(of_gltf)?;
        let count = self.hierarchy.nodes.len();
        let fits = |(place, node): (usize, &FbxNode)| {
            let is_own = node.scaled == place
                || node.scaled >= count
                    && scene.nodes.get(node.scaled).is_some_and(|own| own.parent == Some(place));
            node.parent.is_none_or(|parent| parent < place) && is_own
        };
        if scene.nodes.len() < count || !self.hierarchy.nodes.iter().enumerate().all(fits) {
            return Err(incomplete());
        }
        // A node shows nothing if it is not a node of the file, or if the file's node is split and this one lacks its
        // scale.
        let mut shows = vec![false; scene.nodes.len()];
        self.hierarchy.nodes.iter().for_each(|node| shows[node.scaled] = true);
        for (index, node) in scene.nodes.iter_mut().enumerate() {
            node.is_helper = index >= count;
            if !shows[index] {
                node.bounds = Bounds::Nothing;
            }
        }
        for node in &self.hierarchy.nodes {
            scene.nodes[node.scaled].fixture = node.fixture;
        }
        scene.fbx = Some(self.hierarchy.clone());
        scene.read_names_again();
        if !self.has_meshes {
            let message =
                "a mesh is broken, so all meshes were skipped; the nodes were read without them";
            scene.warnings.push(Warning::new(WarningCode::BrokenMeshes, "", message));
        }
        Ok(scene)
    }

    /// Returns the drawing of the scene, indexed by the nodes of the file.
    ///
    /// # Errors
    ///
    /// As for [`scene`](Self::scene).
    pub fn drawing(&self) -> Result<Drawing, FbxError> {
        let mut drawing = read_gltf_drawing(&self.glb).map_err(of_gltf)?;
        let nodes = self.hierarchy.nodes.iter().enumerate();
        let of_file: HashMap<_, _> = nodes.map(|(place, node)| (node.scaled, place)).collect();
        let tell = |node: &mut usize| *node = of_file.get(node).copied().unwrap_or(*node);
        for shown in &mut drawing.shown {
            tell(&mut shown.node);
            if let Some(joints) = &mut shown.joints {
                let told = joints.iter().cloned().map(|mut joint| {
                    tell(&mut joint.node);
                    joint
                });
                *joints = told.collect();
            }
        }
        drawing.morphs.iter_mut().for_each(|track| tell(&mut track.node));
        Ok(drawing)
    }

    /// Serialises the file to bytes, for another process.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let rows = self.hierarchy.nodes.iter().map(|node| {
            let inherit = match node.inherit {
                InheritType::ComponentWise => 0,
                InheritType::Matrix => 1,
                InheritType::WithoutParent => 2,
            };
            let Trs { translation, rotation, scale } = node.local;
            let row: Row = (
                node.parent,
                inherit,
                node.scaled,
                bits(translation),
                bits(rotation.coords),
                bits(scale),
                node.fixture.and_then(|fixture| {
                    FixtureKind::ALL.iter().position(|kind| *kind == fixture.kind)
                }),
            );
            row
        });
        let rows = json!((self.has_meshes, rows.collect::<Vec<_>>())).to_string();
        [&(rows.len() as u64).to_le_bytes()[..], rows.as_bytes(), &self.glb].concat()
    }

    /// Reads the bytes from [`to_bytes`](Self::to_bytes). The bytes are not trusted.
    ///
    /// # Errors
    ///
    /// If the bytes are anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FbxError> {
        let (len, rest) = bytes.split_first_chunk::<8>().ok_or_else(incomplete)?;
        let len = usize::try_from(u64::from_le_bytes(*len)).map_err(|_| incomplete())?;
        let (rows, glb) = rest.split_at_checked(len).ok_or_else(incomplete)?;
        let Rows(has_meshes, rows) = serde_json::from_slice(rows).map_err(|_| incomplete())?;
        let node = |(parent, inherit, scaled, translation, rotation, scale, kind): Row| {
            let inherit = match inherit {
                0 => InheritType::ComponentWise,
                1 => InheritType::Matrix,
                2 => InheritType::WithoutParent,
                _ => return None,
            };
            let rotation = Quaternion::from(rotation.map(f64::from_bits));
            // Normalising a rotation that already has unit length would change its last digit.
            let rotation = if (rotation.norm() - 1.0).abs() < 1e-12 {
                UnitQuaternion::new_unchecked(rotation)
            } else {
                UnitQuaternion::new_normalize(rotation)
            };
            let [translation, scale] =
                [translation, scale].map(|bits| bits.map(f64::from_bits).into());
            let local = Trs::from_parts(translation, rotation, scale);
            let fixture = match kind {
                Some(kind) => Some(Fixture::new(*FixtureKind::ALL.get(kind)?, FixtureAxes::Fbx)),
                None => None,
            };
            Some(FbxNode { parent, inherit, local, scaled, fixture })
        };
        let nodes = rows.into_iter().map(node).collect::<Option<_>>().ok_or_else(incomplete)?;
        Ok(Self::new(glb.to_vec(), FbxHierarchy { nodes }, has_meshes))
    }
}

fn incomplete() -> FbxError {
    FbxError::new(ErrorCode::InvalidFbx, "the converted data are incomplete")
}

#[expect(clippy::needless_pass_by_value, reason = "as errors are mapped")]
fn of_gltf(errors: GltfErrors) -> FbxError {
    let first = errors.first();
    FbxError::new(first.code(), first.to_string())
}
