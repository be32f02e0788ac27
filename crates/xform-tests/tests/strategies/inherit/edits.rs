//! What a node inherits goes with it, whatever happens around it, and changes are told by it.

use nalgebra::{UnitQuaternion, Vector3};
use std::{collections::HashMap, fmt::Debug};
use xform_core::{Hierarchy, Inherit, NodeId, Topology, Transform, Trs, changes::Change};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::support::{every_strategy::for_every_strategy, random::Random};

fn any_inherit(random: &mut Random) -> Inherit {
    Inherit::EACH[random.below(Inherit::EACH.len())]
}

/// Debug output tells −0 from 0, so equal texts are equal bits.
fn text(of: &impl Debug) -> String {
    format!("{of:?}")
}

/// A hierarchy, and what its nodes must inherit.
struct Edited<X: Transform> {
    random: Random,
    hierarchy: Hierarchy<X>,
    inherits: HashMap<NodeId, Inherit>,
    nodes: Vec<NodeId>,
    /// What was done to each since the last propagation.
    edits: HashMap<NodeId, Change>,
}

impl<X: Transform + Debug> Edited<X> {
    fn new(seed: u64, len: usize) -> Self {
        let mut random = Random(seed);
        let mut hierarchy = Hierarchy::new();
        let locals: Vec<_> = (0..len).map(|_| random.pose().cast()).collect();
        let nodes = hierarchy.insert_forest(None, &random.forest(len), &locals).unwrap();
        let inherits = nodes.iter().map(|&node| (node, Inherit::All)).collect();
        let edits = nodes.iter().map(|&node| (node, Change::ALL)).collect();
        Self { random, hierarchy, inherits, nodes, edits }
    }

    fn any_node(&mut self) -> NodeId {
        self.nodes[self.random.below(self.nodes.len())]
    }

    fn note(&mut self, node: NodeId, change: Change) {
        *self.edits.entry(node).or_default() |= change;
    }

    fn insert(&mut self, parent: Option<NodeId>) {
        let node = self.hierarchy.insert(parent, self.random.pose().cast()).unwrap();
        self.nodes.push(node);
        self.inherits.insert(node, Inherit::All);
        self.note(node, Change::ALL);
    }

    fn edit(&mut self, least: usize) {
        let node = self.any_node();
        match self.random.below(8) {
            0 | 1 => {
                let place = (!self.random.one_in(10)).then_some(node);
                self.insert(place);
            }
            2 if self.nodes.len() > least => {
                self.hierarchy.remove(node).unwrap();
                let hierarchy = &self.hierarchy;
                self.nodes.retain(|&node| hierarchy.contains(node));
                self.inherits.retain(|&node, _| hierarchy.contains(node));
                self.edits.retain(|&node, _| hierarchy.contains(node));
                if self.nodes.is_empty() {
                    self.insert(None);
                }
            }
            2 | 3 => {
                let parent = (!self.random.one_in(10)).then(|| self.any_node());
                let is_moved = self.hierarchy.parent(node) != Ok(parent)
                    && self.hierarchy.reparent(node, parent).is_ok();
                self.note(node, Change::ALL.when(is_moved));
            }
            4 => self.set_local(node),
            _ => {
                let inherit = any_inherit(&mut self.random);
                self.hierarchy.set_inherit(node, inherit).unwrap();
                let is_other = self.inherits.insert(node, inherit) != Some(inherit);
                self.note(node, Change::ALL.when(is_other));
            }
        }
    }

    fn set_local(&mut self, node: NodeId) {
        let (old, other) = (*self.hierarchy.local(node).unwrap(), self.random.pose().cast());
        let local = match self.random.below(4) {
            0 => old.with_rotation(other.rotation),
            1 => old.with_scale(other.scale),
            _ => old.with_translation(other.translation),
        };
        self.hierarchy.set_local(node, local).unwrap();
        self.note(node, old.change_to(&local));
    }

