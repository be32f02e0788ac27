//! Every peer makes the world transforms that ours makes, or the comparison would mean nothing.

use benches::{
    SHAPES,
    crowds::{self, Frame, Rows, Slices, Ultraviolet},
    ours::{Input, Ours},
    peers::{
        Bevy, GlamAffine, GlamDirty, GlamSkin, GlamTrs, GlamTrsMatrices, Hecs, NalgebraMatrix,
        Peer, StaticOptimizations, ToGlam, UltravioletMatrix,
    },
};
use nalgebra::Matrix4;
use xform_core::{Transform, crowd::CrowdTransform};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

/// In `f32`, for entries up to some tens.
const WITHIN: f32 = 1e-3;

fn assert_close(ours: &Matrix4<f32>, theirs: &Matrix4<f32>) {
    assert!((ours - theirs).amax() <= WITHIN, "{ours} {theirs}");
}

fn check<X: Transform<Scalar = f32>, P: Peer>() {
    for shape in SHAPES {
        let input = Input::new(shape, 300);
        let ours = Ours::<X>::new(&input);
        let mut theirs = P::new(&input.parents, &input.locals);
        theirs.update();
        for (node, &id) in ours.ids.iter().enumerate() {
            let world = ours.hierarchy.world_matrix(id).expect("the node lives");
            assert_close(&world, &theirs.world(node));
        }
    }
}

#[test]
fn peers_that_accumulate_matrices_agree_with_matrices() {
    check::<AccumulatedMatrix<f32>, GlamAffine>();
    check::<AccumulatedMatrix<f32>, GlamDirty>();
    check::<AccumulatedMatrix<f32>, Hecs>();
    check::<AccumulatedMatrix<f32>, NalgebraMatrix>();
    check::<AccumulatedMatrix<f32>, UltravioletMatrix>();
}

#[test]
fn peers_that_combine_agree_with_combined_trs() {
    check::<CombinedTrs<f32>, GlamTrs>();
    check::<CombinedTrs<f32>, GlamTrsMatrices>();
}

/// Every way from poses to skinning matrices.
fn check_skins<X: CrowdTransform + ToGlam>() {
    let input = Input::new(SHAPES[1], 3 * 64);
    let frame = Frame::new(&input.parents[..32], &input.locals);
    let glam = GlamSkin::new(&frame);
    let mut expected = frame.palettes();
    Slices::<X>::new(&frame).skin_by_nalgebra(&frame, &mut expected);
    let mut found = Vec::new();
    let mut skinned = |skin: &mut dyn FnMut(&mut [Rows])| {
        let mut palettes = frame.palettes();
        skin(&mut palettes);
        found.push(palettes);
    };
    skinned(&mut |palettes| crowds::Ours::<X>::new(&frame).skin_blocks(&frame, palettes));
    skinned(&mut |palettes| crowds::Ours::<X>::new(&frame).skin_poses(&frame, palettes));
    skinned(&mut |palettes| crowds::Ours::<X>::new(&frame).skin_in_place(palettes));
    skinned(&mut |palettes| glam.skin(Slices::<X>::new(&frame).propagate(&frame), palettes));
    skinned(&mut |palettes| {
        glam.skin(Slices::<X>::new(&frame).propagate_in_place(&frame), palettes);
    });
    if X::identity().parts().is_none() {
        skinned(&mut |palettes| Ultraviolet::new(&frame).skin_blocks(&frame, palettes));
    }
    for (expected, found) in found.iter().flat_map(|found| expected.iter().zip(found)) {
        let entries = expected.iter().zip(found);
        assert!(entries.clone().all(|(a, b)| (a - b).abs() <= WITHIN), "{expected:?} {found:?}");
    }
}

#[test]
fn crowds_skin_alike() {
    check_skins::<AccumulatedMatrix<f32>>();
    check_skins::<CombinedTrs<f32>>();
}

#[test]
fn what_moved_moves_everywhere() {
    let input = Input::new(SHAPES[0], 300);
    let mut ours = Ours::<AccumulatedMatrix<f32>>::new(&input);
    let mut dirty = GlamDirty::new(&input.parents, &input.locals);
    dirty.update();
    let settings = [StaticOptimizations::Enabled, StaticOptimizations::Disabled];
    let mut bevies = settings.map(|setting| Bevy::new(&input.parents, &input.locals, setting));
    for node in [7, 100] {
        ours.move_nodes(&ours.ids_of(&[node]));
        let place = ours.hierarchy.local(ours.ids[node]).expect("the node lives").translation;
        dirty.set_translation(node, place);
        bevies.iter_mut().for_each(|bevy| bevy.set_translation(node, place));
        ours.hierarchy.propagate();
        dirty.update();
        bevies.iter_mut().for_each(Bevy::update);
        for (node, &id) in ours.ids.iter().enumerate() {
            let world = ours.hierarchy.world_matrix(id).expect("the node lives");
            assert_close(&world, &dirty.world(node));
            for bevy in &bevies {
                assert_close(&world, &bevy.world(node).expect("spawned with one"));
            }
        }
    }
}

#[test]
fn a_pose_that_is_set_is_the_same_by_glam() {
    let input = Input::new(SHAPES[0], 300);
    let mut ours = Ours::<AccumulatedMatrix<f32>>::new(&input);
    let mut dirty = GlamDirty::new(&input.parents, &input.locals);
    dirty.update();
    for (node, pose) in [(7, input.locals[9]), (100, input.locals[11])] {
        ours.hierarchy.set_local(ours.ids[node], pose).expect("a generated pose");
        dirty.set_local(node, &pose);
    }
    ours.hierarchy.propagate();
    dirty.update();
    for (node, &id) in ours.ids.iter().enumerate() {
        let world = ours.hierarchy.world_matrix(id).expect("the node lives");
        assert_close(&world, &dirty.world(node));
    }
}
