//! Packs meshes for the page's scripts: positions in 65 536 steps, normals in two bytes, indices in a byte or two each.

// In the page a vertex takes 8 bytes, 16 with joints, and an index 1.3: positions in 16 bits, normals folded to two
// bytes, indices as distances from the next new one. mannequiny.glb, with 10 279 distinct vertices and 41 496 indices,
// takes 290 kB of base64, BowShooting.glb 20 kB. That needs no compression, and no decompression in the page.
//
// The scripts draw small meshes of one colour in one draw call, unless instances or morph targets set them apart: each
// vertex carries the number of its node. Otherwise a file of 20 000 small meshes took 1.3 s of script per frame, and 4
// ms are left of that (`templates/renderer.js`).

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use nalgebra::Vector3;
use serde::Serialize;
use xform_scene::{
    Drawing,
    drawing::{Mesh, MeshPart, PartKind, Undrawn},
    text::significant,
};

use super::bytes::{Bytes, narrow, push_varint, signed_step_of, step_of};

/// The meshes in the bytes of a page, as far as they fit.
#[derive(Default)]
pub(super) struct EmbeddedMeshes {
    /// The indices of each mesh's parts in the list below, by mesh of the drawing. Empty if it is shown as a box.
    pub(super) parts_of: Vec<Vec<usize>>,
    pub(super) parts: Vec<EmbeddedPart>,
    /// The number of meshes that did not fit.
    pub(super) too_large: usize,
}

/// The offsets of a mesh part in the bytes of a page.
#[derive(Serialize)]
pub(super) struct EmbeddedPart {
    kind: &'static str,
    /// Red, green, blue and opacity, linear, from 0 to 1.
    colour: [f32; 4],
    /// The lower corner of its mesh's bounding box, and the extent of the box.
    low: [f32; 3],
    size: [f32; 3],
    /// The number of vertices.
    pub(super) vertices: usize,
    /// Three coordinates per vertex, in steps of 1/65 535 of the extent.
    positions: usize,
    /// Two bytes per vertex, folded from an octahedron. `None` for flat shading.
    normals: Option<usize>,
    /// The distance of each index below the next unused vertex, seven bits per byte.
    indices: usize,
    count: usize,
    follows: Option<EmbeddedFollows>,
    /// The morph targets. `None` for one that moves nothing.
    targets: Vec<Option<EmbeddedTarget>>,
    /// The packed vertex that each vertex of the mesh has become. `None` for a vertex that no index uses.
    #[serde(skip)]
    pub(super) became: Vec<Option<u32>>,
}

/// The joints of vertices.
#[derive(Serialize)]
struct EmbeddedFollows {
    /// The number of joints stored per vertex. The others have no weight.
    each: usize,
    /// Whether joints take two bytes because one is beyond 255.
    is_wide: bool,
    joints: usize,
    /// In units of 1/255.
    weights: usize,
}

/// The offset of each vertex, in three steps from −32767 to 32767.
#[derive(Serialize)]
struct EmbeddedTarget {
    at: usize,
    /// The length of 32767 steps.
    scale: f32,
}

impl EmbeddedMeshes {
    /// Packs meshes into at most `budget` bytes of base64. If that is not enough, the largest meshes that are not
    /// `apart` are left out first, then the largest of the others.
    pub(super) fn new<'a>(
        meshes: impl Iterator<Item = &'a Mesh>,
        apart: &HashSet<usize>,
        budget: u64,
        bytes: &mut Bytes,
    ) -> Self {
        // Four characters of base64 are three bytes.
        let room = usize::try_from(budget / 4 * 3).unwrap_or(usize::MAX);
        let mut too_large = 0;
        let encoded = meshes.map(|mesh| {
            let parts = mesh.as_ref().ok()?;
            // Packing a mesh of gigabytes that cannot fit would waste time.
            if least(parts) > room {
                too_large += 1;
                return None;
            }
            Encoded::new(parts)
        });
        let mut encoded: Vec<Option<Encoded>> = encoded.collect();
        let size = |mesh: &Option<Encoded>| mesh.as_ref().map_or(0, |mesh| mesh.bytes.len());
        let mut order: Vec<_> = (0..encoded.len()).collect();
        order.sort_by_key(|&mesh| (apart.contains(&mesh), Reverse(size(&encoded[mesh]))));
        let mut used: usize = encoded.iter().map(size).sum();
        for mesh in order {
            if used <= room {
                break;
            }
            if let Some(left_out) = encoded[mesh].take_if(|mesh| mesh.bytes.len() > 0) {
                used -= left_out.bytes.len();
                too_large += 1;
            }
        }
        let mut all = Self { too_large, ..Self::default() };
        for mesh in encoded {
            let first = all.parts.len();
            if let Some(mut mesh) = mesh {
                let shift = bytes.append(&mesh.bytes);
                mesh.parts.iter_mut().for_each(|part| part.shift(shift));
                all.parts.append(&mut mesh.parts);
            }
            all.parts_of.push((first..all.parts.len()).collect());
        }
        all
    }
}

