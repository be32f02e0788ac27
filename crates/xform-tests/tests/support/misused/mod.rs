//! Every call that a hierarchy can refuse, with arguments that are good or bad.

mod state;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use proptest::{prelude::*, sample::select};
use xform_core::{
    Axes, Hierarchy, HierarchyError, Inherit, Kept, NodeId, NodeTable, Place, Real, Trs,
    changes::Watcher, strategy::RelativeTransform,
};

/// What can be done to a hierarchy.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Call {
    Insert,
    InsertForest,
    Remove,
    Reparent,
    ReparentKeepingWorld,
    SetLocal,
    SetTranslation,
    SetRotation,
    SetScale,
    SetInherit,
    SetWorld,
    SetWorldTranslation,
    SetWorldRotation,
    SetWorldScale,
    Translate,
    Rotate,
    RotateAround,
    LookAt,
    Watch,
    TrackChanges,
    KeepMatrices,
    Propagate,
}

impl Call {
    pub(crate) const EACH: [Self; 22] = [
        Self::Insert,
        Self::InsertForest,
        Self::Remove,
        Self::Reparent,
        Self::ReparentKeepingWorld,
        Self::SetLocal,
        Self::SetTranslation,
        Self::SetRotation,
        Self::SetScale,
        Self::SetInherit,
        Self::SetWorld,
        Self::SetWorldTranslation,
        Self::SetWorldRotation,
        Self::SetWorldScale,
        Self::Translate,
        Self::Rotate,
        Self::RotateAround,
        Self::LookAt,
        Self::Watch,
        Self::TrackChanges,
        Self::KeepMatrices,
        Self::Propagate,
    ];
}

/// A call with arguments, of which it takes those that it needs.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) call: Call,
    node: usize,
    other: usize,
    choice: u8,
    pose: Pose,
    vector: [f64; 3],
    /// The parents of a forest.
    parents: Vec<Option<usize>>,
}

/// A pose as somebody may come by it.
#[derive(Clone, Debug)]
struct Pose {
    translation: [f64; 3],
    /// x, y, z, w
    rotation: [f64; 4],
    scale: [f64; 3],
}

const ODD: [f64; 9] = [0.0, -0.0, 5e-324, 1e-310, 1e-40, 1e-30, 1e30, 1e200, 1.7e308];
const NO_NUMBERS: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

/// Numbers as they should be, now and then one that is nothing of the kind.
fn vector() -> impl Strategy<Value = [f64; 3]> {
    let number = prop_oneof![20 => -3.0..3.0, 2 => select(&ODD[..]), 1 => select(&NO_NUMBERS[..])];
    let [x, y, z] = [number.clone(), number.clone(), number];
    prop_oneof![
        4 => prop::array::uniform3(-3.0..3.0),
        2 => (x, y, z).prop_map(|(x, y, z)| [x, y, z]),
        1 => select(&[0.0, 1.0, 1e30, 1e-40][..]).prop_map(|x| [x; 3]),
    ]
}

fn rotation() -> impl Strategy<Value = [f64; 4]> {
    let turn = prop::array::uniform3(-3.0..3.0)
        .prop_map(|axis| UnitQuaternion::from_scaled_axis(Vector3::from(axis)).coords.into());
    let length = select(&[0.0, 1e-200, 0.9998, 0.99995, 1.00005, 1.1, 1e200, f64::NAN][..]);
    let longer = (turn.clone(), length).prop_map(|(turn, x): ([f64; 4], _)| turn.map(|y| x * y));
    prop_oneof![6 => turn, 2 => longer]
}

fn pose() -> impl Strategy<Value = Pose> {
    let flat = select(&[[1.0, 0.0, 2.0], [0.0; 3], [-1.0, 1.0, 0.0]][..]);
    let scale = prop_oneof![3 => vector(), 1 => flat];
    (vector(), rotation(), scale).prop_map(|(translation, rotation, scale)| Pose {
        translation,
        rotation,
        scale,
    })
}

pub(crate) fn step() -> impl Strategy<Value = Step> {
    let often = [Call::Insert, Call::InsertForest, Call::ReparentKeepingWorld, Call::Propagate];
    let call = prop_oneof![1 => select(&Call::EACH[..]), 1 => select(often.to_vec())];
    let parents = prop::collection::vec(prop::option::of(0_usize..5), 0..5);
    (call, 0_usize..56, 0_usize..56, any::<u8>(), pose(), vector(), parents).prop_map(
        |(call, node, other, choice, pose, vector, parents)| Step {
            call,
            node,
            other,
            choice,
            pose,
            vector,
            parents,
        },
    )
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..60)
}

impl Pose {
    fn of<T: Real>(&self) -> Trs<T> {
        let rotation = Quaternion::from(self.rotation.map(T::rounded));
        Trs::from_parts(
            Vector3::from(self.translation.map(T::rounded)),
            UnitQuaternion::new_unchecked(rotation),
            Vector3::from(self.scale.map(T::rounded)),
        )
    }
}

/// A hierarchy, and all that is known of it.
pub(crate) struct Subject<X: RelativeTransform> {
    pub(crate) hierarchy: Hierarchy<X>,
    /// Ids of its own, live and gone, behind those of others that look like them.
    pub(crate) ids: Vec<NodeId>,
    pub(crate) watchers: Vec<Watcher>,
    /// Where each node is in `ids`.
    pub(crate) numbers: NodeTable<usize>,
}

