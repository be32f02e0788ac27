//! Whole-hierarchy propagation: every root moves, so every node is recomputed.

use std::hint::black_box;

use benches::{SEED, SHAPES, SIZES};
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use nalgebra::Vector3;
use xform_compare::Forest;
use xform_core::{Hierarchy, Transform, Trs};
use xform_matrix::AccumulatedMatrix;
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

criterion_group!(benches, propagation);
criterion_main!(benches);
