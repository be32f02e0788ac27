//! Random edits to a `Hierarchy` and to a model too simple to be wrong: always the same worlds.

use proptest::prelude::*;
use xform_cases::properties;
use xform_core::{Hierarchy, InstructionSet};

use crate::support::{
    naive::{Edit, Naive, anew},
    strategy::{Digest, pose},
};

fn assert_same(hierarchy: &Hierarchy<Digest>, model: &Naive<Digest>) {
    model.assert_same_nodes(hierarchy);
    for (id, world) in model.worlds() {
        assert_eq!(hierarchy.world(id), Ok(world));
    }
}

properties! {
    #![cases(300)]

    #[test]
    fn a_hierarchy_equals_its_model_after_any_edits(
        edits in proptest::collection::vec(any::<[u8; Edit::LEN]>(), 1..120)
    ) {
        let (mut hierarchy, mut model) = (Hierarchy::new(), Naive::<Digest>::new(40));
        for edit in edits {
            let order = hierarchy.order_generation();
            let slots: Vec<_> = hierarchy.iter().map(|id| (id, hierarchy.slot(id))).collect();
            model.edit(&mut hierarchy, &Edit::new(edit), InstructionSet::best());
            assert_same(&hierarchy, &model);
            for (id, slot) in slots.into_iter().filter(|&(id, _)| hierarchy.parent(id).is_ok()) {
                prop_assert!(hierarchy.slot(id) == slot || hierarchy.order_generation() != order);
            }
        }
        hierarchy.propagate();
        assert_same(&hierarchy, &model);
        for (id, world) in anew(&hierarchy, InstructionSet::best()) {
            prop_assert_eq!(hierarchy.world(id), Ok(world));
        }
    }

    #[test]
    fn any_insertion_order_of_a_tree_gives_the_same_worlds(
        (parents, order) in (1_usize..30).prop_flat_map(|len| {
            let parents: Vec<_> = (0..len).map(|i| proptest::option::of(0..i.max(1)).prop_map(move |p| p.filter(|&p| p < i))).collect();
            (parents, Just((0..len).collect::<Vec<_>>()).prop_shuffle())
        })
    ) {
        let value = |node: usize| pose(node as f64 + 1.0);
        let mut one_by_one = Hierarchy::<Digest>::new();
        let mut ids = Vec::new();
        for (node, &parent) in parents.iter().enumerate() {
            ids.push(one_by_one.insert(parent.map(|parent| ids[parent]), value(node)).unwrap());
        }
        // order[i] is the node that stands i-th in the shuffled arrays.
        let place_of = |node: usize| order.iter().position(|&other| other == node).unwrap();
        let shuffled: Vec<_> = order.iter().map(|&node| parents[node].map(place_of)).collect();
        let locals: Vec<_> = order.iter().map(|&node| value(node)).collect();
        let mut in_bulk = Hierarchy::<Digest>::new();
        let bulk_ids = in_bulk.insert_forest(None, &shuffled, &locals).unwrap();
        one_by_one.propagate();
        in_bulk.propagate();
        for (node, &id) in ids.iter().enumerate() {
            prop_assert_eq!(one_by_one.world(id), in_bulk.world(bulk_ids[place_of(node)]));
        }
    }
}
