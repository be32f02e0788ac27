use std::collections::HashMap;

use nalgebra::{Matrix4, Point3, Vector3};
use xform_compare::{NodeAudit, judge::Report};
use xform_core::Transform;
use xform_scene::Bounds;

/// The most nodes that a page draws.
// Large pages stay usable with this limit, a table that grows by a hundred rows on demand, and a tree of which only the
// visible part is in the document. With 50 000 nodes that all differ (`xform report random --set nodes=50000`) and a
// limit of 1 500, a page had 4.0 MB.
const DRAWN: usize = 60_000;

/// The farthest from the centre that a page draws anything, in sizes of the scene.
const FARTHEST: f64 = 1e6;

/// The nodes that a page draws, and its coordinates: in sizes of the scene around its centre, so that single precision
/// is enough whatever the scene's size and position.
pub(super) struct Stage {
    /// The nodes by place on the stage.
    pub(super) nodes: Vec<usize>,
    places: HashMap<usize, usize>,
    pub(super) middle: Vector3<f64>,
    pub(super) unit: f64,
}

impl Stage {
    /// Selects nodes up to the limit: those that differ, worst first, then those that show a mesh and their joints,
    /// then those with a box, then the others.
    pub(super) fn of(report: &Report, ranked: &[usize]) -> Self {
        let all = report.audit.nodes_of_the_file();
        let shown = report.drawing.shown.iter().flat_map(|shown| {
            let joints = shown.joints.iter().flat_map(|joints| joints.iter());
            joints.map(|joint| joint.node).chain([shown.node])
        });
        let boxes = all.iter().filter(|node| matches!(node.bounds, Bounds::Box(..)));
        let boxes = boxes.map(|node| node.index);
        let order = ranked.iter().copied().chain(shown).chain(boxes).chain(0..all.len());
        let of_file = order.filter(|&node| node < all.len());
        Self::new(of_file, middle(all), report.audit.summary.diagonal)
    }

    /// Takes the first of these nodes up to the limit, in a scene with this centre and diagonal.
    pub(super) fn new(
        order: impl Iterator<Item = usize>,
        middle: Vector3<f64>,
        diagonal: f64,
    ) -> Self {
        let (mut nodes, mut places) = (Vec::new(), HashMap::new());
        for node in order {
            if nodes.len() == DRAWN {
                break;
            }
            places.entry(node).or_insert_with(|| {
                nodes.push(node);
                nodes.len() - 1
            });
        }
        let unit = if diagonal > 0.0 && diagonal.is_finite() { diagonal } else { 1.0 };
        Self { nodes, places, middle, unit }
    }

    /// Returns the place of a node, or `None` if it is not drawn.
    pub(super) fn place(&self, node: usize) -> Option<usize> {
        self.places.get(&node).copied()
    }

    /// Converts a point to sizes of the scene, relative to its centre.
    pub(super) fn point(&self, at: &Vector3<f64>) -> [f64; 3] {
        let relative = (at - self.middle) / self.unit;
        relative.map(|number| number.clamp(-FARTHEST, FARTHEST)).into()
    }

    /// Converts a world matrix to sizes of the scene, relative to its centre. Positions beyond the farthest are
    /// clamped.
    pub(super) fn relative(&self, world: &Matrix4<f64>) -> Matrix4<f64> {
        let mut relative = *world;
        for row in 0..3 {
            relative[(row, 3)] -= self.middle[row];
        }
        for number in relative.fixed_view_mut::<3, 4>(0, 0).iter_mut() {
            *number = (*number / self.unit).clamp(-FARTHEST, FARTHEST);
        }
        relative
    }
}

/// Returns the centre of the box around the scene at rest, by accumulated matrices.
fn middle(nodes: &[NodeAudit]) -> Vector3<f64> {
    let corners = nodes.iter().flat_map(|node| {
        let origin = [Point3::origin()].into_iter().filter(|_| node.is_followed);
        let corners = node.bounds.corners().chain(origin);
        corners.map(|corner| node.by_matrix.transform_point(&corner).coords)
    });
    let around = corners.map(|corner| (corner, corner));
    let around = around.reduce(|a, b| (a.0.inf(&b.0), a.1.sup(&b.1)));
    around.map_or_else(Vector3::zeros, |(low, high)| low / 2.0 + high / 2.0)
}
