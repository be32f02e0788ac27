//! A million levels, a million siblings: no stack overflows, and nothing takes the square of the time.

use std::thread;

use xform_core::{
    Hierarchy, HierarchyError, Inherit, NodeId, Place, Space, Transform, changes::Change,
};

use crate::support::strategy::{Digest, pose};

const MANY: usize = 1_000_000;

/// A stack that could not hold a frame for each of them.
const SMALL_STACK: usize = 128 << 10;

fn on_a_small_stack(run: fn()) {
    thread::Builder::new().stack_size(SMALL_STACK).spawn(run).unwrap().join().unwrap();
}

/// Nodes of which each hangs below that which is named, inserted at once.
fn forest(parent: fn(usize) -> Option<usize>) -> (Hierarchy<Digest>, Vec<NodeId>) {
    let parents: Vec<_> = (0..MANY).map(parent).collect();
    let mut hierarchy = Hierarchy::new();
    let ids = hierarchy.insert_forest(None, &parents, &vec![pose(1.0); MANY]).unwrap();
    (hierarchy, ids)
}

/// The world this many levels below no node.
fn world_at(depth: usize) -> Digest {
    (0..depth).fold(Digest::identity(), |world, _| world.concat(&pose(1.0)))
}

/// Everything that walks the whole of it.
fn walk(hierarchy: &Hierarchy<Digest>, deepest: NodeId, depth: usize) {
    assert_eq!(hierarchy.iter().count(), MANY);
    let root = hierarchy.ancestors(deepest).unwrap().last().unwrap();
    assert_eq!(hierarchy.subtree(root).unwrap().count(), MANY);
    assert_eq!(hierarchy.depth(deepest), Ok(depth - 1));
    assert_eq!(hierarchy.world(deepest), Ok(world_at(depth)));
    assert!(hierarchy.world_rotation(deepest).is_ok() && hierarchy.world_skew(deepest).is_ok());
    assert!(hierarchy.conversion(deepest, Space::Parent(root)).is_ok());
    let singular = hierarchy.conversion(root, deepest).map(|_| ());
    assert_eq!(singular, Err(HierarchyError::Singular(deepest)));
    let mut cast: Hierarchy<Digest> = hierarchy.clone().cast().unwrap();
    cast.propagate();
    assert_eq!(cast.world(deepest), Ok(world_at(depth)));
}

/// Moves, flags and removes a node with nearly all others below it.
fn edit(hierarchy: &mut Hierarchy<Digest>, [top, deepest]: [NodeId; 2], depth: usize) {
    let watcher = hierarchy.watch(deepest).unwrap();
    hierarchy.propagate();
    assert_eq!(watcher.take(), Some(Change::ALL));
    let cycle = HierarchyError::Cycle { node: top, parent: deepest };
    assert_eq!(hierarchy.reparent(top, deepest), Err(cycle));
    hierarchy.reparent(top, None).unwrap();
    assert_eq!(hierarchy.reparent(top, deepest), Err(cycle), "while an edit is pending");
    assert_eq!(hierarchy.world(deepest), Ok(world_at(depth - 1)));
    hierarchy.set_inherit(top, Inherit::Nothing).unwrap();
    hierarchy.propagate();
    assert_eq!(hierarchy.world(deepest), Ok(world_at(depth - 1)));
    assert_eq!(hierarchy.remove(top), Ok(MANY - 1));
    assert_eq!((hierarchy.len(), watcher.take()), (1, None));
    hierarchy.propagate();
}

#[test]
fn a_million_levels_are_walked_moved_and_removed() {
    on_a_small_stack(|| {
        let (mut hierarchy, ids) = forest(|node| node.checked_sub(1));
        walk(&hierarchy, ids[MANY - 1], MANY);
        edit(&mut hierarchy, [ids[1], ids[MANY - 1]], MANY);
    });
}

#[test]
fn a_million_siblings_are_walked_moved_and_removed() {
    on_a_small_stack(|| {
        let (mut hierarchy, ids) = forest(|node| node.checked_sub(1).map(|last| last.min(1)));
        walk(&hierarchy, ids[MANY - 1], 3);
        edit(&mut hierarchy, [ids[1], ids[MANY - 1]], 3);
    });
}

