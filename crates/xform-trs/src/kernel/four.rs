#![expect(unsafe_code, reason = "vector loads and stores take pointers")]

use xform_core::{
    Trs,
    lanes::{
        f32x4::{self, F32x4, add, and, mul, of, or, shuffle, splat, sub, xor},
        four as lanes,
    },
    rotation::product,
    strategy::Sweep,
    world_matrix::WorldMatrix,
};

use super::{LOCAL_SCALE, LOCAL_TRANSLATION, SCALE, Step, TRANSLATION};
use crate::CombinedTrs;

// Written with `add`, `mul`, `shuffle` and so on, each of which is one instruction of SSE2 or of WebAssembly's SIMD128.
// One file serves both, and no function needs a target feature. WebAssembly has no run-time detection: the kernel is
// used if the program is compiled for SIMD128.
pub(super) fn sweep(sweep: Sweep<'_, CombinedTrs<f32>>) {
    sweep.run::<4, (), _, _>(|_, _| (), load, |parent, (), local| step(parent, local), store, fill);
}

/// Rotation, translation and scale. The fourth lane of translation and scale is 0.
pub(super) type Parts = [F32x4; 3];

#[inline]
pub(super) fn load(world: &CombinedTrs<f32>) -> Parts {
    let scalars = std::ptr::from_ref(world).cast::<f32>();
    // Volatile: otherwise the compiler splits some of these loads, or joins those of rotation and translation into one
    // of 32 bytes. A joined load spans the two stores of 16 bytes that wrote the parent, so it cannot be forwarded
    // from the store buffer and waits until both have left it: 7.0 ns a node instead of 5.6.
    [0, TRANSLATION, SCALE].map(|offset| {
        // SAFETY: four of the twelve scalars of a `CombinedTrs`, which is aligned to four.
        unsafe { scalars.add(offset).cast::<F32x4>().read_volatile() }
    })
}

#[inline]
fn step([rotation, translation, scale]: Parts, local: &Trs<f32>) -> Parts {
    let scalars = std::ptr::from_ref(local).cast::<f32>();
    // SAFETY: four of the ten scalars of a `Trs<f32>`, at 0, 4 and 6.
    let part = |offset: usize| unsafe { f32x4::load_unaligned(scalars.add(offset)) };
    let local_rotation = part(0);
    let local_translation = part(LOCAL_TRANSLATION);
    let local_scale = part(LOCAL_SCALE - 1); // a vector that begins at the scale would reach beyond the pose
    let local_scale = shuffle::<0b00_11_10_01>(local_scale, local_scale);

    let offset = rotate(rotation, mul(scale, local_translation));
    [hamilton(rotation, local_rotation), add(translation, offset), mul(scale, local_scale)]
}

/// Takes a single step. Each scalar comes from the same operations in the same order as in the plain step.
#[inline]
pub(super) fn concat(Step { parent, local, child }: Step<'_, f32>) {
    let vector = |[x, y, z]: [f32; 3]| of(x, y, z, 0.0);
    let rotation = |[x, y, z, w]: [f32; 4]| of(x, y, z, w);
    let q = rotation(parent.rotation.coords.into());
    let scale = vector(parent.scale.into());
    let scaled = mul(scale, vector(local.translation.into()));
    let next = |v| shuffle::<0b11_00_10_01>(v, v); // y z x
    let last = |v| shuffle::<0b11_01_00_10>(v, v); // z x y
    let cross = |v| sub(mul(next(q), last(v)), mul(last(q), next(v)));
    let across = cross(scaled);
    let moved = add(mul(across, shuffle::<0b11_11_11_11>(q, q)), cross(across));
    let twice = add(moved, moved);
    let error = sub(splat(1.0), norm_squared(q));
    let turned = add(scaled, add(twice, mul(twice, error)));

    let product = product(&parent.rotation, &local.rotation);
    let product = rotation(product.coords.into());
    let factor = mul(splat(0.5), sub(splat(3.0), norm_squared(product)));
    // The padding stays 0 even if a component is not finite.
    let bits = f32::from_bits(u32::MAX);
    let moved = and(add(vector(parent.translation.into()), turned), of(bits, bits, bits, 0.0));
    store([mul(product, factor), moved, mul(scale, vector(local.scale.into()))], child);
}

