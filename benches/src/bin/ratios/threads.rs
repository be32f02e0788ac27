//! Two threads against one.

use std::error::Error;

use benches::{
    SHAPES,
    measure::{in_turns, timed},
    ours::{Input, Ours},
    peers::{GlamAffine, Peer},
    row::Row,
};
use rayon::{ThreadPool, ThreadPoolBuilder};
use xform_core::{InstructionSet, Transform};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

/// The bar at 100 000 and 300 000 nodes, where two independent loops reach 1.8 times the speed of
/// one. At other sizes the bar is not to be slower, with 5 % for noise.
const FASTER: f64 = 1.0 / 1.4;
const NOT_SLOWER: f64 = 1.05;
const SIZES: [u32; 7] = [1_000, 10_000, 30_000, 40_000, 100_000, 300_000, 1_000_000];

pub(crate) fn two() -> Result<Vec<Row>, Box<dyn Error>> {
    let pools = [1, 2].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build());
    let [one, two] = pools;
    let (one, two) = (one?, two?);
    let mut rows = vec![independent(&one, &two)];
    for nodes in SIZES {
        let input = Input::new(SHAPES[0], nodes);
        rows.push(row::<AccumulatedMatrix<f32>>("matrix", &input, &one, &two));
        rows.push(row::<CombinedTrs<f32>>("trs", &input, &one, &two));
    }
    Ok(rows)
}

fn row<X: Transform<Scalar = f32>>(
    strategy: &'static str,
    input: &Input,
    one: &ThreadPool,
    two: &ThreadPool,
) -> Row {
    let isa = InstructionSet::best();
    let [mut by_two, mut by_one] = [(); 2].map(|()| Ours::<X>::new(input));
    let turns = Some(in_turns(
        || two.install(|| timed(|| by_two.update_all(isa))),
        || one.install(|| timed(|| by_one.update_all(isa))),
    ));
    let bar = if matches!(input.nodes(), 100_000 | 300_000) { FASTER } else { NOT_SLOWER };
    let (shape, nodes, isa) = (input.shape, input.nodes(), isa.name());
    Row { case: "two threads", strategy, shape, nodes, isa, peer: "one thread", turns, bar }
}

/// Measures the limit of this machine: two independent loops at the same time, against one after the other.
fn independent(one: &ThreadPool, two: &ThreadPool) -> Row {
    let input = Input::new(SHAPES[0], 10_000);
    let peer = || GlamAffine::new(&input.parents, &input.locals);
    let [mut a, mut b, mut c, mut d] = [peer(), peer(), peer(), peer()];
    let join = |a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)| {
        rayon::join(a, b);
    };
    let often = |peer: &mut GlamAffine| (0..20).for_each(|_| peer.update());
    let turns = Some(in_turns(
        || two.install(|| timed(|| join(&mut || often(&mut a), &mut || often(&mut b)))),
        || one.install(|| timed(|| join(&mut || often(&mut c), &mut || often(&mut d)))),
    ));
    Row {
        case: "two independent loops",
        strategy: "matrix",
        shape: input.shape,
        nodes: input.nodes(),
        isa: "SSE2",
        peer: "one thread",
        turns,
        bar: 1.0 / 1.8,
    }
}
