use std::borrow::Cow;

use super::Hierarchy;
use crate::{
    HierarchyError, NodeId, Real, Transform, Trs,
    bit_set::BitSet,
    index::{NIL, stored},
};

/// Many local poses at once. All are checked before any is set, and an error leaves every pose as it was.
///
/// Which of them for what: [`set_locals`](Self::set_locals) where an animation has a list of nodes,
/// [`pose_all`](Self::pose_all) where a function has a pose for each node, and
/// [`set_locals_by_slot`](Self::set_locals_by_slot), which is the fastest, where somebody else computed them in the order
/// of [`locals`](Self::locals). The last two keep memory for a second set of poses, from their first call on.
impl<X: Transform> Hierarchy<X> {
    /// The local poses by slot, as [`worlds`](Self::worlds) are. What a vacant slot holds means nothing.
    #[must_use]
    pub fn locals(&self) -> &[Trs<X::Scalar>] {
        self.layout.slots.locals()
    }

    /// Sets the local poses of many nodes, each to the one in its place; of a node that is there twice, the last.
    ///
    /// It takes a third of the time of setting them one by one where the nodes are
    /// scattered in memory, and as long or somewhat longer where they come in the order of their insertion.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    ///
    /// # Errors
    ///
    /// The first unknown node, or else the first pose that [`Trs::normalized`] refuses; none is set then.
    pub fn set_locals(
        &mut self,
        nodes: &[NodeId],
        locals: &[Trs<X::Scalar>],
    ) -> Result<(), HierarchyError> {
        assert_eq!(nodes.len(), locals.len(), "one local pose a node");
        let mut slots = Vec::with_capacity(nodes.len());
        let mut are_valid = true;
        for (&node, local) in nodes.iter().zip(locals) {
            slots.push(stored(self.tree.slot_of(node)?));
            are_valid &= local.is_clearly_valid();
        }
        let locals = if are_valid { Cow::Borrowed(locals) } else { normalized_each(locals)? };
        for (slot, local) in slots.into_iter().zip(locals.iter()) {
            self.change_local(slot as usize, local);
        }
        Ok(())
    }

    /// Sets the local pose of every node, each to that in its [slot](Self::slot). What stands in vacant slots is ignored.
    ///
    /// # Panics
    ///
    /// If there are more or fewer of them than [slots](Self::locals).
    ///
    /// # Errors
    ///
    /// The first node whose pose [`Trs::normalized`] refuses; none is set then.
    pub fn set_locals_by_slot(&mut self, locals: &[Trs<X::Scalar>]) -> Result<(), HierarchyError> {
        assert_eq!(locals.len(), self.locals().len(), "one local pose a slot");
        self.replace_each(|_, _, slot| locals[slot])
    }

    /// Changes the local pose of every node in place, in the order of their slots: parents before children, unless
    /// nodes were inserted or moved since the last propagation.
    ///
    /// # Errors
    ///
    /// The first node whose changed pose [`Trs::normalized`] refuses; none is set then.
    ///
    /// # Examples
    ///
    /// ```
    /// # use nalgebra::Vector3;
    /// # use xform_core::{Hierarchy, HierarchyError, NodeTable, Transform};
    /// # fn drift<Strategy: Transform<Scalar = f32>>(
    /// #     hierarchy: &mut Hierarchy<Strategy>, wind: &NodeTable<Vector3<f32>>,
    /// # ) -> Result<(), HierarchyError> {
    /// hierarchy.pose_all(|node, pose| {
    ///     if let Some(wind) = wind.get(node) {
    ///         pose.translation += wind;
    ///     }
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn pose_all(
        &mut self,
        mut change: impl FnMut(NodeId, &mut Trs<X::Scalar>),
    ) -> Result<(), HierarchyError> {
        self.replace_each(|hierarchy, index, slot| {
            let mut pose = hierarchy.locals()[slot];
            change(hierarchy.tree.id(index), &mut pose);
            pose
        })
    }

    /// Sets the local pose of every node to that which a function has for its index and its slot.
    ///
    /// The new poses go to memory of their own first, which is kept, and in the end the two change places.
    fn replace_each(
        &mut self,
        mut pose_of: impl FnMut(&Self, u32, usize) -> Trs<X::Scalar>,
    ) -> Result<(), HierarchyError> {
        // Of a closure that panics nothing is left but this.
        let mut posed = std::mem::take(&mut self.posed);
        posed.reserve_exact(self.layout.slots.locals_capacity());
        let nodes = self.layout.slots.nodes().iter().zip(self.locals()).enumerate();
        posed.extend(nodes.map(
            |(slot, (&index, local))| {
                if index == NIL { *local } else { pose_of(self, index, slot) }
            },
        ));
        let are_valid = posed.iter().fold(true, |valid, pose| valid & pose.is_clearly_valid());
        let checked = if are_valid { Ok(()) } else { self.normalize_by_slot(&mut posed) };
        if checked.is_ok() {
            self.mark_differing(&posed);
            self.layout.slots.swap_locals(&mut posed);
        }
        posed.clear();
        self.posed = posed;
        checked
    }

    #[cold]
    fn normalize_by_slot(&self, posed: &mut [Trs<X::Scalar>]) -> Result<(), HierarchyError> {
        let nodes = self.layout.slots.nodes().iter().zip(posed);
        for (&index, pose) in nodes.filter(|(index, _)| **index != NIL) {
            let named = |error| HierarchyError::PoseOf { node: self.tree.id(index), error };
            pose.normalize().map_err(named)?;
        }
        Ok(())
    }

    /// Marks the slots in which a pose differs from the local pose that is there.
    fn mark_differing(&mut self, posed: &[Trs<X::Scalar>]) {
        let (locals, mut changes) = self.layout.slots.locals_and_changes();
        let words = locals.chunks(BitSet::WORD).zip(posed.chunks(BitSet::WORD)).enumerate();
        for (word, (locals, posed)) in words {
            let pairs = locals.iter().zip(posed).enumerate();
            let differing = pairs.fold(0, |word, (i, (local, pose))| {
                word | u64::from(local.differs_from(pose)) << i
            });
            self.changes.insert_word(word, differing);
            if let Some(changes) = &mut changes {
                let changes = &mut changes[word * BitSet::WORD..];
                for ((change, local), pose) in changes.iter_mut().zip(locals).zip(posed) {
                    change.local |= local.change_to(pose);
                }
            }
        }
    }
}

/// All of these poses [normalized](Trs::normalized), copied only where that changes one.
pub(super) fn normalized_each<T: Real>(
    poses: &[Trs<T>],
) -> Result<Cow<'_, [Trs<T>]>, HierarchyError> {
    // Without a branch for each.
    if poses.iter().fold(true, |are_valid, pose| are_valid & pose.is_clearly_valid()) {
        return Ok(Cow::Borrowed(poses));
    }
    let normalized = poses.iter().enumerate().map(|(index, pose)| {
        pose.normalized().map_err(|error| HierarchyError::PoseAt { index, error })
    });
    normalized.collect()
}
