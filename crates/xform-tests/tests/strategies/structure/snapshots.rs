//! Snapshots: what another thread reads while edits go on, and what is between two of them.

use std::{sync::mpsc, thread};

use nalgebra::{UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_core::{Hierarchy, HierarchyError, Inherit, NodeId, Place, Real, Snapshot, Trs};
use xform_matrix::AccumulatedMatrix;

use crate::support::{
    every_strategy::for_every_strategy,
    given_tree::{Oracle, Size, Tree, epsilon, non_uniform_scale, path, pose, tree},
};

fn assert_holds<X: Oracle>(snapshot: &Snapshot<X>, hierarchy: &Hierarchy<X>) {
    assert_eq!(snapshot.worlds().len(), hierarchy.locals().len());
    for node in hierarchy {
        assert_eq!(snapshot.world(node), Some(&hierarchy.world(node).unwrap()));
        let slot = hierarchy.slot(node).unwrap();
        assert_eq!((snapshot.slot(node), snapshot.node_in(slot)), (Some(slot), Some(node)));
    }
    let nodes = (0..hierarchy.locals().len() + 3).filter_map(|slot| snapshot.node_in(slot));
    assert_eq!(nodes.count(), hierarchy.len());
}

/// Taken, kept through edits, and taken again in the same memory.
fn it_holds_what_was<X: Oracle>(tree: &Tree, poses: &[Trs<f64>]) {
    let (mut hierarchy, ids) = tree.hierarchy::<X>();
    let mut snapshot = Snapshot::new();
    hierarchy.snapshot(&mut snapshot).unwrap();
    assert_holds(&snapshot, &hierarchy);
    let before = hierarchy.clone();
    for (i, pose) in poses.iter().enumerate() {
        let node = ids[(7 * i) % ids.len()];
        if hierarchy.contains(node) {
            match i % 3 {
                0 => hierarchy.set_local(node, pose.cast()).unwrap(),
                1 => drop(hierarchy.insert(node, pose.cast()).unwrap()),
                _ => drop(hierarchy.remove(node).unwrap()),
            }
        }
    }
    if hierarchy.worlds().is_none() {
        assert_eq!(hierarchy.snapshot(&mut snapshot), Err(HierarchyError::NotPropagated));
    }
    assert_holds(&snapshot, &before);
    hierarchy.propagate();
    hierarchy.snapshot(&mut snapshot).unwrap();
    assert_holds(&snapshot, &hierarchy);
    for node in ids.into_iter().filter(|&node| !hierarchy.contains(node)) {
        assert_eq!(snapshot.world(node), None);
    }
}

/// Each local pose is between the two, and the worlds follow from them.
fn between_two<X: Oracle>(tree: &Tree, poses: &[Trs<f64>], part: f64) {
    let (mut hierarchy, ids) = tree.hierarchy::<X>();
    let last = hierarchy.insert(None, Trs::identity()).unwrap();
    hierarchy.propagate();
    let [mut previous, mut current, mut between] = [(); 3].map(|()| Snapshot::new());
    hierarchy.snapshot(&mut previous).unwrap();
    let before = hierarchy.clone();
    for (&node, pose) in ids.iter().zip(poses) {
        hierarchy.set_local(node, pose.cast()).unwrap();
    }
    // One moves elsewhere, one inherits less, one is gone, one is new.
    hierarchy.reparent(last, Place::LastChildOf(ids[0])).unwrap();
    let freed = ids[ids.len() / 2];
    hierarchy.set_inherit(freed, Inherit::Nothing).unwrap();
    let gone = *ids.last().unwrap();
    let gone = (ids.len() > 2 && gone != freed).then_some(gone);
    let removed: Vec<NodeId> =
        gone.map(|node| hierarchy.subtree(node).unwrap().collect()).unwrap_or_default();
    gone.map(|node| hierarchy.remove(node).unwrap());
    let new = hierarchy.insert(ids[0], Trs::identity()).unwrap();
    hierarchy.propagate();
    hierarchy.snapshot(&mut current).unwrap();
    let part = X::Scalar::rounded(part);
    between.interpolate(&previous, &current, part);

    let mut expected = hierarchy.clone();
    for &node in ids.iter().filter(|&&node| node != freed && hierarchy.contains(node)) {
        let [from, to] = [&before, &hierarchy].map(|hierarchy| *hierarchy.local(node).unwrap());
        expected.set_local(node, from.interpolate(&to, part)).unwrap();
    }
    for node in &expected {
        let found = between.world(node).unwrap().to_homogeneous().map(Into::into);
        let wanted = expected.world_matrix(node).unwrap().map(Into::into);
        let size = Size::of(&path(&expected, node));
        let within = 64.0 * epsilon::<X::Scalar>() * size.nodes * size.reach;
        assert!((found - wanted).norm() <= within, "{found} {wanted}");
    }
    assert!(between.world(new).is_some());
    assert!(removed.into_iter().all(|node| between.world(node).is_none()));
}

properties! {
    #![cases(48)]

    #[test]
    fn a_snapshot_holds_what_was(
        tree in tree(non_uniform_scale().boxed()),
        poses in proptest::collection::vec(pose(non_uniform_scale()), 0..12),
    ) {
        for_every_strategy!(it_holds_what_was(&tree, &poses));
    }

    #[test]
    fn between_two_snapshots_local_poses_are_interpolated(
        tree in tree(non_uniform_scale().boxed()),
        poses in proptest::collection::vec(pose(non_uniform_scale()), 25),
        part in 0.0..1.0,
    ) {
        for_every_strategy!(between_two(&tree, &poses, part));
    }
}

/// An arm that turns half round keeps its length on the way.
#[test]
fn what_turns_keeps_its_length() {
    let mut hierarchy = Hierarchy::<AccumulatedMatrix<f64>>::new();
    let hub = hierarchy.insert(None, Trs::identity()).unwrap();
    let tip = hierarchy.insert(hub, Trs::from_translation(Vector3::x() * 3.0)).unwrap();
    let [mut previous, mut current, mut between] = [(); 3].map(|()| Snapshot::new());
    hierarchy.propagate();
    hierarchy.snapshot(&mut previous).unwrap();
    hierarchy.set_rotation(hub, UnitQuaternion::from_scaled_axis(Vector3::z() * 3.0)).unwrap();
    hierarchy.propagate();
    hierarchy.snapshot(&mut current).unwrap();
    between.interpolate(&previous, &current, 0.5);
    let found = between.world(tip).unwrap().translation();
    assert!((found - Vector3::new(1.5_f64.cos(), 1.5_f64.sin(), 0.0) * 3.0).norm() < 1e-14);
}

/// One thread edits and takes snapshots, another one reads them; they hand three of them round.
#[test]
fn a_thread_reads_while_another_one_edits() {
    const FRAMES: u32 = 500;
    let mut hierarchy = Hierarchy::<AccumulatedMatrix<f64>>::new();
    let nodes = hierarchy.insert_forest(None, &[None; 100], &[Trs::identity(); 100]).unwrap();
    let (to_draw, from_simulation) = mpsc::channel::<(u32, Snapshot<AccumulatedMatrix<f64>>)>();
    let (to_reuse, from_drawing) = mpsc::channel();
    (0..3).for_each(|_| to_reuse.send(Snapshot::new()).unwrap());
    let drawn = nodes.clone();
    let drawing = thread::spawn(move || {
        let mut frames = 0;
        for (frame, snapshot) in from_simulation {
            for &node in &drawn {
                let world = snapshot.world(node).unwrap();
                assert_eq!(world.translation(), Vector3::x() * f64::from(frame));
            }
            frames += 1;
            let _ = to_reuse.send(snapshot);
        }
        frames
    });
    for frame in 0..FRAMES {
        for &node in &nodes {
            hierarchy.set_translation(node, Vector3::x() * f64::from(frame)).unwrap();
        }
        hierarchy.propagate();
        let mut snapshot = from_drawing.recv().unwrap();
        hierarchy.snapshot(&mut snapshot).unwrap();
        to_draw.send((frame, snapshot)).unwrap();
    }
    drop(to_draw);
    assert_eq!(drawing.join().unwrap(), FRAMES);
}
