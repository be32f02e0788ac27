//! The scenes of the kit of `xform-engines` as FBX files: with all nodes of one inherit type, or with types in turns.

use std::{env, fs, path::Path};

use crate::witnesses::{RUNS, answers, file};

const UPDATE: &str = "XFORM_UPDATE_KIT";

/// The files of the folder are what is made here. `XFORM_UPDATE_KIT=1` writes them.
#[test]
fn the_kit_has_the_files_that_are_made_here() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../xform-engines/kit/scenes");
    let scenes = answers().scenes.into_iter();
    // A node of FBX has no matrix, and skins and animations are asked about as glTF.
    let has_poses = scenes.filter(|(name, nodes)| {
        !["skin", "anim"].contains(&name.as_str()) && nodes.iter().all(|node| node.m.is_none())
    });
    let mut count = 0;
    for (name, nodes) in has_poses {
        for run in RUNS {
            let (path, text) = (folder.join(format!("{name}-{run}.fbx")), file(&nodes, run));
            count += 1;
            if env::var_os(UPDATE).is_some() {
                fs::write(path, text).unwrap();
                continue;
            }
            let found = fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
            assert!(
                is_same(&found, &text),
                "{name}-{run}.fbx is out of date; {UPDATE}=1 writes it anew"
            );
        }
    }
    assert_eq!(count, 44);
}

/// Whether two texts are the same, but for how their numbers are rounded: which functions give an angle depends on what else is built.
fn is_same(a: &str, b: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| c.is_whitespace() || c == ',').map(str::to_owned).collect()
    };
    let is_near = |a: &str, b: &str| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= 1e-9 * (1.0 + a.abs()),
        _ => a == b,
    };
    let (a, b) = (words(a), words(b));
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| is_near(a, b))
}
