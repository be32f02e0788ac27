use nalgebra::{ComplexField, Matrix3, Matrix4, Point3, UnitQuaternion, Vector3};

use crate::{
    HierarchyError, NodeId, Real, Transform,
    linear::{axis_lengths, direction, length, normal_matrix, unit_volume},
    path_rotation::PathRotation,
};

/// A conversion from one space to another, fixed when [`Hierarchy::conversion`](crate::Hierarchy::conversion) made
/// it.
///
/// A conversion can be applied to any number of values. The two spaces are joined where both are known: in the
/// world, or below their nearest common ancestor. Positions are subtracted there first, so objects that are close
/// together far from the origin keep their precision.
///
/// Points and vectors cost two products of a matrix with a vector. Normals, directions and covectors need more,
/// which is computed at each call, and once per call for a slice of normals or directions.
// A conversion is made from two ends and applied to anything, so there is no method for each kind of value and pair
// of spaces. It joins the ends below their nearest common ancestor and accumulates from `Transform::for_descendants`
// of that ancestor, which drops what is common to both: all of a matrix, and the translation, rotation and uniform
// scale of a combined TRS. The non-uniform scale of a combined TRS acts along the descendants' own axes and so must
// stay. Positions are subtracted before the inverse is applied. Two nodes of one tree that are 10⁶ from the origin
// convert in `f32` as they would at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conversion<T: Real> {
    common_from_source: Matrix3<T>,
    /// The vector from the target's origin to the source's, in the common space.
    offset: Vector3<T>,
    target_from_common: Matrix3<T>,
    /// The node to name in the error if the source has no inverse.
    node: Option<NodeId>,
}

/// A 3×3 part and a translation.
type Affine<T> = (Matrix3<T>, Vector3<T>);

/// Returns the axes and the origin of a node; fails if they are not finite.
#[inline]
fn affine<X: Transform>(node: NodeId, transform: &X) -> Result<Affine<X::Scalar>, HierarchyError> {
    let matrix = transform.to_homogeneous();
    let linear = matrix.fixed_view::<3, 3>(0, 0).into_owned();
    let origin = matrix.fixed_view::<3, 1>(0, 3).into_owned();
    // Testing all of them at once is faster than a branch for each.
    let is_finite = |all: bool, part: &X::Scalar| all & part.is_finite();
    if origin.iter().fold(linear.iter().fold(true, is_finite), is_finite) {
        Ok((linear, origin))
    } else {
        Err(HierarchyError::WorldNotFinite(node))
    }
}

/// Returns the inverse of the linear part of a transform, given that part. It often is the identity: of two nodes, one
/// usually is the common ancestor itself.
pub(crate) fn inverse_of<X: Transform>(
    transform: &X,
    linear: &Matrix3<X::Scalar>,
) -> Option<Matrix3<X::Scalar>> {
    if *linear == Matrix3::identity() { Some(*linear) } else { transform.inverse_linear() }
}

/// The map of normals from one space to another.
struct Normals<T: Real> {
    /// The lengths of the source's axes in the target. Normals are divided by them first, because the ratios of
    /// these lengths may be out of range.
    lengths: Vector3<T>,
    matrix: Matrix3<T>,
    /// The volume that the source's axes span in the target, each made unit length.
    volume: T,
}

impl<T: Real> Normals<T> {
    fn outward(&self, normal: &Vector3<T>) -> Vector3<T> {
        unit(&(self.matrix * unit(&normal.component_div(&self.lengths))))
    }
}

impl<T: Real> Conversion<T> {
    /// Creates the conversion from the world to itself.
    #[inline]
    pub(crate) fn identity() -> Self {
        let (axes, offset) = (Matrix3::identity(), Vector3::zeros());
        Self { common_from_source: axes, offset, target_from_common: axes, node: None }
    }

    /// Creates the conversion to the world from a node with this world transform.
    #[inline]
    pub(crate) fn to_world<X: Transform<Scalar = T>>(
        node: NodeId,
        world: &X,
    ) -> Result<Self, HierarchyError> {
        let (common_from_source, offset) = affine(node, world)?;
        Ok(Self { common_from_source, offset, node: Some(node), ..Self::identity() })
    }

