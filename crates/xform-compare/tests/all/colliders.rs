//! What physics engines make of shapes, beside what they draw.

use nalgebra::{UnitQuaternion, Vector3};
use proptest::prelude::*;
use serde_json::{Value, json};
use xform_cases::properties;
use xform_compare::{
    Grade, SceneAudit,
    audit::{ColliderAdviceKind, ColliderAudit, PhysicsAudit, PhysicsChoice, PhysicsRoad},
    compare,
    judge::{ColliderText, Limits, colliders_cause, colliders_line, colliders_note},
    measure::collide,
    physics::{Collider, Shape, ShapeKind},
};
use xform_scene::{
    Animation, ColliderShape, Node, Scene, Trs,
    animation::{Channel, Curve, Interpolation, Track},
    drawing::MeshPart,
    read_gltf,
};

/// A scene with these nodes, and shapes for `OMI_physics_body`.
fn scene(nodes: &Value, shapes: &Value) -> Scene {
    let document = json!({
        "asset": { "version": "2.0" },
        "nodes": nodes,
        "extensions": { "OMI_physics_shape": { "shapes": shapes } },
    });
    read_gltf(document.to_string().as_bytes(), "test.gltf").unwrap()
}

fn with_shape(mut node: Value, shape: usize) -> Value {
    node["extensions"]["OMI_physics_body"]["collider"] = json!({ "shape": shape });
    node
}

fn choice(engines: &[&str]) -> PhysicsChoice {
    let named = engines.iter().map(|name| PhysicsRoad::named(name).expect("known"));
    PhysicsChoice::named(named.collect(), None)
}

/// Of a scene whose diagonal is 10.
fn judged(scene: &Scene, engines: &[&str]) -> PhysicsAudit {
    collide(scene, &choice(engines), 10.0)
}

fn audited(scene: &Scene, engines: &[&str]) -> SceneAudit {
    let mut audit = compare(scene).unwrap();
    audit.physics = judged(scene, engines);
    audit
}

/// A sphere, a box, a capsule and a cylinder, of the sizes that OMI gives them.
fn shapes() -> Value {
    let kinds = ["sphere", "box", "capsule", "cylinder"];
    kinds.map(|kind| json!({ "type": kind })).into_iter().collect()
}

/// The worst of the engines that it is known of.
fn worst(collider: &ColliderAudit) -> f64 {
    let found = collider.in_engines.iter().filter_map(|one| one.found.as_ref().ok());
    found.map(|found| found.distance).fold(0.0, f64::max)
}

/// godot#111929: a scale of (1.698, 1.543, 1.726) on a sphere of radius 0.5. The mean is 1.656; the farthest from the ellipsoid is its shortest
/// axis.
#[test]
fn the_sphere_of_the_issue_is_told_as_godot_tells_it() {
    let nodes =
        json!([with_shape(json!({ "name": "Ball", "scale": [1.697926, 1.542503, 1.726272] }), 0)]);
    let scene = scene(&nodes, &shapes());
    let found = judged(&scene, &["godot-jolt", "godot-physics"]);
    let [jolt, exact] = &found.colliders[0].in_engines[..] else { panic!("two engines") };
    let jolt = jolt.found.as_ref().unwrap();
    let Shape::Sphere { radius } = jolt.collider.shape else { panic!("a sphere") };
    assert!((radius * 2.0 - 1.655567).abs() < 1e-6, "{radius}");
    assert!((jolt.distance - (1.655567 - 1.542503) / 2.0).abs() < 1e-6, "{}", jolt.distance);
    assert_eq!(exact.found.as_ref().unwrap().distance, 0.0);
    assert_eq!((found.colliders[0].grade(), exact.grade), (Grade::Visible, Grade::Identical));
    let audit = audited(&scene, &["godot-jolt"]);
    let said = ColliderText::of(&audit, &audit.physics.colliders[0]).lines.join("\n");
    assert!(said.contains("a sphere of radius 0.828"), "{said}");
    assert!(said.contains("the mean of the three scales"), "{said}");
    assert!(said.contains("The cause is the scale (1.698, 1.543, 1.726) of Ball."), "{said}");
}

