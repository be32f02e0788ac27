use super::Hierarchy;
use crate::{HierarchyError, Transform, Trs, bit_set::BitSet, index::NIL, transform::can_inherit};

/// Conversion to another precision or strategy.
impl<X: Transform> Hierarchy<X> {
    /// Returns a copy of this hierarchy in another strategy, another precision, or both.
    ///
    /// Nodes keep their ids, their slots and their sibling order. Each local pose is [cast](Trs::cast), and the next
    /// [`propagate`](Self::propagate) computes the world transforms from these poses. Removing a node from one of
    /// the two hierarchies does not remove it from the other.
    ///
    /// # Examples
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, Transform};
    /// fn to_simulate<X, Y>(drawn: &Hierarchy<X>) -> Result<Hierarchy<Y>, HierarchyError>
    /// where
    ///     X: Transform<Scalar = f32>,
    ///     Y: Transform<Scalar = f64>,
    /// {
    ///     drawn.cast()
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The first node whose pose is out of range for `f32`, whose rotation is no longer accepted after rounding, or
    /// that does not [inherit](crate::Inherit) a part which the other strategy cannot leave out.
    pub fn cast<Y: Transform>(&self) -> Result<Hierarchy<Y>, HierarchyError> {
        let locals: Vec<_> = self.layout.slots.locals().iter().map(Trs::cast).collect();
        for node in self {
            let pose = &locals[self.tree.slot(node.index)];
            pose.check().map_err(|error| HierarchyError::PoseOf { node, error })?;
            if !can_inherit::<Y>(self.inherit_of(node.index)) {
                return Err(HierarchyError::InheritsAll(node));
            }
        }
        let mut cast = Hierarchy {
            tree: self.tree.clone(),
            changes: BitSet::with_capacity(locals.len()),
            layout: self.layout.cast(locals),
            changed: Vec::new(),
            posed: Vec::new(),
            stamps: None,
            tracker: None,
        };
        for root in self.tree.child_indices(NIL) {
            cast.changes.insert(self.tree.slot(root));
        }
        Ok(cast)
    }
}
