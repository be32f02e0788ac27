mod basics;
mod branch;
mod bulk;
mod cast;
mod edit;
mod edit_frame;
mod keep_world;
mod layout;
mod pose;
mod query;
mod slot_table;
mod space;
mod stamps;
#[cfg(feature = "rayon")]
mod threads;
mod track;
mod tracker;
mod upload;
mod walk;
mod world;
mod world_edit;

use std::ops::Range;

use crate::{
    InstructionSet, Transform, Trs, bit_set::BitSet, index::NIL, transform::Sweep, tree::Tree,
};
use layout::Layout;
use slot_table::SweepColumns;
use stamps::Stamps;
use tracker::Tracker;

pub use walk::Walk;

/// A forest of nodes with local poses, and the world transforms that follow from them.
///
/// [Insert](Self::insert) nodes, set their local poses, [propagate](Self::propagate), and read their [world
/// transforms](Self::world). The strategy `X` decides how world transforms are accumulated. Everything else is the
/// same for all strategies.
///
/// - A [`NodeId`](crate::NodeId) identifies a node and stays valid until the node is removed.
/// - Roots and siblings keep their order. A [`Place`](crate::Place) chooses the position of a new or moved node.
/// - An edit changes poses or structure at once, but not world transforms. [`propagate`](Self::propagate) then
///   recomputes those that are affected. A world transform that is read before that is computed on the spot from the
///   current poses, so it is never stale.
/// - An operation that can fail checks everything first: after an error the hierarchy is unchanged. The same holds
///   if a strategy of your own panics in an edit. If it panics in a propagation, all changes stay pending until the
///   next one.
/// - Nothing recurses, so depth is limited only by memory.
/// - In this crate, slices that belong together must have the same length; otherwise the function panics. A `Vec`
///   that a function fills is resized as needed.
///
/// # Examples
///
/// ```
/// use nalgebra::Vector3;
/// use xform_core::{Hierarchy, Trs};
/// # use nalgebra::{Matrix4, Point3};
/// # use xform_core::Transform;
/// # #[derive(Clone, Copy)]
/// # struct Position(Vector3<f32>);
/// # impl Transform for Position {
/// #     type Scalar = f32;
/// #     fn identity() -> Self { Self(Vector3::zeros()) }
/// #     fn concat(&self, local: &Trs<f32>) -> Self { Self(self.0 + local.translation) }
/// #     fn transform_point(&self, point: &Point3<f32>) -> Point3<f32> { point + self.0 }
/// #     fn transform_vector(&self, vector: &Vector3<f32>) -> Vector3<f32> { *vector }
/// #     fn inverse_transform_point(&self, point: &Point3<f32>) -> Option<Point3<f32>> { Some(point - self.0) }
/// #     fn inverse_transform_vector(&self, vector: &Vector3<f32>) -> Option<Vector3<f32>> { Some(*vector) }
/// #     fn to_homogeneous(&self) -> Matrix4<f32> { Matrix4::new_translation(&self.0) }
/// # }
/// # type Strategy = Position;
///
/// // `Strategy` is `AccumulatedMatrix<f32>` of xform-matrix, or `CombinedTrs<f32>` of xform-trs.
/// let mut hierarchy = Hierarchy::<Strategy>::new();
/// let arm = hierarchy.insert(None, Trs::from_translation(Vector3::new(0.0, 1.0, 0.0)))?;
/// let hand = hierarchy.insert(arm, Trs::from_translation(Vector3::new(2.0, 0.0, 0.0)))?;
/// hierarchy.propagate();
/// let world_from_hand = hierarchy.world(hand)?.to_homogeneous();
/// assert_eq!(world_from_hand.column(3).xyz(), Vector3::new(2.0, 1.0, 0.0));
/// # Ok::<(), xform_core::HierarchyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Hierarchy<X: Transform> {
    tree: Tree,
    layout: Layout<X>,
    /// The slots of nodes whose pose or parent changed since the last propagation.
    changes: BitSet,
    /// The slots that the last propagation recomputed.
    changed: Vec<Range<usize>>,
    /// Memory for the new poses of a bulk edit; empty except while one runs.
    posed: Vec<Trs<X::Scalar>>,
    /// The time at which each slot was last recomputed; `None` until a cursor is created.
    stamps: Option<Box<Stamps>>,
    /// Finds which parts of each node changed; `None` unless changes are tracked.
    tracker: Option<Box<Tracker>>,
}

