//! What `xform fix` did, as `xform diff` sees it: nothing moved, or as far as the repair says.

use nalgebra::Vector3;
use proptest::prelude::*;
use xform_cases::properties;
use xform_compare::{
    compare_engines, diff,
    judge::{DiffOptions, SceneDiff},
};
use xform_fix::{Options, RepairKind};
use xform_scene::{Scene, gltf::read_gltf_drawing, read_gltf};

use crate::{file::fixed_with, worked::turned_below};

fn read(bytes: &[u8]) -> Scene {
    let mut scene = read_gltf(bytes, "file.glb").unwrap();
    scene.drawing = read_gltf_drawing(bytes).unwrap();
    scene
}

fn compared(before: &[u8], after: &[u8], options: &Options) -> SceneDiff {
    let scenes = [before, after].map(read);
    let audits = scenes.each_ref().map(|scene| compare_engines(scene, &options.engines).unwrap());
    let both = [(&scenes[0], &audits[0]), (&scenes[1], &audits[1])];
    diff(both, &DiffOptions::default()).unwrap()
}

properties! {
    #[test]
    fn each_repair_moves_what_it_says(
        scale in [0.3..3.0_f64, 0.3..3.0_f64, 0.3..3.0_f64],
        repair in prop::sample::select(vec![RepairKind::Bake, RepairKind::Leaf, RepairKind::Uniform]),
    ) {
        let scale = Vector3::from(scale);
        prop_assume!(scale.max() / scale.min() > 1.1);
        let before = turned_below(scale.data.0[0]).glb();
        let mut options = Options::default();
        options.repair = repair;
        let fix = fixed_with(&before, &options).unwrap();
        let found = compared(&before, &fix.file, &options);
        let shape = found.shape.as_ref().unwrap();
        let most = shape.things.iter().map(|thing| thing.moved).fold(0.0, f64::max);
        // What a uniform scale moves is told of its group; the others move nothing.
        let told = fix.groups.iter().filter_map(|group| Some(group.change.as_ref()?.largest_move));
        let told = told.fold(0.0, f64::max);
        prop_assert_eq!(told > 0.0, repair == RepairKind::Uniform);
        prop_assert!((most - told).abs() < 1e-5 * shape.diagonal, "{repair:?}: {most} {told}");
        prop_assert!(!found.engines.as_ref().unwrap().is_worse(), "{found:?}");
        prop_assert!(shape.things.iter().all(|thing| thing.matched.is_some() && thing.inside_out == 0));
    }
}