impl EmbeddedPart {
    fn shift(&mut self, by: usize) {
        self.positions += by;
        self.indices += by;
        self.normals.iter_mut().for_each(|at| *at += by);
        if let Some(follows) = &mut self.follows {
            follows.joints += by;
            follows.weights += by;
        }
        self.targets.iter_mut().flatten().for_each(|target| target.at += by);
    }
}

/// Returns the fewest bytes that a mesh takes: one per index, however many vertices are equal.
fn least(parts: &[MeshPart]) -> usize {
    parts.iter().map(|part| part.indices.len()).sum()
}

/// A packed mesh.
struct Encoded {
    parts: Vec<EmbeddedPart>,
    bytes: Bytes,
}

impl Encoded {
    /// Returns `None` for a mesh with nothing to draw.
    fn new(parts: &[MeshPart]) -> Option<Self> {
        let corners = parts.iter().flat_map(|part| &part.positions).map(|at| at.map(f64::from));
        let around = corners.map(|at| (Vector3::from(at), Vector3::from(at)));
        let (low, high) = around.reduce(|a, b| (a.0.inf(&b.0), a.1.sup(&b.1)))?;
        let mut bytes = Bytes::default();
        let size = high - low;
        let parts = parts.iter().filter(|part| !part.indices.is_empty());
        let parts = parts.map(|part| encoded(part, &low, &size, &mut bytes)).collect();
        Some(Self { parts, bytes })
    }
}

/// A vertex as it is written.
#[derive(Clone, Eq, Hash, PartialEq)]
struct Vertex {
    position: [u16; 3],
    normal: [i8; 2],
    follows: Vec<(u16, u8)>,
    targets: Vec<[i16; 3]>,
}

fn encoded(
    part: &MeshPart,
    low: &Vector3<f64>,
    size: &Vector3<f64>,
    bytes: &mut Bytes,
) -> EmbeddedPart {
    let scales: Vec<f64> = part.targets.iter().map(|moved| largest(moved)).collect();
    let vertex = |place: usize| Vertex {
        position: std::array::from_fn(|i| {
            let part = (f64::from(part.positions[place][i]) - low[i]) / size[i];
            step_of(if part.is_finite() { part } else { 0.0 }, u16::MAX)
        }),
        normal: part.normals.get(place).map_or([0; 2], |normal| folded(*normal)),
        follows: part.follows.get(place).map_or_else(Vec::new, |follows| heaviest(follows)),
        targets: part
            .targets
            .iter()
            .zip(&scales)
            .map(|(moved, scale)| {
                let moved = moved.get(place).copied().unwrap_or_default();
                moved.map(|by| if *scale > 0.0 { signed_step_of(f64::from(by) / scale) } else { 0 })
            })
            .collect(),
    };
    let Welded { vertices, indices, became } = welded(part, vertex);
    let each = vertices.iter().map(|vertex| vertex.follows.len()).max().unwrap_or(0);
    let follow = |vertex: &Vertex, i: usize| vertex.follows.get(i).copied().unwrap_or_default();
    EmbeddedPart {
        kind: match part.kind {
            PartKind::Triangles => "triangles",
            PartKind::Lines => "lines",
            PartKind::Points => "points",
        },
        colour: part.colour,
        low: std::array::from_fn(|i| narrow(low[i])),
        size: std::array::from_fn(|i| narrow(size[i])),
        vertices: vertices.len(),
        positions: bytes
            .push(vertices.iter().flat_map(|vertex| vertex.position).map(u16::to_le_bytes)),
        normals: (!part.normals.is_empty()).then(|| {
            bytes.push(vertices.iter().flat_map(|vertex| vertex.normal).map(i8::to_le_bytes))
        }),
        count: indices.len(),
        indices: bytes.push(below_next(&indices).into_iter().map(|byte| [byte])),
        follows: (each > 0).then(|| {
            let all = || vertices.iter().flat_map(|one| (0..each).map(|i| follow(one, i)));
            let narrow: Option<Vec<_>> = all().map(|(joint, _)| u8::try_from(joint).ok()).collect();
            EmbeddedFollows {
                each,
                is_wide: narrow.is_none(),
                joints: match narrow {
                    Some(joints) => bytes.push(joints.into_iter().map(|joint| [joint])),
                    None => bytes.push(all().map(|(joint, _)| joint.to_le_bytes())),
                },
                weights: bytes.push(all().map(|(_, weight)| [weight])),
            }
        }),
        targets: scales
            .iter()
            .enumerate()
            .map(|(target, &scale)| {
                (scale > 0.0).then(|| {
                    let moved = vertices.iter().flat_map(|vertex| vertex.targets[target]);
                    let at = bytes.push(moved.map(i16::to_le_bytes));
                    EmbeddedTarget { at, scale: narrow(scale) }
                })
            })
            .collect(),
        became,
    }
}

struct Welded {
    vertices: Vec<Vertex>,
    indices: Vec<u32>,
    /// The place among the packed vertices, by vertex of the mesh.
    became: Vec<Option<u32>>,
}

