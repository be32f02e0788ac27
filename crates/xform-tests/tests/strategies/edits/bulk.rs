//! Many poses at once, against the same set one by one; walks that leave the hierarchy free; all matrices of a camera.

use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_core::{
    Hierarchy, HierarchyError, NodeId, PoseError, Real, Space, Trs, world_matrix::WorldMatrix,
};
use xform_matrix::AccumulatedMatrix;

use crate::support::{
    every_strategy::for_every_strategy,
    given_tree::{Oracle, Size, Tree, epsilon, non_uniform_scale, path, pose, tree},
    placed::narrow,
};

/// A hierarchy with vacant slots, a layout that is not in order, and more slots than a word of a set has bits, and its
/// nodes.
fn untidy<X: Oracle>(tree: &Tree) -> (Hierarchy<X>, Vec<NodeId>) {
    let (mut hierarchy, ids) = tree.hierarchy::<X>();
    let last = *ids.last().unwrap();
    hierarchy.insert_forest(ids[0], &[None; 70], &[Trs::identity(); 70]).unwrap();
    let more = hierarchy.insert_forest(last, &[None, Some(0)], &[Trs::identity(); 2]).unwrap();
    hierarchy.insert(ids[0], Trs::identity()).unwrap();
    hierarchy.remove(more[0]).unwrap();
    let ids = hierarchy.iter().collect();
    (hierarchy, ids)
}

fn set_all_ways<X: Oracle>(tree: &Tree, poses: &[Trs<f64>], is_tracked: bool) {
    let (mut one_by_one, ids) = untidy::<X>(tree);
    if is_tracked {
        one_by_one.track_changes();
    }
    one_by_one.propagate();
    // Some stay as they are, and some have a rotation that is a little too long.
    let new_pose = |i: usize, old: &Trs<X::Scalar>| match i % 4 {
        0 => *old,
        1 => {
            let long = poses[i % poses.len()].rotation.into_inner() * 1.003;
            let rotation = UnitQuaternion::new_unchecked(long);
            old.with_rotation(Trs::from_rotation(rotation).cast().rotation)
        }
        _ => poses[i % poses.len()].cast(),
    };
    let [mut by_list, mut by_slot, mut in_slots, mut in_place] =
        [(); 4].map(|()| one_by_one.clone());
    let locals: Vec<_> =
        ids.iter().enumerate().map(|(i, &id)| new_pose(i, one_by_one.local(id).unwrap())).collect();
    for (&id, local) in ids.iter().zip(&locals) {
        one_by_one.set_local(id, *local).unwrap();
    }
    by_list.set_locals(&ids, &locals).unwrap();
    let nan = Trs::from_translation(Vector3::repeat(X::Scalar::rounded(f64::NAN)));
    let mut slots = vec![nan; by_slot.locals().len()];
    for (&id, local) in ids.iter().zip(&locals) {
        slots[by_slot.slot(id).unwrap()] = *local;
    }
    by_slot.set_locals_by_slot(&slots).unwrap();
    let own_slots: Vec<_> =
        ids.iter().map(|&id| u32::try_from(in_slots.slot(id).unwrap()).unwrap()).collect();
    in_slots.set_locals_in_slots(&own_slots, &locals).unwrap();
    let mut seen = Vec::new();
    let position = |id| ids.iter().position(|&other| other == id).unwrap();
    in_place
        .pose_all(|id, pose| {
            seen.push(id);
            *pose = locals[position(id)];
        })
        .unwrap();
    seen.sort_by_key(|&id| position(id));
    assert_eq!(seen, ids, "each node once");
    one_by_one.propagate();
    for mut other in [by_list, by_slot, in_slots, in_place] {
        other.propagate();
        assert_eq!(other.changed(), one_by_one.changed());
        for &id in &ids {
            assert_eq!(other.local(id), one_by_one.local(id));
            assert_eq!(other.world(id), one_by_one.world(id));
            assert_eq!(other.change_of(id), one_by_one.change_of(id));
        }
    }
}

