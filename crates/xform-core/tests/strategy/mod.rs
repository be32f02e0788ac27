use std::{cell::Cell, ops::Range};

use nalgebra::{Matrix4, Point3, Vector3};
use xform_core::{Topology, Transform, Trs};

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
        Matrix4::identity()
    }

    /// Overrides the kernel, with the loop the other way round inside a node.
    fn accumulate(
        topology: &Topology,
        locals: &[Trs<f64>],
        worlds: &mut [Self],
        ranges: &[Range<usize>],
    ) {
        for slot in ranges.iter().cloned().flatten() {
            let parent = topology.parent(slot).map(|parent| worlds[parent]);
            worlds[slot] = parent.unwrap_or(Self(1)).concat(&locals[slot]);
            RECOMPUTED.with(|count| count.set(count.get() + 1));
        }
    }
}

pub(crate) fn pose(value: f64) -> Trs<f64> {
    Trs::from_translation(Vector3::new(value, 0.0, 0.0))
}
