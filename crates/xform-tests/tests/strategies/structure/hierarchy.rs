//! What a `Hierarchy` promises about structure, ids, errors and how much it recomputes.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use xform_core::{
    Hierarchy, HierarchyError, NodeId, Place, PoseError, Space, TopologyError, Transform, Trs,
};

use crate::support::strategy::{Digest, RECOMPUTED, pose};

/// a ─ (b ─ d, c), and another root e.
fn family() -> (Hierarchy<Digest>, [NodeId; 5]) {
    let mut hierarchy = Hierarchy::new();
    let parents = [None, Some(0), Some(0), Some(1), None];
    let locals: Vec<_> = (0..5).map(|i| pose(f64::from(i))).collect();
    let ids = hierarchy.insert_forest(None, &parents, &locals).unwrap();
    (hierarchy, ids.try_into().unwrap())
}

fn recomputed_by(hierarchy: &mut Hierarchy<Digest>) -> usize {
    RECOMPUTED.with(|count| count.set(0));
    hierarchy.propagate();
    RECOMPUTED.with(std::cell::Cell::get)
}

#[test]
fn relations_are_as_inserted() {
    let (hierarchy, [a, b, c, d, e]) = family();
    assert_eq!(hierarchy.len(), 5);
    assert_eq!(hierarchy.parent(a), Ok(None));
    assert_eq!(hierarchy.parent(d), Ok(Some(b)));
    assert!(hierarchy.children(a).unwrap().eq([b, c]));
    assert!(hierarchy.roots().eq([a, e]));
    assert!(hierarchy.ancestors(d).unwrap().eq([b, a]));
    assert_eq!([a, b, c, d, e].map(|node| hierarchy.root(node)), [a, a, a, a, e].map(Ok));
    assert_eq!([0, 1, 2].map(|at| hierarchy.child(a, at)), [Some(b), Some(c), None].map(Ok));
    for ancestor in [a, b, c, d, e] {
        for node in [a, b, c, d, e] {
            let is_above = hierarchy.ancestors(node).unwrap().any(|above| above == ancestor);
            assert_eq!(hierarchy.is_ancestor_of(ancestor, node), Ok(is_above));
        }
    }
    assert_eq!(hierarchy.depth(d), Ok(2));
    assert!(hierarchy.subtree(b).unwrap().eq([b, d]));
    assert!(hierarchy.iter().eq([a, b, d, c, e]));
    assert!(hierarchy.into_iter().eq(hierarchy.iter()));
}

#[test]
fn a_place_decides_the_order_among_siblings() {
    let (mut hierarchy, [a, b, c, _, e]) = family();
    let first = hierarchy.insert(Place::FirstChildOf(a), pose(9.)).unwrap();
    let before = hierarchy.insert(Place::Before(c), pose(9.)).unwrap();
    let after = hierarchy.insert(Place::After(c), pose(9.)).unwrap();
    assert!(hierarchy.children(a).unwrap().eq([first, b, before, c, after]));
    let root = hierarchy.insert(Place::FirstRoot, pose(9.)).unwrap();
    assert!(hierarchy.roots().eq([root, a, e]));
    hierarchy.reparent(b, Place::After(e)).unwrap();
    hierarchy.reparent(root, None).unwrap();
    assert!(hierarchy.roots().eq([a, e, b, root]));
    hierarchy.reparent(e, Place::Before(e)).unwrap();
    hierarchy.reparent(e, Place::After(e)).unwrap();
    assert!(hierarchy.roots().eq([a, e, b, root]));
}

#[test]
fn a_forest_goes_to_its_place_in_the_order_given() {
    let (mut hierarchy, [a, b, c, ..]) = family();
    let parents = [Some(1), None, None];
    let locals = [pose(1.), pose(2.), pose(3.)];
    let place = Place::Before(c);
    let ids = hierarchy.insert_forest(place, &parents, &locals).unwrap();
    assert!(hierarchy.children(a).unwrap().eq([b, ids[1], ids[2], c]));
    assert_eq!(hierarchy.parent(ids[0]), Ok(Some(ids[1])));
    assert_eq!(hierarchy.insert_forest(None, &[], &[]), Ok(vec![]));
}

