//! OpenUSD's `!resetXformStack!`, which cuts a prim off from what is above it.

use nalgebra::Matrix4;
use xform_core::TopologyError;

use crate::{
    CannotSay, Node,
    fold::{Affine, fold},
};

/// The world transforms of a hierarchy in which these nodes stand in the world as roots do.
///
/// # Errors
///
/// Parents that form no forest.
pub fn worlds(
    nodes: &[Node],
    resets: impl Fn(usize) -> bool,
) -> Result<Vec<Result<Matrix4<f64>, CannotSay>>, TopologyError> {
    let step = |node: usize, parent: Option<&Affine>| {
        let local = Affine::of(&nodes[node].local);
        Ok(parent.filter(|_| !resets(node)).map_or(local, |parent| *parent * local))
    };
    let worlds = fold(nodes, step)?.into_iter();
    Ok(worlds.map(|world| world.map(Affine::to_homogeneous)).collect())
}
