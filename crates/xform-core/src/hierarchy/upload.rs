use std::ops::Range;

use super::Hierarchy;
use crate::{
    HierarchyError, NodeId, Real, Snapshot, Space, Transform, conversion::Conversion, index::NIL,
    world_matrix::WorldMatrix,
};

/// All world transforms at once, by slot, for upload or for a loop over them.
///
/// A node keeps its slot until [`order_generation`](Hierarchy::order_generation) changes. The slot of a node that
/// was removed or moved is vacant until then, and its contents are meaningless.
impl<X: Transform> Hierarchy<X> {
    /// Returns the world transforms by slot; `None` while an edit waits for [`propagate`](Self::propagate), so a
    /// stale one cannot be read by mistake.
    ///
    /// # Examples
    ///
    /// The instance data of each node, ready for upload. With the feature `bytemuck`, `cast_slice` turns them into
    /// bytes:
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, Transform};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>) -> Result<(), HierarchyError> {
    /// hierarchy.propagate();
    /// let worlds = hierarchy.worlds().ok_or(HierarchyError::NotPropagated)?;
    /// for node in &*hierarchy {
    ///     let world = worlds[hierarchy.slot(node)?];
    ///     # let _ = world;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn worlds(&self) -> Option<&[X]> {
        self.is_propagated().then(|| self.layout.slots.worlds())
    }

    /// Returns the world transforms as matrices, by slot; `None` unless [`keep_matrices`](Self::keep_matrices) is
    /// on, and while an edit waits for [`propagate`](Self::propagate).
    #[must_use]
    pub fn matrices(&self) -> Option<&[WorldMatrix<X::Scalar>]> {
        self.layout.slots.matrices().filter(|_| self.is_propagated())
    }

    /// Writes the world transforms as matrices relative to a space, by slot, in `f32` or `f64`.
    ///
    /// Use it to draw all nodes from a camera, or relative to an origin that moves with the player.
    ///
    /// Positions are subtracted in the scalar of the hierarchy before anything is rounded. So a hierarchy in `f64`
    /// gives matrices in `f32` that are as exact near a camera a million kilometres away as at the world's origin.
    /// Relative to a node that only translates, the axes stay those of the world. A matrix takes about as long as
    /// one product.
    ///
    /// `matrices` is overwritten and keeps its memory. The matrices of vacant slots are meaningless.
    ///
    /// # Errors
    ///
    /// An unknown node; a space without an inverse; an edit that waits for [`propagate`](Self::propagate).
    pub fn matrices_relative_to<T: Real>(
        &self,
        space: impl Into<Space>,
        matrices: &mut Vec<WorldMatrix<T>>,
    ) -> Result<(), HierarchyError> {
        let space_from_world = self.conversion(Space::World, space)?;
        let worlds = self.worlds().ok_or(HierarchyError::NotPropagated)?;
        matrices.clear();
        matrices.extend(worlds.iter().map(|world| relative_matrix(&space_from_world, world)));
        Ok(())
    }

    /// Writes the world transforms of some nodes as matrices relative to a space, in their order and in `f32` or
    /// `f64`.
    ///
    /// An example is the joints of one skin among many, relative to the mesh that they deform.
    ///
    /// Like [`matrices_relative_to`](Self::matrices_relative_to), this goes by way of the world; far from the
    /// world's origin a [`conversion`](Self::conversion) between two nodes is more exact. The result is correct even
    /// while edits are pending, and faster to compute if none are. `matrices` is overwritten and keeps its memory.
    /// After an error its contents are meaningless.
    ///
    /// # Errors
    ///
    /// An unknown node; a space without an inverse.
    ///
    /// # Examples
    ///
    /// The palette of a skin. Each matrix takes a vertex, in the space of the mesh, to where its joint puts it.
    ///
    /// ```
    /// # use xform_core::{
    /// #     Hierarchy, HierarchyError, NodeId, Transform, nalgebra::Matrix4, world_matrix::WorldMatrix,
    /// # };
    /// # fn skin<Strategy: Transform>(
    /// #     hierarchy: &Hierarchy<Strategy>, mesh: NodeId, joints: &[NodeId], inverse_binds: &[Matrix4<f32>],
    /// #     palette: &mut Vec<WorldMatrix<f32>>,
    /// # ) -> Result<(), HierarchyError> {
    /// hierarchy.matrices_of(joints, mesh, palette)?;
    /// for (matrix, inverse_bind) in palette.iter_mut().zip(inverse_binds) {
    ///     matrix.0 *= inverse_bind;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn matrices_of<T: Real>(
        &self,
        nodes: &[NodeId],
        space: impl Into<Space>,
        matrices: &mut Vec<WorldMatrix<T>>,
    ) -> Result<(), HierarchyError> {
        let space_from_world = self.conversion(Space::World, space)?;
        matrices.clear();
        for &node in nodes {
            matrices.push(relative_matrix(&space_from_world, &self.world(node)?));
        }
        Ok(())
    }

    /// Copies all world transforms, with their nodes, into a [`Snapshot`], and reuses its memory.
    ///
    /// # Errors
    ///
    /// An edit that waits for [`propagate`](Self::propagate). The snapshot is then unchanged.
    pub fn snapshot(&self, into: &mut Snapshot<X>) -> Result<(), HierarchyError> {
        let worlds = self.worlds().ok_or(HierarchyError::NotPropagated)?;
        let slots = &self.layout.slots;
        let node = |&index: &u32| (index != NIL).then(|| self.tree.id(index));
        into.fill(slots.topology(), slots.locals(), worlds, slots.nodes().iter().map(node));
        Ok(())
    }

    pub(super) fn is_propagated(&self) -> bool {
        self.changes.is_empty() && !self.layout.is_stale()
    }

    /// Sets whether propagation also writes each world transform as a 4×4 matrix.
    ///
    /// This is useful for a strategy whose world transforms are not matrices. Off by default.
    pub fn keep_matrices(&mut self, keep: bool) {
        self.layout.slots.keep_matrices(keep);
    }

    /// Returns the slots that the last [`propagate`](Self::propagate) wrote, as ascending ranges that neither
    /// overlap nor touch.
    ///
    /// They contain every slot whose world transform differs from before. They contain only slots at or below a change,
    /// unless all nodes were put in order again: then they contain all slots.
    ///
    /// # Examples
    ///
    /// Uploading only the world transforms that changed to the GPU:
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, Transform};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, upload: impl Fn(usize, &[Strategy])) -> Result<(), HierarchyError> {
    /// hierarchy.propagate();
    /// let worlds = hierarchy.worlds().ok_or(HierarchyError::NotPropagated)?;
    /// for range in hierarchy.changed() {
    ///     upload(range.start, &worlds[range.clone()]);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn changed(&self) -> &[Range<usize>] {
        &self.changed
    }

    /// Returns the slot of a node, which is its index in [`worlds`](Self::worlds).
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn slot(&self, node: NodeId) -> Result<usize, HierarchyError> {
        self.tree.slot_of(node)
    }

    /// Returns the node in a slot; `None` if the slot is vacant or out of range.
    #[must_use]
    pub fn node_in(&self, slot: usize) -> Option<NodeId> {
        self.layout.slots.node(slot).map(|index| self.tree.id(index))
    }

    /// Gives a node a number that moves with its slot, such as the index of its mesh, or the bits of the entity that
    /// stands for it elsewhere.
    ///
    /// Code that walks [`worlds`](Self::worlds) finds the number in [`tags`](Self::tags), without a lookup from slot
    /// to node to table. For other values see [`NodeTable`](crate::NodeTable).
    ///
    /// The hierarchy does not use the number. It is 0 until another is set, and 0 in a copy of the node.
    /// [`restore`](Self::restore) brings it back. It is not serialised.
    ///
    /// # Errors
    ///
    /// An unknown node.
    ///
    /// # Examples
    ///
    /// ```
    /// # use xform_core::{Hierarchy, HierarchyError, Transform, Trs};
    /// # fn example<Strategy: Transform<Scalar = f32>>(hierarchy: &mut Hierarchy<Strategy>, draw: impl Fn(u64, &Strategy)) -> Result<(), HierarchyError> {
    /// let lamp = hierarchy.insert(None, Trs::identity())?;
    /// hierarchy.set_tag(lamp, 17)?; // the index of its mesh
    /// hierarchy.propagate();
    /// let worlds = hierarchy.worlds().ok_or(HierarchyError::NotPropagated)?;
    /// for range in hierarchy.changed() {
    ///     for (mesh, world) in hierarchy.tags()[range.clone()].iter().zip(&worlds[range.clone()]) {
    ///         draw(*mesh, world);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_tag(&mut self, node: NodeId, tag: u64) -> Result<(), HierarchyError> {
        let slot = self.tree.slot_of(node)?;
        self.layout.slots.set_tag(slot, tag);
        Ok(())
    }

    /// Returns the number that a node was [given](Self::set_tag); 0 if none was.
    ///
    /// # Errors
    ///
    /// An unknown node.
    pub fn tag(&self, node: NodeId) -> Result<u64, HierarchyError> {
        let slot = self.tree.slot_of(node)?;
        Ok(self.tags().get(slot).copied().unwrap_or_default())
    }

    /// Returns the number of each node, by slot like [`worlds`](Self::worlds); 0 in vacant slots. Empty until the
    /// first number is [set](Self::set_tag).
    #[must_use]
    pub fn tags(&self) -> &[u64] {
        self.layout.slots.tags()
    }

    /// Returns a number that changes whenever a living node is given another slot.
    #[must_use]
    pub fn order_generation(&self) -> u64 {
        self.layout.generation()
    }
}

/// Returns a world transform as a matrix to another space, rounded last.
#[inline]
fn relative_matrix<X: Transform, T: Real>(
    space_from_world: &Conversion<X::Scalar>,
    world: &X,
) -> WorldMatrix<T> {
    let rounded = |x: X::Scalar| T::rounded(x.into());
    let (linear, origin) = space_from_world.relative(&world.to_homogeneous());
    let mut matrix = linear.map(rounded).to_homogeneous();
    matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&origin.map(rounded));
    WorldMatrix(matrix)
}