#[test]
fn a_removed_subtree_leaves_stale_ids_that_never_name_another_node() {
    let (mut hierarchy, [a, b, c, d, _]) = family();
    assert_eq!(hierarchy.remove(b), Ok(2));
    assert_eq!(hierarchy.len(), 3);
    let new = [1., 2., 3.].map(|value| hierarchy.insert(a, pose(value)).unwrap());
    for stale in [b, d] {
        assert!(!hierarchy.contains(stale));
        assert_eq!(hierarchy.world(stale), Err(HierarchyError::UnknownNode(stale)));
        let unknown = HierarchyError::UnknownNode(stale);
        assert_eq!(hierarchy.remove(stale), Err(unknown));
        assert_eq!(hierarchy.root(stale), Err(unknown));
        assert_eq!(hierarchy.child(stale, 0), Err(unknown));
        assert_eq!(hierarchy.is_ancestor_of(stale, a), Err(unknown));
        assert_eq!(hierarchy.is_ancestor_of(a, stale), Err(unknown));
    }
    assert!(hierarchy.children(a).unwrap().eq([c, new[0], new[1], new[2]]));
}

#[test]
fn an_id_of_another_hierarchy_is_unknown() {
    let (mut hierarchy, _) = family();
    let (_, [foreign, ..]) = family();
    let unknown = HierarchyError::UnknownNode(foreign);
    assert_eq!(hierarchy.local(foreign), Err(unknown));
    assert_eq!(hierarchy.insert(foreign, pose(0.)), Err(unknown));
    assert!(unknown.to_string().contains("is not in this hierarchy"));
}

#[test]
fn a_clone_knows_the_ids_given_out_before_and_no_later_ones_of_the_other() {
    let (mut original, [a, ..]) = family();
    let mut clone = original.clone();
    let in_original = original.insert(a, pose(10.)).unwrap();
    let in_clone = clone.insert(a, pose(20.)).unwrap();
    clone.set_local(a, pose(30.)).unwrap();
    assert_eq!(original.local(a), Ok(&pose(0.)));
    assert_eq!(clone.local(a), Ok(&pose(30.)));
    assert!(!original.contains(in_clone) && !clone.contains(in_original));
}

#[test]
fn propagation_recomputes_what_changed_and_nothing_else() {
    let (mut hierarchy, [a, b, c, d, e]) = family();
    assert_eq!(recomputed_by(&mut hierarchy), 5);
    assert_eq!(recomputed_by(&mut hierarchy), 0);
    hierarchy.set_local(b, pose(7.)).unwrap();
    hierarchy.set_local(d, pose(8.)).unwrap();
    assert_eq!(recomputed_by(&mut hierarchy), 2);
    hierarchy.set_local(b, pose(7.)).unwrap();
    assert_eq!(recomputed_by(&mut hierarchy), 0, "the same bits again");
    hierarchy.set_translation(a, Vector3::new(-0.0, 0.0, 0.0)).unwrap();
    assert_eq!(recomputed_by(&mut hierarchy), 4, "−0 is another value than 0");
    hierarchy.reparent(c, Place::Before(b)).unwrap();
    assert_eq!(recomputed_by(&mut hierarchy), 0, "a new order among siblings");
    hierarchy.reparent(b, e).unwrap();
    assert_eq!(recomputed_by(&mut hierarchy), 2);
    hierarchy.reparent(b, e).unwrap();
    assert_eq!(recomputed_by(&mut hierarchy), 0, "it is there already");
    hierarchy.remove(e).unwrap();
    assert_eq!(recomputed_by(&mut hierarchy), 0);
}

#[test]
fn parts_of_a_pose_are_set_one_by_one() {
    let (mut hierarchy, [a, ..]) = family();
    let turn = UnitQuaternion::new_unchecked(Quaternion::new(0.5, 0.5, 0.5, 0.5));
    hierarchy.set_translation(a, Vector3::x()).unwrap();
    hierarchy.set_rotation(a, turn).unwrap();
    hierarchy.set_scale(a, Vector3::new(1., 0., -2.)).unwrap();
    let expected = Trs::from_parts(Vector3::x(), turn, Vector3::new(1., 0., -2.));
    assert_eq!(hierarchy.local(a), Ok(&expected));
}

