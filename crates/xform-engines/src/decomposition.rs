use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use xform_core::{Trs, spaces::Orientation};
use xform_matrix::{AccumulatedMatrix, Method};

use crate::{
    Reason,
    fold::{lengths, scaled, unscaled},
};

/// How an engine decomposes a 3×3 matrix into a rotation and a scale, even if it is not a product of the two.
///
/// All rules agree if the matrix is R · S and does not mirror. On a sheared matrix they differ, and lose different
/// parts of it; docs/engines.md has an example.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct DecompositionRule {
    /// How the rotation is computed.
    pub rotation: RotationSource,
    /// How the scale is computed.
    pub scale: ScaleSource,
    /// Which components of the scale are negative if the matrix mirrors.
    pub mirrored: MirroredSign,
    /// Whether the quaternion is normalised. For a sheared matrix it comes out shorter than 1, and engines that do
    /// not normalise it show the node smaller than its scale says.
    pub is_unit: bool,
}

/// How the rotation is computed.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum RotationSource {
    /// From the columns divided by their lengths, by Shepperd's method: the trace, then the largest diagonal element,
    /// selects one of four formulas.
    Shepperd,
    /// The same by Mike Day's method: the signs of m₂₂ and m₀₀ ± m₁₁ select one of four formulas. For a sheared
    /// matrix the result can differ from Shepperd's.
    Day,
    /// From axes made perpendicular one after the other in this order (Gram–Schmidt): each loses its components along
    /// those before it.
    GramSchmidt([usize; 3]),
    /// The rotation of the polar decomposition, which is the rotation nearest to the matrix.
    Polar,
    /// As in OGRE: Gram–Schmidt from x on, except that the component of z along y is added instead of subtracted. So
    /// the axes of a sheared matrix come out neither perpendicular nor the same as with
    /// [`GramSchmidt`](Self::GramSchmidt).
    Ogre,
}

/// How the scale is computed.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ScaleSource {
    /// The lengths of the columns.
    Lengths,
    /// diag(Rᵀ·M): the component of each column along the corresponding axis of the rotation R.
    Projected,
}

/// Which components of the scale are negative if a matrix mirrors.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum MirroredSign {
    /// x.
    X,
    /// y.
    Y,
    /// z.
    Z,
    /// All three.
    All,
}

/// The rotation and the scale into which a [`DecompositionRule`] decomposes a matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parts {
    /// The rotation, not necessarily of unit length.
    pub rotation: Quaternion<f64>,
    /// The scale.
    pub scale: Vector3<f64>,
}

impl DecompositionRule {
    /// Column lengths, and the quaternion of the remaining matrix by Shepperd's method, not normalised.
    pub(crate) const SHEPPERD: Self = Self {
        rotation: RotationSource::Shepperd,
        scale: ScaleSource::Lengths,
        mirrored: MirroredSign::X,
        is_unit: false,
    };

    /// The same with Day's method.
    pub(crate) const DAY: Self = Self { rotation: RotationSource::Day, ..Self::SHEPPERD };

    /// Gram–Schmidt from x on, and column lengths.
    pub(crate) const GRAM_SCHMIDT: Self = Self {
        rotation: RotationSource::GramSchmidt([0, 1, 2]),
        scale: ScaleSource::Lengths,
        mirrored: MirroredSign::All,
        is_unit: true,
    };

    /// The same from y on.
    pub(crate) const GRAM_SCHMIDT_YXZ: Self =
        Self { rotation: RotationSource::GramSchmidt([1, 0, 2]), ..Self::GRAM_SCHMIDT };

    /// The nearest rotation, and the components of the columns along its axes.
    pub(crate) const POLAR: Self = Self {
        rotation: RotationSource::Polar,
        scale: ScaleSource::Projected,
        mirrored: MirroredSign::X,
        is_unit: true,
    };

    /// The same rule with a normalised quaternion.
    pub(crate) const fn unit(self) -> Self {
        Self { is_unit: true, ..self }
    }

    /// The same rule with these negative components if the matrix mirrors.
    pub(crate) const fn mirrored(self, mirrored: MirroredSign) -> Self {
        Self { mirrored, ..self }
    }

