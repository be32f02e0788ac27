//! What is set from outside: by pointers of animations and by behaviours.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::document::Document;

/// Which properties of nodes pointers set.
#[derive(Debug, Default)]
pub(crate) struct Pointed {
    of_node: HashMap<usize, HashSet<String>>,
    /// Of any node, since which it is turns out only at run time.
    of_all: HashSet<String>,
    /// The meshes of which something is set; `None` for any.
    meshes: HashSet<Option<usize>>,
}

/// The extension of behaviours.
const INTERACTIVITY: &str = "KHR_interactivity";

impl Pointed {
    pub(crate) fn of(document: &Document<'_>) -> serde_json::Result<Self> {
        let mut pointed = Self::default();
        for animation in &document.animations {
            for channel in animation.is.channels()? {
                if let Some(pointer) = channel.is.target.pointer() {
                    pointed.add(pointer, None);
                }
            }
        }
        if let Some(extensions) = document.members.get("extensions") {
            let extensions: Value = serde_json::from_str(extensions.get())?;
            let graphs = extensions.get(INTERACTIVITY).and_then(|found| found.get("graphs"));
            for graph in graphs.and_then(Value::as_array).into_iter().flatten() {
                pointed.add_graph(graph);
            }
        }
        Ok(pointed)
    }

    pub(crate) fn sets(&self, node: usize, property: &str) -> bool {
        self.of_all.contains(property)
            || self.of_node.get(&node).is_some_and(|found| found.contains(property))
    }

    /// Whether something of a mesh is set.
    pub(crate) fn sets_mesh(&self, mesh: usize) -> bool {
        self.meshes.contains(&Some(mesh)) || self.meshes.contains(&None)
    }

    /// Adds a pointer such as `/nodes/3/scale`, or `/nodes/{node}/scale` with what stands for the braces.
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

    fn add_graph(&mut self, graph: &Value) {
        let list = |name: &str| graph.get(name).and_then(Value::as_array);
        for node in list("nodes").into_iter().flatten() {
            let index = |value: &Value| usize::try_from(value.as_u64()?).ok();
            let declaration = node.get("declaration").and_then(index);
            let declaration = declaration.and_then(|at| list("declarations")?.get(at));
            let operation = declaration.and_then(|found| found.get("op")?.as_str());
            if !matches!(operation, Some("pointer/set" | "pointer/interpolate") | None) {
                continue;
            }
            let pointer = node.pointer("/configuration/pointer/value/0").and_then(Value::as_str);
            let Some(pointer) = pointer else { continue };
            let name = pointer.split(['{', '}']).nth(1);
            let value = name.and_then(|name| node.get("values")?.get(name)?.get("value")?.get(0));
            self.add(pointer, value.and_then(index));
        }
    }
}
