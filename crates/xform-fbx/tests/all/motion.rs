//! Animations, by closed forms.

use xform_compare::{Grade, compare};

use crate::{
    support::{moved, named, read, scaled, turn, world},
    text::{Fbx, Model},
};

/// A curve of a property, in seconds and values.
fn curve(fbx: &mut Fbx, id: usize, node: usize, axis: &str, keys: &[(f64, f64)]) {
    const TICKS: f64 = 46_186_158_000.0;
    let joined =
        |of: &dyn Fn(&(f64, f64)) -> String| keys.iter().map(of).collect::<Vec<_>>().join(",");
    let count = keys.len();
    let times = joined(&|key| format!("{:.0}", key.0 * TICKS));
    let values = joined(&|key| format!("{:?}", key.1));
    // Straight lines: 4.
    let text = format!(
        "\tAnimationCurve: {id}, \"AnimCurve::\", \"\" {{\n\t\tDefault: 0\n\t\tKeyVer: 4008\n\
         \t\tKeyTime: *{count} {{\n\t\t\ta: {times}\n\t\t}}\n\t\tKeyValueFloat: *{count} {{\n\t\t\ta: {values}\n\t\t}}\n\
         \t\tKeyAttrFlags: *1 {{\n\t\t\ta: 4\n\t\t}}\n\t\tKeyAttrDataFloat: *4 {{\n\t\t\ta: 0,0,0,0\n\t\t}}\n\
         \t\tKeyAttrRefCount: *1 {{\n\t\t\ta: {count}\n\t\t}}\n\t}}\n"
    );
    fbx.object_without_owner(&text);
    fbx.connect_to(id, node, &format!("d|{axis}"));
}

/// To three times its length within a second.
pub(crate) fn stretched_along_x(fbx: &mut Fbx, node: usize) {
    let still: &[_] = &[(0.0, 1.0)];
    animated(fbx, 100, node, "Lcl Scaling", [&[(0.0, 1.0), (1.0, 3.0)], still, still]);
}

/// By so many degrees within a second.
pub(crate) fn turned_about_z(fbx: &mut Fbx, node: usize, degrees: f64) {
    let still: &[_] = &[(0.0, 0.0)];
    animated(fbx, 200, node, "Lcl Rotation", [still, still, &[(0.0, 0.0), (1.0, degrees)]]);
}

/// An animation of a property of a model; `keys` are those of x, y and z.
pub(crate) fn animated(
    fbx: &mut Fbx,
    id: usize,
    model: usize,
    property: &str,
    keys: [&[(f64, f64)]; 3],
) {
    if !fbx.text().contains("AnimationStack") {
        fbx.object_without_owner("\tAnimationStack: 70, \"AnimStack::Walk\", \"\" {\n\t}\n");
        fbx.object_without_owner("\tAnimationLayer: 71, \"AnimLayer::Base\", \"\" {\n\t}\n");
        fbx.connect(71, 70);
    }
    fbx.object_without_owner(&format!(
        "\tAnimationCurveNode: {id}, \"AnimCurveNode::{property}\", \"\" {{\n\t}}\n"
    ));
    fbx.connect(id, 71);
    fbx.connect_to(id, 1000 + model, property);
    for (i, (axis, keys)) in ["X", "Y", "Z"].into_iter().zip(keys).enumerate() {
        curve(fbx, id + 1 + i, id, axis, keys);
    }
}

