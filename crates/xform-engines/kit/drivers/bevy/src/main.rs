//! What bevy shows of nodes that are made by calls, as the scenes of a folder have them: `GlobalTransform`, products of `Transform`, and
//! `set_parent_in_place`.

use std::{env, error::Error, fs, path::Path, process};

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_transform::{TransformPlugin, commands::BuildChildrenTransformExt, prelude::*};
use glam::{Mat4, Quat, Vec3};
use serde_json::{Map, Value, json};

const VERSION: &str = "bevy_transform 0.20.1";

/// A node of a file: what it is called, its parent's place among those before it, its pose.
struct Node {
    path: String,
    parent: Option<usize>,
    local: Transform,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [scenes, answers] = &arguments[..] else {
        return Err("usage: bevy-driver SCENES ANSWERS.jsonl".into());
    };
    let mut api =
        run("bevy/api", "api", "Transform, of a matrix Transform::from_matrix; TransformPlugin");
    let mut kept = run(
        "bevy/set_parent_in_place",
        "keep-world",
        "the same, then set_parent_in_place of each node to a root, alone",
    );
    let mut products =
        run("bevy/Transform*Transform", "trs", "Transform * Transform, from the root down");
    let mut files: Vec<_> =
        fs::read_dir(scenes)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.sort();
    for file in files.iter().filter(|file| is_scene(file)) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let nodes = nodes(&document(file)?);
        let (app, _, entities) = spawned(&nodes);
        answer(&mut api, &name, nodes.iter().zip(&entities).map(|(node, &entity)| {
            let world = app.world().get::<GlobalTransform>(entity).expect("propagated");
            let (scale, rotation, position) = world.to_scale_rotation_translation();
            let getters = json!({
                "position": numbers(&position.to_array()), "rotation": numbers(&rotation.to_array()), "scale": numbers(&scale.to_array()),
            });
            (node.path.clone(), json!({"world": matrix(&world.to_matrix()), "getters": getters}))
        }));
        answer(
            &mut kept,
            &name,
            (0..nodes.len()).filter(|&node| nodes[node].parent.is_some()).map(|node| {
                let (mut app, root, entities) = spawned(&nodes);
                app.world_mut().entity_mut(entities[node]).set_parent_in_place(root);
                app.update();
                let world = app.world().get::<GlobalTransform>(entities[node]).expect("propagated");
                (nodes[node].path.clone(), json!({"world": matrix(&world.to_matrix())}))
            }),
        );
        let mut worlds: Vec<Transform> = Vec::new();
        for node in &nodes {
            worlds.push(node.parent.map_or(node.local, |parent| worlds[parent] * node.local));
        }
        answer(
            &mut products,
            &name,
            nodes.iter().zip(&worlds).map(|(node, world)| {
                (node.path.clone(), json!({"world": matrix(&world.to_matrix())}))
            }),
        );
    }
    let lines: String = [api, kept, products].iter().map(|run| format!("{run}\n")).collect();
    fs::write(answers, lines)?;
    Ok(())
}

fn is_scene(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "gltf" || ending == "glb")
}

fn run(name: &str, asked: &str, how: &str) -> Value {
    let date = process::Command::new("date")
        .arg("+%F")
        .output()
        .ok()
        .and_then(|out| String::from_utf8(out.stdout).ok());
    json!({
        "schema": "xform-answers/1", "run": name, "engine": "bevy", "version": VERSION,
        "date": date.unwrap_or_default().trim(), "by": "rustc", "asked": asked, "how": how,
        "axes": {"from_gltf": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "of_every_node": false, "units_per_metre": 1},
        "scenes": {},
    })
}

fn answer(run: &mut Value, scene: &str, nodes: impl Iterator<Item = (String, Value)>) {
    let nodes: Map<_, _> = nodes.collect();
    run["scenes"][scene] = json!([{"seconds": null, "nodes": nodes}]);
}

fn document(file: &Path) -> Result<Value, Box<dyn Error>> {
    let bytes = fs::read(file)?;
    if !bytes.starts_with(b"glTF") {
        return Ok(serde_json::from_slice(&bytes)?);
    }
    let length = bytes.get(12..16).ok_or("a GLB that ends early")?;
    let end = 20 + u32::from_le_bytes(length.try_into()?) as usize;
    Ok(serde_json::from_slice(bytes.get(20..end).ok_or("a GLB that ends early")?)?)
}

/// The nodes of a document, parents first.
fn nodes(document: &Value) -> Vec<Node> {
    let entries = document["nodes"].as_array().cloned().unwrap_or_default();
    let children = |entry: &Value| -> Vec<usize> {
        let list = entry["children"].as_array().into_iter().flatten();
        list.filter_map(|child| usize::try_from(child.as_u64()?).ok()).collect()
    };
    let below: Vec<_> = entries.iter().flat_map(children).collect();
    let mut pending: Vec<_> = (0..entries.len())
        .rev()
        .filter(|node| !below.contains(node))
        .map(|node| (node, None))
        .collect();
    let mut nodes: Vec<Node> = Vec::new();
    while let Some((index, parent)) = pending.pop() {
        let entry = &entries[index];
        let own = entry["name"].as_str().map_or_else(|| format!("#{index}"), str::to_owned);
        let path =
            parent.map_or(own.clone(), |parent: usize| format!("{}/{own}", nodes[parent].path));
        pending.extend(children(entry).into_iter().rev().map(|child| (child, Some(nodes.len()))));
        nodes.push(Node { path, parent, local: local(entry) });
    }
    nodes
}

/// As bevy's own importer makes it: a matrix is taken apart.
fn local(entry: &Value) -> Transform {
    let list = |name: &str| -> Vec<f32> {
        entry[name]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|number| Some(number.as_f64()? as f32))
            .collect()
    };
    if let Ok(columns) = <[f32; 16]>::try_from(list("matrix")) {
        return Transform::from_matrix(Mat4::from_cols_array(&columns));
    }
    let three =
        |name: &str, default: Vec3| <[f32; 3]>::try_from(list(name)).map_or(default, Vec3::from);
    let rotation = <[f32; 4]>::try_from(list("rotation")).map_or(Quat::IDENTITY, Quat::from_array);
    Transform {
        translation: three("translation", Vec3::ZERO),
        rotation,
        scale: three("scale", Vec3::ONE),
    }
}

/// The nodes below a root of their own, propagated once.
fn spawned(nodes: &[Node]) -> (App, Entity, Vec<Entity>) {
    let mut app = App::new();
    app.add_plugins(TransformPlugin);
    let root = app.world_mut().spawn(Transform::IDENTITY).id();
    let mut entities: Vec<Entity> = Vec::new();
    for node in nodes {
        let entity = app.world_mut().spawn(node.local).id();
        let parent = node.parent.map_or(root, |parent| entities[parent]);
        app.world_mut().entity_mut(parent).add_child(entity);
        entities.push(entity);
    }
    app.update();
    (app, root, entities)
}

fn matrix(matrix: &Mat4) -> Value {
    numbers(&matrix.to_cols_array())
}

/// Numbers as JSON has them: what is not finite is null.
fn numbers(list: &[f32]) -> Value {
    list.iter().map(|number| if number.is_finite() { json!(number) } else { Value::Null }).collect()
}
