//! FBX's `InheritType`, which says node by node what becomes of the parent's scale.

use nalgebra::{Matrix3, Matrix4, Vector3};
use xform_core::TopologyError;

use crate::{
    DecompositionRule, Reason, SourceNode,
    fold::{Affine, WorldMatrices, lengths, rotation, scaled, trs, unscaled, world_matrices},
};

/// What of its parent's scale a node takes, in the order in which FBX numbers it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum InheritType {
    /// `RrSs`, type 0: scales are multiplied component by component, as in combined TRS.
    ComponentWise,
    /// `RSrs`, type 1: matrices are multiplied.
    Matrix,
    /// `Rrs`, type 2: the parent's own scale is left out, as by Maya's segment scale compensate.
    WithoutParent,
}

/// What an engine's FBX importer makes of nodes whose [`InheritType`] is not [`Matrix`](InheritType::Matrix).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum FbxImport {
    /// They are where the file has them: [`worlds`].
    AsWritten,
    /// The type is ignored: matrices are multiplied.
    Ignored,
    /// As [`Ignored`](Self::Ignored); of the type [`WithoutParent`](InheritType::WithoutParent) it is not known.
    IgnoredButWithoutParent,
    /// The type [`WithoutParent`](InheritType::WithoutParent) is ignored; of the type
    /// [`ComponentWise`](InheritType::ComponentWise) it is not known.
    IgnoredButComponentWise,
    /// A formula of its own: [`three_loader_worlds`].
    ThreeLoader,
    /// It was not seen.
    NotSeen,
}

impl FbxImport {
    /// The world transforms of the nodes of a file, of which one has another type than [`Matrix`](InheritType::Matrix).
    ///
    /// # Errors
    ///
    /// Parents that form no forest. Of a node that nothing can be said of, and of all below it, there is no world transform
    /// but the reason. Something can be said where a type that is not known to be heeded or ignored makes no difference, as where all
    /// scales are 1.
    pub fn worlds(
        self,
        nodes: &[SourceNode],
        kind: impl Fn(usize) -> InheritType,
    ) -> Result<WorldMatrices, TopologyError> {
        let is_known = |kind: InheritType| match self {
            Self::NotSeen => kind == InheritType::Matrix,
            Self::IgnoredButWithoutParent => kind != InheritType::WithoutParent,
            Self::IgnoredButComponentWise => kind != InheritType::ComponentWise,
            Self::AsWritten | Self::Ignored | Self::ThreeLoader => true,
        };
        match self {
            Self::AsWritten => worlds(nodes, kind),
            Self::ThreeLoader => three_loader_worlds(nodes, kind),
            Self::Ignored
            | Self::IgnoredButWithoutParent
            | Self::IgnoredButComponentWise
            | Self::NotSeen => {
                let all_known = (0..nodes.len()).all(|node| is_known(kind(node)));
                let written = if all_known { None } else { Some(worlds(nodes, &kind)?) };
                let step = |node: usize, parent: Option<&Affine>| {
                    let local = Affine::of(&nodes[node].local);
                    let world = parent.map_or(local, |parent| *parent * local);
                    // Whatever the importer makes of the type, where both readings come to the same.
                    let is_as_written = |written: &Matrix4<f64>| {
                        (written - world.to_homogeneous()).amax() <= SAME * (1.0 + written.amax())
                    };
                    let written = written.as_ref().and_then(|written| written[node].ok());
                    let is_said =
                        is_known(kind(node)) || written.as_ref().is_some_and(is_as_written);
                    is_said.then_some(world).ok_or(Reason::InheritType)
                };
                world_matrices(nodes, step, Affine::to_homogeneous)
            }
        }
    }
}

/// World transforms that differ by less, beside the largest entry, are the same but for rounding.
const SAME: f64 = 1e-9;

/// A node, and what those below it need of it.
#[derive(Clone)]
struct Evaluated {
    world: Affine,
    /// The world transform without the node's own scale.
    unscaled: Affine,
    /// The scale that it hands on, and that of the node which it takes scale from itself.
    scale: Vector3<f64>,
    above: Vector3<f64>,
}

impl Evaluated {
    fn new(unscaled: Affine, scale: Vector3<f64>, above: Vector3<f64>) -> Self {
        let linear = scaled(&unscaled.linear, &scale);
        Self { world: Affine { linear, ..unscaled }, unscaled, scale, above }
    }
}