#[test]
fn keyframes_move_nodes_and_what_leaves_out_their_scale() {
    let mut fbx = Fbx::default();
    let a = fbx.add(&Model { name: "A", scale: [1.0, 1.0, 1.0], ..Model::default() });
    let b = fbx.add(&Model {
        name: "B",
        parent: Some(a),
        inherit: 2,
        translation: [1.0, 0.0, 0.0],
        ..Model::default()
    });
    fbx.add(&Model {
        name: "C",
        parent: Some(b),
        inherit: 1,
        translation: [1.0, 0.0, 0.0],
        ..Model::default()
    });
    stretched_along_x(&mut fbx, a);
    turned_about_z(&mut fbx, b, 90.0);
    let scene = read(&fbx);
    assert_eq!(scene.animations.len(), 1);
    assert_eq!(scene.animations[0].name.as_deref(), Some("Walk"));
    let posed = scene.posed(0, 1.0);
    // The scale of A moves B, and does not stretch it.
    assert!((world(&posed, "A") - scaled([3.0, 1.0, 1.0])).amax() < 1e-6);
    let expected = moved([3.0, 0.0, 0.0]) * turn([0.0, 0.0, 90.0]);
    assert!((world(&posed, "B") - expected).amax() < 1e-6, "{}", world(&posed, "B"));
    assert!((world(&posed, "C") - expected * moved([1.0, 0.0, 0.0])).amax() < 1e-6);
    let half = scene.posed(0, 0.5);
    assert!((world(&half, "B") - moved([2.0, 0.0, 0.0]) * turn([0.0, 0.0, 45.0])).amax() < 1e-6);
    // Nothing differs between matrices and combined TRS, since the stretch is on a node of its own.
    assert_eq!(compare(&scene).unwrap().summary.grade, Grade::Identical);
}

#[test]
fn a_stretch_above_a_turn_is_found_in_motion() {
    let mut fbx = Fbx::default();
    let a = fbx.add(&Model { name: "A", ..Model::default() });
    let b = fbx.add(&Model { name: "B", parent: Some(a), ..Model::default() });
    stretched_along_x(&mut fbx, a);
    turned_about_z(&mut fbx, b, 45.0);
    let scene = read(&fbx);
    let audit = compare(&scene).unwrap();
    let turned = audit.animations[0].nodes.iter().find(|node| node.index == named(&scene, "B"));
    let worst = turned.unwrap().skew_difference_degrees.unwrap();
    // 2·atan(3) − 90°, a closed form.
    assert!((worst.max - 53.130_102).abs() < 1e-4, "{worst:?}");
    assert!((worst.seconds - 1.0).abs() < 1e-6);
}

/// A shape at half of the way, and another one at all of it: what ufbx makes of a weight, and straight lines in between.
#[test]
fn a_shape_in_between_is_in_effect_on_the_way() {
    let mut fbx = Fbx::default();
    fbx.add(&Model { name: "A", ..Model::default() });
    fbx.object(900, "\tDeformer: 900, \"Deformer::\", \"BlendShape\" {\n\t}\n", 5000);
    let channel = "\tDeformer: 902, \"SubDeformer::\", \"BlendShapeChannel\" {\n\t\tDeformPercent: 25\n\
                   \t\tFullWeights: *2 {\n\t\t\ta: 50,100\n\t\t}\n\
                   \t\tProperties70: {\n\t\t\tP: \"DeformPercent\", \"Number\", \"\", \"A\",25\n\t\t}\n\t}\n";
    fbx.object(902, channel, 900);
    for (id, offset) in [(903, "0,2,0"), (904, "0,0,8")] {
        let shape = format!(
            "\tGeometry: {id}, \"Geometry::\", \"Shape\" {{\n\t\tIndexes: *1 {{\n\t\t\ta: 0\n\t\t}}\n\
             \t\tVertices: *3 {{\n\t\t\ta: {offset}\n\t\t}}\n\t}}\n"
        );
        fbx.object(id, &shape, 902);
    }
    fbx.object_without_owner("\tAnimationStack: 70, \"AnimStack::Smile\", \"\" {\n\t}\n");
    fbx.object_without_owner("\tAnimationLayer: 71, \"AnimLayer::Base\", \"\" {\n\t}\n");
    fbx.connect(71, 70);
    fbx.object_without_owner(
        "\tAnimationCurveNode: 100, \"AnimCurveNode::DeformPercent\", \"\" {\n\t}\n",
    );
    fbx.connect(100, 71);
    fbx.connect_to(100, 902, "DeformPercent");
    curve(&mut fbx, 101, 100, "DeformPercent", &[(0.0, -50.0), (2.0, 150.0)]);
    let scene = read(&fbx);
    // A quarter is half of the way to the first.
    assert_eq!(scene.drawing.shown[0].weights, [0.5, 0.0]);
    let targets = &scene.drawing.meshes[0].as_ref().unwrap()[0].targets;
    assert_eq!([targets[0][0], targets[1][0]], [[0.0, 2.0, 0.0], [0.0, 0.0, 8.0]]);
    let weights = &scene.drawing.morphs[0].weights;
    for (seconds, expected) in [
        (0.25, [-0.5, 0.0]),
        (0.5, [0.0, 0.0]),
        (0.75, [0.5, 0.0]),
        (1.0, [1.0, 0.0]),
        (1.25, [0.5, 0.5]),
        (1.5, [0.0, 1.0]),
        (1.75, [-0.5, 1.5]),
    ] {
        let found = [0, 1].map(|shape: usize| weights[shape].at(seconds)[0]);
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{seconds}: {found} is not {expected}");
        }
    }
}