#[test]
fn of_a_node_that_is_set_twice_at_once_the_last_pose_holds() {
    let (mut hierarchy, [a, b, ..]) = family();
    hierarchy.set_locals(&[a, b, a], &[pose(1.), pose(2.), pose(3.)]).unwrap();
    assert_eq!([a, b].map(|node| hierarchy.local(node)), [Ok(&pose(3.)), Ok(&pose(2.))]);
    hierarchy.set_locals(&[], &[]).unwrap();
}

#[test]
#[should_panic(expected = "one local pose per node")]
fn as_many_poses_as_nodes_are_set_at_once() {
    let (mut hierarchy, [a, b, ..]) = family();
    let _ = hierarchy.set_locals(&[a, b], &[pose(1.)]);
}

#[test]
fn refused_edits_leave_everything_as_it_was() {
    let (mut hierarchy, [a, b, _, d, _]) = family();
    hierarchy.propagate();
    let before = format!("{hierarchy:?}");
    let nan = Trs::from_translation(Vector3::repeat(f64::NAN));
    let pose_error = PoseError::TranslationNotFinite;
    assert_eq!(hierarchy.insert(a, nan), Err(pose_error.into()));
    let of_a = HierarchyError::PoseOf { node: a, error: pose_error };
    assert_eq!(hierarchy.set_local(a, nan), Err(of_a));
    assert_eq!(hierarchy.set_translation(a, nan.translation), Err(of_a));
    let second = HierarchyError::PoseAt { index: 1, error: pose_error };
    assert_eq!(hierarchy.insert_forest(a, &[None, Some(0)], &[pose(0.), nan]), Err(second));
    assert_eq!(hierarchy.set_locals(&[a, b], &[pose(9.), nan]), Err(second));
    let unknown = Hierarchy::<Digest>::new().insert(None, pose(0.)).unwrap();
    assert_eq!(
        hierarchy.set_locals(&[a, unknown], &[pose(9.), nan]),
        Err(HierarchyError::UnknownNode(unknown))
    );
    assert_eq!(
        hierarchy.insert_forest(a, &[Some(0)], &[pose(0.)]),
        Err(TopologyError::Cycle { node: 0 }.into())
    );
    for parent in [b, d] {
        let cycle = HierarchyError::Cycle { node: b, parent };
        assert_eq!(hierarchy.reparent(b, parent), Err(cycle));
    }
    assert_eq!(format!("{hierarchy:?}"), before);
}

#[test]
fn a_world_without_inverse_is_an_error_and_no_infinity() {
    let (hierarchy, [a, ..]) = family();
    let to_local = hierarchy.conversion(Space::World, a);
    assert_eq!(to_local.err(), Some(HierarchyError::Singular(a)));
}

#[test]
fn room_made_beforehand_is_enough() {
    let mut hierarchy = Hierarchy::<Digest>::with_capacity(10);
    let capacity = hierarchy.capacity();
    assert!(capacity >= 10);
    for _ in 0..10 {
        hierarchy.insert(None, pose(0.)).unwrap();
    }
    assert_eq!(hierarchy.capacity(), capacity);
    hierarchy.propagate();
    assert_eq!(hierarchy.capacity(), capacity);
    hierarchy.reserve(100);
    assert!(hierarchy.capacity() >= 110);
}

#[test]
fn edits_that_are_never_propagated_leave_nothing_behind() {
    let (mut hierarchy, [a, _, c, d, e]) = family();
    hierarchy.propagate();
    hierarchy.set_local(c, pose(7.)).unwrap();
    hierarchy.propagate();
    let mut tracked = hierarchy.clone();
    tracked.track_changes();
    tracked.set_local(c, pose(8.)).unwrap();
    tracked.propagate();
    for (mut hierarchy, value) in [(hierarchy, 7.), (tracked, 8.)] {
        hierarchy.insert(Place::FirstRoot, pose(4.)).unwrap(); // so that others have other slots
        let moved = hierarchy.insert(None, pose(5.)).unwrap();
        let mut orders = Vec::new();
        for round in 0..10_000 {
            let [from, to] = if round % 2 == 0 { [d, e] } else { [e, d] };
            let new = hierarchy.insert(from, pose(6.)).unwrap();
            hierarchy.reparent(moved, to).unwrap();
            assert!(hierarchy.slot(new).unwrap() < 100, "{round}");
            assert_eq!(hierarchy.remove(new), Ok(1));
            orders.push(hierarchy.order_generation());
        }
        orders.dedup();
        assert!(orders.len() > 100, "put in order {} times", orders.len());
        let slot = hierarchy.slot(c).unwrap();
        assert_eq!(
            hierarchy.changed(),
            std::slice::from_ref(&(slot..slot + 1)),
            "of the last propagation"
        );
        assert!(hierarchy.changed_nodes().map(|(node, _)| node).eq([c]));
        assert!(!hierarchy.change_of(c).unwrap().is_empty());
        assert!(hierarchy.change_of(a).unwrap().is_empty());
        let world = Digest::identity().concat(&pose(0.)).concat(&pose(value));
        assert_eq!(hierarchy.world(c), Ok(world));
        hierarchy.propagate();
        assert_eq!(hierarchy.world(c), Ok(world));
    }
}