    /// Worlds and what is inherited, against the same nodes inserted one by one.
    fn is_as_built(&self) {
        let mut built = Hierarchy::<X>::new();
        let mut twins = HashMap::new();
        for node in &self.hierarchy {
            let parent = self.hierarchy.parent(node).unwrap().map(|parent| twins[&parent]);
            let twin = built.insert(parent, *self.hierarchy.local(node).unwrap()).unwrap();
            built.set_inherit(twin, self.inherits[&node]).unwrap();
            twins.insert(node, twin);
        }
        built.propagate();
        assert_eq!(self.hierarchy.len(), self.nodes.len());
        for (&node, &twin) in &twins {
            assert_eq!(self.hierarchy.inherit(node), Ok(self.inherits[&node]));
            let worlds = (self.hierarchy.world(node), built.world(twin));
            assert_eq!(text(&worlds.0.unwrap()), text(&worlds.1.unwrap()));
        }
    }
}

fn nodes_keep_what_they_inherit<X: Transform + Debug>(seed: u64, len: usize, most: usize) {
    let mut edited = Edited::<X>::new(seed, len);
    for round in 0..40 {
        let count = if round % 8 == 7 { 64 + edited.nodes.len() / 8 + 9 } else { most };
        (0..=edited.random.below(count)).for_each(|_| edited.edit(len / 2));
        if round % 3 == 0 {
            edited.is_as_built(); // with all of it pending
        }
        edited.hierarchy.propagate();
        edited.is_as_built();
        let cast = edited.hierarchy.cast().unwrap(); // keeps ids, poses and what is inherited
        edited.hierarchy = cast;
        edited.is_as_built();
        edited.hierarchy.propagate();
    }
}

#[test]
fn each_node_keeps_what_it_inherits_whatever_is_edited() {
    for seed in 0..3 {
        for_every_strategy!(nodes_keep_what_they_inherit(seed, 60, 12));
    }
    for_every_strategy!(nodes_keep_what_they_inherit(3, 500, 150));
}

/// What may be compared one by one.
trait Parts: Transform + Debug {
    /// The parts that have other bits; in matrices rotation and scale are one.
    fn difference(before: &Self, after: &Self) -> Change;
    /// Reported parts, with those named that cannot be told from them.
    fn covering(change: Change) -> Change;
}

impl Parts for AccumulatedMatrix<f32> {
    fn difference(before: &Self, after: &Self) -> Change {
        let other = |a: &dyn Debug, b: &dyn Debug| text(&a) != text(&b);
        Change::POSITION.when(other(&before.translation(), &after.translation()))
            | (Change::ROTATION | Change::SCALE).when(other(&before.linear(), &after.linear()))
    }

    fn covering(change: Change) -> Change {
        let linear = Change::ROTATION | Change::SCALE;
        change | linear.when(change.intersects(linear))
    }
}

impl Parts for CombinedTrs<f32> {
    fn difference(before: &Self, after: &Self) -> Change {
        before.to_trs().change_to(&after.to_trs())
    }

    fn covering(change: Change) -> Change {
        change
    }
}

impl<X: Parts> Edited<X> {
    /// All that was done to a node and to those above it that it inherits something of.
    fn causes(&self, node: NodeId) -> Change {
        let mut path = vec![node];
        path.extend(self.hierarchy.ancestors(node).unwrap());
        let free = |node: &NodeId| self.inherits[node] == Inherit::Nothing;
        let len = path.iter().position(free).map_or(path.len(), |last| last + 1);
        let edits = path[..len].iter().filter_map(|node| self.edits.get(node));
        edits.fold(Change::NONE, |all, &change| all | change)
    }

    fn check_changes(&mut self, worlds: &mut HashMap<NodeId, X>) {
        self.hierarchy.propagate();
        for &node in &self.nodes {
            let after = self.hierarchy.world(node).unwrap();
            let change = self.hierarchy.change_of(node).unwrap();
            if let Some(before) = worlds.insert(node, after) {
                let difference = X::difference(&before, &after);
                let covering = X::covering(change);
                assert_eq!(difference | covering, covering, "{change:?} is too little");
            }
            let causes = self.causes(node);
            assert!(!causes.is_empty() || change.is_empty(), "nothing changed {node}");
            let is_move = causes == Change::POSITION;
            assert!(!is_move || !change.intersects(Change::ROTATION | Change::SCALE), "{change:?}");
        }
        self.edits.clear();
    }
}

