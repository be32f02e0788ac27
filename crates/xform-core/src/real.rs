use nalgebra::RealField;

/// The scalar of every pose and world transform: `f32` or `f64`.
///
/// Sealed, so that a backend can rely on there being no other.
pub trait Real: RealField + Copy + Into<f64> + sealed::Sealed {
    /// The value of this type nearest to `value`; infinite where `value` is out of range.
    fn rounded(value: f64) -> Self;

    /// The value with its type over `f32`, if this scalar is `f32`; otherwise the value back.
    ///
    /// This is the safe way from code that is generic over the scalar to a kernel for `f32`.
    ///
    /// # Errors
    ///
    /// The value itself, unchanged, where the scalar is `f64`.
    fn try_as_f32<F: OverScalar>(value: F::Of<Self>) -> Result<F::Of<f32>, F::Of<Self>>;
}

/// A family of types that differ only in their scalar: `Of<f32>` is the one over `f32`, `Of<f64>` that over
/// `f64`.
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
    pub trait Sealed {
        /// Its bits, in the low half of the number where it has 32 of them.
        fn bits(self) -> u64;
    }

    impl Sealed for f32 {
        #[inline]
        fn bits(self) -> u64 {
            self.to_bits().into()
        }
    }

    impl Sealed for f64 {
        #[inline]
        fn bits(self) -> u64 {
            self.to_bits()
        }
    }
}