impl<X: Transform> Hierarchy<X> {
    /// Creates a hierarchy without nodes, with room for `capacity` nodes.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            tree: Tree::with_capacity(capacity),
            layout: Layout::with_capacity(capacity),
            changes: BitSet::with_capacity(capacity),
            changed: Vec::new(),
            posed: Vec::new(),
            stamps: None,
            tracker: None,
        }
    }

    /// Returns the number of nodes that the hierarchy can hold without growing.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.layout.slots.capacity().min(self.tree.capacity())
    }

    /// Makes room for `additional` more nodes.
    pub fn reserve(&mut self, additional: usize) {
        self.tree.reserve(additional);
        self.layout.reserve(additional);
    }

    /// Returns the number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Returns whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Propagates with a given instruction set, for tests and benchmarks; see
    /// [`propagate`](Self::propagate).
    ///
    /// # Panics
    ///
    /// If the processor does not support it.
    #[doc(hidden)]
    pub fn propagate_by(&mut self, instruction_set: InstructionSet) {
        self.forget_last_changes();
        self.changed.clear();
        if self.layout.is_stale() {
            self.compact();
        }
        if !self.changes.is_empty() {
            self.layout.subtrees(&self.changes, &self.tree, &mut self.changed);
            self.sweep_changed(instruction_set);
            self.track_changed();
            if let Some(stamps) = &mut self.stamps {
                stamps.advance(&self.changed, self.layout.slots.len());
            }
            self.changes.clear();
        }
    }

    fn sweep_changed(&mut self, instruction_set: InstructionSet) {
        #[cfg(feature = "rayon")]
        if self.sweep_on_threads(instruction_set) {
            return;
        }
        let ranges = std::mem::take(&mut self.changed);
        self.sweep_ranges(&ranges, instruction_set);
        self.changed = ranges;
    }

    fn sweep_ranges(&mut self, ranges: &[Range<usize>], instruction_set: InstructionSet) {
        let SweepColumns { topology, locals, worlds, matrices } = self.layout.slots.sweep_columns();
        let sweep = Sweep::new(topology, locals, worlds, ranges);
        let sweep = match matrices {
            Some(matrices) => sweep.with_matrices(matrices),
            None => sweep,
        };
        X::sweep(sweep.with_instruction_set(instruction_set));
    }

    /// Compacts the layout if removed and moved nodes left more vacant slots behind than there are nodes.
    ///
    /// So memory stays in proportion to the number of nodes, not of edits, even if `propagate` is never called.
    fn compact_if_mostly_vacant(&mut self) {
        if self.layout.is_mostly_vacant(self.len()) {
            self.compact();
        }
    }

    /// Gives all nodes new slots, in the order that is best for propagation.
    ///
    /// Marks all nodes to be recomputed. For 100 000 nodes that takes 0.7 ms, and moving their world transforms to
    /// the new slots took 6 ms.
    fn compact(&mut self) {
        let old_slots = self.layout.compact(&mut self.tree);
        self.changed = layout::renumbered(&self.changed, &old_slots);
        if let Some(stamps) = &mut self.stamps {
            stamps.advance(std::slice::from_ref(&(0..old_slots.len())), old_slots.len());
        }
        self.changes.clear();
        for root in self.tree.child_indices(NIL) {
            self.changes.insert(self.tree.slot(root));
        }
    }
}

impl<X: Transform> Default for Hierarchy<X> {
    /// Creates a hierarchy without nodes.
    fn default() -> Self {
        Self::new()
    }
}
