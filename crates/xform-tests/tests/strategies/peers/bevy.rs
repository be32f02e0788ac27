//! Bevy: propagation after edits of the hierarchy, cycles, poses below other parents, scales that mirror or are zero.

use nalgebra::{Matrix4, UnitQuaternion, Vector3};
use xform_core::{
    Hierarchy, HierarchyError, Kept, NodeId, Place, Trs,
    spaces::{EulerOrder::XYZ, Orientation, WorldScale},
};
use xform_matrix::{AccumulatedMatrix, Method};

use super::in_both::{at, children, in_both, near};

fn offset(by: f64) -> Trs<f64> {
    at(by, by, by)
}

fn posed(place: [f64; 3], angles: [f64; 3], scale: f64) -> Trs<f64> {
    Trs::from_parts(place.into(), XYZ.rotation(&angles.into()), Vector3::repeat(scale))
}

in_both! {
    /// bevyengine/bevy, crates/bevy_transform/src/systems.rs, "correct_parent_removed"
    fn an_orphan_stands_where_its_own_pose_puts_it<X>() {
        let mut scene = Hierarchy::<X>::new();
        let root = scene.insert(None, offset(3.3)).unwrap();
        let parent = scene.insert(root, offset(4.4)).unwrap();
        let child = scene.insert(parent, offset(5.5)).unwrap();
        let place = |scene: &mut Hierarchy<X>, node: NodeId| {
            scene.propagate();
            scene.worlds().unwrap()[scene.slot(node).unwrap()]
        };
        near(&place(&mut scene, parent).to_homogeneous(), &offset(4.4 + 3.3).to_homogeneous());
        scene.reparent(parent, Place::LastRoot).unwrap();
        assert_eq!(place(&mut scene, parent), X::from(offset(4.4)));
        near(&place(&mut scene, child).to_homogeneous(), &offset(9.9).to_homogeneous());
        scene.reparent(child, Place::LastRoot).unwrap();
        assert_eq!(place(&mut scene, child), X::from(offset(5.5)));
    }

    /// bevyengine/bevy, crates/bevy_transform/src/systems.rs, "correct_children"
    fn children_are_those_that_were_not_moved_or_removed<X>() {
        let mut scene = Hierarchy::<X>::new();
        let parent = scene.insert(None, at(1.0, 0.0, 0.0)).unwrap();
        let one = scene.insert(parent, at(0.0, 2.0, 0.0)).unwrap();
        let two = scene.insert(parent, at(0.0, 3.0, 0.0)).unwrap();
        assert_eq!(children(&scene, parent), [one, two]);
        scene.reparent(one, two).unwrap();
        assert_eq!((children(&scene, parent), children(&scene, two)), (vec![two], vec![one]));
        assert_eq!(scene.world_translation(one).unwrap(), Vector3::new(1.0, 5.0, 0.0));
        scene.remove(one).unwrap();
        assert_eq!((children(&scene, parent), children(&scene, two)), (vec![two], vec![]));
    }

    /// bevyengine/bevy, crates/bevy_transform/src/systems.rs, "panic_when_hierarchy_cycle"
    fn a_cycle_is_refused_when_it_would_be_made<X>() {
        let mut scene = Hierarchy::<X>::new();
        let root = scene.insert(None, offset(1.0)).unwrap();
        let child = scene.insert(root, offset(1.0)).unwrap();
        let grandchild = scene.insert(child, offset(1.0)).unwrap();
        // Not as there: in Bevy the propagation panics at a cycle. Here no call makes one.
        let refused = HierarchyError::Cycle { node: child, parent: grandchild };
        assert_eq!(scene.reparent(child, grandchild), Err(refused));
        assert_eq!(scene.reparent_keeping_world(child, grandchild), Err(refused));
        assert_eq!(scene.parent(child), Ok(Some(root)));
        assert_eq!(scene.world_translation(grandchild).unwrap(), Vector3::repeat(3.0));
    }

    /// bevyengine/bevy, crates/bevy_ecs/src/hierarchy.rs, "self_parenting_invalid" and "missing_parent_invalid"
    fn neither_itself_nor_something_removed_is_a_parent<X>() {
        let mut scene = Hierarchy::<X>::new();
        let node = scene.insert(None, offset(1.0)).unwrap();
        let removed = scene.insert(None, offset(1.0)).unwrap();
        scene.remove(removed).unwrap();
        // Not as there: Bevy logs it and the node is without a parent, here it is an error and the node is as it was.
        assert_eq!(scene.reparent(node, node), Err(HierarchyError::Cycle { node, parent: node }));
        assert_eq!(scene.reparent(node, removed), Err(HierarchyError::UnknownNode(removed)));
        assert_eq!(scene.insert(removed, offset(1.0)), Err(HierarchyError::UnknownNode(removed)));
        assert_eq!((scene.parent(node), scene.len()), (Ok(None), 1));
    }

    /// bevyengine/bevy, crates/bevy_transform/src/helper.rs, "match_transform_propagation_systems"
    fn a_world_before_propagation_is_that_after_it<X>() {
        let mut scene = Hierarchy::<X>::new();
        let turn =
            |axis, part: f64| UnitQuaternion::from_axis_angle(&axis, std::f64::consts::TAU / part);
        let poses = [
            (Vector3::x(), turn(Vector3::y_axis(), 4.0), 2.0),
            (Vector3::y(), turn(Vector3::z_axis(), 3.0), 1.5),
            (Vector3::z(), turn(Vector3::x_axis(), 2.0), 0.3),
        ];
        let mut leaf = None;
        for (place, turn, scale) in poses {
            leaf = Some(
                scene.insert(leaf, Trs::from_parts(place, turn, Vector3::repeat(scale))).unwrap(),
            );
        }
        let leaf = leaf.unwrap();
        let before = scene.world_matrix(leaf).unwrap();
        scene.propagate();
        near(&scene.worlds().unwrap()[scene.slot(leaf).unwrap()].to_homogeneous(), &before);
        let product = |(place, turn, scale): (Vector3<f64>, UnitQuaternion<f64>, f64)| {
            Matrix4::new_translation(&place) * turn.to_homogeneous() * Matrix4::new_scaling(scale)
        };
        near(&before, &poses.map(product).iter().product());
    }

    /// bevyengine/bevy, crates/bevy_transform/src/components/global_transform.rs, "reparented_to_transform_identity"
    /// and "reparented_usecase"
    fn the_pose_below_another_parent_makes_the_same_world<X>() {
        for (one, two) in [
            (
                posed([1034.0, 34.0, -1324.34], [1.0, 0.9, 2.1], 1.0),
                posed([0.0, -54.493, 324.34], [1.9, 0.3, 3.0], 1.345),
            ),
            (
                posed([1034.0, 34.0, -1324.34], [0.8, 1.9, 2.1], 10.9),
                posed([28.0, -54.493, 324.34], [0.0, 3.1, 0.1], 0.9),
            ),
        ] {
            let mut scene = Hierarchy::<X>::new();
            let parent = scene.insert(None, two).unwrap();
            let node = scene.insert(None, one).unwrap();
            let (pose, kept) = scene.relative_pose(node, parent).unwrap();
            assert_eq!(kept, Kept::Exact);
            let below = scene.insert(parent, pose).unwrap();
            // Of figures up to 1 700.
            let off = scene.world_matrix(below).unwrap() - scene.world_matrix(node).unwrap();
            assert!(off.amax() < 4e-12, "{off}");
        }
    }
}

/// bevyengine/bevy, crates/bevy_transform/src/components/global_transform.rs, "scale"
#[test]
fn a_scale_is_read_as_it_comes_apart_even_where_it_is_zero() {
    let factors = [-42.42, 0.0, 42.42];
    let all = factors.map(|x| factors.map(|y| factors.map(|z| Vector3::new(x, y, z))));
    for scale in all.into_iter().flatten().flatten() {
        let mut scene = Hierarchy::<AccumulatedMatrix<f64>>::new();
        let node = scene.insert(None, Trs::from_scale(scale)).unwrap();
        let read = scene.world_scale(node, WorldScale::SignedLengths).unwrap();
        let parts = scene.world(node).unwrap().decompose(Method::NearestTrs).unwrap();
        near(&read, &parts.trs.scale);
        let mirrors = scale.product() < 0.0;
        near(
            &read,
            &scale.abs().component_mul(&Vector3::new(if mirrors { -1.0 } else { 1.0 }, 1.0, 1.0)),
        );
        assert_eq!(parts.orientation == Orientation::Singular, scale.product() == 0.0);
    }
}
