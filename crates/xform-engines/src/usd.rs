//! OpenUSD's `!resetXformStack!`, which makes a prim ignore everything above it.

use xform_core::TopologyError;

use crate::{
    SourceNode,
    fold::{Affine, WorldMatrices, world_matrices},
};

/// Returns the world transforms of a hierarchy in which the given nodes ignore everything above them, like roots.
///
/// # Errors
///
/// [`TopologyError`] if the parents do not form a forest.
pub fn worlds(
    nodes: &[SourceNode],
    resets: impl Fn(usize) -> bool,
) -> Result<WorldMatrices, TopologyError> {
    let step = |node: usize, parent: Option<&Affine>| {
        let local = Affine::of(&nodes[node].local);
        Ok(parent.filter(|_| !resets(node)).map_or(local, |parent| *parent * local))
    };
    world_matrices(nodes, step, Affine::to_homogeneous)
}
