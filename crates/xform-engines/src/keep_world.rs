use nalgebra::{Matrix4, UnitQuaternion, Vector3};
use xform_core::{Transform, Trs};
use xform_matrix::AccumulatedMatrix;

use crate::{DecompositionRule, Reason};

/// How much of a node's world transform an engine keeps when it moves the node to another parent and is told to
/// preserve it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum KeepWorld {
    /// All of it: the local pose can be sheared, or never needs to be.
    Exact,
    /// The position, and the rest after a decomposition.
    Decomposed(DecompositionRule),
    /// The position, and the rotation of a decomposition. The local scale is unchanged.
    ScaleUntouched(DecompositionRule),
    /// The engine has no such call.
    NoCall,
    /// The call was not seen.
    NotSeen,
}

impl KeepWorld {
    /// Returns the node's world transform after the move, in an engine that multiplies matrices; `scale` is the
    /// node's local scale.
    ///
    /// # Errors
    ///
    /// - [`Reason::ZeroScale`] if the parent has no inverse or an axis has no length.
    /// - [`Reason::NotSeen`] if there is no such call, or it was not seen.
    /// - [`Reason::Overflow`] if a number is not finite.
    pub fn kept(
        self,
        world_from_parent: &AccumulatedMatrix<f64>,
        world_from_node: &AccumulatedMatrix<f64>,
        scale: &Vector3<f64>,
    ) -> Result<AccumulatedMatrix<f64>, Reason> {
        let local = || relative(world_from_parent, world_from_node).ok_or(Reason::ZeroScale);
        let local = match self {
            Self::Exact => return Ok(*world_from_node),
            Self::Decomposed(decomposition) => decomposition.recomposed(&local()?)?,
            Self::ScaleUntouched(decomposition) => {
                let local = local()?;
                let rotation = decomposition.unit().parts(&local.linear())?.rotation;
                let rotation = UnitQuaternion::new_unchecked(rotation);
                Trs::from_parts(local.translation(), rotation, *scale).into()
            }
            Self::NoCall | Self::NotSeen => return Err(Reason::NotSeen),
        };
        let world = world_from_parent.matrix() * local.matrix();
        AccumulatedMatrix::from_matrix(world).ok_or(Reason::Overflow)
    }
}

/// The node's transform relative to the parent, or `None` if the parent has no inverse.
fn relative(
    world_from_parent: &AccumulatedMatrix<f64>,
    world_from_node: &AccumulatedMatrix<f64>,
) -> Option<AccumulatedMatrix<f64>> {
    let mut local = Matrix4::identity();
    for axis in 0..3 {
        let column = world_from_node.linear().column(axis).into_owned();
        let column = world_from_parent.inverse_transform_vector(&column)?;
        local.fixed_view_mut::<3, 1>(0, axis).copy_from(&column);
    }
    let origin =
        world_from_parent.inverse_transform_point(&world_from_node.translation().into())?;
    local.fixed_view_mut::<3, 1>(0, 3).copy_from(&origin.coords);
    AccumulatedMatrix::from_matrix(local)
}
