//! Behaviours (`KHR_interactivity`): the properties that they set at run time, which no animation shows.

use serde_json::Value;

use super::document::Document;
use crate::{Warning, WarningCode};

/// A property that a behaviour sets.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SetProperty {
    /// The JSON pointer to it, such as `/nodes/3/scale`, or `/nodes/{node}/scale` with a name for the index.
    pub pointer: String,
    /// The index that the name represents, unless it is known only at run time.
    pub index: Option<usize>,
}

impl SetProperty {
    /// Splits the pointer into the list, the index in the list, and the rest. Returns `None` for a pointer of another
    /// form. The index is `None` if it is known only at run time.
    #[must_use]
    pub fn parts(&self) -> Option<(&str, Option<usize>, &str)> {
        let (list, rest) = self.pointer.strip_prefix('/')?.split_once('/')?;
        let (index, property) = rest.split_once('/')?;
        Some((list, index.parse().ok().or(self.index), property))
    }
}

/// Returns the properties that the graphs of `KHR_interactivity` set, from the value of that extension in a file.
#[must_use]
pub fn set_by_behaviours(interactivity: &Value) -> Vec<SetProperty> {
    let graphs = interactivity.get("graphs").and_then(Value::as_array);
    graphs.into_iter().flatten().flat_map(set_by).collect()
}

fn set_by(graph: &Value) -> Vec<SetProperty> {
    let list = |name: &str| graph.get(name).and_then(Value::as_array);
    let index = |value: &Value| usize::try_from(value.as_u64()?).ok();
    let property = |node: &Value| {
        let declaration = node.get("declaration").and_then(index);
        let declaration = declaration.and_then(|at| list("declarations")?.get(at));
        let operation = declaration.and_then(|found| found.get("op")?.as_str());
        if !matches!(operation, Some("pointer/set" | "pointer/interpolate") | None) {
            return None;
        }
        let pointer = node.pointer("/configuration/pointer/value/0")?.as_str()?.to_owned();
        let name = pointer.split(['{', '}']).nth(1);
        let value = name.and_then(|name| node.get("values")?.get(name)?.get("value")?.get(0));
        Some(SetProperty { index: value.and_then(index), pointer })
    };
    list("nodes").into_iter().flatten().filter_map(property).collect()
}

/// The properties of nodes that behaviours set.
pub(super) struct Behaviours(Vec<(Option<usize>, String)>);

/// The properties that move a node.
const POSE: [&str; 4] = ["translation", "rotation", "scale", "weights"];

impl Behaviours {
    pub(super) fn of(document: &Document<'_>) -> Self {
        let all = document.extensions.interactivity.iter().flat_map(set_by_behaviours);
        let of_nodes = all.filter_map(|set| match set.parts()? {
            ("nodes", node, property) => Some((node, property.to_owned())),
            _ => None,
        });
        Self(of_nodes.collect())
    }

    /// The nodes for which a property is set, if they are known before run time.
    pub(super) fn nodes_with(&self, property: &str) -> impl Iterator<Item = usize> {
        self.0.iter().filter(move |(_, set)| set == property).filter_map(|(node, _)| *node)
    }

    /// Whether the pose of this node, or of a node that is not known, is set.
    pub(super) fn moves(&self, node: usize) -> bool {
        let is_it = |of: Option<usize>| of.is_none_or(|of| of == node);
        self.0.iter().any(|(of, set)| is_it(*of) && POSE.contains(&set.as_str()))
    }

    /// Warnings that something moves at run time, which is not judged: one for each node and property.
    pub(super) fn warnings(&self, nodes: usize) -> Vec<Warning> {
        let mut warnings: Vec<Warning> = Vec::new();
        let code = WarningCode::Behaviour;
        for (node, property) in self.0.iter().filter(|(_, set)| POSE.contains(&set.as_str())) {
            let set = |whose: &str| {
                format!(
                    "KHR_interactivity sets the {property} of {whose} at run time; the result was not judged"
                )
            };
            let warning = match node.filter(|&node| node < nodes) {
                Some(node) => {
                    Warning::of_node(code, node, &format!("/{property}"), set("this node"))
                }
                None => Warning::new(code, "/extensions/KHR_interactivity", set("nodes")),
            };
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        warnings
    }
}
