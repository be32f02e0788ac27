use nalgebra::RealField;

/// The scalar of every pose and world transform: `f32` or `f64`.
///
/// Sealed, so that a backend can rely on there being no other.
pub trait Real: RealField + Copy + Into<f64> + sealed::Sealed {
    /// The value of this type nearest to `value`; infinite where `value` is out of range.
    fn rounded(value: f64) -> Self;
}

impl Real for f32 {
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "rounding is the documented purpose")]
    fn rounded(value: f64) -> Self {
        value as Self
    }
}

impl Real for f64 {
    #[inline]
    fn rounded(value: f64) -> Self {
        value
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}
