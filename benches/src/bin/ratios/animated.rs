//! Poses set by an animation: all of them, or many.

use std::{slice::from_ref, time::Duration};

use benches::{
    SHAPES,
    measure::{in_turns, timed},
    ours::{Input, Ours},
    peers::{GlamAffine, GlamDirty, Peer},
    row::Row,
};
use nalgebra::Vector3;
use xform_core::{Topology, Transform, Trs, slices::SubtreeRanges};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::full::inputs;

const SIZES: [u32; 2] = [10_000, 100_000];

/// Every pose is set, one by one, all at once or as a slice, and everything is propagated; glam does both in one loop.
/// 100 000 nodes only fit in the slowest cache: there, moving the bytes alone takes as long as glam (`ratios memory`).
pub(crate) fn all() -> Vec<Row> {
    let rows = |input: Input| {
        let at_once = if input.nodes() <= 10_000 { 1.0 } else { 1.4 };
        [
            of_all("all set one by one", 1.3, &input, Ours::pose_nodes),
            of_all("all set at once", at_once, &input, Ours::pose_all),
            of_all_by_slot(at_once, &input),
            of_all_in_place(at_once, &input),
            of_slices(&input),
        ]
    };
    inputs(&SIZES).flat_map(rows).collect()
}

fn of_all(
    case: &'static str,
    bar: f64,
    input: &Input,
    pose: impl Fn(&mut Ours<AccumulatedMatrix<f32>>, &[Trs<f32>]),
) -> Row {
    let frames = input.frames();
    let mut ours = Ours::new(input);
    let mut turn = 0;
    let ours = || {
        turn = 1 - turn;
        timed(|| {
            pose(&mut ours, &frames[turn]);
            ours.hierarchy.propagate();
        })
    };
    against_glam(case, bar, input, ours)
}

/// The poses are in slot order, as in a system that computes all of them.
fn of_all_by_slot(bar: f64, input: &Input) -> Row {
    let mut ours = Ours::<AccumulatedMatrix<f32>>::new(input);
    let frames = input.frames().map(|frame| ours.by_slot(&frame));
    let mut turn = 0;
    let ours = || {
        turn = 1 - turn;
        timed(|| {
            ours.hierarchy.set_locals_by_slot(&frames[turn]).expect("generated poses are valid");
            ours.hierarchy.propagate();
        })
    };
    against_glam("all set by slot", bar, input, ours)
}

/// Every pose is changed in place: moved back and forth.
fn of_all_in_place(bar: f64, input: &Input) -> Row {
    let mut ours = Ours::<AccumulatedMatrix<f32>>::new(input);
    let mut step = -0.125;
    let ours = || {
        step = -step;
        timed(|| {
            let moved = ours.hierarchy.pose_all(|_, pose| pose.translation.add_scalar_mut(step));
            moved.expect("moved a little");
            ours.hierarchy.propagate();
        })
    };
    against_glam("all changed in place", bar, input, ours)
}

/// Compares a frame of ours with glam's loop, which sets poses and accumulates.
pub(crate) fn against_glam(
    case: &'static str,
    bar: f64,
    input: &Input,
    ours: impl FnMut() -> Duration,
) -> Row {
    let mut theirs = GlamAffine::new(&input.parents, &input.locals);
    let frames = input.frames().map(|frame| GlamAffine::poses(&frame));
    let mut turn = 0;
    let theirs = || {
        turn = 1 - turn;
        timed(|| theirs.pose_and_update(&frames[turn]))
    };
    let row = Row::of(case, "matrix", input);
    Row { peer: "glam Affine3A, set too", turns: Some(in_turns(ours, theirs)), bar, ..row }
}

/// Poses and world transforms in the caller's own vectors.
fn of_slices(input: &Input) -> Row {
    let frames = input.frames();
    let topology = Topology::from_parents(&input.parents).expect("parents first");
    let mut locals = input.locals.clone();
    let mut worlds = vec![AccumulatedMatrix::<f32>::identity(); input.nodes()];
    let everything = 0..input.nodes();
    let mut turn = 0;
    let ours = || {
        turn = 1 - turn;
        timed(|| {
            locals.copy_from_slice(&frames[turn]);
            AccumulatedMatrix::accumulate(&topology, &locals, &mut worlds, from_ref(&everything));
        })
    };
    let bar = if input.nodes() <= 10_000 { 0.62 } else { 0.85 };
    against_glam("all set, slices", bar, input, ours)
}

/// Compares the propagation alone after every pose was set with that after the roots were set.
pub(crate) fn all_or_roots() -> Vec<Row> {
    inputs(&SIZES)
        .flat_map(|input| {
            [
                of_all_or_roots::<AccumulatedMatrix<f32>>("matrix", &input),
                of_all_or_roots::<CombinedTrs<f32>>("trs", &input),
            ]
        })
        .collect()
}

fn of_all_or_roots<X: Transform<Scalar = f32>>(strategy: &'static str, input: &Input) -> Row {
    let frames = input.frames();
    let [mut all, mut roots] = [(); 2].map(|()| Ours::<X>::new(input));
    let mut turn = 0;
    let turns = in_turns(
        || {
            turn = 1 - turn;
            all.pose_nodes(&frames[turn]);
            timed(|| all.hierarchy.propagate())
        },
        || {
            roots.move_roots();
            timed(|| roots.hierarchy.propagate())
        },
    );
    let row = Row::of("propagate, all set", strategy, input);
    Row { peer: "roots set", turns: Some(turns), bar: 1.1, ..row }
}

