//! The vertices of skinned meshes that engines show, beside what glTF defines: the scenes `skin…` of the kit.

use std::{fmt::Write, fs, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use nalgebra::{Matrix4, Point3, Vector3};
use serde_json::Value;

use crate::{
    answers::all_answers,
    kit::{nodes, plain},
};

const SCENES: [&str; 5] =
    ["skin", "skin_below_scale", "skin_stretched", "skin_mirrored", "skin_sheared_bind"];

/// The largest distance that is rounding; Blender writes bind poses with five decimals.
const ROUNDING: f64 = 1e-4;

/// A row for each run that was asked: how far its farthest vertex is from where glTF has it.
pub(crate) fn table() -> String {
    let mut table = format!("| run | version | {} |\n|---|---|", SCENES.join(" | "));
    table.push_str(&"---:|".repeat(SCENES.len()));
    table.push('\n');
    let mut rows: Vec<(&str, String)> = Vec::new();
    for scene in SCENES {
        let defined = defined(scene);
        for (run, moment) in all_answers(scene) {
            let Some(vertices) = moment.vertices.values().next() else { continue };
            if !rows.iter().any(|(name, _)| *name == run.run) {
                rows.push((&run.run, format!("| {} | {} |", run.run, run.version)));
            }
            let off = farthest(&defined, vertices, |vertex| run.axes.convention().point(vertex));
            let words = match off {
                off if off <= ROUNDING => "0".to_owned(),
                off => format!("{off:.2}"),
            };
            let row = rows.iter_mut().find(|(name, _)| *name == run.run).expect("just pushed");
            write!(row.1, " {words} |").expect("a string");
        }
    }
    for (_, row) in rows {
        writeln!(table, "{row}").expect("a string");
    }
    table
}

/// How far the farthest vertex is from the nearest answer of the same number, or any where an importer has split or joined vertices.
fn farthest(
    defined: &[Point3<f64>],
    answered: &[[Option<f64>; 3]],
    in_axes: impl Fn(&Point3<f64>) -> Point3<f64>,
) -> f64 {
    let answered: Vec<_> = answered
        .iter()
        .map(|vertex| Point3::from(Vector3::from(vertex.map(|part| part.unwrap_or(f64::NAN)))))
        .collect();
    let off = defined.iter().enumerate().map(|(place, vertex)| {
        let vertex = in_axes(vertex);
        match answered.get(place) {
            Some(found) if answered.len() == defined.len() => (found - vertex).norm(),
            _ => answered.iter().map(|found| (found - vertex).norm()).fold(f64::INFINITY, f64::min),
        }
    });
    off.fold(0.0, |worst: f64, off| if off > worst || off.is_nan() { off } else { worst })
}

/// The vertices of the skinned mesh of a scene, as glTF defines them: world matrices of joints times inverse bind matrices.
fn defined(scene: &str) -> Vec<Point3<f64>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("kit/scenes/{scene}.gltf"));
    let document: Value =
        serde_json::from_str(&fs::read_to_string(path).expect("a scene of the kit")).expect("JSON");
    let worlds = plain(&nodes(&document));
    let skin = &document["skins"][0];
    let index = |value: &Value| usize::try_from(value.as_u64().expect("an index")).expect("small");
    let binds = accessor(&document, index(&skin["inverseBindMatrices"]), 16);
    let joints = skin["joints"].as_array().expect("joints");
    let joints: Vec<Matrix4<f64>> = joints
        .iter()
        .zip(binds)
        .map(|(joint, bind)| worlds[index(joint)] * Matrix4::from_column_slice(&bind))
        .collect();
    let attributes = &document["meshes"][0]["primitives"][0]["attributes"];
    let of = |name: &str, width| accessor(&document, index(&attributes[name]), width);
    let (positions, followed, weights) = (of("POSITION", 3), of("JOINTS_0", 4), of("WEIGHTS_0", 4));
    let vertices = positions.iter().zip(followed.iter().zip(&weights));
    let vertex = |(position, (followed, weights)): (&Vec<f64>, (&Vec<f64>, &Vec<f64>))| {
        let position = Point3::new(position[0], position[1], position[2]);
        let shown = followed.iter().zip(weights).map(|(joint, weight)| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
            let joint = joints[*joint as usize];
            joint.transform_point(&position).coords * *weight
        });
        Point3::from(shown.sum::<Vector3<f64>>())
    };
    vertices.map(vertex).collect()
}

/// The elements of an accessor of so many components each, of bytes or of `f32`.
fn accessor(document: &Value, accessor: usize, width: usize) -> Vec<Vec<f64>> {
    let accessor = &document["accessors"][accessor];
    let view = &document["bufferViews"]
        [usize::try_from(accessor["bufferView"].as_u64().expect("a view")).expect("small")];
    let uri = document["buffers"][0]["uri"].as_str().expect("a data URI");
    let (_, text) = uri.split_once(',').expect("a data URI");
    let bytes = STANDARD.decode(text).expect("base64");
    let size = |name: &str| usize::try_from(view[name].as_u64().expect("a size")).expect("small");
    let bytes = &bytes[size("byteOffset")..][..size("byteLength")];
    let numbers: Vec<f64> = if accessor["componentType"] == 5126 {
        let floats = bytes.chunks_exact(4).map(|four| four.try_into().expect("four"));
        floats.map(|four| f64::from(f32::from_le_bytes(four))).collect()
    } else {
        bytes.iter().copied().map(f64::from).collect()
    };
    numbers.chunks_exact(width).map(<[f64]>::to_vec).collect()
}

#[test]
fn every_engine_that_was_asked_keeps_the_shear_of_joints() {
    let table = table();
    let rows: Vec<_> = table.lines().skip(2).collect();
    assert_eq!(rows.len(), 6, "{table}");
    assert!(rows.iter().all(|row| row.ends_with("| 0 | 0 | 0 | 0 | 0 |")), "{table}");
}
