use std::{collections::HashMap, sync::Arc};

use nalgebra::{Matrix4, Point3, Vector3};
use thiserror::Error;

use super::{
    accessor::elements,
    buffers::Buffers,
    document::{self, Accessor, Document, NodeEntry, Primitive},
    field::Number,
    unread::Unread,
};
use crate::{
    Scene, Skin, Warning, WarningCode,
    skin::{Joint, SkinVertices},
};

/// The maximum number of vertices and joints in the skinned meshes of all nodes. Those of a shared mesh count for
/// each node: a small file can show a large mesh at any number of nodes.
const MOST: usize = 50_000_000;

/// The reason why a skinned mesh could not be read.
#[derive(Clone, Debug, Error)]
pub(super) enum UnreadSkin {
    #[error(transparent)]
    Buffer(#[from] Unread),
    #[error("it has no {0}")]
    Missing(&'static str),
    #[error("a vertex follows joint {joint}, but the skin has only {len}")]
    Joint { joint: usize, len: usize },
    #[error("accessor {accessor} has {found} elements, but needs {wanted}")]
    Count { accessor: usize, found: usize, wanted: usize },
    #[error("accessor {0} has joints that are not unsigned integers")]
    NoIndices(usize),
    #[error(
        "at every vertex the position or a weight is not finite, or the weights add up to nothing"
    )]
    NoVertex,
    #[error("inverse bind matrix {0} is not finite")]
    NotFinite(usize),
    #[error("the skinned meshes of all nodes have more than {MOST} vertices and joints")]
    TooMany,
}

/// Whether a node shows a mesh that follows the joints of a skin.
pub(super) fn is_skinned(node: &NodeEntry) -> bool {
    node.mesh.is_some() && node.skin.is_some()
}

/// Reads the skinned meshes of a scene, whose nodes are those of the document. If one cannot be read, the joints of
/// its skin stand in for it, with a warning.
pub(super) fn read<'a>(scene: &mut Scene, document: &'a Document<'a>, buffers: &mut Buffers<'a>) {
    let (vertices, joints) = (HashMap::new(), HashMap::new());
    let mut reader = Reader { document, buffers, vertices, joints, left: MOST };
    for (index, node) in document.nodes.iter().enumerate() {
        // A mesh without vertices is ignored.
        let mesh = node.mesh.filter(|_| scene.nodes[index].uses.mesh.is_some());
        let (Some(mesh), Some(skin)) = (mesh, node.skin) else { continue };
        match reader.skin(mesh, skin, node) {
            Ok(read) => scene.nodes[index].skin = Some(read),
            Err(error) => {
                let message = format!(
                    "the vertices of the skinned mesh could not be read: {error}; the origins of its joints \
                     are measured instead, and its vertices may move farther"
                );
                let code = WarningCode::SkinnedMesh;
                scene.warnings.push(Warning::of_node(code, index, "/skin", message));
                for &joint in &document.skins[skin].joints {
                    if let Some(node) = scene.nodes.get_mut(joint) {
                        node.uses.stands_in = true;
                    }
                }
            }
        }
    }
}

/// Reads the skinned meshes of a document. Shared data is read once.
struct Reader<'a, 'b> {
    document: &'a Document<'a>,
    buffers: &'b mut Buffers<'a>,
    /// By mesh and number of joints, for nodes without morph weights of their own.
    vertices: HashMap<(usize, usize), Result<Arc<SkinVertices>, UnreadSkin>>,
    /// By skin.
    joints: HashMap<usize, Result<Arc<[Joint]>, UnreadSkin>>,
    /// The number of vertices and joints that can still be read.
    left: usize,
}

impl Reader<'_, '_> {
    fn skin(&mut self, mesh: usize, skin: usize, node: &NodeEntry) -> Result<Skin, UnreadSkin> {
        let joints = match self.joints.get(&skin) {
            Some(known) => known.clone(),
            None => {
                let read = joints(self.document, self.buffers, &self.document.skins[skin]);
                self.joints.entry(skin).insert_entry(read).get().clone()
            }
        }?;
        let (mesh, key) = (&self.document.meshes[mesh], (mesh, joints.len()));
        let vertices = match (&node.weights, self.vertices.get(&key)) {
            (None, Some(known)) => known.clone(),
            (None, None) => {
                let read = self.vertices_of(mesh, mesh.weights.as_deref(), joints.len());
                self.vertices.entry(key).insert_entry(read.map(Arc::new)).get().clone()
            }
            (Some(own), _) => self.vertices_of(mesh, Some(own), joints.len()).map(Arc::new),
        };
        let vertices = vertices?;
        let count = vertices.len() + joints.len();
        self.left = self.left.checked_sub(count).ok_or(UnreadSkin::TooMany)?;
        Ok(Skin { joints, vertices })
    }

    fn vertices_of(
        &mut self,
        mesh: &document::Mesh,
        weights: Option<&[Number]>,
        joints: usize,
    ) -> Result<SkinVertices, UnreadSkin> {
        let weights: Vec<_> = weights.unwrap_or_default().iter().map(|weight| weight.0).collect();
        let (mut vertices, mut are_placed) = (SkinVertices::default(), None);
        for primitive in &mesh.primitives {
            are_placed = are_placed.max(self.add(&mut vertices, primitive, &weights, joints)?);
        }
        if are_placed == Some(false) { Err(UnreadSkin::NoVertex) } else { Ok(vertices) }
    }