fn changes_are_told<X: Parts>(seed: u64) {
    let mut edited = Edited::<X>::new(seed, 20);
    edited.hierarchy.track_changes();
    let mut worlds = HashMap::new();
    for _ in 0..1_000 {
        for _ in 0..=edited.random.below(4) {
            if edited.random.one_in(3) {
                edited.edit(15);
            } else {
                let node = edited.any_node();
                edited.set_local(node);
            }
        }
        edited.check_changes(&mut worlds);
        if edited.nodes.len() > 50 {
            let node = edited.nodes[1];
            edited.hierarchy.remove(node).unwrap();
            let hierarchy = &edited.hierarchy;
            edited.nodes.retain(|&node| hierarchy.contains(node));
        }
    }
}

#[test]
fn no_change_of_a_world_is_missed_and_none_told_where_nothing_is_inherited() {
    for seed in 0..4 {
        changes_are_told::<CombinedTrs<f32>>(seed);
        changes_are_told::<AccumulatedMatrix<f32>>(seed);
    }
}

/// Children with this pose, one for each of [`Inherit::EACH`].
fn one_of_each_kind<X: Transform>(
    hierarchy: &mut Hierarchy<X>,
    parent: NodeId,
    local: Trs<X::Scalar>,
) -> Vec<NodeId> {
    let child_that_inherits = |&inherit| {
        let child = hierarchy.insert(parent, local).unwrap();
        hierarchy.set_inherit(child, inherit).unwrap();
        child
    };
    Inherit::EACH.iter().map(child_that_inherits).collect()
}

fn told<X: Transform>(edit: fn(&mut Hierarchy<X>, NodeId)) -> Vec<Change> {
    let mut hierarchy = Hierarchy::<X>::new();
    let non_uniform = Trs::from_scale(Vector3::new(2.0, 1.0, 3.0));
    let parent = hierarchy.insert(None, non_uniform.cast()).unwrap();
    let step = Trs::from_translation(Vector3::new(1.0, 2.0, 3.0)).cast();
    let children = one_of_each_kind(&mut hierarchy, parent, step);
    let watcher = hierarchy.watch(children[4]).unwrap();
    hierarchy.propagate();
    let _ = watcher.take();
    edit(&mut hierarchy, parent);
    hierarchy.propagate();
    assert_eq!(watcher.take(), Some(Change::NONE));
    let listed: Vec<_> = hierarchy.changed_nodes().map(|(node, _)| node).collect();
    assert_eq!(listed, [&[parent], &children[..4]].concat());
    children.into_iter().map(|child| hierarchy.change_of(child).unwrap()).collect()
}

fn kinds_are_told<X: Transform>() {
    let moved = Change::POSITION;
    let axes = Change::ROTATION | Change::SCALE;
    let found = told::<X>(|hierarchy, parent| {
        hierarchy
            .set_translation(parent, Vector3::repeat(hierarchy.local(parent).unwrap().scale.x))
            .unwrap();
    });
    assert_eq!(found, [moved, moved, moved, moved, Change::NONE]);
    let turned = told::<X>(|hierarchy, parent| {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.1, 0.2, 0.3));
        hierarchy.set_rotation(parent, Trs::from_rotation(turn).cast().rotation).unwrap();
    });
    assert_eq!(turned[0], moved | Change::ROTATION);
    assert_eq!(turned[1..], [moved | axes, moved | axes, moved, Change::NONE]);
    let scaled = told::<X>(|hierarchy, parent| {
        hierarchy.set_scale(parent, Trs::from_scale(Vector3::repeat(2.0)).cast().scale).unwrap();
    });
    assert!(scaled[0].intersects(Change::SCALE) && scaled[0].intersects(moved));
    assert_eq!(scaled[1..], [moved | axes, moved | axes, moved, Change::NONE]);
}