fn refuses_all<X: Oracle>(tree: &Tree) {
    let (mut hierarchy, ids) = untidy::<X>(tree);
    hierarchy.propagate();
    let before = format!("{hierarchy:?}");
    let bad = ids[ids.len() / 2];
    let long = Trs::from_rotation(UnitQuaternion::new_unchecked(Quaternion::new(2.0, 0., 0., 0.)));
    let long = long.cast().rotation;
    let expected =
        HierarchyError::PoseOf { node: bad, error: PoseError::RotationNotUnit { length: 2.0 } };
    let refused = hierarchy.pose_all(|id, pose| {
        pose.translation = narrow(&Vector3::repeat(9.0));
        if id == bad {
            pose.rotation = long;
        }
    });
    assert_eq!(refused, Err(expected));
    let mut slots = hierarchy.locals().to_vec();
    slots[hierarchy.slot(bad).unwrap()].rotation = long;
    slots[hierarchy.slot(ids[0]).unwrap()].translation = narrow(&Vector3::repeat(9.0));
    if bad == ids[0] {
        slots[hierarchy.slot(bad).unwrap()].translation = narrow(&Vector3::zeros());
    }
    assert_eq!(hierarchy.set_locals_by_slot(&slots), Err(expected));
    let all: Vec<_> = (0..u32::try_from(slots.len()).unwrap()).collect();
    let vacant = all.iter().copied().find(|&slot| hierarchy.node_in(slot as usize).is_none());
    let vacant = vacant.expect("one node was removed");
    let refused = hierarchy.set_locals_in_slots(&all, &slots);
    assert_eq!(refused, Err(HierarchyError::VacantSlot { slot: vacant }));
    let beyond = all.len().try_into().unwrap();
    let refused = hierarchy.set_locals_in_slots(&[beyond], &[Trs::identity()]);
    assert_eq!(refused, Err(HierarchyError::VacantSlot { slot: beyond }));
    let own = [ids[0], bad].map(|id| u32::try_from(hierarchy.slot(id).unwrap()).unwrap());
    let poses = own.map(|slot| slots[slot as usize]);
    let error = PoseError::RotationNotUnit { length: 2.0 };
    let index = usize::from(bad != ids[0]);
    let expected = Err(HierarchyError::PoseAt { index, error });
    assert_eq!(hierarchy.set_locals_in_slots(&own, &poses), expected);
    assert_eq!(format!("{hierarchy:?}"), before);
}

/// Each matrix is that of the conversion, to what the way through the world costs.
fn matrices_are_conversions<X: Oracle>(tree: &Tree) {
    let (mut hierarchy, ids) = untidy::<X>(tree);
    let camera = ids[ids.len() / 3];
    let mut found = vec![WorldMatrix::<f64>::identity(); 3];
    let pending = hierarchy.matrices_relative_to(camera, &mut found);
    assert_eq!(pending, Err(HierarchyError::NotPropagated));
    let mut waiting = Vec::new();
    hierarchy.matrices_of::<f64>(&ids, camera, &mut waiting).unwrap();
    hierarchy.propagate();
    // Of nodes that are named they are the same, whether edits waited or not.
    hierarchy.matrices_relative_to(camera, &mut found).unwrap();
    let in_slots = ids.iter().map(|&node| found[hierarchy.slot(node).unwrap()]);
    assert!(in_slots.eq(waiting.iter().copied()));
    hierarchy.matrices_of(&ids[1..2], camera, &mut waiting).unwrap();
    assert_eq!(waiting, [found[hierarchy.slot(ids[1]).unwrap()]]);
    for space in [Space::World, Space::Local(camera), Space::Parent(camera)] {
        hierarchy.matrices_relative_to(space, &mut found).unwrap();
        assert_eq!(found.len(), hierarchy.locals().len());
        let above = match space {
            Space::World => Matrix4::identity(),
            Space::Local(_) => X::expected(&path(&hierarchy, camera)),
            Space::Parent(_) => {
                let mut path = path(&hierarchy, camera);
                path.pop();
                X::expected(&path)
            }
        };
        let inverse = above.try_inverse().unwrap();
        for &node in &ids {
            let path = path(&hierarchy, node);
            let size = Size::of(&path);
            let expected = inverse * X::expected(&path);
            let off = (found[hierarchy.slot(node).unwrap()].0 - expected).norm();
            let within = 256.0 * epsilon::<X::Scalar>() * size.nodes * (size.reach + above.norm());
            assert!(off <= within * inverse.norm() * above.norm() * inverse.norm(), "{off}");
        }
    }
}

#[test]
fn poses_are_taken_of_which_everything_is_finite_but_not_the_sum() {
    let huge = Vector3::repeat(f32::MAX);
    let huge = Trs::from_translation(huge).with_scale(huge);
    let mut hierarchy = Hierarchy::<AccumulatedMatrix<f32>>::new();
    let ids = hierarchy.insert_forest(None, &[None; 9], &[huge; 9]).unwrap();
    for pose in [Trs::identity(), huge] {
        hierarchy.set_locals(&ids, &[pose; 9]).unwrap();
        assert_eq!(hierarchy.locals(), [pose; 9]);
    }
    hierarchy
        .set_locals_by_slot(&[-1.0, 1.0].map(|y| huge.with_scale(huge.scale * y)).repeat(5)[..9])
        .unwrap();
    assert_eq!(hierarchy.locals()[8], huge.with_scale(-huge.scale));
}

