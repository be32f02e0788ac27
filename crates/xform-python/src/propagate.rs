//! Computes world transforms over NumPy's arrays.

use std::{collections::TryReserveError, ops::Range, slice, thread};

use nalgebra::{Matrix4, Quaternion, Unit, Vector3};
use numpy::{Element, PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray3};
use pyo3::{
    exceptions::{PyMemoryError, PyValueError},
    prelude::*,
};
use xform_core::{PoseError, Real, Topology, Transform, Trs, slices::parents_first};
use xform_engines::SourceNode;
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::engines;

/// Arrays for the same nodes, ordered by frame and then by node. An array with a single frame applies to all frames.
#[derive(Clone, Copy)]
struct Poses<'a, T> {
    parents: &'a [i64],
    translations: &'a [T],
    rotations: &'a [T],
    scales: &'a [T],
    frames: usize,
}

impl<T: Real> Poses<'_, T> {
    /// Returns the parent of each node.
    fn parents(&self) -> Result<Vec<Option<usize>>, Bad> {
        let mut parents = room(self.parents.len())?;
        for (node, &parent) in self.parents.iter().enumerate() {
            parents.push(match parent {
                -1 => None,
                _ => Some(usize::try_from(parent).map_err(|_| {
                    let what = "a parent is an index, or -1 for a root";
                    Bad::Value(format!("node {node}: parent {parent}; {what}"))
                })?),
            });
        }
        Ok(parents)
    }

    /// Returns the local pose of a node.
    fn local(&self, frame: usize, node: usize) -> Result<Trs<T>, Bad> {
        let [x, y, z] = self.row(self.translations, frame, node);
        let [i, j, k, w] = self.row(self.rotations, frame, node);
        let [a, b, c] = self.row(self.scales, frame, node);
        let rotation = Unit::new_unchecked(Quaternion::new(w, i, j, k));
        let pose = Trs::from_parts(Vector3::new(x, y, z), rotation, Vector3::new(a, b, c));
        let pose = pose.normalized().map_err(|error| {
            let error = match error {
                PoseError::RotationNotUnit { length } => {
                    format!("the rotation has length {length}, not 1")
                }
                other => other.to_string(),
            };
            let of = if self.frames > 1 { format!("frame {frame}, ") } else { String::new() };
            Bad::Value(format!("{of}node {node}: {error}"))
        })?;
        // For a length that is slightly off, the error left by the kernels is below the rounding of `f32`, but not of
        // `f64`.
        let is_double = size_of::<T>() == size_of::<f64>();
        let rotation =
            if is_double { Unit::new_normalize(pose.rotation.into_inner()) } else { pose.rotation };
        Ok(Trs { rotation, ..pose })
    }

    /// Returns the numbers of a node in an array.
    fn row<const N: usize>(&self, of: &[T], frame: usize, node: usize) -> [T; N] {
        let nodes = self.parents.len();
        let frame = if of.len() == N * nodes { 0 } else { frame };
        std::array::from_fn(|column| of[N * (frame * nodes + node) + column])
    }
}

macro_rules! propagate {
    ($name:ident, $scalar:ty) => {
        /// Computes world matrices by one of the strategies, in NumPy's row-major order.
        #[pyfunction]
        #[expect(clippy::too_many_arguments, reason = "the package has them in its own form")]
        pub(crate) fn $name<'py>(
            py: Python<'py>,
            parents: PyReadonlyArray1<'py, i64>,
            translations: PyReadonlyArray2<'py, $scalar>,
            rotations: PyReadonlyArray2<'py, $scalar>,
            scales: PyReadonlyArray2<'py, $scalar>,
            by_matrix: bool,
            threads: usize,
            out: PyReadwriteArray3<'py, $scalar>,
        ) -> PyResult<()> {
            let nodes = parents.as_slice()?.len();
            let poses = Poses {
                parents: parents.as_slice()?,
                translations: translations.as_slice()?,
                rotations: rotations.as_slice()?,
                scales: scales.as_slice()?,
                frames: out.as_array().len() / (16 * nodes.max(1)),
            };
            if by_matrix {
                propagated::<AccumulatedMatrix<$scalar>>(py, poses, threads, out)
            } else {
                propagated::<CombinedTrs<$scalar>>(py, poses, threads, out)
            }
        }
    };
}

