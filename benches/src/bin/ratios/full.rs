//! Every node is recomputed.

use benches::{
    SHAPES,
    measure::{against_the_faster, in_turns, timed},
    ours::{Input, Ours},
    peers::{
        BEVY, Bevy, GlamAffine, GlamTrs, GlamTrsMatrices, Hecs, NalgebraMatrix, Peer,
        StaticOptimizations, Touch, UltravioletMatrix,
    },
    row::Row,
};
use nalgebra::Vector3;
use xform_core::{InstructionSet, Transform};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

/// Returns the inputs that have bars: trees and humanoids.
pub(crate) fn inputs(sizes: &[u32]) -> impl Iterator<Item = Input> {
    let shapes = SHAPES.into_iter().filter(|(name, _)| ["tree", "humanoids"].contains(name));
    shapes.flat_map(|shape| sizes.iter().map(move |&nodes| Input::new(shape, nodes)))
}

/// Measures full updates with each kernel against a peer.
fn against<X: Transform<Scalar = f32>, P: Peer>(
    case: &'static str,
    strategy: &'static str,
    peer: &'static str,
    bar: impl Fn(&Input, InstructionSet) -> Option<f64>,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for input in inputs(&[10_000, 100_000]) {
        let mut theirs = P::new(&input.parents, &input.locals);
        let mut ours = Ours::<X>::new(&input);
        ours.hierarchy.keep_matrices(case == "full with matrices");
        for isa in InstructionSet::ALL.into_iter().rev() {
            let Some(bar) = bar(&input, isa) else { continue };
            let turns = isa
                .is_available()
                .then(|| in_turns(|| timed(|| ours.update_all(isa)), || timed(|| theirs.update())));
            let (shape, nodes, isa) = (input.shape, input.nodes(), isa.name());
            rows.push(Row { case, strategy, shape, nodes, isa, peer, turns, bar });
        }
    }
    rows
}

pub(crate) fn matrix() -> Vec<Row> {
    let bar = |input: &Input, isa: InstructionSet| match (isa, input.shape, input.nodes()) {
        (InstructionSet::Plain, ..) => None,
        (InstructionSet::Simd128, ..) => isa.is_available().then_some(1.0),
        (InstructionSet::Sse2, "tree", _) => Some(0.75),
        (InstructionSet::Sse2, ..) => Some(0.85),
        (InstructionSet::Avx2, "tree", _) => Some(0.5),
        (InstructionSet::Avx2, _, 10_000) => Some(0.62),
        (InstructionSet::Avx2, ..) => Some(0.75),
    };
    against::<AccumulatedMatrix<f32>, GlamAffine>("full", "matrix", "glam Affine3A", bar)
}

/// The four-lane kernel against the plain one, in WebAssembly.
pub(crate) fn simd128() -> Vec<Row> {
    let inputs = inputs(&[10_000]).filter(|_| InstructionSet::Simd128.is_available());
    let rows = |input: Input| {
        [
            against_plain::<AccumulatedMatrix<f32>>("matrix", &input),
            against_plain::<CombinedTrs<f32>>("trs", &input),
        ]
    };
    inputs.flat_map(rows).collect()
}

fn against_plain<X: Transform<Scalar = f32>>(strategy: &'static str, input: &Input) -> Row {
    let [mut by_lanes, mut plainly] = [(); 2].map(|()| Ours::<X>::new(input));
    let turns = in_turns(
        || timed(|| by_lanes.update_all(InstructionSet::Simd128)),
        || timed(|| plainly.update_all(InstructionSet::Plain)),
    );
    let row = Row::of("full", strategy, input);
    Row { peer: "the plain kernel", turns: Some(turns), bar: 0.6, ..row }
}

/// Against matrix code on other libraries, which takes longer than glam's loop. The bar is to be faster.
pub(crate) fn matrix_by_others() -> Vec<Row> {
    let bar = |_: &Input, isa| (isa == InstructionSet::best()).then_some(1.0);
    let nalgebra = against::<AccumulatedMatrix<f32>, NalgebraMatrix>;
    let hecs = against::<AccumulatedMatrix<f32>, Hecs>;
    let ultraviolet = against::<AccumulatedMatrix<f32>, UltravioletMatrix>;
    let mut rows = nalgebra("full", "matrix", "nalgebra Matrix4", bar);
    rows.extend(ultraviolet("full", "matrix", "ultraviolet Mat4", bar));
    rows.extend(hecs("full", "matrix", "hecs, up to the root", bar));
    rows
}

pub(crate) fn trs() -> Vec<Row> {
    let bar = |_: &Input, isa: InstructionSet| match isa {
        InstructionSet::Plain => None,
        InstructionSet::Simd128 => isa.is_available().then_some(1.0),
        // Unlike glam's, our rotations stay unit at any depth.
        InstructionSet::Sse2 => Some(0.75),
        InstructionSet::Avx2 => Some(0.57),
    };
    against::<CombinedTrs<f32>, GlamTrs>("full", "trs", "glam TRS", bar)
}

pub(crate) fn trs_with_matrices() -> Vec<Row> {
    let bar = |_: &Input, isa| match isa {
        InstructionSet::Plain | InstructionSet::Simd128 | InstructionSet::Sse2 => None,
        InstructionSet::Avx2 => Some(0.7),
    };
    let peer = "glam TRS + Mat4";
    against::<CombinedTrs<f32>, GlamTrsMatrices>("full with matrices", "trs", peer, bar)
}

/// Beside a loop that only touches the same memory.
pub(crate) fn against_the_limit() -> Vec<Row> {
    let row = |input: Input| {
        let mut theirs = Touch::new(&input.parents, &input.locals);
        let mut ours = Ours::<AccumulatedMatrix<f32>>::new(&input);
        let isa = InstructionSet::best();
        let turns = Some(in_turns(|| timed(|| ours.update_all(isa)), || timed(|| theirs.update())));
        Row {
            case: "full against the limit",
            strategy: "matrix",
            shape: input.shape,
            nodes: input.nodes(),
            isa: isa.name(),
            peer: "touch",
            turns,
            bar: if input.shape == "tree" { 1.18 } else { 1.25 },
        }
    };
    inputs(&[1_000_000]).map(row).collect()
}

/// Against Bevy, in the faster of its settings for each input.
pub(crate) fn against_bevy() -> Vec<Row> {
    let rows = |input: Input| {
        [
            bevy_row::<AccumulatedMatrix<f32>>("matrix", &input),
            bevy_row::<CombinedTrs<f32>>("trs", &input),
        ]
    };
    inputs(&[10_000, 100_000]).flat_map(rows).collect()
}

fn bevy_row<X: Transform<Scalar = f32>>(strategy: &'static str, input: &Input) -> Row {
    let isa = InstructionSet::best();
    let mut ours = Ours::<X>::new(input);
    let in_setting = |setting| {
        let mut theirs = Bevy::new(&input.parents, &input.locals, setting);
        let mut place = Vector3::zeros();
        in_turns(
            || timed(|| ours.update_all(isa)),
            || {
                place = Vector3::repeat(1.0) - place;
                timed(|| {
                    theirs.move_roots(place);
                    theirs.update();
                })
            },
        )
    };
    let settings = [StaticOptimizations::Disabled, StaticOptimizations::Enabled].map(in_setting);
    Row {
        case: "full against bevy",
        strategy,
        shape: input.shape,
        nodes: input.nodes(),
        isa: isa.name(),
        peer: BEVY,
        turns: Some(against_the_faster(settings)),
        bar: 0.35,
    }
}