    /// Creates the conversion from the world to a node with this world transform.
    #[inline]
    pub(crate) fn from_world<X: Transform<Scalar = T>>(
        node: NodeId,
        world: &X,
    ) -> Result<Self, HierarchyError> {
        let (_, origin) = affine(node, world)?;
        let inverse = world.inverse_linear().ok_or(HierarchyError::Singular(node))?;
        Ok(Self {
            offset: -origin,
            target_from_common: inverse,
            node: Some(node),
            ..Self::identity()
        })
    }

    /// Creates the conversion from one node to another, given both transforms in a common space.
    pub(crate) fn between<X: Transform<Scalar = T>>(
        (source, common_from_source): (NodeId, &X),
        (target, common_from_target): (NodeId, &X),
    ) -> Result<Self, HierarchyError> {
        let (axes, source_origin) = affine(source, common_from_source)?;
        let (target_axes, target_origin) = affine(target, common_from_target)?;
        let target_from_common =
            inverse_of(common_from_target, &target_axes).ok_or(HierarchyError::Singular(target))?;
        Ok(Self {
            common_from_source: axes,
            offset: source_origin - target_origin,
            target_from_common,
            node: Some(source),
        })
    }

    /// Returns this conversion of points as a 4×4 matrix for column vectors.
    ///
    /// From a node to a camera, this is the matrix to draw the node with. From the world to a camera, it is the view
    /// matrix.
    #[must_use]
    pub fn to_homogeneous(&self) -> Matrix4<T> {
        let linear = self.target_from_common * self.common_from_source;
        let mut matrix = linear.to_homogeneous();
        let origin = self.target_from_common * self.offset;
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&origin);
        matrix
    }

    /// Converts a node's world matrix to the target space, if the source space is the world.
    #[inline]
    pub(crate) fn relative(&self, world: &Matrix4<T>) -> (Matrix3<T>, Vector3<T>) {
        let linear = world.fixed_view::<3, 3>(0, 0).into_owned();
        let origin = world.fixed_view::<3, 1>(0, 3).into_owned();
        (self.target_from_common * linear, self.target_from_common * (origin + self.offset))
    }

    /// Converts a point to the target space.
    #[inline]
    #[must_use]
    pub fn point(&self, point: &Point3<T>) -> Point3<T> {
        let common = self.common_from_source * point.coords + self.offset;
        Point3::from(self.target_from_common * common)
    }

    /// Converts a vector, such as a displacement or a velocity, to the target space: it is scaled and rotated, but
    /// not moved.
    #[inline]
    #[must_use]
    pub fn vector(&self, vector: &Vector3<T>) -> Vector3<T> {
        self.target_from_common * (self.common_from_source * vector)
    }

    /// Converts a direction to the target space. The result points where the [vector](Self::vector) would point and
    /// keeps its original length. A vector of length zero stays zero.
    ///
    /// If no scale is non-uniform, this is the rotation alone. Otherwise it is not: a ray along the barrel of a
    /// stretched gun still runs along the barrel. For the method that Unity and Unreal call `TransformDirection`,
    /// rotate the vector by the [rotation](RotationConversion::rotation) of the identity.
    ///
    /// # Errors
    ///
    /// A source space without an inverse, because a direction in it may vanish.
    // The direction is that of the transformed vector, not the vector rotated by the world rotation. The latter
    // points along the object only if no scale is non-uniform, and is available as `RotationConversion::rotation`.
    pub fn direction(&self, vector: &Vector3<T>) -> Result<Vector3<T>, HierarchyError> {
        self.normals_by()?;
        Ok(self.directed(vector))
    }

    /// Converts the normal of a surface, of any length, to a unit normal in the target space.
    ///
    /// The normal is multiplied by the inverse transpose, so it stays perpendicular to the surface and on the same
    /// side of it, mirrored or not. A vector of length zero stays zero.
    ///
    /// # Errors
    ///
    /// A source space without an inverse.
    pub fn normal(&self, normal: &Vector3<T>) -> Result<Vector3<T>, HierarchyError> {
        Ok(self.normals_by()?.outward(normal))
    }

    /// Converts a covector, such as the gradient of a density or the normal of a plane n·p = d, to the target space.
    ///
    /// The covector is multiplied by the inverse transpose and the result is not made unit length. A normal of any
    /// length is a covector too; [`normal`](Self::normal) is this result made unit length.
    ///
    /// The product of a covector and a [vector](Self::vector) is the same in both spaces.
    ///
    /// # Errors
    ///
    /// A source space without an inverse.
    pub fn covector(&self, covector: &Vector3<T>) -> Result<Vector3<T>, HierarchyError> {
        let Normals { lengths, matrix, volume } = self.normals_by()?;
        // The columns of `matrix` are the cofactors of the unit axes A, which are |det A|·A⁻ᵀ.
        Ok(matrix * covector.component_div(&lengths) / volume)
    }

    /// Converts points in place.
    pub fn points(&self, points: &mut [Point3<T>]) {
        points.iter_mut().for_each(|point| *point = self.point(point));
    }

    /// Converts [vectors](Self::vector) in place.
    pub fn vectors(&self, vectors: &mut [Vector3<T>]) {
        vectors.iter_mut().for_each(|vector| *vector = self.vector(vector));
    }

    /// Converts [directions](Self::direction) in place.
    ///
    /// # Errors
    ///
    /// A source space without an inverse. The slice is then unchanged.
    pub fn directions(&self, vectors: &mut [Vector3<T>]) -> Result<(), HierarchyError> {
        self.normals_by()?;
        vectors.iter_mut().for_each(|vector| *vector = self.directed(vector));
        Ok(())
    }

    /// Converts [normals](Self::normal) in place.
    ///
    /// # Errors
    ///
    /// A source space without an inverse. The slice is then unchanged.
    pub fn normals(&self, normals: &mut [Vector3<T>]) -> Result<(), HierarchyError> {
        let by = self.normals_by()?;
        normals.iter_mut().for_each(|normal| *normal = by.outward(normal));
        Ok(())
    }

    /// Returns the map of normals; fails if the source space has no inverse.
    fn normals_by(&self) -> Result<Normals<T>, HierarchyError> {
        let target_from_source = self.target_from_common * self.common_from_source;
        let lengths = axis_lengths(&target_from_source);
        let axes = Matrix3::from_fn(|i, j| target_from_source[(i, j)] / lengths[j]);
        let found = normal_matrix(&axes).zip(unit_volume(&axes));
        let node = || self.node.expect("the conversion from the world to itself has an inverse");
        let (matrix, volume) = found.ok_or_else(|| HierarchyError::Singular(node()))?;
        Ok(Normals { lengths, matrix, volume: volume.abs() })
    }

    fn directed(&self, vector: &Vector3<T>) -> Vector3<T> {
        unit(&self.vector(&unit(vector))) * length(vector)
    }
}

/// Returns the unit vector in the same direction, or the vector itself if it has no direction.
fn unit<T: Real>(vector: &Vector3<T>) -> Vector3<T> {
    direction(vector).unwrap_or(*vector)
}

/// A conversion of rotations from one space to another, fixed when
/// [`Hierarchy::rotation_conversion`](crate::Hierarchy::rotation_conversion) made it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RotationConversion<T: Real> {
    source: PathRotation<T>,
    target: PathRotation<T>,
}

impl<T: Real> RotationConversion<T> {
    pub(crate) fn between(source: PathRotation<T>, target: PathRotation<T>) -> Self {
        Self { source, target }
    }

    /// Converts a rotation to the target space: an object with `rotation` in the source space has the returned
    /// rotation in the target space.
    #[must_use]
    pub fn rotation(&self, rotation: &UnitQuaternion<T>) -> UnitQuaternion<T> {
        self.target.to_local(&self.source.to_world(rotation))
    }

    /// Converts [rotations](Self::rotation) in place.
    pub fn rotations(&self, rotations: &mut [UnitQuaternion<T>]) {
        rotations.iter_mut().for_each(|rotation| *rotation = self.rotation(rotation));
    }
}
