use nalgebra::Matrix4;
use xform_core::{Hierarchy, HierarchyError, InstructionSet, Transform, Trs};
use xform_matrix::AccumulatedMatrix;
use xform_scene::built_in::{Forest, Shape};
use xform_trs::CombinedTrs;

use super::metrics::length;
use crate::audit::{Drift, DriftSample};

const SHAPES: [(&str, Shape, u32); 4] = [
    ("chain", Shape::Chain, 1025),
    ("random", Shape::Random, 10_000),
    ("tree", Shape::Tree, 5461),
    ("humanoids", Shape::Humanoids, 6400),
];
const SEED: u64 = 1;

/// Measures the [`Drift`] of four generated shapes: a chain, a random forest, a tree and humanoids.
///
/// # Errors
///
/// Never in practice: none of the generated hierarchies is refused.
pub fn measure_drift() -> Result<Drift, HierarchyError> {
    let mut samples = Vec::new();
    for (shape, kind, nodes) in SHAPES {
        let forest = Forest::generate(kind, nodes, SEED);
        let matrix = errors::<AccumulatedMatrix<f32>, AccumulatedMatrix<f64>>(&forest)?;
        let trs = errors::<CombinedTrs<f32>, CombinedTrs<f64>>(&forest)?;
        for (strategy, errors) in [("matrix", matrix), ("trs", trs)] {
            samples.extend(by_depth(shape, strategy, &forest, &errors));
        }
    }
    Ok(Drift { samples })
}

/// Returns the linear and the position error of each node.
fn errors<X, Y>(forest: &Forest) -> Result<Vec<(f64, f64)>, HierarchyError>
where
    X: Transform<Scalar = f32>,
    Y: Transform<Scalar = f64>,
{
    let narrow: Vec<Trs<f32>> = forest.locals.iter().map(Trs::cast).collect();
    let wide: Vec<Trs<f64>> = narrow.iter().map(Trs::cast).collect();
    let narrow = matrices::<X>(&forest.parents, &narrow)?;
    let wide = matrices::<Y>(&forest.parents, &wide)?;
    let pairs = narrow.iter().map(|world| world.map(f64::from)).zip(&wide);
    Ok(pairs.map(|(narrow, wide)| error(&narrow, wide)).collect())
}

fn matrices<X: Transform>(
    parents: &[Option<usize>],
    locals: &[Trs<X::Scalar>],
) -> Result<Vec<Matrix4<X::Scalar>>, HierarchyError> {
    let mut hierarchy = Hierarchy::<X>::new();
    let ids = hierarchy.insert_forest(None, parents, locals)?;
    // The only kernel that gives the same bits on every machine.
    hierarchy.propagate_by(InstructionSet::Plain);
    ids.into_iter().map(|id| hierarchy.world_matrix(id)).collect()
}

fn error(narrow: &Matrix4<f64>, wide: &Matrix4<f64>) -> (f64, f64) {
    let difference = narrow - wide;
    let linear = difference.fixed_view::<3, 3>(0, 0).norm() / wide.fixed_view::<3, 3>(0, 0).norm();
    (linear, length(&difference.fixed_view::<3, 1>(0, 3).into_owned()))
}

fn by_depth(
    shape: &'static str,
    strategy: &'static str,
    forest: &Forest,
    errors: &[(f64, f64)],
) -> Vec<DriftSample> {
    let mut depths: Vec<usize> = Vec::with_capacity(errors.len());
    let mut samples: Vec<Option<DriftSample>> = Vec::new();
    for (&parent, &(linear, position)) in forest.parents.iter().zip(errors) {
        let depth = parent.map_or(0, |parent| depths[parent] + 1);
        depths.push(depth);
        if depth > 0 && !depth.is_power_of_two() {
            continue;
        }
        let slot = depth.checked_ilog2().map_or(0, |log| log as usize + 1);
        if slot >= samples.len() {
            samples.resize(slot + 1, None);
        }
        let sample = samples[slot].get_or_insert(DriftSample {
            shape,
            strategy,
            depth,
            nodes: 0,
            max_linear_error: 0.0,
            max_position_error: 0.0,
        });
        sample.nodes += 1;
        sample.max_linear_error = sample.max_linear_error.max(linear);
        sample.max_position_error = sample.max_position_error.max(position);
    }
    samples.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drift_grows_with_depth_and_stays_within_rounding() {
        let drift = measure_drift().unwrap();
        for strategy in ["matrix", "trs"] {
            let chain =
                drift.samples.iter().filter(|s| s.shape == "chain" && s.strategy == strategy);
            let chain: Vec<_> = chain.collect();
            assert_eq!(
                chain.iter().map(|s| s.depth).collect::<Vec<_>>(),
                [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
            );
            for sample in &chain {
                // One rounding per component and level; rotations turn the error that is already there.
                let bound = f64::from(f32::EPSILON) * (4.0 + 4.0 * sample.depth as f64);
                assert!(sample.max_linear_error <= bound, "{sample:?}");
            }
            assert!(chain[11].max_position_error > chain[1].max_position_error);
        }
        assert_eq!(
            drift
                .samples
                .iter()
                .filter(|s| s.shape == "humanoids" && s.depth == 0)
                .map(|s| s.nodes)
                .sum::<usize>(),
            200
        );
    }
}
