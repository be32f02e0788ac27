//! Files that Blender wrote, and what Blender shows of them: `.ci/fbx` makes them, and runs this.

use std::{collections::BTreeMap, env, fs, path::Path};

use nalgebra::{Matrix4, Point3};
use serde::Deserialize;
use xform_compare::compare;
use xform_fbx::read_fbx;
use xform_scene::{
    Scene,
    drawing::{Follows, Mesh, ShownMesh},
};

#[derive(Deserialize)]
struct Answer {
    is_moving: bool,
    frames: Vec<Frame>,
}

#[derive(Deserialize)]
struct Frame {
    seconds: f64,
    objects: BTreeMap<String, Object>,
}

#[derive(Deserialize)]
struct Object {
    world: [[f64; 4]; 4],
    vertices: Option<Vec<[f64; 3]>>,
}

/// What Blender has z up for.
fn of_blender([x, y, z]: [f64; 3]) -> Point3<f64> {
    Point3::new(x, z, -y)
}

/// The vertices of a node in the world, as its joints or it itself places them.
fn vertices(
    scene: &Scene,
    worlds: &[Matrix4<f64>],
    shown: &ShownMesh,
    seconds: f64,
) -> Vec<Point3<f64>> {
    let mesh: &Mesh = &scene.drawing.meshes[shown.mesh];
    let part = &mesh.as_ref().unwrap()[0];
    let morph = scene.drawing.morphs.iter().find(|morph| morph.node == shown.node);
    let weight = |target: usize| match morph {
        Some(morph) => morph.weights[target].at(seconds)[0],
        None => shown.weights.get(target).copied().unwrap_or(0.0),
    };
    let at = |vertex: usize| {
        let mut at = Point3::from(part.positions[vertex].map(f64::from));
        for (target, offsets) in
            part.targets.iter().enumerate().filter(|(_, offsets)| !offsets.is_empty())
        {
            at += Point3::from(offsets[vertex].map(f64::from)).coords * weight(target);
        }
        let Some(joints) = &shown.joints else { return worlds[shown.node].transform_point(&at) };
        let follows: &Follows = &part.follows[vertex];
        let moved = follows.iter().map(|&(joint, weight)| {
            let joint = &joints[usize::try_from(joint).unwrap()];
            (worlds[joint.node] * joint.inverse_bind).transform_point(&at).coords
                * f64::from(weight)
        });
        Point3::from(moved.sum::<nalgebra::Vector3<f64>>())
    };
    (0..part.positions.len()).map(at).collect()
}

#[test]
#[ignore = "takes files that Blender made"]
fn what_blender_wrote_is_where_blender_shows_it() {
    let folder = env::var("XFORM_FBX_BLENDER").unwrap();
    let mut files: Vec<_> =
        fs::read_dir(Path::new(&folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == "fbx"));
    files.sort();
    assert!(files.len() >= 10, "{files:?}");
    let mut bad: Vec<String> = Vec::new();
    for path in files {
        let answer: Answer =
            serde_json::from_slice(&fs::read(path.with_extension("json")).unwrap()).unwrap();
        let scene = read_fbx(&fs::read(&path).unwrap(), &path.to_string_lossy()).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let (mut worst, mut compared) = (0.0_f64, 0);
        let mut unit = 0.0;
        for frame in &answer.frames {
            let posed =
                if answer.is_moving { scene.posed(0, frame.seconds) } else { scene.clone() };
            let audit = compare(&posed).unwrap();
            let worlds: Vec<_> = audit.nodes.iter().map(|node| *node.by_matrix.matrix()).collect();
            for (object, expected) in &frame.objects {
                let Some(expected_vertices) = &expected.vertices else { continue };
                let node =
                    scene.nodes.iter().position(|node| node.name.as_ref() == Some(object)).unwrap();
                let shown = scene.drawing.shown.iter().find(|shown| shown.node == node).unwrap();
                let found = vertices(&scene, &worlds, shown, frame.seconds);
                assert_eq!(found.len(), expected_vertices.len());
                let size = expected
                    .world
                    .iter()
                    .flatten()
                    .fold(1.0_f64, |size, entry| size.max(entry.abs()));
                // Blender's units in metres: one for all of a file. Vertices are in another order.
                let expected: Vec<_> = expected_vertices.iter().map(|&at| of_blender(at)).collect();
                let far =
                    |all: &[Point3<f64>]| all.iter().map(|at| at.coords.norm()).fold(0.0, f64::max);
                if unit == 0.0 {
                    unit = far(&found) / far(&expected);
                }
                let nearest = |at: &Point3<f64>, all: &[Point3<f64>], by: f64| {
                    all.iter().map(|other| (other * by - at).norm()).fold(f64::INFINITY, f64::min)
                };
                for (at, expected_at) in found.iter().zip(&expected) {
                    let off = nearest(at, &expected, unit);
                    let other = nearest(&(expected_at * unit), &found, 1.0);
                    worst = worst.max(off.max(other) / (size * unit));
                    compared += 1;
                }
            }
        }
        println!(
            "{name}: {compared} vertices, at most {worst:.1e} of the largest number off, unit {unit:.4}"
        );
        if worst >= 5e-6 {
            bad.push(name);
        }
    }
    assert!(bad.is_empty(), "{bad:?}");
}
