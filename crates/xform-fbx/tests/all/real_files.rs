//! Files of your own: the world transforms of the scene are those of ufbx.

use std::{env, path::Path};

use nalgebra::Matrix4;
use ufbx::{IndexErrorHandling, LoadOpts};
use walkdir::WalkDir;
use xform_compare::compare;
use xform_fbx::read_fbx;

fn matrix(m: &ufbx::Matrix) -> Matrix4<f64> {
    Matrix4::new(
        m.m00, m.m01, m.m02, m.m03, m.m10, m.m11, m.m12, m.m13, m.m20, m.m21, m.m22, m.m23, 0.0,
        0.0, 0.0, 1.0,
    )
}

/// The worst entry's error in proportion to the largest of that world; `None` where ufbx does not read the file.
fn worst(path: &Path) -> Option<f64> {
    let bytes = std::fs::read(path).unwrap();
    let opts = LoadOpts { index_error_handling: IndexErrorHandling::Clamp, ..LoadOpts::default() };
    let known = ufbx::load_memory(&bytes, opts).ok()?;
    let scene = read_fbx(&bytes, "real").ok()?;
    let audit = compare(&scene).ok()?;
    let file = scene.fbx.as_ref().unwrap();
    let root = scene.nodes[file.nodes.iter().position(|node| node.parent.is_none())?].parent;
    let root = root.map_or_else(Matrix4::identity, |root| *audit.nodes[root].by_matrix.matrix());
    let off = known.nodes.iter().skip(1).zip(&file.nodes).map(|(known, node)| {
        let expected = root * matrix(&known.node_to_world);
        let found = audit.nodes[node.scaled].by_matrix.matrix();
        (found - expected).amax() / expected.amax().max(1e-300)
    });
    Some(off.fold(0.0, f64::max))
}

#[test]
#[ignore = "takes a folder with FBX files"]
fn worlds_are_those_of_ufbx() {
    let folder = env::var("XFORM_FBX_FILES").unwrap();
    let files = WalkDir::new(folder).into_iter().map(Result::unwrap);
    let files = files.filter(|entry| entry.path().extension().is_some_and(|found| found == "fbx"));
    let (mut read, mut bad) = (0, Vec::new());
    for entry in files {
        let Some(off) = worst(entry.path()) else { continue };
        read += 1;
        if off > 1e-12 {
            bad.push((entry.path().to_owned(), off));
        }
    }
    println!("{read} files read, {} with a world that is off", bad.len());
    bad.iter().for_each(|(path, off)| println!("{off:e} {}", path.display()));
    assert!(read > 0 && bad.is_empty());
}
