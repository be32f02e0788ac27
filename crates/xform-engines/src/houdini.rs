//! Houdini's `hou.scaleInheritanceMode`: five ways for a node to inherit its parent's scale.

use nalgebra::Vector3;
use xform_core::{TopologyError, Trs};

use crate::{
    SourceNode,
    fold::{Affine, WorldMatrices, trs, world_matrices},
};

/// How a node inherits the scale of its parent. Scales further up are not affected.
///
/// In the formulas W is a world transform and w a local one, for column vectors. S is the scale in the parent's local
/// transform, and s that in the node's own. Houdini's own formulas (sidefx.com, `hou.scaleInheritanceMode`) are for
/// row vectors.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ScaleInheritance {
    /// W = Wₚ·w: matrices are multiplied.
    Default,
    /// W = Wₚ·t·S⁻¹·r·s: the position is scaled but the node is not, like Maya's segment scale compensation.
    OffsetOnly,
    /// W = Wₚ·t·S⁻¹·r·s·S: the parent's scale acts along the node's own axes.
    OffsetAndScale,
    /// W = Wₚ·S⁻¹·w·S: the same, but the position is not scaled.
    ScaleOnly,
    /// W = Wₚ·S⁻¹·w: neither the position nor the node is scaled.
    Ignore,
}

/// Returns the world transforms of a hierarchy whose nodes have these modes. A root inherits nothing.
///
/// The world transform of a node with a matrix is not known, and neither are those of its descendants: its scale
/// depends on how the matrix is decomposed. The same holds if the inverse of a scale of zero is needed.
///
/// # Errors
///
/// [`TopologyError`] if the parents do not form a forest.
pub fn worlds(
    nodes: &[SourceNode],
    mode: impl Fn(usize) -> ScaleInheritance,
) -> Result<WorldMatrices, TopologyError> {
    let step = |node: usize, parent: Option<&(Affine, Vector3<f64>)>| {
        let local = trs(&nodes[node])?;
        let own = Affine::of(&local.into());
        let Some((world, scale)) = parent else { return Ok((own, local.scale)) };
        let of = |pose: Trs<f64>| Affine::of(&pose.into());
        let scaled = of(Trs::from_scale(*scale));
        let unscaled = || {
            let is_zero = scale.iter().any(|&factor| factor == 0.0);
            let inverse = of(Trs::from_scale(scale.map(f64::recip)));
            if is_zero { Err(crate::Reason::ZeroScale) } else { Ok(inverse) }
        };
        let moved = of(Trs::from_translation(local.translation));
        let turned = of(Trs { translation: Vector3::zeros(), ..local });
        let found = match mode(node) {
            ScaleInheritance::Default => *world * own,
            ScaleInheritance::OffsetOnly => *world * moved * unscaled()? * turned,
            ScaleInheritance::OffsetAndScale => *world * moved * unscaled()? * turned * scaled,
            ScaleInheritance::ScaleOnly => *world * unscaled()? * own * scaled,
            ScaleInheritance::Ignore => *world * unscaled()? * own,
        };
        Ok((found, local.scale))
    };
    world_matrices(nodes, step, |(world, _)| world.to_homogeneous())
}
