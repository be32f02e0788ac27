//! Poses and world transforms at several times, one in each lane.
//!
//! Each lane equals the result of the strategy's [`Transform::concat`] to the bit: the formulas and the order
//! of their sums are the same.
//!
//! [`Transform::concat`]: xform_core::Transform::concat

// Four times of an animation are handled at once: poses, world transforms and upper bounds of figures have
// one time in each lane. Lanes are nalgebra's own vectors and matrices over a scalar of four, so every sum
// has the same order as for a single time; a test compares each lane with the strategies, to the bit. The
// core's formulas for rotations serve both (`rotation.rs` of xform-core, hidden). A node whose matrix is not
// a pose, or that does not inherit everything, is handled lane by lane.
//
// With this, a bound before each figure, and turns that are prepared once for all times within them, audits
// take 0.6 of the time (docs/benchmarks.md, 2026-11-25). Plain arrays of four, which the compiler vectorises,
// took 23 ns for a step of both strategies where the crate wide takes 18 (SSE2; with AVX2 14 and 15), and
// left square roots and maxima scalar. That was measured with a separate program that was not kept.

use nalgebra::{
    Matrix3, Matrix4, Quaternion, SimdBool, SimdPartialOrd, SimdValue, Unit, UnitQuaternion,
    Vector3, Vector4,
};
use simba::simd::WideF64x4;
use xform_core::{
    Trs,
    rotation::{rotate, rotation_matrix},
};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

/// The number of times that are handled at once.
pub(in crate::measure) const TIMES: usize = 4;

/// A scalar for each of the times.
pub(super) type AtTimes = WideF64x4;

/// A local pose, or a world transform in combined TRS.
#[derive(Clone, Copy)]
pub(super) struct PoseInLanes {
    rotation: UnitQuaternion<AtTimes>,
    translation: Vector3<AtTimes>,
    pub(super) scale: Vector3<AtTimes>,
}

impl PoseInLanes {
    pub(super) fn of(poses: &[Trs<f64>; TIMES]) -> Self {
        let lanes = |part: fn(&Trs<f64>, usize) -> f64, i: usize| {
            AtTimes::from(std::array::from_fn(|time| part(&poses[time], i)))
        };
        let vector = |part| Vector3::from([0, 1, 2].map(|i| lanes(part, i)));
        let rotation = [0, 1, 2, 3].map(|i| lanes(|pose, i| pose.rotation.coords[i], i));
        Self {
            rotation: Unit::new_unchecked(Quaternion::from(Vector4::from(rotation))),
            translation: vector(|pose, i| pose.translation[i]),
            scale: vector(|pose, i| pose.scale[i]),
        }
    }

    pub(super) fn at(&self, lane: usize) -> Trs<f64> {
        let rotation = self.rotation.coords.map(|component| component.extract(lane));
        Trs::from_parts(
            at(&self.translation, lane),
            UnitQuaternion::new_unchecked(Quaternion::from(rotation)),
            at(&self.scale, lane),
        )
    }

    fn to_linear(self) -> Matrix3<AtTimes> {
        let rotation = rotation_matrix(&self.rotation);
        let column = |i: usize| rotation.column(i) * self.scale[i];
        Matrix3::from_columns(&[column(0), column(1), column(2)])
    }
}

/// The axes and the origin of a world transform.
#[derive(Clone, Copy)]
pub(super) struct AffineInLanes {
    pub(super) linear: Matrix3<AtTimes>,
    pub(super) origin: Vector3<AtTimes>,
}

impl AffineInLanes {
    fn of(matrices: &[Matrix4<f64>; TIMES]) -> Self {
        let entry =
            |row: usize, column: usize| AtTimes::from(matrices.map(|matrix| matrix[(row, column)]));
        Self {
            linear: Matrix3::from_fn(entry),
            origin: Vector3::from([0, 1, 2].map(|row| entry(row, 3))),
        }
    }

    pub(super) fn linear_at(&self, lane: usize) -> Matrix3<f64> {
        self.linear.map(|component| component.extract(lane))
    }

    pub(super) fn matrix_at(&self, lane: usize) -> Matrix4<f64> {
        let mut matrix = self.linear_at(lane).to_homogeneous();
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&at(&self.origin, lane));
        matrix
    }

    /// Returns the world transform of a lane as an accumulated matrix.
    pub(super) fn by_matrix(&self, lane: usize) -> AccumulatedMatrix<f64> {
        AccumulatedMatrix::from_matrix(self.matrix_at(lane))
            .expect("the last row is that of the identity")
    }
}

/// A node in both shows.
#[derive(Clone, Copy)]
pub(super) struct BothInLanes {
    pub(super) reference: AffineInLanes,
    pub(super) other: AffineInLanes,
}

impl BothInLanes {
    pub(super) fn of(reference: &[Matrix4<f64>; TIMES], other: &[Matrix4<f64>; TIMES]) -> Self {
        Self { reference: AffineInLanes::of(reference), other: AffineInLanes::of(other) }
    }

    /// Whether all components of the matrices are finite at all times.
    pub(super) fn is_finite(&self) -> bool {
        let zero = AtTimes::splat(0.0);
        // Zero times a finite number is zero. Three sums that do not wait for one another.
        let origins = self.reference.origin * zero + self.other.origin * zero;
        let columns = self.reference.linear.column_iter().zip(self.other.linear.column_iter());
        let nothing = columns.fold(origins, |sum, (a, b)| sum + (a * zero + b * zero)).sum();
        nothing.simd_eq(zero).all()
    }

    /// Returns the world matrices in both shows.
    pub(super) fn matrices(&self, lane: usize) -> [Matrix4<f64>; 2] {
        [self.reference.matrix_at(lane), self.other.matrix_at(lane)]
    }
}

