use super::f32x4::{F32x4, add, high, low, mul, shuffle, splat, sub};

/// Returns the three columns of `R · S` for four poses, each column as its x, y and z.
///
/// The factor 2 in the rotation is 2/|q|² to first order, as in the plain kernel.
#[inline]
#[must_use]
pub fn compose([x, y, z, w]: [F32x4; 4], [sx, sy, sz]: [F32x4; 3]) -> [[F32x4; 3]; 3] {
    // Half of each entry, without the factor, which depends on the norm and so is ready later.
    let (xx, yy, zz) = (mul(x, x), mul(y, y), mul(z, z));
    let (xy, xz, yz) = (mul(x, y), mul(x, z), mul(y, z));
    let (wx, wy, wz) = (mul(w, x), mul(w, y), mul(w, z));
    let norm_squared = add(add(xx, yy), add(zz, mul(w, w)));
    // 2 · (1 + (1 − |q|²))
    let twice = sub(splat(4.0), add(norm_squared, norm_squared));
    let one = splat(1.0);
    let on = |squares| sub(one, mul(twice, squares));
    let off = |products| mul(twice, products);
    [
        [mul(sx, on(add(yy, zz))), mul(sx, off(add(xy, wz))), mul(sx, off(sub(xz, wy)))],
        [mul(sy, off(sub(xy, wz))), mul(sy, on(add(xx, zz))), mul(sy, off(add(yz, wx)))],
        [mul(sz, off(add(xz, wy))), mul(sz, off(sub(yz, wx))), mul(sz, on(add(xx, yy)))],
    ]
}

/// Transposes from one vector for each pose to one for each component.
#[inline]
#[must_use]
pub fn transposed([a, b, c, d]: [F32x4; 4]) -> [F32x4; 4] {
    let (ab_low, ab_high) = (low(a, b), high(a, b));
    let (cd_low, cd_high) = (low(c, d), high(c, d));
    [
        shuffle::<0b01_00_01_00>(ab_low, cd_low),
        shuffle::<0b11_10_11_10>(ab_low, cd_low),
        shuffle::<0b01_00_01_00>(ab_high, cd_high),
        shuffle::<0b11_10_11_10>(ab_high, cd_high),
    ]
}

/// Transposes back from three components to one vector for each pose. The fourth lane repeats the third.
#[inline]
#[must_use]
pub fn by_pose([x, y, z]: [F32x4; 3]) -> [F32x4; 4] {
    let (xy_low, xy_high) = (low(x, y), high(x, y));
    [
        shuffle::<0b00_00_01_00>(xy_low, z),
        shuffle::<0b01_01_11_10>(xy_low, z),
        shuffle::<0b10_10_01_00>(xy_high, z),
        shuffle::<0b11_11_11_10>(xy_high, z),
    ]
}