pub(crate) type Outcome<X> =
    Result<Option<Kept<<X as xform_core::Transform>::Scalar>>, HierarchyError>;

impl<X: RelativeTransform> Subject<X> {
    /// With two roots, and ids of two others: of a hierarchy of the same shape, and of a clone that
    /// went its own way.
    pub(crate) fn new() -> Self {
        let [mut hierarchy, mut stranger] = [Hierarchy::new(), Hierarchy::<X>::new()];
        let insert = |into: &mut Hierarchy<X>| into.insert(None, Trs::identity()).unwrap();
        let foreign = [0; 4].map(|_| insert(&mut stranger));
        let own = [0; 2].map(|_| insert(&mut hierarchy));
        let late = insert(&mut hierarchy.clone());
        let ids: Vec<_> = foreign.into_iter().chain([late]).chain(own).collect();
        let mut numbers = NodeTable::new();
        for (number, &id) in ids.iter().enumerate().skip(5) {
            numbers.insert(id, number);
        }
        Self { hierarchy, ids, watchers: Vec::new(), numbers }
    }

    /// Mostly a node that is there, now and then one that may be gone, or is somebody else's.
    fn id(&self, number: usize) -> NodeId {
        let (kind, number) = (number % 8, number / 8);
        let young = self.ids[self.ids.len() - 1 - number];
        match kind {
            0 => self.ids[number],
            1 => young,
            _ => {
                self.hierarchy.iter().nth(number * 7 % self.hierarchy.len().max(1)).unwrap_or(young)
            }
        }
    }

    fn place(&self, step: &Step) -> Place {
        let node = self.id(step.other);
        match step.choice % 8 {
            0 => Place::FirstRoot,
            1 => Place::LastRoot,
            2 => Place::Before(node),
            3 => Place::After(node),
            4 => Place::FirstChildOf(node),
            _ => Place::LastChildOf(node),
        }
    }

    fn note(&mut self, node: NodeId) {
        let number = self.ids.len();
        self.numbers.insert(node, number);
        self.ids.push(node);
    }

    /// Makes the call.
    pub(crate) fn perform(&mut self, step: &Step) -> Outcome<X> {
        let (node, place) = (self.id(step.node), self.place(step));
        let pose = step.pose.of();
        match step.call {
            Call::Insert => {
                let id = self.hierarchy.insert(place, pose)?;
                self.note(id);
            }
            Call::InsertForest => {
                let poses = vec![pose; step.parents.len()];
                let ids = self.hierarchy.insert_forest(place, &step.parents, &poses)?;
                ids.into_iter().for_each(|id| self.note(id));
            }
            Call::Remove => _ = self.hierarchy.remove(node)?,
            Call::Reparent => self.hierarchy.reparent(node, place)?,
            Call::SetLocal => self.hierarchy.set_local(node, pose)?,
            Call::SetTranslation => self.hierarchy.set_translation(node, pose.translation)?,
            Call::SetRotation => self.hierarchy.set_rotation(node, pose.rotation)?,
            Call::SetScale => self.hierarchy.set_scale(node, pose.scale)?,
            Call::SetInherit => {
                let inherit = Inherit::EACH[usize::from(step.choice) % Inherit::EACH.len()];
                self.hierarchy.set_inherit(node, inherit)?;
            }
            Call::Watch => {
                let watcher = self.hierarchy.watch(node)?;
                self.watchers.push(watcher);
            }
            Call::TrackChanges => self.hierarchy.track_changes(),
            Call::KeepMatrices => self.hierarchy.keep_matrices(step.choice.is_multiple_of(2)),
            Call::Propagate => self.hierarchy.propagate(),
            _ => return self.perform_in_world(step).map(Some),
        }
        Ok(None)
    }

    fn perform_in_world(&mut self, step: &Step) -> Result<Kept<X::Scalar>, HierarchyError> {
        let (node, place) = (self.id(step.node), self.place(step));
        let Trs { rotation, scale, .. } = step.pose.of();
        let vector = Vector3::from(step.vector.map(X::Scalar::rounded));
        let axes = [Axes::Local, Axes::Parent, Axes::World][usize::from(step.choice % 3)];
        let hierarchy = &mut self.hierarchy;
        match step.call {
            Call::ReparentKeepingWorld => hierarchy.reparent_keeping_world(node, place),
            Call::SetWorld => hierarchy.set_world(node, X::identity().concat(&step.pose.of())),
            Call::SetWorldTranslation => hierarchy.set_world_translation(node, vector),
            Call::SetWorldRotation => hierarchy.set_world_rotation(node, rotation),
            Call::SetWorldScale => hierarchy.set_world_scale(node, scale),
            Call::Translate => hierarchy.translate(node, vector, axes),
            Call::Rotate => hierarchy.rotate(node, rotation, axes),
            Call::RotateAround => hierarchy.rotate_around(node, vector, rotation),
            Call::LookAt => hierarchy.look_at(node, vector, scale),
            other => unreachable!("{other:?} is no edit in the world"),
        }
    }
}
