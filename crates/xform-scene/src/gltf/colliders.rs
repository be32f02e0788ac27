//! Collision shapes from extensions.

use nalgebra::{UnitQuaternion, Vector3};
use serde_json::Value;
use xform_core::Trs;
use xform_engines::physics::Shape;

use super::{
    document::{
        Document, NodeEntry,
        physics::{Body, ColliderEntry, HubsShape, ShapeEntry, Shapes, SpringShape},
    },
    field::Number,
};
use crate::collider::{ColliderShape, ColliderSource, NodeCollider};

/// Reads all collision shapes that extensions put on the nodes of a document, in the order of the nodes.
pub(super) fn read(document: &Document<'_>, parents: &[Option<usize>]) -> Vec<NodeCollider> {
    let extensions = &document.extensions;
    let mut found = Vec::new();
    for (index, node) in document.nodes.iter().enumerate() {
        for (source, body, shapes) in bodies(node, document) {
            for entry in [&body.collider, &body.trigger].into_iter().flatten() {
                // The shapes of a compound are on nodes of their own. In OMI, a compound is an entry without a shape.
                let is_compound = entry.nodes.is_some() || source == ColliderSource::OmiPhysicsBody;
                if is_compound && entry.shape.is_none() && entry.geometry.is_none() {
                    continue;
                }
                let shape = of_entry(document, entry, shapes, Defaults::of(source));
                let is_dynamic = is_dynamic(document, parents, index, source);
                found.push(NodeCollider { is_dynamic, ..NodeCollider::new(index, source, shape) });
            }
        }
        if let Some(shape) = node.extensions.hubs.as_ref().and_then(|hubs| hubs.shape.as_ref()) {
            let shape = of_hubs(node, shape);
            found.push(NodeCollider::new(index, ColliderSource::MozHubs, shape));
        }
    }
    let is_node = |node: &usize| *node < document.nodes.len();
    for collider in &extensions.spring_bones.colliders {
        let Some(node) = collider.node.filter(is_node) else { continue };
        let (offset, shape) = of_spring(&collider.shape);
        let new = NodeCollider::new(node, ColliderSource::VrmSpringBone, shape);
        found.push(NodeCollider { offset, ..new });
    }
    for group in &extensions.vrm.secondary_animation.collider_groups {
        let Some(node) = group.node.filter(is_node) else { continue };
        for collider in &group.colliders {
            // The offset has Unity's z axis, which points the opposite way.
            let part = |name| {
                let part = collider.offset.as_ref().and_then(|offset| offset.get(name));
                part.and_then(Value::as_f64).unwrap_or(0.0)
            };
            let offset = Vector3::new(part("x"), part("y"), -part("z"));
            let shape = known(sphere(number(collider.radius, 0.0)), "sphere");
            let new = NodeCollider::new(node, ColliderSource::VrmSpringBone, shape);
            found.push(NodeCollider { offset: finite(Trs::from_translation(offset)), ..new });
        }
    }
    found.sort_by_key(|collider| collider.node);
    found
}

/// The meshes from which extensions make shapes.
pub(super) fn meshes(document: &Document<'_>) -> impl Iterator<Item = usize> {
    let all = read(document, &vec![None; document.nodes.len()]).into_iter();
    all.filter_map(|collider| match collider.shape {
        ColliderShape::OfMesh { mesh, .. } => Some(mesh),
        _ => None,
    })
}

/// The bodies that extensions make of a node, with the lists of shapes that they refer to.
fn bodies<'a>(
    node: &'a NodeEntry,
    document: &'a Document<'_>,
) -> impl Iterator<Item = (ColliderSource, &'a Body, &'a Shapes)> {
    let (own, all) = (&node.extensions, &document.extensions);
    [
        (ColliderSource::KhrPhysicsRigidBodies, &own.khr_body, &all.khr_shapes),
        (ColliderSource::OmiPhysicsBody, &own.omi_body, &all.omi_shapes),
        (ColliderSource::MsftRigidBodies, &own.msft_body, &all.msft_shapes),
    ]
    .into_iter()
    .filter_map(|(source, body, shapes)| Some((source, body.as_ref()?, shapes)))
}

/// Whether physics moves the nearest body at or above a node.
fn is_dynamic(
    document: &Document<'_>,
    parents: &[Option<usize>],
    index: usize,
    source: ColliderSource,
) -> bool {
    let mut at = Some(index);
    // Cycles are refused only later.
    for _ in 0..=parents.len() {
        let Some(node) = at else { break };
        let own = bodies(&document.nodes[node], document).find(|(of, ..)| *of == source);
        if let Some(motion) = own.and_then(|(_, body, _)| body.motion.as_ref()) {
            return match motion.kind.as_deref() {
                Some(kind) => kind == "dynamic",
                None => !motion.is_kinematic,
            };
        }
        at = parents[node];
    }
    false
}

/// The dimensions of a shape that does not state them.
#[derive(Clone, Copy)]
struct Defaults {
    radius: f64,
    capsule_height: f64,
    cylinder_height: f64,
}

impl Defaults {
    fn of(source: ColliderSource) -> Self {
        match source {
            ColliderSource::OmiPhysicsBody => {
                Self { radius: 0.5, capsule_height: 1.0, cylinder_height: 2.0 }
            }
            _ => Self { radius: 0.25, capsule_height: 0.5, cylinder_height: 0.5 },
        }
    }
}

