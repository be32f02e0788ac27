//! Results that are passed on to a renderer, against a program that does the same without the library.

use benches::{
    measure::{in_turns, timed},
    ours::{Input, Ours},
    row::Row,
};
use nalgebra::{Matrix4, Vector3};
use xform_core::{Snapshot, Transform, Trs, world_matrix::WorldMatrix};
use xform_matrix::AccumulatedMatrix;

use crate::full::inputs;

pub(crate) fn to_a_renderer() -> Vec<Row> {
    let rows = |input: Input| [as_a_camera_sees_it(&input), snapshot(&input), between(&input)];
    let mut rows: Vec<_> = inputs(&[10_000]).flat_map(rows).collect();
    rows.push(read_while_an_edit_waits());
    rows
}

/// All matrices relative to a node.
fn as_a_camera_sees_it(input: &Input) -> Row {
    let ours = Ours::<AccumulatedMatrix<f32>>::new(input);
    let camera = ours.ids[input.nodes() / 2];
    let camera_from_world = ours.hierarchy.world_matrix(camera).expect("it is there");
    let camera_from_world = camera_from_world.try_inverse().expect("no scale is zero");
    let mut seen: Vec<WorldMatrix<f32>> = Vec::new();
    let mut products: Vec<Matrix4<f32>> = Vec::new();
    let turns = in_turns(
        || timed(|| ours.hierarchy.matrices_relative_to(camera, &mut seen).expect("propagated")),
        || {
            timed(|| {
                let worlds = ours.hierarchy.worlds().expect("propagated");
                products.clear();
                products.extend(worlds.iter().map(|world| camera_from_world * world.matrix()));
            })
        },
    );
    let row = Row::of("as a camera sees it", "matrix", input);
    Row { peer: "a product each", turns: Some(turns), ..row }
}

/// A snapshot into existing memory, against a clone.
fn snapshot(input: &Input) -> Row {
    let ours = Ours::<AccumulatedMatrix<f32>>::new(input);
    let (mut taken, mut clone) = (Snapshot::new(), ours.hierarchy.clone());
    let turns = in_turns(
        || timed(|| ours.hierarchy.snapshot(&mut taken).expect("propagated")),
        || timed(|| clone = ours.hierarchy.clone()),
    );
    drop(clone);
    let row = Row::of("snapshot", "matrix", input);
    Row { peer: "a clone", turns: Some(turns), ..row }
}

/// Interpolation between two snapshots in which every node moved, against interpolating and setting each pose.
fn between(input: &Input) -> Row {
    let frames = input.frames();
    let mut ours = Ours::<AccumulatedMatrix<f32>>::new(input);
    let [mut from, mut to, mut drawn] = [(); 3].map(|()| Snapshot::new());
    for (snapshot, frame) in [&mut from, &mut to].into_iter().zip(&frames) {
        ours.pose_nodes(frame);
        ours.hierarchy.propagate();
        ours.hierarchy.snapshot(snapshot).expect("propagated");
    }
    let mut part = 0.25;
    let turns = in_turns(
        || timed(|| drawn.interpolate(&from, &to, 0.5)),
        || {
            part = 1.0 - part;
            timed(|| {
                for ((&id, from), to) in ours.ids.iter().zip(&frames[0]).zip(&frames[1]) {
                    let set = ours.hierarchy.set_local(id, from.interpolate(to, part));
                    set.expect("between two valid poses");
                }
                ours.hierarchy.propagate();
            })
        },
    );
    let row = Row::of("between two snapshots", "matrix", input);
    Row { peer: "set one by one", turns: Some(turns), ..row }
}

/// Many reads after one edit, with and without a propagation before them.
fn read_while_an_edit_waits() -> Row {
    const NODES: usize = 2_000;
    let parents: Vec<_> = (0..NODES).map(|node| node.checked_sub(1)).collect();
    let step = Trs::from_translation(Vector3::repeat(0.01));
    let input = Input { shape: "chain", parents, locals: vec![step; NODES] };
    let [mut propagated, mut pending] =
        [(); 2].map(|()| Ours::<AccumulatedMatrix<f32>>::new(&input));
    let read_all = |ours: &Ours<AccumulatedMatrix<f32>>| {
        let end = ours.ids[NODES - 1];
        let read = || ours.hierarchy.world(end).expect("it is there");
        let sum = (0..NODES).map(|_| read().to_homogeneous().m14).sum::<f32>();
        assert!(sum.is_finite(), "what is read is used");
    };
    let turns = in_turns(
        || {
            timed(|| {
                propagated.move_roots();
                propagated.hierarchy.propagate();
                read_all(&propagated);
            })
        },
        || {
            timed(|| {
                pending.move_roots();
                read_all(&pending);
            })
        },
    );
    let row = Row::of("2 000 reads, propagated first", "matrix", &input);
    Row { peer: "while an edit waits", turns: Some(turns), ..row }
}