/// What is right nearly everywhere is not told: a non-uniform scale without skew above boxes, and scales that differ by less than a ten-thousandth.
#[test]
fn what_is_right_is_not_told() {
    let nodes = json!([
        with_shape(json!({ "scale": [3, 1, 2] }), 1),
        with_shape(json!({ "scale": [2, 2, 2], "rotation": [0.5, 0.5, 0.5, 0.5] }), 0),
        with_shape(json!({ "scale": [2, 2.0001, 2] }), 0),
        with_shape(json!({ "scale": [2, 2.0001, 2], "children": [4] }), 0),
        with_shape(json!({ "rotation": [0, 0, 0.25881904510252074, 0.9659258262890683] }), 1),
    ]);
    let usual = [
        "godot-jolt",
        "godot-physics",
        "jolt",
        "bullet",
        "unreal",
        "unity",
        "avian",
        "rapier-bevy",
        "rapier-r3",
        "havok-babylon",
        "panda3d-bullet",
        "arche",
    ];
    let scene = scene(&nodes, &shapes());
    let found = judged(&scene, &usual);
    for collider in &found.colliders[..2] {
        assert!(worst(collider) < 1e-6, "{collider:?}");
    }
    for collider in &found.colliders {
        assert!(!collider.grade().is_seen(), "{collider:?}");
    }
    assert!(found.told().iter().all(|collider| collider.is_skewed), "{:?}", found.told());
    assert_eq!(colliders_line(&compare(&scene).unwrap()), None);
}

/// A skew is told of every engine that parts with it; one that follows it is as it is drawn.
#[test]
fn a_skewed_box_is_told_with_its_cause_and_what_was_tried() {
    let nodes = json!([
        { "name": "Stretched", "scale": [2, 1, 1], "children": [1] },
        with_shape(json!({ "name": "Crate", "rotation": [0, 0, 0.3826834323650898, 0.9238795325112867] }), 1),
    ]);
    let scene = scene(&nodes, &shapes());
    let found = judged(&scene, &["godot-jolt", "godot-physics"]);
    let crate_ = &found.colliders[0];
    assert!(crate_.is_skewed && crate_.is_told());
    let cause = crate_.cause.expect("a cause");
    assert_eq!((cause.node, cause.turned, cause.is_alone), (0, Some(1), true));
    let kinds: Vec<_> = crate_.advice.iter().map(|advice| advice.kind).collect();
    assert_eq!(kinds.len(), 2, "{:?}", crate_.advice);
    assert!(kinds.contains(&ColliderAdviceKind::MakeHull));
    // What the advice says remains is what an audit finds of a scene that follows it.
    let uniform = crate_.advice.iter().find(|one| one.kind == ColliderAdviceKind::MakeUniform);
    let mut followed = scene.clone();
    let factor = 2.0_f64.cbrt();
    followed.nodes[0].local = Trs::from_scale(Vector3::repeat(factor)).into();
    let after = worst(&judged(&followed, &["godot-jolt", "godot-physics"]).colliders[0]);
    assert!((uniform.unwrap().remaining - after).abs() < 1e-12);
    // Nobody asked: a line says what to ask for.
    let line = colliders_line(&compare(&scene).unwrap()).expect("a line");
    assert_eq!(
        line,
        "The only collider differs from the drawn shape in Godot (Jolt): --physics godot-jolt"
    );
}

