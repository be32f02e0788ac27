//! Any poses through every kernel: within its memory, the same whatever is recomputed, and near the plain step.

#![no_main]

use std::ops::Range;

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::{Corpus, fuzz_target};
use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};
use xform_core::{InstructionSet, Topology, Transform, Trs, strategy::Sweep, world_matrix::WorldMatrix};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

/// How far a kernel may be from the plain step, in units of `f32::EPSILON` times the terms of an entry.
const TOLERANCE: f64 = 32.0;

struct Forest {
    topology: Topology,
    locals: Vec<Trs<f32>>,
    ranges: Vec<Range<usize>>,
    is_tame: bool,
}

/// Any bits, or a number of some size.
fn number(u: &mut Unstructured<'_>, is_tame: bool) -> Result<f32> {
    Ok(if is_tame {
        f32::from(u.arbitrary::<i8>()?) / 32.0
    } else {
        f32::from_bits(u.arbitrary()?)
    })
}

fn forest(u: &mut Unstructured<'_>) -> Result<Forest> {
    let is_tame = u.arbitrary()?;
    let len = u.int_in_range(0..=200)?;
    let (mut parents, mut locals) = (Vec::new(), Vec::new());
    for slot in 0..len {
        let parent = usize::from(u.arbitrary::<u8>()?);
        parents.push((slot > 0 && parent < 240).then(|| slot - 1 - parent % slot));
        let mut vector = || -> Result<_> {
            let [x, y, z] = [number(u, is_tame)?, number(u, is_tame)?, number(u, is_tame)?];
            Ok(Vector3::new(x, y, z))
        };
        let (translation, imaginary, scale) = (vector()?, vector()?, vector()?);
        let rotation = Quaternion::from_parts(number(u, is_tame)?, imaginary);
        let rotation = match UnitQuaternion::try_new(rotation, 1e-3) {
            Some(unit) if is_tame => unit,
            None if is_tame => UnitQuaternion::identity(),
            _ => UnitQuaternion::new_unchecked(rotation),
        };
        locals.push(Trs::from_parts(translation, rotation, scale));
    }
    let topology = Topology::from_parents(&parents).unwrap();
    let (mut ranges, mut from) = (Vec::new(), 0);
    while from < len && u.arbitrary()? {
        let start = u.int_in_range(from..=len)?;
        let end = u.int_in_range(start..=len)?;
        ranges.push(start..end);
        from = end;
    }
    Ok(Forest { topology, locals, ranges, is_tame })
}

fn entries<X: Transform<Scalar = f32>>(world: &X) -> [u32; 16] {
    std::array::from_fn(|i| world.to_homogeneous()[i].to_bits())
}

fn swept<X: Transform<Scalar = f32>>(
    forest: &Forest,
    kernel: InstructionSet,
    worlds: &mut [X],
    ranges: &[Range<usize>],
) -> Vec<WorldMatrix<f32>> {
    let mut matrices = vec![WorldMatrix(Matrix4::zeros()); worlds.len()];
    let sweep = Sweep::new(&forest.topology, &forest.locals, worlds, ranges);
    X::sweep(sweep.with_matrices(&mut matrices).with_instruction_set(kernel));
    matrices
}

fn run<X: Transform<Scalar = f32>>(forest: &Forest) {
    let len = forest.locals.len();
    for kernel in InstructionSet::ALL.into_iter().filter(|kernel| kernel.is_available()) {
        let mut worlds = vec![X::identity(); len];
        swept(forest, kernel, &mut worlds, std::slice::from_ref(&(0..len)));
        // Again in part: to the same bits, where they are numbers.
        let mut again = worlds.clone();
        let matrices = swept(forest, kernel, &mut again, &forest.ranges);
        for (before, after) in worlds.iter().zip(&again) {
            let is_number = |world: &X| world.to_homogeneous().iter().all(|x| !x.is_nan());
            assert!(entries(before) == entries(after) || !is_number(before) && !is_number(after));
        }
        for slot in forest.ranges.iter().cloned().flatten().filter(|_| forest.is_tame) {
            // A matrix is made of parts by other operations than one at a time.
            let size = again[slot].parts().map_or(0.0, |parts| parts.scale.amax());
            let off = (again[slot].to_homogeneous() - matrices[slot].0).amax();
            assert!(off <= 8.0 * f32::EPSILON * size || size > 1e30, "{off} of {size}");
        }
        for slot in (0..len).filter(|_| forest.is_tame) {
            near(forest, &worlds, slot);
        }
    }
}

/// One step from the parent that the kernel found.
fn near<X: Transform<Scalar = f32>>(forest: &Forest, worlds: &[X], slot: usize) {
    let identity = X::identity();
    let parent = forest.topology.parent(slot).map_or(&identity, |parent| &worlds[parent]);
    let plain = parent.concat(&forest.locals[slot]).to_homogeneous().map(f64::from);
    let size = |matrix: Matrix4<f32>| matrix.map(|x| f64::from(x.abs()));
    let above = parent.parts().map_or(size(parent.to_homogeneous()), |parts| {
        // Scales and rotations are multiplied apart, so their signs and zeros do not help.
        let most = f64::from(parts.scale.amax());
        Matrix4::repeat(most) + size(parent.to_homogeneous())
    });
    let local = size(forest.locals[slot].to_homogeneous());
    let local = local + Matrix4::repeat(f64::from(forest.locals[slot].scale.amax()));
    let terms = above * local;
    let found = worlds[slot].to_homogeneous().map(f64::from);
    let off = (found - plain).abs();
    let within = terms.map(|x| x * TOLERANCE * f64::from(f32::EPSILON) + 1e-37);
    let is_near =
        |i: usize| off[i] <= within[i] || terms[i] > 1e36 || found[i].is_nan() && plain[i].is_nan();
    assert!((0..16).all(is_near), "{found} instead of {plain}");
}

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(forest) = forest(&mut Unstructured::new(bytes)) else { return Corpus::Reject };
    run::<AccumulatedMatrix<f32>>(&forest);
    run::<CombinedTrs<f32>>(&forest);
    Corpus::Keep
});
