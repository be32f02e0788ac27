#![expect(unsafe_code, reason = "the trait vouches for a layout, so it is unsafe to implement")]

use bytemuck::{NoUninit, Pod};
use xform_core::Real;

use crate::CombinedTrs;

// SAFETY: `repr(C)`; twelve scalars in 48 or 96 bytes, aligned to 16. The only padding is the two scalars declared as
// fields.
unsafe impl<T: Real + Pod> NoUninit for CombinedTrs<T> {}

const _: () = {
    assert!(size_of::<CombinedTrs<f32>>() == 12 * size_of::<f32>());
    assert!(size_of::<CombinedTrs<f64>>() == 12 * size_of::<f64>());
};

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;
    use xform_core::Trs;

    use super::*;

    #[test]
    fn world_transforms_are_bytes_to_upload() {
        let world = CombinedTrs::from(Trs::from_translation(Vector3::new(7.0_f32, 8.0, 9.0)));
        let scalars: &[f32] = bytemuck::cast_slice(std::slice::from_ref(&world));
        assert_eq!(scalars, [0.0, 0.0, 0.0, 1.0, 7.0, 8.0, 9.0, 0.0, 1.0, 1.0, 1.0, 0.0]);
    }
}
