use std::{collections::HashMap, sync::Arc};

use super::{
    accessor::elements,
    animation,
    behaviours::Behaviours,
    buffers::Buffers,
    colliders,
    document::{self, Document, NodeEntry, Primitive},
    instances,
    skin::{self, Influences},
    unread::Unread,
    visibility,
};
use crate::{
    Drawing,
    animation::Curve,
    drawing::{Follows, Mesh, MeshPart, MorphTrack, PartKind, ShownMesh, Undrawn},
    skin::Joint,
};

/// The maximum number of vertices and indices that are drawn. A small file can show the same ones any number of
/// times.
const MOST: usize = 20_000_000;

/// The maximum number of morph targets of a mesh that are drawn.
const TARGETS: usize = 64;

/// Reads the drawable part of a document. Parts that cannot be read are left out; a mesh keeps the reason.
pub(super) fn read<'a>(document: &'a Document<'a>, buffers: &mut Buffers<'a>) -> Drawing {
    let found = instances::of_nodes(document, buffers);
    let mut instances = instances::nodes(&found, document.nodes.len());
    let (vectors, joints) = (HashMap::new(), HashMap::new());
    let mut reader = Reader { document, buffers, vectors, joints, left: MOST };
    let mut meshes: Vec<Mesh> = vec![Ok(Vec::new()); document.meshes.len()];
    let mut is_read = vec![false; meshes.len()];
    let mut shown = Vec::new();
    let hidden = visibility::hidden(document, &Behaviours::of(document));
    for (node, entry) in document.nodes.iter().enumerate().filter(|&(node, _)| !hidden[node]) {
        let Some(mesh) = entry.mesh.filter(|&mesh| mesh < meshes.len()) else { continue };
        if !std::mem::replace(&mut is_read[mesh], true) {
            meshes[mesh] = reader.mesh(&document.meshes[mesh]);
        }
        let Some(own) = reader.shown(node, entry, mesh, &meshes[mesh]) else { continue };
        match instances.remove(&node) {
            Some(nodes) => shown.extend(nodes.map(|node| ShownMesh { node, ..own.clone() })),
            None => shown.push(own),
        }
    }
    // A mesh that is not shown can still be a collider.
    for mesh in colliders::meshes(document) {
        let is_unread = is_read.get_mut(mesh).is_some_and(|read| !std::mem::replace(read, true));
        if is_unread {
            meshes[mesh] = reader.mesh(&document.meshes[mesh]);
        }
    }
    let morphs = reader.morphs();
    Drawing { meshes, shown, morphs }
}

impl From<Unread> for Undrawn {
    fn from(error: Unread) -> Self {
        Self { why: error.to_string() }
    }
}

fn undrawn(why: &str) -> Undrawn {
    Undrawn { why: why.to_owned() }
}

/// The vectors of an accessor.
type Vectors = Result<Arc<[[f32; 3]]>, Undrawn>;

/// Reads meshes. Shared accessors and skins are read once.
struct Reader<'a, 'b> {
    document: &'a Document<'a>,
    buffers: &'b mut Buffers<'a>,
    /// By accessor.
    vectors: HashMap<usize, Vectors>,
    /// By skin.
    joints: HashMap<usize, Option<Arc<[Joint]>>>,
    /// The number of vertices and indices that can still be read.
    left: usize,
}

impl Reader<'_, '_> {
    /// Returns how a node shows its mesh. Returns `None` if its skin cannot be read, because then its place is not
    /// known.
    fn shown(
        &mut self,
        node: usize,
        entry: &NodeEntry,
        mesh: usize,
        parts: &Mesh,
    ) -> Option<ShownMesh> {
        let joints = match entry.skin {
            Some(skin) => Some(self.joints(skin)?),
            None => None,
        };
        if let (Some(joints), Ok(parts)) = (&joints, parts) {
            let mut followed = parts.iter().flat_map(|part| &part.follows).flatten();
            if followed.any(|&(joint, _)| joint as usize >= joints.len()) {
                return None;
            }
        }
        let weights = entry.weights.as_ref().or(self.document.meshes[mesh].weights.as_ref());
        let weights = weights.into_iter().flatten().map(|weight| weight.0);
        Some(ShownMesh { node, mesh, joints, weights: weights.collect() })
    }

    fn joints(&mut self, skin: usize) -> Option<Arc<[Joint]>> {
        if let Some(known) = self.joints.get(&skin) {
            return known.clone();
        }
        let entry = self.document.skins.get(skin)?;
        let read = skin::joints(self.document, self.buffers, entry).ok();
        self.joints.insert(skin, read.clone());
        read
    }

