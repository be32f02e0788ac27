//! OGRE's nodes and bones, which can ignore the scale or the orientation of their parent.

use xform_core::{TopologyError, Transform, Trs};
use xform_trs::CombinedTrs;

use crate::{
    SourceNode,
    fold::{WorldMatrices, trs, world_matrices},
};

/// The parts that a node inherits from its parent. Its position is always scaled, turned and moved by the parent.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct InheritFlags {
    /// `setInheritScale`: whether its scale is the parent's times its own, or its own only.
    pub scale: bool,
    /// `setInheritOrientation`: whether its orientation is the parent's times its own, or its own only.
    pub orientation: bool,
}

/// Returns the world transforms of a hierarchy whose nodes have these flags.
///
/// S = s without the scale, R = r without the orientation, and always T = Tₚ + Rₚ·(Sₚ ⊙ t). The world transform of a
/// node with a matrix is not known.
///
/// # Errors
///
/// [`TopologyError`] if the parents do not form a forest.
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
