#![expect(unsafe_code, reason = "the traits vouch for a layout, so they are unsafe to implement")]

use bytemuck::{Pod, Zeroable};

use crate::{Real, Trs, world_matrix::WorldMatrix};

// SAFETY: contains only scalars, and all of them zero is a valid value.
unsafe impl<T: Real + Zeroable> Zeroable for Trs<T> {}

// SAFETY: `repr(C)`; ten scalars of one type without padding, for which any bits are valid: a `UnitQuaternion` holds
// four of them and relies on nothing.
unsafe impl<T: Real + Pod> Pod for Trs<T> {}

// SAFETY: contains only scalars, and all of them zero is a valid value.
unsafe impl<T: Real + Zeroable> Zeroable for WorldMatrix<T> {}

// SAFETY: `repr(C)`; sixteen scalars, 64 or 128 bytes on a boundary of 64, so without padding.
unsafe impl<T: Real + Pod> Pod for WorldMatrix<T> {}

#[cfg(feature = "crowd")]
mod blocks {
    use bytemuck::{Pod, Zeroable};

    use crate::crowd::{MatrixBlock, TrsBlock};

    // SAFETY: contains only scalars, and all of them zero is a valid value.
    unsafe impl Zeroable for TrsBlock {}

    // SAFETY: `repr(C)`; forty scalars on a boundary of four, so without padding.
    unsafe impl Pod for TrsBlock {}

    // SAFETY: contains only scalars, and all of them zero is a valid value.
    unsafe impl Zeroable for MatrixBlock {}

    // SAFETY: `repr(C)`; forty-eight scalars on a boundary of four, so without padding.
    unsafe impl Pod for MatrixBlock {}

    const _: () = {
        assert!(size_of::<TrsBlock>() == 40 * size_of::<f32>());
        assert!(size_of::<MatrixBlock>() == 48 * size_of::<f32>());
    };
}

const _: () = {
    assert!(size_of::<Trs<f32>>() == 10 * size_of::<f32>());
    assert!(size_of::<Trs<f64>>() == 10 * size_of::<f64>());
    assert!(size_of::<WorldMatrix<f32>>() == 16 * size_of::<f32>());
    assert!(size_of::<WorldMatrix<f64>>() == 16 * size_of::<f64>());
};

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix4, Vector3};

    use super::*;

    #[test]
    fn world_matrices_are_bytes_to_upload() {
        let matrix = Matrix4::new_translation(&Vector3::new(7.0_f32, 8.0, 9.0));
        let matrices = [WorldMatrix::identity(), WorldMatrix(matrix)];
        let bytes: &[u8] = bytemuck::cast_slice(&matrices);
        assert_eq!(bytes.len(), 128);
        assert_eq!(bytes[64 + 12 * 4..64 + 13 * 4], 7.0_f32.to_ne_bytes());
    }

    #[test]
    fn poses_are_ten_scalars_rotation_first() {
        let poses = [Trs::from_translation(Vector3::new(1.0_f64, 2.0, 3.0))];
        let scalars: &[f64] = bytemuck::cast_slice(&poses);
        assert_eq!(scalars, [0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 1.0, 1.0, 1.0]);
    }

    #[cfg(feature = "crowd")]
    #[test]
    fn blocks_are_a_number_for_each_lane_component_by_component() {
        use crate::crowd::{MatrixBlock, TrsBlock};

        let poses = [1.0, 2.0, 3.0, 4.0].map(|x| Trs::from_translation(Vector3::new(x, 0.0, 0.0)));
        let blocks = [TrsBlock::from(poses)];
        let scalars: &[f32] = bytemuck::cast_slice(&blocks);
        assert_eq!(scalars[16..20], [1.0, 2.0, 3.0, 4.0]);
        let blocks = [MatrixBlock::from(poses.map(|pose| pose.to_homogeneous()))];
        let scalars: &[f32] = bytemuck::cast_slice(&blocks);
        assert_eq!(scalars[36..40], [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(blocks[0].lane(2), poses[2].to_homogeneous());
    }
}
