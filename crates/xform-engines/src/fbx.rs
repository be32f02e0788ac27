//! FBX's `InheritType`: how each node inherits its parent's scale.

use nalgebra::{Matrix3, Matrix4, Vector3};
use xform_core::TopologyError;

use crate::{
    DecompositionRule, Reason, SourceNode,
    fold::{Affine, WorldMatrices, lengths, rotation, scaled, trs, unscaled, world_matrices},
};

/// How a node inherits its parent's scale, in the order of FBX's numbers.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum InheritType {
    /// `RrSs`, type 0: scales are multiplied component by component, as in combined TRS.
    ComponentWise,
    /// `RSrs`, type 1: matrices are multiplied.
    Matrix,
    /// `Rrs`, type 2: the parent's own scale is left out, like Maya's segment scale compensate.
    WithoutParent,
}

/// How an engine's FBX importer treats nodes whose [`InheritType`] is not [`Matrix`](InheritType::Matrix).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum FbxImport {
    /// It places them as the file says: [`worlds`].
    AsWritten,
    /// It ignores the type and multiplies matrices.
    Ignored,
    /// Like [`Ignored`](Self::Ignored), but its treatment of [`WithoutParent`](InheritType::WithoutParent) is not
    /// known.
    IgnoredButWithoutParent,
    /// It ignores the type [`WithoutParent`](InheritType::WithoutParent). Its treatment of
    /// [`ComponentWise`](InheritType::ComponentWise) is not known.
    IgnoredButComponentWise,
    /// It uses a formula of its own: [`three_loader_worlds`].
    ThreeLoader,
    /// The importer was not seen.
    NotSeen,
}

impl FbxImport {
    /// Returns the world transforms of the nodes of a file in which a node has another type than
    /// [`Matrix`](InheritType::Matrix).
    ///
    /// If the world transform of a node is not known, it and all its descendants have the reason instead. A node is
    /// known in spite of its type if it makes no difference whether the importer follows or ignores the type, for
    /// example if all scales are 1.
    ///
    /// # Errors
    ///
    /// [`TopologyError`] if the parents do not form a forest.
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
                    // If both readings agree, the result is known whichever the importer follows.
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

/// World transforms that differ by less, relative to one more than the largest entry, are equal up to rounding.
const SAME: f64 = 1e-9;

/// A node, with the values that its children need.
#[derive(Clone)]
struct Evaluated {
    world: Affine,
    /// The world transform without the node's own scale.
    unscaled: Affine,
    /// The scale that it hands on, and the scale that it inherited.
    scale: Vector3<f64>,
    above: Vector3<f64>,
}

impl Evaluated {
    fn new(unscaled: Affine, scale: Vector3<f64>, above: Vector3<f64>) -> Self {
        let linear = scaled(&unscaled.linear, &scale);
        Self { world: Affine { linear, ..unscaled }, unscaled, scale, above }
    }
}

/// Returns the world transforms of a hierarchy whose nodes have these types, as ufbx evaluates them.
///
/// Type 1 is W = P·T·R·S, and the node hands on its own scale, σ = s. For types 0 and 2, σ = s ⊙ σ(ν) and W = Uₚ·T(t
/// ⊙ σₚ)·R·S(σ). Here U is a world transform without the node's own scale, and ν is the parent (type 0) or the node
/// from which the parent inherits its scale (type 2). The type of a root has no effect.
///
/// The world transform of a node with a matrix is not known.
///
/// # Errors
///
/// [`TopologyError`] if the parents do not form a forest.
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

/// The smallest stretch of a parent along one direction, as a fraction of its largest, for which the result is known.
/// Below it the inverse is so inexact that rounding decides where the loader of three.js places the children.
const LEAST_STRETCH: f64 = 1e-6;

/// Returns the world transforms that the FBXLoader of three.js gives nodes of these types.
///
/// The loader composes a world transform from rotations, which are matrices with their columns made unit, converts it
/// to the space of the parent, and decomposes the result. So below a skewed parent no part of it is exact.
///
/// Not known are the world transforms of a node with a matrix, of a node below a scale of zero, and of a node for
/// which rounding decides: the loader can stretch a chain of nodes a million times.
///
/// # Errors
///
/// [`TopologyError`] if the parents do not form a forest.
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
        // The part of the parent that the loader takes for its rotation, and the rest.
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

    /// A scale, and a child that is turned and moved.
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
                // Nothing is scaled, so all types agree.
                let plain = said([1.0; 3], Matrix).expect("known");
                let off = (said([1.0; 3], kind).expect("known") - plain).amax();
                assert!(off < 1e-12, "{import:?} of {kind:?}: {off:e}");
            }
        }
    }
}
