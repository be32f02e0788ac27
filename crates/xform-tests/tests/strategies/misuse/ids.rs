//! Ids that are not those of a node that lives here: no method takes one for another node.

use std::fmt::Debug;

use nalgebra::{Point3, UnitQuaternion, Vector3};
use xform_core::{
    Axes, Hierarchy, HierarchyError, Inherit, Kept, NodeId, NodeTable, Place, Real, Space,
    Transform, Trs,
    changes::{Change, Watcher},
    spaces::WorldScale,
    strategy::RelativeTransform,
};
use xform_trs::CombinedTrs;

use crate::support::every_strategy::for_every_strategy;

type Outcome = Result<(), HierarchyError>;
type World<X> = Result<Kept<<X as Transform>::Scalar>, HierarchyError>;

fn pose<T: Real>() -> Trs<T> {
    Trs::from_translation(vector())
}

fn vector<T: Real>() -> Vector3<T> {
    Vector3::new(1.0, 2.0, 3.0).map(T::rounded)
}

/// What each method says that reads something of a node, or between it and one of its own.
fn reads<X: RelativeTransform>(
    hierarchy: &Hierarchy<X>,
    node: NodeId,
    own: NodeId,
) -> Vec<Outcome> {
    let scale = |definition| hierarchy.world_scale(node, definition).map(|_| ());
    let conversion = |from: Space, to: Space| hierarchy.conversion(from, to).map(|_| ());
    vec![
        hierarchy.local(node).map(|_| ()),
        hierarchy.inherit(node).map(|_| ()),
        hierarchy.parent(node).map(|_| ()),
        hierarchy.children(node).map(|_| ()),
        hierarchy.ancestors(node).map(|_| ()),
        hierarchy.depth(node).map(|_| ()),
        hierarchy.subtree(node).map(|_| ()),
        hierarchy.world(node).map(|_| ()),
        hierarchy.world_matrix(node).map(|_| ()),
        hierarchy.world_rotation(node).map(|_| ()),
        scale(WorldScale::Product),
        scale(WorldScale::ColumnLengths),
        scale(WorldScale::Projected),
        scale(WorldScale::Polar),
        hierarchy.collider_pose(node, WorldScale::Projected).map(|_| ()),
        hierarchy.world_skew(node).map(|_| ()),
        hierarchy.world_orientation(node).map(|_| ()),
        hierarchy.change_of(node).map(|_| ()),
        hierarchy.slot(node).map(|_| ()),
        hierarchy.relative_pose(node, None).map(|_| ()),
        hierarchy.relative_pose(node, own).map(|_| ()),
        hierarchy.relative_pose(own, node).map(|_| ()),
        conversion(node.into(), Space::World),
        conversion(Space::World, node.into()),
        conversion(Space::Parent(node), own.into()),
        conversion(own.into(), Space::Parent(node)),
    ]
}

/// The outcomes of all calls that change a node, or something beside or below it.
fn edits<X: RelativeTransform>(
    hierarchy: &mut Hierarchy<X>,
    node: NodeId,
    own: NodeId,
) -> Vec<Outcome> {
    let mut outcomes = vec![
        hierarchy.set_local(node, pose()),
        hierarchy.set_translation(node, vector()),
        hierarchy.set_rotation(node, UnitQuaternion::identity()),
        hierarchy.set_scale(node, vector()),
        hierarchy.set_inherit(node, Inherit::PositionOnly),
        hierarchy.watch(node).map(|_| ()),
        hierarchy.remove(node).map(|_| ()),
        hierarchy.reparent(node, None),
        hierarchy.reparent(node, own),
    ];
    let places = [
        Place::FirstChildOf(node),
        Place::LastChildOf(node),
        Place::Before(node),
        Place::After(node),
    ];
    for place in places {
        outcomes.push(hierarchy.insert(place, pose()).map(|_| ()));
        outcomes.push(hierarchy.insert_forest(place, &[None], &[pose()]).map(|_| ()));
        outcomes.push(hierarchy.insert_forest(place, &[], &[]).map(|_| ()));
        outcomes.push(hierarchy.reparent(own, place));
        outcomes.push(hierarchy.reparent_keeping_world(own, place).map(|_| ()));
    }
    outcomes
}

fn edits_in_world<X: RelativeTransform>(
    hierarchy: &mut Hierarchy<X>,
    node: NodeId,
    own: NodeId,
) -> Vec<World<X>> {
    let (turn, point) = (UnitQuaternion::identity(), Point3::from(vector()));
    let mut outcomes = vec![
        hierarchy.reparent_keeping_world(node, None),
        hierarchy.reparent_keeping_world(node, own),
        hierarchy.set_world(node, X::identity()),
        hierarchy.set_world_translation(node, vector()),
        hierarchy.set_world_rotation(node, turn),
        hierarchy.set_world_scale(node, vector()),
        hierarchy.rotate_around(node, point, turn),
        hierarchy.look_at(node, point, vector()),
    ];
    for axes in [Axes::Local, Axes::Parent, Axes::World] {
        outcomes.push(hierarchy.translate(node, vector(), axes));
        outcomes.push(hierarchy.rotate(node, turn, axes));
    }
    outcomes
}

