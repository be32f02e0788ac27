//! Eight instances at a time: two blocks, one in each half of a vector.
//!
//! Hidden: a strategy passes its step to [`GroupSweep::run_avx2`] and its matrices to [`Skinning::run_avx2`].
//!
//! An instance comes out the same wherever in the crowd it is. So all of them take this road, also those of a last
//! block without a second one.
#![expect(unsafe_code, reason = "vector loads and stores take pointers")]

use std::arch::x86_64::{
    __m128, __m256, _CMP_LT_OQ, _mm_loadu_ps, _mm_storeu_ps, _mm256_add_ps, _mm256_andnot_ps,
    _mm256_castps128_ps256, _mm256_castps256_ps128, _mm256_cmp_ps, _mm256_extractf128_ps,
    _mm256_fmadd_ps, _mm256_insertf128_ps, _mm256_movemask_ps, _mm256_mul_ps, _mm256_set1_ps,
    _mm256_sub_ps,
};

use super::{
    CrowdError, CrowdTransform, GroupSweep, LANES, MatrixBlock, Skinning, TrsBlock,
    lanes::Lanes,
    step::{normalized, refused_in},
};
use crate::{Real, lanes::avx2 as lanes, trs::checked::CLEARLY_UNIT};

/// The instances of two blocks.
const EIGHT: usize = 2 * LANES;

/// Two [`TrsBlock`]s.
#[derive(Clone, Copy, Debug)]
pub struct TrsPair {
    /// The quaternions: x, y, z and w.
    pub rotation: [__m256; 4],
    /// The translations.
    pub translation: [__m256; 3],
    /// The scale factors along the joint's own axes.
    pub scale: [__m256; 3],
}

impl TrsPair {
    /// Loads two blocks.
    #[inline]
    #[must_use]
    #[target_feature(enable = "avx2,fma")]
    pub fn load([a, b]: [&TrsBlock; 2]) -> Self {
        Self {
            rotation: both(&a.rotation, &b.rotation),
            translation: both(&a.translation, &b.translation),
            scale: both(&a.scale, &b.scale),
        }
    }

    /// Stores this as two blocks.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub fn store(self, [a, b]: [&mut TrsBlock; 2]) {
        split(self.rotation, &mut a.rotation, &mut b.rotation);
        split(self.translation, &mut a.translation, &mut b.translation);
        split(self.scale, &mut a.scale, &mut b.scale);
    }

    /// Returns the poses as matrices: `T · R · S`.
    #[inline]
    #[must_use]
    #[target_feature(enable = "avx2,fma")]
    pub fn matrices(self) -> MatrixPair {
        let [x, y, z] = lanes::compose(self.rotation, self.scale);
        MatrixPair([x, y, z, self.translation])
    }

    /// As `TrsLanes::is_clearly_valid`.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn is_clearly_valid(&self) -> bool {
        let sum = |[x, y, z]: [__m256; 3]| _mm256_add_ps(_mm256_add_ps(x, y), z);
        let zero_if_finite = _mm256_mul_ps(
            _mm256_add_ps(sum(self.translation), sum(self.scale)),
            _mm256_set1_ps(0.0),
        );
        let norm_squared = lanes::norm_squared(self.rotation);
        let off = _mm256_add_ps(_mm256_sub_ps(norm_squared, _mm256_set1_ps(1.0)), zero_if_finite);
        let magnitude = _mm256_andnot_ps(_mm256_set1_ps(-0.0), off);
        let bound = _mm256_set1_ps(f32::rounded(CLEARLY_UNIT));
        _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(magnitude, bound)) == 0xFF
    }
}

/// Two [`MatrixBlock`]s: the axes x, y and z, and the origin.
#[derive(Clone, Copy, Debug)]
pub struct MatrixPair(pub [[__m256; 3]; 4]);

impl MatrixPair {
    /// Loads two blocks.
    #[inline]
    #[must_use]
    #[target_feature(enable = "avx2,fma")]
    pub fn load([a, b]: [&MatrixBlock; 2]) -> Self {
        let column = |i: usize| both(&a.columns[i], &b.columns[i]);
        Self([column(0), column(1), column(2), column(3)])
    }

    /// Stores this as two blocks.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub fn store(self, [a, b]: [&mut MatrixBlock; 2]) {
        for (i, column) in self.0.into_iter().enumerate() {
            split(column, &mut a.columns[i], &mut b.columns[i]);
        }
    }
}