/// Always told: what an engine refuses, a scale of zero, and a body that physics moves below a skew, where the engine collides with what is drawn too.
#[test]
fn what_is_refused_flat_or_moved_below_a_skew_is_told() {
    let turned = json!({ "rotation": [0, 0, 0.3826834323650898, 0.9238795325112867] });
    let mut moved = with_shape(turned, 1);
    moved["extensions"]["OMI_physics_body"]["motion"] = json!({ "type": "dynamic" });
    let nodes = json!([
        { "scale": [2, 1, 1], "children": [1] },
        moved,
        with_shape(json!({ "name": "Flat", "scale": [1, 1, 0] }), 1),
        with_shape(json!({ "scale": [-1, 1, 1] }), 3),
    ]);
    let scene = scene(&nodes, &shapes());
    let audit = audited(&scene, &["godot-physics", "physx"]);
    let [dynamic, flat, mirrored] = &audit.physics.colliders[..] else { panic!("three") };
    assert!(dynamic.is_dynamic && dynamic.in_engines[0].grade == Grade::Identical);
    let said = ColliderText::of(&audit, dynamic).lines.join("\n");
    assert!(said.contains("A RigidBody3D removes the scale from its own node"), "{said}");
    assert_eq!(flat.flattened_by, Some(2));
    assert!(
        flat.is_told()
            && ColliderText::of(&audit, flat).lines.join("").contains("is 0 along an axis")
    );
    assert!(mirrored.in_engines[1].is_refused() && mirrored.grade() == Grade::Severe);
    let mut limits = Limits::default();
    limits.fail_on = Some(Grade::Visible);
    let findings = xform_compare::findings(&audit, &limits);
    let of_rule = |rule: &str| findings.iter().filter(|one| one.rule == rule && one.fails).count();
    assert_eq!((of_rule("collider"), of_rule("collider-unknown")), (2, 1), "{findings:?}");
}

/// The worst in motion is found at its time. A turn below a stretched parent begins without a skew; on the way Jolt's box
/// is as far from what is drawn as at rest in that pose.
#[test]
fn the_worst_in_motion_is_told() {
    let turn = |degrees: f64| {
        let half = degrees.to_radians() / 2.0;
        [0.0, 0.0, half.sin(), half.cos()]
    };
    let posed = |degrees: f64| {
        let child = with_shape(json!({ "rotation": turn(degrees) }), 1);
        scene(&json!([{ "scale": [2, 1, 1], "children": [1] }, child]), &shapes())
    };
    let mut moving = posed(0.0);
    // An angle that puts the worst between the times that are looked at first.
    const ALL: f64 = 83.0;
    let values = vec![turn(0.0), turn(ALL)];
    let curve = Curve::new(vec![0.0, 1.0], values, Interpolation::Linear).unwrap();
    let channel = Channel { node: 1, track: Track::Rotation(curve) };
    moving.animations.push(Animation::new(0, vec![channel]));
    let found = judged(&moving, &["godot-jolt"]);
    let worst_then = &found.colliders[0].in_engines[0];
    let (animation, seconds) = worst_then.motion.expect("it is the worst in motion");
    assert_eq!(animation, 0);
    let still = worst(&judged(&posed(ALL * seconds), &["godot-jolt"]).colliders[0]);
    assert!((worst(&found.colliders[0]) - still).abs() < 1e-9);
    let at = |degrees: u8| worst(&judged(&posed(f64::from(degrees)), &["godot-jolt"]).colliders[0]);
    let most = (0..=83).map(at).fold(0.0, f64::max);
    assert!(still > 0.999_99 * most && most > 0.1, "{still} of {most}");
    assert!(worst(&judged(&posed(0.0), &["godot-jolt"]).colliders[0]) == 0.0);
    // What moves is not helped by another shape, only by another scale.
    let kinds: Vec<_> = found.colliders[0].advice.iter().map(|advice| advice.kind).collect();
    assert_eq!(kinds, [ColliderAdviceKind::MakeUniform]);
    // A skew in motion counts, and where it is at rest is told beside it.
    assert!(found.colliders[0].is_skewed);
    assert_eq!(worst_then.at_rest.as_ref().map(|at_rest| at_rest.distance), Some(0.0));
}

/// A ball that moves only its scale, linearly in a second.
fn scaling(from: [f64; 3], to: [f64; 3]) -> Scene {
    let mut moving = scene(&json!([with_shape(json!({ "scale": from }), 0)]), &shapes());
    let curve = Curve::new(vec![0.0, 1.0], vec![from, to], Interpolation::Linear).unwrap();
    let channel = Channel { node: 0, track: Track::Scale(curve) };
    moving.animations.push(Animation::new(0, vec![channel]));
    moving
}

