//! PlayCanvas: worlds of two nodes, steps and turns about three sets of axes, the order of children.
//!
//! Its angles are in degrees and turn about x, then y, then z, all fixed.

use nalgebra::{UnitQuaternion, Vector3};
use xform_core::{Axes, Hierarchy, Kept, NodeId, Place, Trs, spaces::EulerOrder::ZYX};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use super::in_both::{at, children, degrees, in_both, near};

fn root_and_child<X: xform_core::Transform<Scalar = f64>>(
    pose: Trs<f64>,
) -> (Hierarchy<X>, [NodeId; 2]) {
    let mut scene = Hierarchy::new();
    let root = scene.insert(None, pose).unwrap();
    let child = scene.insert(root, pose).unwrap();
    (scene, [root, child])
}

fn angles<X: xform_core::Transform<Scalar = f64>>(
    scene: &Hierarchy<X>,
    node: NodeId,
) -> Vector3<f64> {
    ZYX.angles(&scene.world_rotation(node).unwrap()).map(f64::to_degrees)
}

/// playcanvas/engine, test/scene/graph-node.test.mjs, "returns the world transform matrix of a transformed child node"
#[test]
fn the_world_of_a_child_is_the_product_of_two_matrices() {
    let pose = Trs::from_parts(
        Vector3::new(1.0, 2.0, 3.0),
        degrees(ZYX, 4.0, 5.0, 6.0),
        Vector3::new(7.0, 8.0, 9.0),
    );
    let (scene, [_, child]) = root_and_child::<AccumulatedMatrix<f64>>(pose);
    near(&scene.world_matrix(child).unwrap(), &(pose.to_homogeneous() * pose.to_homogeneous()));
    assert!(scene.world_skew(child).unwrap().unwrap() > 0.01);
    // Not as there: in combined TRS scales are multiplied and nothing skews, which is what the other strategy is for.
    let (scene, [_, child]) = root_and_child::<CombinedTrs<f64>>(pose);
    let world = scene.world(child).unwrap();
    assert_eq!(world.scale, Vector3::new(49.0, 64.0, 81.0));
    near(&world.rotation, &(pose.rotation * pose.rotation));
}

