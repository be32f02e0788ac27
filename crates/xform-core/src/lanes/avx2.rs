use std::arch::x86_64::{
    __m256, _mm256_add_ps, _mm256_fmadd_ps, _mm256_fmsub_ps, _mm256_fnmadd_ps, _mm256_mul_ps,
    _mm256_set1_ps, _mm256_shuffle_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps,
};

/// Returns the three columns of `R · S` for eight poses, each column as its x, y and z.
///
/// The factor 2 in the rotation is 2/|q|² to first order, as in the plain kernel.
#[inline]
#[must_use]
#[target_feature(enable = "avx2,fma")]
pub fn compose([x, y, z, w]: [__m256; 4], [sx, sy, sz]: [__m256; 3]) -> [[__m256; 3]; 3] {
    let mul = |a, b| _mm256_mul_ps(a, b);
    // Half of each entry, without the factor, which depends on the norm and so is ready later.
    let (wx, wy, wz) = (mul(w, x), mul(w, y), mul(w, z));
    let (yy, zz) = (mul(y, y), mul(z, z));
    let yy_zz = _mm256_add_ps(yy, zz);
    let (xx_zz, xx_yy) = (_mm256_fmadd_ps(x, x, zz), _mm256_fmadd_ps(x, x, yy));
    let norm_squared = _mm256_add_ps(_mm256_fmadd_ps(w, w, yy_zz), mul(x, x));
    // 2 · (1 + (1 − |q|²))
    let twice = _mm256_fnmadd_ps(norm_squared, _mm256_set1_ps(2.0), _mm256_set1_ps(4.0));
    let one = _mm256_set1_ps(1.0);
    let on = |squares| _mm256_fnmadd_ps(twice, squares, one);
    let off = |products| mul(twice, products);
    [
        [
            mul(sx, on(yy_zz)),
            mul(sx, off(_mm256_fmadd_ps(x, y, wz))),
            mul(sx, off(_mm256_fmsub_ps(x, z, wy))),
        ],
        [
            mul(sy, off(_mm256_fmsub_ps(x, y, wz))),
            mul(sy, on(xx_zz)),
            mul(sy, off(_mm256_fmadd_ps(y, z, wx))),
        ],
        [
            mul(sz, off(_mm256_fmadd_ps(x, z, wy))),
            mul(sz, off(_mm256_fmsub_ps(y, z, wx))),
            mul(sz, on(xx_yy)),
        ],
    ]
}

/// Returns the squared lengths of quaternions.
#[inline]
#[must_use]
#[target_feature(enable = "avx2,fma")]
pub fn norm_squared([x, y, z, w]: [__m256; 4]) -> __m256 {
    let (xz, yw) = (_mm256_mul_ps(x, x), _mm256_mul_ps(y, y));
    _mm256_add_ps(_mm256_fmadd_ps(z, z, xz), _mm256_fmadd_ps(w, w, yw))
}

/// Transposes the 4×4 block in each half: from one vector for each pose to one for each component.
#[inline]
#[must_use]
#[target_feature(enable = "avx2,fma")]
pub fn transposed([a, b, c, d]: [__m256; 4]) -> [__m256; 4] {
    let (ab_low, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
    let (cd_low, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
    [
        _mm256_shuffle_ps::<0b01_00_01_00>(ab_low, cd_low),
        _mm256_shuffle_ps::<0b11_10_11_10>(ab_low, cd_low),
        _mm256_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high),
        _mm256_shuffle_ps::<0b11_10_11_10>(ab_high, cd_high),
    ]
}

/// Transposes back from three components to one vector for each pose. The fourth lane repeats the third.
#[inline]
#[must_use]
#[target_feature(enable = "avx2,fma")]
pub fn by_pose([x, y, z]: [__m256; 3]) -> [__m256; 4] {
    let (xy_low, xy_high) = (_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y));
    [
        _mm256_shuffle_ps::<0b00_00_01_00>(xy_low, z),
        _mm256_shuffle_ps::<0b01_01_11_10>(xy_low, z),
        _mm256_shuffle_ps::<0b10_10_01_00>(xy_high, z),
        _mm256_shuffle_ps::<0b11_11_11_10>(xy_high, z),
    ]
}
