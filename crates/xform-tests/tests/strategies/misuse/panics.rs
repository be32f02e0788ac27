//! After a panic in a strategy, or in what was asked of one, the hierarchy is as good as before.

use xform_core::{
    Hierarchy, Inherit, NodeId, Space,
    changes::{Change, Watcher},
};

use crate::support::{
    fuse::{Fuse, Fused, Method},
    strategy::pose,
};

/// a ─ (b ─ d, c), and another root e.
fn family() -> (Hierarchy<Fused>, [NodeId; 5]) {
    let mut hierarchy = Hierarchy::new();
    let parents = [None, Some(0), Some(0), Some(1), None];
    let locals: Vec<_> = (0..5).map(|i| pose(f64::from(i))).collect();
    let ids = hierarchy.insert_forest(None, &parents, &locals).unwrap();
    (hierarchy, ids.try_into().unwrap())
}

type Edit = fn(&mut Hierarchy<Fused>, NodeId, NodeId);

/// Edits, and whether they ask the strategy for its identity. To move a node asks for nothing.
const STRUCTURAL: [(Edit, bool); 4] = [
    (|hierarchy, a, _| _ = hierarchy.insert(a, pose(7.0)), true),
    (|hierarchy, a, _| _ = hierarchy.insert_forest(a, &[None, Some(0)], &[pose(7.0); 2]), true),
    (|hierarchy, _, b| _ = hierarchy.reparent(b, None), false),
    (|hierarchy, _, b| _ = hierarchy.set_inherit(b, Inherit::NoScale), true),
];

#[test]
fn an_edit_in_which_the_identity_panics_changes_nothing() {
    let fuse = Fuse::new();
    for (edit, asks) in STRUCTURAL {
        for is_propagated in [false, true] {
            let (mut hierarchy, [a, b, ..]) = family();
            hierarchy.keep_matrices(true);
            hierarchy.track_changes();
            if is_propagated {
                hierarchy.propagate();
            }
            let before = format!("{hierarchy:?}");
            let mut spared = hierarchy.clone();
            let mut attempt = || edit(&mut hierarchy, a, b);
            assert_eq!(fuse.blows(Method::Identity, 0, &mut attempt), asks);
            if asks {
                assert_eq!(format!("{hierarchy:?}"), before);
                edit(&mut hierarchy, a, b);
            }
            edit(&mut spared, a, b);
            hierarchy.propagate();
            let worlds = |of: &Hierarchy<Fused>| -> Vec<_> {
                of.iter().map(|node| of.world(node).unwrap()).collect()
            };
            assert_eq!(worlds(&hierarchy), worlds(&spared));
        }
    }
}

#[test]
fn a_propagation_that_panicked_is_done_by_the_next_one() {
    let fuse = Fuse::new();
    for method in [Method::Identity, Method::Concat, Method::ToHomogeneous, Method::ChangeBelow] {
        for after in 0..9 {
            let (mut hierarchy, [a, b, _, d, e]) = family();
            hierarchy.keep_matrices(true);
            let watchers = [a, d, e].map(|node| hierarchy.watch(node).unwrap());
            hierarchy.propagate();
            hierarchy.set_local(b, pose(9.0)).unwrap();
            hierarchy.set_inherit(d, Inherit::PositionOnly).unwrap();
            let mut spared = hierarchy.clone();
            let _ = watchers.each_ref().map(Watcher::take);
            if fuse.blows(method, after, || hierarchy.propagate()) {
                assert!(hierarchy.worlds().is_none() && hierarchy.matrices().is_none());
                assert_eq!(hierarchy.world(d), spared.world(d));
                hierarchy.propagate();
            }
            spared.propagate();
            assert_eq!(hierarchy.worlds(), spared.worlds());
            assert_eq!(hierarchy.matrices(), spared.matrices());
            assert_eq!(hierarchy.changed(), spared.changed());
            assert!(hierarchy.changed_nodes().eq(spared.changed_nodes()), "{method:?} {after}");
            let heard = watchers.each_ref().map(Watcher::take);
            let expected = [a, d, e].map(|node| Some(spared.change_of(node).unwrap()));
            assert_eq!(heard, expected, "{method:?} {after}");
        }
    }
}

#[test]
fn a_read_that_panicked_can_be_repeated() {
    let fuse = Fuse::new();
    let (mut hierarchy, [a, _, _, d, _]) = family();
    hierarchy.propagate();
    hierarchy.set_local(a, pose(9.0)).unwrap();
    let before = format!("{hierarchy:?}");
    for after in 0..3 {
        assert!(fuse.blows(Method::Concat, after, || _ = hierarchy.world(d)));
        assert!(fuse.blows(Method::Identity, 0, || _ = hierarchy.world(d)));
        assert_eq!(format!("{hierarchy:?}"), before);
    }
    assert!(fuse.blows(Method::ToHomogeneous, 4, || hierarchy.keep_matrices(true)));
    assert_eq!(format!("{hierarchy:?}"), before);
    let world = hierarchy.world(d);
    hierarchy.propagate();
    assert_eq!(hierarchy.world(d), world);
}

#[test]
fn a_node_that_is_removed_between_a_panic_and_the_next_propagation_is_gone() {
    let fuse = Fuse::new();
    for method in [Method::Concat, Method::ChangeBelow] {
        let (mut hierarchy, [a, b, c, d, _]) = family();
        let watchers = [a, b, d].map(|node| hierarchy.watch(node).unwrap());
        assert!(fuse.blows(method, 3, || hierarchy.propagate()));
        hierarchy.remove(b).unwrap();
        let successor = hierarchy.insert(a, pose(5.0)).unwrap();
        let watcher = hierarchy.watch(successor).unwrap();
        hierarchy.propagate();
        assert_eq!(watchers.each_ref().map(Watcher::take), [Some(Change::ALL), None, None]);
        assert_eq!(watcher.take(), Some(Change::ALL));
        let changed: Vec<_> = hierarchy.changed_nodes().map(|(node, _)| node).collect();
        assert!([a, c, successor].iter().all(|node| changed.contains(node)));
        hierarchy.propagate();
        assert_eq!(watcher.take(), Some(Change::NONE));
        drop(hierarchy);
        assert_eq!([&watcher, &watchers[0]].map(Watcher::take), [None, None]);
    }
}

#[test]
fn the_world_is_never_without_an_inverse() {
    let _unlit = Fuse::new();
    let (hierarchy, [a, ..]) = family();
    for from in [Space::World, Space::Local(a), Space::Parent(a), Space::Parent(a)] {
        assert!(hierarchy.conversion(from, Space::World).is_ok());
        assert!(hierarchy.conversion(from, Space::Parent(a)).is_ok());
    }
}

#[test]
fn a_forest_without_nodes_is_no_change() {
    let _unlit = Fuse::new();
    let (mut hierarchy, [a, b, ..]) = family();
    hierarchy.propagate();
    hierarchy.set_local(a, pose(9.0)).unwrap();
    let before = format!("{hierarchy:?}");
    assert_eq!(hierarchy.insert_forest(b, &[], &[]), Ok(vec![]));
    assert_eq!(hierarchy.insert_forest(None, &[], &[]), Ok(vec![]));
    assert_eq!(format!("{hierarchy:?}"), before);
    hierarchy.propagate();
    assert_eq!(hierarchy.changed().iter().map(ExactSizeIterator::len).sum::<usize>(), 4);
}
