//! Propagation after every root moves, so that every node is recomputed, and after an animation sets all poses or a
//! tenth of them. A crowd, from poses to skinning matrices. A single step down. The decomposition of a skewed matrix.
//! At the end, a table compares the two strategies.
#![expect(clippy::print_stdout, reason = "a program that prints")]

#[path = "../src/crowds.rs"]
#[expect(unreachable_pub, reason = "the library's, which has it only where the peers are")]
mod crowds;

use std::{
    fs,
    hint::black_box,
    path::{Path, PathBuf},
    time::SystemTime,
};

use benches::{SEED, SHAPES, SIZES};
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, measurement::WallTime,
};
use crowds::{Frame, Ours, Rows, Slices, Ultraviolet};
use nalgebra::Vector3;
use xform_core::{Hierarchy, NodeId, Transform, Trs, crowd::CrowdTransform};
use xform_matrix::{AccumulatedMatrix, Method};
use xform_scene::built_in::{Forest, Shape};
use xform_trs::CombinedTrs;

fn propagation(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("propagation");
    for (shape_name, shape) in SHAPES {
        for size in SIZES {
            let forest = Forest::generate(shape, size, SEED);
            group.throughput(Throughput::Elements(size.into()));
            let case = format!("{shape_name}/{size}");
            propagate::<AccumulatedMatrix<f32>>(&mut group, "matrix", &case, &forest);
            propagate::<CombinedTrs<f32>>(&mut group, "trs", &case, &forest);
        }
    }
    group.finish();
}

fn propagate<X: Transform<Scalar = f32>>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    strategy: &str,
    case: &str,
    forest: &Forest,
) {
    let (mut hierarchy, _) = built::<X>(forest);
    let roots: Vec<_> = hierarchy.roots().collect();
    move_and_propagate(group, BenchmarkId::new(strategy, case), &mut hierarchy, &roots);
}

/// Sets the pose of every node, or of every tenth.
fn animated(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("animated");
    for (shape_name, shape) in SHAPES {
        let forest = Forest::generate(shape, 10_000, SEED);
        for (share, step) in [("all", 1), ("tenth", 10)] {
            let case = format!("{shape_name}/{share}");
            animate::<AccumulatedMatrix<f32>>(&mut group, "matrix", &case, &forest, step);
            animate::<CombinedTrs<f32>>(&mut group, "trs", &case, &forest, step);
        }
    }
    group.finish();
}

fn animate<X: Transform<Scalar = f32>>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    strategy: &str,
    case: &str,
    forest: &Forest,
    step: usize,
) {
    let (mut hierarchy, ids) = built::<X>(forest);
    // The last of each `step` nodes: the first would include the root and recompute everything.
    let moved: Vec<_> = ids.into_iter().skip(step - 1).step_by(step).collect();
    group.throughput(Throughput::Elements(moved.len() as u64));
    move_and_propagate(group, BenchmarkId::new(strategy, case), &mut hierarchy, &moved);
}

fn built<X: Transform<Scalar = f32>>(forest: &Forest) -> (Hierarchy<X>, Vec<NodeId>) {
    let locals: Vec<_> = forest.locals.iter().map(Trs::cast).collect();
    let mut hierarchy = Hierarchy::new();
    let ids = hierarchy.insert_forest(None, &forest.parents, &locals);
    (hierarchy, ids.expect("a generated forest is valid"))
}

fn move_and_propagate<X: Transform<Scalar = f32>>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    id: BenchmarkId,
    hierarchy: &mut Hierarchy<X>,
    nodes: &[NodeId],
) {
    let mut step = 0.0;
    group.bench_function(id, |bencher| {
        bencher.iter(|| {
            step = 1.0 - step;
            for &node in nodes {
                let moved = hierarchy.set_translation(node, Vector3::repeat(step));
                moved.expect("nodes stay in the hierarchy");
            }
            hierarchy.propagate();
            black_box(&*hierarchy);
        });
    });
}

/// Takes 320 skeletons of 32 joints from poses in a sampler's memory to skinning matrices.
fn crowd(criterion: &mut Criterion) {
    const JOINTS: usize = 32;
    let forest = Forest::generate(Shape::Humanoids, 320 * 32, SEED);
    let locals: Vec<_> = forest.locals.iter().map(Trs::cast).collect();
    let frame = Frame::new(&forest.parents[..JOINTS], &locals);
    let mut group = criterion.benchmark_group("crowd");
    group.throughput(Throughput::Elements(locals.len() as u64));
    skin::<AccumulatedMatrix<f32>>(&mut group, "matrix", &frame);
    skin::<CombinedTrs<f32>>(&mut group, "trs", &frame);
    let mut ultraviolet = Ultraviolet::new(&frame);
    skinning(&mut group, "matrix", "ultraviolet by hand", &frame, |palettes| {
        ultraviolet.skin_blocks(black_box(&frame), palettes);
    });
    group.finish();
}

