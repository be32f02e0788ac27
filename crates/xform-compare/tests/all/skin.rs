//! Skinned meshes: the displacement of vertices against a plain sum over all of them.

use std::sync::Arc;

use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_compare::{
    CompareError, Grade, NodeAudit, SceneAudit, advise, compare, explain, judge::Repair,
};
use xform_core::{Transform, Trs};
use xform_scene::{
    Animation, Bounds, Node, Scene, Skin,
    animation::{Channel, Curve, Interpolation, Track},
    skin::{Joint, SkinVertices},
};

const VERTEX: [f64; 3] = [1.0, 2.0, 0.5];

fn about_z(degrees: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::z_axis(), degrees.to_radians())
}

/// A node that shows a skinned mesh.
fn skinned(joints: Vec<Joint>, vertices: SkinVertices) -> Node {
    let mut node = Node::new(None, Trs::identity()).with_bounds(Bounds::Nothing);
    node.skin = Some(Skin { joints: joints.into(), vertices: Arc::new(vertices) });
    node
}

fn bone(parent: Option<usize>, local: Trs<f64>) -> Node {
    Node::new(parent, local).with_bounds(Bounds::Origin)
}

fn joint(node: usize) -> Joint {
    Joint { node, inverse_bind: Matrix4::identity() }
}

/// A stretched bone, a bone turned by 38° below it, and a mesh that follows both.
fn arm(weights: &[(usize, f64)]) -> Scene {
    let mut vertices = SkinVertices::default();
    vertices.push(VERTEX.into(), weights.iter().copied());
    Scene::new(
        "arm",
        vec![
            bone(None, Trs::from_scale(Vector3::new(2.0, 1.0, 1.0))).with_name("Arm"),
            bone(Some(0), Trs::from_rotation(about_z(38.0))).with_name("Hand"),
            skinned(vec![joint(0), joint(1)], vertices).with_name("Mesh"),
        ],
    )
}

#[test]
fn a_vertex_moves_as_the_closed_form_says() {
    // By matrices S·R·v, by combined TRS R·S·v; the bone itself stays where it is.
    let (sine, cosine) = 38_f64.to_radians().sin_cos();
    let [x, y, _] = VERTEX;
    let apart = Vector3::new(-y * sine, -x * sine, 0.0);
    let by_matrix = Vector3::new(2.0 * (x * cosine - y * sine), x * sine + y * cosine, 0.0);
    let by_trs = Vector3::new(2.0 * x * cosine - y * sine, 2.0 * x * sine + y * cosine, 0.0);
    assert!((by_matrix - by_trs - apart).norm() < 1e-15);
    for (weights, share) in [
        (vec![(1, 1.0)], 1.0),
        (vec![(0, 1.0)], 0.0),
        (vec![(0, 0.75), (1, 0.25)], 0.25),
        (vec![(1, 1.0), (0, 3.0)], 0.25),
    ] {
        let audit = compare(&arm(&weights)).unwrap();
        let moved = audit.nodes[2].displacement.unwrap();
        assert!((moved - share * apart.norm()).abs() < 1e-15, "{weights:?}: {moved}");
        assert_eq!(audit.nodes[1].displacement, Some(0.0));
    }
}

#[test]
fn the_mesh_counts_and_its_joints_do_not() {
    let audit = compare(&arm(&[(1, 1.0)])).unwrap();
    let counts =
        |audit: &SceneAudit| audit.nodes.iter().map(|node| node.counts).collect::<Vec<_>>();
    assert_eq!(counts(&audit), [false, false, true]);
    assert_eq!(audit.nodes[2].grade(), Grade::Severe);
    assert_eq!((audit.summary.grade, audit.summary.grades.all()), (Grade::Severe, 1));
    // The joint's axes are skewed, which is seen by the mesh alone.
    assert_eq!(audit.nodes[1].grade(), Grade::Negligible);
    assert_eq!(
        audit.nodes.iter().map(|node| node.is_followed).collect::<Vec<_>>(),
        [false, true, false]
    );
    // Where the file shows nothing of the difference, neither does its grade.
    let unused = compare(&arm(&[(0, 1.0)])).unwrap();
    assert_eq!(unused.summary.grade, Grade::Identical);
}

#[test]
fn the_cause_is_told_at_the_mesh_and_names_joints() {
    let audit = compare(&arm(&[(1, 1.0)])).unwrap();
    assert_eq!(
        explain(&audit, 2).unwrap(),
        "`Arm` scales X by 2; below it, `Hand` is rotated by 38° about Z; a uniform scale of `Arm` removes all of the \
         shift."
    );
}

