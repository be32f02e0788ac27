use nalgebra::{Matrix4, UnitQuaternion, Vector3};
use xform_core::{Transform, Trs};
use xform_matrix::AccumulatedMatrix;

use crate::{DecompositionRule, Reason};

/// What is left of a node's world transform when an engine gives it another parent and is asked to keep that.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum KeepWorld {
    /// All of it: the local pose may be sheared, or never has to be.
    Exact,
    /// The position, and what a decomposition leaves of the rest.
    Decomposed(DecompositionRule),
    /// The position, and the rotation of a decomposition. The local scale stays as it was.
    ScaleUntouched(DecompositionRule),
    /// The engine has no such call.
    NoCall,
    /// It was not seen.
    NotSeen,
}

impl KeepWorld {
    /// The world transform that a node of a matrix engine has afterwards, from that before; `scale` is its local scale.
    ///
    /// # Errors
    ///
    /// [`Reason::ZeroScale`] where the parent has no inverse or an axis no length; [`Reason::NotSeen`] where there is no such
    /// call or it was not seen.
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

/// The space of a parent from that of a node; `None` where the parent has no inverse.
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