/// Hidden by a scale of zero is not flat: what differs at rest still differs. What shrinks differs by less, and by more of itself.
#[test]
fn what_shrinks_is_judged_by_its_own_size_too() {
    let hidden = judged(&scaling([2.0, 1.0, 1.0], [0.0; 3]), &["unreal"]);
    assert!((worst(&hidden.colliders[0]) - 0.5).abs() < 1e-9);
    assert_eq!(
        (hidden.colliders[0].grade(), hidden.colliders[0].is_unknown()),
        (Grade::Severe, false)
    );
    let hidden = judged(&scaling([1.0; 3], [0.0; 3]), &["unreal"]);
    assert!(!hidden.colliders[0].is_told(), "{:?}", hidden.colliders[0]);
    let mut shrinking = scaling([1.03, 1.0, 1.0], [0.02, 0.01, 0.01]);
    let hull: Vec<_> =
        (0..8_u8).map(|at| Vector3::from_fn(|axis, _| f64::from(at >> axis & 1) - 0.5)).collect();
    let points = hull.into();
    shrinking.colliders[0].shape = ColliderShape::Known(Shape::Hull(points));
    shrinking.nodes[0].parent = None;
    // A turn below the scale that shrinks: the hull is skewed.
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.7);
    shrinking.colliders[0].offset = Trs::from_rotation(turn);
    let found = &collide(&shrinking, &choice(&["godot-jolt"]), 30.0).colliders[0];
    let (_, seconds) = found.in_engines[0].motion.expect("worse when it is small");
    assert!(seconds > 0.9 && found.grade().is_seen(), "{seconds} {:?}", found.grade());
}

/// GodotPhysics lets bodies fall through a skewed mesh, though rays hit it: that is severe, below a skew where it was seen; hulls and boxes are as drawn.
#[test]
fn bodies_fall_through_a_skewed_mesh_in_godot_physics() {
    let skewed = |degrees: f64, kind: ShapeKind| {
        let mut scene = with_mesh([2.0, 1.0, 1.0]);
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), degrees.to_radians());
        let mut child = scene.nodes[0].clone();
        (child.parent, child.local) = (Some(0), Trs::from_rotation(turn).into());
        scene.nodes[0].uses.mesh = None;
        scene.nodes.push(child);
        let asked = PhysicsChoice::named(choice(&["godot-physics"]).engines, Some(kind));
        let mut audit = compare(&scene).unwrap();
        audit.physics = collide(&scene, &asked, 10.0);
        audit
    };
    let audit = skewed(30.0, ShapeKind::Mesh);
    let mesh = &audit.physics.colliders[0];
    assert!(mesh.in_engines[0].falls_through && mesh.grade() == Grade::Severe);
    assert_eq!(worst(mesh), 0.0);
    let said = ColliderText::of(&audit, mesh).lines.join("\n");
    assert!(said.starts_with("Godot (GodotPhysics): bodies can fall through it."), "{said}");
    assert!(said.contains("The cause is the scale (2, 1, 1) of Rock, below which"), "{said}");
    assert!(said.contains("Then it collides where it is drawn."), "{said}");
    let mild = &skewed(1.0, ShapeKind::Mesh).physics.colliders[0];
    assert_eq!((mild.grade(), mild.is_told()), (Grade::Negligible, true));
    let hull = &skewed(30.0, ShapeKind::Hull).physics.colliders[0];
    assert_eq!((hull.grade(), hull.is_told()), (Grade::Identical, false));
}

/// A shape that an engine does not make is not where it is drawn.
#[test]
fn what_is_not_made_is_told() {
    let scene = scene(&json!([with_shape(json!({}), 3)]), &shapes());
    let audit = audited(&scene, &["unreal"]);
    let line = colliders_line(&audit).unwrap();
    assert_eq!(line, "No collider is known to differ visibly from the drawn shape in Unreal.");
    let said = ColliderText::of(&audit, audit.physics.told()[0]).lines;
    assert_eq!(said, ["Unreal makes no collider of this kind."]);
}

/// A scale without which as much remains is no cause, however much differs.
#[test]
fn an_even_scale_above_a_sheared_matrix_is_no_cause() {
    let sheared = json!({ "matrix": [1, 0, 0, 0, 0.7, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] });
    let nodes = json!([{ "scale": [2, 2, 2], "children": [1] }, with_shape(sheared, 1)]);
    let found = judged(&scene(&nodes, &shapes()), &["jolt"]);
    assert_eq!((found.colliders[0].grade(), found.colliders[0].cause), (Grade::Severe, None));
}