/// The same stretch on both sides: without the one, the other side is as far.
#[test]
fn on_a_symmetric_rig_both_sides_are_the_cause() {
    let mut vertices = SkinVertices::default();
    vertices.push(VERTEX.into(), [(0, 1.0)]);
    vertices.push(VERTEX.into(), [(1, 1.0)]);
    let stretch = Trs::from_scale(Vector3::new(2.0, 1.0, 1.0));
    let scene = Scene::new(
        "both",
        vec![
            bone(None, stretch).with_name("Left arm"),
            bone(Some(0), Trs::from_rotation(about_z(38.0))),
            bone(None, stretch).with_name("Right arm"),
            bone(Some(2), Trs::from_rotation(about_z(38.0))),
            skinned(vec![joint(1), joint(3)], vertices),
        ],
    );
    let audit = compare(&scene).unwrap();
    let cause = audit.nodes[4].cause.as_ref().unwrap();
    assert_eq!((cause.scaler, cause.partner, cause.candidates), (0, Some(2), 2));
    assert!((cause.removes_fraction - 1.0).abs() < 1e-12);
    assert_eq!(
        explain(&audit, 4).unwrap(),
        "`Left arm` scales X by 2, and `Right arm` scales X by 2; neither is the cause alone; uniform scales of both \
         remove all of the shift."
    );
}

#[test]
fn a_repair_is_measured_at_the_vertices() {
    let scene = arm(&[(1, 1.0)]);
    let audit = compare(&scene).unwrap();
    let advice = advise(&scene, &audit, 2);
    let uniform =
        advice.iter().find(|one| matches!(one.repair, Repair::MakeUniform { scaler: 0, .. }));
    let outcome = uniform.unwrap().outcome.clone().unwrap();
    assert!(outcome.displacement.unwrap() < 1e-12, "{outcome:?}");
    let mut repaired = scene.clone();
    repaired.nodes[0] = bone(None, Trs::from_scale(Vector3::repeat(2_f64.cbrt())));
    let after = compare(&repaired).unwrap();
    let place = |audit: &SceneAudit| audit.nodes[1].by_matrix.transform_point(&VERTEX.into());
    let change = (place(&audit) - place(&after)).norm();
    assert!((outcome.changes[0] - change).abs() < 1e-12, "{outcome:?}, {change}");
}

#[test]
fn a_joint_of_scale_zero_hides_what_follows_it_alone() {
    let mut scene = arm(&[(1, 1.0)]);
    scene.nodes[0] = bone(None, Trs::from_scale(Vector3::zeros()));
    let audit = compare(&scene).unwrap();
    assert!(audit.nodes[2].is_hidden && audit.nodes[2].displacement.is_none());
    assert!(!audit.nodes[2].counts_at_rest());
}

#[test]
fn joints_that_do_not_exist_are_refused() {
    let mut scene = arm(&[(1, 1.0)]);
    let vertices = scene.nodes[2].skin.as_ref().unwrap().vertices.as_ref().clone();
    scene.nodes[2] = skinned(vec![joint(0), joint(9)], vertices.clone());
    assert_eq!(compare(&scene), Err(CompareError::UnknownJoint { node: 2 }));
    scene.nodes[2] = skinned(vec![joint(0)], vertices);
    assert_eq!(compare(&scene), Err(CompareError::UnknownJoint { node: 2 }));
}

/// The farthest that any vertex moves, by the definition.
pub(crate) fn farthest(nodes: &[NodeAudit], skin: &Skin) -> f64 {
    let place = |node: &Matrix4<f64>, joint: &Joint, at: &Point3<f64>| {
        (node * joint.inverse_bind).transform_point(at).coords
    };
    let apart = skin.vertices.iter().map(|(at, follows)| {
        let [mut by_matrix, mut by_trs] = [Vector3::zeros(); 2];
        for &(joint, by) in follows {
            let joint = &skin.joints[joint];
            let node = &nodes[joint.node];
            by_matrix += by * place(node.by_matrix.matrix(), joint, at);
            by_trs += by * place(&node.by_trs.to_homogeneous(), joint, at);
        }
        (by_matrix - by_trs).norm()
    });
    apart.fold(0.0, f64::max)
}

fn any_local() -> impl Strategy<Value = Trs<f64>> {
    let vector =
        |range: std::ops::Range<f64>| proptest::array::uniform3(range).prop_map(Vector3::from);
    (vector(-2.0..2.0), vector(-3.0..3.0), vector(0.3..3.0), any::<bool>()).prop_map(
        |(translation, axis, scale, is_uniform)| {
            let scale = if is_uniform { Vector3::repeat(scale.x) } else { scale };
            Trs::from_parts(translation, UnitQuaternion::from_scaled_axis(axis), scale)
        },
    )
}

fn any_joint(nodes: usize) -> impl Strategy<Value = Joint> {
    (0..nodes, any_local())
        .prop_map(|(node, bind)| Joint { node, inverse_bind: bind.to_homogeneous() })
}

