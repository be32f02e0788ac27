use std::collections::HashMap;

use nalgebra::Point3;

use super::{
    accessor::{elements, other_place, value_of},
    buffers::Buffers,
    document::{Accessor, Document, Mesh, Primitive},
    errors::Defects,
    field::Number,
    structure::is_index,
    unread::Unread,
};
use crate::{Bounds, Scene, Warning, WarningCode};

/// The bounds of a mesh: the smallest and largest corner. `None` if they are unknown.
type MeshBounds = Option<(Point3<f64>, Point3<f64>)>;

/// The bounds of each mesh, from the minimum and maximum of its POSITION accessors.
pub(super) fn mesh_bounds(
    document: &Document<'_>,
    defects: &mut Defects,
    warnings: &mut Vec<Warning>,
) -> Vec<MeshBounds> {
    let mut all = Vec::with_capacity(document.meshes.len());
    for (index, mesh) in document.meshes.iter().enumerate() {
        let mut bounds = None;
        let mut is_missing = false;
        for (position, primitive) in mesh.primitives.iter().enumerate() {
            let pointer = format!("/meshes/{index}/primitives/{position}/attributes/POSITION");
            match primitive_bounds(document, primitive, &pointer, defects) {
                Some(primitive) => {
                    bounds = Some(bounds.map_or(primitive, |bounds| union(bounds, primitive)));
                }
                None => is_missing |= primitive_has_vertices(document, primitive),
            }
        }
        let message = match has_vertices(document, mesh) {
            true if is_missing => {
                Some("a POSITION has no min and max; its vertices are measured instead")
            }
            true => None,
            false => Some("it has no vertices, so it is ignored"),
        };
        warnings.extend(message.map(|message| {
            Warning::new(WarningCode::MissingBounds, format!("/meshes/{index}"), message)
        }));
        all.push(bounds);
    }
    all
}

/// The meshes with POSITION accessors that lack bounds.
fn unbounded<'a>(document: &'a Document<'_>) -> impl Iterator<Item = (usize, &'a Mesh)> {
    let lacks =
        |index: usize| document.accessors.get(index).is_some_and(|one| range(one).is_none());
    let is_unbounded = move |mesh: &&Mesh| {
        let primitives = mesh.primitives.iter();
        primitives.filter(|one| primitive_has_vertices(document, one)).any(|primitive| {
            let targets = primitive.targets.iter().filter_map(|target| target.position);
            primitive.position().map_or(true, |at| at.into_iter().chain(targets).any(lacks))
        })
    };
    document.meshes.iter().enumerate().filter(move |(_, mesh)| is_unbounded(mesh))
}

/// Whether a mesh has vertices, as far as the document alone shows. A mesh without any is ignored.
pub(super) fn has_vertices(document: &Document<'_>, mesh: &Mesh) -> bool {
    mesh.primitives.iter().any(|primitive| primitive_has_vertices(document, primitive))
}

/// The same for one primitive.
fn primitive_has_vertices(document: &Document<'_>, primitive: &Primitive) -> bool {
    let is_empty = |index: usize| {
        let accessor = document.accessors.get(index).filter(|accessor| accessor.is_empty());
        // Its extension may have some all the same.
        accessor.is_some_and(|accessor| {
            primitive.other_place().or(other_place(document, accessor)).is_none()
        })
    };
    primitive.position().map_or(true, |position| position.is_some_and(|index| !is_empty(index)))
}

/// Whether the vertices of a mesh must be read to find its bounds.
pub(super) fn are_unbounded(document: &Document<'_>) -> bool {
    unbounded(document).next().is_some()
}

/// Sets the bounds of nodes from the vertices of their meshes, for meshes without bounds in the document.
pub(super) fn read_bounds<'a>(
    scene: &mut Scene,
    document: &'a Document<'a>,
    buffers: &mut Buffers<'a>,
) {
    for (index, mesh) in unbounded(document) {
        let nodes = document.nodes.iter().enumerate();
        let nodes = nodes.filter(|(_, node)| node.mesh == Some(index) && node.skin.is_none());
        let mut nodes = nodes.map(|(node, _)| node).peekable();
        let Some(&first) = nodes.peek() else { continue };
        match vertex_bounds(document, buffers, mesh) {
            Ok(Some((min, max))) => {
                nodes.for_each(|node| scene.nodes[node].bounds = Bounds::Box(min, max));
            }
            Ok(None) => {}
            Err(why) => {
                let message = format!(
                    "the mesh has no bounds, and its vertices cannot be read: {why}; it was not judged"
                );
                let pointer = format!("/meshes/{index}");
                let warning = Warning::new(WarningCode::BrokenMeshes, pointer, message);
                scene.warnings.push(warning.with_node(Some(first)));
            }
        }
    }
}

