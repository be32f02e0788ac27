//! The cost of nodes that do not inherit everything.

use benches::{
    SHAPES,
    measure::{in_turns, timed},
    ours::{Input, Ours},
    row::Row,
};
use xform_core::{Inherit, InstructionSet, Transform};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

/// The bar.
const BAR: f64 = 1.3;

pub(crate) fn scale() -> Vec<Row> {
    vec![of_strategy::<AccumulatedMatrix<f32>>("matrix"), of_strategy::<CombinedTrs<f32>>("trs")]
}

/// Updates all nodes when one in a hundred does not inherit scale, against when all inherit everything.
fn of_strategy<X: Transform<Scalar = f32>>(strategy: &'static str) -> Row {
    let input = Input::new(SHAPES[0], 100_000);
    let all: Vec<usize> = (0..input.nodes()).collect();
    let mut inheriting = Ours::<X>::new(&input);
    let mut ours = inheriting.clone();
    for node in Input::part_of(&all, 100) {
        let changed = ours.hierarchy.set_inherit(ours.ids[node], Inherit::NoScale);
        changed.expect("it lives, and both strategies can");
    }
    let update = |of: &mut Ours<X>| {
        of.move_nodes(&of.ids_of(&[0]));
        timed(|| of.hierarchy.propagate())
    };
    Row {
        case: "1 % without scale",
        strategy,
        shape: input.shape,
        nodes: input.nodes(),
        isa: InstructionSet::best().name(),
        peer: "all inherit all",
        turns: Some(in_turns(|| update(&mut ours), || update(&mut inheriting))),
        bar: BAR,
    }
}
