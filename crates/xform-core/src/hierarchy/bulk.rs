use std::{borrow::Cow, ops::Range};

use super::Hierarchy;
use crate::{HierarchyError, NodeId, Real, Transform, Trs, bit_set::BitSet, index::NIL};

/// The number of nodes that are looked up, and of poses that are checked, in turns. It is small enough that one task
/// goes on while the other waits for memory.
const CHUNK: usize = 64;

/// Setting many local poses at once. All poses are checked before any is set, and after an error every pose is
/// unchanged.
///
/// Choose by the form in which you have the poses:
///
/// - [`set_locals`](Self::set_locals) for a list of nodes, such as the targets of an animation.
/// - [`set_locals_in_slots`](Self::set_locals_in_slots) for a list of slots that were looked up before.
/// - [`pose_all`](Self::pose_all) for a function that computes the pose of each node.
/// - [`set_locals_by_slot`](Self::set_locals_by_slot), the fastest, for poses in the order of
///   [`locals`](Self::locals).
///
/// From their first call on, the last two keep memory for a second set of poses.
impl<X: Transform> Hierarchy<X> {
    /// Returns the local poses by slot, in the same order as [`worlds`](Self::worlds). The contents of vacant slots
    /// are meaningless.
    #[must_use]
    pub fn locals(&self) -> &[Trs<X::Scalar>] {
        self.layout.slots.locals()
    }

    /// Sets the local poses of many nodes: `locals[i]` goes to `nodes[i]`. If a node is listed twice, the last pose
    /// wins.
    ///
    /// If the nodes are in the order of their insertion, this takes two thirds of the time of setting the poses one
    /// by one. It takes less than that if the nodes are scattered in memory.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    ///
    /// # Errors
    ///
    /// The first unknown node, or else the first pose that [`Trs::normalized`] refuses. No pose is set then.
    ///
    /// # Examples
    ///
    /// The poses that an animation system has sampled, for all joints at once:
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, NodeId, Transform, Trs};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, joints: &[NodeId], sampled: &[Trs<f32>]) -> Result<(), HierarchyError> {
    /// hierarchy.set_locals(joints, sampled)?;
    /// hierarchy.propagate();
    /// # Ok(())
    /// # }
    /// ```
    // All poses are checked before any is set, so this goes through them twice. Nodes are looked up and poses
    // checked 64 at a time in turns, so that one task goes on while the other waits for memory, and nodes in the
    // same word of the set of changes are marked together. With 10 000 nodes this takes 2.8 ns a node instead of
    // 5.5; setting them one by one takes 4.2 (docs/benchmarks.md, 2026-11-24).
    pub fn set_locals(
        &mut self,
        nodes: &[NodeId],
        locals: &[Trs<X::Scalar>],
    ) -> Result<(), HierarchyError> {
        assert_eq!(nodes.len(), locals.len(), "one local pose per node");
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

    /// Sets the local poses of the nodes in these [slots](Self::slot): `locals[i]` goes to `slots[i]`. If a slot is
    /// listed twice, the last pose wins.
    ///
    /// Use this if you keep the slots of the nodes that you move, and look them up again when
    /// [`order_generation`](Self::order_generation) changes.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    ///
    /// # Errors
    ///
    /// The first slot without a node, or else the first pose that [`Trs::normalized`] refuses. No pose is set then.
    pub fn set_locals_in_slots(
        &mut self,
        slots: &[u32],
        locals: &[Trs<X::Scalar>],
    ) -> Result<(), HierarchyError> {
        assert_eq!(slots.len(), locals.len(), "one local pose per slot");
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
        // Nodes that are neighbours in the list usually are in memory too, and are marked together.
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

    /// Sets the local pose of every node to the element at its [slot](Self::slot). The elements at vacant slots are
    /// ignored.
    ///
    /// # Panics
    ///
    /// If the number of poses differs from that of [slots](Self::locals).
    ///
    /// # Errors
    ///
    /// The first node whose pose [`Trs::normalized`] refuses. No pose is set then.
    pub fn set_locals_by_slot(&mut self, locals: &[Trs<X::Scalar>]) -> Result<(), HierarchyError> {
        assert_eq!(locals.len(), self.locals().len(), "one local pose per slot");
        self.replace_all(|hierarchy, slots, posed| {
            let nodes = hierarchy.layout.slots.nodes()[slots.clone()].iter();
            let current = &hierarchy.locals()[slots.clone()];
            posed.extend(slots.zip(nodes).zip(current).map(|((slot, &index), current)| {
                if index == NIL { *current } else { locals[slot] }
            }));
        })
    }

    /// Changes the local pose of every node in place.
    ///
    /// The nodes are visited in the order of their slots. Parents come before children unless nodes were inserted or
    /// moved since the last propagation.
    ///
    /// # Errors
    ///
    /// The first node whose changed pose [`Trs::normalized`] refuses. No pose is set then.
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

    /// Sets the local poses of all slots to those that a function appends, one range of slots after another.
    ///
    /// The new poses are first written to a separate vector, whose memory is kept. At the end the two vectors are
    /// swapped.
    fn replace_all(
        &mut self,
        append: impl FnMut(&Self, Range<usize>, &mut Vec<Trs<X::Scalar>>),
    ) -> Result<(), HierarchyError> {
        // If the closure panics, only this memory is lost.
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

    /// Appends the new pose for each slot, checked. Returns a bit for each slot, set if the new pose differs from
    /// the current one.
    fn pose_all_slots(
        &self,
        posed: &mut Vec<Trs<X::Scalar>>,
        mut append: impl FnMut(&Self, Range<usize>, &mut Vec<Trs<X::Scalar>>),
    ) -> Result<Vec<u64>, HierarchyError> {
        let (nodes, locals) = (self.layout.slots.nodes(), self.locals());
        let mut differing = Vec::with_capacity(locals.len().div_ceil(BitSet::WORD));
        // Poses by slot are copied, checked and compared 64 at a time, while they are in the first-level cache.
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

    /// Marks the slots in which the new pose differs from the current local pose.
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

/// Returns all of these poses [normalized](Trs::normalized), copied only if that changes one.
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
