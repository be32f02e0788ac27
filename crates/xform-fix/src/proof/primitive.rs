//! Compares a primitive before and after: whether it is the same, and how far its vertices moved.

use nalgebra::{Matrix4, Vector3};
use rayon::prelude::*;

use super::{
    shown::{Shown, is_flat},
    side::{Offsets, Side, Vertices},
};

/// The result for one node.
#[derive(Default)]
pub(super) struct Found {
    pub(super) vertices: Moved,
    pub(super) poses: u64,
    pub(super) broken: Vec<String>,
    /// Why vertices of the old file cannot be read.
    pub(super) unread: Option<String>,
}

/// The result for some vertices.
#[derive(Clone, Copy, Default)]
pub(super) struct Moved {
    pub(super) moved: f64,
    pub(super) turned: f64,
    pub(super) positions: u64,
    pub(super) directions: u64,
}

impl Moved {
    fn and(self, other: Self) -> Self {
        Self {
            moved: worse(self.moved, other.moved),
            turned: self.turned.max(other.turned),
            positions: self.positions + other.positions,
            directions: self.directions + other.directions,
        }
    }
}

/// Returns the greater of two figures. NaN counts as infinity.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::INFINITY } else { a.max(b) }
}

pub(super) fn compare_primitive(
    sides: &[Side<'_>; 2],
    joints: [&[usize]; 2],
    vertices: [&Vertices; 2],
    found: &mut Found,
) {
    if let Some(what) = other_shape(vertices) {
        found.broken.push(what.to_owned());
        return;
    }
    let [before, after] = sides;
    let moments = before.moments(joints[0]).into_iter().map(Some);
    let moments = std::iter::once(None).chain(moments);
    let mut last = None;
    for moment in moments {
        let worlds = [
            before.worlds(joints[0], vertices[0], moment),
            after.worlds(joints[1], vertices[1], moment),
        ];
        if last.as_ref() == Some(&worlds) {
            continue;
        }
        if moment.is_none() && vertices[0].follows.is_empty() {
            // A flattened mesh has no side and keeps its triangles.
            let sides = [&worlds[0], &worlds[1]].map(|worlds| side_of(&worlds[0]));
            if !same_triangles(vertices, sides[0] * sides[1] < 0.0) {
                let what = "its triangles changed, or are seen from the other side";
                found.broken.push(what.to_owned());
            }
        }
        found.vertices = found.vertices.and(compare_vertices(vertices, &worlds));
        found.poses += 1;
        last = Some(worlds);
    }
}

/// Returns what differs in number between the two sides, or does not fit together on one.
pub(super) fn other_shape([a, b]: [&Vertices; 2]) -> Option<&'static str> {
    let count = a.positions.len();
    let fits = |len: usize| len == 0 || len == count;
    let of_base = |side: &Vertices| [side.positions.len(), side.normals.len(), side.tangents.len()];
    let of_targets = |side: &Vertices| -> Vec<_> {
        let each = |target: &Offsets| {
            [target.positions.len(), target.normals.len(), target.tangents.len()]
        };
        side.targets.iter().map(each).collect()
    };
    let (base, targets) = (of_base(a), of_targets(a));
    if base != of_base(b) || targets != of_targets(b) {
        return Some("its number of vertices changed");
    }
    if !base.iter().chain(targets.iter().flatten()).all(|&len| fits(len)) {
        return Some("its numbers of vertices, normals, tangents or offsets do not match");
    }
    if a.follows != b.follows {
        return Some("its vertices now follow other joints");
    }
    None
}

/// Whether triangles are the same, with reversed winding if `turned`.
fn same_triangles([a, b]: [&Vertices; 2], turned: bool) -> bool {
    let (Some(a), Some(b)) = (&a.triangles, &b.triangles) else {
        return a.triangles.is_none() && b.triangles.is_none();
    };
    let is_same = |(&[a, b, c], other): (&[u32; 3], &[u32; 3])| {
        let [b, c] = if turned { [c, b] } else { [b, c] };
        [[a, b, c], [b, c, a], [c, a, b]].contains(other)
    };
    a.len() == b.len() && a.iter().zip(b).all(is_same)
}

fn compare_vertices(vertices: [&Vertices; 2], worlds: &[Vec<Matrix4<f64>>; 2]) -> Moved {
    let count = vertices[0].positions.len();
    let one = |vertex: usize| {
        let shown = [0, 1].map(|side| Shown::new(vertices[side], &worlds[side], vertex));
        let targets = vertices[0].targets.len();
        let morphs = std::iter::once(None).chain((0..targets).map(Some));
        morphs.fold(Moved::default(), |found, morph| {
            let [a, b] = [0, 1].map(|side| shown[side].at(vertices[side], vertex, morph));
            // If joints flatten a vertex, its directions are rounding alone.
            let is_flat = !vertices[0].follows.is_empty() && shown.iter().any(Shown::is_flat);
            let mut this = Moved { moved: (a.position - b.position).norm(), positions: 1, ..found };
            this.positions += found.positions;
            this.moved = worse(this.moved, found.moved);
            for (a, b) in [(a.normal, b.normal), (a.tangent, b.tangent)] {
                if let (Some(a), Some(b), false) = (a, b, is_flat) {
                    this.turned = this.turned.max(degrees(&a, &b));
                    this.directions += 1;
                }
            }
            if a.side * b.side < 0.0 && !is_flat {
                this.turned = 180.0;
            }
            this
        })
    };
    (0..count).into_par_iter().with_min_len(1024).map(one).reduce(Moved::default, Moved::and)
}

/// Returns the angle between two vectors, or 0 if both are zero.
fn degrees(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    // Avoids overflow and underflow in the products.
    let unit = |vector: &Vector3<f64>| {
        let largest = vector.amax();
        if largest > 0.0 { (vector / largest).normalize() } else { *vector }
    };
    match (a.amax() > 0.0, b.amax() > 0.0) {
        (false, false) => 0.0,
        (true, true) => {
            let (a, b) = (unit(a), unit(b));
            let degrees = a.cross(&b).norm().atan2(a.dot(&b)).to_degrees();
            if degrees.is_nan() { 180.0 } else { degrees }
        }
        // One of the two has no direction.
        _ => 180.0,
    }
}

/// Returns the side from which triangles are seen under a matrix: 1 or −1, or 0 if it flattens them.
fn side_of(world: &Matrix4<f64>) -> f64 {
    let linear = world.fixed_view::<3, 3>(0, 0).into_owned();
    if is_flat(&linear) { 0.0 } else { linear.determinant().signum() }
}