/// Merges vertices that are equal once they are packed, and renumbers the indices.
fn welded(part: &MeshPart, vertex: impl Fn(usize) -> Vertex) -> Welded {
    let (mut vertices, mut places) = (Vec::new(), HashMap::new());
    let mut became: Vec<Option<u32>> = vec![None; part.positions.len()];
    let mut place = |index: usize| {
        *became[index].get_or_insert_with(|| {
            let vertex = vertex(index);
            *places.entry(vertex.clone()).or_insert_with(|| {
                vertices.push(vertex);
                u32::try_from(vertices.len() - 1).expect("there are fewer than 2³² vertices")
            })
        })
    };
    let indices = part.indices.iter().map(|&index| place(index as usize)).collect();
    Welded { vertices, indices, became }
}

/// Encodes each index as its distance below the next unused vertex, which is 0 for that vertex itself. A mesh mostly
/// uses new vertices or recent ones.
fn below_next(indices: &[u32]) -> Vec<u8> {
    let (mut bytes, mut next) = (Vec::new(), 0);
    for &index in indices {
        push_varint(&mut bytes, next - index);
        next = next.max(index + 1);
    }
    bytes
}

/// Returns the largest component of any vector.
fn largest(moved: &[[f32; 3]]) -> f64 {
    moved.iter().flatten().map(|by| f64::from(by.abs())).fold(0.0, f64::max)
}

/// Returns the joints of a vertex, the heaviest first, with weights in units of 1/255 that add up to 255.
fn heaviest(follows: &[(u32, f32)]) -> Vec<(u16, u8)> {
    // Files must not have negative weights.
    let sum: f64 = follows.iter().map(|&(_, weight)| f64::from(weight).max(0.0)).sum();
    let mut follows: Vec<(u32, f64)> =
        follows.iter().map(|&(joint, weight)| (joint, f64::from(weight).max(0.0) / sum)).collect();
    follows.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut parts: Vec<(u16, u16)> = follows
        .into_iter()
        .filter_map(|(joint, weight)| Some((u16::try_from(joint).ok()?, step_of(weight, 255))))
        .filter(|&(_, weight)| weight > 0)
        .collect();
    let sum: u16 = parts.iter().map(|&(_, weight)| weight).sum();
    if let Some((_, first)) = parts.first_mut() {
        *first = (*first + 255).saturating_sub(sum).min(255);
    }
    parts.into_iter().map(|(joint, weight)| (joint, u8::try_from(weight).unwrap_or(255))).collect()
}

/// Maps a direction to two coordinates: it is projected onto an octahedron, whose lower half is folded up into the
/// square around the upper one (Cigolle et al., "A Survey of Efficient Representations for Independent Unit Vectors",
/// 2014).
fn folded(normal: [f32; 3]) -> [i8; 2] {
    let [x, y, z] = normal.map(f64::from);
    let sum = x.abs() + y.abs() + z.abs();
    if !(sum > 0.0 && sum.is_finite()) {
        return [0; 2];
    }
    let (x, y) = (x / sum, y / sum);
    let sign = |value: f64| if value < 0.0 { -1.0 } else { 1.0 };
    let (x, y) =
        if z < 0.0 { ((1.0 - y.abs()) * sign(x), (1.0 - x.abs()) * sign(y)) } else { (x, y) };
    [x, y].map(|part| {
        let steps = i8::try_from(step_of(part.abs(), 127)).unwrap_or(i8::MAX);
        if part < 0.0 { -steps } else { steps }
    })
}

/// Explains why meshes are shown as boxes, one sentence per reason.
pub(super) fn why_boxes(drawing: &Drawing, too_large: usize, budget: u64) -> Vec<String> {
    let shown: HashSet<_> = drawing.shown.iter().map(|shown| shown.mesh).collect();
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    let meshes = drawing.meshes.iter().enumerate();
    for (_, mesh) in meshes.filter(|(mesh, _)| shown.contains(mesh)) {
        let Err(Undrawn { why }) = mesh else { continue };
        match reasons.iter_mut().find(|(known, _)| known == why) {
            Some((_, count)) => *count += 1,
            None => reasons.push((why, 1)),
        }
    }
    let unread = reasons
        .iter()
        .map(|(why, count)| format!("{}: {}.", as_boxes(*count), why.replace('`', "")));
    unread.chain(why_too_large(too_large, budget)).collect()
}

/// States that meshes did not fit on a page.
pub(super) fn why_too_large(count: usize, budget: u64) -> Option<String> {
    let budget = significant(budget as f64 / 1e6, 3);
    let them = if count == 1 { "it" } else { "them" };
    (count > 0).then(|| {
        format!(
            "{}: with {them}, the meshes would exceed {budget} MB. --mesh-budget raises the limit.",
            as_boxes(count)
        )
    })
}

fn as_boxes(meshes: usize) -> String {
    match meshes {
        1 => "1 mesh is shown as a box or by its joints".to_owned(),
        count => format!("{count} meshes are shown as boxes or by their joints"),
    }
}