#[test]
fn reparenting_without_propagation_leaves_nothing_behind() {
    let (mut hierarchy, [a, b, _, _, e]) = family();
    let mut orders = std::collections::HashSet::new();
    for round in 0..10_000 {
        hierarchy.reparent(b, if round % 2 == 0 { e } else { a }).unwrap();
        orders.insert(hierarchy.order_generation());
        assert!(hierarchy.slot(b).unwrap() < 100, "{round}");
    }
    assert!(orders.len() > 100, "put in order {} times", orders.len());
}

#[test]
fn a_million_levels_work_on_the_default_stack() {
    let count = 1_000_000;
    let parents: Vec<_> = (0..count).map(|i: usize| i.checked_sub(1)).collect();
    let locals = vec![pose(1.); count];
    let mut hierarchy = Hierarchy::<Digest>::new();
    let ids = hierarchy.insert_forest(None, &parents, &locals).unwrap();
    let deepest = ids[count - 1];
    let world = hierarchy.world(deepest).unwrap();
    hierarchy.propagate();
    assert_eq!(hierarchy.world(deepest), Ok(world));
    assert_eq!(hierarchy.depth(deepest), Ok(count - 1));
    let copy = hierarchy.clone();
    assert_eq!(hierarchy.remove(ids[0]), Ok(count));
    assert_eq!(copy.iter().count(), count);
    assert_ne!(world, Digest::identity());
}

#[test]
fn with_the_only_changed_node_gone_there_is_nothing_to_propagate() {
    let (mut hierarchy, [_, _, c, ..]) = family();
    hierarchy.propagate();
    hierarchy.set_local(c, pose(9.)).unwrap();
    assert!(hierarchy.worlds().is_none());
    assert_eq!(hierarchy.remove(c), Ok(1));
    assert!(hierarchy.worlds().is_some());
}

#[test]
fn who_reads_settled_propagates_what_waits_and_forgets_no_change_where_nothing_does() {
    let (mut hierarchy, [a, b, _, d, _]) = family();
    hierarchy.propagate();
    let mut cursor = hierarchy.change_cursor();
    hierarchy.set_local(b, pose(7.)).unwrap();
    let read = [a, b, d].map(|node| hierarchy.world(node).unwrap());
    RECOMPUTED.with(|count| count.set(0));
    let settled = hierarchy.settled();
    assert!(settled.worlds().is_some());
    assert_eq!([a, b, d].map(|node| settled.world(node).unwrap()), read);
    assert_eq!(RECOMPUTED.with(std::cell::Cell::get), 2, "what changed, once");
    let changed = hierarchy.changed().to_vec();
    assert!(!changed.is_empty());
    assert_eq!(hierarchy.settled().changed(), changed);
    hierarchy.propagate();
    let since = hierarchy.changed_since(&mut cursor);
    let is_among = |slot| since.iter().any(|range| range.contains(&slot));
    assert!(changed.into_iter().flatten().all(is_among));
}

#[test]
fn a_hierarchy_is_empty_until_something_is_in_it_and_after_it_is_gone() {
    let mut hierarchy = Hierarchy::<Digest>::new();
    assert!(hierarchy.is_empty());
    let node = hierarchy.insert(None, pose(0.)).unwrap();
    assert!(!hierarchy.is_empty());
    assert_eq!(hierarchy.remove(node), Ok(1));
    assert!(hierarchy.is_empty());
}

