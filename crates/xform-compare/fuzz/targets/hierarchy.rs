//! Any edits to hierarchies of both strategies, in both scalars and by every kernel, and to a model.

#![no_main]

#[path = "../../tests/naive/mod.rs"]
mod naive;

use std::{collections::HashMap, fmt::Debug};

use libfuzzer_sys::fuzz_target;
use naive::{Edit, Naive};
use xform_core::{Change, Hierarchy, InstructionSet, NodeId, Transform, Watcher};
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
    assert_eq!(after, anew(&hierarchy, kernel));
}

/// The world transforms of a hierarchy with the same nodes that is updated once: those that were updated bit by
/// bit are no others.
fn anew<X: Transform>(hierarchy: &Hierarchy<X>, kernel: InstructionSet) -> Vec<Bits> {
    let ids: Vec<_> = hierarchy.iter().collect();
    let places: HashMap<_, _> = ids.iter().enumerate().map(|(place, &id)| (id, place)).collect();
    let parent = |&id: &NodeId| hierarchy.parent(id).unwrap().map(|parent| places[&parent]);
    let parents: Vec<_> = ids.iter().map(parent).collect();
    let locals: Vec<_> = ids.iter().map(|&id| *hierarchy.local(id).unwrap()).collect();
    let mut fresh = Hierarchy::<X>::new();
    let nodes = fresh.insert_forest(None, &parents, &locals).unwrap();
    for (&id, &node) in ids.iter().zip(&nodes) {
        fresh.set_inherit(node, hierarchy.inherit(id).unwrap()).unwrap();
    }
    fresh.propagate_by(kernel);
    nodes.iter().map(|&node| bits(&fresh.world(node).unwrap())).collect()
}

fuzz_target!(|edits: &[u8]| {
    run::<AccumulatedMatrix<f64>>(edits, InstructionSet::best(), true);
    run::<CombinedTrs<f64>>(edits, InstructionSet::best(), true);
    for kernel in InstructionSet::ALL.into_iter().filter(|kernel| kernel.is_available()) {
        run::<AccumulatedMatrix<f32>>(edits, kernel, false);
        run::<CombinedTrs<f32>>(edits, kernel, false);
    }
});