/// Godot takes the skew out of a body that it moves, and nothing out of one that is only stretched.
#[test]
fn what_befalls_a_moved_body_is_said_where_it_does() {
    let said = |angle: f64| {
        let half = angle.to_radians() / 2.0;
        let mut moved = with_shape(json!({ "rotation": [0, 0, half.sin(), half.cos()] }), 0);
        moved["extensions"]["OMI_physics_body"]["motion"] = json!({ "type": "dynamic" });
        let nodes = json!([{ "scale": [2, 1, 1], "children": [1] }, moved]);
        let audit = audited(&scene(&nodes, &shapes()), &["godot-jolt"]);
        ColliderText::of(&audit, &audit.physics.colliders[0]).lines.join("\n")
    };
    assert!(
        said(30.0)
            .contains("Physics moves it, and it is drawn skewed. Godot (Jolt): A RigidBody3D")
    );
    assert!(!said(0.0).contains("RigidBody3D"), "{}", said(0.0));
}

/// Several colliders with one cause are told it once, with the one way that serves them all; each way was tried.
#[test]
fn a_cause_of_several_is_told_once_with_what_serves_them_all() {
    let turned = |name: &str| json!({ "name": name, "rotation": [0, 0, 0.3826834323650898, 0.9238795325112867] });
    let nodes = json!([
        { "name": "Playground", "scale": [2, 1, 1], "children": [1, 2, 3] },
        with_shape(turned("Ball"), 0),
        with_shape(turned("Crate"), 1),
        with_shape(turned("Box"), 1),
        with_shape(json!({ "name": "Apart", "translation": [9, 0, 0], "scale": [1, 1.5, 1] }), 0),
    ]);
    let scene = scene(&nodes, &shapes());
    let audit = audited(&scene, &["godot-jolt"]);
    let line = colliders_line(&audit).unwrap();
    let most = audit.physics.colliders.iter().map(worst).fold(0.0, f64::max);
    let most = xform_scene::text::significant(most, 3);
    assert_eq!(
        line,
        format!(
            "4 of 4 colliders differ from the drawn shape in Godot (Jolt): bodies collide up to {most} units away from the drawn shape."
        )
    );
    assert_eq!(
        colliders_cause(&audit).unwrap(),
        "The scale (2, 1, 1) of Playground is the cause of 3 of them. Made uniform, 1.26 on all axes, it affects none of them, but the drawn scene changes."
    );
    let texts = ColliderText::all(&audit);
    let of_cause: Vec<_> = texts.iter().map(|text| text.lines.last().unwrap()).collect();
    let is_said = |words: &str| of_cause.iter().filter(|line| line.contains(words)).count();
    assert_eq!(is_said("The cause is the scale (2, 1, 1) of Playground"), 1, "{of_cause:#?}");
    assert_eq!(is_said("The cause is the scale (1, 1.5, 1) of Apart"), 1, "{of_cause:#?}");
    assert_eq!(is_said("The cause is the same as for collider "), 2, "{of_cause:#?}");
    // What the line says serves all: the same file with that scale even.
    let mut even = nodes.clone();
    even[0]["scale"] = json!([1.26, 1.26, 1.26]);
    let even = audited(&self::scene(&even, &shapes()), &["godot-jolt"]);
    assert_eq!(even.physics.seen(), 1);
    let note = colliders_note(&audited(&scene, &["godot-jolt", "unreal"])).unwrap();
    assert!(note.contains("Godot (Jolt) was run (4.6.3), with a StaticBody3D on the node; Unreal is documented, not run, with"), "{note}");
    assert_eq!(colliders_note(&compare(&scene).unwrap()), None);
}

