//! The scenes that engines were asked about, as FBX files of each inherit type: every world that ufbx answered.

use std::{collections::BTreeMap, fs, io::Read, path::Path};

use nalgebra::Matrix4;
use serde::Deserialize;
use xform_compare::compare;
use xform_fbx::read_fbx;
use xform_scene::Scene;

use crate::text::{Fbx, Model, degrees};

/// The types that all nodes of a file have, or that they have in turns.
pub(crate) const RUNS: [&str; 4] = ["i0", "i1", "i2", "mix"];

/// What the kit of `xform-engines` has.
pub(crate) struct Answers {
    pub(crate) scenes: BTreeMap<String, Vec<Asked>>,
    /// By their names.
    runs: BTreeMap<String, Run>,
}

#[derive(Deserialize)]
struct Run {
    run: String,
    scenes: BTreeMap<String, Vec<Moment>>,
}

#[derive(Deserialize)]
struct Moment {
    /// By their paths.
    nodes: BTreeMap<String, Answer>,
}

#[derive(Deserialize)]
pub(crate) struct Asked {
    name: String,
    parent: Option<String>,
    #[serde(default)]
    t: [f64; 3],
    r: Option<[f64; 4]>,
    s: Option<[f64; 3]>,
    pub(crate) m: Option<Vec<f64>>,
}

#[derive(Deserialize)]
struct Answer {
    world: Vec<f64>,
}

impl Answers {
    /// What a run answered of a scene, by the names of the nodes, which are unique; `None` where it was not asked.
    pub(crate) fn of_run(
        &self,
        scene: &str,
        run: &str,
    ) -> Option<impl Fn(&str) -> Option<Matrix4<f64>>> {
        // Such as `ufbx/i0`: its scene `skew38` is the file `skew38-i0`.
        let (run, kind) = run.split_once('/')?;
        let nodes = &self.runs.get(run)?.scenes.get(&format!("{scene}-{kind}"))?[0].nodes;
        Some(move |node: &str| {
            let named = |(path, _): &(&String, _)| path.rsplit('/').next() == Some(node);
            let (_, answer) = nodes.iter().find(named)?;
            Some(Matrix4::from_column_slice(&answer.world))
        })
    }
}

pub(crate) fn answers() -> Answers {
    let kit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../xform-engines/kit");
    let scenes = fs::read_to_string(kit.join("poses.json")).unwrap();
    let mut runs = BTreeMap::new();
    for entry in fs::read_dir(kit.join("answers")).unwrap() {
        let packed = fs::read(entry.unwrap().path()).unwrap();
        let mut text = String::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
        let documents = text.lines().filter(|line| line.contains(r#""asked":"fbx""#));
        let of_fbx = documents.map(|line| serde_json::from_str::<Run>(line).unwrap());
        runs.extend(of_fbx.map(|run| (run.run.clone(), run)));
    }
    Answers { scenes: serde_json::from_str(&scenes).unwrap(), runs }
}

/// The types of the nodes of a run, by place.
fn inherit_of(run: &str, place: usize) -> u8 {
    match run {
        "i0" => 0,
        "i1" => 1,
        "i2" => 2,
        _ => [1, 0, 2, 1, 0][place % 5],
    }
}

pub(crate) fn file(nodes: &[Asked], run: &str) -> String {
    let mut fbx = Fbx::default();
    for (place, node) in nodes.iter().enumerate() {
        let parent = node
            .parent
            .as_ref()
            .map(|name| nodes.iter().position(|other| other.name == *name).unwrap());
        fbx.add(&Model {
            name: &node.name,
            parent,
            inherit: inherit_of(run, place),
            translation: node.t,
            rotation: degrees(node.r.unwrap_or([0.0, 0.0, 0.0, 1.0])),
            scale: node.s.unwrap_or([1.0; 3]),
            ..Model::default()
        });
    }
    fbx.text()
}

/// The world matrices of the nodes of the file by name, by accumulated matrices.
fn worlds(scene: &Scene) -> BTreeMap<String, Matrix4<f64>> {
    let audit = compare(scene).unwrap();
    let nodes = audit.nodes_of_the_file().iter();
    nodes.map(|node| (node.name.clone().unwrap(), *node.by_matrix.matrix())).collect()
}

#[test]
fn every_world_that_ufbx_answered_is_that_of_the_scene() {
    let answers = answers();
    let mut compared = 0;
    for run in RUNS {
        let name = format!("ufbx/{run}");
        let mut worst = 0.0_f64;
        for (scene, nodes) in &answers.scenes {
            let Some(known) = answers.of_run(scene, &name) else { continue };
            // Of a scale of zero ufbx keeps a trace that the rule has not.
            if scene == "zero" || nodes.iter().any(|node| node.m.is_some()) {
                continue;
            }
            let read = read_fbx(file(nodes, run).as_bytes(), scene).unwrap();
            let worlds = worlds(&read);
            for node in nodes {
                let expected = known(&node.name).unwrap();
                let off = (worlds[&node.name] - expected).amax() / (1.0 + expected.amax());
                worst = worst.max(off);
                compared += 1;
            }
        }
        assert!(worst < 1e-13, "{run}: {worst:e}");
    }
    assert!(compared > 1000, "{compared}");
}