/// Beside the camera the last millimetre is there, however far from the world's origin.
#[test]
fn far_away_nothing_is_lost_beside_the_camera() {
    let mut hierarchy = Hierarchy::<AccumulatedMatrix<f64>>::new();
    let far = Vector3::new(1.5e11, -3e10, 7e9);
    let camera = hierarchy.insert(None, Trs::from_translation(far)).unwrap();
    let off = Vector3::new(0.125, -2.5, 3.0625);
    let thing = hierarchy.insert(None, Trs::from_translation(far + off)).unwrap();
    hierarchy.propagate();
    let mut matrices: Vec<WorldMatrix<f32>> = Vec::new();
    hierarchy.matrices_relative_to(camera, &mut matrices).unwrap();
    let found = matrices[hierarchy.slot(thing).unwrap()].0;
    assert_eq!(found, Matrix4::new_translation(&off.cast()));
    let flat = Trs::from_scale(Vector3::new(1.0, 0.0, 1.0));
    hierarchy.set_local(camera, flat).unwrap();
    hierarchy.propagate();
    let refused = hierarchy.matrices_relative_to(camera, &mut matrices);
    assert_eq!(refused, Err(HierarchyError::Singular(camera)));
    assert_eq!(matrices[hierarchy.slot(thing).unwrap()].0, found);
    let refused = hierarchy.matrices_of(&[thing], camera, &mut matrices);
    assert_eq!(refused, Err(HierarchyError::Singular(camera)));
    hierarchy.remove(thing).unwrap();
    let refused = hierarchy.matrices_of(&[camera, thing], Space::World, &mut matrices);
    assert_eq!(refused, Err(HierarchyError::UnknownNode(thing)));
}

/// Walks see what iterators see, and go on when what they handed out is edited or removed.
fn walks<X: Oracle>(tree: &Tree) {
    let (mut hierarchy, ids) = untidy::<X>(tree);
    for &node in &ids {
        let listed: Vec<_> = hierarchy.children(node).unwrap().collect();
        let mut walk = hierarchy.walk_children(node).unwrap();
        let mut walked = Vec::new();
        while let Some(child) = walk.next(&hierarchy) {
            hierarchy.set_translation(child, narrow(&Vector3::y())).unwrap();
            walked.push(child);
        }
        assert_eq!(walked, listed);
        let listed: Vec<_> = hierarchy.subtree(node).unwrap().collect();
        let mut walk = hierarchy.walk_subtree(node).unwrap();
        let walked: Vec<_> = std::iter::from_fn(|| walk.next(&hierarchy)).collect();
        assert_eq!(walked, listed);
    }
    let root = ids[0];
    let children: Vec<_> = hierarchy.children(root).unwrap().collect();
    let mut walk = hierarchy.walk_children(root).unwrap();
    let mut removed = Vec::new();
    while let Some(child) = walk.next(&hierarchy) {
        hierarchy.remove(child).unwrap();
        removed.push(child);
    }
    assert_eq!(removed, children);
    // Those that are moved on the way are met all the same, once each.
    let [a, b] = [(); 2].map(|()| hierarchy.insert(root, Trs::identity()).unwrap());
    let below = hierarchy.insert(a, Trs::identity()).unwrap();
    let mut walk = hierarchy.walk_subtree(root).unwrap();
    let mut walked = Vec::new();
    while let Some(node) = walk.next(&hierarchy) {
        hierarchy.reparent(node, None).unwrap();
        walked.push(node);
    }
    assert_eq!(walked, [root, a, below, b]);
    let mut stale = hierarchy.walk_subtree(root).unwrap();
    hierarchy.remove(root).unwrap();
    assert_eq!(stale.next(&hierarchy), None);
    assert_eq!(hierarchy.walk_children(root).unwrap_err(), HierarchyError::UnknownNode(root));
}

properties! {
    #![cases(48)]

    #[test]
    fn all_ways_to_set_many_poses_do_what_setters_do(
        tree in tree(non_uniform_scale().boxed()),
        poses in proptest::collection::vec(pose(non_uniform_scale()), 1..8),
        is_tracked in any::<bool>(),
    ) {
        for_every_strategy!(set_all_ways(&tree, &poses, is_tracked));
    }

    #[test]
    fn one_bad_pose_of_many_leaves_all_as_they_were(tree in tree(non_uniform_scale().boxed())) {
        for_every_strategy!(refuses_all(&tree));
    }

    #[test]
    fn all_matrices_of_a_camera_are_its_conversions(tree in tree(non_uniform_scale().boxed())) {
        for_every_strategy!(matrices_are_conversions(&tree));
    }

    #[test]
    fn a_walk_goes_where_the_iterator_goes(tree in tree(non_uniform_scale().boxed())) {
        for_every_strategy!(walks(&tree));
    }
}