/// Where all with one cause can be mended without a change of what is drawn, all are told so, whatever is best for each alone: a uniform scale, which is best
/// for a capsule here, would undo what is said of the box.
#[test]
fn those_with_one_cause_are_told_one_way() {
    let turned = |name: &str| json!({ "name": name, "rotation": [0, 0, 0.2, 0.9797958971132712] });
    let nodes = json!([
        { "name": "Playground", "scale": [2, 1, 1], "children": [1, 2] },
        with_shape(turned("Crate"), 1),
        with_shape(turned("Post"), 2),
        { "name": "Far", "translation": [60, 0, 0] },
    ]);
    let scene = scene(&nodes, &shapes());
    let mut audit = compare(&scene).unwrap();
    audit.physics = collide(&scene, &choice(&["godot-jolt"]), 60.0);
    assert_eq!(
        colliders_cause(&audit).unwrap(),
        "The scale (2, 1, 1) of Playground is the cause of both. Kept away from their shapes, some of which become hulls, it affects \
         none of them, and the drawn scene does not change: see the list. Made uniform, 1.26 on all axes, it affects none either, but the drawn scene changes."
    );
    let best: Vec<_> = audit.physics.colliders.iter().map(|one| one.advice[0].kind).collect();
    assert_eq!(best[1], ColliderAdviceKind::MakeUniform);
    for text in ColliderText::all(&audit) {
        let said = text.lines.last().unwrap();
        assert!(
            said.contains(
                "Move the shape to a node that neither has nor inherits a scale, as the convex hull of"
            ),
            "{said}"
        );
    }
}

/// An engine that is named twice is judged once.
#[test]
fn an_engine_is_asked_once() {
    let twice = choice(&["jolt", "unreal", "jolt", "jolt/nested"]);
    let ids: Vec<_> = twice.engines.iter().map(PhysicsRoad::id).collect();
    assert_eq!(ids, ["jolt", "unreal", "jolt/nested"]);
}

/// What differs in one engine and is not known of another is told as both; the one hides nothing of the other.
#[test]
fn what_differs_and_what_is_not_known_are_two_findings() {
    let scene = scene(&json!([with_shape(json!({ "scale": [2, 1, 1] }), 0)]), &shapes());
    let audit = audited(&scene, &["godot-jolt", "arche"]);
    let mut limits = Limits::default();
    limits.fail_on = Some(Grade::Severe);
    let findings = xform_compare::findings(&audit, &limits);
    let of_rule = |rule: &str| findings.iter().filter(|one| one.rule == rule && one.fails).count();
    assert_eq!((of_rule("collider"), of_rule("collider-unknown")), (1, 1), "{findings:?}");
}

/// A sheared matrix is a scale too, and PhysX takes none at all, so that even an even one is the cause there.
#[test]
fn matrices_and_even_scales_are_looked_at_too() {
    let sheared = json!([with_shape(
        json!({ "matrix": [1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] }),
        1
    )]);
    let audit = compare(&scene(&sheared, &shapes())).unwrap();
    assert!(colliders_line(&audit).is_some_and(|line| line.ends_with("--physics godot-jolt")));
    let even = json!([with_shape(json!({ "scale": [2, 2, 2] }), 0)]);
    let found = judged(&scene(&even, &shapes()), &["physx"]);
    assert!(found.colliders[0].cause.is_some_and(|cause| cause.is_alone));
}

/// The cause is the scale that stretches, not an even one above or below it.
#[test]
fn an_even_scale_is_no_cause() {
    let nodes = json!([
        { "scale": [0.01, 0.01, 0.01], "children": [1] },
        { "name": "Wide", "scale": [2, 1, 1], "children": [2] },
        { "scale": [100, 100, 100], "children": [3] },
        with_shape(json!({}), 0),
    ]);
    let found = judged(&scene(&nodes, &shapes()), &["godot-jolt"]);
    let cause = found.colliders[0].cause.expect("a cause");
    assert_eq!((cause.node, cause.is_alone), (1, true));
    assert_eq!(found.colliders[0].advice[0].kind, ColliderAdviceKind::MakeUniform);
}

/// The distance from a point to a shape below a map, by projected gradient descent: the nearest point is sought where it is easy to come back into the shape.
fn distance_to(point: &Vector3<f64>, collider: &Collider) -> f64 {
    let a = collider.linear;
    let step = 1.0 / a.norm_squared();
    let mut x = Vector3::zeros();
    for _ in 0..2000 {
        let off = a * x + collider.position - point;
        x = projected(&collider.shape, x - a.tr_mul(&off) * step);
    }
    (a * x + collider.position - point).norm()
}

