//! Meshes with their skins and blend shapes.

use std::collections::HashMap;

use nalgebra::{Matrix3, Point3, Vector3};
use serde_json::{Value, json};
use xform_scene::gltf::EncodedAccessor;

use crate::{
    error::FbxError,
    glb::Glb,
    hierarchy::{NodeTree, index, vector},
};

/// The greatest number of joints for each vertex. Those with the greatest weights are kept.
const MOST_JOINTS: usize = 16;

/// Returns the blend channels of a mesh in their order. Each shape of each channel is a morph target.
pub(crate) fn channels(mesh: &ufbx::Mesh) -> impl Iterator<Item = &ufbx::BlendChannel> {
    let all = mesh.blend_deformers.iter().flat_map(|deformer| deformer.channels.iter());
    all.map(AsRef::as_ref)
}

/// Returns how much each shape of a channel applies at a weight of the channel. Each shape applies fully at its target
/// weight, and no shape at zero. Between two of these weights the effect is linear; beyond the last, the last segment
/// is extended.
pub(crate) fn effects(channel: &ufbx::BlendChannel, weight: f64) -> Vec<f64> {
    let mut effects = vec![0.0; channel.keyframes.len()];
    let knots = knots(channel);
    let after = knots.partition_point(|&(at, _)| at <= weight);
    let after = after.clamp(1, knots.len().max(2) - 1);
    if let [(low, before), (high, behind)] = knots[after - 1..knots.len().min(after + 1)] {
        let share = (weight - low) / (high - low);
        if share.is_finite() {
            before.into_iter().for_each(|shape| effects[shape] = 1.0 - share);
            behind.into_iter().for_each(|shape| effects[shape] = share);
        }
    }
    effects
}

/// Returns the knots of a channel in ascending order: the weights at which one shape applies fully, or none at all. An
/// effect is not linear across a knot.
pub(crate) fn knots(channel: &ufbx::BlendChannel) -> Vec<(f64, Option<usize>)> {
    let shapes = channel.keyframes.iter().enumerate();
    let wholly = shapes.map(|(shape, keyframe)| (keyframe.target_weight, Some(shape)));
    let mut knots: Vec<_> = wholly.chain([(0.0, None)]).collect();
    knots.sort_by(|a, b| a.0.total_cmp(&b.0));
    knots
}

/// The geometric transform of a node: applied to its mesh and not inherited by its children.
#[derive(Clone, Copy)]
struct Geometric {
    linear: Matrix3<f64>,
    translation: Vector3<f64>,
}

impl Geometric {
    fn of(node: &ufbx::Node) -> Self {
        let m = &node.geometry_to_node;
        Self {
            linear: Matrix3::new(m.m00, m.m01, m.m02, m.m10, m.m11, m.m12, m.m20, m.m21, m.m22),
            translation: Vector3::new(m.m03, m.m13, m.m23),
        }
    }

    fn point(&self, at: ufbx::Vec3) -> [f64; 3] {
        (Point3::from(self.linear * vector(at)) + self.translation).into()
    }

    /// Returns the bits that distinguish it from other transforms.
    fn bits(&self) -> [u64; 12] {
        let mut all = self.linear.iter().chain(&self.translation);
        std::array::from_fn(|_| all.next().map_or(0, |number| number.to_bits()))
    }
}

/// The parts of a mesh that are the same wherever it is shown.
#[derive(Clone, Default)]
struct Parts {
    /// For each part, the material and the accessor of its triangles. Empty if the mesh has no triangles.
    primitives: Vec<(Option<usize>, usize)>,
    /// The accessors of its joints and weights, in sets of four.
    follows: Vec<[usize; 2]>,
}

/// The meshes and skins of a file, collected as they are added to the nodes of the document.
#[derive(Default)]
pub(crate) struct Shapes {
    /// The shared parts, by index in the file.
    parts: HashMap<u32, Parts>,
    /// The mesh of the document, by index in the file and geometric transform. `None` if it has no triangles.
    meshes: HashMap<(u32, [u64; 12]), Option<usize>>,
    materials: HashMap<u32, usize>,
    /// The skin of each mesh, which is the same wherever the mesh is shown.
    skins: HashMap<u32, Option<usize>>,
    /// The offsets of each blend shape, by number of vertices and geometric transform.
    offsets: HashMap<(u32, usize, [u64; 12]), usize>,
}

