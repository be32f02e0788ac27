//! Any edits to hierarchies of both strategies, in both scalars and by every kernel, and to a model.

#![no_main]

#[path = "../../../xform-tests/tests/support/naive.rs"]
mod naive;

use std::fmt::Debug;

use libfuzzer_sys::fuzz_target;
use naive::{Edit, Naive, anew};
use xform_core::{Hierarchy, InstructionSet, NodeId, Transform, changes::{Change, Watcher}};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

/// What a strategy's world transforms consist of, as bits.
type Bits = Vec<u64>;

fn bits<X: Transform>(world: &X) -> Bits {
    world.to_homogeneous().iter().map(|&x| Into::<f64>::into(x).to_bits()).collect()
}

/// The edits, with an update by this kernel now and then. `is_plain` where it does what the model does.
fn run<X: Transform + Debug>(edits: &[u8], kernel: InstructionSet, is_plain: bool) {
    let (mut hierarchy, mut model) = (Hierarchy::<X>::new(), Naive::<X>::new(300));
    let mut watched: Option<(Watcher, NodeId, Bits)> = None;
    hierarchy.keep_matrices(true);
    hierarchy.track_changes();
    let (edits, _) = edits.as_chunks::<{ Edit::LEN }>();
    for (i, &edit) in edits.iter().enumerate() {
        model.edit(&mut hierarchy, &Edit::new(edit), kernel);
        if i % 16 == 15 {
            hierarchy.propagate_by(kernel);
            // Who says that nothing changed must be right.
            if let Some((watcher, node, before)) = watched.take() {
                let change = watcher.take();
                assert_eq!(change.is_some(), hierarchy.contains(node));
                if change.is_some_and(Change::is_empty) {
                    assert_eq!(bits(&hierarchy.world(node).unwrap()), before);
                }
            }
            if let Some(node) = hierarchy.iter().nth(i % 7) {
                let watcher = hierarchy.watch(node).unwrap();
                let _ = watcher.take();
                watched = Some((watcher, node, bits(&hierarchy.world(node).unwrap())));
            }
        }
    }
    model.assert_same_nodes(&hierarchy);
    let on_demand: Vec<_> =
        hierarchy.iter().map(|id| bits(&hierarchy.world(id).unwrap())).collect();
    hierarchy.propagate_by(kernel);
    let after: Vec<_> = hierarchy.iter().map(|id| bits(&hierarchy.world(id).unwrap())).collect();
    // A world read before propagation is that of the best kernel.
    if kernel == InstructionSet::best() || is_plain {
        assert_eq!(on_demand, after);
    }
    if is_plain {
        for (id, world) in model.worlds() {
            assert_eq!(bits(&hierarchy.world(id).unwrap()), bits(&world));
        }
    }
    let anew: Vec<_> = anew(&hierarchy, kernel).iter().map(|(_, world)| bits(world)).collect();
    assert_eq!(after, anew);
}

fuzz_target!(|edits: &[u8]| {
    run::<AccumulatedMatrix<f64>>(edits, InstructionSet::best(), true);
    run::<CombinedTrs<f64>>(edits, InstructionSet::best(), true);
    for kernel in InstructionSet::ALL.into_iter().filter(|kernel| kernel.is_available()) {
        run::<AccumulatedMatrix<f32>>(edits, kernel, false);
        run::<CombinedTrs<f32>>(edits, kernel, false);
    }
});
