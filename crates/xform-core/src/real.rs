use nalgebra::RealField;

/// The scalar of every pose and world transform: `f32` or `f64`.
///
/// Sealed, so that a backend can rely on there being no other.
pub trait Real: RealField + Copy + Into<f64> + sealed::Sealed {
    /// The value of this type nearest to `value`; infinite where `value` is out of range.
    fn rounded(value: f64) -> Self;

    /// The value as one over `f32`, if that is what this scalar is; else the value back.
    ///
    /// The safe way from code that is generic over the scalar to a kernel for `f32`.
    ///
    /// # Errors
    ///
    /// The value itself, unchanged, where the scalar is `f64`.
    fn try_as_f32<F: OverScalar>(value: F::Of<Self>) -> Result<F::Of<f32>, F::Of<Self>>;
}

/// A type constructor that takes the scalar: `Of<f32>` and `Of<f64>` are the same type over either.
pub trait OverScalar {
    /// The type over the scalar `T`.
    type Of<T: Real>;
}

impl Real for f32 {
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "rounding is the documented purpose")]
    fn rounded(value: f64) -> Self {
        value as Self
    }

    #[inline]
    fn try_as_f32<F: OverScalar>(value: F::Of<Self>) -> Result<F::Of<f32>, F::Of<Self>> {
        Ok(value)
    }
}

impl Real for f64 {
    #[inline]
    fn rounded(value: f64) -> Self {
        value
    }

    #[inline]
    fn try_as_f32<F: OverScalar>(value: F::Of<Self>) -> Result<F::Of<f32>, F::Of<Self>> {
        Err(value)
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}