    /// Decomposes a matrix into a rotation and a scale.
    ///
    /// # Errors
    ///
    /// - [`Reason::ZeroScale`] if the matrix is singular.
    /// - [`Reason::Overflow`] if a number is not finite.
    pub fn parts(&self, linear: &Matrix3<f64>) -> Result<Parts, Reason> {
        if !linear.iter().all(|entry| entry.is_finite()) {
            return Err(Reason::Overflow);
        }
        let signs = match Orientation::of(linear) {
            Orientation::Mirrored => self.mirrored.signs(),
            Orientation::Singular => return Err(Reason::ZeroScale),
            _ => Vector3::repeat(1.0),
        };
        let lengths = lengths(linear)?.component_mul(&signs);
        let proper = unscaled(linear, &lengths);
        let ogre = match self.rotation {
            RotationSource::Ogre => Some(ogre_axes(&proper)),
            _ => None,
        };
        let rotation = match self.rotation {
            RotationSource::Ogre => shepperd(&ogre.unwrap_or_default()),
            RotationSource::Shepperd => shepperd(&proper),
            RotationSource::Day => day(&proper),
            RotationSource::GramSchmidt(order) => shepperd(&gram_schmidt(&proper, order)?),
            RotationSource::Polar => polar(&scaled(linear, &signs))?,
        };
        let rotation = if self.is_unit { rotation.normalize() } else { rotation };
        let scale = match self.scale {
            ScaleSource::Lengths => lengths,
            ScaleSource::Projected => {
                let axes = ogre.unwrap_or_else(|| matrix_of(&rotation));
                (axes.transpose() * linear).diagonal()
            }
        };
        let is_finite = rotation.coords.iter().chain(&scale).all(|part| part.is_finite());
        is_finite.then_some(Parts { rotation, scale }).ok_or(Reason::ZeroScale)
    }

    /// Decomposes an affine matrix and composes it again, as the engine does. The position is unchanged.
    ///
    /// # Errors
    ///
    /// As for [`parts`](Self::parts).
    pub fn recomposed(
        &self,
        affine: &AccumulatedMatrix<f64>,
    ) -> Result<AccumulatedMatrix<f64>, Reason> {
        let mut matrix = *affine.matrix();
        matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&self.parts(&affine.linear())?.linear());
        AccumulatedMatrix::from_matrix(matrix).ok_or(Reason::Overflow)
    }
}

impl MirroredSign {
    fn signs(self) -> Vector3<f64> {
        match self {
            Self::X => Vector3::new(-1.0, 1.0, 1.0),
            Self::Y => Vector3::new(1.0, -1.0, 1.0),
            Self::Z => Vector3::new(1.0, 1.0, -1.0),
            Self::All => Vector3::repeat(-1.0),
        }
    }
}

impl Parts {
    /// Returns the 3×3 matrix of the scale, then the rotation, as engines compose it: a quaternion shorter than 1
    /// makes it smaller.
    #[must_use]
    pub fn linear(&self) -> Matrix3<f64> {
        scaled(&matrix_of(&self.rotation), &self.scale)
    }

    /// Returns the pose with a translation, or `None` if the quaternion is not of unit length.
    #[must_use]
    pub fn to_trs(&self, translation: Vector3<f64>) -> Option<Trs<f64>> {
        let rotation = UnitQuaternion::new_unchecked(self.rotation);
        let trs = Trs::from_parts(translation, rotation, self.scale);
        trs.check().is_ok().then_some(trs)
    }
}

/// The matrix of a quaternion, by the formula that assumes unit length.
pub(crate) fn matrix_of(q: &Quaternion<f64>) -> Matrix3<f64> {
    let (x, y, z, w) = (q.i, q.j, q.k, q.w);
    Matrix3::new(
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - z * w),
        2.0 * (x * z + y * w),
        2.0 * (x * y + z * w),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - x * w),
        2.0 * (x * z - y * w),
        2.0 * (y * z + x * w),
        1.0 - 2.0 * (x * x + y * y),
    )
}