impl Shapes {
    /// Adds the mesh that a node of the file shows to its node of the document.
    pub(crate) fn add(
        &mut self,
        glb: &mut Glb,
        node: &ufbx::Node,
        hierarchy: &NodeTree,
        entry: &mut Value,
    ) -> Result<(), FbxError> {
        let Some(mesh) = node.mesh.as_ref() else { return Ok(()) };
        let geometric = Geometric::of(node);
        let key = (mesh.element.typed_id, geometric.bits());
        let known = self.meshes.get(&key).copied();
        let index = match known {
            Some(known) => known,
            None => {
                let made = self.mesh(glb, mesh, &geometric)?;
                self.meshes.insert(key, made);
                made
            }
        };
        let Some(index) = index else { return Ok(()) };
        entry["mesh"] = json!(index);
        let weights = channels(mesh).flat_map(|channel| effects(channel, channel.weight));
        let weights: Vec<f64> = weights.map(finite).collect();
        if !weights.is_empty() {
            entry["weights"] = json!(weights);
        }
        let skin =
            self.skins.entry(mesh.element.typed_id).or_insert_with(|| skin(glb, mesh, hierarchy));
        if let Some(skin) = skin {
            entry["skin"] = json!(skin);
        }
        glb.check()
    }

    /// Adds a mesh with its vertices in the space of the node, that is, with the geometric transform applied.
    // Not as a child node that carries the mesh: combined TRS would accumulate that node, and a single box with a
    // scale of (1, 3, 1) and a geometric turn of 45° was "severe in Unreal" without any hierarchy. three.js's
    // FBXLoader and Blender's importer move the vertices as well. A mesh that several nodes show with different
    // geometric transforms, as 3ds Max writes instances, is written once for each transform.
    fn mesh(
        &mut self,
        glb: &mut Glb,
        mesh: &ufbx::Mesh,
        geometric: &Geometric,
    ) -> Result<Option<usize>, FbxError> {
        let Parts { primitives, follows } = self.parts(glb, mesh);
        if primitives.is_empty() {
            return Ok(None);
        }
        let positions: Vec<[f64; 3]> =
            mesh.vertices.iter().map(|&at| geometric.point(at)).collect();
        let mut attributes =
            json!({ "POSITION": glb.accessor(&EncodedAccessor::floats(&positions, true)) });
        for (set, [joints, weights]) in follows.into_iter().enumerate() {
            attributes[format!("JOINTS_{set}")] = json!(joints);
            attributes[format!("WEIGHTS_{set}")] = json!(weights);
        }
        let mut targets = Vec::new();
        for keyframe in channels(mesh).flat_map(|channel| channel.keyframes.iter()) {
            glb.check()?;
            let shape = &keyframe.shape;
            let key = (shape.element.typed_id, positions.len(), geometric.bits());
            let made = || {
                glb.accessor(&EncodedAccessor::floats(
                    &offsets(shape, positions.len(), geometric),
                    true,
                ))
            };
            targets.push(json!({ "POSITION": *self.offsets.entry(key).or_insert_with(made) }));
        }
        let primitives = primitives.into_iter().map(|(material, indices)| {
            let mut primitive = json!({ "attributes": attributes, "indices": indices });
            if !targets.is_empty() {
                primitive["targets"] = json!(targets);
            }
            if let Some(material) = material {
                primitive["material"] = json!(material);
            }
            primitive
        });
        let primitives: Vec<_> = primitives.collect();
        Ok(Some(glb.push("meshes", json!({ "primitives": primitives }))))
    }

