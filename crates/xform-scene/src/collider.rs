//! Collision shapes of nodes, from glTF extensions and from node names.

mod names;

use std::fmt;

use nalgebra::{Point3, UnitQuaternion, Vector3};
use xform_core::Trs;
use xform_engines::physics::{Shape, ShapeKind};

use crate::{Bounds, Drawing, Node, drawing::PartKind};

pub(crate) use names::add_names;

/// A collision shape on a node. It can also be a trigger, whose place and shape are defined in the same way.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NodeCollider {
    /// The index of the node.
    pub node: usize,
    /// The part of the file that defines it.
    pub source: ColliderSource,
    /// The shape, in the node's space except for the offset.
    pub shape: ColliderShape,
    /// The pose of the shape in the node's space.
    pub offset: Trs<f64>,
    /// Whether physics moves the body that it belongs to.
    pub is_dynamic: bool,
}

/// The shape of a collider, as far as the file defines it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ColliderShape {
    /// A shape with known dimensions.
    Known(Shape),
    /// The shape of a mesh in the file. Its vertices are in the [drawing](crate::Scene::drawing), if that was read.
    OfMesh {
        /// The index of the mesh.
        mesh: usize,
        /// Whether the shape is the convex hull of the mesh.
        is_hull: bool,
    },
    /// A shape that cannot be read or judged, with the reason.
    Unknown(String),
}

/// How a file defines that a node collides.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ColliderSource {
    /// `KHR_physics_rigid_bodies`.
    KhrPhysicsRigidBodies,
    /// `OMI_physics_body`.
    OmiPhysicsBody,
    /// `MSFT_rigid_bodies`.
    MsftRigidBodies,
    /// `ammo-shape` of `MOZ_hubs_components`.
    MozHubs,
    /// `VRMC_springBone`, or `secondaryAnimation` of `VRM`.
    VrmSpringBone,
    /// A suffix of the name that Godot recognises: `-col`, `-convcol`, `-colonly`, `-convcolonly` or `-rigid`.
    GodotSuffix,
    /// A prefix of the name that Unreal recognises: `UBX_`, `UCP_`, `USP_` or `UCX_`.
    UnrealPrefix,
    /// The suffix `_collider`.
    ColliderSuffix,
    /// Not defined in the file: the caller requested the drawn mesh as a collider.
    Asked,
}

impl ColliderSource {
    /// Returns its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::KhrPhysicsRigidBodies => "KHR_physics_rigid_bodies",
            Self::OmiPhysicsBody => "OMI_physics_body",
            Self::MsftRigidBodies => "MSFT_rigid_bodies",
            Self::MozHubs => "MOZ_hubs_components",
            Self::VrmSpringBone => "VRM spring bones",
            Self::GodotSuffix => "its name (Godot suffix)",
            Self::UnrealPrefix => "its name (Unreal prefix)",
            Self::ColliderSuffix => "its name (suffix _collider)",
            Self::Asked => "the command line",
        }
    }
}

impl fmt::Display for ColliderSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl NodeCollider {
    /// Creates a collider without an offset that physics does not move.
    pub(crate) fn new(node: usize, source: ColliderSource, shape: ColliderShape) -> Self {
        Self { node, source, shape, offset: Trs::identity(), is_dynamic: false }
    }

    /// The kinds of shapes as which a drawn mesh can be judged.
    pub const OF_DRAWN: [ShapeKind; 5] =
        [ShapeKind::Sphere, ShapeKind::Box, ShapeKind::Capsule, ShapeKind::Hull, ShapeKind::Mesh];

    /// Returns the mesh of a node as a collider of [one of these kinds](Self::OF_DRAWN), either fitted into the
    /// node's bounds or with the mesh's own vertices.
    ///
    /// Returns `None` for a node without a mesh, for another kind, and if the shape must be fitted but the node has
    /// no bounding box.
    #[must_use]
    pub fn of_drawn(index: usize, node: &Node, kind: ShapeKind) -> Option<Self> {
        let mesh = node.uses.mesh?;
        let of_mesh = |is_hull| ColliderShape::OfMesh { mesh, is_hull };
        let new = |shape| Self::new(index, ColliderSource::Asked, shape);
        Some(match kind {
            ShapeKind::Hull => new(of_mesh(true)),
            ShapeKind::Mesh => new(of_mesh(false)),
            _ => {
                let (shape, offset) = fitted(&node.bounds, kind)?;
                Self { offset, ..new(ColliderShape::Known(shape)) }
            }
        })
    }

