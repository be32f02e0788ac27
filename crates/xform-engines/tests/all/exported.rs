//! What Maya and MotionBuilder show of joints with FBX inherit types: `tests/witnesses/maya.json` and `motionbuilder.json`.

use std::fs;

use nalgebra::{Matrix4, Point3, Vector3};
use serde::Deserialize;
use xform_engines::{
    SourceNode,
    fbx::{InheritType, worlds},
};

use crate::answers::pose;

#[derive(Deserialize)]
struct Exported {
    nodes: Vec<Joint>,
    joints: Vec<Bound>,
    mesh: Vec<Vertex>,
    frames: Vec<Frame>,
}

/// A node of the file, and its type as FBX numbers them.
#[derive(Deserialize)]
struct Joint {
    parent: Option<usize>,
    #[serde(rename = "type")]
    kind: u8,
}

#[derive(Deserialize)]
struct Bound {
    node: usize,
    bone_from_mesh: Vec<f64>,
}

#[derive(Deserialize)]
struct Vertex {
    position: [f64; 3],
    weights: Vec<(usize, f64)>,
}

#[derive(Deserialize)]
struct Frame {
    poses: Vec<Pose>,
    vertices: Vec<[f64; 3]>,
}

#[derive(Deserialize)]
struct Pose {
    translation: [f64; 3],
    rotation: [f64; 4],
    scale: [f64; 3],
}

/// How many vertices were compared, and how far the farthest is from where the program has it: with types as the file has them, or
/// with others.
pub(crate) fn checked(program: &str, kind: impl Fn(u8) -> InheritType) -> (usize, f64) {
    let path = format!("{}/tests/witnesses/{program}.json", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).expect("a file of the repository");
    let Exported { nodes, joints, mesh, frames } =
        serde_json::from_str(&text).expect("as written here");
    let (mut count, mut worst) = (0, 0.0_f64);
    for frame in &frames {
        let posed = nodes.iter().zip(&frame.poses).map(|(node, at)| SourceNode {
            parent: node.parent,
            local: pose(at.translation, at.rotation, at.scale),
        });
        let posed: Vec<_> = posed.collect();
        let worlds = worlds(&posed, |node| kind(nodes[node].kind)).expect("a forest");
        let moved: Vec<Matrix4<f64>> = joints
            .iter()
            .map(|joint| {
                let world = worlds[joint.node].expect("a pose");
                world * Matrix4::from_column_slice(&joint.bone_from_mesh)
            })
            .collect();
        for (vertex, shown) in mesh.iter().zip(&frame.vertices) {
            let total: f64 = vertex.weights.iter().map(|(_, weight)| weight).sum();
            let position = Point3::from(Vector3::from(vertex.position));
            let said = vertex.weights.iter().map(|&(joint, weight)| {
                moved[joint].transform_point(&position).coords * (weight / total)
            });
            let off = (said.sum::<Vector3<f64>>() - Vector3::from(*shown)).amax();
            worst = worst.max(off / (1.0 + Vector3::from(*shown).amax()));
            count += 1;
        }
    }
    (count, worst)
}

/// The types of a file.
pub(crate) fn as_written(kind: u8) -> InheritType {
    match kind {
        0 => InheritType::ComponentWise,
        1 => InheritType::Matrix,
        2 => InheritType::WithoutParent,
        other => panic!("no node of the files has the type {other}"),
    }
}

#[test]
fn joints_are_where_their_types_say_and_nowhere_else() {
    use InheritType::{ComponentWise, Matrix, WithoutParent};
    for (program, vertices, own, others) in [
        ("maya", 8 * 138, 2, [Matrix, ComponentWise]),
        ("motionbuilder", 5 * 290, 0, [Matrix, WithoutParent]),
    ] {
        let (found, worst) = checked(program, as_written);
        assert_eq!(found, vertices, "{program}");
        assert!(worst < 1e-6, "{program}: {worst:e}");
        for other in others {
            let kind = |kind| if kind == own { other } else { Matrix };
            let (_, worst) = checked(program, kind);
            assert!(worst > 0.1, "{program}, {other:?}: {worst:e}");
        }
    }
}