propagate!(propagate_f32, f32);
propagate!(propagate_f64, f64);

fn propagated<X>(
    py: Python<'_>,
    poses: Poses<'_, X::Scalar>,
    threads: usize,
    mut out: PyReadwriteArray3<'_, X::Scalar>,
) -> PyResult<()>
where
    X: Transform,
    X::Scalar: Element,
{
    let out = out.as_slice_mut()?;
    py.detach(|| write_worlds::<X>(poses, threads, out)).map_err(Into::into)
}

/// Computes world matrices as an engine shows a file with these nodes. Nodes whose result is unknown are left
/// unchanged.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the package gives each by its name")]
pub(crate) fn engine_worlds<'py>(
    py: Python<'py>,
    engine: &str,
    parents: PyReadonlyArray1<'py, i64>,
    translations: PyReadonlyArray2<'py, f64>,
    rotations: PyReadonlyArray2<'py, f64>,
    scales: PyReadonlyArray2<'py, f64>,
    is_fbx: bool,
    mut out: PyReadwriteArray3<'py, f64>,
) -> PyResult<()> {
    let mut engine = *engines::named(engine)?;
    if is_fbx {
        engine.accumulation.rule = engine.accumulation.rule.of_fbx();
    }
    let poses = Poses {
        parents: parents.as_slice()?,
        translations: translations.as_slice()?,
        rotations: rotations.as_slice()?,
        scales: scales.as_slice()?,
        frames: 1,
    };
    let out = out.as_slice_mut()?;
    let write_all = || -> Result<(), Bad> {
        let mut nodes = room(poses.parents.len())?;
        for (node, parent) in poses.parents()?.into_iter().enumerate() {
            nodes.push(SourceNode { parent, local: poses.local(0, node)?.into() });
        }
        let worlds = engine.worlds(&nodes).map_err(|error| Bad::Value(error.to_string()))?;
        for (world, place) in worlds.iter().zip(out.chunks_exact_mut(16)) {
            if let Ok(world) = world {
                place.copy_from_slice(world.to_homogeneous().transpose().as_slice());
            }
        }
        Ok(())
    };
    py.detach(write_all).map_err(Into::into)
}

/// The reason why there are no world transforms.
enum Bad {
    Value(String),
    Memory,
}

impl From<TryReserveError> for Bad {
    fn from(_: TryReserveError) -> Self {
        Self::Memory
    }
}

impl From<Bad> for PyErr {
    fn from(bad: Bad) -> Self {
        match bad {
            Bad::Value(what) => PyValueError::new_err(what),
            Bad::Memory => PyMemoryError::new_err(()),
        }
    }
}

/// Returns an empty vector with room for `len` items.
fn room<T>(len: usize) -> Result<Vec<T>, Bad> {
    let mut room = Vec::new();
    room.try_reserve_exact(len)?;
    Ok(room)
}

fn write_worlds<X: Transform>(
    poses: Poses<'_, X::Scalar>,
    threads: usize,
    out: &mut [X::Scalar],
) -> Result<(), Bad> {
    let parents = poses.parents()?;
    // In nearly all files parents come before their children.
    let is_sorted =
        parents.iter().enumerate().all(|(node, parent)| parent.is_none_or(|p| p < node));
    if is_sorted && poses.frames == 1 {
        return in_parts::<X>(poses, &parents, threads, out);
    }
    let order = parents_first(&parents).map_err(|error| Bad::Value(error.to_string()))?;
    let mut slot_of = room(order.len())?;
    slot_of.resize(order.len(), 0);
    order.iter().enumerate().for_each(|(slot, &node)| slot_of[node] = slot);
    let mut sorted = room(order.len())?;
    sorted.extend(order.iter().map(|&node| parents[node].map(|parent| slot_of[parent])));
    in_frames::<X>(poses, &sorted, &order, threads, out)
}

