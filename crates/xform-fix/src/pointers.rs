//! Finds properties that are set from outside, by animation pointers and by behaviours.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use xform_scene::gltf::set_by_behaviours;

use crate::document::Document;

/// The properties of nodes and meshes that pointers set.
#[derive(Debug, Default)]
pub(crate) struct Pointed {
    of_node: HashMap<usize, HashSet<String>>,
    /// Properties of unknown nodes: the node is chosen at run time.
    of_all: HashSet<String>,
    /// The meshes with a property that is set. `None` stands for any mesh.
    meshes: HashSet<Option<usize>>,
}

/// The extension of behaviours.
const INTERACTIVITY: &str = "KHR_interactivity";

impl Pointed {
    pub(crate) fn of(document: &Document<'_>) -> Self {
        let mut pointed = Self::default();
        for animation in &document.animations {
            for channel in &animation.is.channels {
                if let Some(pointer) = channel.is.target.pointer() {
                    pointed.add(pointer, None);
                }
            }
        }
        let behaviours = document.extensions.every(INTERACTIVITY);
        // The reader too ignores behaviours that are nested too deeply.
        let behaviours = behaviours.filter_map(|raw| serde_json::from_str::<Value>(raw.get()).ok());
        for set in behaviours.flat_map(|found| set_by_behaviours(&found)) {
            pointed.add(&set.pointer, set.index);
        }
        pointed
    }

    pub(crate) fn sets(&self, node: usize, property: &str) -> bool {
        self.of_all.contains(property)
            || self.of_node.get(&node).is_some_and(|found| found.contains(property))
    }

    /// Whether any property of a mesh is set.
    pub(crate) fn sets_mesh(&self, mesh: usize) -> bool {
        self.meshes.contains(&Some(mesh)) || self.meshes.contains(&None)
    }

    /// Adds a pointer such as `/nodes/3/scale`, or `/nodes/{node}/scale` with the value of the placeholder.
    fn add(&mut self, pointer: &str, value: Option<usize>) {
        let mut parts = pointer.split('/').skip(1);
        let (list, Some(index), Some(property)) = (parts.next(), parts.next(), parts.next()) else {
            return;
        };
        let (index, property) = (index.parse().ok().or(value), property.to_owned());
        match (list, index) {
            (Some("meshes"), mesh) => self.meshes.insert(mesh),
            (Some("nodes"), Some(node)) => self.of_node.entry(node).or_default().insert(property),
            (Some("nodes"), None) => self.of_all.insert(property),
            _ => false,
        };
    }
}