/// A chain of bones, and a mesh that follows some of them.
fn any_skinned() -> impl Strategy<Value = Scene> {
    (2_usize..7).prop_flat_map(|bones| {
        let locals = proptest::collection::vec(any_local(), bones);
        let joints = proptest::collection::vec(any_joint(bones), 1..5);
        let at = proptest::array::uniform3(-5.0..5.0_f64);
        let influences =
            proptest::collection::vec((any::<prop::sample::Index>(), 0.0..1.0_f64), 1..5);
        let vertices = proptest::collection::vec((at, influences), 1..40);
        (locals, joints, vertices).prop_map(|(locals, joints, placed)| {
            let mut vertices = SkinVertices::default();
            for (at, influences) in placed {
                let weights = influences.iter().map(|(joint, by)| (joint.index(joints.len()), *by));
                vertices.push(at.into(), weights);
            }
            let bones = locals.iter().enumerate();
            let bones = bones.map(|(i, &local)| bone(i.checked_sub(1), local));
            Scene::new("any", bones.chain([skinned(joints, vertices)]).collect())
        })
    })
}

properties! {
    #[test]
    fn no_vertex_is_passed_over(scene in any_skinned()) {
        let audit = compare(&scene).unwrap();
        let mesh = audit.nodes.last().unwrap();
        let expected = farthest(&audit.nodes, scene.nodes.last().unwrap().skin.as_ref().unwrap());
        let found = mesh.displacement.unwrap_or(0.0);
        prop_assert!((found - expected).abs() <= 1e-12 * (1.0 + expected), "{found}, not {expected}");
    }

    #[test]
    fn the_cause_of_a_mesh_removes_as_much_as_any_scale(scene in any_skinned()) {
        let audit = compare(&scene).unwrap();
        let mesh = audit.nodes.last().unwrap();
        let Some(cause) = &mesh.cause else { return Ok(()) };
        let whole = mesh.displacement.unwrap();
        let removes = |scalers: &[usize]| {
            let mut without = scene.clone();
            for &scaler in scalers {
                let local = audit.nodes[scaler].local;
                let mean = local.scale.product().cbrt();
                without.nodes[scaler] = bone(scaler.checked_sub(1), local.with_scale(Vector3::repeat(mean)));
            }
            whole - compare(&without).unwrap().nodes.last().unwrap().displacement.unwrap()
        };
        let named: Vec<_> = [cause.scaler].into_iter().chain(cause.partner).collect();
        let removed = removes(&named);
        prop_assert!((removed - cause.removes_displacement.unwrap()).abs() < 1e-9 * (1.0 + whole));
        for scaler in 0..scene.nodes.len() - 1 {
            let other = removes(&[scaler]);
            prop_assert!(removed >= other - 1e-8 * whole || other <= 0.0, "{removed} by {named:?}, {other} by {scaler}");
        }
    }

    #[test]
    fn in_motion_a_mesh_is_as_bad_as_in_its_worst_pose(scene in any_skinned(), scale in 0.2..4.0_f64) {
        let mut scene = scene;
        let values = vec![[1.0, 1.0, 1.0], [1.0, scale, 1.0], [1.0; 3]];
        let curve = Curve::new([0.0, 1.0, 2.0], values, Interpolation::Linear).unwrap();
        let last = scene.nodes.len() - 1;
        scene.animations = vec![Animation::new(0, vec![Channel { node: 0, track: Track::Scale(curve) }])];
        let audit = compare(&scene).unwrap();
        let skin = scene.nodes[last].skin.clone().unwrap();
        let moving = audit.animations[0].nodes.iter().find(|node| node.index == last);
        let is_moved = skin.vertices.iter().next().is_some();
        prop_assert_eq!(moving.is_some(), is_moved);
        let Some(moving) = moving else { return Ok(()) };
        let at = |seconds: f64| {
            let posed = compare(&scene.posed(0, seconds)).unwrap();
            (farthest(&posed.nodes, &skin), posed.nodes[last].displacement_percent_of_itself)
        };
        let peak = moving.displacement.unwrap();
        let (there, of_itself) = at(peak.seconds);
        prop_assert!((peak.max - there).abs() <= 1e-9 * (1.0 + there));
        let same = |a: Option<f64>, b: Option<f64>| (a.unwrap_or(0.0) - b.unwrap_or(0.0)).abs() < 1e-6;
        prop_assert!(same(moving.displacement_percent_of_itself, of_itself));
        for seconds in [0.0, 0.5, 1.0, 1.5, 2.0] {
            prop_assert!(at(seconds).0 <= peak.max * (1.0 + 1e-9) + 1e-12);
        }
    }
}
