//! Fyrox: scales of the world, changes that are passed on, the order of children, another root, visits, copies.

use nalgebra::Vector3;
use xform_core::{Hierarchy, HierarchyError, NodeId, Place, Transform, Trs, spaces::WorldScale};

use super::in_both::{at, children, in_both};

/// Nodes of which each is a child of an earlier one.
fn family<X: Transform<Scalar = f64>>(parents: &[Option<usize>]) -> (Hierarchy<X>, Vec<NodeId>) {
    let mut graph = Hierarchy::new();
    let poses = vec![Trs::identity(); parents.len()];
    let nodes = graph.insert_forest(None, parents, &poses).unwrap();
    (graph, nodes)
}

fn position<X: Transform<Scalar = f64>>(graph: &Hierarchy<X>, node: NodeId) -> [f64; 3] {
    graph.world_translation(node).unwrap().into()
}

in_both! {
    /// FyroxEngine/Fyrox, fyrox-impl/src/scene/graph/mod.rs, "test_global_scale"
    fn scales_multiply_by_every_definition_where_nothing_turns<X>() {
        let (mut graph, nodes) = family::<X>(&[None, Some(0), Some(1)]);
        let scales = [[1.0, 1.0, 2.0], [3.0, 2.0, 1.0], [1.0, 2.0, 3.0]];
        for (&node, scale) in nodes.iter().zip(scales) {
            graph.set_scale(node, scale).unwrap();
        }
        for definition in [
            WorldScale::Product,
            WorldScale::Projected,
            WorldScale::ColumnLengths,
            WorldScale::SignedLengths,
        ] {
            let found =
                nodes.iter().map(|&node| graph.world_scale(node, definition).unwrap().into());
            let found: Vec<[f64; 3]> = found.collect();
            assert_eq!(
                found,
                [[1.0, 1.0, 2.0], [3.0, 2.0, 2.0], [3.0, 4.0, 6.0]],
                "{definition:?}"
            );
        }
    }

    /// FyroxEngine/Fyrox, fyrox-impl/src/scene/graph/mod.rs, "test_hierarchy_changes_propagation"
    fn a_change_is_passed_on_below_and_not_beside<X>() {
        let mut graph = Hierarchy::<X>::new();
        let a = graph.insert(None, at(1.0, 0.0, 0.0)).unwrap();
        let b = graph.insert(a, at(0.0, 1.0, 0.0)).unwrap();
        let c = graph.insert(b, at(0.0, 0.0, 1.0)).unwrap();
        let d = graph.insert(a, at(1.0, 1.0, 1.0)).unwrap();
        graph.propagate();
        let places = [a, b, c, d].map(|node| position(&graph, node));
        assert_eq!(places, [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]]);
        graph.set_translation(b, Vector3::y() * 2.0).unwrap();
        graph.propagate();
        let places = [a, b, c, d].map(|node| position(&graph, node));
        assert_eq!(places, [[1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [1.0, 2.0, 1.0], [2.0, 1.0, 1.0]]);
        assert_eq!(graph.changed_nodes().map(|(node, _)| node).collect::<Vec<_>>(), [b, c]);
    }

    /// FyroxEngine/Fyrox, fyrox-graph/src/lib.rs, "test_set_child_position"
    fn a_child_is_put_anywhere_among_its_siblings_and_back<X>() {
        let (mut graph, nodes) = family::<X>(&[None, Some(0), Some(0), Some(0), Some(0)]);
        let [root, a, b, c, d] = nodes[..] else { unreachable!("five were inserted") };
        let before = graph.place_of(a).unwrap();
        // Not as there: a place is named by a neighbour and not by a number, which other edits would make another's.
        for (node, place, expected) in [
            (a, Place::LastChildOf(root), [b, c, d, a]),
            (a, before, [a, b, c, d]),
            (d, Place::After(a), [a, d, b, c]),
            (d, Place::FirstChildOf(root), [d, a, b, c]),
        ] {
            graph.reparent(node, place).unwrap();
            assert_eq!(children(&graph, root), expected);
        }
    }

    /// FyroxEngine/Fyrox, fyrox-graph/src/lib.rs, "test_change_root"
    fn another_root_takes_one_move_for_each_node_that_turns_over<X>() {
        let (mut graph, nodes) = family::<X>(&[None, Some(0), Some(1), Some(1), Some(3)]);
        let [root, a, b, c, d] = nodes[..] else { unreachable!("five were inserted") };
        // Not as there: a forest needs no root, so no call changes it. Moves are made from the new root down.
        assert_eq!(graph.reparent(root, c), Err(HierarchyError::Cycle { node: root, parent: c }));
        graph.reparent(c, Place::LastRoot).unwrap();
        graph.reparent(a, c).unwrap();
        graph.reparent(root, c).unwrap();
        assert_eq!(graph.roots().collect::<Vec<_>>(), [c]);
        assert_eq!((children(&graph, c), children(&graph, a)), (vec![d, a, root], vec![b]));
        graph.reparent(root, Place::LastRoot).unwrap();
        graph.reparent(a, root).unwrap();
        graph.reparent(c, a).unwrap();
        assert_eq!(graph.iter().collect::<Vec<_>>(), [root, a, b, c, d]);
        assert_eq!((children(&graph, root), children(&graph, a)), (vec![a], vec![b, c]));
    }

    /// FyroxEngine/Fyrox, fyrox-graph/src/lib.rs, "test_traverse_iter"
    fn a_walk_that_edits_sees_the_nodes_of_a_visit<X>() {
        // The root; a with b, c, d, e and f below it; x.
        let parents = [None, Some(0), Some(1), Some(1), Some(3), Some(4), Some(1), Some(0)];
        let (mut graph, nodes) = family::<X>(&parents);
        for (top, expected) in
            [(0, &nodes[..]), (3, &nodes[3..6]), (4, &nodes[4..6]), (5, &nodes[5..6])]
        {
            assert_eq!(graph.subtree(nodes[top]).unwrap().collect::<Vec<_>>(), expected);
            let mut walk = graph.walk_subtree(nodes[top]).unwrap();
            let mut walked = Vec::new();
            while let Some(node) = walk.next(&graph) {
                graph.update(node, |pose| pose.translation.x += 1.0).unwrap();
                walked.push(node);
            }
            assert_eq!(walked, expected);
        }
        // Each once for each of its tops: the root 1, a 1, c 2, d 3, e 4.
        assert_eq!(position(&graph, nodes[5]), [11.0, 0.0, 0.0]);
    }

    /// FyroxEngine/Fyrox, fyrox-impl/src/scene/graph/mod.rs, "test_copy_node_inplace" and "graph_node_test"
    fn a_copy_has_a_node_for_each_in_the_same_order<X>() {
        let (mut graph, nodes) = family::<X>(&[None, Some(0), Some(0), Some(2)]);
        // Not as there: a new graph is empty, where Fyrox has a root already, below which all copies are.
        assert_eq!(graph.len(), 4);
        graph.set_translation(nodes[3], Vector3::z()).unwrap();
        let copies = graph.copy_subtree(nodes[0], None).unwrap();
        assert_eq!((copies.len(), graph.len()), (4, 8));
        let parents: Vec<_> = copies.iter().map(|&copy| graph.parent(copy).unwrap()).collect();
        assert_eq!(parents, [None, Some(copies[0]), Some(copies[0]), Some(copies[2])]);
        assert_eq!(position(&graph, copies[3]), [0.0, 0.0, 1.0]);
    }
}
