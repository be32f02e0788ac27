#![expect(unsafe_code, reason = "the trait vouches for a layout, so it is unsafe to implement")]

use bytemuck::{NoUninit, Pod};
use xform_core::Real;

use crate::AccumulatedMatrix;

// SAFETY: `repr(C)`; sixteen scalars in 64 or 128 bytes, aligned to 64, so there is no padding. Not `Pod`: arbitrary
// bytes would break the last row, which is always 0 0 0 1.
unsafe impl<T: Real + Pod> NoUninit for AccumulatedMatrix<T> {}

const _: () = {
    assert!(size_of::<AccumulatedMatrix<f32>>() == 16 * size_of::<f32>());
    assert!(size_of::<AccumulatedMatrix<f64>>() == 16 * size_of::<f64>());
};

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;
    use xform_core::Trs;

    use super::*;

    #[test]
    fn world_transforms_are_bytes_to_upload() {
        let world = AccumulatedMatrix::from(Trs::from_translation(Vector3::new(7.0_f32, 8.0, 9.0)));
        let scalars: &[f32] = bytemuck::cast_slice(std::slice::from_ref(&world));
        assert_eq!(scalars.len(), 16);
        assert_eq!(scalars[12..], [7.0, 8.0, 9.0, 1.0]);
    }
}
