//! Real files, which are not part of the repository: name their folder in `XFORM_SCENES`.
//!
//! `XFORM_SCENES=folder cargo test -p xform-compare --test all real_scenes -- --ignored`

use std::{env, fs, path::PathBuf};

use xform_compare::{Grade, Scene, SceneAudit, compare, read_gltf};

fn scene(name: &str) -> Scene {
    let folder = env::var_os("XFORM_SCENES").expect("XFORM_SCENES names the folder of the files");
    let bytes = fs::read(PathBuf::from(folder).join(name)).unwrap();
    read_gltf(&bytes, name).unwrap()
}

fn audit(name: &str) -> SceneAudit {
    compare(&scene(name)).unwrap()
}

#[test]
#[ignore = "needs files that are not part of the repository"]
fn rest_poses_have_the_figures_of_an_independent_oracle() {
    // Nodes, skew in degrees and displacement as a fraction of the scene, where one is known.
    let known = [
        ("BowShooting.glb", 17, 28.41, None),
        ("mannequiny.glb", 48, 0.0, Some(0.0)),
        ("tank.gltf", 741, 0.0, Some(0.0143)),
        ("RecursiveSkeletons.glb", 924, 0.0, Some(0.0)),
        ("RiggedFigure.glb", 22, 0.0, Some(0.0)),
        ("BoxAnimated.glb", 4, 0.0, Some(0.0)),
        ("InterpolationTest.glb", 12, 0.0, Some(0.0)),
        ("NegativeScaleTest.glb", 14, 0.0, Some(0.0)),
        ("SimpleSkin.gltf", 3, 0.0, Some(0.0)),
    ];
    for (name, nodes, skew, fraction) in known {
        let summary = audit(name).summary;
        assert_eq!(summary.nodes, nodes, "{name}");
        assert!((summary.max_skew_degrees - skew).abs() < 0.005, "{name}: {summary:?}");
        let percent = summary.max_displacement_percent.unwrap();
        if let Some(fraction) = fraction {
            assert!((percent / 100.0 - fraction).abs() < 1e-4, "{name}: {summary:?}");
        }
    }
}

#[test]
#[ignore = "needs files that are not part of the repository"]
fn grades_are_those_a_person_would_give() {
    // The percentage is that of the worst node, at rest or in motion.
    let known = [
        ("BowShooting.glb", Grade::Visible, 0.4413),
        ("mannequiny.glb", Grade::Visible, 1.214),
        ("tank.gltf", Grade::Visible, 1.426),
        ("RecursiveSkeletons.glb", Grade::Identical, 0.0),
        ("RiggedFigure.glb", Grade::Identical, 0.0),
        ("BoxAnimated.glb", Grade::Identical, 0.0),
        ("InterpolationTest.glb", Grade::Identical, 0.0),
        ("NegativeScaleTest.glb", Grade::Identical, 0.0),
        ("SimpleSkin.gltf", Grade::Identical, 0.0),
    ];
    for (name, grade, percent) in known {
        let summary = audit(name).summary;
        assert_eq!(summary.grade, grade, "{name}");
        let in_motion = summary.motion.and_then(|motion| motion.max_displacement_percent);
        let found = summary.max_displacement_percent.unwrap().max(in_motion.unwrap_or(0.0));
        assert!((found - percent).abs() < 5e-4, "{name}: {found} %");
    }
}

#[test]
#[ignore = "needs files that are not part of the repository"]
fn motion_has_the_figures_of_an_independent_oracle() {
    let scene = scene("mannequiny.glb");
    let audit = compare(&scene).unwrap();
    assert!(audit.summary.max_skew_degrees < 1e-4, "at rest");
    let (mut skew, mut moved) = (0.0_f64, 0.0_f64);
    for (place, animation) in scene.animations.iter().enumerate() {
        for channel in &animation.channels {
            for &time in channel.track.times() {
                let posed = compare(&scene.posed(place, time)).unwrap().summary;
                skew = skew.max(posed.max_skew_degrees);
                moved = moved.max(posed.max_displacement);
            }
        }
    }
    assert!((skew - 9.17395).abs() < 5e-6, "at the keyframes: {skew}");
    // 0.0101 of the box around all nodes, whose diagonal is 2.2406.
    assert!((moved - 0.0101 * 2.2406).abs() < 1e-4, "at the keyframes: {moved}");
    let motion = audit.summary.motion.unwrap();
    assert!((motion.max_skew_degrees - 10.8483).abs() < 5e-4, "between them: {motion:?}");
    assert!((motion.max_displacement - 0.026917).abs() < 5e-6, "between them: {motion:?}");
    for still in ["RecursiveSkeletons.glb", "BoxAnimated.glb", "InterpolationTest.glb"] {
        let motion = self::audit(still).summary.motion.unwrap();
        assert_eq!((motion.differing_nodes, motion.not_sampled), (0, 0), "{still}");
    }
}