#[test]
fn a_million_levels_come_and_go_one_by_one() {
    on_a_small_stack(|| {
        let mut hierarchy = Hierarchy::<Digest>::new();
        let mut ids: Vec<NodeId> = Vec::new();
        for _ in 0..MANY {
            ids.push(hierarchy.insert(ids.last().copied(), pose(1.0)).unwrap());
        }
        hierarchy.propagate();
        assert_eq!(hierarchy.world(ids[MANY - 1]), Ok(world_at(MANY)));
        for &id in ids[1..].iter().rev() {
            assert_eq!(hierarchy.remove(id), Ok(1));
        }
        hierarchy.propagate();
        assert_eq!(hierarchy.world(ids[0]), Ok(world_at(1)));
    });
}

#[test]
fn a_million_siblings_come_move_and_go_one_by_one() {
    on_a_small_stack(|| {
        let mut hierarchy = Hierarchy::<Digest>::new();
        let [a, b] = [0; 2].map(|_| hierarchy.insert(None, pose(1.0)).unwrap());
        let places = [Place::FirstChildOf(a), Place::LastChildOf(a)];
        let insert = |i: usize| hierarchy.insert(places[i % 2], pose(1.0)).unwrap();
        let ids: Vec<_> = (0..MANY).map(insert).collect();
        hierarchy.propagate();
        ids.iter().for_each(|&id| hierarchy.reparent(id, Place::FirstChildOf(b)).unwrap());
        assert_eq!(hierarchy.children(b).unwrap().count(), MANY);
        hierarchy.propagate();
        assert_eq!(hierarchy.changed_nodes().count(), MANY + 2);
        assert!(ids.iter().all(|&id| hierarchy.world(id) == Ok(world_at(2))));
        ids.iter().for_each(|&id| assert_eq!(hierarchy.remove(id), Ok(1)));
        hierarchy.propagate();
        assert_eq!(hierarchy.len(), 2);
    });
}

#[test]
fn moves_among_a_million_with_a_propagation_now_and_then_take_no_longer_for_it() {
    on_a_small_stack(|| {
        let (mut hierarchy, ids) = forest(|node| (node >= 1_000).then_some(node % 1_000));
        for (i, &id) in ids.iter().enumerate().skip(1_000).take(300_000) {
            hierarchy.reparent(id, ids[i * 7 % 1_000]).unwrap();
            if i % 1_000 == 0 {
                hierarchy.set_local(ids[i / 1_000], pose(i as f64)).unwrap();
                hierarchy.propagate();
            }
        }
        assert_eq!(hierarchy.iter().count(), MANY);
        hierarchy.propagate();
        let expected = Digest::identity().concat(&pose(300_000.0)).concat(&pose(1.0));
        assert_eq!(hierarchy.world(ids[299_900]), Ok(expected));
    });
}

/// As when a file is read that names the parents last.
fn hang_in_a_row(order: impl Iterator<Item = usize>) {
    let (mut hierarchy, ids) = forest(|_| None);
    for i in order {
        hierarchy.reparent(ids[i], ids[i - 1]).unwrap();
    }
    hierarchy.propagate();
    assert_eq!(hierarchy.world(ids[MANY - 1]), Ok(world_at(MANY)));
}

#[test]
fn a_million_roots_are_hung_below_each_other_from_the_top() {
    on_a_small_stack(|| hang_in_a_row(1..MANY));
}

#[test]
fn a_million_roots_are_hung_below_each_other_from_the_bottom() {
    on_a_small_stack(|| hang_in_a_row((1..MANY).rev()));
}

#[test]
fn a_long_row_of_new_nodes_makes_no_move_below_it_slow() {
    on_a_small_stack(|| {
        let (mut hierarchy, ids) = forest(|_| None);
        hierarchy.propagate();
        let mut last = ids[0];
        for _ in 0..60_000 {
            last = hierarchy.insert(last, pose(1.0)).unwrap();
        }
        for &id in &ids[1..30_000] {
            hierarchy.reparent(id, last).unwrap();
        }
        hierarchy.propagate();
        assert_eq!(hierarchy.world(ids[1]), Ok(world_at(60_002)));
    });
}