    fn mesh(&mut self, mesh: &document::Mesh) -> Mesh {
        let mut parts = Vec::new();
        for primitive in &mesh.primitives {
            if let Some(position) = primitive.position()? {
                parts.push(self.part(primitive, position)?);
            }
        }
        Ok(parts)
    }

    fn part(&mut self, primitive: &Primitive, position: usize) -> Result<MeshPart, Undrawn> {
        let positions = self.vectors(position)?;
        let follows = self.follows(primitive, positions.len())?;
        let (kind, indices) = self.indices(primitive, positions.len())?;
        let corners = kind.corners();
        let is_placed =
            |&vertex: &u32| follows.as_ref().is_none_or(|all| !all[vertex as usize].is_empty());
        let drawn = indices.chunks_exact(corners).filter(|one| one.iter().all(is_placed));
        let indices: Vec<u32> = drawn.flatten().copied().collect();
        let (used, indices) = used(&indices, positions.len());
        let pick = |all: &[[f32; 3]]| used.iter().map(|&vertex| all[vertex as usize]).collect();
        // Unless there is a normal for each vertex, they are ignored.
        let normals = primitive.attributes.normal.and_then(|normal| self.vectors(normal).ok());
        let normals = normals.filter(|normals| normals.len() == positions.len());
        let mut targets = Vec::new();
        for target in primitive.targets.iter().take(TARGETS) {
            let moved = target.position.map(|target| self.vectors(target)).transpose()?;
            let moved = moved.filter(|moved| moved.len() == positions.len());
            targets.push(moved.map_or_else(Vec::new, |moved| pick(&moved)));
        }
        let spent = used.len() * (1 + targets.len()) + indices.len();
        self.left = self.left.checked_sub(spent).ok_or(Unread::TooMuch)?;
        Ok(MeshPart {
            kind,
            colour: self.colour(primitive),
            positions: pick(&positions),
            normals: normals.map_or_else(Vec::new, |normals| pick(&normals)),
            indices,
            targets,
            follows: follows.map_or_else(Vec::new, |all| {
                used.iter().map(|&vertex| all[vertex as usize].clone()).collect()
            }),
        })
    }

    /// The vectors of an accessor, all of them finite.
    fn vectors(&mut self, accessor: usize) -> Vectors {
        if let Some(known) = self.vectors.get(&accessor) {
            return known.clone();
        }
        let read = elements::<3>(self.document, self.buffers, accessor);
        #[expect(clippy::cast_possible_truncation, reason = "as exact as files have them")]
        let narrow = |vector: [f64; 3]| vector.map(|component| component as f32);
        let read = read.map_err(Undrawn::from).and_then(|read| {
            let vectors: Arc<[[f32; 3]]> = read.into_iter().map(narrow).collect();
            let is_finite = vectors.iter().flatten().all(|component| component.is_finite());
            is_finite.then_some(vectors).ok_or_else(|| undrawn("a vertex is not finite"))
        });
        self.vectors.insert(accessor, read.clone());
        read
    }

    /// The joints that each vertex follows, with weights whose sum is 1. `None` if the mesh has no joints.
    fn follows(
        &mut self,
        primitive: &Primitive,
        vertices: usize,
    ) -> Result<Option<Vec<Follows>>, Undrawn> {
        if primitive.attributes.influences().next().is_none() {
            return Ok(None);
        }
        let influences = Influences::read(self.document, self.buffers, primitive, vertices);
        let influences = influences.map_err(|error| Undrawn { why: error.to_string() })?;
        let of_vertex = |vertex| {
            let follows = influences.of(vertex);
            let sum: f64 = follows.iter().map(|(_, weight)| weight).sum();
            let is_usable = sum.is_finite() && sum != 0.0;
            #[expect(clippy::cast_possible_truncation, reason = "as exact as files have them")]
            let share = |(joint, weight): (usize, f64)| {
                Some((u32::try_from(joint).ok()?, (weight / sum) as f32))
            };
            follows.into_iter().filter(|_| is_usable).filter_map(share).collect()
        };
        Ok(Some((0..vertices).map(of_vertex).collect()))
    }

