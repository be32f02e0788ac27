use nalgebra::{ComplexField, Matrix3, Matrix4, Point3, UnitQuaternion, Vector3};

use crate::{
    HierarchyError, NodeId, Real, Transform,
    linear::{axis_lengths, direction, length, normal_matrix, unit_volume},
    path_rotation::PathRotation,
};

/// A conversion from one space to another, as the two were when
/// [`Hierarchy::conversion`](crate::Hierarchy::conversion) made it.
///
/// Once made, it converts any number of points. The two spaces are joined where both are known, in the
/// world or below their nearest common ancestor. Positions are subtracted there before anything else, so
/// things that lie close together far from the origin keep their precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conversion<T: Real> {
    common_from_source: Matrix3<T>,
    /// From the origin of the target to that of the source, in the common space.
    offset: Vector3<T>,
    target_from_common: Matrix3<T>,
    source_rotation: PathRotation<T>,
    target_rotation: PathRotation<T>,
    /// The lengths of the source's axes in the target.
    lengths: Vector3<T>,
    /// Takes normals, once they are divided by `lengths`; `None` if the source has no inverse.
    normals: Option<Matrix3<T>>,
    /// What the axes of the source in the target enclose, each made unit; 0 if the source has no inverse.
    volume: T,
    /// The node to name in the error if the source has no inverse.
    node: Option<NodeId>,
}

/// A space at one end of a conversion.
#[derive(Debug)]
pub(crate) struct Endpoint<X: Transform> {
    /// `None` for the world.
    pub(crate) node: Option<NodeId>,
    pub(crate) transform: X,
    pub(crate) rotation: PathRotation<X::Scalar>,
}

/// A 3×3 part and a translation.
type Affine<T> = (Matrix3<T>, Vector3<T>);

impl<X: Transform> Endpoint<X> {
    /// The axes and the origin.
    ///
    /// The world's are the identity and zero, whatever a strategy says.
    fn affine(&self) -> Result<Affine<X::Scalar>, HierarchyError> {
        let Some(node) = self.node else { return Ok((Matrix3::identity(), Vector3::zeros())) };
        let matrix = self.transform.to_homogeneous();
        if !matrix.iter().all(ComplexField::is_finite) {
            return Err(HierarchyError::WorldNotFinite(node));
        }
        Ok((
            matrix.fixed_view::<3, 3>(0, 0).into_owned(),
            matrix.fixed_view::<3, 1>(0, 3).into_owned(),
        ))
    }

    fn inverse_linear(&self) -> Result<Matrix3<X::Scalar>, HierarchyError> {
        let Some(node) = self.node else { return Ok(Matrix3::identity()) };
        let column = |i| {
            let axis = Vector3::ith(i, X::Scalar::rounded(1.0));
            let own = self.transform.inverse_transform_vector(&axis);
            own.ok_or(HierarchyError::Singular(node))
        };
        Ok(Matrix3::from_columns(&[column(0)?, column(1)?, column(2)?]))
    }
}

impl<T: Real> Conversion<T> {
    /// The conversion between two spaces, both seen from a common one.
    pub(crate) fn between<X: Transform<Scalar = T>>(
        source: &Endpoint<X>,
        target: &Endpoint<X>,
    ) -> Result<Self, HierarchyError> {
        let (common_from_source, source_origin) = source.affine()?;
        let (_, target_origin) = target.affine()?;
        let target_from_common = target.inverse_linear()?;
        let target_from_source = target_from_common * common_from_source;
        let lengths = axis_lengths(&target_from_source);
        let axes = Matrix3::from_fn(|i, j| target_from_source[(i, j)] / lengths[j]);
        Ok(Self {
            common_from_source,
            offset: source_origin - target_origin,
            target_from_common,
            source_rotation: source.rotation,
            target_rotation: target.rotation,
            lengths,
            normals: normal_matrix(&axes),
            volume: unit_volume(&axes).map_or(T::zero(), ComplexField::abs),
            node: source.node.or(target.node),
        })
    }

