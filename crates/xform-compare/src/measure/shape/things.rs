//! The things that a scene draws, and their vertices at a moment.

use std::borrow::Cow;

use nalgebra::{Matrix4, Point3, Vector3};
use xform_scene::{
    Drawing, Node, Scene,
    drawing::{MeshPart, PartKind, ShownMesh},
};

use super::super::poses::Poses;
use crate::audit::CompareError;

/// A scene with the things that it draws.
pub(super) struct Side<'a> {
    pub(super) scene: &'a Scene,
    pub(super) things: Vec<Thing<'a>>,
    /// The world matrix of each node at rest.
    pub(super) at_rest: Vec<Matrix4<f64>>,
    /// The reasons why something that it draws is not among the things.
    pub(super) not_read: Vec<String>,
}

/// The mesh that a node draws.
#[derive(Clone, Copy)]
pub(super) struct Thing<'a> {
    pub(super) shown: &'a ShownMesh,
    pub(super) parts: &'a [MeshPart],
}

/// A time of an animation, which is an index into the animations of the scene.
pub(super) type Moment = (usize, f64);

impl<'a> Side<'a> {
    pub(super) fn of(scene: &'a Scene, drawing: &'a Drawing) -> Result<Self, CompareError> {
        let (mut things, mut not_read) = (Vec::new(), Vec::new());
        for shown in &drawing.shown {
            match &drawing.meshes[shown.mesh] {
                Ok(parts) if parts.iter().all(|part| part.indices.is_empty()) => {}
                Ok(parts) => things.push(Thing { shown, parts }),
                // The reader has already warned about skinned meshes.
                Err(_) if shown.joints.is_some() => {}
                Err(undrawn) => {
                    not_read.push(format!("node {}: {}", shown.node, undrawn.why));
                }
            }
        }
        let at_rest = worlds(scene)?;
        Ok(Self { scene, things, at_rest, not_read })
    }

    /// Returns the world matrix of each node at a moment.
    pub(super) fn worlds(
        &self,
        (animation, seconds): Moment,
    ) -> Result<Vec<Matrix4<f64>>, CompareError> {
        worlds(&self.scene.posed(animation, seconds))
    }
}

/// Returns what a scene draws. A scene that was made without meshes draws the boxes of its nodes.
pub(super) fn drawing(scene: &Scene) -> Cow<'_, Drawing> {
    if !scene.drawing.meshes.is_empty() || !scene.nodes.iter().any(Node::draws) {
        return Cow::Borrowed(&scene.drawing);
    }
    let mut drawing = Drawing::default();
    for (node, entry) in scene.nodes.iter().enumerate().filter(|(_, entry)| entry.draws()) {
        #[expect(clippy::cast_possible_truncation, reason = "as exact as meshes are")]
        let narrow = |corner: Point3<f64>| <[f32; 3]>::from(corner.coords.map(|part| part as f32));
        let positions: Vec<_> = entry.bounds.corners().map(narrow).collect();
        let corners = u32::try_from(positions.len()).unwrap_or(0);
        // Each corner is a point of its own, since no figure depends on faces.
        let part = MeshPart {
            kind: PartKind::Points,
            positions,
            indices: (0..corners).collect(),
            ..MeshPart::default()
        };
        let mesh = drawing.meshes.len();
        drawing.meshes.push(Ok(vec![part]));
        drawing.shown.push(ShownMesh { node, mesh, joints: None, weights: Vec::new() });
    }
    Cow::Owned(drawing)
}

/// Returns the world matrix of each node as the file defines it, with multiplied matrices.
fn worlds(scene: &Scene) -> Result<Vec<Matrix4<f64>>, CompareError> {
    let parents = scene.nodes.iter().map(|node| node.parent).collect();
    let worlds = Poses::of(scene, parents)?.by_matrix()?;
    let matrices: Vec<_> = worlds.iter().map(|world| *world.matrix()).collect();
    match matrices.iter().position(|matrix| !matrix.iter().all(|entry| entry.is_finite())) {
        Some(node) => Err(CompareError::overflow(scene, node)),
        None => Ok(matrices),
    }
}

