use std::{f64::consts::PI, sync::Arc};

use nalgebra::{Matrix4, Point3, Vector3};
use xform_core::Trs;

use crate::{
    Animation, Bounds, Drawing, Node, Scene, Skin,
    animation::{Channel, Curve, Interpolation, Track},
    drawing::{MeshPart, ShownMesh},
    skin::{Joint, SkinVertices},
};

/// The number of corners of a ring around the arm.
const CORNERS: u32 = 20;
/// The skeleton along x: the positions of the elbow and the wrist. The shoulder is at the origin.
const ELBOW: f64 = 1.0;
const WRIST: f64 = 1.9;
/// The distance on both sides of a joint in which the skin follows both bones.
const BLEND: f64 = 0.16;
/// The end of the sleeve.
const SLEEVE: f64 = 0.62;
/// Rings along the arm: position, height and width.
const RINGS: [[f64; 3]; 22] = [
    [-0.12, 0.05, 0.05],
    [-0.1, 0.17, 0.17],
    [0.0, 0.24, 0.23],
    [0.15, 0.235, 0.22],
    [0.35, 0.23, 0.21],
    [0.5, 0.215, 0.2],
    [SLEEVE, 0.205, 0.19],
    [SLEEVE + 1e-3, 0.165, 0.155],
    [0.75, 0.155, 0.145],
    [0.9, 0.14, 0.13],
    [1.0, 0.14, 0.13],
    [1.1, 0.15, 0.14],
    [1.3, 0.15, 0.13],
    [1.5, 0.125, 0.11],
    [1.7, 0.1, 0.09],
    [1.9, 0.085, 0.08],
    [2.0, 0.13, 0.07],
    [2.12, 0.15, 0.075],
    [2.25, 0.14, 0.075],
    [2.36, 0.11, 0.06],
    [2.43, 0.06, 0.035],
    [2.45, 0.01, 0.01],
];
const BLUE: [f32; 4] = [0.045, 0.14, 0.36, 1.0];
const SKIN: [f32; 4] = [0.62, 0.66, 0.68, 1.0];

/// An arm in a sleeve. Its upper part is stretched along the bone, and its elbow bends and straightens again. At rest
/// it is straight and looks the same in every engine.
pub(super) fn arm(stretch: f64, degrees: f64) -> Scene {
    let shoulder = Trs::from_scale(Vector3::new(stretch, 1.0, 1.0));
    let elbow = Trs::from_translation(Vector3::new(ELBOW, 0.0, 0.0));
    let wrist = Trs::from_translation(Vector3::new(WRIST - ELBOW, 0.0, 0.0));
    let bone = |name: &str, parent, pose| {
        let mut bone = Node::new(parent, pose).with_name(name).with_bounds(Bounds::Origin);
        bone.uses.is_skinned = true;
        bone
    };
    let mut mesh = Node::new(None, Trs::identity()).with_name("Arm").with_bounds(Bounds::Nothing);
    mesh.uses.mesh = Some(0);
    mesh.uses.is_skinned = true;
    let mut nodes = vec![
        mesh,
        bone("Upper arm", None, shoulder),
        bone("Forearm", Some(1), elbow),
        bone("Hand", Some(2), wrist),
    ];
    nodes[2].uses.is_animated = true;
    let joints: Arc<[Joint]> = [0.0, ELBOW, WRIST]
        .into_iter()
        .zip(1..)
        .map(|(at, node)| {
            let inverse_bind = Matrix4::new_translation(&Vector3::new(-at, 0.0, 0.0));
            Joint { node, inverse_bind }
        })
        .collect();
    let split = RINGS.iter().position(|ring| ring[0] > SLEEVE).unwrap_or(RINGS.len());
    let parts = vec![tube(&RINGS[..split], BLUE), tube(&RINGS[split..], SKIN)];
    let mut vertices = SkinVertices::default();
    for part in &parts {
        for (at, follows) in part.positions.iter().zip(&part.follows) {
            let follows = follows.iter().map(|&(joint, by)| (joint as usize, f64::from(by)));
            vertices.push(Point3::from(at.map(f64::from)), follows);
        }
    }
    nodes[0].skin = Some(Skin { joints: Arc::clone(&joints), vertices: Arc::new(vertices) });
    let mut scene = Scene::new("arm", nodes);
    scene.drawing = Drawing {
        meshes: vec![Ok(parts)],
        shown: vec![ShownMesh { node: 0, mesh: 0, joints: Some(joints), weights: Vec::new() }],
        morphs: Vec::new(),
    };
    let mut bend = Animation::new(0, vec![Channel { node: 2, track: bent(degrees) }]);
    bend.name = Some("bend".to_owned());
    scene.animations = vec![bend];
    scene
}

/// The elbow over 2 s: straight, bent, straight.
fn bent(degrees: f64) -> Track {
    let half = degrees * (PI / 360.0);
    let (straight, bent) = ([0.0, 0.0, 0.0, 1.0], [0.0, 0.0, libm::sin(half), libm::cos(half)]);
    let values = vec![straight, bent, straight];
    let curve = Curve::new(vec![0.0, 1.0, 2.0], values, Interpolation::Linear);
    Track::Rotation(curve.expect("three finite values at three times in order"))
}

/// A tube through rings.
fn tube(rings: &[[f64; 3]], colour: [f32; 4]) -> MeshPart {
    let mut part = MeshPart { colour, ..MeshPart::default() };
    for (place, &[along, high, wide]) in rings.iter().enumerate() {
        let before = rings[place.saturating_sub(1)];
        let behind = rings[(place + 1).min(rings.len() - 1)];
        // How fast it narrows along the arm.
        let slope = (before[1] - behind[1]) / (behind[0] - before[0]).max(1e-9);
        for corner in 0..CORNERS {
            let angle = 2.0 * PI * f64::from(corner) / f64::from(CORNERS);
            let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
            let normal = Vector3::new(slope, cosine / high, sine / wide);
            let normal = Vector3::new(slope.clamp(-3.0, 3.0), normal.y * high, normal.z * high);
            part.positions.push(narrow([along, high * cosine, wide * sine]));
            part.normals.push(narrow(normal.normalize().into()));
            part.follows.push(follows(along));
        }
    }
    let count = u32::try_from(rings.len()).expect("a few rings");
    for ring in 1..count {
        for corner in 0..CORNERS {
            let next = (corner + 1) % CORNERS;
            let [a, b] = [corner, next].map(|corner| (ring - 1) * CORNERS + corner);
            let [c, d] = [a, b].map(|vertex| vertex + CORNERS);
            part.indices.extend([a, c, b, b, c, d]);
        }
    }
    part
}

/// The bones that a vertex follows and their weights, from its position along the arm.
fn follows(along: f64) -> Vec<(u32, f32)> {
    let mut follows = vec![];
    let part = |joint: f64| ((along - joint) / (2.0 * BLEND) + 0.5).clamp(0.0, 1.0);
    let (forearm, hand) = (part(ELBOW), part(WRIST));
    for (bone, weight) in [(0, 1.0 - forearm), (1, forearm - hand), (2, hand)] {
        if weight > 0.0 {
            follows.push((bone, narrow([weight])[0]));
        }
    }
    follows
}

fn narrow<const N: usize>(numbers: [f64; N]) -> [f32; N] {
    #[expect(clippy::cast_possible_truncation, reason = "numbers of a drawing")]
    numbers.map(|number| number as f32)
}
