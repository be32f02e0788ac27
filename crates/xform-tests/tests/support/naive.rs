//! A hierarchy too simple to be wrong, and the same edits for it and the real one.

use std::collections::HashMap;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use xform_core::{
    Axes, Hierarchy, HierarchyError, Inherit, InstructionSet, NodeId, Place, Real, Transform, Trs,
};

/// Each node with its parent, its children in order and its pose.
pub(crate) struct Naive<X: Transform> {
    nodes: Vec<Option<Node<X>>>,
    /// Where a node was removed.
    free: Vec<usize>,
    roots: Vec<usize>,
    /// Ids of nodes that are gone.
    stale: Vec<NodeId>,
    /// How many nodes there may be.
    most: usize,
}

struct Node<X: Transform> {
    id: NodeId,
    parent: Option<usize>,
    children: Vec<usize>,
    local: Trs<X::Scalar>,
    inherit: Inherit,
}

/// How many stale ids are remembered.
const STALE: usize = 64;

/// An edit, from any bytes.
pub(crate) struct Edit([u8; Edit::LEN]);

impl Edit {
    pub(crate) const LEN: usize = 18;

    pub(crate) fn new(bytes: [u8; Self::LEN]) -> Self {
        Self(bytes)
    }

    /// A node's number, maybe of none.
    fn index(&self, at: usize) -> usize {
        usize::from(self.0[at]) << 16
            | usize::from(self.0[at + 1]) << 8
            | usize::from(self.0[at + 2])
    }

    fn pose<T: Real>(&self) -> Trs<T> {
        let number = |byte: u8| f64::from(byte.cast_signed()) / 16.0;
        let vector = |at: usize| Vector3::from_fn(|i, _| number(self.0[at + i]));
        let [x, y, z, w] = [10, 11, 12, 13].map(|at| number(self.0[at]));
        let turn = UnitQuaternion::try_new(Quaternion::new(w, x, y, z), 0.0).unwrap_or_default();
        // Mostly near 1, so that worlds neither grow nor vanish over many levels.
        let scale =
            vector(14).map(|x| if x.abs() < 7.0 { 1.0 + x / 64.0 } else { x.trunc() / 7.0 });
        Trs::from_parts(vector(7), turn, scale).cast()
    }

    fn inherit(&self) -> Inherit {
        Inherit::EACH[usize::from(self.0[17]) % Inherit::EACH.len()]
    }
}

/// Every node with its world transform in a new hierarchy of the same nodes, which is updated once: what was
/// updated bit by bit is no other.
pub(crate) fn anew<X: Transform>(
    hierarchy: &Hierarchy<X>,
    kernel: InstructionSet,
) -> Vec<(NodeId, X)> {
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
    ids.into_iter().zip(nodes).map(|(id, node)| (id, fresh.world(node).unwrap())).collect()
}