/// Distributes the frames among threads. Parents come before their children; `order` gives the array index of each
/// slot.
fn in_frames<X: Transform>(
    poses: Poses<'_, X::Scalar>,
    parents: &[Option<usize>],
    order: &[usize],
    threads: usize,
    out: &mut [X::Scalar],
) -> Result<(), Bad> {
    let topology =
        Topology::from_parents(parents).map_err(|error| Bad::Value(error.to_string()))?;
    let of_frame = 16 * order.len();
    if of_frame == 0 {
        return Ok(());
    }
    let share = |first: usize, out: &mut [X::Scalar]| {
        let mut locals = room(order.len())?;
        let mut worlds = room(order.len())?;
        worlds.resize(order.len(), X::identity());
        for (frame, out) in (first..).zip(out.chunks_exact_mut(of_frame)) {
            locals.clear();
            for &node in order {
                locals.push(poses.local(frame, node)?);
            }
            X::accumulate(&topology, &locals, &mut worlds, slice::from_ref(&(0..order.len())));
            for (world, &node) in worlds.iter().zip(order) {
                write(world, &mut out[16 * node..][..16]);
            }
        }
        Ok(())
    };
    let of_thread = poses.frames.div_ceil(threads).max(1);
    let shares = out.chunks_mut(of_thread * of_frame).enumerate();
    on_threads(shares.map(|(place, out)| (place * of_thread, out)), &|(first, out)| {
        share(first, out)
    })
}

/// Processes all shares at the same time, the first one on this thread. Returns the first error in the order of the
/// shares.
fn on_threads<S: Send>(
    mut shares: impl Iterator<Item = S>,
    work: &(impl Fn(S) -> Result<(), Bad> + Sync),
) -> Result<(), Bad> {
    thread::scope(|scope| {
        let first = shares.next();
        let running = shares.map(|share| {
            let begun = thread::Builder::new().spawn_scoped(scope, move || work(share));
            begun.map_err(|_| Bad::Memory)
        });
        let running: Vec<_> = running.collect();
        let done = first.map_or(Ok(()), work);
        let results = running
            .into_iter()
            .map(|thread| thread.and_then(|thread| thread.join().expect("it does not panic")));
        results.fold(done, Result::and)
    })
}

/// The number of nodes that are processed together.
// So poses and world transforms stay in the second-level cache on their way to NumPy's matrices. With all nodes at
// once, 10 000 took 390 µs instead of 168.
const AT_A_TIME: usize = 2048;

/// Returns ranges of whole trees. Their length is about [`AT_A_TIME`], if trees are shorter than that.
fn parts(parents: &[Option<usize>]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut end = parents.len();
    // The start of the current range: no node from here on has a parent before it.
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

/// Distributes the parts among threads.
fn in_parts<X: Transform>(
    poses: Poses<'_, X::Scalar>,
    parents: &[Option<usize>],
    threads: usize,
    out: &mut [X::Scalar],
) -> Result<(), Bad> {
    let parts = parts(parents);
    let share = |parts: &[Range<usize>], mut out: &mut [X::Scalar]| -> Result<(), Bad> {
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
    let shares = parts.chunks(of_thread).map(|parts| {
        let len = parts.iter().map(Range::len).sum::<usize>();
        let (own, others) = std::mem::take(&mut left).split_at_mut(16 * len);
        left = others;
        (parts, own)
    });
    on_threads(shares, &|(parts, own)| share(parts, own))
}

/// Computes the world transforms of nodes whose parents come before them. `node` gives the array index of a slot.
fn worlds<X: Transform>(
    poses: Poses<'_, X::Scalar>,
    parents: &[Option<usize>],
    node: impl Fn(usize) -> usize,
) -> Result<Vec<X>, Bad> {
    let topology =
        Topology::from_parents(parents).map_err(|error| Bad::Value(error.to_string()))?;
    let mut locals = room(parents.len())?;
    for slot in 0..parents.len() {
        locals.push(poses.local(0, node(slot))?);
    }
    let mut worlds = room(locals.len())?;
    worlds.resize(locals.len(), X::identity());
    X::accumulate(&topology, &locals, &mut worlds, slice::from_ref(&(0..locals.len())));
    Ok(worlds)
}

/// Writes a matrix in row-major order; nalgebra's order is column-major.
fn write<X: Transform>(world: &X, out: &mut [X::Scalar]) {
    let matrix: Matrix4<X::Scalar> = world.to_homogeneous().transpose();
    out.copy_from_slice(matrix.as_slice());
}
