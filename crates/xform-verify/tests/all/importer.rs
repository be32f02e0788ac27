//! Importers as somebody else would write them: arithmetic on numbers of the files, by none of the rules of xform.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use xform_engines::kit;
use xform_verify::Answers;

pub(crate) type Matrix = [[f64; 4]; 4];

/// Translation, rotation x y z w, scale.
pub(crate) type Pose = ([f64; 3], [f64; 4], [f64; 3]);

/// A node of a glTF file.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) path: String,
    pub(crate) parent: Option<usize>,
    /// A pose, or a matrix.
    pub(crate) local: Result<Pose, Matrix>,
    pub(crate) is_skinned: bool,
}

/// The nodes of a scene of the kit in the order of the file, and from the roots down.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) nodes: Vec<Node>,
    pub(crate) order: Vec<usize>,
}

pub(crate) fn scenes() -> Vec<Scene> {
    kit::SCENES.iter().map(|scene| read(scene.name, scene.gltf)).collect()
}

fn read(name: &'static str, text: &str) -> Scene {
    let document: Value = serde_json::from_str(text).expect("JSON");
    let entries = document["nodes"].as_array().expect("nodes");
    let mut parents = vec![None; entries.len()];
    let index = |value: &Value| usize::try_from(value.as_u64().expect("an index")).expect("small");
    let children = |node: usize| -> Vec<usize> {
        entries[node]["children"].as_array().into_iter().flatten().map(index).collect()
    };
    for node in 0..entries.len() {
        for child in children(node) {
            parents[child] = Some(node);
        }
    }
    let mut order = Vec::new();
    let mut pending: Vec<usize> =
        (0..entries.len()).rev().filter(|&node| parents[node].is_none()).collect();
    while let Some(node) = pending.pop() {
        order.push(node);
        pending.extend(children(node).into_iter().rev());
    }
    let mut paths = vec![String::new(); entries.len()];
    for &node in &order {
        let own = entries[node]["name"].as_str().map_or(format!("#{node}"), str::to_owned);
        paths[node] =
            parents[node].map_or(own.clone(), |parent| format!("{}/{own}", paths[parent]));
    }
    let numbers = |value: &Value| -> Vec<f64> {
        value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
    };
    fn fixed<const N: usize>(found: Vec<f64>, default: [f64; N]) -> [f64; N] {
        found.try_into().unwrap_or(default)
    }
    let nodes = entries.iter().enumerate().map(|(node, entry)| {
        let matrix = numbers(&entry["matrix"]);
        let local = if matrix.is_empty() {
            let [x, y, z, w] = fixed(numbers(&entry["rotation"]), [0.0, 0.0, 0.0, 1.0]);
            let length = (x * x + y * y + z * z + w * w).sqrt();
            Ok((
                fixed(numbers(&entry["translation"]), [0.0; 3]),
                [x, y, z, w].map(|part| part / length),
                fixed(numbers(&entry["scale"]), [1.0; 3]),
            ))
        } else {
            Err(std::array::from_fn(|row| std::array::from_fn(|column| matrix[4 * column + row])))
        };
        let path = paths[node].clone();
        Node { path, parent: parents[node], local, is_skinned: entry.get("skin").is_some() }
    });
    Scene { name, nodes: nodes.collect(), order }
}

pub(crate) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..4).map(|k| a[i][k] * b[k][j]).sum()))
}

pub(crate) fn diagonal(scale: [f64; 3]) -> Matrix {
    let mut matrix = [[0.0; 4]; 4];
    for (axis, factor) in scale.into_iter().chain([1.0]).enumerate() {
        matrix[axis][axis] = factor;
    }
    matrix
}

pub(crate) fn translation(by: [f64; 3]) -> Matrix {
    let mut matrix = diagonal([1.0; 3]);
    for axis in 0..3 {
        matrix[axis][3] = by[axis];
    }
    matrix
}

pub(crate) fn rotation([x, y, z, w]: [f64; 4]) -> Matrix {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w), 0.0],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w), 0.0],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y), 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]
}

pub(crate) fn local(node: &Node) -> Matrix {
    match &node.local {
        Ok((t, r, s)) => product(&product(&translation(*t), &rotation(*r)), &diagonal(*s)),
        Err(matrix) => *matrix,
    }
}

