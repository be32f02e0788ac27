//! What is reported as changed, against world transforms compared one by one.

use std::{collections::HashMap, thread};

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use xform_core::{
    Hierarchy, HierarchyError, NodeId, Transform, Trs,
    changes::{Change, Watcher},
    linear,
};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::support::random::Random;

/// Lengths, cosines and directions that differ by less are the same to rounding: a path has at most
/// some dozens of nodes with scales near 1.
const ROUNDING: f32 = 1e-4;

/// What may not change under a node where a part is not reported.
trait Parts: Transform<Scalar = f32> {
    fn kept(before: &Self, after: &Self, change: Change) -> bool;
    /// The most that may be reported where these parts of local poses changed at the node and above
    /// it, `is_even` where no scale on the path is non-uniform.
    fn allowed(own: Change, above: Change, is_even: bool) -> Change;
}

fn linear_of(world: &impl Transform<Scalar = f32>) -> Matrix3<f32> {
    world.to_homogeneous().fixed_view::<3, 3>(0, 0).into_owned()
}

impl Parts for AccumulatedMatrix<f32> {
    fn kept(before: &Self, after: &Self, change: Change) -> bool {
        let (a, b) = (linear_of(before), linear_of(after));
        let is_near = |a: Vector3<f32>, b: Vector3<f32>| (a - b).amax() <= ROUNDING * b.amax();
        let has_position = before.translation() == after.translation();
        let cosines = |m| Vector3::from(linear::axis_cosines(m).map(Option::unwrap));
        let has_shape = is_near(linear::axis_lengths(&a), linear::axis_lengths(&b))
            && (cosines(&a) - cosines(&b)).amax() <= ROUNDING;
        let may_flip = change.intersects(Change::SCALE);
        let directions = |m| linear::axes(m).map(|axis| axis.normalize());
        let mut pairs = directions(&a).into_iter().zip(directions(&b));
        let has_directions = pairs.all(|(a, b)| is_near(a, b) || may_flip && is_near(-a, b));
        (change.intersects(Change::POSITION) || has_position)
            && (change.intersects(Change::SCALE) || has_shape)
            && (change.intersects(Change::ROTATION | Change::SCALE) || a == b)
            && (change.intersects(Change::ROTATION) || has_directions)
    }

    fn allowed(own: Change, above: Change, is_even: bool) -> Change {
        let either = own | above;
        let is_reshaped =
            either.intersects(Change::SCALE) || !is_even && either.intersects(Change::ROTATION);
        let is_turned = either.intersects(Change::ROTATION) || above.intersects(Change::SCALE);
        Change::SCALE.when(is_reshaped)
            | Change::ROTATION.when(is_turned)
            | Change::POSITION.when(own.intersects(Change::POSITION) || !above.is_empty())
    }
}

impl Parts for CombinedTrs<f32> {
    fn kept(before: &Self, after: &Self, change: Change) -> bool {
        (change.intersects(Change::POSITION) || before.translation == after.translation)
            && (change.intersects(Change::ROTATION) || before.rotation == after.rotation)
            && (change.intersects(Change::SCALE) || before.scale == after.scale)
    }

    fn allowed(own: Change, above: Change, _is_even: bool) -> Change {
        let either = own | above;
        Change::ROTATION.when(either.intersects(Change::ROTATION))
            | Change::SCALE.when(either.intersects(Change::SCALE))
            | Change::POSITION.when(own.intersects(Change::POSITION) || !above.is_empty())
    }
}

/// A hierarchy, what was done to it since the last propagation, and who watches.
struct Watched<X: Parts> {
    random: Random,
    hierarchy: Hierarchy<X>,
    nodes: Vec<NodeId>,
    edited: HashMap<NodeId, Change>,
    watchers: Vec<(NodeId, Watcher, Change)>,
}

impl<X: Parts> Watched<X> {
    fn edit(&mut self) -> Result<(), HierarchyError> {
        if self.nodes.is_empty() {
            self.nodes.push(self.hierarchy.insert(None, Trs::identity())?);
            return self.note(self.nodes[0], Change::ALL);
        }
        let node = self.nodes[self.random.below(self.nodes.len())];
        let local = *self.hierarchy.local(node)?;
        let other = self.random.pose();
        let edit = match self.random.below(8) {
            0 => {
                let scale = Trs::from_scale(Vector3::repeat(other.scale.x));
                self.nodes.push(self.hierarchy.insert(node, scale)?);
                return self.note(*self.nodes.last().unwrap(), Change::ALL);
            }
            1 => {
                let parent = self.nodes[self.random.below(self.nodes.len())];
                let is_moved = self.hierarchy.parent(node)? != Some(parent)
                    && self.hierarchy.reparent(node, parent).is_ok();
                return self.note(node, Change::ALL.when(is_moved));
            }
            2 if self.nodes.len() > 10 => return self.remove(node),
            3 | 4 => local.with_translation(other.translation),
            5 => local.with_rotation(other.rotation),
            6 => local.with_scale(Vector3::repeat(other.scale.x)),
            _ if self.random.one_in(4) => local.with_scale(other.scale),
            _ => local, // the same again
        };
        if self.random.one_in(2) {
            self.hierarchy.set_local(node, edit)?;
        } else {
            self.hierarchy.set_locals(&[node], &[edit])?;
        }
        self.note(node, local.change_to(&edit))
    }