    /// This conversion of points as a 4×4 matrix for column vectors.
    ///
    /// From a node to a camera it is the matrix to draw the node with; from the world to a camera it is the
    /// view matrix.
    #[must_use]
    pub fn to_homogeneous(&self) -> Matrix4<T> {
        let linear = self.target_from_common * self.common_from_source;
        let mut matrix = linear.to_homogeneous();
        let origin = self.target_from_common * self.offset;
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&origin);
        matrix
    }

    /// The world matrix of a node as one to the target space, if the source space is the world.
    #[inline]
    pub(crate) fn relative(&self, world: &Matrix4<T>) -> (Matrix3<T>, Vector3<T>) {
        let linear = world.fixed_view::<3, 3>(0, 0).into_owned();
        let origin = world.fixed_view::<3, 1>(0, 3).into_owned();
        (self.target_from_common * linear, self.target_from_common * (origin + self.offset))
    }

    /// Converts a point to the target space.
    #[must_use]
    pub fn point(&self, point: &Point3<T>) -> Point3<T> {
        let common = self.common_from_source * point.coords + self.offset;
        Point3::from(self.target_from_common * common)
    }

    /// Converts a vector, such as a displacement or a velocity, to the target space: scaled and turned, but
    /// not moved.
    #[must_use]
    pub fn vector(&self, vector: &Vector3<T>) -> Vector3<T> {
        self.target_from_common * (self.common_from_source * vector)
    }

    /// Converts a direction to the target space: it points where the [vector](Self::vector) points there,
    /// with the length that it had. A vector of length zero stays zero.
    ///
    /// If nothing is scaled non-uniformly, this is the rotation alone. Otherwise it is not: a ray along the
    /// barrel of a stretched gun still runs along the barrel. For what Unity and Unreal call
    /// `TransformDirection`, rotate the vector by the [`rotation`](Self::rotation) of the identity.
    ///
    /// # Errors
    ///
    /// A source space without an inverse, in which a direction may vanish.
    pub fn direction(&self, vector: &Vector3<T>) -> Result<Vector3<T>, HierarchyError> {
        self.invertible()?;
        Ok(self.directed(vector))
    }

    /// Converts the normal of a surface, of any length, to a unit normal in the target space.
    ///
    /// Uses the inverse transpose, so the normal stays perpendicular to the surface and on the same side of
    /// it, mirrored or not. A vector of length zero stays zero.
    ///
    /// # Errors
    ///
    /// A source space without an inverse.
    pub fn normal(&self, normal: &Vector3<T>) -> Result<Vector3<T>, HierarchyError> {
        Ok(self.outward(self.invertible()?, normal))
    }

    /// Converts a covector to the target space, by the inverse transpose, with its length: the gradient of a density,
    /// or the normal of a plane n·p = d. A normal of any other length is one too, and [`normal`](Self::normal) is this
    /// made unit.
    ///
    /// The product of a covector and a [vector](Self::vector) is the same in both spaces.
    ///
    /// # Errors
    ///
    /// A source space without an inverse.
    pub fn covector(&self, covector: &Vector3<T>) -> Result<Vector3<T>, HierarchyError> {
        let normals = self.invertible()?;
        // They are the cofactors of unit axes A, which are |det A|·A⁻ᵀ.
        Ok(normals * covector.component_div(&self.lengths) / self.volume)
    }

    /// Converts a rotation to the target space: something with `rotation` in the source space has the
    /// returned rotation in the target space.
    ///
    /// The rotations of the nodes on the way are multiplied as for
    /// [`world_rotation`](crate::Hierarchy::world_rotation). Scales have no effect, so this describes what
    /// becomes of an object only if they are uniform.
    #[must_use]
    pub fn rotation(&self, rotation: &UnitQuaternion<T>) -> UnitQuaternion<T> {
        self.target_rotation.to_local(&self.source_rotation.to_world(rotation))
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
    /// A source space without an inverse; the slice is then as it was.
    pub fn directions(&self, vectors: &mut [Vector3<T>]) -> Result<(), HierarchyError> {
        self.invertible()?;
        vectors.iter_mut().for_each(|vector| *vector = self.directed(vector));
        Ok(())
    }

    /// Converts [normals](Self::normal) in place.
    ///
    /// # Errors
    ///
    /// A source space without an inverse; the slice is then as it was.
    pub fn normals(&self, normals: &mut [Vector3<T>]) -> Result<(), HierarchyError> {
        let matrix = self.invertible()?;
        normals.iter_mut().for_each(|normal| *normal = self.outward(matrix, normal));
        Ok(())
    }

    /// Converts [rotations](Self::rotation) in place.
    pub fn rotations(&self, rotations: &mut [UnitQuaternion<T>]) {
        rotations.iter_mut().for_each(|rotation| *rotation = self.rotation(rotation));
    }

    fn invertible(&self) -> Result<&Matrix3<T>, HierarchyError> {
        let node = || self.node.expect("from the world to the world has an inverse");
        self.normals.as_ref().ok_or_else(|| HierarchyError::Singular(node()))
    }

    /// Divides the normal by the lengths before anything else, because their ratios may be out of range.
    fn outward(&self, normals: &Matrix3<T>, normal: &Vector3<T>) -> Vector3<T> {
        unit(&(normals * unit(&normal.component_div(&self.lengths))))
    }

    fn directed(&self, vector: &Vector3<T>) -> Vector3<T> {
        unit(&self.vector(&unit(vector))) * length(vector)
    }
}

/// The unit vector in the same direction, or the vector itself where it has none.
fn unit<T: Real>(vector: &Vector3<T>) -> Vector3<T> {
    direction(vector).unwrap_or(*vector)
}
