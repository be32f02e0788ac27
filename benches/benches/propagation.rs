//! Whole-hierarchy propagation: every root moves, so every node is recomputed. One step down. And
//! the decomposition of a skewed matrix.

use std::hint::black_box;

use benches::{SEED, SHAPES, SIZES};
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use nalgebra::Vector3;
use xform_compare::{Forest, Shape};
use xform_core::{Hierarchy, Transform, Trs};
use xform_matrix::{AccumulatedMatrix, Method};
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
    let locals: Vec<_> = forest.locals.iter().map(Trs::cast).collect();
    let mut hierarchy = Hierarchy::<X>::new();
    hierarchy.insert_forest(None, &forest.parents, &locals).expect("a generated forest is valid");
    let roots: Vec<_> = hierarchy.roots().collect();
    let mut step = 0.0;
    group.bench_function(BenchmarkId::new(strategy, case), |bencher| {
        bencher.iter(|| {
            step = 1.0 - step;
            for &root in &roots {
                let moved = hierarchy.set_translation(root, Vector3::repeat(step));
                moved.expect("roots stay in the hierarchy");
            }
            hierarchy.propagate();
            black_box(&hierarchy);
        });
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

criterion_group!(benches, propagation, step, decomposition);
criterion_main!(benches);