/// A world transform in both strategies.
#[derive(Clone, Copy)]
pub(super) struct WorldInLanes {
    /// In accumulated matrices.
    matrix: AffineInLanes,
    /// In combined TRS.
    trs: PoseInLanes,
}

impl WorldInLanes {
    pub(super) fn of(
        by_matrix: &[AccumulatedMatrix<f64>; TIMES],
        by_trs: &[CombinedTrs<f64>; TIMES],
    ) -> Self {
        Self {
            matrix: AffineInLanes::of(&by_matrix.map(|world| *world.matrix())),
            trs: PoseInLanes::of(&by_trs.map(|world| world.to_trs())),
        }
    }

    /// Returns the same world transform at all times.
    pub(super) fn always(by_matrix: &AccumulatedMatrix<f64>, by_trs: &CombinedTrs<f64>) -> Self {
        Self::of(&[*by_matrix; TIMES], &[*by_trs; TIMES])
    }

    /// Returns the world transform of a child that inherits everything.
    pub(super) fn concat(&self, local: &PoseInLanes) -> Self {
        let mut rotation = self.trs.rotation * local.rotation;
        rotation.renormalize_fast();
        let scaled = self.trs.scale.component_mul(&local.translation);
        let trs = PoseInLanes {
            rotation,
            translation: self.trs.translation + rotate(&self.trs.rotation, &scaled),
            scale: self.trs.scale.component_mul(&local.scale),
        };
        let AffineInLanes { linear, origin } = &self.matrix;
        let matrix = AffineInLanes {
            linear: linear * local.to_linear(),
            origin: linear * local.translation + origin,
        };
        Self { matrix, trs }
    }

    /// Returns the axes in accumulated matrices.
    pub(super) fn axes(&self) -> &Matrix3<AtTimes> {
        &self.matrix.linear
    }

    pub(super) fn both(&self) -> BothInLanes {
        let other = AffineInLanes { linear: self.trs.to_linear(), origin: self.trs.translation };
        BothInLanes { reference: self.matrix, other }
    }

    /// Returns the world transform of a lane as an accumulated matrix.
    pub(super) fn by_matrix(&self, lane: usize) -> AccumulatedMatrix<f64> {
        self.matrix.by_matrix(lane)
    }

    /// Returns the world transform of a lane as a combined TRS.
    pub(super) fn by_trs(&self, lane: usize) -> CombinedTrs<f64> {
        self.trs.at(lane).into()
    }
}

/// Returns the scalars of all lanes.
pub(super) fn scalars(lanes: AtTimes) -> [f64; TIMES] {
    std::array::from_fn(|lane| lanes.extract(lane))
}

fn at(vector: &Vector3<AtTimes>, lane: usize) -> Vector3<f64> {
    vector.map(|component| component.extract(lane))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xform_cases::properties;
    use xform_core::Transform;

    use super::*;

    fn pose() -> impl Strategy<Value = Trs<f64>> {
        let numbers = proptest::array::uniform10(-3.0..3.0_f64);
        numbers.prop_map(|[x, y, z, w, tx, ty, tz, sx, sy, sz]| {
            Trs::from_parts(
                Vector3::new(tx, ty, tz),
                UnitQuaternion::new_normalize(Quaternion::new(w + 4.0, x, y, z)),
                Vector3::new(sx, sy, sz),
            )
        })
    }

    properties! {
        #[test]
        fn each_lane_is_what_the_strategies_give_to_the_bit(
            path in proptest::collection::vec(proptest::array::uniform4(pose()), 1..6),
        ) {
            let mut by_matrix = [AccumulatedMatrix::identity(); TIMES];
            let mut by_trs = [CombinedTrs::identity(); TIMES];
            let mut worlds = WorldInLanes::of(&by_matrix, &by_trs);
            for locals in &path {
                worlds = worlds.concat(&PoseInLanes::of(locals));
                for (lane, local) in locals.iter().enumerate() {
                    by_matrix[lane] = by_matrix[lane].concat(local);
                    by_trs[lane] = by_trs[lane].concat(local);
                    prop_assert_eq!(worlds.by_matrix(lane), by_matrix[lane]);
                    prop_assert_eq!(worlds.by_trs(lane), by_trs[lane]);
                    let both = [*by_matrix[lane].matrix(), by_trs[lane].to_homogeneous()];
                    prop_assert_eq!(worlds.both().matrices(lane), both);
                }
            }
            prop_assert!(worlds.both().is_finite());
        }
    }

    #[test]
    fn what_is_not_finite_is_found_at_any_time_and_in_any_part() {
        for (lost, lane, part) in iproduct([f64::NAN, f64::INFINITY, f64::NEG_INFINITY]) {
            let mut both =
                BothInLanes::of(&[Matrix4::identity(); TIMES], &[Matrix4::identity(); TIMES]);
            let component = match part {
                0..9 => &mut both.reference.linear[part],
                9..12 => &mut both.reference.origin[part - 9],
                12..21 => &mut both.other.linear[part - 12],
                _ => &mut both.other.origin[part - 21],
            };
            component.replace(lane, lost);
            assert!(!both.is_finite(), "{lost} at {lane} in {part}");
        }
    }

    /// Returns every combination of a value, a time and one of the 24 components.
    fn iproduct<const N: usize>(values: [f64; N]) -> impl Iterator<Item = (f64, usize, usize)> {
        let places = (0..TIMES).flat_map(|lane| (0..24).map(move |part| (lane, part)));
        places.flat_map(move |(lane, part)| values.map(|value| (value, lane, part)))
    }
}
