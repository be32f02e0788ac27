//! Propagation on several threads gives what one thread gives.

use proptest::{prelude::*, test_runner::TestRng};
use xform_cases::properties;
use xform_core::{Hierarchy, NodeId};

use crate::support::{
    strategy::{Digest, RECOMPUTED, pose},
    threads::pool,
};

/// Enough nodes for threads, and not many more.
const LEN: usize = 70_000;

const SHAPES: [fn(usize) -> Option<usize>; 7] = [
    |node| node.checked_sub(1).map(|below| below / 4),
    |node| (node % 64 > 0).then(|| node - 1 - node % 3 % (node % 64)),
    |node| (node > 0).then_some(0),
    |node| node.checked_sub(1),
    |node| node.checked_sub(2 - node % 2), // every other node is a leaf beside a long chain
    |node| node.checked_sub(1).map(|last| last - last.min(1_000) / 2),
    |_| None,
];

fn forest(shape: fn(usize) -> Option<usize>) -> (Hierarchy<Digest>, Vec<NodeId>) {
    let parents: Vec<_> = (0..LEN).map(shape).collect();
    let locals: Vec<_> = (0..LEN).map(|node| pose(node as f64)).collect();
    let mut hierarchy = Hierarchy::new();
    let ids = hierarchy.insert_forest(None, &parents, &locals).unwrap();
    hierarchy.keep_matrices(true);
    hierarchy.track_changes();
    (hierarchy, ids)
}

/// The worlds after propagation on one thread and on three, which must be equal.
fn assert_same_on_threads(one: &mut Hierarchy<Digest>, ids: &[NodeId]) {
    let mut three = one.clone();
    pool(1).install(|| one.propagate());
    pool(3).install(|| three.propagate());
    assert_eq!(one.changed(), three.changed());
    assert!(one.changed_nodes().eq(three.changed_nodes()));
    for &id in ids.iter().filter(|&&id| one.contains(id)) {
        assert_eq!(one.world(id), three.world(id));
        let slot = one.slot(id).unwrap();
        assert_eq!(one.matrices().unwrap()[slot], three.matrices().unwrap()[slot]);
    }
}

#[test]
fn every_shape_comes_out_the_same() {
    for shape in SHAPES {
        let (mut hierarchy, ids) = forest(shape);
        assert_same_on_threads(&mut hierarchy, &ids);
    }
}

#[test]
fn several_threads_do_the_work() {
    let (mut hierarchy, _) = forest(SHAPES[0]);
    let root = hierarchy.roots().next().unwrap();
    // On a busy machine the second thread may wake too late to find anything left.
    let mut is_shared = |round: u32| {
        hierarchy.set_local(root, pose(f64::from(round))).unwrap();
        hierarchy.propagate();
        let by_each = rayon::broadcast(|_| RECOMPUTED.with(std::cell::Cell::get));
        by_each.iter().filter(|&&by_one| by_one > 0).count() > 1
    };
    for threads in [2, 3] {
        assert!(pool(threads).install(|| (0..1_000).any(&mut is_shared)), "{threads}");
    }
}

#[test]
fn neighbours_of_different_families_are_each_done() {
    let (mut hierarchy, ids) = forest(|node| match node {
        0 | 6 => None,
        1..=3 => Some(0),
        4 | 5 => Some(1),
        7 | 8 => Some(6),
        _ => Some([4, 4, 4, 4, 4, 3, 7, 8][node % 8]), // one so large that several share it
    });
    hierarchy.propagate();
    // The last child of one and the first grandchild: side by side, and what is below them is not.
    assert_eq!(hierarchy.slot(ids[3]).unwrap() + 1, hierarchy.slot(ids[4]).unwrap());
    for node in [3, 4, 6] {
        hierarchy.set_local(ids[node], pose(-1.)).unwrap();
    }
    assert_same_on_threads(&mut hierarchy, &ids);
}

properties! {
    #![cases(8)]

    #[test]
    fn any_edits_come_out_the_same(seed in any::<[u8; 32]>(), shape in 0..SHAPES.len()) {
        let mut random = TestRng::from_seed(proptest::test_runner::RngAlgorithm::ChaCha, &seed);
        let mut pick = |ids: &[NodeId]| ids[random.random_range(0..ids.len())];
        let (mut hierarchy, ids) = forest(SHAPES[shape]);
        hierarchy.propagate();
        for round in 0..3 {
            hierarchy.set_local(hierarchy.roots().next().unwrap(), pose(-f64::from(round) - 1.0)).unwrap();
            for _ in 0..1_000 {
                let _ = hierarchy.set_local(pick(&ids), pose(f64::from(round)));
                let _ = hierarchy.reparent(pick(&ids), pick(&ids));
            }
            assert_same_on_threads(&mut hierarchy, &ids);
        }
    }
}
