use nalgebra::{ComplexField, Matrix3, Matrix4, Point3, UnitQuaternion, Vector3};

use crate::{
    HierarchyError, NodeId, Real, Transform,
    linear::{axis_lengths, direction, length, normal_matrix},
    turn::Turn,
};

/// The way from one space to another, as of when it was made:
/// [`Hierarchy::conversion`](crate::Hierarchy::conversion).
///
/// Made once, it converts as many points as there are. The two spaces are joined where both are
/// known, in the world or below their nearest common ancestor, and positions are subtracted there
/// before anything else, so that what lies close together far from the origin keeps its precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conversion<T: Real> {
    common_from_source: Matrix3<T>,
    /// From the origin of the target to that of the source, in the common space.
    offset: Vector3<T>,
    target_from_common: Matrix3<T>,
    source_turn: Turn<T>,
    target_turn: Turn<T>,
    /// How long the axes of the source are in the target.
    lengths: Vector3<T>,
    /// Takes normals if the axes are made unit; `None` where the source has no inverse.
    normals: Option<Matrix3<T>>,
    /// Which of the two to name where it has not.
    node: Option<NodeId>,
}

/// A space at one end of a conversion.
#[derive(Debug)]
pub(crate) struct End<X: Transform> {
    /// `None` for the world.
    pub(crate) node: Option<NodeId>,
    pub(crate) transform: X,
    pub(crate) turn: Turn<X::Scalar>,
}

/// A 3×3 part and a translation.
type Affine<T> = (Matrix3<T>, Vector3<T>);

impl<X: Transform> End<X> {
    /// The axes and the origin.
    ///
    /// Those of the world are what they are, whatever a strategy says.
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
    /// From one space to another, both seen from the same one.
    pub(crate) fn between<X: Transform<Scalar = T>>(
        source: &End<X>,
        target: &End<X>,
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
            source_turn: source.turn,
            target_turn: target.turn,
            lengths,
            normals: normal_matrix(&axes),
            node: source.node.or(target.node),
        })
    }

    /// The conversion of points as a 4×4 matrix for column vectors: from a node to a camera, the
    /// matrix to draw the node with; from the world to a camera, the view matrix.
    #[must_use]
    pub fn to_homogeneous(&self) -> Matrix4<T> {
        let linear = self.target_from_common * self.common_from_source;
        let mut matrix = linear.to_homogeneous();
        let origin = self.target_from_common * self.offset;
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&origin);
        matrix
    }

    /// A point in the target space.
    #[must_use]
    pub fn point(&self, point: &Point3<T>) -> Point3<T> {
        let common = self.common_from_source * point.coords + self.offset;
        Point3::from(self.target_from_common * common)
    }

    /// A vector in the target space, such as a displacement or a velocity: scaled and turned, not
    /// moved.
    #[must_use]
    pub fn vector(&self, vector: &Vector3<T>) -> Vector3<T> {
        self.target_from_common * (self.common_from_source * vector)
    }

    /// A direction in the target space: that in which the [vector](Self::vector) points there, with
    /// the length it had. A vector of length zero stays so.
    ///
    /// Where nothing is scaled unevenly that is the rotation alone. Else it is not: a ray along the
    /// barrel of a stretched gun still runs along the barrel. For what Unity and Unreal call
    /// `TransformDirection`, turn the vector by [`rotation`](Self::rotation).
    ///
    /// # Errors
    ///
    /// A source space without an inverse: it may leave no direction.
    pub fn direction(&self, vector: &Vector3<T>) -> Result<Vector3<T>, HierarchyError> {
        self.invertible()?;
        Ok(self.directed(vector))
    }

    /// The unit normal of a surface in the target space, from a normal of any length.
    ///
    /// By the inverse transpose: perpendicular to what was perpendicular to it, and on the same side
    /// of the surface, mirrored or not. A vector of length zero stays so.
    ///
    /// # Errors
    ///
    /// A source space without an inverse.
    pub fn normal(&self, normal: &Vector3<T>) -> Result<Vector3<T>, HierarchyError> {
        Ok(self.outward(self.invertible()?, normal))
    }

    /// A rotation in the target space: that which something has there that has `rotation` in the
    /// source space.
    ///
    /// The rotations of the nodes on the way are multiplied as for
    /// [`world_rotation`](crate::Hierarchy::world_rotation); scales do not act, so this is what becomes
    /// of an object only where they are uniform.
    #[must_use]
    pub fn rotation(&self, rotation: &UnitQuaternion<T>) -> UnitQuaternion<T> {
        self.target_turn.to_local(&self.source_turn.to_world(rotation))
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
    /// A source space without an inverse; the slice is as it was then.
    pub fn directions(&self, vectors: &mut [Vector3<T>]) -> Result<(), HierarchyError> {
        self.invertible()?;
        vectors.iter_mut().for_each(|vector| *vector = self.directed(vector));
        Ok(())
    }

    /// Converts [normals](Self::normal) in place.
    ///
    /// # Errors
    ///
    /// A source space without an inverse; the slice is as it was then.
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

    /// Divided by the lengths before it is anything else, since their ratios may be out of range.
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