    /// The indices as lists: strips and fans are converted.
    fn indices(
        &mut self,
        primitive: &Primitive,
        vertices: usize,
    ) -> Result<(PartKind, Vec<u32>), Undrawn> {
        let given: Vec<u32> = match primitive.indices {
            Some(accessor) => {
                let read = elements::<1>(self.document, self.buffers, accessor)?;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "whole numbers below 2³², or out of range anyway"
                )]
                read.into_iter().map(|[index]| index as u32).collect()
            }
            None => (0..u32::try_from(vertices).map_err(|_| Unread::TooMuch)?).collect(),
        };
        if given.iter().any(|&index| index as usize >= vertices) {
            return Err(undrawn("an index is out of range"));
        }
        let last = given.len().saturating_sub(1);
        let triples = |corners: fn(usize) -> [usize; 3]| {
            (0..given.len().saturating_sub(2)).flat_map(corners).map(|i| given[i]).collect()
        };
        let pairs = || given.windows(2).flatten().copied();
        Ok(match primitive.mode.unwrap_or(4) {
            0 => (PartKind::Points, given),
            1 => (PartKind::Lines, given),
            2 if last > 0 => (PartKind::Lines, pairs().chain([given[last], given[0]]).collect()),
            2 | 3 => (PartKind::Lines, pairs().collect()),
            4 => (PartKind::Triangles, given),
            5 => (PartKind::Triangles, triples(|i| [i, i + 1 + i % 2, i + 2 - i % 2])),
            6 => (PartKind::Triangles, triples(|i| [0, i + 1, i + 2])),
            _ => return Err(undrawn("its mode is unknown")),
        })
    }

    fn colour(&self, primitive: &Primitive) -> [f32; 4] {
        let material = primitive.material.and_then(|index| self.document.materials.get(index));
        let factor =
            material.and_then(|material| material.pbr_metallic_roughness.base_color_factor);
        #[expect(clippy::cast_possible_truncation, reason = "a colour from 0 to 1")]
        factor.map_or([1.0; 4], |factor| factor.map(|part| part.0.clamp(0.0, 1.0) as f32))
    }

    /// The channels of all animations that set morph weights. Channels that cannot be read leave the weights as at
    /// rest.
    fn morphs(&mut self) -> Vec<MorphTrack> {
        let mut tracks = Vec::new();
        for (animation, entry) in self.document.animations.iter().enumerate() {
            for channel in &entry.channels {
                let (Some(node), Some("weights")) = channel.target.property() else { continue };
                let sampler = channel.sampler.and_then(|index| entry.samplers.get(index));
                let targets = self.targets(node);
                let weights = sampler.and_then(|sampler| self.weights(sampler, targets).ok());
                let weights = weights.filter(|weights| !weights.is_empty());
                tracks.extend(weights.map(|weights| MorphTrack { animation, node, weights }));
            }
        }
        tracks
    }

    /// The number of morph targets that are drawn of a node's mesh.
    fn targets(&self, node: usize) -> usize {
        let mesh = self.document.nodes.get(node).and_then(|node| node.mesh);
        let mesh = mesh.and_then(|mesh| self.document.meshes.get(mesh));
        let primitives = mesh.into_iter().flat_map(|mesh| &mesh.primitives);
        primitives.map(|primitive| primitive.targets.len()).max().unwrap_or(0).min(TARGETS)
    }

    /// A curve for each of the first `at_most` morph targets.
    fn weights(
        &mut self,
        sampler: &document::Sampler,
        at_most: usize,
    ) -> Result<Vec<Curve<1>>, Unread> {
        let interpolation = animation::interpolation(sampler)?;
        let input = sampler.input.ok_or(Unread::Missing("input"))?;
        let output = sampler.output.ok_or(Unread::Missing("output"))?;
        let times = elements::<1>(self.document, self.buffers, input)?;
        let times: Arc<[f64]> = times.into_iter().flatten().collect();
        let values = elements::<1>(self.document, self.buffers, output)?;
        let rows = times.len() * interpolation.values_per_keyframe();
        let targets = values.len().checked_div(rows).unwrap_or(0);
        // A keyframe of a spline has the tangents of all targets, their values, and their tangents again.
        let of_target = |target: usize| {
            let own = (0..rows).map(|row| values[row * targets + target]).collect();
            Ok(Curve::new(Arc::clone(&times), own, interpolation)?)
        };
        (0..targets.min(at_most)).map(of_target).collect()
    }
}

/// The vertices that any index refers to, and the indices renumbered to these.
fn used(indices: &[u32], vertices: usize) -> (Vec<u32>, Vec<u32>) {
    const NONE: u32 = u32::MAX;
    let mut used = Vec::new();
    // A table is faster than a map unless it is much larger than the number of lookups.
    let mut places = vec![NONE; if vertices / 8 <= indices.len() { vertices } else { 0 }];
    let mut others = HashMap::new();
    let place = |&vertex: &u32| {
        let place = match places.get_mut(vertex as usize) {
            Some(place) => place,
            None => others.entry(vertex).or_insert(NONE),
        };
        if *place == NONE {
            *place = u32::try_from(used.len()).expect("no more than there are indices of 32 bits");
            used.push(vertex);
        }
        *place
    };
    let placed = indices.iter().map(place).collect();
    (used, placed)
}
