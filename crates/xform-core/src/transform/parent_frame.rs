use nalgebra::{ComplexField, Point3, Vector3};

use super::{RelativeTransform, Transform};
use crate::{HierarchyError, Inherit, NodeId, Trs, change::Change};

/// The frame in which a node's local pose acts: its parent's world transform, and the parts of it that the node
/// inherits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParentFrame<X> {
    /// The transform that places the node's origin: the parent's world transform, or the identity if the node
    /// inherits nothing.
    pub(crate) parent: X,
    /// Never [`Inherit::Nothing`]: [`new`](Self::new) replaces that with an identity parent of which everything is
    /// inherited.
    inherit: Inherit,
}

impl<X: Transform> ParentFrame<X> {
    pub(crate) fn new(parent: X, inherit: Inherit) -> Self {
        match inherit {
            Inherit::Nothing => Self { parent: X::identity(), inherit: Inherit::All },
            _ => Self { parent, inherit },
        }
    }

    /// Returns the frame in which the local rotation and scale act, with its origin at a given point of the world.
    /// `None` if that is the parent's world transform itself.
    fn frame_at(&self, origin: &Point3<X::Scalar>) -> Option<X> {
        match self.inherit {
            Inherit::All => None,
            Inherit::PositionOnly => {
                Some(X::identity().concat(&Trs::from_translation(origin.coords)))
            }
            some => self.parent.inherited(some, origin),
        }
    }

    /// Returns the frame in which the local rotation and scale act, with its origin at the parent's.
    pub(crate) fn frame(&self) -> X {
        self.own_frame().unwrap_or(self.parent)
    }

    /// Returns the same frame, or `None` if that is the parent's world transform itself.
    pub(crate) fn own_frame(&self) -> Option<X> {
        self.frame_at(&self.parent.transform_point(&Point3::origin()))
    }

    /// Returns the world transform of the node if this is its local pose.
    pub(crate) fn concat(&self, local: &Trs<X::Scalar>) -> X {
        let origin = self.parent.transform_point(&local.translation.into());
        match self.frame_at(&origin) {
            Some(frame) => frame.concat(&local.with_translation(Vector3::zeros())),
            None => self.parent.concat(local),
        }
    }

    /// Returns the error for a point or vector of the world that has no counterpart in the space of a node's parent.
    ///
    /// If the point or vector `is_finite` and the parent's world transform is finite too, that transform has no
    /// inverse. Otherwise one of the two is out of range.
    pub(crate) fn why_outside(
        &self,
        node: NodeId,
        parent: Option<NodeId>,
        is_finite: bool,
    ) -> HierarchyError {
        let Some(parent) = parent.filter(|_| is_finite) else {
            return HierarchyError::WorldNotFinite(node);
        };
        if self.parent.to_homogeneous().iter().all(ComplexField::is_finite) {
            HierarchyError::Singular(parent)
        } else {
            HierarchyError::WorldNotFinite(parent)
        }
    }

    /// Returns the parts of the node's world transform that may have changed; see [`Transform::change_below`].
    pub(crate) fn change_below(
        &self,
        of_parent: Change,
        local: &Trs<X::Scalar>,
        of_local: Change,
    ) -> Change {
        let axes = Change::ROTATION | Change::SCALE;
        let is_carried = local.translation != Vector3::zeros() && of_parent.intersects(axes);
        let is_moved = (of_parent | of_local).intersects(Change::POSITION) || is_carried;
        let of_frame = match self.inherit {
            Inherit::All => return self.parent.change_below(of_parent, local, of_local),
            Inherit::NoScale | Inherit::NoRotation if of_parent.intersects(axes) => axes,
            _ => self.frame().change_below(Change::NONE, local, of_local),
        };
        of_frame | Change::POSITION.when(is_moved)
    }

    /// Converts a vector along the axes in which rotation and scale act to the parent's space, in which the
    /// translation is given. `None` if the parent has no inverse.
    pub(crate) fn step_in_parent(&self, step: &Vector3<X::Scalar>) -> Option<Vector3<X::Scalar>> {
        match self.inherit {
            Inherit::All => Some(*step),
            _ => self.parent.inverse_transform_vector(&self.frame().transform_vector(step)),
        }
    }
}

impl<X: RelativeTransform> ParentFrame<X> {
    /// Returns the local pose that comes nearest to a world transform; see [`RelativeTransform::relative_to`].
    pub(crate) fn relative(&self, world: &X) -> Option<Trs<X::Scalar>> {
        let local = world.relative_to(&self.frame())?;
        if self.inherit == Inherit::All {
            return Some(local);
        }
        let origin = world.transform_point(&Point3::origin());
        let translation = self.parent.inverse_transform_point(&origin)?.coords;
        let local = local.with_translation(translation);
        local.check().is_ok().then_some(local)
    }
}

/// Returns whether a strategy can leave out the parts that a node with this setting does not inherit.
pub(crate) fn can_inherit<X: Transform>(inherit: Inherit) -> bool {
    let needs_parts = matches!(inherit, Inherit::NoScale | Inherit::NoRotation);
    !needs_parts || X::identity().inherited(inherit, &Point3::origin()).is_some()
}
