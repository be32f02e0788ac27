use std::fmt::Debug;
use std::ops::Range;

use xform_core::{
    Hierarchy, Inherit, NodeId, Real, Trs, changes::Change, strategy::RelativeTransform,
};

use super::Subject;

/// Everything that can be seen of a hierarchy; nodes by their number, since ids are never the same
/// twice.
#[derive(Debug, PartialEq)]
pub(crate) struct State {
    pub(crate) lasting: Lasting,
    watchers: Vec<String>,
    /// What the last propagation changed.
    changed: Vec<Range<usize>>,
    changes: Vec<(usize, Change)>,
    order_generation: u64,
    slots: Vec<(usize, Change)>,
    is_pending: bool,
    /// What the next one will change.
    next_changed: Vec<Range<usize>>,
    next_changes: Vec<(usize, Change)>,
    next_matrices: Option<Vec<Bits>>,
}

/// What no propagation changes.
#[derive(Debug, PartialEq)]
pub(crate) struct Lasting {
    is_known: Vec<bool>,
    nodes: Vec<Node>,
}

#[derive(Debug, PartialEq)]
struct Node {
    number: usize,
    parent: Option<usize>,
    children: Vec<usize>,
    local: Bits,
    inherit: Inherit,
    world: Bits,
}

type Bits = Vec<u64>;

/// Bit for bit, but for what kind of NaN it is.
fn bits<'a, T: Real>(scalars: impl IntoIterator<Item = &'a T>) -> Bits {
    let bits = |x: f64| if x.is_nan() { f64::NAN } else { x }.to_bits();
    scalars.into_iter().map(|&x| bits(x.into())).collect()
}

fn pose_bits<T: Real>(pose: &Trs<T>) -> Bits {
    let Trs { translation, rotation, scale } = pose;
    bits(rotation.coords.iter().chain(translation).chain(scale))
}

impl<X: RelativeTransform + Debug> Subject<X> {
    /// All of it; nothing is changed by looking.
    pub(crate) fn state(&self) -> State {
        let Self { hierarchy, watchers, .. } = self;
        let mut next = hierarchy.clone();
        next.propagate();
        let nodes = || hierarchy.iter();
        State {
            lasting: self.lasting(hierarchy),
            watchers: watchers.iter().map(|watcher| format!("{watcher:?}")).collect(),
            changed: hierarchy.changed().to_vec(),
            changes: self.changes(hierarchy),
            order_generation: hierarchy.order_generation(),
            slots: nodes()
                .map(|id| (hierarchy.slot(id).unwrap(), hierarchy.change_of(id).unwrap()))
                .collect(),
            is_pending: hierarchy.worlds().is_none(),
            next_changed: next.changed().to_vec(),
            next_changes: self.changes(&next),
            next_matrices: next.matrices().map(|_| {
                let matrix = |id| next.matrices().unwrap()[next.slot(id).unwrap()].0;
                nodes().map(|id| bits(&matrix(id))).collect()
            }),
        }
    }

    pub(crate) fn lasting(&self, hierarchy: &Hierarchy<X>) -> Lasting {
        let node = |id| Node {
            number: self.numbers[id],
            parent: hierarchy.parent(id).unwrap().map(|parent| self.numbers[parent]),
            children: hierarchy.children(id).unwrap().map(|child| self.numbers[child]).collect(),
            local: pose_bits(hierarchy.local(id).unwrap()),
            inherit: hierarchy.inherit(id).unwrap(),
            world: bits(&hierarchy.world_matrix(id).unwrap()),
        };
        Lasting {
            is_known: self.ids.iter().map(|&id| hierarchy.contains(id)).collect(),
            nodes: hierarchy.iter().map(node).collect(),
        }
    }

    fn changes(&self, hierarchy: &Hierarchy<X>) -> Vec<(usize, Change)> {
        hierarchy.changed_nodes().map(|(id, change)| (self.numbers[id], change)).collect()
    }

    /// Checks that it is what a new hierarchy with the same poses is, with and without propagation.
    pub(crate) fn assert_as_if_new(&self) {
        let old: Vec<NodeId> = self.hierarchy.iter().collect();
        let position = |node| old.iter().position(|&other| other == node).unwrap();
        let parents: Vec<_> =
            old.iter().map(|&node| self.hierarchy.parent(node).unwrap().map(position)).collect();
        let locals: Vec<_> = old.iter().map(|&node| *self.hierarchy.local(node).unwrap()).collect();
        let mut new = Hierarchy::<X>::new();
        let ids = new.insert_forest(None, &parents, &locals).unwrap();
        for (&old, &id) in old.iter().zip(&ids) {
            new.set_inherit(id, self.hierarchy.inherit(old).unwrap()).unwrap();
        }
        new.propagate();
        let mut propagated = self.hierarchy.clone();
        propagated.propagate();
        let world = |of: &Hierarchy<X>, node| {
            (bits(&of.world_matrix(node).unwrap()), of.children(node).unwrap().count())
        };
        assert!(new.iter().eq(ids.iter().copied()), "depth first, as it was");
        for (&old, &id) in old.iter().zip(&ids) {
            assert_eq!(world(&self.hierarchy, old), world(&new, id));
            assert_eq!(world(&propagated, old), world(&new, id));
        }
    }
}
