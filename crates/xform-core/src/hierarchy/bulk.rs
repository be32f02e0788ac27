use std::{borrow::Cow, ops::Range};

use super::Hierarchy;
use crate::{HierarchyError, NodeId, Real, Transform, Trs, bit_set::BitSet, index::NIL};

/// How many nodes are looked up, and as many poses checked, in turns: so few that the one goes on while the other waits
/// for memory.
const CHUNK: usize = 64;

/// Many local poses at once. All are checked before any is set, and an error leaves every pose as it was.
///
/// Which of them for what: [`set_locals`](Self::set_locals) where an animation has a list of nodes,
/// [`set_locals_in_slots`](Self::set_locals_in_slots) where it has looked up their slots,
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
    /// It takes two thirds of the time of setting them one by one where they come in the order of their insertion, and less
    /// where the nodes are scattered in memory.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    ///
    /// # Errors
    ///
    /// The first unknown node, or else the first pose that [`Trs::normalized`] refuses; none is set then.
    ///
    /// # Examples
    ///
    /// What an animation system has sampled, for all joints at once:
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, NodeId, Transform, Trs};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, joints: &[NodeId], sampled: &[Trs<f32>]) -> Result<(), HierarchyError> {
    /// hierarchy.set_locals(joints, sampled)?;
    /// hierarchy.propagate();
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_locals(
        &mut self,
        nodes: &[NodeId],
        locals: &[Trs<X::Scalar>],
    ) -> Result<(), HierarchyError> {
        assert_eq!(nodes.len(), locals.len(), "one local pose a node");
        let mut slots = vec![0; nodes.len()];
        let mut are_valid = true;
        let chunks = slots.chunks_mut(CHUNK).zip(nodes.chunks(CHUNK)).zip(locals.chunks(CHUNK));
        for ((slots, nodes), locals) in chunks {
            self.tree.find_slots(nodes, slots)?;
            are_valid &= Trs::are_clearly_valid(locals);
        }
        let locals = if are_valid { Cow::Borrowed(locals) } else { normalized_each(locals)? };
        self.change_locals(&slots, &locals);
        Ok(())
    }

    /// Sets the local poses of the nodes in these [slots](Self::slot), each to the one in its place; of a slot that is there
    /// twice, the last.
    ///
    /// For those who keep the slots of the nodes that they move, and look them up again when
    /// [`order_generation`](Self::order_generation) changes.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    ///
    /// # Errors
    ///
    /// The first slot without a node, or else the first pose that [`Trs::normalized`] refuses; none is set then.
    pub fn set_locals_in_slots(
        &mut self,
        slots: &[u32],
        locals: &[Trs<X::Scalar>],
    ) -> Result<(), HierarchyError> {
        assert_eq!(slots.len(), locals.len(), "one local pose a slot");
        let is_vacant = |&&slot: &&u32| self.layout.slots.node(slot as usize).is_none();
        if let Some(&slot) = slots.iter().find(is_vacant) {
            return Err(HierarchyError::VacantSlot { slot });
        }
        let locals = normalized_each(locals)?;
        self.change_locals(slots, &locals);
        Ok(())
    }

    /// Sets the poses in these slots to valid ones.
    fn change_locals(&mut self, slots: &[u32], locals: &[Trs<X::Scalar>]) {
        let pairs = slots.iter().map(|&slot| slot as usize).zip(locals);
        if self.tracker.is_some() {
            return pairs.for_each(|(slot, local)| self.change_local(slot, local));
        }
        // Nodes that stand together in the list mostly do so in memory, and are marked together.
        let (mut word, mut differing) = (0, 0);
        let current = self.layout.slots.locals_mut();
        for (slot, local) in pairs {
            let current = &mut current[slot];
            let differs = Trs::differ(current, local);
            *current = *local;
            if slot / BitSet::WORD != word {
                self.changes.insert_word(word, differing);
                (word, differing) = (slot / BitSet::WORD, 0);
            }
            differing |= u64::from(differs) << (slot % BitSet::WORD);
        }
        self.changes.insert_word(word, differing);
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
        self.replace_all(|hierarchy, slots, posed| {
            let nodes = hierarchy.layout.slots.nodes()[slots.clone()].iter();
            let current = &hierarchy.locals()[slots.clone()];
            posed.extend(slots.zip(nodes).zip(current).map(|((slot, &index), current)| {
                if index == NIL { *current } else { locals[slot] }
            }));
        })
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
        self.replace_all(|hierarchy, slots, posed| {
            let nodes = hierarchy.layout.slots.nodes()[slots.clone()].iter();
            posed.extend(nodes.zip(&hierarchy.locals()[slots]).map(|(&index, local)| {
                let mut pose = *local;
                if index != NIL {
                    change(hierarchy.tree.id(index), &mut pose);
                }
                pose
            }));
        })
    }

    /// Sets the local poses of all slots to those which a function appends, for one range of slots after the other.
    ///
    /// The new poses go to memory of their own first, which is kept, and in the end the two change places.
    fn replace_all(
        &mut self,
        append: impl FnMut(&Self, Range<usize>, &mut Vec<Trs<X::Scalar>>),
    ) -> Result<(), HierarchyError> {
        // Of a closure that panics nothing is left but this.
        let mut posed = std::mem::take(&mut self.posed);
        posed.reserve_exact(self.layout.slots.locals_capacity());
        let done = self.pose_all_slots(&mut posed, append).map(|differing| {
            self.mark_differing(&differing, &posed);
            self.layout.slots.swap_locals(&mut posed);
        });
        posed.clear();
        self.posed = posed;
        done
    }

    /// Appends the new pose for each slot, checked. Returns a bit for each that differs from the one that is there.
    fn pose_all_slots(
        &self,
        posed: &mut Vec<Trs<X::Scalar>>,
        mut append: impl FnMut(&Self, Range<usize>, &mut Vec<Trs<X::Scalar>>),
    ) -> Result<Vec<u64>, HierarchyError> {
        let (nodes, locals) = (self.layout.slots.nodes(), self.locals());
        let mut differing = Vec::with_capacity(locals.len().div_ceil(BitSet::WORD));
        // Word by word, so that all is still in the first-level cache when it is checked and compared.
        for (nodes, locals) in nodes.chunks(BitSet::WORD).zip(locals.chunks(BitSet::WORD)) {
            let first = posed.len();
            append(self, first..first + nodes.len(), posed);
            let posed = &mut posed[first..];
            if !Trs::are_clearly_valid(posed) {
                self.normalize_those_of(nodes, posed)?;
            }
            differing.push(Trs::differing(locals, posed));
        }
        Ok(differing)
    }

    #[cold]
    fn normalize_those_of(
        &self,
        nodes: &[u32],
        posed: &mut [Trs<X::Scalar>],
    ) -> Result<(), HierarchyError> {
        for (&index, pose) in nodes.iter().zip(posed).filter(|(index, _)| **index != NIL) {
            let named = |error| HierarchyError::PoseOf { node: self.tree.id(index), error };
            pose.normalize().map_err(named)?;
        }
        Ok(())
    }

    /// Marks the slots in which a pose differs from the local pose that is there.
    fn mark_differing(&mut self, differing: &[u64], posed: &[Trs<X::Scalar>]) {
        for (word, &differing) in differing.iter().enumerate() {
            self.changes.insert_word(word, differing);
        }
        if let (locals, Some(changes)) = self.layout.slots.locals_and_changes() {
            for ((change, local), pose) in changes.iter_mut().zip(locals).zip(posed) {
                change.local |= local.change_to(pose);
            }
        }
    }
}

/// All of these poses [normalized](Trs::normalized), copied only where that changes one.
pub(super) fn normalized_each<T: Real>(
    poses: &[Trs<T>],
) -> Result<Cow<'_, [Trs<T>]>, HierarchyError> {
    if Trs::are_clearly_valid(poses) {
        return Ok(Cow::Borrowed(poses));
    }
    let normalized = poses.iter().enumerate().map(|(index, pose)| {
        pose.normalized().map_err(|error| HierarchyError::PoseAt { index, error })
    });
    normalized.collect()
}
