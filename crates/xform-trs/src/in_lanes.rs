#[cfg(target_arch = "x86_64")]
mod avx2;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
#[cfg(target_arch = "x86_64")]
use xform_core::crowd::{CrowdError, GroupSweep, Skinning};
use xform_core::crowd::{
    CrowdTransform, LANES, TrsBlock,
    lanes::{Lanes, LanesVec3, MatrixLanes, TrsLanes, by_instance, norm_squared},
};

use crate::CombinedTrs;

impl CrowdTransform for CombinedTrs<f32> {
    type Block = TrsBlock;

    const IDENTITY_BLOCK: TrsBlock = TrsBlock::IDENTITY;

    #[inline]
    fn concat_block(parent: &TrsBlock, local: &TrsBlock) -> TrsBlock {
        let (parent, local) = (TrsLanes::load(parent), TrsLanes::load(local));
        let offset = rotate(parent.rotation, parent.scale * local.translation);
        TrsLanes {
            rotation: normalized_product(parent.rotation, local.rotation),
            translation: parent.translation + offset,
            scale: parent.scale * local.scale,
        }
        .store()
    }

    #[inline]
    fn matrices(worlds: &TrsBlock) -> MatrixLanes {
        TrsLanes::load(worlds).matrices()
    }

    #[inline]
    fn each_world(worlds: &TrsBlock, mut give: impl FnMut(usize, Self)) {
        let TrsLanes { rotation, translation, scale } = TrsLanes::load(worlds);
        let by_xyz = |v: LanesVec3| by_instance([v.x, v.y, v.z, Lanes::from(0.0)]);
        let (rotations, translations, scales) =
            (by_instance(rotation), by_xyz(translation), by_xyz(scale));
        let vector = |[x, y, z, _]: [f32; 4]| Vector3::new(x, y, z);
        for lane in 0..LANES {
            let rotation = UnitQuaternion::new_unchecked(Quaternion::from(rotations[lane]));
            give(
                lane,
                Self::from_parts(vector(translations[lane]), rotation, vector(scales[lane])),
            );
        }
    }

    #[inline]
    fn block(worlds: [Self; LANES]) -> TrsBlock {
        worlds.map(|world| world.to_trs()).into()
    }

    #[cfg(target_arch = "x86_64")]
    fn sweep_avx2(sweep: GroupSweep<'_, Self>) -> Result<(), CrowdError> {
        avx2::sweep(sweep)
    }

    #[cfg(target_arch = "x86_64")]
    fn skin_avx2(skinning: Skinning<'_, Self>) {
        avx2::skin(skinning);
    }
}

/// Returns the product of two rotations of nearly unit length, normalised to first order.
#[inline]
fn normalized_product([px, py, pz, pw]: [Lanes; 4], [qx, qy, qz, qw]: [Lanes; 4]) -> [Lanes; 4] {
    let product = [
        pw * qx + px * qw + py * qz - pz * qy,
        pw * qy - px * qz + py * qw + pz * qx,
        pw * qz + px * qy - py * qx + pz * qw,
        pw * qw - px * qx - py * qy - pz * qz,
    ];
    let factor = Lanes::from(1.5) - Lanes::from(0.5) * norm_squared(product);
    product.map(|component| component * factor)
}

/// Returns `v + 2 u × (w v + u × v)` for the rotation (u, w).
#[inline]
fn rotate([x, y, z, w]: [Lanes; 4], v: LanesVec3) -> LanesVec3 {
    let axis = LanesVec3::new(x, y, z);
    let moved = axis.cross(v * w + axis.cross(v));
    v + moved + moved
}
