//! Few nodes are recomputed, or none.

use std::time::Duration;

use benches::{
    SHAPES,
    measure::{Turns, against_the_faster, alone, in_turns, timed, timed_many},
    ours::{Input, Ours},
    peers::{BEVY, Bevy, GlamDirty, Peer, StaticOptimizations},
    row::Row,
};
use nalgebra::Vector3;
use xform_core::{NodeId, Transform};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

fn tree(nodes: u32) -> Input {
    Input::new(SHAPES[0], nodes)
}

/// The bar is a tenth of a microsecond, for any number of nodes.
pub(crate) fn nothing() -> Vec<Row> {
    let mut rows = Vec::new();
    for input in [10_000, 100_000, 1_000_000].map(tree) {
        let mut ours = Ours::<AccumulatedMatrix<f32>>::new(&input);
        let turns = alone(|| timed_many(|| ours.hierarchy.propagate()));
        let row = Row::of("nothing changed", "matrix", &input);
        rows.push(Row { turns: Some(Turns::against(turns, 100.0)), ..row });
    }
    rows
}

/// The bar is two microseconds, including setting the pose, for any number of nodes.
pub(crate) fn one_leaf() -> Vec<Row> {
    let mut rows = Vec::new();
    for input in [10_000, 100_000, 1_000_000].map(tree) {
        let mut ours = Ours::<AccumulatedMatrix<f32>>::new(&input);
        let leaf = ours.ids_of(&[input.nodes() - 1]);
        let turns = alone(|| {
            timed_many(|| {
                ours.move_nodes(&leaf);
                ours.hierarchy.propagate();
            })
        });
        let row = Row::of("one leaf changed", "matrix", &input);
        rows.push(Row { turns: Some(Turns::against(turns, 2_000.0)), ..row });
    }
    rows
}

/// Returns the moved nodes, and the bars against a byte for each node and against Bevy.
fn hundredths() -> [(&'static str, Input, Vec<usize>, f64); 2] {
    let (small, large) = (tree(100_000), tree(1_000_000));
    let all: Vec<usize> = (0..small.nodes()).collect();
    let (random, leaves) = (Input::part_of(&all, 100), Input::part_of(&large.leaves(), 100));
    [("1 % random", small, random, 0.7), ("1 % of leaves", large, leaves, 0.3)]
}

/// Returns the time of the update alone. On both sides the nodes are moved before it.
fn our_update<X: Transform<Scalar = f32>>(ours: &mut Ours<X>, moved: &[NodeId]) -> Duration {
    ours.move_nodes(moved);
    timed(|| ours.hierarchy.propagate())
}

pub(crate) fn hundredth() -> Vec<Row> {
    let row = |(case, input, moved, bar): (_, Input, Vec<usize>, _)| {
        let mut ours = Ours::<AccumulatedMatrix<f32>>::new(&input);
        let moved_ids = ours.ids_of(&moved);
        let mut theirs = GlamDirty::new(&input.parents, &input.locals);
        let mut place = Vector3::zeros();
        let turns = in_turns(
            || our_update(&mut ours, &moved_ids),
            || {
                place = Vector3::repeat(1.0) - place;
                moved.iter().for_each(|&node| theirs.set_translation(node, place));
                timed(|| theirs.update())
            },
        );
        let row = Row::of(case, "matrix", &input);
        Row { peer: "glam, dirty bytes", turns: Some(turns), bar, ..row }
    };
    hundredths().map(row).into()
}

/// Against Bevy, in the faster of its settings for each input.
pub(crate) fn against_bevy() -> Vec<Row> {
    let rows = |(case, input, moved, _): (_, Input, Vec<usize>, f64)| {
        [
            bevy_row::<AccumulatedMatrix<f32>>(case, "matrix", &input, &moved),
            bevy_row::<CombinedTrs<f32>>(case, "trs", &input, &moved),
        ]
    };
    hundredths().into_iter().flat_map(rows).collect()
}

fn bevy_row<X: Transform<Scalar = f32>>(
    case: &'static str,
    strategy: &'static str,
    input: &Input,
    moved: &[usize],
) -> Row {
    let mut ours = Ours::<X>::new(input);
    let moved_ids = ours.ids_of(moved);
    let in_setting = |setting| {
        let mut theirs = Bevy::new(&input.parents, &input.locals, setting);
        let mut place = Vector3::zeros();
        in_turns(
            || our_update(&mut ours, &moved_ids),
            || {
                place = Vector3::repeat(1.0) - place;
                moved.iter().for_each(|&node| theirs.set_translation(node, place));
                timed(|| theirs.update())
            },
        )
    };
    let settings = [StaticOptimizations::Disabled, StaticOptimizations::Enabled].map(in_setting);
    let turns = Some(against_the_faster(settings));
    Row { peer: BEVY, turns, bar: 0.10, ..Row::of(case, strategy, input) }
}