    fn note(&mut self, node: NodeId, change: Change) -> Result<(), HierarchyError> {
        *self.edited.entry(node).or_default() |= change;
        Ok(())
    }

    fn remove(&mut self, node: NodeId) -> Result<(), HierarchyError> {
        self.hierarchy.remove(node)?;
        self.nodes.retain(|&node| self.hierarchy.contains(node));
        self.edited.retain(|&node, _| self.hierarchy.contains(node));
        let hierarchy = &self.hierarchy;
        self.watchers.retain(|(node, watcher, _)| {
            let is_live = hierarchy.contains(*node);
            assert!(is_live || watcher.take().is_none());
            is_live
        });
        Ok(())
    }

    fn propagate(&mut self, worlds: &mut HashMap<NodeId, X>) -> Result<(), HierarchyError> {
        self.hierarchy.propagate();
        let mut reported = 0;
        for &node in &self.nodes {
            let change = self.hierarchy.change_of(node)?;
            reported += usize::from(!change.is_empty());
            let after = self.hierarchy.world(node)?;
            if let Some(before) = worlds.insert(node, after) {
                assert!(X::kept(&before, &after, change), "{change:?} is too little");
            }
            let allowed = self.allowed(node)?;
            assert_eq!(change | allowed, allowed, "more than the docs allow");
        }
        let changed: Vec<_> = self.hierarchy.changed_nodes().collect();
        assert_eq!(changed.len(), reported);
        for (node, change) in changed {
            assert_eq!(self.hierarchy.change_of(node)?, change);
        }
        self.edited.clear();
        self.poll()
    }

    fn allowed(&self, node: NodeId) -> Result<Change, HierarchyError> {
        let edit = |node| self.edited.get(&node).copied().unwrap_or_default();
        let (mut above, mut is_even) = (Change::NONE, true);
        for ancestor in self.hierarchy.ancestors(node)? {
            above |= edit(ancestor);
            let scale = self.hierarchy.local(ancestor)?.scale;
            is_even &= scale.max() == scale.min();
        }
        Ok(X::allowed(edit(node), above, is_even))
    }

    /// Some of the watchers ask; what they hear is all since they last did.
    fn poll(&mut self) -> Result<(), HierarchyError> {
        for (node, watcher, since) in &mut self.watchers {
            *since |= self.hierarchy.change_of(*node)?;
            if self.random.one_in(3) {
                assert_eq!(watcher.take(), Some(std::mem::take(since)));
            }
        }
        if let Some(&node) = self.nodes.last() {
            self.watchers.push((node, self.hierarchy.watch(node)?, Change::ALL));
        }
        if self.watchers.len() > 40 {
            self.watchers.swap_remove(self.random.below(40));
        }
        Ok(())
    }
}

fn any_edits<X: Parts>(seed: u64) {
    let (mut random, mut hierarchy) = (Random(seed), Hierarchy::new());
    let locals = [Trs::identity(); 20];
    let nodes = hierarchy.insert_forest(None, &random.forest(20), &locals).unwrap();
    hierarchy.track_changes(); // what waits already counts too
    let edited = nodes.iter().map(|&node| (node, Change::ALL)).collect();
    let mut watched = Watched::<X> { random, hierarchy, nodes, edited, watchers: Vec::new() };
    let mut worlds = HashMap::new();
    for _ in 0..1_500 {
        for _ in 0..=watched.random.below(6) {
            watched.edit().unwrap();
        }
        watched.propagate(&mut worlds).unwrap();
        if watched.nodes.len() > 60 {
            watched.remove(watched.nodes[1]).unwrap();
        }
    }
}

#[test]
fn in_combined_trs_no_change_is_missed_and_none_made_up() {
    (0..4).for_each(any_edits::<CombinedTrs<f32>>);
}

#[test]
fn in_accumulated_matrices_no_change_is_missed_and_none_made_up() {
    (0..4).for_each(any_edits::<AccumulatedMatrix<f32>>);
}

fn parent_and_child<X: Transform<Scalar = f64>>(
    scale: Vector3<f64>,
) -> (Hierarchy<X>, [NodeId; 2]) {
    let mut hierarchy = Hierarchy::new();
    let parent = hierarchy.insert(None, Trs::from_scale(scale)).unwrap();
    let child = hierarchy.insert(parent, Trs::from_translation(Vector3::x())).unwrap();
    hierarchy.track_changes();
    hierarchy.propagate();
    (hierarchy, [parent, child])
}

