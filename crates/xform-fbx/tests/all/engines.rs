//! What engines answered of FBX files of each inherit type, through the audit of the file that they were given.

use nalgebra::Matrix4;
use xform_compare::{audit::EngineChoice, compare_engines, judge::Report};
use xform_engines::Engine;
use xform_fbx::read_fbx;
use xform_scene::Scene;

use crate::{
    support::read,
    text::{Fbx, Model},
    witnesses::{RUNS, answers, file},
};

/// What an engine shows of the nodes of the file, by name; `None` where it is not known.
fn shown(scene: &Scene, engine: &'static Engine) -> Option<Vec<(String, Matrix4<f64>)>> {
    let choice = EngineChoice::named(vec![engine], None);
    let audit = compare_engines(scene, &choice).unwrap();
    if !audit.engines.unknown.is_empty() {
        return None;
    }
    let report = Report::of_audit(scene, audit);
    let place = report.playback.shows.iter().position(|show| show.engines.contains(&engine));
    let place = place.expect("it is in a group");
    let world = |node: usize| report.world_at_rest(place, node);
    let nodes = 0..scene.nodes_of_the_file();
    let named = nodes.map(|node| (scene.nodes[node].name.clone().unwrap(), world(node)));
    Some(named.collect())
}

#[test]
fn a_file_shows_in_three_js_what_that_answered() {
    assert_answers("three", "three-FBXLoader", 1e-8, 900);
}

#[test]
fn a_file_shows_in_blender_what_that_answered() {
    assert_answers("blender", "blender-wm.fbx_import", 3e-6, 1000);
}

#[test]
fn a_file_shows_in_godot_what_that_answered() {
    assert_answers("godot", "godot-FBXDocument", 3e-6, 500);
}

#[test]
fn a_file_shows_in_assimp_what_that_answered() {
    assert_answers("assimp", "assimp", 3e-6, 800);
}

/// Holds what is shown in an engine to its answers, of at least so many nodes.
fn assert_answers(id: &str, prefix: &str, tolerance: f64, fewest: usize) {
    let answers = answers();
    // Blender turns y up to z up.
    let to_z_up = Matrix4::new(
        1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
    );
    let engine = Engine::named(id).unwrap();
    let (mut compared, mut unknown) = (0, 0);
    for run in RUNS {
        let name = format!("{prefix}/{run}");
        for (scene, nodes) in &answers.scenes {
            let Some(known) = answers.of_run(scene, &name) else { continue };
            if scene == "zero" || nodes.iter().any(|node| node.m.is_some()) {
                continue;
            }
            let read = read_fbx(file(nodes, run).as_bytes(), scene).unwrap();
            let Some(shown) = shown(&read, engine) else {
                unknown += nodes.len();
                continue;
            };
            for (node, world) in shown {
                let Some(expected) = known(&node) else { continue };
                let world = if id == "blender" { to_z_up * world } else { world };
                let off = (world - expected).amax() / (1.0 + expected.amax());
                assert!(off < tolerance, "{name}, {scene}, {node}: {off:e}");
                compared += 1;
            }
        }
    }
    assert!(compared >= fewest, "{id}: {compared} nodes compared, {unknown} unknown");
}

/// A leg below a body with a scale: of Blender's rig, as it is or mirrored.
fn leg(scale: [f64; 3], sign: f64) -> Scene {
    let mut fbx = Fbx::default();
    let body = fbx.add(&Model { name: "body", scale, ..Model::default() });
    let thigh = fbx.add(&Model {
        name: "thigh",
        parent: Some(body),
        translation: [sign * 0.6, 0.0, -0.3],
        rotation: [17.0, sign * 11.0, sign * 14.0],
        scale: [sign, 1.0, 1.0],
        ..Model::default()
    });
    fbx.add(&Model {
        name: "shin",
        parent: Some(thigh),
        translation: [0.1, 0.05, -0.9],
        rotation: [29.0, -9.0, 11.0],
        ..Model::default()
    });
    read(&fbx)
}

#[test]
fn of_a_sheared_mirror_in_a_file_nobody_knows_what_unreal_makes() {
    // Its rotation depends on the axes that the importer turns the roots to, and on where that puts the sign: neither was seen.
    let unreal = Engine::named("unreal").unwrap();
    assert_eq!(shown(&leg([1.6, 1.0, 0.8], -1.0), unreal), None);
    assert!(shown(&leg([1.6, 1.0, 0.8], 1.0), unreal).is_some());
    // Without a shear it is the product, whatever the axes are.
    let scene = leg([1.5; 3], -1.0);
    let placed = shown(&scene, unreal).unwrap();
    let worlds = shown(&scene, Engine::named("blender").unwrap()).unwrap();
    for ((name, placed), (_, world)) in placed.iter().zip(worlds) {
        assert!((placed - world).amax() < 1e-9, "{name}");
    }
}
