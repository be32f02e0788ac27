#[cfg(target_arch = "x86_64")]
mod avx2;

use nalgebra::Matrix4;
#[cfg(target_arch = "x86_64")]
use xform_core::crowd::{CrowdError, GroupSweep, Skinning};
use xform_core::crowd::{
    CrowdTransform, LANES, MatrixBlock, TrsBlock,
    lanes::{Lanes, LanesVec3, MatrixLanes, TrsLanes, by_instance},
};

use crate::AccumulatedMatrix;

impl CrowdTransform for AccumulatedMatrix<f32> {
    type Block = MatrixBlock;

    const IDENTITY_BLOCK: MatrixBlock = MatrixBlock::IDENTITY;

    #[inline]
    fn concat_block(parent: &MatrixBlock, local: &TrsBlock) -> MatrixBlock {
        let [x, y, z, origin] = MatrixLanes::load(parent).0;
        let add = |axis: LanesVec3, by: Lanes, to| axis.mul_add(LanesVec3::new(by, by, by), to);
        let turned = |v: LanesVec3| add(z, v.z, add(y, v.y, x * v.x));
        let [local_x, local_y, local_z, translation] = TrsLanes::load(local).matrices().0;
        MatrixLanes([
            turned(local_x),
            turned(local_y),
            turned(local_z),
            origin + turned(translation),
        ])
        .store()
    }

    #[inline]
    fn matrices(worlds: &MatrixBlock) -> MatrixLanes {
        MatrixLanes::load(worlds)
    }

    #[inline]
    fn each_world(worlds: &MatrixBlock, mut give: impl FnMut(usize, Self)) {
        let columns = MatrixLanes::load(worlds).0;
        let last = [0.0, 0.0, 0.0, 1.0].map(Lanes::from);
        let column = |i: usize| by_instance([columns[i].x, columns[i].y, columns[i].z, last[i]]);
        let [x, y, z, origin] = [column(0), column(1), column(2), column(3)];
        for lane in 0..LANES {
            give(lane, Self::of_affine(Matrix4::from([x[lane], y[lane], z[lane], origin[lane]])));
        }
    }

    #[inline]
    fn block(worlds: [Self; LANES]) -> MatrixBlock {
        worlds.map(|world| *world.matrix()).into()
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
