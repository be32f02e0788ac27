//! The cost of tracking which parts of which nodes changed.

use benches::{
    SHAPES,
    measure::{in_turns, timed},
    ours::{Input, Ours},
    row::Row,
};
use xform_core::{InstructionSet, NodeId, Transform, changes::Watcher};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

/// The bars: with tracking at most twice the time without it, and at most 2.5 times if nodes are watched.
const TRACKED: f64 = 2.0;
const WATCHED: f64 = 2.5;

pub(crate) fn changes() -> Vec<Row> {
    let mut rows = of_strategy::<AccumulatedMatrix<f32>>("matrix");
    rows.extend(of_strategy::<CombinedTrs<f32>>("trs"));
    rows
}

/// Updates all nodes, and one in a hundred; with tracking, and with one in a hundred watched as well.
fn of_strategy<X: Transform<Scalar = f32>>(strategy: &'static str) -> Vec<Row> {
    let input = Input::new(SHAPES[0], 100_000);
    let all: Vec<usize> = (0..input.nodes()).collect();
    let mut untracked = Ours::<X>::new(&input);
    let [all_below, some] =
        [&[0][..], &Input::part_of(&all, 100)].map(|nodes| untracked.ids_of(nodes));
    let mut ours = untracked.clone();
    ours.hierarchy.track_changes();
    let mut rows = Vec::new();
    let mut watchers: Vec<Watcher> = Vec::new();
    for is_watched in [false, true] {
        if is_watched {
            let watch = |&id: &NodeId| ours.hierarchy.watch(id).expect("it lives");
            watchers = some.iter().map(watch).collect();
        }
        for (case, watched_case, moved) in [
            ("all, tracked", "all, 1 % watched", &all_below),
            ("1 %, tracked", "1 %, 1 % watched", &some),
        ] {
            let update = |of: &mut Ours<X>| {
                of.move_nodes(moved);
                timed(|| of.hierarchy.propagate())
            };
            let turns = Some(in_turns(|| update(&mut ours), || update(&mut untracked)));
            rows.push(Row {
                case: if is_watched { watched_case } else { case },
                strategy,
                shape: input.shape,
                nodes: input.nodes(),
                isa: InstructionSet::best().name(),
                peer: "untracked",
                turns,
                bar: if is_watched { WATCHED } else { TRACKED },
            });
        }
    }
    assert!(watchers.iter().all(|watcher| watcher.take().is_some()), "the nodes live");
    rows
}
