//! Real files, which are not part of the repository: name their folder in `XFORM_SCENES`.
//!
//! `XFORM_SCENES=folder cargo test -p xform-compare --test real_scenes -- --ignored`

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{env, fs, path::PathBuf};

use xform_compare::{SceneAudit, compare, read_gltf};

fn audit(name: &str) -> SceneAudit {
    let folder = env::var_os("XFORM_SCENES").expect("XFORM_SCENES names the folder of the files");
    let bytes = fs::read(PathBuf::from(folder).join(name)).unwrap();
    compare(&read_gltf(&bytes, name).unwrap()).unwrap()
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