fn of_entry(
    document: &Document<'_>,
    entry: &ColliderEntry,
    shapes: &Shapes,
    defaults: Defaults,
) -> ColliderShape {
    let geometry = entry.geometry.as_ref();
    if let Some(shape) = geometry.and_then(|geometry| geometry.shape).or(entry.shape) {
        let found = shapes.all().get(shape);
        return found.map_or_else(
            || {
                // A value that is not an index is reported without a number.
                let index = if shape < usize::MAX { format!(" {shape}") } else { String::new() };
                ColliderShape::Unknown(format!("there is no such shape{index}"))
            },
            |shape| of_shape(shape, defaults),
        );
    }
    let Some(geometry) = geometry else {
        return ColliderShape::Unknown("it does not refer to a shape".to_owned());
    };
    let node = geometry.node.and_then(|node| document.nodes.get(node));
    // The meshes of all descendants belong to the shape too, and a skin and weights move the vertices.
    if node.is_some_and(|node| {
        !node.children.is_empty() || node.skin.is_some() || node.weights.is_some()
    }) {
        return ColliderShape::Unknown(
            "shapes of nodes with children, a skin or weights are not judged".to_owned(),
        );
    }
    let of_node = node.and_then(|node| node.mesh);
    of_mesh(geometry.mesh.or(of_node), geometry.convex_hull)
}

fn of_mesh(mesh: Option<usize>, is_hull: bool) -> ColliderShape {
    mesh.map_or_else(
        || ColliderShape::Unknown("it does not refer to a mesh".to_owned()),
        |mesh| ColliderShape::OfMesh { mesh, is_hull },
    )
}

fn of_shape(entry: &ShapeEntry, defaults: Defaults) -> ColliderShape {
    let kind = &*entry.kind;
    match kind {
        "sphere" => known(sphere(number(entry.sphere.radius, 0.5)), kind),
        "box" => {
            let size = entry.cuboid.size.map_or([1.0; 3], |size| size.map(|Number(side)| side));
            let half_extents = Vector3::from(size) / 2.0;
            let is_usable = half_extents.iter().all(|half| is_length(*half));
            known(is_usable.then_some(Shape::Box { half_extents }), kind)
        }
        "capsule" | "cylinder" => {
            let is_capsule = kind == "capsule";
            let sizes = if is_capsule { &entry.capsule } else { &entry.cylinder };
            let [top, bottom] = [sizes.radius_top, sizes.radius_bottom]
                .map(|end| number(end.or(sizes.radius), defaults.radius));
            if top != bottom {
                return ColliderShape::Unknown(format!("a tapered {kind} is not judged"));
            }
            let Defaults { capsule_height, cylinder_height, .. } = defaults;
            let height = if is_capsule { capsule_height } else { cylinder_height };
            let half_height = number(sizes.height, height) / 2.0;
            let is_usable = is_length(top) && is_length(half_height);
            let shape = if is_capsule {
                Shape::Capsule { radius: top, half_height }
            } else {
                Shape::Cylinder { radius: top, half_height }
            };
            known(is_usable.then_some(shape), kind)
        }
        "convex" => of_mesh(entry.convex.mesh, true),
        "trimesh" => of_mesh(entry.trimesh.mesh, false),
        "" => ColliderShape::Unknown("its shape has no type".to_owned()),
        kind => {
            let kind = crate::text::printable(kind);
            ColliderShape::Unknown(format!("a shape of type {kind} is not judged"))
        }
    }
}

/// Hubs fits shapes to what is drawn. Only shapes with the mesh's own vertices are known.
fn of_hubs(node: &NodeEntry, shape: &HubsShape) -> ColliderShape {
    match &*shape.kind {
        "hull" | "hacd" | "vhacd" => of_mesh(node.mesh, true),
        "mesh" => of_mesh(node.mesh, false),
        _ => ColliderShape::Unknown("shapes that Hubs fits to the mesh are not judged".to_owned()),
    }
}

fn of_spring(shape: &SpringShape) -> (Trs<f64>, ColliderShape) {
    let vector = |written: Option<[Number; 3]>| {
        Vector3::from(written.map_or([0.0; 3], |parts| parts.map(|Number(part)| part)))
    };
    if let Some(sizes) = &shape.sphere {
        let offset = finite(Trs::from_translation(vector(sizes.offset)));
        return (offset, known(sphere(number(sizes.radius, 0.0)), "sphere"));
    }
    let Some(sizes) = &shape.capsule else {
        return (Trs::identity(), ColliderShape::Unknown("it has no shape".to_owned()));
    };
    let (start, end) = (vector(sizes.offset), vector(sizes.tail));
    let (radius, along) = (number(sizes.radius, 0.0), end - start);
    let turn = UnitQuaternion::rotation_between(&Vector3::y(), &along);
    // A direction straight down needs half a turn.
    let over = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
    let half_height = along.norm() / 2.0;
    let offset = Trs::from_translation((start + end) / 2.0).with_rotation(turn.unwrap_or(over));
    let is_usable = is_length(radius) && is_length(half_height);
    let capsule = is_usable.then_some(Shape::Capsule { radius, half_height });
    (finite(offset), known(capsule, "capsule"))
}

fn sphere(radius: f64) -> Option<Shape> {
    is_length(radius).then_some(Shape::Sphere { radius })
}

fn known(shape: Option<Shape>, kind: &str) -> ColliderShape {
    shape.map_or_else(
        || ColliderShape::Unknown(format!("a dimension of its {kind} is negative or not finite")),
        ColliderShape::Known,
    )
}

fn is_length(number: f64) -> bool {
    number.is_finite() && number >= 0.0
}

fn number(written: Option<Number>, default: f64) -> f64 {
    written.map_or(default, |Number(number)| number)
}

/// Replaces an offset that is not a valid pose by the identity.
fn finite(offset: Trs<f64>) -> Trs<f64> {
    if offset.check().is_ok() { offset } else { Trs::identity() }
}