/// Converts a rotation matrix to a quaternion by Shepperd's method. Source: Shepperd 1978, Quaternion from Rotation
/// Matrix.
pub(crate) fn shepperd(m: &Matrix3<f64>) -> Quaternion<f64> {
    let trace = m.trace();
    if trace > 0.0 {
        let s = 0.5 / (trace + 1.0).sqrt();
        let axis = [m[(2, 1)] - m[(1, 2)], m[(0, 2)] - m[(2, 0)], m[(1, 0)] - m[(0, 1)]];
        return Quaternion::new(0.25 / s, axis[0] * s, axis[1] * s, axis[2] * s);
    }
    let i = match (m[(0, 0)] > m[(1, 1)] && m[(0, 0)] > m[(2, 2)], m[(1, 1)] > m[(2, 2)]) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    };
    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
    let s = 2.0 * (1.0 + m[(i, i)] - m[(j, j)] - m[(k, k)]).sqrt();
    let mut axis = Vector3::zeros();
    axis[i] = 0.25 * s;
    axis[j] = (m[(i, j)] + m[(j, i)]) / s;
    axis[k] = (m[(i, k)] + m[(k, i)]) / s;
    Quaternion::from_parts((m[(k, j)] - m[(j, k)]) / s, axis)
}

/// Converts a rotation matrix to a quaternion by Day's method. Source: Mike Day, Insomniac Games, Converting a
/// Rotation Matrix to a Quaternion.
fn day(m: &Matrix3<f64>) -> Quaternion<f64> {
    let (xx, yy, zz) = (m[(0, 0)], m[(1, 1)], m[(2, 2)]);
    let (xy, xz, yz) = (m[(0, 1)] + m[(1, 0)], m[(0, 2)] + m[(2, 0)], m[(1, 2)] + m[(2, 1)]);
    let (x, y, z) = (m[(2, 1)] - m[(1, 2)], m[(0, 2)] - m[(2, 0)], m[(1, 0)] - m[(0, 1)]);
    // In the order w, x, y, z. One of the four is the square of twice the largest component.
    let (four, square) = match (zz <= 0.0, yy - xx <= 0.0, yy + xx <= 0.0) {
        (true, true, _) => {
            let square = (1.0 - zz) - (yy - xx);
            ([x, square, xy, xz], square)
        }
        (true, false, _) => {
            let square = (1.0 - zz) + (yy - xx);
            ([y, xy, square, yz], square)
        }
        (false, _, true) => {
            let square = (1.0 + zz) - (yy + xx);
            ([z, xz, yz, square], square)
        }
        (false, _, false) => {
            let square = (1.0 + zz) + (yy + xx);
            ([square, x, y, z], square)
        }
    };
    let [w, x, y, z] = four.map(|component| component * (0.5 / square.sqrt()));
    Quaternion::new(w, x, y, z)
}

/// Perpendicular unit axes: each loses its components along those before it in the order.
pub(crate) fn gram_schmidt(
    linear: &Matrix3<f64>,
    order: [usize; 3],
) -> Result<Matrix3<f64>, Reason> {
    let mut axes = order.map(|axis| linear.column(axis).into_owned());
    if Vector3::orthonormalize(&mut axes) < 3 {
        return Err(Reason::ZeroScale);
    }
    let mut made = Matrix3::zeros();
    order.into_iter().zip(&axes).for_each(|(axis, made_of)| made.set_column(axis, made_of));
    Ok(made)
}

/// The axes that `Matrix3::orthonormalised` of OGRE computes from a matrix that does not mirror and has unit columns.
fn ogre_axes(proper: &Matrix3<f64>) -> Matrix3<f64> {
    let [x, y, z] = [0, 1, 2].map(|axis| proper.column(axis).into_owned());
    let y = (y - x * x.dot(&y)).normalize();
    let z = (z - x * x.dot(&z) + y * y.dot(&z)).normalize();
    Matrix3::from_columns(&[x, y, z])
}