    /// Returns the parts of a mesh that are the same wherever it is shown. They are created once.
    fn parts(&mut self, glb: &mut Glb, mesh: &ufbx::Mesh) -> Parts {
        let id = mesh.element.typed_id;
        if let Some(known) = self.parts.get(&id) {
            return known.clone();
        }
        let mut parts = Parts::default();
        for (material, triangles) in triangles(mesh) {
            if !triangles.is_empty() {
                let material = mesh.materials.get(material).map(|found| self.material(glb, found));
                parts
                    .primitives
                    .push((material, glb.accessor(&EncodedAccessor::indices(&triangles))));
            }
        }
        if !parts.primitives.is_empty() {
            for (joints, weights) in follows(mesh) {
                parts.follows.push([
                    glb.accessor(&EncodedAccessor::joints(&joints)),
                    glb.accessor(&EncodedAccessor::floats(&weights, false)),
                ]);
            }
        }
        self.parts.insert(id, parts.clone());
        parts
    }

    fn material(&mut self, glb: &mut Glb, material: &ufbx::Material) -> usize {
        let made = || {
            let colour = material.pbr.base_color.value_vec4;
            let factor = material.pbr.base_factor.value_vec4.x;
            let factor = if material.pbr.base_factor.has_value { factor } else { 1.0 };
            let linear = [colour.x, colour.y, colour.z].map(|part| (part * factor).clamp(0.0, 1.0));
            let [red, green, blue] = linear.map(|part| if part.is_nan() { 0.8 } else { part });
            json!({ "pbrMetallicRoughness": { "baseColorFactor": [red, green, blue, 1.0] } })
        };
        let id = material.element.typed_id;
        *self.materials.entry(id).or_insert_with(|| glb.push("materials", made()))
    }
}

fn finite(number: f64) -> f64 {
    if number.is_finite() { number } else { 0.0 }
}

/// The most corners of a polygon that is triangulated at once, in time quadratic in their number. A larger polygon is
/// cut into pieces, whose edges may cross; no figure depends on that.
const MOST_CORNERS: usize = 1_000;

/// Returns the corners at which a polygon is cut into pieces, including the first and the last.
fn cuts(face: ufbx::Face) -> impl Iterator<Item = u32> {
    let last = face.index_begin.saturating_add(face.num_indices.saturating_sub(1));
    (face.index_begin..last).step_by(MOST_CORNERS).chain([last])
}

/// Returns the triangles of a mesh by material, as vertex indices.
fn triangles(mesh: &ufbx::Mesh) -> Vec<(usize, Vec<u32>)> {
    let mut parts: Vec<(usize, Vec<u32>)> = Vec::new();
    let mut place: HashMap<u32, usize> = HashMap::new();
    let mut corners = vec![0; mesh.max_face_triangles.saturating_mul(3)];
    for (face, entry) in mesh.faces.iter().enumerate() {
        let material = mesh.face_material.get(face).copied().unwrap_or(0);
        let part = *place.entry(material).or_insert_with(|| {
            parts.push((usize::try_from(material).unwrap_or(usize::MAX), Vec::new()));
            parts.len() - 1
        });
        if entry.num_indices < 3 {
            continue;
        }
        let vertex = |corner: u32| mesh.vertex_indices.get(usize::try_from(corner).ok()?).copied();
        let first = entry.index_begin;
        let mut begin = first;
        for end in cuts(*entry).skip(1) {
            let face = ufbx::Face { index_begin: begin, num_indices: end - begin + 1 };
            if face.num_indices >= 3 {
                let count = mesh.triangulate_face(&mut corners, face);
                let count = usize::try_from(count).unwrap_or(0).saturating_mul(3);
                parts[part].1.extend(corners.iter().take(count).copied().filter_map(vertex));
            }
            // The triangle between the pieces.
            if begin > first {
                parts[part].1.extend([first, begin, end].into_iter().filter_map(vertex));
            }
            begin = end;
        }
    }
    parts
}

/// Returns how far a blend shape moves each vertex when it applies fully.
fn offsets(shape: &ufbx::BlendShape, count: usize, geometric: &Geometric) -> Vec<[f64; 3]> {
    let mut offsets = vec![[0.0; 3]; count];
    let each = shape.offset_vertices.iter().zip(shape.position_offsets.iter()).enumerate();
    for (index, (vertex, &offset)) in each {
        let place = usize::try_from(*vertex).ok().and_then(|vertex| offsets.get_mut(vertex));
        // From the vertex group of a shape key in Blender.
        let weight = shape.offset_weights.get(index).copied().unwrap_or(1.0);
        if let Some(place) = place {
            *place = (Vector3::from(*place) + geometric.linear * vector(offset) * weight).into();
        }
    }
    offsets
}

