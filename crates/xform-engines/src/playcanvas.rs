//! PlayCanvas' `scaleCompensation`: a node ignores the scale of its parent.

use nalgebra::{Matrix3, Vector3};
use xform_core::TopologyError;

use crate::{
    DecompositionRule, Parts, SourceNode,
    fold::{Affine, WorldMatrices, lengths, rotation, scaled, trs, world_matrices},
};

/// A node, with the values that its children need.
#[derive(Clone)]
struct Compensated {
    world: Affine,
    /// Places a child that compensates: the node's own frame, or that frame with the scale that it left out.
    place: Matrix3<f64>,
    /// The scale that a child which compensates inherits.
    scale: Vector3<f64>,
}

/// Returns the world transforms of a hierarchy in which these nodes compensate the scale of their parent.
///
/// Such a node takes its scale from above the nearest ancestor that does not compensate, and only the rotation from
/// its parent. A root does not compensate. The world transform of a node with a matrix, or below a scale of zero, is
/// not known.
///
/// # Errors
///
/// [`TopologyError`] if the parents do not form a forest.
pub fn worlds(
    nodes: &[SourceNode],
    compensates: impl Fn(usize) -> bool,
) -> Result<WorldMatrices, TopologyError> {
    let step = |node: usize, parent: Option<&Compensated>| {
        let local = trs(&nodes[node])?;
        let affine = Affine::of(&nodes[node].local);
        let Some(parent) = parent else {
            let scale = Vector3::repeat(1.0);
            return Ok(Compensated { world: affine, place: affine.linear, scale });
        };
        if !compensates(node) {
            let world = parent.world * affine;
            let scale = lengths(&parent.world.linear)?;
            return Ok(Compensated { world, place: world.linear, scale });
        }
        // The rotation that PlayCanvas extracts from a matrix.
        let turn = |linear: &Matrix3<f64>| {
            let parts = DecompositionRule::DAY.unit().parts(linear)?;
            Ok(Parts { scale: Vector3::repeat(1.0), ..parts }.linear())
        };
        let own = scaled(&rotation(&local), &local.scale);
        let linear = turn(&parent.world.linear)? * scaled(&own, &parent.scale);
        let origin = parent.place * local.translation + parent.world.origin;
        let scale = parent.scale;
        let place = scaled(&turn(&linear)?, &scale.component_mul(&local.scale));
        Ok(Compensated { world: Affine { linear, origin }, place, scale })
    };
    world_matrices(nodes, step, |known| known.world.to_homogeneous())
}
