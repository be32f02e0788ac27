use nalgebra::Point3;

use super::{
    accessor::value_of,
    document::{Accessor, Document, Primitive},
    errors::Defects,
    field::Number,
    structure::is_index,
};
use crate::{Bounds, Warning, WarningCode};

/// The bounds of a mesh: least and greatest corner; `None` where they are unknown.
type MeshBounds = Option<(Point3<f64>, Point3<f64>)>;

/// The bounds of each mesh, from the least and greatest values of its POSITION accessors.
pub(super) fn mesh_bounds(
    document: &Document<'_>,
    defects: &mut Defects,
    warnings: &mut Vec<Warning>,
) -> Vec<MeshBounds> {
    let mut all = Vec::with_capacity(document.meshes.len());
    for (index, mesh) in document.meshes.iter().enumerate() {
        let mut bounds = None;
        let mut is_missing = mesh.primitives.is_empty();
        for (position, primitive) in mesh.primitives.iter().enumerate() {
            let pointer = format!("/meshes/{index}/primitives/{position}/attributes/POSITION");
            match primitive_bounds(document, primitive, &pointer, defects) {
                Some(primitive) => {
                    bounds = Some(bounds.map_or(primitive, |bounds| union(bounds, primitive)));
                }
                None => is_missing = true,
            }
        }
        if is_missing {
            let message = "a POSITION without min and max; that part of it has no bounds";
            let pointer = format!("/meshes/{index}");
            warnings.push(Warning::new(WarningCode::MissingBounds, pointer, message));
        }
        all.push(bounds);
    }
    all
}

fn primitive_bounds(
    document: &Document<'_>,
    primitive: &Primitive,
    pointer: &str,
    defects: &mut Defects,
) -> MeshBounds {
    let index = primitive.attributes.position?;
    let accessors = &document.accessors;
    is_index(index, accessors.len(), "accessor", || pointer.to_owned(), defects);
    let (min, max) = range(accessors.get(index)?)?;
    // As a morph target has it where that is in full effect.
    let morphed = primitive.targets.iter().filter_map(|target| {
        let (least, most) = range(accessors.get(target.position?)?)?;
        Some((min + least.coords, max + most.coords))
    });
    Some(morphed.fold((min, max), union))
}

/// The least and the greatest values of an accessor, where it has both.
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
        return Bounds::Nothing; // what moves is its skin
    }
    let bounds = meshes.get(mesh).copied().flatten();
    bounds.map_or(Bounds::Origin, |(min, max)| Bounds::Box(min, max))
}
