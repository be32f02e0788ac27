//! Lists of node names, one per line.

use std::io::{self, Write};

use nalgebra::Vector3;
use xform_compare::{
    NodeAudit, SceneAudit,
    audit::{is_non_uniform, node_path},
};
use xform_core::{linear::axis_lengths, spaces::Orientation};
use xform_scene::text::{significant, without_controls};

/// The nodes to list by name.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum NodeList {
    /// Nodes mirrored in the world, by a negative scale of their own or of an ancestor.
    Mirrored,
    /// Nodes with a non-uniform scale in the world.
    NonUniform,
    /// Nodes whose axes are not perpendicular in the world, where matrices are multiplied.
    Sheared,
}

impl NodeList {
    fn has(self, node: &NodeAudit) -> bool {
        let linear = node.by_matrix.linear();
        match self {
            Self::Mirrored => Orientation::of(&linear) == Orientation::Mirrored,
            Self::NonUniform => is_non_uniform(&axis_lengths(&linear)),
            Self::Sheared => node.is_skewed(),
        }
    }

    /// Whether the node's own scale has the property.
    fn is_own(self, node: &NodeAudit) -> bool {
        let scale = node.local.scale;
        match self {
            Self::Mirrored => scale.product() < 0.0,
            Self::NonUniform => is_non_uniform(&scale.abs()),
            Self::Sheared => true,
        }
    }
}

/// Writes the name of the scene, and below it a line for each node: its path, its index in the file, and its own scale.
pub(super) fn write_scene(
    scene: &SceneAudit,
    list: NodeList,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}", without_controls(&scene.source))?;
    let mut found = scene.nodes_of_the_file().iter().filter(|node| list.has(node)).peekable();
    if found.peek().is_none() {
        return writeln!(out, "  none");
    }
    for node in found {
        let path = node_path(scene, node.index);
        let scale = scale(&node.local.scale);
        let how = match (list, node.skew_degrees) {
            (NodeList::Sheared, Some(degrees)) => format!(", skew {}°", significant(degrees, 4)),
            _ if list.is_own(node) => String::new(),
            _ => ", inherited".to_owned(),
        };
        writeln!(out, "  {path} [{}]: scale {scale}{how}", node.index)?;
    }
    Ok(())
}

fn scale(scale: &Vector3<f64>) -> String {
    let [x, y, z] = [scale.x, scale.y, scale.z].map(|factor| significant(factor, 4));
    format!("({x}, {y}, {z})")
}
