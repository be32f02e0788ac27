//! Positions that 32-bit floats round.

use nalgebra::{Point3, Vector3};
use xform_core::{Transform, slices::parents_first};
use xform_scene::{
    Bounds, Warning, WarningCode,
    text::{significant, units},
};

use crate::{
    audit::{Grade, NodeAudit},
    measure::metrics::{length, percent},
};

/// The error of a drawn part in 32-bit floats.
struct Rounded {
    node: usize,
    /// In scene units.
    by: f64,
    of_scene: f64,
    /// As a percentage of its own size; 0 if it has none.
    of_itself: f64,
}

impl Rounded {
    fn is_seen(&self) -> bool {
        self.of_scene >= Grade::VISIBLE_PERCENT || self.of_itself >= Grade::LARGE_PERCENT_OF_ITSELF
    }
}

/// Returns a warning about the drawn part with the worst visible rounding, relative to the scene or to
/// itself.
pub(super) fn of(nodes: &[NodeAudit], diagonal: f64) -> Option<Warning> {
    let reaches = reaches(nodes);
    let drawn = nodes.iter().filter(|node| node.counts_at_rest() || node.is_followed);
    let rounded = drawn.map(|node| {
        let corners = node.bounds.corners().map(|at| node.by_matrix.transform_point(&at));
        let around = corners.fold(None, around);
        let farthest = around.map_or(reaches[node.index], |[low, high]| {
            reaches[node.index].sup(&low.coords.abs()).sup(&high.coords.abs())
        });
        let by = length(&farthest.map(half_a_step));
        let size = around.map_or(0.0, |[low, high]| length(&(high - low)));
        let is_box = matches!(node.bounds, Bounds::Box(..)) && size > 0.0;
        Rounded {
            node: node.index,
            by,
            of_scene: percent(by, diagonal).unwrap_or(0.0),
            of_itself: if is_box { by / size * 100.0 } else { 0.0 },
        }
    });
    let seen = rounded.filter(Rounded::is_seen);
    // The first of equally bad parts.
    let worst = seen
        .reduce(|a, b| if (b.of_scene, b.of_itself) > (a.of_scene, a.of_itself) { b } else { a })?;
    let of_scene = significant(worst.of_scene, 3);
    let of_itself = match worst.of_itself {
        0.0 => String::new(),
        percent => format!(", {} % of its own size", significant(percent, 3)),
    };
    let message = format!(
        "this far from the origin, the 32-bit floats that engines use move drawn parts by up to {} ({of_scene} % of the scene{of_itself})",
        units(worst.by, 3)
    );
    Some(Warning::of_node(WarningCode::Precision, worst.node, "", message))
}

/// Returns by node the largest distance of the node and its ancestors from the origin, along each axis. When
/// world transforms are multiplied, the farthest position on the path decides the rounding.
fn reaches(nodes: &[NodeAudit]) -> Vec<Vector3<f64>> {
    let parents: Vec<_> = nodes.iter().map(|node| node.parent).collect();
    let mut reaches = vec![Vector3::zeros(); nodes.len()];
    for node in parents_first(&parents).unwrap_or_default() {
        let own = nodes[node].by_matrix.translation().abs();
        reaches[node] = parents[node].map_or(own, |parent| own.sup(&reaches[parent]));
    }
    reaches
}

/// Extends the box around points by another point.
fn around(around: Option<[Point3<f64>; 2]>, at: Point3<f64>) -> Option<[Point3<f64>; 2]> {
    let [low, high] = around.unwrap_or([at, at]);
    Some([low.inf(&at), high.sup(&at)])
}

/// Returns the largest distance of a number from the nearest 32-bit float; 0 if it is beyond all of them.
#[expect(clippy::cast_possible_truncation, reason = "that is what is measured")]
fn half_a_step(number: f64) -> f64 {
    let near = number.abs() as f32;
    let step = f64::from(near.next_up()) - f64::from(near);
    if near.is_finite() && step.is_finite() { step / 2.0 } else { 0.0 }
}
