//! Cameras, lights and sockets: how far they point elsewhere, by a fold of our own, and that they do not count.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use serde_json::{Value, json};
use xform_cases::properties;
use xform_compare::{
    Engine, Grade, SceneAudit,
    audit::{EngineChoice, Role},
    compare_engines, findings,
    judge::{Limits, undrawn, verdict},
};
use xform_scene::{BuiltIn, FixtureKind, read_gltf};

type Pose = ([f64; 4], [f64; 3]);

/// What hangs at the end of two poses, beside a cube.
fn file(poses: &[Pose; 2], last: &Value) -> Value {
    let node = |(rotation, scale): &Pose| json!({"rotation": rotation, "scale": scale});
    let [mut top, mut middle] = poses.each_ref().map(node);
    top["children"] = json!([1]);
    middle["children"] = json!([2]);
    json!({
        "asset": {"version": "2.0"},
        "nodes": [top, middle, last, {"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"componentType": 5126, "count": 8, "type": "VEC3", "min": [-1, -1, -1], "max": [1, 1, 1]}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}],
        "extensions": {"KHR_lights_punctual": {"lights": [
            {"type": "directional"}, {"type": "spot"}, {"type": "point"}, {"type": "laser"},
        ]}},
    })
}

fn light(index: usize) -> Value {
    json!({"name": "It", "extensions": {"KHR_lights_punctual": {"light": index}}})
}

fn audited(file: &Value, engine: &str) -> SceneAudit {
    let scene = read_gltf(file.to_string().as_bytes(), "undrawn.gltf").unwrap();
    let engine = Engine::named(engine).unwrap();
    compare_engines(&scene, &EngineChoice::named(vec![engine], None)).unwrap()
}

fn rotation([x, y, z, w]: [f64; 4]) -> Matrix3<f64> {
    let unit = UnitQuaternion::new_normalize(nalgebra::Quaternion::new(w, x, y, z));
    *unit.to_rotation_matrix().matrix()
}

/// The axes of the end of two poses where matrices are multiplied, and where rotations and scales are apart.
fn folded([top, middle]: &[Pose; 2]) -> [Matrix3<f64>; 2] {
    let scaled = |scale: [f64; 3]| Matrix3::from_diagonal(&Vector3::from(scale));
    let turns = rotation(top.0) * rotation(middle.0);
    let scales = Vector3::from(top.1).component_mul(&Vector3::from(middle.1));
    let matrices = rotation(top.0) * scaled(top.1) * rotation(middle.0) * scaled(middle.1);
    [matrices, turns * Matrix3::from_diagonal(&scales)]
}

fn angle(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    2.0 * ((a.normalize() - b.normalize()).norm() / 2.0).asin().to_degrees()
}

fn pose() -> impl Strategy<Value = Pose> {
    let turn = prop::array::uniform4(-1.0..1.0).prop_filter("no direction", |q: &[f64; 4]| {
        q.iter().map(|part| part * part).sum::<f64>() > 0.1
    });
    let unit = turn.prop_map(|q| {
        let length = q.iter().map(|part| part * part).sum::<f64>().sqrt();
        q.map(|part| part / length)
    });
    (unit, prop::array::uniform3(0.3..3.0))
}

properties! {
    #[test]
    fn they_point_elsewhere_as_far_as_their_axes_do(poses in [pose(), pose()]) {
        let [a, b] = folded(&poses);
        let forward = |axes: &Matrix3<f64>| -axes.column(2);
        let up = |axes: &Matrix3<f64>| {
            let along = forward(axes).normalize();
            axes.column(1) - along * axes.column(1).dot(&along)
        };
        let turned = angle(&forward(&a), &forward(&b));
        let rolled = angle(&up(&a), &up(&b));
        for (last, kind, expected) in [
            (json!({"name": "It", "camera": 0}), FixtureKind::Camera, Some(turned.max(rolled))),
            (light(0), FixtureKind::DirectionalLight, Some(turned)),
            (light(1), FixtureKind::SpotLight, Some(turned)),
            (light(2), FixtureKind::PointLight, None),
        ] {
            let audit = audited(&file(&poses, &last), "trs");
            let node = &audit.nodes[2];
            prop_assert_eq!((node.role, node.counts), (Role::Fixture(kind), false));
            prop_assert_eq!(node.turned_degrees.is_some(), expected.is_some());
            let expected = expected.unwrap_or(0.0);
            prop_assert!((node.turned_degrees.unwrap_or(0.0) - expected).abs() < 1e-5, "{expected}");
            // Its origin is that of all above it.
            prop_assert_eq!(node.grade(), Grade::of_turn(kind, expected));
            let seen = node.grade().is_seen();
            prop_assert_eq!(undrawn(&audit).len(), usize::from(seen));
            prop_assert_eq!(verdict(&audit).contains("Not counted: in combined TRS the"), seen);
            let mut limits = Limits::default();
            limits.fail_on = Some(Grade::Negligible);
            prop_assert!(findings(&audit, &limits).iter().all(|finding| !finding.fails));
        }
    }

    #[test]
    fn a_socket_is_graded_by_its_axes(poses in [pose(), pose()]) {
        let audit = audited(&file(&poses, &json!({"name": "It"})), "trs");
        let [a, b] = folded(&poses);
        let node = &audit.nodes[2];
        prop_assert_eq!((node.role, node.counts), (Role::Socket, false));
        let percent = 100.0 * (a - b).norm() / a.norm();
        prop_assert_eq!(node.grade(), Grade::new(Some(percent), None, node.skew_difference_degrees));
        prop_assert_eq!(undrawn(&audit).len(), usize::from(node.grade().is_seen()));
    }
}

const STRETCHED: [Pose; 2] =
    [([0.0, 0.0, 0.0, 1.0], [1.0, 3.0, 1.0]), ([0.6, 0.0, 0.0, 0.8], [1.0; 3])];

#[test]
fn what_is_no_socket_is_graded_by_its_origin() {
    // A joint, a node with something below it, and an unknown light; then where nothing is drawn.
    let mut joint = file(&STRETCHED, &json!({}));
    joint["skins"] = json!([{"joints": [2]}]);
    let mut unmeshed = file(&STRETCHED, &json!({}));
    unmeshed["nodes"][3] = json!({});
    for (file, role) in [
        (joint, Role::Part),
        (unmeshed, Role::Part),
        (file(&STRETCHED, &light(3)), Role::Socket),
        (file(&STRETCHED, &light(9)), Role::Socket),
    ] {
        assert_eq!(audited(&file, "trs").nodes[2].role, role);
    }
    assert_eq!(audited(&file(&STRETCHED, &json!({})), "trs").nodes[1].role, Role::Part);
}

/// A mesh beside a camera is judged by the mesh, in rank, time and words.
#[test]
fn a_mesh_with_a_camera_is_a_mesh() {
    let audit = audited(&file(&STRETCHED, &json!({"name": "It", "camera": 0, "mesh": 0})), "trs");
    let node = &audit.nodes[2];
    assert_eq!((node.role, node.counts, node.turned_degrees), (Role::Part, true, None));
    assert!(verdict(&audit).contains(" % of the scene, most at"), "{}", verdict(&audit));
}

/// Where it is as far at rest as in motion, no time is told.
#[test]
fn a_time_is_told_only_of_what_is_worse_then() {
    let scene = BuiltIn::named("arm").unwrap().scene(&[]).unwrap();
    let o3de = vec![Engine::named("o3de").unwrap()];
    let audit = compare_engines(&scene, &EngineChoice::named(o3de, None)).unwrap();
    assert!(audit.engines.groups[1].nodes.iter().all(|node| node.motion.is_none()));
    assert!(audit.seen().iter().all(|node| node.motion.is_none()));
    assert!(!verdict(&audit).contains(" s into"), "{}", verdict(&audit));
}

#[test]
fn counted_they_fail_a_limit_by_name() {
    for last in [json!({"name": "It", "camera": 0}), light(1), json!({"name": "It"})] {
        let file = file(&STRETCHED, &last).to_string();
        let mut scene = read_gltf(file.as_bytes(), "counted.gltf").unwrap();
        scene.counts_undrawn = true;
        let audit = compare_engines(&scene, &EngineChoice::usual()).unwrap();
        assert!(audit.summary.grade.is_seen());
        let mut limits = Limits::default();
        limits.fail_on = Some(Grade::Visible);
        let found = findings(&audit, &limits);
        let failing: Vec<_> = found.iter().filter(|finding| finding.fails).collect();
        let [one] = &failing[..] else { panic!("{failing:?}") };
        assert!(one.rule == "turned" && one.message.contains("Unreal"), "{}", one.message);
        assert!(undrawn(&audit).is_empty());
    }
}

/// The camera turns below a stretch, and is at its worst in motion.
#[test]
fn a_camera_that_an_animation_turns_is_told_with_the_time() {
    let mut file = file(&STRETCHED, &json!({"name": "It", "camera": 0}));
    file["nodes"][1]["rotation"] = json!([0, 0, 0, 1]);
    let numbers = [0.0_f32, 1.0, 0.0, 0.0, 0.0, 1.0, 0.6, 0.0, 0.0, 0.8];
    let data: String =
        numbers.iter().flat_map(|n| n.to_le_bytes()).map(|byte| format!("%{byte:02x}")).collect();
    file["buffers"] = json!([{"byteLength": 40, "uri": format!("data:,{data}")}]);
    file["bufferViews"] =
        json!([{"buffer": 0, "byteLength": 8}, {"buffer": 0, "byteOffset": 8, "byteLength": 32}]);
    let accessors = file["accessors"].as_array_mut().unwrap();
    accessors.push(json!({"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR"}));
    accessors.push(json!({"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC4"}));
    file["animations"] = json!([{
        "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}],
        "samplers": [{"input": 1, "output": 2}],
    }]);
    let audit = audited(&file, "trs");
    let told = undrawn(&audit);
    let [camera] = &told[..] else { panic!("{told:?}") };
    let (animation, seconds) = camera.motion.unwrap();
    // tan of the turned direction is 3 tan of the turn; they are farthest apart where tan² of the turn is 1/3, at 30°.
    assert_eq!((animation, camera.grade), (0, Grade::Severe));
    assert!((camera.figures.turned_degrees.unwrap() - 30.0).abs() < 1e-3, "{camera:?}");
    let turn = 2.0 * 0.6_f64.asin().to_degrees();
    assert!((seconds - 30.0 / turn).abs() < 0.01, "{seconds}");
    assert!(verdict(&audit).contains("the camera \"#0/#1/It\" looks 30° elsewhere, "));
}
