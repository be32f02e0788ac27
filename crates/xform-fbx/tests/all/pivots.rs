//! Nodes with pivots and geometric transforms, whose vertices Maya, MotionBuilder and 3ds Max exported beside the file:
//! `tests/witnesses/pivots.json`.

use std::{collections::BTreeMap, fs};

use nalgebra::Point3;
use serde::Deserialize;
use xform_compare::compare;

use crate::{
    support::{property, read},
    text::{Fbx, Model},
};

#[derive(Deserialize)]
struct Exported {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    file: String,
    nodes: Vec<Node>,
    frames: Vec<Frame>,
}

#[derive(Deserialize)]
struct Node {
    name: String,
    parent: Option<usize>,
    vertices: Vec<[f64; 3]>,
    faces: Vec<Vec<i64>>,
}

#[derive(Deserialize)]
struct Frame {
    /// Of each node, by the names that FBX has for them.
    properties: Vec<BTreeMap<String, [f64; 3]>>,
    /// Of all nodes, in their order.
    vertices: Vec<[f64; 3]>,
}

/// The file at a frame, with those properties that are kept.
fn file(nodes: &[Node], frame: &Frame, is_kept: impl Fn(&str) -> bool) -> Fbx {
    let mut fbx = Fbx::default();
    for (index, (node, properties)) in nodes.iter().zip(&frame.properties).enumerate() {
        let of = |name, default| properties.get(name).copied().unwrap_or(default);
        let also: String = properties
            .iter()
            .filter(|(name, _)| !name.starts_with("Lcl ") && is_kept(name))
            .map(|(name, value)| property(name, *value))
            .collect();
        let id = 1000
            + fbx.add(&Model {
                name: &node.name,
                parent: node.parent,
                translation: of("Lcl Translation", [0.0; 3]),
                rotation: of("Lcl Rotation", [0.0; 3]),
                scale: of("Lcl Scaling", [1.0; 3]),
                also: &also,
                has_cube: false,
                ..Model::default()
            });
        let numbers: Vec<_> = node.vertices.as_flattened().iter().map(f64::to_string).collect();
        // The last corner of a face is what it is not, bit by bit.
        let corners: Vec<_> = node
            .faces
            .iter()
            .flat_map(|face| {
                let (last, others) = face.split_last().unwrap();
                others.iter().copied().chain([!last]).map(|corner| corner.to_string())
            })
            .collect();
        let mesh = 5000 + index;
        let text = format!(
            "\tGeometry: {mesh}, \"Geometry::{}\", \"Mesh\" {{\n\t\tVertices: *{} {{\n\t\t\ta: {}\n\t\t}}\n\
             \t\tPolygonVertexIndex: *{} {{\n\t\t\ta: {}\n\t\t}}\n\t\tGeometryVersion: 124\n\t}}\n",
            node.name,
            numbers.len(),
            numbers.join(","),
            corners.len(),
            corners.join(",")
        );
        fbx.object(mesh, &text, id);
    }
    fbx
}

/// How far the farthest vertex is from where the program has it, among those of its node.
fn farthest(nodes: &[Node], frame: &Frame, is_kept: impl Fn(&str) -> bool) -> f64 {
    let scene = read(&file(nodes, frame, is_kept));
    let audit = compare(&scene).unwrap();
    let mut expected = frame.vertices.iter();
    let mut worst = 0.0_f64;
    for node in nodes {
        let index =
            scene.nodes.iter().position(|read| read.name.as_ref() == Some(&node.name)).unwrap();
        let shown = scene.drawing.shown.iter().find(|shown| shown.node == index).unwrap();
        let mesh = &scene.drawing.meshes[shown.mesh].as_ref().unwrap()[0];
        let world = audit.nodes[index].by_matrix.matrix();
        for at in expected.by_ref().take(node.vertices.len()) {
            let off = mesh.positions.iter().map(|position| {
                let found = world.transform_point(&Point3::from(position.map(f64::from)));
                (found - Point3::from(*at)).norm()
            });
            let size = 1.0 + Point3::from(*at).coords.amax();
            worst = worst.max(off.fold(f64::INFINITY, f64::min) / size);
        }
    }
    assert!(expected.next().is_none());
    worst
}

#[test]
fn vertices_are_where_the_programs_have_them_that_wrote_the_pivots() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/witnesses/pivots.json");
    let Exported { files } = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(files.len(), 4);
    for File { file, nodes, frames } in &files {
        let worst_with = |is_kept: fn(&str) -> bool| {
            frames.iter().map(|frame| farthest(nodes, frame, is_kept)).fold(0.0, f64::max)
        };
        let (kept, without) = (worst_with(|_| true), worst_with(|_| false));
        println!(
            "{file}: off by {kept:.1e}; without pivots and geometric transforms by {without:.1e}"
        );
        assert!(kept < 1e-6, "{file}: {kept:e}");
        assert!(without > 0.01, "{file}: {without:e}");
    }
}
