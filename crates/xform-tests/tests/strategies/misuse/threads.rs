//! A panic on one of several threads is a panic of the propagation, and the next one makes it good.

use xform_core::{
    Hierarchy, Inherit, NodeId,
    changes::{Change, Watcher},
};

use crate::support::{
    fuse::{Fuse, Fused, Method},
    strategy::pose,
    threads::pool,
};

/// Enough nodes for threads, and not many more.
const LEN: usize = 40_000;

const SHAPES: [fn(usize) -> Option<usize>; 4] = [
    |node| node.checked_sub(1).map(|below| below / 4),
    |node| (!node.is_multiple_of(64)).then(|| node - 1),
    |node| (node > 0).then_some(0),
    |_| None,
];

/// A forest, some of its nodes, and who watches them.
fn forest(shape: fn(usize) -> Option<usize>) -> (Hierarchy<Fused>, Vec<NodeId>, Vec<Watcher>) {
    let parents: Vec<_> = (0..LEN).map(shape).collect();
    let locals: Vec<_> = (0..LEN).map(|node| pose(node as f64)).collect();
    let mut hierarchy = Hierarchy::new();
    let ids = hierarchy.insert_forest(None, &parents, &locals).unwrap();
    let some: Vec<_> = ids.iter().copied().step_by(997).collect();
    some.iter().for_each(|&node| hierarchy.set_inherit(node, Inherit::NoScale).unwrap());
    hierarchy.keep_matrices(true);
    let watchers = some.iter().map(|&node| hierarchy.watch(node).unwrap()).collect();
    (hierarchy, some, watchers)
}

#[test]
fn a_panic_on_a_thread_is_made_good_by_the_next_propagation() {
    let fuse = Fuse::new();
    let threads = pool(3);
    let mut blown = 0;
    for shape in SHAPES {
        for (method, step) in [
            (Method::Identity, 5),
            (Method::Concat, 9_000),
            (Method::ToHomogeneous, 9_000),
            (Method::Inherited, 10),
            (Method::ChangeBelow, 9_000),
        ] {
            for after in (0..5).map(|i| i * step) {
                let (mut hierarchy, some, watchers) = forest(shape);
                let mut spared = hierarchy.clone();
                pool(1).install(|| spared.propagate());
                if !fuse.blows(method, after, || threads.install(|| hierarchy.propagate())) {
                    continue;
                }
                blown += 1;
                assert!(hierarchy.worlds().is_none() && hierarchy.matrices().is_none());
                let worlds = |of: &Hierarchy<Fused>| -> Vec<_> {
                    some.iter().map(|&node| of.world(node).unwrap()).collect()
                };
                assert_eq!(worlds(&hierarchy), worlds(&spared), "on demand");
                threads.install(|| hierarchy.propagate());
                assert_eq!(hierarchy.worlds(), spared.worlds());
                assert_eq!(hierarchy.matrices(), spared.matrices());
                assert!(hierarchy.changed_nodes().eq(spared.changed_nodes()));
                assert!(watchers.iter().all(|watcher| watcher.take() == Some(Change::ALL)));
            }
        }
    }
    assert!(blown > 60, "{blown} of 100");
}

#[test]
fn a_panic_on_a_thread_leaves_the_pool_to_others() {
    let fuse = Fuse::new();
    let threads = pool(2);
    let (mut hierarchy, some, _watchers) = forest(SHAPES[0]);
    let mut other = hierarchy.clone();
    for after in [30_000, 20_000] {
        assert!(fuse.blows(Method::Concat, after, || threads.install(|| hierarchy.propagate())));
    }
    threads.install(|| other.propagate());
    hierarchy.remove(some[1]).unwrap();
    threads.install(|| hierarchy.propagate());
    let left = some.iter().filter(|&&node| hierarchy.contains(node));
    let (here, there) = (|node| hierarchy.world(node), |node| other.world(node));
    assert!(left.into_iter().all(|&node| here(node) == there(node)));
}