in_both! {
    /// playcanvas/engine, test/scene/graph-node.test.mjs, rotateLocal(), "accumulates rotations in a hierarchy"
    fn turns_about_own_axes_add_up_down_a_hierarchy<X>() {
        let (mut scene, [root, child]) = root_and_child::<X>(Trs::identity());
        scene.rotate(root, degrees(ZYX, 1.0, 2.0, 3.0), Axes::Local).unwrap();
        scene.rotate(child, degrees(ZYX, 4.0, 5.0, 6.0), Axes::Local).unwrap();
        near(&angles(&scene, root), &Vector3::new(1.0, 2.0, 3.0));
        // Theirs went through a matrix of `f32`.
        let theirs =
            Vector3::new(5.211_704_001_298_277, 6.883_411_088_035_306, 9.107_997_263_232_027);
        assert!((angles(&scene, child) - theirs).amax() < 1e-6);
    }

    /// playcanvas/engine, test/scene/graph-node.test.mjs, rotate(), "accumulates rotations in a hierarchy" and "in a node"
    fn turns_about_the_axes_of_the_world_add_up<X>() {
        let (mut scene, [root, child]) = root_and_child::<X>(Trs::identity());
        let about_x = |angle| degrees(ZYX, angle, 0.0, 0.0);
        for (node, angle) in [(root, 1.0), (root, 2.0), (root, 7.0), (child, 20.0)] {
            assert_eq!(scene.rotate(node, about_x(angle), Axes::World), Ok(Kept::Exact));
        }
        near(&angles(&scene, root), &Vector3::new(10.0, 0.0, 0.0));
        near(&angles(&scene, child), &Vector3::new(30.0, 0.0, 0.0));
        let before = scene.world(child).unwrap();
        scene.rotate(child, UnitQuaternion::identity(), Axes::World).unwrap();
        near(&scene.world_matrix(child).unwrap(), &before.to_homogeneous());
    }

    /// playcanvas/engine, test/scene/graph-node.test.mjs, "GraphNode: translateLocal in hierarchy"
    fn a_step_along_own_axes_goes_where_the_node_has_turned<X>() {
        let (mut scene, [root, child]) = root_and_child::<X>(Trs::identity());
        scene.set_world_translation(root, Vector3::new(10.0, 20.0, 30.0)).unwrap();
        scene.rotate(child, degrees(ZYX, 0.0, 180.0, 0.0), Axes::Local).unwrap();
        scene.translate(child, Vector3::new(10.0, 20.0, 30.0), Axes::Local).unwrap();
        near(&scene.world_translation(child).unwrap(), &Vector3::new(0.0, 40.0, 0.0));
        near(&scene.local(child).unwrap().translation, &Vector3::new(-10.0, 20.0, -30.0));
    }

    /// playcanvas/engine, test/scene/graph-node.test.mjs, "translates hierarchical nodes with a vector argument"
    fn a_step_in_the_world_moves_the_children_too<X>() {
        let (mut scene, [root, child]) = root_and_child::<X>(Trs::identity());
        scene.translate(root, Vector3::new(1.0, 2.0, 3.0), Axes::World).unwrap();
        scene.translate(child, Vector3::new(4.0, 5.0, 6.0), Axes::World).unwrap();
        assert_eq!(scene.world_translation(root).unwrap(), Vector3::new(1.0, 2.0, 3.0));
        assert_eq!(scene.world_translation(child).unwrap(), Vector3::new(5.0, 7.0, 9.0));
    }

    /// playcanvas/engine, test/scene/graph-node.test.mjs, "setPositionAndRotation is the same as setPosition and setRotation"
    fn place_and_rotation_set_apart_are_as_set_at_once<X>() {
        let (mut scene, [root, child]) = root_and_child::<X>(Trs::identity());
        scene.set_local(root, at(10.0, 20.0, 30.0).with_scale(Vector3::repeat(0.5))).unwrap();
        let (place, turn) = (Vector3::new(1.0, 2.0, 3.0), degrees(ZYX, 10.0, 20.0, 30.0));
        let mut at_once = scene.clone();
        scene.set_world_translation(child, place).unwrap();
        scene.set_world_rotation(child, turn).unwrap();
        let apart = *scene.local(child).unwrap();
        near(&apart.translation, &Vector3::new(-18.0, -36.0, -54.0));
        near(&apart.rotation, &turn);
        let world = X::from(Trs::from_parts(place, turn, Vector3::repeat(0.5)));
        assert_eq!(at_once.set_world(child, world), Ok(Kept::Exact));
        near(&at_once.local(child).unwrap().to_homogeneous(), &apart.to_homogeneous());
    }

    /// playcanvas/engine, test/scene/graph-node.test.mjs, "inserts a child node at the beginning" and "at the end"
    fn children_stand_where_they_are_inserted<X>() {
        let (mut scene, [root, child]) = root_and_child::<X>(Trs::identity());
        let first = scene.insert(Place::FirstChildOf(root), Trs::identity()).unwrap();
        let last = scene.insert(root, Trs::identity()).unwrap();
        let second = scene.insert(Place::Before(child), Trs::identity()).unwrap();
        assert_eq!(children(&scene, root), [first, second, child, last]);
    }

    /// playcanvas/engine, test/scene/graph-node.test.mjs, isAncestorOf(), "returns true if a grandparent node is an
    /// ancestor of a grandchild node" and "asserts that nodes are not ancestors of themselves"
    fn a_grandparent_is_an_ancestor_and_a_node_is_not_its_own<X>() {
        let (mut scene, [root, child]) = root_and_child::<X>(Trs::identity());
        let grandchild = scene.insert(child, Trs::identity()).unwrap();
        let stranger = scene.insert(None, Trs::identity()).unwrap();
        let of = |above, below| scene.is_ancestor_of(above, below).unwrap();
        assert!(of(root, child) && of(root, grandchild) && of(child, grandchild));
        assert!(!of(grandchild, root) && !of(stranger, child) && !of(child, child));
    }
}