    /// Returns the shape with all its dimensions. The vertices of a mesh come from the drawing.
    ///
    /// # Errors
    ///
    /// The reason why the shape is not known.
    pub fn resolved(&self, drawing: &Drawing) -> Result<Shape, String> {
        match &self.shape {
            ColliderShape::Known(shape) => Ok(shape.clone()),
            ColliderShape::Unknown(why) => Err(why.clone()),
            &ColliderShape::OfMesh { mesh, is_hull } => {
                let parts = drawing.meshes.get(mesh);
                let parts = parts.ok_or_else(|| format!("mesh {mesh} was not read"))?;
                let parts = parts.as_ref().map_err(|undrawn| undrawn.why.clone())?;
                let (mut points, mut triangles) = (Vec::new(), Vec::new());
                for part in parts.iter().filter(|part| part.kind == PartKind::Triangles) {
                    let first = u32::try_from(points.len()).map_err(|_| "it is too large")?;
                    points.extend(part.positions.iter().map(|&point| wide(point)));
                    let corners = part.indices.as_chunks::<3>().0.iter();
                    triangles.extend(corners.map(|corners| corners.map(|corner| corner + first)));
                }
                if triangles.is_empty() {
                    return Err(format!("mesh {mesh} has no triangles"));
                }
                let points = points.into();
                Ok(if is_hull {
                    Shape::Hull(points)
                } else {
                    Shape::Mesh { points, triangles: triangles.into() }
                })
            }
        }
    }

    /// Returns the shape, with the bounding box of a mesh instead of its vertices: it is scaled, turned and skewed
    /// like them. `None` if the shape or the box is not known.
    #[must_use]
    pub fn outlined(&self, nodes: &[Node]) -> Option<Shape> {
        match &self.shape {
            ColliderShape::Known(shape) => Some(shape.clone()),
            ColliderShape::Unknown(_) => None,
            ColliderShape::OfMesh { mesh, .. } => {
                let shows = |node: &&Node| node.uses.mesh == Some(*mesh);
                let node = nodes.get(self.node).filter(shows).or_else(|| nodes.iter().find(shows));
                let corners = node?.bounds.corners().map(|corner: Point3<f64>| corner.coords);
                let points: Vec<_> = corners.collect();
                (!points.is_empty()).then(|| Shape::Hull(points.into()))
            }
        }
    }
}

fn wide(point: [f32; 3]) -> Vector3<f64> {
    Vector3::from(point).cast()
}

/// A shape that fits into a bounding box, with its pose. A sphere has the largest half extent as its radius; a
/// capsule lies along the longest axis. `None` if there is no box or the kind is another.
pub(crate) fn fitted(bounds: &Bounds, kind: ShapeKind) -> Option<(Shape, Trs<f64>)> {
    let &Bounds::Box(low, high) = bounds else { return None };
    let half: Vector3<f64> = (high - low) / 2.0;
    let centre = Trs::from_translation(low.coords + half);
    let axis = half.imax();
    let radius = (half[(axis + 1) % 3]).max(half[(axis + 2) % 3]);
    // The rotation from y to the longest axis.
    let turn = match axis {
        0 => UnitQuaternion::from_axis_angle(&Vector3::z_axis(), -std::f64::consts::FRAC_PI_2),
        1 => UnitQuaternion::identity(),
        _ => UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2),
    };
    let along = centre.with_rotation(turn);
    let half_height = half[axis];
    Some(match kind {
        ShapeKind::Sphere => (Shape::Sphere { radius: half.max() }, centre),
        ShapeKind::Box => (Shape::Box { half_extents: half }, centre),
        ShapeKind::Capsule => (Shape::Capsule { radius, half_height: half_height - radius }, along),
        _ => return None,
    })
}