/// The world matrices of a scene whose local matrices are multiplied.
pub(crate) fn multiplied(scene: &Scene) -> Vec<Matrix> {
    let mut worlds = vec![diagonal([1.0; 3]); scene.nodes.len()];
    for &node in &scene.order {
        let own = local(&scene.nodes[node]);
        worlds[node] =
            scene.nodes[node].parent.map_or(own, |parent| product(&worlds[parent], &own));
    }
    worlds
}

/// The product of two quaternions x y z w.
fn turned([ax, ay, az, aw]: [f64; 4], [bx, by, bz, bw]: [f64; 4]) -> [f64; 4] {
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// The world matrices of a scene whose translations, rotations and scales are combined apart; none where a node has a matrix.
pub(crate) fn combined(scene: &Scene) -> Option<Vec<Matrix>> {
    let unit = ([0.0; 3], [0.0, 0.0, 0.0, 1.0], [1.0; 3]);
    let mut worlds = vec![unit; scene.nodes.len()];
    for &node in &scene.order {
        let (t, r, s) = *scene.nodes[node].local.as_ref().ok()?;
        let (above_t, above_r, above_s) = scene.nodes[node].parent.map_or(unit, |at| worlds[at]);
        let turn = rotation(above_r);
        let scaled: [f64; 3] = std::array::from_fn(|axis| above_s[axis] * t[axis]);
        let place = std::array::from_fn(|row| {
            above_t[row] + (0..3).map(|axis| turn[row][axis] * scaled[axis]).sum::<f64>()
        });
        let scale = std::array::from_fn(|axis| above_s[axis] * s[axis]);
        worlds[node] = (place, turned(above_r, r), scale);
    }
    let posed = |(t, r, s)| product(&product(&translation(t), &rotation(r)), &diagonal(s));
    Some(worlds.into_iter().map(posed).collect())
}

/// The axes and the unit of an importer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Convention {
    /// Which of glTF's axes each of its axes is, and whether against it.
    pub(crate) axes: [(usize, bool); 3],
    pub(crate) of_every_node: bool,
    pub(crate) units_per_metre: f64,
    pub(crate) is_scaled_above: bool,
}

impl Convention {
    pub(crate) fn change(&self) -> Matrix {
        let mut change = [[0.0; 4]; 4];
        change[3][3] = 1.0;
        for (row, (axis, is_against)) in self.axes.into_iter().enumerate() {
            change[row][axis] = if is_against { -1.0 } else { 1.0 };
        }
        change
    }

    fn done(&self, world: &Matrix) -> Matrix {
        let change = self.change();
        let mut done = product(&change, world);
        if self.of_every_node {
            let back = std::array::from_fn(|i| std::array::from_fn(|j| change[j][i]));
            done = product(&done, &back);
        }
        for row in done.iter_mut().take(3) {
            for (column, entry) in row.iter_mut().enumerate() {
                if column == 3 || self.is_scaled_above {
                    *entry *= self.units_per_metre;
                }
            }
        }
        done
    }
}

/// The answers of an importer with these world matrices by scene, rounded to `f32` as most have them.
pub(crate) fn answers(worlds: &[(&Scene, Vec<Matrix>)], convention: &Convention) -> Answers {
    let mut scenes = BTreeMap::new();
    for (scene, worlds) in worlds {
        let nodes = scene.nodes.iter().zip(worlds).filter(|(node, _)| !node.is_skinned);
        let nodes: serde_json::Map<String, Value> = nodes
            .map(|(node, world)| {
                let world = convention.done(world);
                #[expect(clippy::cast_possible_truncation, reason = "rounded on purpose")]
                let entry = |at: usize| f64::from(world[at % 4][at / 4] as f32);
                let entries: Vec<f64> = (0..16).map(entry).collect();
                (node.path.clone(), json!({"world": entries}))
            })
            .collect();
        scenes.insert(scene.name, json!([{"seconds": null, "nodes": nodes}]));
    }
    let document = json!({
        "schema": "xform-answers/1", "engine": "mine", "version": "1", "scenes": scenes,
    });
    let mut read = Answers::read(document.to_string().as_bytes()).expect("answers");
    read.remove(0)
}
