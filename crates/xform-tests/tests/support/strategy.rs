//! A strategy that shows every mistake in the order of things.

use std::cell::Cell;

use nalgebra::{Matrix4, Point3, Vector3};
use xform_core::{Transform, Trs, strategy::Sweep, world_matrix::WorldMatrix};

/// A strategy that is no geometry at all: the world is a digest of the translations from the root
/// down, so that any wrong parent, order or stale value shows, exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Digest(pub(crate) u64);

thread_local! {
    /// How many worlds the kernel has recomputed on this thread.
    pub(crate) static RECOMPUTED: Cell<usize> = const { Cell::new(0) };
}

impl Transform for Digest {
    type Scalar = f64;

    fn identity() -> Self {
        Self(1)
    }

    fn concat(&self, local: &Trs<f64>) -> Self {
        let mixed = self.0.rotate_left(7) ^ local.translation.x.to_bits();
        Self(mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn transform_point(&self, point: &Point3<f64>) -> Point3<f64> {
        *point
    }

    fn transform_vector(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        *vector
    }

    fn inverse_transform_point(&self, _: &Point3<f64>) -> Option<Point3<f64>> {
        None
    }

    fn inverse_transform_vector(&self, _: &Vector3<f64>) -> Option<Vector3<f64>> {
        None
    }

    fn to_homogeneous(&self) -> Matrix4<f64> {
        Matrix4::repeat((self.0 >> 12) as f64)
    }

    /// Overrides the kernel, with one that takes the translations out beforehand, two at a time.
    fn sweep(sweep: Sweep<'_, Self>) {
        sweep.run::<2, f64, u64, u64>(
            |locals, prepared| *prepared = locals.map(|local| local.translation.x),
            |world| world.0,
            |parent, &x, _| {
                RECOMPUTED.with(|count| count.set(count.get() + 1));
                Self(parent).concat(&pose(x)).0
            },
            |child, world| world.0 = child,
            |worlds, matrices| *matrices = worlds.map(|world| WorldMatrix(world.to_homogeneous())),
        );
    }
}

pub(crate) fn pose(value: f64) -> Trs<f64> {
    Trs::from_translation(Vector3::new(value, 0.0, 0.0))
}