fn cycle() -> UnitQuaternion<f64> {
    UnitQuaternion::new_unchecked(Quaternion::new(0.5, 0.5, 0.5, 0.5))
}

fn changes<X: Transform<Scalar = f64>>(
    hierarchy: &mut Hierarchy<X>,
    nodes: [NodeId; 2],
) -> [Change; 2] {
    hierarchy.propagate();
    nodes.map(|node| hierarchy.change_of(node).unwrap())
}

fn each_edit_marks_what_it_changes<X: Transform<Scalar = f64>>(turn_below_non_uniform: Change) {
    let (moved, turned, scaled) = (Change::POSITION, Change::ROTATION, Change::SCALE);
    let (mut hierarchy, nodes) = parent_and_child::<X>(Vector3::repeat(2.0));
    let [parent, child] = nodes;
    hierarchy.set_translation(parent, Vector3::y()).unwrap();
    assert_eq!(changes(&mut hierarchy, nodes), [moved, moved]);
    hierarchy.set_translation(parent, Vector3::y()).unwrap();
    assert_eq!(changes(&mut hierarchy, nodes), [Change::NONE; 2]);
    hierarchy.set_rotation(parent, cycle()).unwrap();
    assert_eq!(changes(&mut hierarchy, nodes), [turned, turned | moved]);
    hierarchy.set_rotation(child, cycle()).unwrap();
    assert_eq!(changes(&mut hierarchy, nodes), [Change::NONE, turned]);
    hierarchy.set_scale(child, Vector3::repeat(3.0)).unwrap();
    assert_eq!(changes(&mut hierarchy, nodes), [Change::NONE, scaled]);
    // Even to rounding is even at any size.
    let (mut hierarchy, nodes) = parent_and_child::<X>(Vector3::repeat(3e8));
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, 0.7, -0.2));
    hierarchy.set_rotation(nodes[0], turn).unwrap();
    hierarchy.propagate();
    hierarchy.set_rotation(nodes[1], cycle()).unwrap();
    assert_eq!(changes(&mut hierarchy, nodes), [Change::NONE, turned]);
    let (mut hierarchy, nodes) = parent_and_child::<X>(Vector3::new(2.0, 1.0, 1.0));
    hierarchy.set_rotation(nodes[1], cycle()).unwrap();
    assert_eq!(changes(&mut hierarchy, nodes), [Change::NONE, turn_below_non_uniform]);
}

#[test]
fn each_edit_marks_the_parts_that_it_changes() {
    each_edit_marks_what_it_changes::<CombinedTrs<f64>>(Change::ROTATION);
    each_edit_marks_what_it_changes::<AccumulatedMatrix<f64>>(Change::ROTATION | Change::SCALE);
}

#[test]
fn a_watcher_may_live_on_another_thread_and_hears_of_the_end() {
    let (mut hierarchy, [parent, child]) =
        parent_and_child::<CombinedTrs<f64>>(Vector3::repeat(1.0));
    let (of_parent, of_child) = (hierarchy.watch(parent).unwrap(), hierarchy.watch(child).unwrap());
    assert_eq!(of_child.take(), Some(Change::ALL)); // never asked before
    assert_eq!(of_child.take(), Some(Change::NONE));
    let clone = hierarchy.clone();
    hierarchy.set_rotation(parent, cycle()).unwrap();
    assert_eq!(of_child.take(), Some(Change::NONE)); // not propagated yet
    hierarchy.propagate();
    let on_a_thread = thread::spawn(move || (of_child.take(), of_child));
    let (change, of_child) = on_a_thread.join().unwrap();
    assert_eq!(change, Some(Change::ROTATION | Change::POSITION));
    hierarchy.remove(child).unwrap();
    assert_eq!((of_child.take(), of_child.take()), (None, None));
    // Its successor has not been propagated, so nothing is said of it yet.
    let successor = hierarchy.insert(parent, Trs::identity()).unwrap();
    assert_eq!(hierarchy.change_of(successor), Ok(Change::NONE));
    assert!(hierarchy.changed_nodes().all(|(node, _)| node == parent));
    drop(hierarchy);
    assert_eq!(of_parent.take(), None);
    assert_eq!(clone.len(), 2); // the clone was not what they watched
}

#[test]
fn untracked_every_node_that_was_recomputed_may_have_changed() {
    let mut hierarchy = Hierarchy::<CombinedTrs<f32>>::new();
    let parent = hierarchy.insert(None, Trs::identity()).unwrap();
    let child = hierarchy.insert(parent, Trs::identity()).unwrap();
    hierarchy.propagate();
    hierarchy.set_translation(child, Vector3::x()).unwrap();
    hierarchy.propagate();
    assert_eq!(hierarchy.change_of(parent), Ok(Change::NONE));
    assert_eq!(hierarchy.change_of(child), Ok(Change::ALL));
    assert!(hierarchy.changed_nodes().eq([(child, Change::ALL)]));
}