impl<X: Transform> Naive<X> {
    /// Of any number of nodes up to so many.
    pub(crate) fn new(most: usize) -> Self {
        Self { nodes: Vec::new(), free: Vec::new(), roots: Vec::new(), stale: Vec::new(), most }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    fn siblings(&mut self, parent: Option<usize>) -> &mut Vec<usize> {
        match parent {
            Some(parent) => &mut self.nodes[parent].as_mut().unwrap().children,
            None => &mut self.roots,
        }
    }

    fn is_below(&self, node: usize, top: usize) -> bool {
        let parent = |&node: &usize| self.nodes[node].as_ref().unwrap().parent;
        std::iter::successors(Some(node), parent).any(|at| at == top)
    }

    fn node(&self, index: usize) -> Option<usize> {
        let index = index.checked_rem(self.nodes.len())?;
        self.nodes[index].is_some().then_some(index)
    }

    /// The id of a node, or one of a node that is gone.
    fn id(&self, index: usize) -> Option<NodeId> {
        match self.node(index) {
            Some(node) => Some(self.nodes[node].as_ref().unwrap().id),
            None => self.stale.get(index.checked_rem(self.stale.len())?).copied(),
        }
    }

    fn insert(
        &mut self,
        id: NodeId,
        parent: Option<usize>,
        position: usize,
        local: Trs<X::Scalar>,
    ) -> usize {
        let children = Vec::new();
        let node = Some(Node { id, parent, children, local, inherit: Inherit::All });
        let index = self.free.pop().unwrap_or(self.nodes.len());
        if index == self.nodes.len() {
            self.nodes.push(node);
        } else {
            self.nodes[index] = node;
        }
        self.siblings(parent).insert(position, index);
        index
    }

    fn remove(&mut self, top: usize) -> usize {
        self.detach(top);
        let (mut pending, mut count) = (vec![top], 0);
        while let Some(index) = pending.pop() {
            let node = self.nodes[index].take().unwrap();
            pending.extend(node.children);
            self.free.push(index);
            if self.stale.len() < STALE {
                self.stale.push(node.id);
            } else {
                self.stale[count % STALE] = node.id;
            }
            count += 1;
        }
        count
    }

    fn detach(&mut self, node: usize) {
        let parent = self.nodes[node].as_ref().unwrap().parent;
        self.siblings(parent).retain(|&sibling| sibling != node);
    }

    /// A place by a node, with its parent there and position among its siblings.
    fn place(&mut self, kind: u8, index: usize) -> (Place, Option<(Option<usize>, usize)>) {
        let node = self.node(index);
        let Some(id) = self.id(index).filter(|_| kind < 250) else {
            return match kind % 2 {
                0 => (Place::FirstRoot, Some((None, 0))),
                _ => (Place::LastRoot, Some((None, self.roots.len()))),
            };
        };
        let by = |of: fn(NodeId) -> Place, to: Option<(Option<usize>, usize)>| (of(id), to);
        let Some(node) = node else { return by(Place::Before, None) };
        let Node { parent, ref children, .. } = *self.nodes[node].as_ref().unwrap();
        let count = children.len();
        let position = self.siblings(parent).iter().position(|&sibling| sibling == node).unwrap();
        match kind % 4 {
            0 => by(Place::FirstChildOf, Some((Some(node), 0))),
            1 => by(Place::LastChildOf, Some((Some(node), count))),
            2 => by(Place::Before, Some((parent, position))),
            _ => by(Place::After, Some((parent, position + 1))),
        }
    }

    /// Does the same to both, and checks that both refuse the same. Updates are by this kernel.
    pub(crate) fn edit(
        &mut self,
        hierarchy: &mut Hierarchy<X>,
        edit: &Edit,
        kernel: InstructionSet,
    ) {
        let (index, at) = (edit.index(1), edit.index(4));
        match edit.0[0] % 16 {
            0..=4 => self.edit_insert(hierarchy, edit),
            5 => {
                let Some(id) = self.id(index) else { return };
                let removed = hierarchy.remove(id).ok();
                let expected = self.node(index).map(|node| self.remove(node));
                assert_eq!(removed, expected);
            }
            6..=8 => self.edit_reparent(hierarchy, edit),
            9 => {
                let (Some(id), pose) = (self.id(index), edit.pose()) else { return };
                // As a whole, or part by part.
                let is_set = match at % 2 {
                    0 => hierarchy.set_local(id, pose),
                    _ => hierarchy
                        .set_translation(id, pose.translation)
                        .and_then(|()| hierarchy.set_rotation(id, pose.rotation))
                        .and_then(|()| hierarchy.set_scale(id, pose.scale)),
                };
                assert_eq!(is_set.is_ok(), self.node(index).is_some());
                if let Some(node) = self.node(index) {
                    self.nodes[node].as_mut().unwrap().local = pose;
                }
            }
            10 => {
                let (Some(one), Some(other)) = (self.id(index), self.id(at)) else { return };
                let poses = [Trs::from_translation(edit.pose().translation), edit.pose()];
                let is_set = hierarchy.set_locals(&[one, other], &poses).is_ok();
                let live = [index, at].map(|index| self.node(index));
                assert_eq!(is_set, live.iter().all(Option::is_some));
                for (node, pose) in live.into_iter().flatten().zip(poses).filter(|_| is_set) {
                    self.nodes[node].as_mut().unwrap().local = pose;
                }
            }
            11 => {
                let Some(id) = self.id(index) else { return };
                if hierarchy.set_inherit(id, edit.inherit()).is_ok() {
                    let node = self.node(index).unwrap();
                    self.nodes[node].as_mut().unwrap().inherit = edit.inherit();
                }
            }
            12 => {
                let Some(id) = self.id(index) else { return };
                let bad = edit
                    .pose::<X::Scalar>()
                    .with_scale(Vector3::repeat(X::Scalar::rounded(f64::NAN)));
                assert!(hierarchy.set_local(id, bad).is_err());
                let place = edit.pose::<X::Scalar>().translation;
                if hierarchy.set_world_translation(id, place).is_ok() {
                    let node = self.node(index).unwrap();
                    self.nodes[node].as_mut().unwrap().local = *hierarchy.local(id).unwrap();
                }
            }
            13 => {
                let Some(id) = self.id(index) else { return };
                if hierarchy.rotate(id, edit.pose().rotation, Axes::Local).is_ok() {
                    let node = self.node(index).unwrap();
                    self.nodes[node].as_mut().unwrap().local = *hierarchy.local(id).unwrap();
                }
            }
            14 => {
                if let Some(id) = self.id(at) {
                    assert_eq!(hierarchy.world(id).is_ok(), self.node(at).is_some());
                }
            }
            _ => hierarchy.propagate_by(kernel),
        }
    }

    /// A node somewhere.
    /// Inserts a node somewhere, where there are not yet as many as there may be.
    pub(crate) fn edit_insert(&mut self, hierarchy: &mut Hierarchy<X>, edit: &Edit) {
        if self.len() >= self.most {
            return;
        }
        let (place, to) = self.place(edit.0[17], edit.index(1));
        match (hierarchy.insert(place, edit.pose()), to) {
            (Ok(id), Some((parent, position))) => {
                self.insert(id, parent, position, edit.pose());
            }
            (Err(HierarchyError::UnknownNode(_)), None) => {}
            (found, _) => panic!("{found:?}"),
        }
    }

    fn edit_reparent(&mut self, hierarchy: &mut Hierarchy<X>, edit: &Edit) {
        let index = edit.index(1);
        let Some(id) = self.id(index) else { return };
        let (place, to) = self.place(edit.0[17], edit.index(4));
        let moved = hierarchy.reparent(id, place);
        let (Some(node), Some((parent, position))) = (self.node(index), to) else {
            assert!(matches!(moved, Err(HierarchyError::UnknownNode(_))), "{moved:?}");
            return;
        };
        if parent.is_some_and(|parent| self.is_below(parent, node)) {
            assert!(matches!(moved, Err(HierarchyError::Cycle { .. })), "{moved:?}");
            return;
        }
        moved.unwrap();
        let own = self.siblings(parent).iter().position(|&sibling| sibling == node);
        let shift = usize::from(own.is_some_and(|own| own < position));
        self.detach(node);
        self.nodes[node].as_mut().unwrap().parent = parent;
        self.siblings(parent).insert(position - shift, node);
    }

    /// Every node with its world transform, found from its parent's, parents first.
    pub(crate) fn worlds(&self) -> Vec<(NodeId, X)> {
        let mut worlds = Vec::with_capacity(self.len());
        let mut pending: Vec<_> = self.roots.iter().map(|&root| (root, X::identity())).collect();
        while let Some((index, above)) = pending.pop() {
            let node = self.nodes[index].as_ref().unwrap();
            let world = match node.inherit {
                Inherit::All => above.concat(&node.local),
                inherit => above.concat_inheriting(&node.local, inherit),
            };
            worlds.push((node.id, world));
            pending.extend(node.children.iter().map(|&child| (child, world)));
        }
        worlds
    }

    /// Checks that both have the same nodes, in the same order, with the same poses.
    pub(crate) fn assert_same_nodes(&self, hierarchy: &Hierarchy<X>) {
        assert_eq!(hierarchy.len(), self.len());
        let id = |&index: &usize| self.nodes[index].as_ref().unwrap().id;
        assert!(hierarchy.roots().eq(self.roots.iter().map(id)));
        for node in self.nodes.iter().flatten() {
            assert!(hierarchy.children(node.id).unwrap().eq(node.children.iter().map(id)));
            let parent = node.parent.as_ref().map(id);
            assert_eq!(hierarchy.parent(node.id), Ok(parent));
            assert_eq!(hierarchy.local(node.id), Ok(&node.local));
            assert_eq!(hierarchy.inherit(node.id), Ok(node.inherit));
        }
        assert!(self.stale.iter().all(|&id| !hierarchy.contains(id)));
    }
}