#[test]
fn ids_are_told_apart_in_writing() {
    let (mut hierarchy, [a, b, ..]) = family();
    assert_eq!(hierarchy.remove(b), Ok(2));
    let again = hierarchy.insert(a, pose(0.)).unwrap();
    for [x, y, z] in
        [[a, b, again].map(|id| id.to_string()), [a, b, again].map(|id| format!("{id:?}"))]
    {
        assert!(x != y && y != z && x != z, "{x} {y} {z}");
    }
    assert!(a.to_string().starts_with("node 0#"), "{a}");
    assert!(format!("{a:?}").starts_with("NodeId(0#"), "{a:?}");
    assert!(HierarchyError::UnknownNode(b).to_string().contains(&b.to_string()));
}

#[test]
fn matrices_are_there_while_they_are_wanted() {
    let (mut hierarchy, _) = family();
    hierarchy.propagate();
    hierarchy.keep_matrices(false);
    assert!(hierarchy.matrices().is_none());
    hierarchy.keep_matrices(true);
    assert_eq!(hierarchy.matrices().map(<[_]>::len), Some(5));
    hierarchy.keep_matrices(false);
    assert!(hierarchy.matrices().is_none());
}

#[test]
fn what_was_below_a_node_before_many_moves_may_be_above_it_after() {
    let (mut hierarchy, [a, b, c, d, e]) = family();
    hierarchy.propagate();
    let others: Vec<_> = (0..200).map(|_| hierarchy.insert(c, pose(0.)).unwrap()).collect();
    for &other in &others {
        hierarchy.reparent(other, e).unwrap(); // more than is laid out anew
    }
    hierarchy.reparent(d, e).unwrap();
    hierarchy.reparent(b, d).unwrap();
    assert_eq!(hierarchy.parent(b), Ok(Some(d)));
    assert_eq!(hierarchy.reparent(d, b), Err(HierarchyError::Cycle { node: d, parent: b }));
    assert_eq!(hierarchy.children(a).unwrap().collect::<Vec<_>>(), [c]);
}

#[test]
fn what_hangs_below_an_unchanged_node_in_a_later_run_is_not_recomputed() {
    let mut hierarchy = Hierarchy::new();
    let parents: Vec<_> = [None, None].into_iter().chain([Some(0); 100]).collect();
    let nodes = hierarchy.insert_forest(None, &parents, &[pose(1.); 102]).unwrap();
    for top in [nodes[0], nodes[1], nodes[1]] {
        hierarchy.insert(top, pose(2.)).unwrap();
    }
    hierarchy.propagate();
    hierarchy.set_local(nodes[0], pose(3.)).unwrap();
    assert_eq!(recomputed_by(&mut hierarchy), 1 + 100 + 1);
    hierarchy.set_local(nodes[1], pose(3.)).unwrap();
    assert_eq!(recomputed_by(&mut hierarchy), 1 + 2);
}

#[test]
fn without_propagation_slots_are_put_in_order_as_often_as_there_are_nodes_to_order() {
    let (mut hierarchy, start) = (Hierarchy::<Digest>::new(), pose(1.));
    hierarchy.insert_forest(None, &[None; 1000], &[start; 1000]).unwrap();
    hierarchy.propagate();
    let order = hierarchy.order_generation();
    for _ in 0..5000 {
        for new in hierarchy.insert_forest(None, &[None; 3], &[start; 3]).unwrap() {
            assert!(hierarchy.slot(new).unwrap() < 2 * 1003 + 64 + 3);
            assert_eq!(hierarchy.remove(new), Ok(1));
        }
    }
    let times = hierarchy.order_generation() - order;
    assert!((12..=15).contains(&times), "{times} times for 15 000 nodes");
}

#[test]
fn with_propagation_an_eighth_may_be_out_of_order() {
    let (mut hierarchy, start) = (Hierarchy::<Digest>::new(), pose(1.));
    hierarchy.insert_forest(None, &[None; 8000], &[start; 8000]).unwrap();
    hierarchy.propagate();
    let order = hierarchy.order_generation();
    for _ in 0..2000 {
        let new = hierarchy.insert(None, start).unwrap();
        hierarchy.propagate();
        assert!(hierarchy.slot(new).unwrap() <= 8000 + 64 + 8000 / 8);
        assert_eq!(hierarchy.remove(new), Ok(1));
    }
    let times = hierarchy.order_generation() - order;
    // Each round makes a run and a vacant slot.
    assert!((3..=4).contains(&times), "{times} times in 2000 rounds");
}
