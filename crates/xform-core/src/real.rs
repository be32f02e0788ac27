use nalgebra::RealField;

/// The scalar of every pose and world transform: `f32` or `f64`.
///
/// The trait is sealed, so a backend can rely on these two being the only scalars.
pub trait Real: RealField + Copy + Into<f64> + sealed::Sealed {
    /// Returns the value of this type nearest to `value`; infinite if `value` is out of range.
    fn rounded(value: f64) -> Self;

    /// Returns the value as its type over `f32` if this scalar is `f32`, or else the value unchanged as an error.
    ///
    /// This is the safe way from code that is generic over the scalar to a kernel for `f32`.
    ///
    /// # Errors
    ///
    /// The value itself, unchanged, if the scalar is `f64`.
    // A backend reaches its `f32` kernels through this function, from one `impl<T: Real> Transform for …`. `F` names
    // a type constructor, so the implementation for `f32` can return the value with its type unchanged. This needs
    // no specialisation, no `Any`, no transmute and no macro, and a strategy from outside runs in the same
    // `Hierarchy`.
    fn try_as_f32<F: OverScalar>(value: F::Of<Self>) -> Result<F::Of<f32>, F::Of<Self>>;
}

/// A family of types that differ only in their scalar: `Of<f32>` is the member over `f32`, `Of<f64>` the member over
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
        /// Returns the bits of the scalar. 32-bit scalars occupy the low half.
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