/// Some nodes are moved one by one, or set to other poses at once or as a slice, and their subtrees are propagated. The
/// nodes are random ones, or evenly spaced ones in their order; all leaves; or a joint of each skeleton.
pub(crate) fn some() -> Vec<Row> {
    const JOINTS: usize = 64;
    macro_rules! ways {
        ($case:literal) => {
            [$case, concat!($case, " at once"), concat!($case, ", slices")]
        };
    }
    let tree = Input::new(SHAPES[0], 100_000);
    let all: Vec<usize> = (0..tree.nodes()).collect();
    let (scattered, in_order) = (
        |part: usize| Input::part_of(&all, part),
        // Without the root, which would recompute everything.
        |part: usize| all.iter().copied().skip(part - 1).step_by(part).collect::<Vec<_>>(),
    );
    let humanoids = inputs(&[500 * 64]).find(|input| input.shape == "humanoids");
    let humanoids = humanoids.expect("humanoids are among the inputs");
    let elbows: Vec<usize> = (0..humanoids.nodes()).skip(JOINTS / 2).step_by(JOINTS).collect();
    let rows = |(cases, bar, input, nodes): ([&'static str; 3], f64, &Input, Vec<usize>)| {
        let [moved, at_once, slices] = cases;
        [
            of_some(moved, bar, input, &nodes),
            of_some_at_once(at_once, bar, input, &nodes),
            of_some_slices(slices, bar, input, &nodes),
        ]
    };
    [
        (ways!("half set"), 1.1, &tree, scattered(2)),
        (ways!("tenth set"), 1.0, &tree, scattered(10)),
        (ways!("hundredth set"), 0.7, &tree, scattered(100)),
        (ways!("half set, in order"), 1.1, &tree, in_order(2)),
        (ways!("tenth set, in order"), 1.0, &tree, in_order(10)),
        (ways!("hundredth set, in order"), 0.7, &tree, in_order(100)),
        (ways!("leaves set"), 1.0, &tree, tree.leaves()),
        (ways!("a joint of each skeleton set"), 1.0, &humanoids, elbows),
    ]
    .into_iter()
    .flat_map(rows)
    .collect()
}

fn of_some(case: &'static str, bar: f64, input: &Input, nodes: &[usize]) -> Row {
    let mut ours = Ours::<AccumulatedMatrix<f32>>::new(input);
    let ids = ours.ids_of(nodes);
    let mut place = Vector3::zeros();
    let ours = || {
        timed(|| {
            ours.move_nodes(&ids);
            ours.hierarchy.propagate();
        })
    };
    against_dirty_glam(case, bar, input, ours, |theirs| {
        place = Vector3::repeat(1.0) - place;
        nodes.iter().for_each(|&node| theirs.set_translation(node, place));
    })
}

/// Whole poses, as in an animation. glam's are set one by one.
fn of_some_at_once(case: &'static str, bar: f64, input: &Input, nodes: &[usize]) -> Row {
    let mut ours = Ours::<AccumulatedMatrix<f32>>::new(input);
    let ids = ours.ids_of(nodes);
    let frames = frames_of(input, nodes);
    let mut turn = 0;
    let ours = || {
        turn = 1 - turn;
        timed(|| {
            let posed = ours.hierarchy.set_locals(&ids, &frames[turn]);
            posed.expect("generated poses are valid");
            ours.hierarchy.propagate();
        })
    };
    against_dirty_glam(case, bar, input, ours, poses_in_turns(&frames, nodes))
}

/// Poses and world transforms in the caller's own vectors. The subtrees of these nodes are recomputed.
fn of_some_slices(case: &'static str, bar: f64, input: &Input, nodes: &[usize]) -> Row {
    let frames = frames_of(input, nodes);
    let topology = Topology::from_parents(&input.parents).expect("parents first");
    let mut below = SubtreeRanges::new(&topology);
    let mut locals = input.locals.clone();
    let mut worlds = vec![AccumulatedMatrix::<f32>::identity(); input.nodes()];
    let mut turn = 0;
    let ours = || {
        turn = 1 - turn;
        timed(|| {
            nodes.iter().zip(&frames[turn]).for_each(|(&node, pose)| locals[node] = *pose);
            let ranges = below.of(nodes.iter().copied());
            AccumulatedMatrix::accumulate(&topology, &locals, &mut worlds, ranges);
        })
    };
    against_dirty_glam(case, bar, input, ours, poses_in_turns(&frames, nodes))
}

/// Returns the poses of these nodes in each of two frames.
fn frames_of(input: &Input, nodes: &[usize]) -> [Vec<Trs<f32>>; 2] {
    input.frames().map(|frame| nodes.iter().map(|&node| frame[node]).collect())
}

/// Returns a function that sets these nodes to the poses of the two frames in turn.
fn poses_in_turns(frames: &[Vec<Trs<f32>>; 2], nodes: &[usize]) -> impl FnMut(&mut GlamDirty) {
    let mut turn = 0;
    move |theirs| {
        turn = 1 - turn;
        nodes.iter().zip(&frames[turn]).for_each(|(&node, pose)| theirs.set_local(node, pose));
    }
}

/// Compares a frame of ours with nodes set in glam, followed by its loop over all dirty bytes.
fn against_dirty_glam(
    case: &'static str,
    bar: f64,
    input: &Input,
    ours: impl FnMut() -> Duration,
    mut set: impl FnMut(&mut GlamDirty),
) -> Row {
    let mut theirs = GlamDirty::new(&input.parents, &input.locals);
    let theirs = || {
        timed(|| {
            set(&mut theirs);
            theirs.update();
        })
    };
    let row = Row::of(case, "matrix", input);
    Row { peer: "glam, dirty bytes", turns: Some(in_turns(ours, theirs)), bar, ..row }
}
