use super::Hierarchy;
use crate::{HierarchyError, Transform, Trs, WorldMatrix, bit_set::BitSet, tree::NIL};

/// From one precision or strategy to another.
impl<X: Transform> Hierarchy<X> {
    /// The same nodes in another strategy, another precision, or both.
    ///
    /// Nodes keep their ids, their slots and the order of siblings; each local pose is
    /// [cast](Trs::cast), and the world transforms follow from those at the next
    /// [`propagate`](Self::propagate). Removing a node from one of the two does not remove it from
    /// the other.
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
    /// The first node with a pose that is out of the range of `f32`, or whose rotation is not accepted
    /// any more once it is rounded; or that [inherits](crate::Inherit) what the other strategy cannot
    /// leave out.
    pub fn cast<Y: Transform>(&self) -> Result<Hierarchy<Y>, HierarchyError> {
        let locals: Vec<_> = self.locals.iter().map(Trs::cast).collect();
        for node in self {
            let pose = &locals[self.layout.slot(node.index)];
            pose.check().map_err(|error| HierarchyError::PoseOf { node, error })?;
            if !self.inherit_of(node.index).is_possible::<Y>() {
                return Err(HierarchyError::InheritsAll(node));
            }
        }
        let mut cast = Hierarchy {
            tree: self.tree.clone(),
            layout: self.layout.clone(),
            worlds: vec![Y::identity(); locals.len()],
            matrices: self.matrices.as_ref().map(|_| vec![WorldMatrix::identity(); locals.len()]),
            changes: BitSet::with_capacity(locals.len()),
            changed: Vec::new(),
            tracker: None,
            locals,
        };
        for root in self.tree.child_indices(NIL) {
            cast.changes.insert(self.layout.slot(root));
        }
        Ok(cast)
    }
}