/// Four joints for each vertex, and their weights.
type Follows = (Vec<[u16; 4]>, Vec<[f64; 4]>);

/// Returns the joints of a skin: the clusters with a bone, with their index in the skin, as many as 16 bits can number.
fn joints(skin: &ufbx::SkinDeformer) -> Vec<(usize, &ufbx::SkinCluster, usize)> {
    let clusters = skin.clusters.iter().enumerate();
    let bones = clusters.filter_map(|(place, cluster)| {
        let cluster: &ufbx::SkinCluster = cluster;
        Some((place, cluster, index(cluster.bone_node.as_ref()?.element.typed_id)?))
    });
    bones.take(usize::from(u16::MAX)).collect()
}

/// Returns the joints and weights of a mesh in sets of four. Empty if the mesh follows its node.
fn follows(mesh: &ufbx::Mesh) -> Vec<Follows> {
    let Some(skin) = mesh.skin_deformers.iter().next() else { return Vec::new() };
    let joints: HashMap<usize, u16> =
        joints(skin).iter().zip(0_u16..).map(|(&(place, ..), joint)| (place, joint)).collect();
    let of_vertex = |vertex: usize| -> Vec<(u16, f64)> {
        let Some(entry) = skin.vertices.get(vertex) else { return Vec::new() };
        let begin = usize::try_from(entry.weight_begin).unwrap_or(usize::MAX);
        let count = usize::try_from(entry.num_weights).unwrap_or(0);
        let weights = skin.weights.iter().skip(begin).take(count).filter_map(|weight| {
            let joint = joints.get(&usize::try_from(weight.cluster_index).ok()?)?;
            (weight.weight > 0.0 && weight.weight.is_finite()).then_some((*joint, weight.weight))
        });
        let mut weights: Vec<_> = weights.collect();
        weights.sort_by(|a, b| b.1.total_cmp(&a.1));
        weights.truncate(MOST_JOINTS);
        weights
    };
    let all: Vec<_> = (0..mesh.vertices.len()).map(of_vertex).collect();
    let most = all.iter().map(Vec::len).max().unwrap_or(0);
    let sets = 0..most.div_ceil(4);
    sets.map(|set| {
        let four = |vertex: &Vec<(u16, f64)>| {
            let at = |i: usize| vertex.get(4 * set + i).copied().unwrap_or((0, 0.0));
            let (joints, weights): ([u16; 4], [f64; 4]) =
                (std::array::from_fn(|i| at(i).0), std::array::from_fn(|i| at(i).1));
            (joints, weights)
        };
        all.iter().map(four).unzip()
    })
    .collect()
}

/// Returns the skin of a mesh. `None` if it has none, or if none of its bones is a node.
fn skin(glb: &mut Glb, mesh: &ufbx::Mesh, hierarchy: &NodeTree) -> Option<usize> {
    let joints = joints(mesh.skin_deformers.iter().next()?);
    if joints.is_empty() {
        return None;
    }
    let nodes = joints.iter().map(|&(.., bone)| Some(hierarchy.file.nodes.get(bone)?.scaled));
    let nodes: Vec<_> = nodes.collect::<Option<_>>()?;
    let binds: Vec<[f64; 16]> = joints
        .iter()
        .map(|(_, cluster, _)| {
            let m = &cluster.mesh_node_to_bone;
            [
                m.m00, m.m10, m.m20, 0.0, m.m01, m.m11, m.m21, 0.0, m.m02, m.m12, m.m22, 0.0,
                m.m03, m.m13, m.m23, 1.0,
            ]
        })
        .collect();
    let binds = glb.accessor(&EncodedAccessor::floats(&binds, false));
    Some(glb.push("skins", json!({ "joints": nodes, "inverseBindMatrices": binds })))
}