    /// Adds the vertices of a primitive: unmorphed, with each morph target in full effect, and with all targets by
    /// their weights. Returns whether any of them has a place, or `None` if there are none.
    fn add(
        &mut self,
        vertices: &mut SkinVertices,
        primitive: &Primitive,
        weights: &[f64],
        joints: usize,
    ) -> Result<Option<bool>, UnreadSkin> {
        let Some(position) = primitive.position()? else { return Ok(None) };
        let positions = elements::<3>(self.document, self.buffers, position)?;
        let sets = Influences::read(self.document, self.buffers, primitive, positions.len())?;
        let mut targets = Vec::new();
        for target in &primitive.targets {
            targets.push(match target.position {
                Some(accessor) => {
                    let len = positions.len();
                    elements_of_each::<3>(self.document, self.buffers, accessor, len)?
                }
                None => Vec::new(),
            });
        }
        let mut are_placed = None;
        for (vertex, position) in positions.into_iter().enumerate() {
            let influences = sets.of(vertex);
            if let Some(&(joint, _)) = influences.iter().find(|&&(joint, _)| joint >= joints) {
                return Err(UnreadSkin::Joint { joint, len: joints });
            }
            let position = Point3::from(position);
            let sum: f64 = influences.iter().map(|(_, weight)| weight).sum();
            let is_placed =
                sum != 0.0 && sum.is_finite() && position.iter().all(|part| part.is_finite());
            are_placed = are_placed.max(Some(is_placed));
            vertices.push(position, influences.iter().copied());
            let mut weighted = Vector3::zeros();
            for (target, morph) in targets.iter().enumerate() {
                let moved = morph.get(vertex).map_or_else(Vector3::zeros, |&moved| moved.into());
                if moved != Vector3::zeros() {
                    vertices.push(position + moved, influences.iter().copied());
                }
                weighted += weights.get(target).map_or_else(Vector3::zeros, |by| moved * *by);
            }
            if weighted != Vector3::zeros() {
                vertices.push(position + weighted, influences.iter().copied());
            }
        }
        Ok(are_placed)
    }
}

/// Reads the joints of a skin.
pub(super) fn joints(
    document: &Document<'_>,
    buffers: &mut Buffers<'_>,
    skin: &document::Skin,
) -> Result<Arc<[Joint]>, UnreadSkin> {
    let (joints, nodes) = (&skin.joints, document.nodes.len());
    if let Some(&index) = joints.iter().find(|&&joint| joint >= nodes) {
        return Err(Unread::Index { kind: "node", index, len: nodes }.into());
    }
    let Some(accessor) = skin.inverse_bind_matrices else {
        let joint = |&node: &usize| Joint { node, inverse_bind: Matrix4::identity() };
        return Ok(joints.iter().map(joint).collect());
    };
    let matrices = elements::<16>(document, buffers, accessor)?;
    if matrices.len() < joints.len() {
        let (found, wanted) = (matrices.len(), joints.len());
        return Err(UnreadSkin::Count { accessor, found, wanted });
    }
    let is_finite = |matrix: &[f64; 16]| matrix.iter().all(|entry| entry.is_finite());
    if let Some(place) = matrices.iter().position(|matrix| !is_finite(matrix)) {
        return Err(UnreadSkin::NotFinite(place));
    }
    let joint = |(&node, entries): (&usize, &[f64; 16])| Joint {
        node,
        inverse_bind: Matrix4::from_column_slice(entries),
    };
    Ok(joints.iter().zip(&matrices).map(joint).collect())
}

/// The joints that the vertices of a primitive follow, and their weights.
pub(super) struct Influences(Vec<InfluenceSet>);

/// Four joints of each vertex, and their weights.
struct InfluenceSet {
    joints: Vec<[f64; 4]>,
    weights: Vec<[f64; 4]>,
}

impl Influences {
    /// Reads the influences of `vertices` vertices.
    pub(super) fn read(
        document: &Document<'_>,
        buffers: &mut Buffers<'_>,
        primitive: &Primitive,
        vertices: usize,
    ) -> Result<Self, UnreadSkin> {
        let mut sets = Vec::new();
        for [joint, weight] in primitive.attributes.influences() {
            if !document.accessors.get(joint).is_none_or(has_indices) {
                return Err(UnreadSkin::NoIndices(joint));
            }
            sets.push(InfluenceSet {
                joints: elements_of_each(document, buffers, joint, vertices)?,
                weights: elements_of_each(document, buffers, weight, vertices)?,
            });
        }
        if sets.is_empty() {
            return Err(UnreadSkin::Missing("JOINTS_0 with WEIGHTS_0"));
        }
        Ok(Self(sets))
    }

    /// The joints of a vertex, as indices into the skin, with their nonzero weights.
    pub(super) fn of(&self, vertex: usize) -> Vec<(usize, f64)> {
        let mut follows = Vec::with_capacity(4 * self.0.len());
        for InfluenceSet { joints, weights } in &self.0 {
            follows.extend(index_of(&joints[vertex]).into_iter().zip(weights[vertex]));
        }
        follows.retain(|&(_, weight)| weight != 0.0);
        follows
    }
}

/// Reads the elements of an accessor, which must have one for each vertex.
fn elements_of_each<const N: usize>(
    document: &Document<'_>,
    buffers: &mut Buffers<'_>,
    accessor: usize,
    vertices: usize,
) -> Result<Vec<[f64; N]>, UnreadSkin> {
    let elements = elements(document, buffers, accessor)?;
    match elements.len() {
        found if found == vertices => Ok(elements),
        found => Err(UnreadSkin::Count { accessor, found, wanted: vertices }),
    }
}

/// Whether the elements of an accessor are indices: unsigned integers that are not normalised.
fn has_indices(accessor: &Accessor) -> bool {
    matches!(accessor.component_type, 5121 | 5123 | 5125) && !accessor.normalized
}

/// Converts indices that were read as floats.
fn index_of(numbers: &[f64; 4]) -> [usize; 4] {
    #[expect(clippy::cast_possible_truncation, reason = "whole numbers below 2³²")]
    numbers.map(|number| number as usize)
}
