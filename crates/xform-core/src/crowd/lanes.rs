//! Blocks in vector registers: each scalar of a formula holds one number for each instance.
//!
//! Hidden: a strategy implements [`CrowdTransform`](super::CrowdTransform) with these types.

use ultraviolet::{Vec3x4, f32x4};

use super::{LANES, MatrixBlock, TrsBlock};
use crate::{Real, Trs, trs::checked::CLEARLY_UNIT};

/// A scalar for each instance.
pub type Lanes = f32x4;
/// A vector for each instance.
pub type LanesVec3 = Vec3x4;

impl TrsBlock {
    /// Creates a block from one pose for each lane.
    #[inline]
    pub(super) fn of(poses: [&Trs<f32>; LANES]) -> Self {
        let [a, b, c, d] = poses;
        // Four consecutive numbers of a pose are one load.
        let turns = |pose: &Trs<f32>| Lanes::from(<[f32; 4]>::from(pose.rotation.coords));
        let rotation = by_instance([turns(a), turns(b), turns(c), turns(d)]);
        let moves =
            |Trs { translation: t, scale: s, .. }: &Trs<f32>| Lanes::from([t.x, t.y, t.z, s.x]);
        let [tx, ty, tz, sx] = by_instance([moves(a), moves(b), moves(c), moves(d)]);
        let sy = [a.scale.y, b.scale.y, c.scale.y, d.scale.y];
        let sz = [a.scale.z, b.scale.z, c.scale.z, d.scale.z];
        Self { rotation, translation: [tx, ty, tz], scale: [sx, sy, sz] }
    }
}

/// Makes a block from one pose for each lane.
impl From<[Trs<f32>; LANES]> for TrsBlock {
    #[inline]
    fn from(poses: [Trs<f32>; LANES]) -> Self {
        Self::of(poses.each_ref())
    }
}

/// A [`TrsBlock`] in vector registers.
#[derive(Clone, Copy, Debug)]
pub struct TrsLanes {
    /// The quaternions: x, y, z and w.
    pub rotation: [Lanes; 4],
    /// The translations.
    pub translation: LanesVec3,
    /// The scale factors along the joint's own axes.
    pub scale: LanesVec3,
}

impl TrsLanes {
    /// Loads a block.
    #[inline]
    #[must_use]
    pub fn load(block: &TrsBlock) -> Self {
        Self {
            rotation: block.rotation.map(Lanes::from),
            translation: vector(block.translation),
            scale: vector(block.scale),
        }
    }

    /// Stores this as a block.
    #[inline]
    #[must_use]
    pub fn store(self) -> TrsBlock {
        TrsBlock {
            rotation: self.rotation.map(Lanes::to_array),
            translation: components(self.translation),
            scale: components(self.scale),
        }
    }

    /// Returns whether everything is finite and the length of each rotation is within
    /// [`UNIT_TOLERANCE`](Trs::UNIT_TOLERANCE) of 1, which holds for nearly all blocks.
    #[inline]
    #[must_use]
    pub(super) fn is_clearly_valid(&self) -> bool {
        let zero_if_finite = |v: LanesVec3| (v.x + v.y + v.z) * Lanes::from(0.0);
        let off = norm_squared(self.rotation) - Lanes::from(1.0)
            + zero_if_finite(self.translation)
            + zero_if_finite(self.scale);
        off.abs()
            .to_array()
            .iter()
            .fold(true, |is_valid, &off| is_valid & (off < f32::rounded(CLEARLY_UNIT)))
    }

    /// Returns the poses as matrices: `T · R · S`.
    #[inline]
    #[must_use]
    pub fn matrices(&self) -> MatrixLanes {
        let [x, y, z] = axes(self.rotation);
        let scale = self.scale;
        MatrixLanes([x * scale.x, y * scale.y, z * scale.z, self.translation])
    }
}

/// A [`MatrixBlock`] in vector registers: the axes x, y and z, and the origin.
#[derive(Clone, Copy, Debug)]
pub struct MatrixLanes(pub [LanesVec3; 4]);

impl MatrixLanes {
    /// Loads a block.
    #[inline]
    #[must_use]
    pub fn load(block: &MatrixBlock) -> Self {
        Self(block.columns.map(vector))
    }

    /// Stores this as a block.
    #[inline]
    #[must_use]
    pub fn store(self) -> MatrixBlock {
        MatrixBlock { columns: self.0.map(components) }
    }

    /// Returns a row of the product with a matrix on the right: four numbers for each instance.
    #[inline]
    pub(super) fn row_of_product(&self, row: usize, right: &[[Lanes; 4]; 3]) -> [[f32; 4]; LANES] {
        let [x, y, z, origin] = self.0.map(|column| match row {
            0 => column.x,
            1 => column.y,
            _ => column.z,
        });
        let entry = |i: usize| x * right[0][i] + y * right[1][i] + z * right[2][i];
        by_instance([entry(0), entry(1), entry(2), entry(3) + origin])
    }
}

/// Returns the columns of the rotation matrix, with 2/|q|² to first order instead of its factor 2.
#[inline]
fn axes(rotation: [Lanes; 4]) -> [LanesVec3; 3] {
    let [x, y, z, w] = rotation;
    let one = Lanes::from(1.0);
    let twice = Lanes::from(4.0) - Lanes::from(2.0) * norm_squared(rotation);
    let (x2, y2, z2) = (x * twice, y * twice, z * twice);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    [
        LanesVec3::new(one - (yy + zz), xy + wz, xz - wy),
        LanesVec3::new(xy - wz, one - (xx + zz), yz + wx),
        LanesVec3::new(xz + wy, yz - wx, one - (xx + yy)),
    ]
}

/// Converts from one array for each component to one for each instance.
#[inline]
#[must_use]
pub fn by_instance(components: [Lanes; 4]) -> [[f32; 4]; LANES] {
    let [a, b, c, d] = Lanes::transpose(components);
    [a.to_array(), b.to_array(), c.to_array(), d.to_array()]
}

/// Returns the squared lengths of quaternions.
#[inline]
#[must_use]
pub fn norm_squared([x, y, z, w]: [Lanes; 4]) -> Lanes {
    (x * x + z * z) + (y * y + w * w)
}

#[inline]
fn vector([x, y, z]: [[f32; LANES]; 3]) -> LanesVec3 {
    LanesVec3::new(x.into(), y.into(), z.into())
}

#[inline]
fn components(vector: LanesVec3) -> [[f32; LANES]; 3] {
    [vector.x.to_array(), vector.y.to_array(), vector.z.to_array()]
}