/// The bounds of a mesh, from its vertices if the document does not have them.
fn vertex_bounds<'a>(
    document: &'a Document<'a>,
    buffers: &mut Buffers<'a>,
    mesh: &Mesh,
) -> Result<MeshBounds, Unread> {
    let mut known: HashMap<usize, MeshBounds> = HashMap::new();
    let mut bounds_of = |index: usize| -> Result<MeshBounds, Unread> {
        if let Some(found) = known.get(&index) {
            return Ok(*found);
        }
        let found = match document.accessors.get(index).and_then(range) {
            Some(range) => Some(range),
            None => {
                let vertices = elements::<3>(document, buffers, index)?;
                if let Some(odd) =
                    vertices.iter().position(|all| !all.iter().all(|x| x.is_finite()))
                {
                    return Err(Unread::VertexRange(odd));
                }
                let points = vertices.into_iter().map(Point3::from).map(|point| (point, point));
                points.reduce(union)
            }
        };
        known.insert(index, found);
        Ok(found)
    };
    let mut all = None;
    for primitive in mesh.primitives.iter().filter(|one| primitive_has_vertices(document, one)) {
        let Some(position) = primitive.position()? else { continue };
        let Some((min, max)) = bounds_of(position)? else { continue };
        let mut bounds = (min, max);
        for target in primitive.targets.iter().filter_map(|target| target.position) {
            if let Some((least, most)) = bounds_of(target)? {
                bounds = union(bounds, (min + least.coords, max + most.coords));
            }
        }
        all = Some(all.map_or(bounds, |all| union(all, bounds)));
    }
    Ok(all)
}

fn primitive_bounds(
    document: &Document<'_>,
    primitive: &Primitive,
    pointer: &str,
    defects: &mut Defects,
) -> MeshBounds {
    let index = primitive.attributes.position?;
    let accessors = &document.accessors;
    if !primitive_has_vertices(document, primitive) {
        return None;
    }
    is_index(index, accessors.len(), "accessor", || pointer.to_owned(), defects);
    let (min, max) = range(accessors.get(index)?)?;
    // The bounds of a morph target in full effect.
    let morphed = primitive.targets.iter().filter_map(|target| {
        let (least, most) = range(accessors.get(target.position?)?)?;
        Some((min + least.coords, max + most.coords))
    });
    Some(morphed.fold((min, max), union))
}

/// The minimum and maximum of an accessor, if it has both.
fn range(accessor: &Accessor) -> MeshBounds {
    let corner = |values: Option<[Number; 3]>| {
        let values = values?.map(|Number(value)| value_of(accessor, value));
        values.iter().all(|value| value.is_finite()).then(|| Point3::from(values))
    };
    corner(accessor.min).zip(corner(accessor.max))
}

fn union(
    (min, max): (Point3<f64>, Point3<f64>),
    (other_min, other_max): (Point3<f64>, Point3<f64>),
) -> (Point3<f64>, Point3<f64>) {
    (min.inf(&other_min), max.sup(&other_max))
}

/// The bounds of a node.
pub(super) fn node_bounds(
    document: &Document<'_>,
    meshes: &[MeshBounds],
    index: usize,
    defects: &mut Defects,
) -> Bounds {
    let node = &document.nodes[index];
    let pointer = |field: &str| format!("/nodes/{index}/{field}");
    if let Some(skin) = node.skin {
        is_index(skin, document.skins.len(), "skin", || pointer("skin"), defects);
    }
    let Some(mesh) = node.mesh else {
        return if meshes.is_empty() { Bounds::unit_cube() } else { Bounds::Origin };
    };
    is_index(mesh, meshes.len(), "mesh", || pointer("mesh"), defects);
    if node.skin.is_some() {
        return Bounds::Nothing; // its skin moves instead
    }
    let bounds = meshes.get(mesh).copied().flatten();
    bounds.map_or(Bounds::Origin, |(min, max)| Bounds::Box(min, max))
}