fn refused_by_every_method<X: RelativeTransform + Debug>(
    hierarchy: &mut Hierarchy<X>,
    node: NodeId,
    own: NodeId,
) {
    let before = format!("{hierarchy:?}");
    assert!(!hierarchy.contains(node));
    let unknown = HierarchyError::UnknownNode(node);
    for (i, outcome) in reads(hierarchy, node, own).into_iter().enumerate() {
        assert_eq!(outcome, Err(unknown), "read {i}");
    }
    for (i, outcome) in edits(hierarchy, node, own).into_iter().enumerate() {
        assert_eq!(outcome, Err(unknown), "edit {i}");
    }
    for (i, outcome) in edits_in_world(hierarchy, node, own).into_iter().enumerate() {
        assert_eq!(outcome, Err(unknown), "edit in the world {i}");
    }
    assert_eq!(format!("{hierarchy:?}"), before);
}

/// A root with a child, in a hierarchy of its own.
fn pair<X: Transform>() -> (Hierarchy<X>, [NodeId; 2]) {
    let mut hierarchy = Hierarchy::new();
    let root = hierarchy.insert(None, pose()).unwrap();
    let child = hierarchy.insert(root, pose()).unwrap();
    (hierarchy, [root, child])
}

fn strangers_are_refused<X: RelativeTransform + Debug>() {
    let (mut earlier, foreign) = pair::<X>();
    let (mut hierarchy, [root, child]) = pair::<X>();
    let (_, later) = pair::<X>();
    let in_clone = hierarchy.clone().insert(root, pose()).unwrap();
    let mut cast: Hierarchy<CombinedTrs<f32>> = hierarchy.cast().unwrap();
    let in_cast = cast.insert(root, pose()).unwrap();
    let own = hierarchy.insert(root, pose()).unwrap();
    hierarchy.remove(child).unwrap();
    let successor = hierarchy.insert(own, pose()).unwrap();
    for is_propagated in [false, true] {
        let strangers = foreign.into_iter().chain(later).chain([in_clone, in_cast, child]);
        for stranger in strangers {
            refused_by_every_method(&mut hierarchy, stranger, own);
            refused_by_every_method(&mut hierarchy, stranger, successor);
        }
        if !is_propagated {
            hierarchy.propagate();
        }
    }
    refused_by_every_method(&mut earlier, own, foreign[1]);
    assert!(cast.contains(child), "it was removed from the other one");
}

#[test]
fn ids_of_others_and_of_nodes_that_are_gone_are_refused_by_every_method() {
    for_every_strategy!(strangers_are_refused());
}

fn nowhere_below_itself<X: RelativeTransform + Debug>() {
    for is_propagated in [false, true] {
        let (mut hierarchy, [root, child]) = pair::<X>();
        let below = hierarchy.insert(child, pose()).unwrap();
        if is_propagated {
            hierarchy.propagate();
        }
        let before = format!("{hierarchy:?}");
        for (node, parent) in [(root, root), (root, child), (root, below), (child, below)] {
            let mut places = vec![Place::FirstChildOf(parent), Place::LastChildOf(parent)];
            // Beside a child is below its parent.
            let children: Vec<_> = hierarchy.children(parent).unwrap().collect();
            places
                .extend(children.into_iter().flat_map(|id| [Place::Before(id), Place::After(id)]));
            for place in places {
                let cycle = HierarchyError::Cycle { node, parent };
                assert_eq!(hierarchy.reparent(node, place), Err(cycle));
                assert_eq!(hierarchy.reparent_keeping_world(node, place), Err(cycle));
            }
        }
        assert_eq!(format!("{hierarchy:?}"), before);
    }
}

#[test]
fn a_node_goes_nowhere_below_itself() {
    for_every_strategy!(nowhere_below_itself());
}

#[test]
fn a_watcher_of_a_removed_node_hears_nothing_of_its_successor() {
    let (mut hierarchy, [root, child]) = pair::<CombinedTrs<f64>>();
    let watchers = [child; 3].map(|node| hierarchy.watch(node).unwrap());
    hierarchy.propagate();
    hierarchy.remove(child).unwrap();
    let successor = hierarchy.insert(root, pose()).unwrap();
    let heir = hierarchy.watch(successor).unwrap();
    for _ in 0..3 {
        hierarchy.propagate();
        hierarchy.set_local(root, Trs::identity()).unwrap();
        assert_eq!(watchers.each_ref().map(Watcher::take), [None; 3]);
    }
    assert_eq!(heir.take(), Some(Change::ALL));
    drop(watchers);
    hierarchy.set_local(root, pose()).unwrap();
    hierarchy.propagate();
    assert_eq!(heir.take(), Some(Change::POSITION));
    hierarchy.remove(root).unwrap();
    assert_eq!([heir.take(), heir.take()], [None, None]);
}

#[test]
fn a_table_keeps_the_values_of_predecessors_strangers_and_successors_apart() {
    let (mut hierarchy, [root, child]) = pair::<CombinedTrs<f64>>();
    let (_, [foreign, _]) = pair::<CombinedTrs<f64>>();
    let mut table = NodeTable::new();
    table.insert(child, "child");
    hierarchy.remove(child).unwrap();
    let successor = hierarchy.insert(root, pose()).unwrap();
    assert_eq!((table.get(successor), table.get(child)), (None, Some(&"child")));
    table.insert(successor, "successor");
    assert_eq!((table.insert(child, "late"), table.get(child)), (None, None));
    assert_eq!(table.remove(child), None);
    assert_eq!(table.remove(foreign), None);
    assert_eq!((table.get(root), table.get(foreign)), (None, None));
    table.retain(|node, _| hierarchy.contains(node));
    assert!(table.iter().eq([(successor, &"successor")]));
}