impl Thing<'_> {
    pub(super) fn node(&self) -> usize {
        self.shown.node
    }

    /// Returns the matrices that move its vertices: those of its joints, or that of its node.
    pub(super) fn matrices(&self, worlds: &[Matrix4<f64>]) -> Vec<Matrix4<f64>> {
        match &self.shown.joints {
            Some(joints) => {
                joints.iter().map(|joint| worlds[joint.node] * joint.inverse_bind).collect()
            }
            None => vec![worlds[self.shown.node]],
        }
    }

    /// Returns the weight of each of its morph targets at a moment, or at rest.
    pub(super) fn weights(&self, scene: &Scene, moment: Option<Moment>) -> Vec<f64> {
        let moving = moment.and_then(|(animation, seconds)| {
            let animation = scene.animations[animation].index;
            let mut tracks = scene.drawing.morphs.iter();
            let own = tracks
                .rfind(|track| track.animation == animation && track.node == self.shown.node)?;
            Some(own.weights.iter().map(|curve| curve.at(seconds)[0]).collect())
        });
        moving.unwrap_or_else(|| self.shown.weights.clone())
    }

    /// Returns the positions of its vertices, part after part.
    pub(super) fn placed(&self, matrices: &[Matrix4<f64>], weights: &[f64]) -> Vec<Point3<f64>> {
        let mut placed = Vec::with_capacity(self.vertices());
        for part in self.parts {
            for vertex in 0..part.positions.len() {
                let mut at = Vector3::from(part.positions[vertex].map(f64::from));
                for (target, &weight) in part.targets.iter().zip(weights) {
                    if let Some(offset) = target.get(vertex).filter(|_| weight != 0.0) {
                        at += Vector3::from(offset.map(f64::from)) * weight;
                    }
                }
                placed.push(taken(part, vertex, matrices, at.into()));
            }
        }
        placed
    }

    pub(super) fn vertices(&self) -> usize {
        self.parts.iter().map(|part| part.positions.len()).sum()
    }

    /// Returns its triangles, lines and points as indices into [its vertices](Self::placed). Lines and points
    /// repeat the last index.
    pub(super) fn corners(&self) -> Vec<[usize; 3]> {
        let (mut all, mut first) = (Vec::new(), 0);
        for part in self.parts {
            let corner = |index: u32| first + index as usize;
            all.extend(part.indices.chunks_exact(part.kind.corners()).map(|one| match *one {
                [a, b, c] => [a, b, c].map(corner),
                [a, b] => [a, b, b].map(corner),
                _ => [one[0]; 3].map(corner),
            }));
            first += part.positions.len();
        }
        all
    }

    /// Returns its unit normals in the world at rest; `None` if a part has none.
    pub(super) fn normals(&self, matrices: &[Matrix4<f64>]) -> Option<Vec<Vector3<f64>>> {
        let mut normals = Vec::with_capacity(self.vertices());
        for part in self.parts {
            if part.normals.len() != part.positions.len() || part.kind != PartKind::Triangles {
                return None;
            }
            for (vertex, normal) in part.normals.iter().enumerate() {
                let normal = Vector3::from(normal.map(f64::from));
                let blended = blended(part, vertex, matrices);
                let linear = blended.fixed_view::<3, 3>(0, 0).into_owned();
                // With the cofactors, which equal the inverse transpose up to its length and exist even if a
                // scale is zero.
                let columns = [0, 1, 2].map(|i| linear.column(i).into_owned());
                let [x, y, z] = columns;
                let turned =
                    y.cross(&z) * normal.x + z.cross(&x) * normal.y + x.cross(&y) * normal.z;
                normals.push(turned.try_normalize(0.0).unwrap_or_else(Vector3::zeros));
            }
        }
        Some(normals)
    }

    /// Returns −1 if its triangles are seen from their other side, because an odd number of mirrors is above
    /// it.
    pub(super) fn side(&self, worlds: &[Matrix4<f64>]) -> f64 {
        let is_mirrored = self.shown.joints.is_none()
            && worlds[self.shown.node].fixed_view::<3, 3>(0, 0).determinant() < 0.0;
        if is_mirrored { -1.0 } else { 1.0 }
    }
}

fn taken(
    part: &MeshPart,
    vertex: usize,
    matrices: &[Matrix4<f64>],
    at: Point3<f64>,
) -> Point3<f64> {
    match part.follows.get(vertex) {
        Some(follows) => {
            let each = follows.iter().filter_map(|&(joint, weight)| {
                let matrix = matrices.get(joint as usize)?;
                Some(matrix.transform_point(&at).coords * f64::from(weight))
            });
            each.sum::<Vector3<f64>>().into()
        }
        None => matrices[0].transform_point(&at),
    }
}

fn blended(part: &MeshPart, vertex: usize, matrices: &[Matrix4<f64>]) -> Matrix4<f64> {
    match part.follows.get(vertex) {
        Some(follows) => follows
            .iter()
            .filter_map(|&(joint, weight)| Some(matrices.get(joint as usize)? * f64::from(weight)))
            .sum(),
        None => matrices[0],
    }
}

/// Returns the box around points; `None` if there are no finite points.
pub(super) fn around(points: &[Point3<f64>]) -> Option<[Point3<f64>; 2]> {
    let mut points = points.iter().filter(|point| point.iter().all(|part| part.is_finite()));
    let first = *points.next()?;
    Some(points.fold([first; 2], |[low, high], point| [low.inf(point), high.sup(point)]))
}

/// Returns the largest distance of points with the same number.
pub(super) fn farthest(a: &[Point3<f64>], b: &[Point3<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}
