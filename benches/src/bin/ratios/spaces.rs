//! Queries about one node: a point of it in another space, its rotation, its pose relative to another node.

use std::{hint::black_box, time::Duration};

use benches::{
    measure::{Turns, alone, in_turns, timed_many},
    ours::{Input, Ours},
    row::Row,
};
use nalgebra::{Point3, Vector3};
use xform_core::{
    Hierarchy, HierarchyError, Space, Trs, spaces::Conversion, strategy::RelativeTransform,
};
use xform_matrix::AccumulatedMatrix;
use xform_scene::built_in::Shape;
use xform_trs::CombinedTrs;

/// The depth of the queried node.
const DEPTH: usize = 11;

/// The bar of a conversion, relative to the same by hand, and the bars of calls in nanoseconds.
const BY_HAND: f64 = 3.0;
const BETWEEN_NODES: f64 = 250.0;
const WORLD_ROTATION: f64 = 60.0;
const RELATIVE_POSE: f64 = 500.0;
/// The bar of a read while an edit waits in another tree, relative to the same read after propagation.
const WAITING: f64 = 1.2;

pub(crate) fn asked() -> Vec<Row> {
    [of_strategy::<AccumulatedMatrix<f32>>("matrix"), of_strategy::<CombinedTrs<f32>>("trs")]
        .concat()
}

/// A hundred chains, so that a node has neighbours that do not belong to it.
fn chains(scale: Vector3<f32>) -> Input {
    let chain = Input::new(("chain", Shape::Chain), 12);
    let trees = (0..100_usize).flat_map(|tree| {
        chain.parents.iter().map(move |parent| parent.map(|parent| parent + 12 * tree))
    });
    let locals = (0..100).flat_map(|_| chain.locals.clone()).map(|local| Trs { scale, ..local });
    Input { shape: "chains", parents: trees.collect(), locals: locals.collect() }
}

fn of_strategy<X: RelativeTransform<Scalar = f32>>(strategy: &'static str) -> Vec<Row> {
    // Sheared, but not so much that there is no inverse.
    let input = chains(Vector3::new(1.0, 1.25, 0.8));
    let ours = Ours::<X>::new(&input);
    let uniform = Ours::<X>::new(&chains(Vector3::repeat(1.1)));
    let [root, leaf] = [50 * 12, 50 * 12 + DEPTH].map(|node| ours.ids[node]);
    let h = &ours.hierarchy;
    let point = Point3::new(1.0, 2.0, 3.0);
    let row = |case, peer, turns, bar| Row {
        peer,
        turns: Some(turns),
        bar,
        ..Row::of(case, strategy, &input)
    };
    let converted = |made: Result<Conversion<f32>, HierarchyError>| {
        made.expect("it has an inverse").point(black_box(&point))
    };
    let own = || h.world(black_box(leaf)).expect("it lives");
    let place = |of: &Hierarchy<X>| of.world_translation(black_box(leaf)).expect("it lives");
    let of_bar = |case, ours, bar| row(case, "the bar", Turns::against(ours, bar), 1.0);
    let settled = ours.hierarchy.clone();
    let mut waiting = settled.clone();
    waiting.set_translation(ours.ids[0], Vector3::repeat(7.0)).expect("it lives");
    vec![
        row(
            "a point to the world",
            "world and transform_point",
            in_turns(
                || many(|| converted(h.conversion(black_box(leaf), Space::World))),
                || many(|| own().transform_point(black_box(&point))),
            ),
            BY_HAND,
        ),
        row(
            "a point from the world",
            "world and inverse_transform_point",
            in_turns(
                || many(|| converted(h.conversion(Space::World, black_box(leaf)))),
                || many(|| own().inverse_transform_point(black_box(&point))),
            ),
            BY_HAND,
        ),
        of_bar(
            "a point to the root",
            alone(|| many(|| converted(h.conversion(black_box(leaf), black_box(root))))),
            BETWEEN_NODES,
        ),
        of_bar(
            "world_rotation",
            alone(|| many(|| h.world_rotation(black_box(leaf)))),
            WORLD_ROTATION,
        ),
        of_bar(
            "relative_pose below the root",
            alone(|| many(|| h.relative_pose(black_box(leaf), black_box(root)))),
            RELATIVE_POSE,
        ),
        of_bar(
            "relative_pose below the root, uniform scales",
            alone(|| {
                let [root, leaf] = [50 * 12, 50 * 12 + DEPTH].map(|node| uniform.ids[node]);
                many(|| uniform.hierarchy.relative_pose(black_box(leaf), black_box(root)))
            }),
            RELATIVE_POSE,
        ),
        row(
            "world_translation while another tree waits",
            "nothing waits",
            in_turns(|| many(|| place(&waiting)), || many(|| place(&settled))),
            WAITING,
        ),
    ]
}

/// Returns the duration of a call whose result is used.
fn many<T>(call: impl Fn() -> T) -> Duration {
    timed_many(|| {
        black_box(call());
    })
}