fn skin<X: CrowdTransform>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    strategy: &str,
    frame: &Frame,
) {
    let mut crowd = Ours::<X>::new(frame);
    skinning(group, strategy, "from blocks", frame, |palettes| {
        crowd.skin_blocks(black_box(frame), palettes);
    });
    skinning(group, strategy, "from poses", frame, |palettes| {
        crowd.skin_poses(black_box(frame), palettes);
    });
    let mut slices = Slices::<X>::new(frame);
    skinning(group, strategy, "slices", frame, |palettes| {
        slices.skin_by_nalgebra(black_box(frame), palettes);
    });
    let mut worlds = vec![X::identity(); frame.poses.len()];
    group.bench_function(BenchmarkId::new(strategy, "worlds"), |bencher| {
        bencher.iter(|| crowd.copy_worlds(black_box(frame), black_box(&mut worlds)));
    });
}

fn skinning(
    group: &mut BenchmarkGroup<'_, WallTime>,
    strategy: &str,
    case: &str,
    frame: &Frame,
    mut skin: impl FnMut(&mut [Rows]),
) {
    let mut palettes = frame.palettes();
    group.bench_function(BenchmarkId::new(strategy, case), |bencher| {
        bencher.iter(|| skin(black_box(&mut palettes)));
    });
}

fn step(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("step");
    let local = Forest::generate(Shape::Tree, 1, SEED).locals[0];
    concat::<AccumulatedMatrix<f32>>(&mut group, "matrix/f32", &local.cast());
    concat::<AccumulatedMatrix<f64>>(&mut group, "matrix/f64", &local);
    concat::<CombinedTrs<f32>>(&mut group, "trs/f32", &local.cast());
    concat::<CombinedTrs<f64>>(&mut group, "trs/f64", &local);
    group.finish();
}

fn concat<X: Transform>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    case: &str,
    local: &Trs<X::Scalar>,
) {
    let world = X::identity().concat(local);
    group.bench_function(case, |bencher| {
        bencher.iter(|| black_box(&world).concat(black_box(local)));
    });
}

fn decomposition(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decomposition");
    let locals = Forest::generate(Shape::Chain, 8, SEED).locals;
    let stretched = Trs::from_scale(Vector3::new(2.0, 1.0, 0.5));
    let world = locals
        .iter()
        .fold(AccumulatedMatrix::<f64>::from(stretched), |world, local| world.concat(local));
    let methods =
        [("nearest", Method::NearestTrs), ("polar", Method::Polar), ("gram", Method::GramSchmidt)];
    for (name, method) in methods {
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(&world).decompose(black_box(method)));
        });
    }
    group.finish();
}

/// The folder in which criterion stores its measurements.
fn measured() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/criterion")
}

/// Returns the median measured in this run, in nanoseconds.
fn median(group: &str, strategy: &str, case: &str, started: SystemTime) -> Option<f64> {
    // Follows criterion's folder names.
    let file = measured()
        .join(group)
        .join(strategy)
        .join(case.replace('/', "_"))
        .join("new/estimates.json");
    if fs::metadata(&file).ok()?.modified().ok()? < started {
        return None;
    }
    let estimates: serde_json::Value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    estimates["median"]["point_estimate"].as_f64()
}

/// Prints the measurements of both strategies side by side.
fn print_table(started: SystemTime) {
    let shapes = || SHAPES.into_iter().map(|(name, _)| name);
    let propagated =
        shapes().flat_map(|shape| SIZES.map(|size| ("propagation", format!("{shape}/{size}"))));
    let animated = shapes()
        .flat_map(|shape| ["all", "tenth"].map(|share| ("animated", format!("{shape}/{share}"))));
    let crowd = ["from blocks", "from poses", "slices"].map(|case| ("crowd", case.to_owned()));
    println!("| case | matrix, µs | trs, µs | trs / matrix |\n|---|---|---|---|");
    for (group, case) in propagated.chain(animated).chain(crowd) {
        let of = |strategy| median(group, strategy, &case, started);
        if let (Some(matrix), Some(trs)) = (of("matrix"), of("trs")) {
            let ratio = trs / matrix;
            println!("| {group}/{case} | {:.1} | {:.1} | {ratio:.2} |", matrix / 1e3, trs / 1e3);
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().output_directory(&measured());
    targets = propagation, animated, crowd, step, decomposition
}

fn main() {
    let started = SystemTime::now();
    benches();
    Criterion::default().configure_from_args().final_summary();
    print_table(started);
}
