//! The scenes of the kit, which engines are asked about: glTF files, and a page each.

mod gltf;
mod scenes;
mod skins;

use std::{env, fmt::Write, fs, path::Path};

use nalgebra::Matrix4;
use serde_json::Value;
use xform_engines::{Engine, LocalPose, SourceNode};

use crate::answers::{affine, pose};

const UPDATE: &str = "XFORM_UPDATE_KIT";

/// The files of the folder are what is made here. `XFORM_UPDATE_KIT=1` writes them.
#[test]
fn the_kit_has_the_scenes_that_are_made_here() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kit/scenes");
    let mut list = LIST.to_owned();
    let mut made = Vec::new();
    for scene in scenes::all() {
        let text = format!("{}\n", scene.gltf.document());
        let page = page(&scene, &serde_json::from_str(&text).expect("JSON"));
        let about = scene.about.split_inclusive(". ").next().expect("a sentence").trim_end();
        writeln!(list, "| [{0}]({0}.md) | {about} |", scene.name).expect("a string");
        made.push((format!("{}.gltf", scene.name), text));
        made.push((format!("{}.md", scene.name), page));
    }
    made.push(("README.md".to_owned(), list));
    for (name, text) in made {
        let path = folder.join(&name);
        if env::var_os(UPDATE).is_some() {
            fs::write(path, text).expect("the file can be written");
            continue;
        }
        let found = fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
        assert!(found == text, "kit/scenes/{name} is out of date; {UPDATE}=1 writes it anew");
    }
}

const LIST: &str = "\
# The scenes that engines are asked about

Made by a test: `XFORM_UPDATE_KIT=1 cargo test -p xform-engines kit`. The files `.fbx` are the same nodes, with all of one inherit
type or with types in turns (`-mix`): `XFORM_UPDATE_KIT=1 cargo test -p xform-fbx kit`.

| scene | about |
|---|---|
";

/// What a scene is about, and what engines show of it by their rules.
fn page(scene: &scenes::Scene, document: &Value) -> String {
    let nodes = nodes(document);
    let mut page = format!("# {}\n\n{}\n", scene.name, scene.about);
    if !document["nodes"].as_array().expect("nodes").iter().all(has_unit_rotation) {
        page.push_str(
            "\nWhat becomes of such a rotation is a rule of each engine, `QuaternionRule` of `xform-engines`. What engines answered here is in \
             [docs/engines.md](../../../../docs/engines.md#quaternions-that-are-not-of-unit-length).\n",
        );
        return page;
    }
    let products = plain(&nodes);
    let size = products.iter().fold(0.0_f64, |size, world| size.max(world.amax()));
    let mut shown = String::new();
    for engine in Engine::all() {
        let worlds = engine.worlds(&nodes).expect("a forest");
        let mut off = Ok(0.0_f64);
        for (world, product) in worlds.into_iter().zip(&products) {
            match (world, &mut off) {
                (Ok(world), Ok(off)) => *off = off.max((world.to_homogeneous() - product).amax()),
                (Err(reason), _) => off = Err(reason),
                (_, Err(_)) => break,
            }
        }
        let words = match off {
            Ok(off) if off <= 1e-9 * size => continue,
            Ok(off) => format!("{off:.3}"),
            Err(reason) => format!("not known: {reason}"),
        };
        writeln!(shown, "| {} | {words} |", engine.name).expect("a string");
    }
    if shown.is_empty() {
        page.push_str(
            "\nBy the rules of `xform-engines`, every engine of its list shows the products of matrices of its nodes.\n",
        );
    } else {
        page.push_str(
            "\nThese engines show other world matrices than the products that glTF defines, by the rules of `xform-engines`. The figure is the \
             largest difference of an entry, axes and units undone. All others of its list show the products.\n\n\
             | engine | off by |\n|---|---|\n",
        );
        page.push_str(&shown);
    }
    page
}

fn has_unit_rotation(node: &Value) -> bool {
    let parts = node["rotation"].as_array().into_iter().flatten().filter_map(Value::as_f64);
    let squared: f64 = parts.map(|part| part * part).sum();
    node["rotation"].is_null() || (squared - 1.0).abs() < 1e-9
}

/// The nodes of a document, parents first.
pub(crate) fn nodes(document: &Value) -> Vec<SourceNode> {
    let entries = document["nodes"].as_array().expect("nodes");
    let numbers = |value: &Value| -> Vec<f64> {
        value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
    };
    let local = |entry: &Value| -> LocalPose {
        let matrix = numbers(&entry["matrix"]);
        if !matrix.is_empty() {
            return affine(&matrix).into();
        }
        let or = |name: &str, default: &[f64]| {
            let found = numbers(&entry[name]);
            if found.is_empty() { default.to_vec() } else { found }
        };
        let [t, s] = [or("translation", &[0.0; 3]), or("scale", &[1.0; 3])];
        let r = or("rotation", &[0.0, 0.0, 0.0, 1.0]);
        // Readers make the length 1.
        let length = r.iter().map(|part| part * part).sum::<f64>().sqrt();
        let r: Vec<_> = r.iter().map(|part| part / length).collect();
        let three = |v: Vec<f64>| v.try_into().expect("three");
        pose(three(t), r.try_into().expect("four"), three(s))
    };
    let parent = |node: usize| {
        entries.iter().position(|entry| {
            let children = entry["children"].as_array().into_iter().flatten();
            children.filter_map(Value::as_u64).any(|child| child == node as u64)
        })
    };
    let nodes = entries.iter().enumerate();
    nodes.map(|(node, entry)| SourceNode { parent: parent(node), local: local(entry) }).collect()
}

/// The products of matrices.
pub(crate) fn plain(nodes: &[SourceNode]) -> Vec<Matrix4<f64>> {
    let mut worlds: Vec<Matrix4<f64>> = Vec::new();
    for node in nodes {
        let parent = node.parent.map_or(Matrix4::identity(), |parent| worlds[parent]);
        worlds.push(parent * node.local.to_affine().matrix());
    }
    worlds
}
