//! OGRE's nodes and bones, which can leave out the scale or the orientation of their parent.

use xform_core::{TopologyError, Transform, Trs};
use xform_trs::CombinedTrs;

use crate::{
    SourceNode,
    fold::{WorldMatrices, trs, world_matrices},
};

/// What a node takes over from its parent; its position is always scaled, turned and moved by the parent.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct InheritFlags {
    /// `setInheritScale`: the parent's scale times its own. Without, its own.
    pub scale: bool,
    /// `setInheritOrientation`: the parent's orientation times its own. Without, its own.
    pub orientation: bool,
}

/// The world transforms of a hierarchy whose nodes have these flags: S = s without scale, R = r without orientation,
/// and in any case T = Tₚ + Rₚ·(Sₚ ⊙ t).
///
/// # Errors
///
/// Parents that form no forest. A node with a matrix is one of which nothing can be said.
pub fn worlds(
    nodes: &[SourceNode],
    flags: impl Fn(usize) -> InheritFlags,
) -> Result<WorldMatrices, TopologyError> {
    let step = |node: usize, parent: Option<&Trs<f64>>| {
        let local = trs(&nodes[node])?;
        let Some(parent) = parent else { return Ok(local) };
        let InheritFlags { scale, orientation } = flags(node);
        let combined = CombinedTrs::from(*parent).concat(&local).to_trs();
        Ok(Trs {
            rotation: if orientation { combined.rotation } else { local.rotation },
            scale: if scale { combined.scale } else { local.scale },
            ..combined
        })
    };
    world_matrices(nodes, step, |world| world.to_homogeneous())
}