/// What is the product of two curves is no straight line between their keyframes.
#[test]
fn a_moving_child_of_a_stretching_parent_is_right_between_keyframes() {
    let mut fbx = Fbx::default();
    let a = fbx.add(&Model { name: "A", ..Model::default() });
    let b = fbx.add(&Model { name: "B", parent: Some(a), inherit: 0, ..Model::default() });
    let grows: &[(f64, f64)] = &[(0.0, 1.0), (2.0, 9.0)];
    let one: &[(f64, f64)] = &[(0.0, 1.0)];
    animated(&mut fbx, 100, a, "Lcl Scaling", [grows, one, one]);
    animated(&mut fbx, 200, b, "Lcl Translation", [grows, &[(0.0, 0.0)], &[(0.0, 0.0)]]);
    animated(&mut fbx, 300, b, "Lcl Scaling", [grows, one, one]);
    let scene = read(&fbx);
    for (seconds, expected) in [(0.5, 9.0), (1.0, 25.0), (1.5, 49.0)] {
        let found = world(&scene.posed(0, seconds), "B");
        assert!((found[(0, 3)] - expected).abs() < 1e-4, "{found}");
        assert!((found[(0, 0)] - expected).abs() < 1e-4, "{found}");
    }
}

/// Two keyframes far apart may have many turns between them.
#[test]
fn a_wheel_is_sampled_as_often_as_it_turns() {
    let mut fbx = Fbx::default();
    let wheel = fbx.add(&Model { name: "Wheel", ..Model::default() });
    let still: &[(f64, f64)] = &[(0.0, 0.0)];
    animated(&mut fbx, 100, wheel, "Lcl Rotation", [still, still, &[(0.0, 0.0), (10.0, 10800.0)]]);
    let scene = read(&fbx);
    for (seconds, degrees) in [(0.1, 108.0), (0.25, 270.0), (9.9, 10692.0)] {
        let found = world(&scene.posed(0, seconds), "Wheel");
        assert!((found - turn([0.0, 0.0, degrees])).amax() < 1e-3, "{seconds} {found}");
    }
}

#[test]
fn an_animation_that_begins_before_zero_is_moved_there() {
    let mut fbx = Fbx::default();
    let a = fbx.add(&Model { name: "A", ..Model::default() });
    let still: &[(f64, f64)] = &[(-1.0, 0.0)];
    animated(&mut fbx, 100, a, "Lcl Translation", [&[(-1.0, 2.0), (1.0, 6.0)], still, still]);
    let scene = read(&fbx);
    assert!(compare(&scene).unwrap().warnings.is_empty());
    let half = world(&scene.posed(0, 1.0), "A");
    assert!((half[(0, 3)] - 4.0).abs() < 1e-6, "{half}");
}
