//! Crowds, end to end: from poses to skinning matrices.

use std::hint::black_box;

use benches::{
    crowds::{Frame, Ours, Slices},
    measure::{in_turns, timed},
    ours::Input,
    peers::{GlamSkin, ToGlam},
    row::Row,
};
use xform_core::crowd::CrowdTransform;
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use crate::full::inputs;

const JOINTS: usize = 32;

/// Skeletons of 32 joints. On both sides poses are either copied from the sampler's memory or written in place.
pub(crate) fn palettes() -> Vec<Row> {
    let humanoids = |input: &Input| input.shape == "humanoids";
    let rows = |input: Input| {
        let mut rows = by::<AccumulatedMatrix<f32>>("matrix", &input);
        rows.extend(by::<CombinedTrs<f32>>("trs", &input));
        rows
    };
    inputs(&[32 * 320, 32 * 3_200]).filter(humanoids).flat_map(rows).collect()
}

fn by<X: CrowdTransform + ToGlam>(strategy: &'static str, input: &Input) -> Vec<Row> {
    let frame = Frame::new(&input.parents[..JOINTS], &input.locals);
    let (mut crowd, mut slices) = (Ours::<X>::new(&frame), Slices::<X>::new(&frame));
    let glam = GlamSkin::new(&frame);
    let [mut palettes, mut theirs] = [(); 2].map(|()| frame.palettes());
    // Where a crowd is larger than the caches, both wait for memory.
    let is_small = frame.poses.len() <= 320 * JOINTS;
    let row = |case, peer, bar, turns| Row {
        peer,
        bar: if is_small { bar } else { 1.0 },
        turns: Some(turns),
        ..Row::of(case, strategy, input)
    };
    let mut rows = Vec::new();
    let turns = in_turns(
        || timed(|| crowd.skin_blocks(black_box(&frame), &mut palettes)),
        || timed(|| glam.skin(slices.propagate(black_box(&frame)), &mut theirs)),
    );
    rows.push(row("palettes from blocks", "slices + glam", 0.55, turns));
    let turns = in_turns(
        || timed(|| crowd.skin_in_place(&mut palettes)),
        || timed(|| glam.skin(slices.propagate_in_place(black_box(&frame)), &mut theirs)),
    );
    rows.push(row("palettes, poses in place", "slices + glam", 0.55, turns));
    let turns = in_turns(
        || timed(|| crowd.skin_poses(black_box(&frame), &mut palettes)),
        || timed(|| glam.skin(slices.propagate(black_box(&frame)), &mut theirs)),
    );
    rows.push(row("palettes from poses", "slices + glam", 0.9, turns));
    let turns = in_turns(
        || timed(|| crowd.skin_poses(black_box(&frame), &mut palettes)),
        || timed(|| slices.skin_by_nalgebra(black_box(&frame), &mut theirs)),
    );
    rows.push(row("palettes from poses", "slices + nalgebra", 1.0, turns));
    let mut worlds = vec![X::identity(); frame.poses.len()];
    let turns = in_turns(
        || timed(|| crowd.copy_worlds(black_box(&frame), &mut worlds)),
        || {
            timed(|| {
                black_box(slices.propagate(black_box(&frame)));
            })
        },
    );
    rows.push(row("worlds from poses", "slices", 1.0, turns));
    rows
}
