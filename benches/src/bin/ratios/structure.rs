//! Nodes added, removed and moved.

use std::time::Duration;

use benches::{
    SHAPES,
    measure::timed,
    ours::{Input, Ours, Scatter},
    row::Row,
};
use xform_core::{Hierarchy, InstructionSet, NodeId, Transform, Trs};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

const NODES: u32 = 100_000;
const FRAMES: usize = 60;
const EDITS_A_FRAME: usize = 1_000;

/// The bar is a microsecond an edit, propagation with whatever it puts in order counted in.
pub(crate) fn edits() -> Vec<Row> {
    vec![row::<AccumulatedMatrix<f32>>("matrix"), row::<CombinedTrs<f32>>("trs")]
}

fn row<X: Transform<Scalar = f32>>(strategy: &'static str) -> Row {
    let input = Input::new(SHAPES[0], NODES);
    let Ours { mut hierarchy, mut ids, .. } = Ours::<X>::new(&input);
    let mut scatter = Scatter::default();
    let mut pick = |len| scatter.below(len);
    let mut total = Duration::ZERO;
    for _ in 0..FRAMES {
        total += timed(|| {
            for edit in 0..EDITS_A_FRAME {
                edit_once(&mut hierarchy, &mut ids, edit, &mut pick);
            }
            hierarchy.propagate();
        });
    }
    let edits = (FRAMES * EDITS_A_FRAME) as f64;
    Row {
        case: "structural edit",
        strategy,
        shape: input.shape,
        nodes: input.nodes(),
        isa: InstructionSet::best().name(),
        peer: "the bar",
        nanoseconds: Some((total.as_nanos() as f64 / edits, 1_000.0)),
        bar: 1.0,
    }
}

/// In turns: a new leaf, one leaf less, a leaf or a small subtree moved.
fn edit_once<X: Transform<Scalar = f32>>(
    hierarchy: &mut Hierarchy<X>,
    ids: &mut Vec<NodeId>,
    edit: usize,
    pick: &mut impl FnMut(usize) -> usize,
) {
    match edit % 3 {
        0 => {
            let parent = ids[pick(ids.len())];
            ids.push(hierarchy.insert(parent, Trs::identity()).expect("the parent lives"));
        }
        1 => {
            let place = small_subtree(hierarchy, ids, pick, 1);
            let leaf = ids.swap_remove(place);
            hierarchy.remove(leaf).expect("the leaf lives");
        }
        _ => {
            let node = ids[small_subtree(hierarchy, ids, pick, 64)];
            // A place in the subtree itself is refused, which has its price too.
            let _ = hierarchy.reparent(node, ids[pick(ids.len())]);
        }
    }
}

/// The place of a node with so many nodes in its subtree at most.
fn small_subtree<X: Transform<Scalar = f32>>(
    hierarchy: &Hierarchy<X>,
    ids: &[NodeId],
    pick: &mut impl FnMut(usize) -> usize,
    most: usize,
) -> usize {
    loop {
        let place = pick(ids.len());
        let subtree = hierarchy.subtree(ids[place]).expect("the node lives");
        if subtree.take(most + 1).count() <= most {
            return place;
        }
    }
}
