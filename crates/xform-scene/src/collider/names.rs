//! Naming conventions for colliders that exporters and importers share.

use std::collections::HashSet;

use xform_engines::physics::ShapeKind;

use super::{ColliderShape, ColliderSource, NodeCollider, fitted};
use crate::Node;

/// Adds the colliders that node names request, in the order of the nodes.
pub(crate) fn add_names(colliders: &mut Vec<NodeCollider>, nodes: &[Node]) {
    colliders.extend(of_names(nodes, colliders));
    colliders.sort_by_key(|collider| collider.node);
}

/// The colliders that the names of nodes with a mesh request, except for nodes that already have one. A
/// [helper](Node::is_helper) uses the name of the node that it represents.
fn of_names(nodes: &[Node], known: &[NodeCollider]) -> Vec<NodeCollider> {
    let known: HashSet<_> = known.iter().map(|collider| collider.node).collect();
    let has_mesh = |(index, node): &(usize, &Node)| {
        node.uses.mesh.is_some() && node.instance_of.is_none() && !known.contains(index)
    };
    let named = nodes.iter().enumerate().filter(has_mesh).filter_map(|(index, node)| {
        let named = if node.is_helper { &nodes[node.parent?] } else { node };
        of_name(index, node, named.name.as_deref()?)
    });
    named.collect()
}

fn of_name(index: usize, node: &Node, name: &str) -> Option<NodeCollider> {
    let mesh = node.uses.mesh?;
    let of_mesh = |source, is_hull| {
        Some(NodeCollider::new(index, source, ColliderShape::OfMesh { mesh, is_hull }))
    };
    let unreal = name.get(..4).unwrap_or_default();
    let kind = match unreal {
        "UBX_" => ShapeKind::Box,
        "USP_" => ShapeKind::Sphere,
        "UCP_" => ShapeKind::Capsule,
        "UCX_" => return of_mesh(ColliderSource::UnrealPrefix, true),
        _ => {
            let numbered = |c: char| c.is_ascii_digit() || c == '.';
            if ends_in(name.trim_end_matches(numbered), "collider", "_") {
                return of_mesh(ColliderSource::ColliderSuffix, false);
            }
            let godot = ColliderSource::GodotSuffix;
            let has = |suffix| has_suffix_of_godot(name, suffix);
            if has("rigid") {
                let hull = of_mesh(godot, true)?;
                return Some(NodeCollider { is_dynamic: true, ..hull });
            }
            if has("convcol") || has("convcolonly") {
                return of_mesh(godot, true);
            }
            return if has("col") || has("colonly") { of_mesh(godot, false) } else { None };
        }
    };
    let (shape, offset) = fitted(&node.bounds, kind)?;
    let new = NodeCollider::new(index, ColliderSource::UnrealPrefix, ColliderShape::Known(shape));
    Some(NodeCollider { offset, ..new })
}

/// Tests for a suffix as Godot's importer does: digits, dots, underscores and spaces at the end are ignored, and
/// after `$` it can be anywhere. Source: editor/import/3d/resource_importer_scene.cpp, `_teststr`.
fn has_suffix_of_godot(name: &str, suffix: &str) -> bool {
    let numbered = |c: char| c.is_ascii_digit() || c <= ' ' || c == '.' || c == '_';
    let name = name.trim_end_matches(numbered);
    ends_in(name, suffix, "-") || ends_in(name, suffix, "_") || {
        let mut behind = name.match_indices('$').filter_map(|(at, _)| name.get(at + 1..));
        behind.any(|rest| starts_with(rest, suffix))
    }
}

fn ends_in(name: &str, suffix: &str, separator: &str) -> bool {
    let split = name.len().checked_sub(suffix.len()).filter(|&at| name.is_char_boundary(at));
    split.is_some_and(|at| {
        name[..at].ends_with(separator) && name[at..].eq_ignore_ascii_case(suffix)
    })
}

fn starts_with(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use xform_core::Trs;

    use super::*;

    fn named(name: &str) -> Option<NodeCollider> {
        let mut node = Node::new(None, Trs::identity()).with_name(name);
        node.uses.mesh = Some(3);
        of_names(&[node], &[]).pop()
    }

    #[test]
    fn names_are_read_as_their_importers_read_them() {
        let hull = |is_hull| ColliderShape::OfMesh { mesh: 3, is_hull };
        for (name, shape) in [
            ("Crate-col", hull(false)),
            ("Rock_ConvCol", hull(true)),
            ("Wall-colonly.001", hull(false)),
            ("Hull$convcolonly", hull(true)),
            ("Barrel-rigid", hull(true)),
            ("UCX_Crate_01", hull(true)),
            ("floor_collider", hull(false)),
            ("floor_collider.001", hull(false)),
            ("Wall-col_001", hull(false)),
        ] {
            let found = named(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(found.shape, shape, "{name}");
            assert_eq!(found.is_dynamic, name.ends_with("rigid"), "{name}");
        }
        for name in ["protocol", "Crate", "Collar", "-navmesh", "ucx_lower", "", "é-co", "collider"]
        {
            assert_eq!(named(name), None, "{name}");
        }
    }

    #[test]
    fn prefixes_fit_a_shape_into_the_box_of_the_mesh() {
        let bounds = crate::Bounds::Box([-3.0, 0.0, 0.0].into(), [3.0, 2.0, 1.0].into());
        let mut node = Node::new(None, Trs::identity()).with_bounds(bounds).with_name("UCP_Crate");
        node.uses.mesh = Some(0);
        let capsule = of_names(&[node], &[]).pop().expect("a capsule");
        let expected = xform_engines::physics::Shape::Capsule { radius: 1.0, half_height: 2.0 };
        assert_eq!(capsule.shape, ColliderShape::Known(expected));
        assert_eq!(capsule.offset.translation, nalgebra::Vector3::new(0.0, 1.0, 0.5));
        let along = capsule.offset.rotation * nalgebra::Vector3::y();
        assert!((along - nalgebra::Vector3::x()).norm() < 1e-12);
    }
}