fn projected(shape: &Shape, x: Vector3<f64>) -> Vector3<f64> {
    let within =
        |v: Vector3<f64>, radius: f64| if v.norm() > radius { v.normalize() * radius } else { v };
    match *shape {
        Shape::Sphere { radius } => within(x, radius),
        Shape::Box { half_extents } => x.zip_map(&half_extents, |x, half| x.clamp(-half, half)),
        Shape::Capsule { radius, half_height } => {
            let axis = Vector3::new(0.0, x.y.clamp(-half_height, half_height), 0.0);
            axis + within(x - axis, radius)
        }
        Shape::Cylinder { radius, half_height } => {
            let across = within(Vector3::new(x.x, 0.0, x.z), radius);
            Vector3::new(across.x, x.y.clamp(-half_height, half_height), across.z)
        }
        _ => panic!("no projection"),
    }
}

/// Points of the surface of a collider: those that reach farthest in some direction.
fn surface(collider: &Collider) -> Vec<Vector3<f64>> {
    let directions = (0..120).map(|at| {
        let z = 1.0 - (2.0 * f64::from(at) + 1.0) / 120.0;
        let (across, angle) = ((1.0 - z * z).sqrt(), 2.399963 * f64::from(at));
        Vector3::new(across * angle.cos(), across * angle.sin(), z)
    });
    let point = |u: Vector3<f64>| {
        // From far outside, the nearest point of the shape.
        let far = projected(&collider.shape, u * 1e3);
        collider.linear * far + collider.position
    };
    directions.map(point).collect()
}

fn pose() -> impl Strategy<Value = Trs<f64>> {
    let part = |range| proptest::array::uniform3(range);
    (part(-2.0..2.0), part(-3.0..3.0), part(0.4..2.5)).prop_map(|(t, r, s)| {
        Trs::from_parts(t.into(), UnitQuaternion::from_scaled_axis(Vector3::from(r)), s.into())
    })
}

fn round_shape() -> impl Strategy<Value = Shape> {
    let size = 0.3..1.5;
    prop_oneof![
        size.clone().prop_map(|radius| Shape::Sphere { radius }),
        proptest::array::uniform3(size.clone())
            .prop_map(|half| Shape::Box { half_extents: half.into() }),
        (size.clone(), size.clone())
            .prop_map(|(radius, half_height)| Shape::Capsule { radius, half_height }),
        (size.clone(), size)
            .prop_map(|(radius, half_height)| Shape::Cylinder { radius, half_height }),
    ]
}

/// Roads that say something of every shape below every scale that is positive.
const OF_ALL: [&str; 8] = [
    "godot-jolt",
    "jolt/set-world-transform",
    "physx",
    "havok-babylon",
    "panda3d-bullet/shape",
    "avian",
    "rapier-bevy",
    "rapier-r3/component",
];

/// A shape below two nodes.
fn below(poses: &[Trs<f64>; 2], shape: Shape) -> Scene {
    let nodes = json!([{ "children": [1] }, with_shape(json!({}), 0)]);
    let mut scene = scene(&nodes, &shapes());
    for (node, pose) in scene.nodes.iter_mut().zip(poses) {
        node.local = (*pose).into();
    }
    scene.colliders[0].shape = ColliderShape::Known(shape);
    scene
}

