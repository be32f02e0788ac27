//! Nodes are added, removed and moved.

use std::time::Duration;

use benches::{
    SHAPES,
    measure::{Turns, timed},
    ours::{Input, Ours, Scatter},
    row::Row,
};
use xform_core::{Hierarchy, InstructionSet, NodeId, Transform, Trs};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

const NODES: u32 = 100_000;
const FRAMES: usize = 60;
const EDITS_A_FRAME: usize = 1_000;

/// The bar is a microsecond for each edit, including propagation and the reordering that it does.
pub(crate) fn edits() -> Vec<Row> {
    vec![row::<AccumulatedMatrix<f32>>("matrix"), row::<CombinedTrs<f32>>("trs")]
}

fn row<X: Transform<Scalar = f32>>(strategy: &'static str) -> Row {
    let input = Input::new(SHAPES[0], NODES);
    let mut measured = Edited::<X>::new(&input);
    let mut planned = measured.clone();
    let mut scatter = Scatter::default();
    let mut total = Duration::ZERO;
    for _ in 0..FRAMES {
        let edits: Vec<_> =
            (0..EDITS_A_FRAME).map(|number| planned.choose(number, &mut scatter)).collect();
        planned.hierarchy.propagate();
        total += timed(|| {
            for &edit in &edits {
                measured.take(edit);
            }
            measured.hierarchy.propagate();
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
        turns: Some(Turns::against(vec![total.as_nanos() as f64 / edits], 1_000.0)),
        bar: 1.0,
    }
}

/// An edit of nodes given by their index in a list, so that it can be repeated.
#[derive(Clone, Copy)]
enum Edit {
    Insert { parent: usize },
    Remove { leaf: usize },
    Move { node: usize, parent: usize },
}

#[derive(Clone)]
struct Edited<X: Transform> {
    hierarchy: Hierarchy<X>,
    ids: Vec<NodeId>,
}

impl<X: Transform<Scalar = f32>> Edited<X> {
    fn new(input: &Input) -> Self {
        let Ours { mut hierarchy, ids, .. } = Ours::new(input);
        hierarchy.reserve(input.nodes() / 4); // like a program that edits in every frame
        Self { hierarchy, ids }
    }

    fn take(&mut self, edit: Edit) {
        match edit {
            Edit::Insert { parent } => {
                let id = self.hierarchy.insert(self.ids[parent], Trs::identity());
                self.ids.push(id.expect("the parent lives"));
            }
            Edit::Remove { leaf } => {
                let leaf = self.ids.swap_remove(leaf);
                self.hierarchy.remove(leaf).expect("the leaf lives");
            }
            Edit::Move { node, parent } => {
                // A target in the node's own subtree is refused, which also has its cost.
                let _ = self.hierarchy.reparent(self.ids[node], self.ids[parent]);
            }
        }
    }

    /// Chooses in turn: add a leaf, remove a leaf, move a leaf or a small subtree.
    fn choose(&mut self, number: usize, scatter: &mut Scatter) -> Edit {
        let any = scatter.below(self.ids.len());
        let edit = match number % 3 {
            0 => Edit::Insert { parent: any },
            1 => Edit::Remove { leaf: self.small_subtree(1, scatter) },
            _ => Edit::Move { node: self.small_subtree(64, scatter), parent: any },
        };
        self.take(edit);
        edit
    }

    /// Returns the index of a node with at most this many nodes in its subtree.
    fn small_subtree(&self, most: usize, scatter: &mut Scatter) -> usize {
        loop {
            let place = scatter.below(self.ids.len());
            let subtree = self.hierarchy.subtree(self.ids[place]).expect("the node lives");
            if subtree.take(most + 1).count() <= most {
                return place;
            }
        }
    }
}
