//! The vertices of skinned meshes that engines show, beside what glTF defines: the scenes `skin…` of the kit.

use std::{f64::consts::FRAC_PI_2, fmt::Write, fs, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};
use serde_json::Value;
use xform_core::Trs;
use xform_engines::{Accumulation, Engine, Reason, SkinRule, World};

use crate::{
    answers::{ANSWERS, Run},
    kit::nodes,
    runs::claimed,
};

const SCENES: [&str; 6] = [
    "skin",
    "skin_below_scale",
    "skin_stretched",
    "skin_mirrored",
    "skin_turned_bind",
    "skin_sheared_bind",
];

/// The largest distance that is rounding; Blender writes bind poses with five decimals.
const ROUNDING: f64 = 1e-4;

/// A row for each run that was asked: how far its farthest vertex is from, but glTF has it; nothing where it could not be asked.
pub(crate) fn table() -> String {
    let mut table = format!("| run | version | {} |\n|---|---|", SCENES.join(" | "));
    table.push_str(&"---:|".repeat(SCENES.len()));
    table.push('\n');
    for run in asked() {
        write!(table, "| {} | {} |", run.run, run.version).expect("a string");
        for scene in SCENES {
            let off = off(run, scene, SkinRule::Matrices, Accumulation::Matrix);
            let words = match off {
                None => "–".to_owned(),
                Some((_, off)) if off <= ROUNDING => "0".to_owned(),
                Some((_, off)) => format!("{off:.2}"),
            };
            write!(table, " {words} |").expect("a string");
        }
        table.push('\n');
    }
    table
}

/// The runs that have the vertices of a skinned mesh.
fn asked() -> impl Iterator<Item = &'static Run> {
    let has_vertices = |run: &&Run| SCENES.iter().any(|scene| answered(run, scene).is_some());
    ANSWERS.runs.values().filter(has_vertices)
}

/// Each run that engines are said to skin by, of how many vertices, and how far off the rule is.
pub(crate) fn checked() -> Vec<(String, usize, f64)> {
    let claims = claimed(|engine| engine.skin.known, " vertices");
    let found = claims.map(|(engine, name)| {
        let run = &ANSWERS.runs[name];
        let all = SCENES
            .iter()
            .filter_map(|scene| off(run, scene, engine.skin.rule, engine.accumulation.rule));
        let (count, worst) =
            all.fold((0, 0.0_f64), |(count, worst), (more, off)| (count + more, worst.max(off)));
        (name.to_owned(), count, worst)
    });
    found.collect()
}

/// The vertices of the skinned mesh of a scene.
fn answered<'a>(run: &'a Run, scene: &str) -> Option<&'a [[Option<f64>; 3]]> {
    run.at_rest(scene)?.vertices.values().next().map(Vec::as_slice)
}

/// How many vertices a run answered of a scene, and how far the farthest is from where a rule has it.
fn off(run: &Run, scene: &str, skin: SkinRule, accumulation: Accumulation) -> Option<(usize, f64)> {
    let vertices = answered(run, scene)?;
    let said = said(scene, skin, accumulation);
    Some((vertices.len(), farthest(&said, vertices, |vertex| run.axes.convention().point(vertex))))
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

/// The vertices of the skinned mesh of a scene by a rule. By accumulated matrices it is what glTF defines.
fn said(scene: &str, skin: SkinRule, accumulation: Accumulation) -> Vec<Point3<f64>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("kit/scenes/{scene}.gltf"));
    let document: Value =
        serde_json::from_str(&fs::read_to_string(path).expect("a scene of the kit")).expect("JSON");
    let mut engine = *Engine::named("godot").expect("known");
    engine.accumulation.rule = accumulation;
    let worlds = engine.worlds(&nodes(&document)).expect("a forest");
    let of_skin = &document["skins"][0];
    let index = |value: &Value| usize::try_from(value.as_u64().expect("an index")).expect("small");
    let binds = accessor(&document, index(&of_skin["inverseBindMatrices"]), 16);
    let joints = of_skin["joints"].as_array().expect("joints");
    let joints: Vec<Matrix4<f64>> = joints
        .iter()
        .zip(binds)
        .map(|(joint, bind)| {
            let world = worlds[index(joint)].expect("a pose");
            skin.world_from_mesh(&world, &Matrix4::from_column_slice(&bind)).expect("a pose")
        })
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
fn engines_that_multiply_matrices_keep_the_shear_of_joints() {
    let table = table();
    let rows: Vec<_> = table.lines().skip(2).collect();
    assert_eq!(rows.len(), 11, "{table}");
    let (others, ogre): (Vec<&str>, Vec<_>) =
        rows.into_iter().partition(|row| !row.contains("ogre/skin"));
    assert!(others.iter().all(|row| row.ends_with("| 0 | 0 | 0 | 0 | 0 | 0 |")), "{table}");
    // It combines scales, rotations and positions of bones, and takes no sheared binding pose.
    assert!(ogre[0].ends_with("| 3.35 | 1.09 | 1.05 | 2.18 | 0.75 | – |"), "{table}");
}

/// Binding poses that are turned and scaled, which no scene of the kit has: OGRE divides the scales axis by axis, in the axes of the mesh.
#[test]
fn a_turned_binding_pose_is_undone_in_parts() {
    let turn = UnitQuaternion::from_euler_angles(0.0, 0.0, FRAC_PI_2);
    let bind = Trs::from_parts(Vector3::y(), turn, Vector3::repeat(1.0)).to_homogeneous();
    let inverse = bind.try_inverse().expect("it has one");
    let joint = |scale: [f64; 3]| World::Trs(Trs::from_scale(scale.into()).into());
    let at = |rule: SkinRule, scale: [f64; 3]| {
        let moved = rule.world_from_mesh(&joint(scale), &inverse).expect("a pose");
        moved.transform_point(&Point3::new(1.0, 1.0, 0.0))
    };
    // The vertex is 1 along the mesh's x from the joint, which is -1 along the joint's own y.
    let near = |a: Point3<f64>, b: [f64; 3]| (a - Point3::from(b)).norm() < 1e-12;
    assert!(near(at(SkinRule::Matrices, [2.0, 1.0, 1.0]), [0.0, -1.0, 0.0]));
    assert!(near(at(SkinRule::Parts, [2.0, 1.0, 1.0]), [0.0, -2.0, 0.0]));
    assert!(near(at(SkinRule::Parts, [2.0; 3]), [0.0, -2.0, 0.0]));
    let sheared = Matrix4::new(
        1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0,
    );
    for inverse in [sheared, Matrix4::zeros()] {
        let of = |rule: SkinRule| rule.world_from_mesh(&joint([1.0; 3]), &inverse);
        assert_eq!(of(SkinRule::Parts), Err(Reason::BindPose));
        assert!(of(SkinRule::Matrices).is_ok());
    }
    let matrix = World::Matrix(Trs::identity().into());
    assert_eq!(SkinRule::Parts.world_from_mesh(&matrix, &inverse), Err(Reason::Matrix));
}