/// The rotation of the polar decomposition of a matrix that does not mirror.
fn polar(proper: &Matrix3<f64>) -> Result<Quaternion<f64>, Reason> {
    let affine = AccumulatedMatrix::from_matrix(proper.to_homogeneous()).ok_or(Reason::Overflow)?;
    let polar = affine.decompose(Method::Polar).ok_or(Reason::Overflow)?;
    Ok(polar.trs.rotation.into_inner())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xform_cases::properties;

    use super::*;

    const ALL: [DecompositionRule; 4] = [
        DecompositionRule::SHEPPERD,
        DecompositionRule::DAY,
        DecompositionRule::GRAM_SCHMIDT,
        DecompositionRule::POLAR,
    ];

    properties! {
        #[test]
        fn what_is_a_rotation_and_a_scale_comes_back(
            angles in proptest::array::uniform3(-3.2..3.2),
            scale in proptest::array::uniform3(0.1..10.0),
            mirror in any::<bool>(),
        ) {
            let rotation = UnitQuaternion::from_scaled_axis(Vector3::from(angles));
            for decomposition in ALL {
                for mirrored in [MirroredSign::X, MirroredSign::Y, MirroredSign::Z, MirroredSign::All] {
                    let signs = if mirror { mirrored.signs() } else { Vector3::repeat(1.0) };
                    let scale = Vector3::from(scale).component_mul(&signs);
                    let linear = Trs::from_parts(Vector3::zeros(), rotation, scale).to_linear();
                    let decomposition = decomposition.mirrored(mirrored);
                    let parts = decomposition.parts(&linear).expect("no axis without length");
                    prop_assert!((parts.linear() - linear).amax() < 1e-12 * scale.amax());
                    if decomposition.scale == ScaleSource::Lengths {
                        prop_assert!((parts.scale - scale).amax() < 1e-12 * scale.amax());
                    }
                }
            }
        }
    }

    /// The answer of OGRE 1.12.10, from `Affine3::decomposition` through a scene node.
    #[test]
    fn a_sheared_matrix_comes_apart_as_in_ogre() {
        let ogre = DecompositionRule {
            rotation: RotationSource::Ogre,
            scale: ScaleSource::Projected,
            ..DecompositionRule::GRAM_SCHMIDT
        };
        let sheared = Matrix3::new(1.0, 0.75, 0.25, 0.0, 1.0, -0.5, 0.0, 0.0, 1.5);
        let answered = Matrix3::new(
            1.0,
            0.0,
            0.0,
            0.0,
            0.958_953_321,
            -0.432_555_854,
            0.0,
            0.283_564_061,
            1.462_811_95,
        );
        let found = ogre.parts(&sheared).expect("no axis without length").linear();
        assert!((found - answered).amax() < 1e-6, "{found}");
        // The negative sign is on all three axes.
        let mirrored = ogre.parts(&-sheared).expect("no axis without length");
        assert!((mirrored.linear() + answered).amax() < 1e-6 && mirrored.scale.max() < 0.0);
    }

    #[test]
    fn the_skewed_child_comes_apart_as_in_each_engine() {
        // docs/engines.md: scale (2, 1, 1) above a turn of 38° about z. Rotation, scale x and y, and length, as the
        // witnesses published them: three.js and glam, Godot, Unity.Mathematics.
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 38_f64.to_radians());
        let linear = Matrix3::from_diagonal(&Vector3::new(2.0, 1.0, 1.0))
            * turn.to_rotation_matrix().matrix();
        let expected = [
            (38.33, 1.692, 1.462),
            (38.33, 1.692, 1.462),
            (21.34, 1.692, 1.462),
            (38.0, 1.621, 1.379),
        ];
        for (decomposition, (degrees, x, y)) in ALL.into_iter().zip(expected) {
            let parts = decomposition.parts(&linear).expect("no axis without length");
            let half = parts.rotation.k.atan2(parts.rotation.w);
            assert!((2.0 * half.to_degrees() - degrees).abs() < 5e-3, "{decomposition:?}");
            assert!((parts.scale - Vector3::new(x, y, 1.0)).amax() < 5e-4, "{decomposition:?}");
        }
        let raw = ALL[0].parts(&linear).expect("no axis without length").rotation.norm();
        assert!((raw - 0.986).abs() < 5e-4);
    }

    #[test]
    fn an_axis_without_length_has_no_direction() {
        let flat = Matrix3::from_diagonal(&Vector3::new(1.0, 0.0, 1.0));
        for decomposition in ALL {
            assert_eq!(decomposition.parts(&flat), Err(Reason::ZeroScale));
            assert_eq!(decomposition.parts(&(flat * f64::NAN)), Err(Reason::Overflow));
        }
    }
}
