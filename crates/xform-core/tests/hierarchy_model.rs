//! Random edits to a `Hierarchy` and to a model too simple to be wrong: always the same worlds.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod strategy;

use proptest::prelude::*;
use strategy::{Digest, pose};
use xform_core::{Hierarchy, HierarchyError, NodeId, Place, Transform, Trs};

/// Each node with its parent and pose, and every list of siblings in order.
#[derive(Default)]
struct Model {
    nodes: Vec<ModelNode>,
    roots: Vec<usize>,
}

struct ModelNode {
    id: NodeId,
    is_live: bool,
    parent: Option<usize>,
    children: Vec<usize>,
    local: Trs<f64>,
}

impl Model {
    fn siblings(&mut self, parent: Option<usize>) -> &mut Vec<usize> {
        match parent {
            Some(parent) => &mut self.nodes[parent].children,
            None => &mut self.roots,
        }
    }

    fn attach(&mut self, node: usize, parent: Option<usize>, position: usize) {
        self.nodes[node].parent = parent;
        self.siblings(parent).insert(position, node);
    }

    fn detach(&mut self, node: usize) {
        let parent = self.nodes[node].parent;
        self.siblings(parent).retain(|&sibling| sibling != node);
    }

    fn remove(&mut self, node: usize) {
        self.nodes[node].is_live = false;
        for child in std::mem::take(&mut self.nodes[node].children) {
            self.remove(child);
        }
    }

    fn is_below(&self, node: usize, top: usize) -> bool {
        node == top || self.nodes[node].parent.is_some_and(|parent| self.is_below(parent, top))
    }

    fn world(&self, node: usize) -> Digest {
        let ModelNode { parent, local, .. } = &self.nodes[node];
        parent.map_or(Digest::identity(), |parent| self.world(parent)).concat(local)
    }

    fn place(&mut self, kind: u8, node: Option<usize>) -> (Place, Option<usize>, usize) {
        let Some(node) = node else {
            return match kind % 2 {
                0 => (Place::FirstRoot, None, 0),
                _ => (Place::LastRoot, None, self.roots.len()),
            };
        };
        let ModelNode { id, parent, ref children, .. } = self.nodes[node];
        let child_count = children.len();
        let position =
            self.siblings(parent).iter().position(|&sibling| sibling == node).unwrap_or(0);
        match kind % 4 {
            0 => (Place::FirstChildOf(id), Some(node), 0),
            1 => (Place::LastChildOf(id), Some(node), child_count),
            2 => (Place::Before(id), parent, position),
            _ => (Place::After(id), parent, position + 1),
        }
    }
}

#[derive(Clone, Debug)]
enum Edit {
    Insert { at: usize, kind: u8, value: f64 },
    Remove { node: usize },
    Reparent { node: usize, at: usize, kind: u8 },
    SetLocal { node: usize, value: f64 },
    Propagate,
}

fn edit() -> impl Strategy<Value = Edit> {
    let node = 0_usize..40;
    let value = (-3_i32..3).prop_map(f64::from);
    prop_oneof![
        4 => (node.clone(), any::<u8>(), value.clone()).prop_map(|(at, kind, value)| Edit::Insert { at, kind, value }),
        1 => node.clone().prop_map(|node| Edit::Remove { node }),
        3 => (node.clone(), node.clone(), any::<u8>()).prop_map(|(node, at, kind)| Edit::Reparent { node, at, kind }),
        3 => (node, value).prop_map(|(node, value)| Edit::SetLocal { node, value }),
        1 => Just(Edit::Propagate),
    ]
}

fn apply(hierarchy: &mut Hierarchy<Digest>, model: &mut Model, edit: &Edit) {
    let pick = |index: usize| (!model.nodes.is_empty()).then(|| index % model.nodes.len());
    match *edit {
        Edit::Insert { at, kind, value } => {
            let at = pick(at).filter(|_| kind < 200);
            let (place, parent, position) = model.place(kind, at);
            let inserted = hierarchy.insert(place, pose(value));
            if at.is_some_and(|at| !model.nodes[at].is_live) {
                assert!(matches!(inserted, Err(HierarchyError::UnknownNode(_))));
                return;
            }
            let node = ModelNode {
                id: inserted.unwrap(),
                is_live: true,
                parent: None,
                children: vec![],
                local: pose(value),
            };
            model.nodes.push(node);
            model.attach(model.nodes.len() - 1, parent, position);
        }
        Edit::Remove { node } => {
            let Some(node) = pick(node) else { return };
            let removed = hierarchy.remove(model.nodes[node].id);
            assert_eq!(removed.is_ok(), model.nodes[node].is_live);
            if removed.is_ok() {
                model.detach(node);
                model.remove(node);
            }
        }
        Edit::Reparent { node, at, kind } => {
            let Some(node) = pick(node) else { return };
            let at = pick(at).filter(|_| kind < 200);
            let is_known = model.nodes[node].is_live && at.is_none_or(|at| model.nodes[at].is_live);
            let (place, parent, position) = model.place(kind, at);
            let moved = hierarchy.reparent(model.nodes[node].id, place);
            if !is_known {
                assert!(matches!(moved, Err(HierarchyError::UnknownNode(_))));
            } else if parent.is_some_and(|parent| model.is_below(parent, node)) {
                assert!(matches!(moved, Err(HierarchyError::Cycle { .. })));
            } else {
                moved.unwrap();
                let siblings = model.siblings(parent);
                let own = siblings.iter().position(|&sibling| sibling == node);
                let shift = usize::from(own.is_some_and(|own| own < position));
                model.detach(node);
                model.attach(node, parent, position - shift);
            }
        }
        Edit::SetLocal { node, value } => {
            let Some(node) = pick(node) else { return };
            let set = hierarchy.set_local(model.nodes[node].id, pose(value));
            assert_eq!(set.is_ok(), model.nodes[node].is_live);
            if set.is_ok() {
                model.nodes[node].local = pose(value);
            }
        }
        Edit::Propagate => hierarchy.propagate(),
    }
}

fn assert_same(hierarchy: &Hierarchy<Digest>, model: &Model) {
    let live: Vec<usize> = (0..model.nodes.len()).filter(|&i| model.nodes[i].is_live).collect();
    assert_eq!(hierarchy.len(), live.len());
    assert!(hierarchy.roots().eq(model.roots.iter().map(|&root| model.nodes[root].id)));
    for &node in &live {
        let ModelNode { id, ref children, .. } = model.nodes[node];
        assert!(
            hierarchy.children(id).unwrap().eq(children.iter().map(|&child| model.nodes[child].id))
        );
        assert_eq!(hierarchy.world(id), Ok(model.world(node)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_hierarchy_equals_its_model_after_any_edits(edits in proptest::collection::vec(edit(), 1..120)) {
        let mut hierarchy = Hierarchy::new();
        let mut model = Model::default();
        for edit in &edits {
            apply(&mut hierarchy, &mut model, edit);
            assert_same(&hierarchy, &model);
        }
        hierarchy.propagate();
        assert_same(&hierarchy, &model);
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
