//! OpenUSD's `!resetXformStack!`, which cuts a prim off from what is above it.

use xform_core::TopologyError;

use crate::{
    SourceNode,
    fold::{Affine, WorldMatrices, world_matrices},
};

/// The world transforms of a hierarchy in which these nodes stand in the world as roots do.
///
/// # Errors
///
/// Parents that form no forest.
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
