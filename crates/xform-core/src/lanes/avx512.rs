use std::arch::x86_64::{
    __m512, _mm512_add_ps, _mm512_fmadd_ps, _mm512_fmsub_ps, _mm512_fnmadd_ps,
    _mm512_maskz_shuffle_ps, _mm512_mul_ps, _mm512_set1_ps, _mm512_shuffle_ps, _mm512_unpackhi_ps,
    _mm512_unpacklo_ps,
};

/// The three columns of `R · S` for sixteen poses, each column as its x, y and z.
///
/// The factor 2 in the rotation is 2/|q|² to first order, as in the plain kernel.
#[inline]
#[must_use]
#[target_feature(enable = "avx512f")]
pub fn compose([x, y, z, w]: [__m512; 4], [sx, sy, sz]: [__m512; 3]) -> [[__m512; 3]; 3] {
    let mul = |a, b| _mm512_mul_ps(a, b);
    // Half of each entry but for the factor, which needs the norm and so arrives later.
    let (wx, wy, wz) = (mul(w, x), mul(w, y), mul(w, z));
    let (yy, zz) = (mul(y, y), mul(z, z));
    let yy_zz = _mm512_add_ps(yy, zz);
    let (xx_zz, xx_yy) = (_mm512_fmadd_ps(x, x, zz), _mm512_fmadd_ps(x, x, yy));
    let norm_squared = _mm512_add_ps(_mm512_fmadd_ps(w, w, yy_zz), mul(x, x));
    // 2 · (1 + (1 − |q|²))
    let twice = _mm512_fnmadd_ps(norm_squared, _mm512_set1_ps(2.0), _mm512_set1_ps(4.0));
    let one = _mm512_set1_ps(1.0);
    let on = |squares| _mm512_fnmadd_ps(twice, squares, one);
    let off = |products| mul(twice, products);
    [
        [
            mul(sx, on(yy_zz)),
            mul(sx, off(_mm512_fmadd_ps(x, y, wz))),
            mul(sx, off(_mm512_fmsub_ps(x, z, wy))),
        ],
        [
            mul(sy, off(_mm512_fmsub_ps(x, y, wz))),
            mul(sy, on(xx_zz)),
            mul(sy, off(_mm512_fmadd_ps(y, z, wx))),
        ],
        [
            mul(sz, off(_mm512_fmadd_ps(x, z, wy))),
            mul(sz, off(_mm512_fmsub_ps(y, z, wx))),
            mul(sz, on(xx_yy)),
        ],
    ]
}

/// Transposes the 4×4 block in each quarter: from a vector for each pose to one for each component.
#[inline]
#[must_use]
#[target_feature(enable = "avx512f")]
pub fn transposed([a, b, c, d]: [__m512; 4]) -> [__m512; 4] {
    let (ab_low, ab_high) = (_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
    let (cd_low, cd_high) = (_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
    [
        _mm512_shuffle_ps::<0b01_00_01_00>(ab_low, cd_low),
        _mm512_shuffle_ps::<0b11_10_11_10>(ab_low, cd_low),
        _mm512_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high),
        _mm512_shuffle_ps::<0b11_10_11_10>(ab_high, cd_high),
    ]
}

/// Transposes back, from three components to a vector for each pose; the fourth lane is 0.
#[inline]
#[must_use]
#[target_feature(enable = "avx512f")]
pub fn by_pose([x, y, z]: [__m512; 3]) -> [__m512; 4] {
    const XYZ: u16 = 0x7777;
    let (xy_low, xy_high) = (_mm512_unpacklo_ps(x, y), _mm512_unpackhi_ps(x, y));
    [
        _mm512_maskz_shuffle_ps::<0b00_00_01_00>(XYZ, xy_low, z),
        _mm512_maskz_shuffle_ps::<0b01_01_11_10>(XYZ, xy_low, z),
        _mm512_maskz_shuffle_ps::<0b10_10_01_00>(XYZ, xy_high, z),
        _mm512_maskz_shuffle_ps::<0b11_11_11_10>(XYZ, xy_high, z),
    ]
}