properties! {
    /// The distance is that of a computation that shares nothing with it: sampled points of the one surface, and the nearest point of the other by descent.
    #[test]
    fn distances_are_those_of_sampled_surfaces(
        poses in proptest::array::uniform2(pose()),
        shape in round_shape(),
        engine in proptest::sample::select(&OF_ALL[..]),
    ) {
        let found = judged(&below(&poses, shape), &[engine]);
        let found = found.colliders[0].in_engines[0].found.as_ref().expect("it is known");
        let sampled = |from: &Collider, to: &Collider| {
            surface(from).iter().map(|point| distance_to(point, to)).fold(0.0, f64::max)
        };
        let (a, b) = (&found.drawn, &found.collider);
        let sampled = sampled(a, b).max(sampled(b, a));
        let size = a.linear.norm() * 3.0;
        // The nearest point is found from above; the farthest one of the surface need not be among the samples.
        prop_assert!(found.distance > sampled - 2e-3 * size, "{} < {sampled}", found.distance);
        prop_assert!(found.distance < sampled + 1e-2 * size, "{} > {sampled}", found.distance);
    }

    /// A box, the hull of its corners and the mesh of its sides are one shape, by three ways to find the distance.
    #[test]
    fn a_box_a_hull_and_a_mesh_are_as_far_apart(
        poses in proptest::array::uniform2(pose()),
        half in proptest::array::uniform3(0.3..1.5),
    ) {
        let half_extents = Vector3::from(half);
        let corner = |at: u8| {
            let side = Vector3::from_fn(|axis, _| f64::from(at >> axis & 1) * 2.0 - 1.0);
            half_extents.component_mul(&side)
        };
        let points: Vec<_> = (0..8).map(corner).collect();
        // Four corners of each side: those that agree in a bit.
        let side = |bit: u32, of: u32| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|at: u32| {
                let (low, high) = (at & ((1 << bit) - 1), at >> bit);
                low | of << bit | high << (bit + 1)
            });
            [[a, b, d], [a, d, c]]
        };
        let sides = (0..3).flat_map(|bit| [side(bit, 0), side(bit, 1)]).flatten();
        let triangles: Vec<_> = sides.collect();
        let points: std::sync::Arc<[_]> = points.into();
        let mesh = Shape::Mesh { points: points.clone(), triangles: triangles.into() };
        let [of_box, of_hull, of_mesh] = [Shape::Box { half_extents }, Shape::Hull(points), mesh]
            .map(|shape| worst(&judged(&below(&poses, shape), &["godot-jolt"]).colliders[0]));
        // A mesh has its vertices looked at one by one; of the others the best direction is sought.
        let near = |other: f64| (other - of_box).abs() < 5e-3 * (1.0 + of_box);
        prop_assert!(near(of_hull) && near(of_mesh), "{of_box} {of_hull} {of_mesh}");
    }
}

/// A scene with a mesh: a tetrahedron that has its own mirror image nowhere.
fn with_mesh(scale: [f64; 3]) -> Scene {
    let mut node = Node::new(None, Trs::from_scale(scale.into())).with_name("Rock");
    node.uses.mesh = Some(0);
    let mut scene = Scene::new("test", vec![node]);
    let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]];
    let indices = vec![0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];
    let mut part = MeshPart::default();
    (part.positions, part.indices) = (positions, indices);
    scene.drawing.meshes.push(Ok(vec![part]));
    scene
}

#[test]
fn a_drawn_mesh_is_judged_as_what_is_asked_where_a_file_has_no_colliders() {
    let as_a = |kind: ShapeKind, engine: &str, scale: [f64; 3]| {
        let asked = PhysicsChoice::named(choice(&[engine]).engines, Some(kind));
        let found = collide(&with_mesh(scale), &asked, 10.0);
        assert_eq!(found.judged_as, Some(kind));
        worst(&found.colliders[0])
    };
    // A sphere of radius 0.5 about the unit cube, drawn as an ellipsoid of (1, 0.5, 0.5).
    assert!((as_a(ShapeKind::Sphere, "unreal", [2.0, 1.0, 1.0]) - 0.5).abs() < 1e-9);
    assert_eq!(as_a(ShapeKind::Mesh, "avian", [2.0, 1.0, 1.0]), 0.0);
    // Avian does not mirror. The corner at x = −1 is as far from the mesh that is not mirrored as from the origin.
    for kind in [ShapeKind::Mesh, ShapeKind::Hull] {
        let found = as_a(kind, "avian", [-1.0, 1.0, 1.0]);
        assert!((found - 1.0).abs() < 1e-6, "{kind:?}: {found}");
    }
    // What is not asked for is judged as nothing.
    let nothing = collide(&with_mesh([2.0, 1.0, 1.0]), &choice(&["unreal"]), 10.0);
    assert_eq!((nothing.colliders.len(), nothing.judged_as), (0, None));
}
