//! Subtrees that are copied, taken out and put back.

use std::collections::HashSet;

use nalgebra::{UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_core::{Hierarchy, HierarchyError, Inherit, NodeId, Place, Real, Trs, removed::Removed};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::support::{
    every_strategy::for_every_strategy,
    given_tree::{Oracle, Tree, non_uniform_scale, tree},
};

/// All that can be asked of the nodes, in order.
fn seen<X: Oracle>(hierarchy: &Hierarchy<X>) -> Vec<String> {
    let node = |id: NodeId| {
        let (parent, local) = (hierarchy.parent(id).unwrap(), hierarchy.local(id).unwrap());
        let (inherit, world) = (hierarchy.inherit(id).unwrap(), hierarchy.world(id).unwrap());
        format!("{id:?} below {parent:?} {local:?} {inherit:?} {world:?}")
    };
    hierarchy.iter().map(node).collect()
}

/// The nodes of a tree, of which some inherit less than everything.
fn inheriting<X: Oracle>(tree: &Tree) -> (Hierarchy<X>, Vec<NodeId>) {
    let (mut hierarchy, ids) = tree.hierarchy::<X>();
    for (i, &id) in ids.iter().enumerate().filter(|(i, _)| i % 3 == 1) {
        let inherit = [Inherit::NoScale, Inherit::NoRotation, Inherit::PositionOnly][i / 3 % 3];
        hierarchy.set_inherit(id, inherit).unwrap();
    }
    (hierarchy, ids)
}

/// Tags move with their nodes, whatever becomes of slots.
fn tags_follow<X: Oracle>(tree: &Tree, picks: &[usize]) {
    let (mut hierarchy, ids) = inheriting::<X>(tree);
    assert!(hierarchy.tags().is_empty());
    assert_eq!(hierarchy.tag(ids[0]), Ok(0));
    let number = |id: NodeId| 7 + ids.iter().position(|&other| other == id).unwrap() as u64;
    ids.iter().for_each(|&id| hierarchy.set_tag(id, number(id)).unwrap());
    let check = |hierarchy: &Hierarchy<X>| {
        for slot in 0..hierarchy.tags().len() {
            let id = hierarchy.node_in(slot);
            let known = id.filter(|id| ids.contains(id));
            assert_eq!(hierarchy.tags()[slot], known.map_or(0, number));
            let tag = id.map(|id| hierarchy.tag(id).unwrap());
            assert!(tag.is_none_or(|tag| tag == hierarchy.tags()[slot]));
        }
        assert_eq!(hierarchy.tags().len(), hierarchy.locals().len());
    };
    for (turn, pick) in picks.iter().enumerate() {
        let node = ids[pick % ids.len()];
        match turn % 4 {
            0 => drop(hierarchy.copy_subtree(node, None).unwrap()),
            1 => {
                let taken = hierarchy.take(node).unwrap();
                assert_eq!(hierarchy.tag(node), Err(HierarchyError::UnknownNode(node)));
                check(&hierarchy);
                hierarchy.restore(taken).unwrap();
            }
            2 => hierarchy.reparent(node, Place::LastRoot).unwrap(),
            _ => hierarchy.propagate(),
        }
        check(&hierarchy);
    }
    check(&hierarchy.clone());
}

/// Takes nodes out one after the other, edits, and puts all back in the opposite order.
fn restore_is_undo<X: Oracle>(tree: &Tree, picks: &[usize], propagates: bool) {
    let (mut hierarchy, ids) = inheriting::<X>(tree);
    let mut states = Vec::new();
    let mut removed = Vec::new();
    for &pick in picks {
        let node = ids[pick % ids.len()];
        if !hierarchy.contains(node) {
            continue;
        }
        states.push(seen(&hierarchy));
        let subtree: Vec<_> = hierarchy.subtree(node).unwrap().collect();
        let (count, place) = (hierarchy.len(), hierarchy.place_of(node).unwrap());
        let taken = hierarchy.take(node).unwrap();
        assert_eq!(taken.ids(), subtree);
        assert_eq!(hierarchy.len(), count - subtree.len());
        assert!(subtree.iter().all(|&id| !hierarchy.contains(id)));
        removed.push((taken, place));
        if propagates {
            hierarchy.propagate();
        }
    }
    // What is inserted meanwhile gets no id that is reserved.
    let reserved: HashSet<_> = ids.iter().map(|id| format!("{id:?}")).collect();
    let more = hierarchy.insert_forest(None, &[None; 40], &[Trs::identity(); 40]).unwrap();
    assert!(more.iter().all(|id| !reserved.contains(&format!("{id:?}"))));
    for id in more {
        hierarchy.remove(id).unwrap();
    }
    for (at_its_place, (taken, place)) in removed.into_iter().enumerate().rev() {
        let (top, order) = (taken.ids()[0], hierarchy.order_generation());
        let restored = if at_its_place % 2 == 0 {
            hierarchy.restore(taken)
        } else {
            hierarchy.restore_at(taken, place)
        };
        assert_eq!(restored.unwrap(), top);
        assert_ne!(hierarchy.order_generation(), order, "it is in another slot");
        let before = states.pop().unwrap();
        assert_eq!(seen(&hierarchy), before);
        if propagates {
            hierarchy.propagate();
            assert_eq!(seen(&hierarchy), before);
        }
    }
    assert_eq!(hierarchy.len(), ids.len());
}

fn copies_are_alike<X: Oracle>(tree: &Tree, pick: usize, to: usize) {
    let (mut hierarchy, ids) = inheriting::<X>(tree);
    hierarchy.propagate();
    let (node, to) = (ids[pick % ids.len()], ids[to % ids.len()]);
    let originals: Vec<_> = hierarchy.subtree(node).unwrap().collect();
    let before = hierarchy.len();
    let copies = hierarchy.copy_subtree(node, to).unwrap();
    assert_eq!(copies.len(), originals.len());
    assert_eq!(hierarchy.len(), before + originals.len());
    assert_eq!(hierarchy.children(to).unwrap().last(), Some(copies[0]));
    for (position, (&copy, &original)) in copies.iter().zip(&originals).enumerate() {
        assert_eq!(hierarchy.local(copy), hierarchy.local(original));
        assert_eq!(hierarchy.inherit(copy), hierarchy.inherit(original));
        if position > 0 {
            let parent = hierarchy.parent(original).unwrap();
            let parent = originals.iter().position(|&id| Some(id) == parent).unwrap();
            assert_eq!(hierarchy.parent(copy), Ok(Some(copies[parent])));
        }
    }
    // From another hierarchy as from the same one.
    let mut scene = Hierarchy::<X>::new();
    let above =
        scene.insert(None, Trs::from_scale(Vector3::repeat(X::Scalar::rounded(0.5)))).unwrap();
    let from_elsewhere = scene.copy_subtree_from(&hierarchy, node, above).unwrap();
    let again: Vec<_> = hierarchy.subtree(node).unwrap().collect();
    assert_eq!(from_elsewhere.len(), again.len());
    assert_eq!(scene.children(above).unwrap().collect::<Vec<_>>(), from_elsewhere[..1]);
    for (&copy, &original) in from_elsewhere.iter().zip(&again) {
        assert_eq!(scene.local(copy), hierarchy.local(original));
        assert_eq!(scene.inherit(copy), hierarchy.inherit(original));
        if copy != from_elsewhere[0] {
            let parent = hierarchy.parent(original).unwrap();
            let parent = again.iter().position(|&id| Some(id) == parent).unwrap();
            assert_eq!(scene.parent(copy), Ok(Some(from_elsewhere[parent])));
        }
    }
    // Beside the original everything is the same, the worlds too.
    let twin = hierarchy.copy_subtree(node, Place::After(node)).unwrap();
    let originals: Vec<_> = hierarchy.subtree(node).unwrap().collect();
    assert_eq!(twin.len(), originals.len());
    for (&copy, &original) in twin.iter().zip(&originals) {
        assert_eq!(hierarchy.world(copy), hierarchy.world(original));
    }
}

fn places_put_back<X: Oracle>(tree: &Tree, pick: usize) {
    let (mut hierarchy, ids) = inheriting::<X>(tree);
    let node = ids[pick % ids.len()];
    let (before, place) = (seen(&hierarchy), hierarchy.place_of(node).unwrap());
    hierarchy.reparent(node, place).unwrap();
    assert_eq!(seen(&hierarchy), before);
    hierarchy.reparent(node, Place::FirstRoot).unwrap();
    hierarchy.reparent(node, place).unwrap();
    assert_eq!(seen(&hierarchy), before);
}

properties! {
    #![cases(64)]

    #[test]
    fn what_was_taken_comes_back_with_its_ids(
        tree in tree(non_uniform_scale().boxed()),
        picks in proptest::collection::vec(0_usize..100, 0..6),
        propagates in any::<bool>(),
    ) {
        for_every_strategy!(restore_is_undo(&tree, &picks, propagates));
    }

    #[test]
    fn a_copy_is_like_the_original(
        tree in tree(non_uniform_scale().boxed()), pick in 0_usize..100, to in 0_usize..100
    ) {
        for_every_strategy!(copies_are_alike(&tree, pick, to));
    }

    #[test]
    fn tags_move_with_their_nodes(
        tree in tree(non_uniform_scale().boxed()), picks in proptest::collection::vec(0_usize..100, 0..12)
    ) {
        for_every_strategy!(tags_follow(&tree, &picks));
    }

    #[test]
    fn a_node_is_put_back_where_it_stood(tree in tree(non_uniform_scale().boxed()), pick in 0_usize..100) {
        for_every_strategy!(places_put_back(&tree, pick));
    }
}

type World = CombinedTrs<f64>;

fn family() -> (Hierarchy<World>, [NodeId; 3]) {
    let mut hierarchy = Hierarchy::new();
    let root = hierarchy.insert(None, Trs::identity()).unwrap();
    let child = hierarchy.insert(root, Trs::from_translation(Vector3::x())).unwrap();
    let grandchild = hierarchy.insert(child, Trs::from_translation(Vector3::y())).unwrap();
    (hierarchy, [root, child, grandchild])
}

#[test]
fn what_cannot_be_restored_is_handed_back() {
    let (mut hierarchy, [root, child, grandchild]) = family();
    let taken = hierarchy.take(child).unwrap();
    hierarchy.remove(root).unwrap();
    let not_restored = hierarchy.restore(taken).unwrap_err();
    assert_eq!(not_restored.error, HierarchyError::UnknownNode(root));
    assert!(not_restored.to_string().contains(&root.to_string()));
    let (mut clone, mut stranger) = (hierarchy.clone(), family().0);
    let mut taken: Removed<f64> = not_restored.removed;
    for other in [&mut clone, &mut stranger] {
        let before = seen(other);
        let not_restored = other.restore_at(taken, Place::LastRoot).unwrap_err();
        assert_eq!(not_restored.error, HierarchyError::UnknownNode(child));
        assert_eq!(seen(other), before);
        taken = not_restored.removed;
    }
    assert_eq!(hierarchy.restore_at(taken, Place::LastRoot).unwrap(), child);
    assert_eq!(hierarchy.iter().collect::<Vec<_>>(), [child, grandchild]);
    assert_eq!(hierarchy.world(grandchild).unwrap().translation, Vector3::new(1.0, 1.0, 0.0));
}

/// Dropped on another thread, too.
#[test]
fn ids_that_are_given_up_leave_no_room_behind() {
    let (mut hierarchy, [root, ..]) = family();
    for _ in 0..1000 {
        let nodes = hierarchy.insert_forest(root, &[None; 10], &[Trs::identity(); 10]).unwrap();
        let taken: Vec<_> = nodes.iter().map(|&node| hierarchy.take(node).unwrap()).collect();
        assert_eq!(hierarchy.len(), 3);
        std::thread::spawn(move || drop(taken)).join().unwrap();
        assert_eq!(hierarchy.len(), 3);
    }
    let node = hierarchy.insert(root, Trs::identity()).unwrap();
    let index: u32 = format!("{node:?}")
        .trim_start_matches("NodeId(")
        .split('#')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(index < 40, "{node:?}");
}

/// While it is held, a clone may use the room.
#[test]
fn a_clone_knows_nothing_of_what_was_taken() {
    let (mut hierarchy, [root, child, _]) = family();
    let taken = hierarchy.take(child).unwrap();
    let mut clone = hierarchy.clone();
    assert_eq!(clone.len(), 1);
    let nodes = clone.insert_forest(root, &[None; 3], &[Trs::identity(); 3]).unwrap();
    assert_eq!(clone.len(), 4);
    assert!(nodes.iter().all(|&node| clone.contains(node) && !hierarchy.contains(node)));
    hierarchy.restore(taken).unwrap();
    assert_eq!((hierarchy.len(), clone.len()), (3, 4));
}

#[test]
fn a_forest_is_inserted_with_what_its_nodes_inherit() {
    let mut hierarchy = Hierarchy::<AccumulatedMatrix<f64>>::new();
    let turn = UnitQuaternion::from_scaled_axis(Vector3::z());
    let pose = Trs::from_parts(Vector3::x(), turn, Vector3::new(2.0, 1.0, 1.0));
    let inherits = [Inherit::All, Inherit::PositionOnly, Inherit::Nothing];
    let parents = [None, Some(0), Some(1)];
    let found = hierarchy.insert_forest_inheriting(None, &parents, &[pose; 3], &inherits).unwrap();
    let mut expected = Hierarchy::<AccumulatedMatrix<f64>>::new();
    let ids = expected.insert_forest(None, &parents, &[pose; 3]).unwrap();
    for ((&id, &same), inherit) in ids.iter().zip(&found).zip(inherits) {
        expected.set_inherit(id, inherit).unwrap();
        assert_eq!(hierarchy.inherit(same), Ok(inherit));
        assert_eq!(hierarchy.world(same), expected.world(id));
    }
}
