//! Names and meshes of nodes, stored beside the hierarchy: names in a `NodeTable` because every node has one, meshes
//! in a map because few nodes have one.

use std::collections::HashMap;

use nalgebra::Vector3;
use xform_trs::{CombinedTrs, Hierarchy, HierarchyError, NodeId, NodeTable, Trs};

struct Mesh {
    vertices: usize,
}

#[derive(Default)]
struct Scene {
    hierarchy: Hierarchy<CombinedTrs<f32>>,
    names: NodeTable<String>,
    meshes: HashMap<NodeId, Mesh>,
}

impl Scene {
    fn add(&mut self, parent: Option<NodeId>, name: &str) -> Result<NodeId, HierarchyError> {
        let node = self.hierarchy.insert(parent, Trs::from_translation(Vector3::x()))?;
        self.names.insert(node, name.to_owned());
        Ok(node)
    }

    fn remove(&mut self, node: NodeId) -> Result<(), HierarchyError> {
        self.hierarchy.remove(node)?;
        self.names.retain(|node, _| self.hierarchy.contains(node));
        self.meshes.retain(|&node, _| self.hierarchy.contains(node));
        Ok(())
    }

    fn path(&self, node: NodeId) -> Result<String, HierarchyError> {
        let mut path: Vec<_> = self.hierarchy.ancestors(node)?.collect();
        path.reverse();
        let names: Vec<_> = path.iter().chain([&node]).map(|&node| &*self.names[node]).collect();
        Ok(names.join("/"))
    }
}

fn main() -> Result<(), HierarchyError> {
    let mut scene = Scene::default();
    let arm = scene.add(None, "arm")?;
    let hand = scene.add(Some(arm), "hand")?;
    let lamp = scene.add(None, "lamp")?;
    scene.meshes.insert(hand, Mesh { vertices: 8 });
    assert_eq!(scene.path(hand)?, "arm/hand");

    // The meshes to redraw after a change: those of the nodes that moved.
    scene.hierarchy.propagate();
    scene.hierarchy.set_translation(arm, Vector3::y())?;
    scene.hierarchy.propagate();
    let moved = scene.hierarchy.changed_nodes().filter_map(|(node, _)| scene.meshes.get(&node));
    assert_eq!(moved.map(|mesh| mesh.vertices).sum::<usize>(), 8);

    scene.remove(arm)?;
    assert_eq!((scene.names.get(hand), scene.meshes.len()), (None, 0));
    assert_eq!(scene.names[lamp], "lamp");
    Ok(())
}

#[test]
fn runs() -> Result<(), HierarchyError> {
    main()
}