/// The world transforms of a hierarchy whose nodes have these types, as ufbx evaluates them.
///
/// Type 1 is W = P·T·R·S and hands on its own scale, σ = s. Types 0 and 2 are σ = s ⊙ σ(ν) and W = Uₚ·T(t ⊙ σₚ)·R·S(σ),
/// where U is a world transform without the node's own scale, and ν the parent (type 0) or what the parent takes its
/// scale from (type 2). The type of a root does not matter.
///
/// # Errors
///
/// Parents that form no forest. A node with a matrix is one of which nothing can be said.
pub fn worlds(
    nodes: &[SourceNode],
    kind: impl Fn(usize) -> InheritType,
) -> Result<WorldMatrices, TopologyError> {
    let ones = Vector3::repeat(1.0);
    let step = |node: usize, parent: Option<&Evaluated>| {
        let local = trs(&nodes[node])?;
        let turned = rotation(&local);
        let Some(parent) = parent else {
            let unscaled = Affine { linear: turned, origin: local.translation };
            return Ok(Evaluated::new(unscaled, local.scale, ones));
        };
        let below = |parent: &Affine, origin| *parent * Affine { linear: turned, origin };
        let above = match kind(node) {
            InheritType::Matrix => {
                let unscaled = below(&parent.world, local.translation);
                return Ok(Evaluated::new(unscaled, local.scale, ones));
            }
            InheritType::ComponentWise => parent.scale,
            InheritType::WithoutParent => parent.above,
        };
        let unscaled = below(&parent.unscaled, local.translation.component_mul(&parent.scale));
        Ok(Evaluated::new(unscaled, local.scale.component_mul(&above), above))
    };
    world_matrices(nodes, step, |known| known.world.to_homogeneous())
}

/// A parent that is stretched less than this in one direction, as a fraction of what it is in another, is taken back so
/// inexactly that rounding decides what the loader of three.js makes of its children.
const LEAST_STRETCH: f64 = 1e-6;

/// The world transforms that the FBXLoader of three.js gives nodes of these types.
///
/// It forms a world transform of its own from rotations that are matrices with their columns made unit, takes that back
/// into the space of the parent, and decomposes the result; so below a skewed parent nothing of it is exact.
///
/// # Errors
///
/// Parents that form no forest. Nothing can be said of a node with a matrix, below a scale of zero, nor where
/// rounding decides: the loader can stretch a chain of nodes a million times.
pub fn three_loader_worlds(
    nodes: &[SourceNode],
    kind: impl Fn(usize) -> InheritType,
) -> Result<WorldMatrices, TopologyError> {
    let step = |node: usize, parent: Option<&(Affine, Affine)>| {
        let pose = trs(&nodes[node])?;
        let (parent, parent_local) =
            parent.copied().unwrap_or((Affine::identity(), Affine::identity()));
        let inverse = |matrix: Matrix3<f64>| matrix.lu().try_inverse().ok_or(Reason::ZeroScale);
        let stretch = parent.linear.singular_values();
        if stretch.min() < stretch.max() * LEAST_STRETCH {
            return Err(Reason::Rounding);
        }
        // What the loader takes for the parent's rotation, and what that leaves of the parent.
        let above = unscaled(&parent.linear, &lengths(&parent.linear)?);
        let rest = inverse(above)? * parent.linear;
        let own = rotation(&pose);
        let linear = match kind(node) {
            InheritType::ComponentWise => above * own * scaled(&rest, &pose.scale),
            InheritType::Matrix => above * rest * scaled(&own, &pose.scale),
            InheritType::WithoutParent => {
                let rest = unscaled(&rest, &lengths(&parent_local.linear)?);
                above * own * scaled(&rest, &pose.scale)
            }
        };
        let local =
            DecompositionRule::SHEPPERD.parts(&(inverse(parent.linear)? * linear))?.linear();
        let local = Affine { linear: local, origin: pose.translation };
        Ok((parent * local, local))
    };
    world_matrices(nodes, step, |(world, _)| world.to_homogeneous())
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;
    use xform_core::Trs;

    use super::*;

    /// A scale, and a turned child below it that is moved.
    fn nodes(scale: [f64; 3]) -> [SourceNode; 2] {
        let turn = UnitQuaternion::from_euler_angles(0.3, 0.2, 0.1);
        let child = Trs::from_rotation(turn).with_translation(Vector3::new(1.0, 2.0, 3.0));
        [
            SourceNode { parent: None, local: Trs::from_scale(scale.into()).into() },
            SourceNode { parent: Some(0), local: child.into() },
        ]
    }

    #[test]
    fn a_type_of_which_nothing_is_known_is_known_where_it_makes_no_difference() {
        use InheritType::{ComponentWise, Matrix, WithoutParent};
        let all = [
            (FbxImport::NotSeen, [true, true]),
            (FbxImport::IgnoredButWithoutParent, [false, true]),
            (FbxImport::IgnoredButComponentWise, [true, false]),
            (FbxImport::Ignored, [false, false]),
            (FbxImport::AsWritten, [false, false]),
        ];
        for (import, is_unknown) in all {
            for (kind, is_unknown) in [ComponentWise, WithoutParent].into_iter().zip(is_unknown) {
                let said = |scale, kind| {
                    let worlds = import.worlds(&nodes(scale), |node| [Matrix, kind][node]);
                    worlds.expect("a forest")[1]
                };
                let found = said([2.0, 1.0, 1.0], kind);
                assert_eq!(found.is_err(), is_unknown, "{import:?} of {kind:?}");
                assert!(found.is_ok() || found.unwrap_err().reason == Reason::InheritType);
                // Nothing is scaled, so that all types are one.
                let plain = said([1.0; 3], Matrix).expect("known");
                let off = (said([1.0; 3], kind).expect("known") - plain).amax();
                assert!(off < 1e-12, "{import:?} of {kind:?}: {off:e}");
            }
        }
    }
}
