//! Houdini's `hou.scaleInheritanceMode`, by which a node takes its parent's scale in one of five ways.

use nalgebra::Vector3;
use xform_core::{TopologyError, Trs};

use crate::{
    SourceNode,
    fold::{Affine, WorldMatrices, trs, world_matrices},
};

/// How a node takes the scale of its parent, not of what is above that.
///
/// With W and w the world and the local transform, S and s the scale of the parent and of the node in their own local transforms,
/// for column vectors; Houdini's own formulas (sidefx.com, `hou.scaleInheritanceMode`) are for row vectors.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ScaleInheritance {
    /// W = Wₚ·w: matrices multiplied.
    Default,
    /// W = Wₚ·t·S⁻¹·r·s: the position is scaled, the node is not, as by Maya's segment scale compensation.
    OffsetOnly,
    /// W = Wₚ·t·S⁻¹·r·s·S: the parent's scale acts along the node's own axes.
    OffsetAndScale,
    /// W = Wₚ·S⁻¹·w·S: the same, and the position is not scaled.
    ScaleOnly,
    /// W = Wₚ·S⁻¹·w: neither the position nor the node is scaled.
    Ignore,
}

/// The world transforms of a hierarchy whose nodes have these modes. A root takes nothing.
///
/// # Errors
///
/// Parents that form no forest. Nothing can be said of a node with a matrix, nor below one: which of its parts is the scale depends on
/// who takes it apart. The same holds where the inverse of a scale of zero is asked for.
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
