//! World transforms of NumPy's arrays.

use std::{ops::Range, thread};

use nalgebra::{Matrix4, Quaternion, Unit, Vector3};
use numpy::{Element, PyArray3, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::{
    exceptions::{PyMemoryError, PyValueError},
    prelude::*,
};
use xform_core::{Real, Topology, Transform, Trs, parents_first};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

/// Arrays of the same nodes.
#[derive(Clone, Copy)]
struct Poses<'a, T> {
    parents: &'a [i64],
    translations: &'a [T],
    rotations: &'a [T],
    scales: &'a [T],
}

macro_rules! propagate {
    ($name:ident, $scalar:ty) => {
        /// World matrices by one of the strategies, in NumPy's order: row by row.
        #[pyfunction]
        pub(crate) fn $name<'py>(
            py: Python<'py>,
            parents: PyReadonlyArray1<'py, i64>,
            translations: PyReadonlyArray2<'py, $scalar>,
            rotations: PyReadonlyArray2<'py, $scalar>,
            scales: PyReadonlyArray2<'py, $scalar>,
            by_matrix: bool,
            threads: usize,
        ) -> PyResult<Bound<'py, PyArray3<$scalar>>> {
            let poses = Poses {
                parents: parents.as_slice()?,
                translations: translations.as_slice()?,
                rotations: rotations.as_slice()?,
                scales: scales.as_slice()?,
            };
            if by_matrix {
                propagated::<AccumulatedMatrix<$scalar>>(py, poses, threads)
            } else {
                propagated::<CombinedTrs<$scalar>>(py, poses, threads)
            }
        }
    };
}

propagate!(propagate_f32, f32);
propagate!(propagate_f64, f64);

fn propagated<'py, X>(
    py: Python<'py>,
    poses: Poses<'_, X::Scalar>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray3<X::Scalar>>>
where
    X: Transform,
    X::Scalar: Element,
{
    let len = poses.parents.len();
    let worlds = PyArray3::<X::Scalar>::zeros(py, [len, 4, 4], false);
    let mut written = worlds.readwrite();
    let out = written.as_slice_mut().map_err(|error| PyMemoryError::new_err(error.to_string()))?;
    py.detach(|| write_worlds::<X>(poses, threads, out)).map_err(PyValueError::new_err)?;
    drop(written);
    Ok(worlds)
}

fn write_worlds<X: Transform>(
    poses: Poses<'_, X::Scalar>,
    threads: usize,
    out: &mut [X::Scalar],
) -> Result<(), String> {
    let mut parents = Vec::with_capacity(poses.parents.len());
    for (node, &parent) in poses.parents.iter().enumerate() {
        parents.push(match parent {
            -1 => None,
            _ => Some(usize::try_from(parent).map_err(|_| {
                format!("node {node}: parent {parent}; it is an index, or -1 for a root")
            })?),
        });
    }
    // Nearly always parents stand before their children.
    let is_sorted =
        parents.iter().enumerate().all(|(node, parent)| parent.is_none_or(|p| p < node));
    if is_sorted {
        return in_parts::<X>(poses, &parents, threads, out);
    }
    let order = parents_first(&parents).map_err(|error| error.to_string())?;
    let mut slot_of = vec![0; order.len()];
    order.iter().enumerate().for_each(|(slot, &node)| slot_of[node] = slot);
    let sorted: Vec<_> =
        order.iter().map(|&node| parents[node].map(|parent| slot_of[parent])).collect();
    let worlds = worlds::<X>(poses, &sorted, |slot| order[slot])?;
    for (world, &node) in worlds.iter().zip(&order) {
        write(world, &mut out[16 * node..][..16]);
    }
    Ok(())
}

/// How many nodes are worked on at a time: their poses and world transforms stay in the second cache.
const AT_A_TIME: usize = 2048;

/// Ranges of whole trees, about as long as that where trees are shorter.
fn parts(parents: &[Option<usize>]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut end = parents.len();
    // Where no node from there on has a parent before it.
    let mut least = end;
    for (node, parent) in parents.iter().enumerate().rev() {
        least = least.min(parent.unwrap_or(node));
        if least >= node && (end - node >= AT_A_TIME || node == 0) {
            parts.push(node..end);
            end = node;
        }
    }
    parts.reverse();
    parts
}

/// The parts are shared out among threads.
fn in_parts<X: Transform>(
    poses: Poses<'_, X::Scalar>,
    parents: &[Option<usize>],
    threads: usize,
    out: &mut [X::Scalar],
) -> Result<(), String> {
    let parts = parts(parents);
    let share = |parts: &[Range<usize>], mut out: &mut [X::Scalar]| {
        for part in parts {
            let (own, others) = out.split_at_mut(16 * part.len());
            out = others;
            let below = |&parent: &Option<usize>| parent.map(|parent| parent - part.start);
            let above: Vec<_> = parents[part.clone()].iter().map(below).collect();
            let worlds = worlds::<X>(poses, &above, |slot| part.start + slot)?;
            let places = own.chunks_exact_mut(16);
            worlds.iter().zip(places).for_each(|(world, place)| write(world, place));
        }
        Ok(())
    };
    let of_thread = parts.len().div_ceil(threads).max(1);
    let mut left = out;
    thread::scope(|scope| {
        let mut shares = parts.chunks(of_thread).map(|parts| {
            let len = parts.iter().map(Range::len).sum::<usize>();
            let (own, others) = std::mem::take(&mut left).split_at_mut(16 * len);
            left = others;
            (parts, own)
        });
        // One of them on this thread.
        let first = shares.next();
        let running: Vec<_> =
            shares.map(|(parts, own)| scope.spawn(move || share(parts, own))).collect();
        let done = first.map_or(Ok(()), |(parts, own)| share(parts, own));
        let results = running.into_iter().map(|thread| thread.join().expect("it does not panic"));
        results.fold(done, Result::and)
    })
}

/// The world transforms of nodes whose parents stand before them; `node` says which node of the arrays is in a slot.
fn worlds<X: Transform>(
    poses: Poses<'_, X::Scalar>,
    parents: &[Option<usize>],
    node: impl Fn(usize) -> usize,
) -> Result<Vec<X>, String> {
    let topology = Topology::from_parents(parents).map_err(|error| error.to_string())?;
    let mut locals = Vec::with_capacity(parents.len());
    for slot in 0..parents.len() {
        let node = node(slot);
        let [x, y, z] = row(poses.translations, node);
        let [i, j, k, w] = row(poses.rotations, node);
        let [a, b, c] = row(poses.scales, node);
        let rotation = Unit::new_unchecked(Quaternion::new(w, i, j, k));
        let pose = Trs::from_parts(Vector3::new(x, y, z), rotation, Vector3::new(a, b, c));
        locals.push(pose.normalized().map_err(|error| format!("node {node}: {error}"))?);
    }
    let mut worlds = vec![X::identity(); locals.len()];
    X::accumulate(&topology, &locals, &mut worlds, &[0..locals.len()]);
    Ok(worlds)
}

fn row<T: Real, const N: usize>(of: &[T], node: usize) -> [T; N] {
    std::array::from_fn(|column| of[N * node + column])
}

/// Row by row, where nalgebra has columns.
fn write<X: Transform>(world: &X, out: &mut [X::Scalar]) {
    let matrix: Matrix4<X::Scalar> = world.to_homogeneous().transpose();
    out.copy_from_slice(matrix.as_slice());
}