#[test]
fn each_kind_of_change_reaches_those_that_inherit_it() {
    for_every_strategy!(kinds_are_told());
}

/// A child at its parent's origin stays where it is, whatever turns or stretches the parent.
fn what_is_at_the_origin_is_not_told_to_move<X: Transform>() {
    let mut hierarchy = Hierarchy::<X>::new();
    let parent = hierarchy.insert(None, Trs::identity()).unwrap();
    let children = one_of_each_kind(&mut hierarchy, parent, Trs::identity());
    hierarchy.track_changes();
    hierarchy.propagate();
    let turn = Trs::from_rotation(UnitQuaternion::from_scaled_axis(Vector3::<f64>::x()));
    hierarchy.set_rotation(parent, turn.cast().rotation).unwrap();
    hierarchy.propagate();
    for child in children {
        assert!(!hierarchy.change_of(child).unwrap().intersects(Change::POSITION));
    }
}

#[test]
fn only_what_is_away_from_its_parent_s_origin_is_carried() {
    for_every_strategy!(what_is_at_the_origin_is_not_told_to_move());
}

fn nothing_is_told_twice<X: Transform>() {
    let mut hierarchy = Hierarchy::<X>::new();
    let [a, b] = [(); 2].map(|()| hierarchy.insert(None, Trs::identity()).unwrap());
    let carried = hierarchy.insert(a, Trs::identity()).unwrap();
    let free = hierarchy.insert(carried, Trs::identity()).unwrap();
    hierarchy.set_inherit(free, Inherit::Nothing).unwrap();
    hierarchy.track_changes();
    hierarchy.propagate();
    let moved = Trs::<f64>::from_translation(Vector3::x()).cast();
    hierarchy.set_local(free, moved).unwrap();
    hierarchy.propagate();
    assert_eq!(hierarchy.change_of(free), Ok(Change::POSITION));
    hierarchy.reparent(carried, b).unwrap();
    hierarchy.propagate();
    assert_eq!(hierarchy.change_of(carried), Ok(Change::ALL));
    assert_eq!(hierarchy.change_of(free), Ok(Change::NONE));
}

#[test]
fn a_change_is_told_once_though_the_node_gets_another_slot() {
    for_every_strategy!(nothing_is_told_twice());
}

/// Enough nodes to be worth threads, where those are used; slices are never divided.
fn large_trees_are_as_slices<X: Transform + Debug>() {
    const LEN: usize = 50_000;
    let mut random = Random(9);
    let parents: Vec<_> =
        (0..LEN).map(|node: usize| node.checked_sub(1).map(|below| below / 4)).collect();
    let locals: Vec<_> = (0..LEN).map(|_| random.pose().cast()).collect();
    let mut hierarchy = Hierarchy::<X>::new();
    let ids = hierarchy.insert_forest(None, &parents, &locals).unwrap();
    let mut inherits = vec![Inherit::All; LEN];
    for node in [0, 1, 2, 9, 40, 333, 4_000, 4_001, 12_345, 31_000, LEN - 1] {
        inherits[node] = any_inherit(&mut random);
        hierarchy.set_inherit(ids[node], inherits[node]).unwrap();
    }
    let topology = Topology::from_parents(&parents).unwrap().with_inherit(&inherits);
    let mut worlds = vec![X::identity(); LEN];
    X::accumulate(&topology, &locals, &mut worlds, std::slice::from_ref(&(0..LEN)));
    for _ in 0..2 {
        hierarchy.propagate();
        for (&id, world) in ids.iter().zip(&worlds) {
            assert_eq!(text(&hierarchy.world(id).unwrap()), text(world));
        }
        let again = inherits[0];
        hierarchy.set_inherit(ids[0], Inherit::All).unwrap();
        hierarchy.set_local(ids[0], locals[1]).unwrap();
        hierarchy.set_local(ids[0], locals[0]).unwrap();
        hierarchy.set_inherit(ids[0], again).unwrap();
    }
}

#[test]
fn large_trees_come_out_as_slices_do_to_the_bit() {
    for_every_strategy!(large_trees_are_as_slices());
}