impl<X: CrowdTransform> GroupSweep<'_, X> {
    /// Runs the pass over two groups at a time. The closures load two blocks, take the step and store the results.
    ///
    /// # Errors
    ///
    /// As for [`run_plain`](Self::run_plain).
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub fn run_avx2<P: Copy>(
        self,
        load: impl Fn([&X::Block; 2]) -> P,
        step: impl Fn(P, TrsPair) -> P,
        store: impl Fn(P, [&mut X::Block; 2]),
    ) -> Result<(), CrowdError> {
        // The loop has no step for joints that inherit less.
        if !self.topology.inherits().is_empty() {
            return self.run_plain();
        }
        let parents = self.topology.parents();
        let joints = parents.len();
        // Hidden from the compiler, which would otherwise select between it and a parent scalar by scalar.
        let identity = std::hint::black_box(X::IDENTITY_BLOCK);
        let mut refused = Ok(());
        let pairs = self.locals.chunks(2 * joints).zip(self.worlds.chunks_exact_mut(2 * joints));
        for (pair, ((locals, worlds), active)) in pairs.zip(self.active.chunks(2)).enumerate() {
            // The last group may be alone. It is then in both halves, and there is room for a second result.
            let (own, second) = locals.split_at(joints);
            let locals = [own, if second.is_empty() { own } else { second }];
            let active = [active[0], active.get(1).copied().unwrap_or_default()];
            if active == [[false; LANES]; 2] {
                continue;
            }
            let mut refused_here = [None; 2];
            let (first, second) = worlds.split_at_mut(joints);
            for (joint, &parent) in parents.iter().enumerate() {
                let mut local = TrsPair::load([&locals[0][joint], &locals[1][joint]]);
                if !local.is_clearly_valid() {
                    let [a, b] = [0, 1].map(|half: usize| {
                        let refused = &mut refused_here[half];
                        normalized(&locals[half][joint], joint, active[half], refused)
                    });
                    local = TrsPair::load([&a, &b]);
                }
                let parent = parent as usize;
                let parent = [&*first, &*second]
                    .map(|worlds: &[X::Block]| worlds.get(parent).unwrap_or(&identity));
                let child = step(load(parent), local);
                store(child, [&mut first[joint], &mut second[joint]]);
            }
            for (half, refused_here) in refused_here.into_iter().enumerate() {
                refused = refused.and(refused_in(self.first + 2 * pair + half, refused_here));
            }
        }
        refused
    }
}

impl<X: CrowdTransform> Skinning<'_, X> {
    /// Runs the pass over two groups at a time. The closure loads two blocks as matrices.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub fn run_avx2(self, matrices: impl Fn([&X::Block; 2]) -> MatrixPair) {
        let binds = self.inverse_binds.len();
        let pairs = self.worlds.chunks_exact(2 * self.joints).zip(self.active.chunks(2));
        for ((worlds, active), palettes) in pairs.zip(self.palettes.chunks_mut(EIGHT * binds)) {
            let (first, second) = worlds.split_at(self.joints);
            let active = [active[0], active.get(1).copied().unwrap_or_default()];
            if active == [[false; LANES]; 2] {
                continue;
            }
            let all_active = active == [[true; LANES]; 2];
            for (i, bind) in self.inverse_binds.iter().enumerate() {
                let [x, y, z, origin] = matrices([&first[bind.joint], &second[bind.joint]]).0;
                let rows = [
                    row_of_product([x[0], y[0], z[0], origin[0]], &bind.rows),
                    row_of_product([x[1], y[1], z[1], origin[1]], &bind.rows),
                    row_of_product([x[2], y[2], z[2], origin[2]], &bind.rows),
                ];
                if all_active {
                    // Nearly always, and without conditions.
                    for lane in 0..EIGHT {
                        write(&rows, lane, &mut palettes[lane * binds + i]);
                    }
                } else {
                    for lane in (0..EIGHT).filter(|lane| active.as_flattened()[*lane]) {
                        write(&rows, lane, &mut palettes[lane * binds + i]);
                    }
                }
            }
        }
    }
}

/// Returns a row of the product with a matrix on the right. A vector holds the four numbers of an instance of the first
/// block, and of the same lane of the second.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn row_of_product([x, y, z, origin]: [__m256; 4], right: &[[Lanes; 4]; 3]) -> [__m256; LANES] {
    let entry = |column: usize| {
        let all = |k: usize| _mm256_set1_ps(right[k][column].to_array()[0]);
        _mm256_fmadd_ps(x, all(0), _mm256_fmadd_ps(y, all(1), _mm256_mul_ps(z, all(2))))
    };
    lanes::transposed([entry(0), entry(1), entry(2), _mm256_add_ps(entry(3), origin)])
}

/// Writes the rows of an instance.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn write(rows: &[[__m256; LANES]; 3], lane: usize, palette: &mut [f32; 12]) {
    for (row, to) in rows.iter().zip(palette.as_chunks_mut().0) {
        let both = row[lane % LANES];
        if lane < LANES {
            store_four(_mm256_castps256_ps128(both), to);
        } else {
            store_four(_mm256_extractf128_ps::<1>(both), to);
        }
    }
}

/// Loads arrays of two blocks, one in each half.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn both<const N: usize>(low: &[[f32; LANES]; N], high: &[[f32; LANES]; N]) -> [__m256; N] {
    // SAFETY: the four scalars of an array.
    let four = |array: &[f32; LANES]| unsafe { _mm_loadu_ps(array.as_ptr()) };
    std::array::from_fn(|i| {
        _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(four(&low[i])), four(&high[i]))
    })
}

/// Stores the halves of vectors in arrays of two blocks.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn split<const N: usize>(
    vectors: [__m256; N],
    low: &mut [[f32; LANES]; N],
    high: &mut [[f32; LANES]; N],
) {
    for (i, vector) in vectors.into_iter().enumerate() {
        store_four(_mm256_castps256_ps128(vector), &mut low[i]);
        store_four(_mm256_extractf128_ps::<1>(vector), &mut high[i]);
    }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn store_four(vector: __m128, to: &mut [f32; LANES]) {
    // SAFETY: the four scalars of an array.
    unsafe { _mm_storeu_ps(to.as_mut_ptr(), vector) }
}