/// Returns the sum of the squares in every lane, added as by nalgebra.
#[inline]
fn norm_squared(vector: F32x4) -> F32x4 {
    let squares = mul(vector, vector);
    let halves = add(squares, shuffle::<0b01_00_11_10>(squares, squares)); // xx + zz, yy + ww
    add(shuffle::<0b00_00_00_00>(halves, halves), shuffle::<0b01_01_01_01>(halves, halves))
}

/// Returns the product of two rotations, normalised to first order.
#[inline]
fn hamilton(p: F32x4, q: F32x4) -> F32x4 {
    let half = mul(q, splat(0.5));
    let q_x = xor(shuffle::<0b00_01_10_11>(half, half), of(0.0, -0.0, 0.0, -0.0));
    let q_y = xor(shuffle::<0b01_00_11_10>(half, half), of(0.0, 0.0, -0.0, -0.0));
    let q_z = xor(shuffle::<0b10_11_00_01>(half, half), of(-0.0, 0.0, 0.0, -0.0));
    let w = mul(shuffle::<0b11_11_11_11>(p, p), half);
    let x = mul(shuffle::<0b00_00_00_00>(p, p), q_x);
    let y = mul(shuffle::<0b01_01_01_01>(p, p), q_y);
    let z = mul(shuffle::<0b10_10_10_10>(p, p), q_z);
    let half_product = add(add(w, x), add(y, z));

    // 4 − |p|² − |q|²
    let lanes = sub(sub(splat(1.0), mul(q, q)), mul(p, p));
    let pairs = add(lanes, shuffle::<0b10_11_00_01>(lanes, lanes));
    let factor = add(pairs, shuffle::<0b01_00_11_10>(pairs, pairs));
    mul(half_product, factor)
}

/// Returns `v + 2 (w u × v + u × (u × v))` for the rotation (u, w). The fourth lane is that of `v`.
#[inline]
fn rotate(rotation: F32x4, v: F32x4) -> F32x4 {
    let next = |v| shuffle::<0b11_00_10_01>(v, v);
    let u_next = next(rotation);
    // The cross product. Its components are rotated by one place until the last `next`.
    let cross = |v| next(sub(mul(rotation, next(v)), mul(u_next, v)));
    let across = cross(v);
    let w = shuffle::<0b11_11_11_11>(rotation, rotation);
    let moved = add(mul(w, across), cross(across));
    add(v, add(moved, moved))
}

#[inline]
pub(super) fn store(child: Parts, world: &mut CombinedTrs<f32>) {
    let scalars = std::ptr::from_mut(world).cast::<f32>();
    for (offset, part) in [0, TRANSLATION, SCALE].into_iter().zip(child) {
        // SAFETY: four of the twelve scalars of a `CombinedTrs`, which is aligned to four.
        unsafe { f32x4::store(scalars.add(offset), part) };
    }
}

#[inline]
fn fill(worlds: [&CombinedTrs<f32>; 4], matrices: &mut [WorldMatrix<f32>; 4]) {
    let part = |i: usize, offset: usize| -> F32x4 {
        let scalars = std::ptr::from_ref(worlds[i]).cast::<f32>();
        // SAFETY: four of the twelve scalars of a `CombinedTrs`, which is aligned to four.
        unsafe { f32x4::load(scalars.add(offset)) }
    };
    let rotations = lanes::transposed([0, 1, 2, 3].map(|i| part(i, 0)));
    let [sx, sy, sz, _] = lanes::transposed([0, 1, 2, 3].map(|i| part(i, SCALE)));
    let columns = lanes::compose(rotations, [sx, sy, sz]);
    let bits = f32::from_bits(u32::MAX);
    let axes = of(bits, bits, bits, 0.0);
    let [xs, ys, zs] = columns.map(|column| lanes::by_pose(column).map(|v| and(v, axes)));
    for (i, matrix) in matrices.iter_mut().enumerate() {
        let translation = and(part(i, TRANSLATION), axes);
        let origin = or(translation, of(0.0, 0.0, 0.0, 1.0));
        put(matrix, [xs[i], ys[i], zs[i], origin]);
    }
}

#[inline]
fn put(matrix: &mut WorldMatrix<f32>, columns: [F32x4; 4]) {
    let scalars = std::ptr::from_mut(matrix).cast::<f32>();
    for (i, column) in columns.into_iter().enumerate() {
        // SAFETY: four of the sixteen scalars of a `WorldMatrix`, which is aligned to 64 bytes.
        unsafe { f32x4::store(scalars.add(4 * i), column) };
    }
}
