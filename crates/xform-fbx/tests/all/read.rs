//! What is read of a file beside its inherit types, by closed forms.

use nalgebra::{Matrix4, Point3, Rotation3, Vector3};
use xform_compare::{EngineChoice, ErrorCode, Grade, Scene, compare, compare_engines};
use xform_engines::Engine;
use xform_fbx::{Converted, Limits, convert, is_fbx, read_fbx};

use crate::text::{Fbx, Model};

fn read(fbx: &Fbx) -> Scene {
    read_fbx(fbx.text().as_bytes(), "test").unwrap()
}

fn named(scene: &Scene, name: &str) -> usize {
    scene.nodes.iter().position(|node| node.name.as_deref() == Some(name)).unwrap()
}

fn world(scene: &Scene, name: &str) -> Matrix4<f64> {
    *compare(scene).unwrap().nodes[named(scene, name)].by_matrix.matrix()
}

fn turn(degrees: [f64; 3]) -> Matrix4<f64> {
    let [x, y, z] = degrees.map(f64::to_radians);
    Rotation3::from_euler_angles(x, y, z).to_homogeneous()
}

fn moved(by: [f64; 3]) -> Matrix4<f64> {
    Matrix4::new_translation(&by.into())
}

fn scaled(by: [f64; 3]) -> Matrix4<f64> {
    Matrix4::new_nonuniform_scaling(&by.into())
}

fn property(name: &str, value: [f64; 3]) -> String {
    let [x, y, z] = value;
    format!("\t\t\tP: \"{name}\", \"Vector3D\", \"Vector\", \"\",{x:?},{y:?},{z:?}\n")
}

/// T · Roff · Rp · Rpre · R · Rpost⁻¹ · Rp⁻¹ · Soff · Sp · S · Sp⁻¹, as Autodesk documents it.
#[test]
fn pivots_offsets_and_more_rotations_are_folded_into_the_pose() {
    let (t, r, s) = ([1.0, 2.0, 3.0], [10.0, 20.0, 30.0], [2.0, 3.0, 4.0]);
    let (roff, rp, soff, sp) =
        ([0.5, 0.0, 0.25], [1.0, -1.0, 2.0], [0.0, 0.5, 0.0], [3.0, 1.0, 0.0]);
    let (pre, post) = ([0.0, 0.0, 90.0], [90.0, 0.0, 0.0]);
    let also = [
        "\t\t\tP: \"RotationActive\", \"bool\", \"\", \"\",1\n".to_owned(),
        property("RotationOffset", roff),
        property("RotationPivot", rp),
        property("ScalingOffset", soff),
        property("ScalingPivot", sp),
        property("PreRotation", pre),
        property("PostRotation", post),
    ]
    .concat();
    let mut fbx = Fbx::default();
    fbx.add(&Model {
        name: "A",
        translation: t,
        rotation: r,
        scale: s,
        also: &also,
        ..Model::default()
    });
    let inverse = |matrix: Matrix4<f64>| matrix.try_inverse().unwrap();
    let expected = moved(t)
        * moved(roff)
        * moved(rp)
        * turn(pre)
        * turn(r)
        * inverse(turn(post))
        * inverse(moved(rp))
        * moved(soff)
        * moved(sp)
        * scaled(s)
        * inverse(moved(sp));
    let found = world(&read(&fbx), "A");
    assert!((found - expected).amax() < 1e-12, "{found} {expected}");
}

#[test]
fn a_rotation_order_is_that_of_the_file() {
    let mut fbx = Fbx::default();
    let also = "\t\t\tP: \"RotationActive\", \"bool\", \"\", \"\",1\n\t\t\tP: \"RotationOrder\", \"enum\", \"\", \"\",5\n";
    fbx.add(&Model { name: "A", rotation: [30.0, 40.0, 50.0], also, ..Model::default() });
    let about = |axis: usize, degrees: f64| {
        let mut angles = [0.0; 3];
        angles[axis] = degrees;
        turn(angles)
    };
    // ZYX: about z first.
    let expected = about(0, 30.0) * about(1, 40.0) * about(2, 50.0);
    assert!((world(&read(&fbx), "A") - expected).amax() < 1e-12);
}

/// Importers move the vertices by it, so it is no node that engines could accumulate in ways of their own.
#[test]
fn a_geometric_transform_goes_into_the_vertices() {
    let mut fbx = Fbx::default();
    let also = [
        property("GeometricTranslation", [1.0, 0.0, 0.0]),
        property("GeometricRotation", [0.0, 0.0, 45.0]),
        property("GeometricScaling", [2.0, 1.0, 1.0]),
    ]
    .concat();
    let above =
        fbx.add(&Model { name: "A", scale: [1.0, 3.0, 1.0], also: &also, ..Model::default() });
    let alone = read(&fbx);
    assert_eq!(compare(&alone).unwrap().summary.grade, Grade::Identical);
    fbx.add(&Model {
        name: "B",
        parent: Some(above),
        rotation: [0.0, 0.0, 30.0],
        ..Model::default()
    });
    let scene = read(&fbx);
    let shown = scene.drawing.shown.iter().find(|shown| shown.node == named(&scene, "A")).unwrap();
    let positions = &scene.drawing.meshes[shown.mesh].as_ref().unwrap()[0].positions;
    let expected = moved([1.0, 0.0, 0.0]) * turn([0.0, 0.0, 45.0]) * scaled([2.0, 1.0, 1.0]);
    for corner in 0..8 {
        let corner = [corner >> 2, corner >> 1 & 1, corner & 1].map(|bit| f64::from(bit) - 0.5);
        let at = expected.transform_point(&Point3::from(corner));
        let off = |found: &[f32; 3]| (Point3::from(found.map(f64::from)) - at).norm();
        assert!(positions.iter().map(off).fold(f64::INFINITY, f64::min) < 1e-6);
    }
    // What hangs below does not take it.
    assert!((world(&scene, "B") - scaled([1.0, 3.0, 1.0]) * turn([0.0, 0.0, 30.0])).amax() < 1e-12);
}

#[test]
fn axes_and_the_unit_become_those_of_gltf() {
    let mut fbx = Fbx::default();
    (fbx.up, fbx.unit) = (2, 1.0);
    fbx.add(&Model { name: "A", translation: [100.0, 200.0, 300.0], ..Model::default() });
    let scene = read(&fbx);
    assert_eq!(scene.nodes.len(), 2);
    let at = world(&scene, "A").transform_point(&Point3::origin());
    assert!((at - Point3::new(1.0, 3.0, -2.0)).norm() < 1e-12, "{at}");
    // In metres and with y up there is nothing to turn.
    let mut plain = Fbx::default();
    plain.add(&Model::default());
    assert_eq!(read(&plain).nodes.len(), 1);
}

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
fn stretched_along_x(fbx: &mut Fbx, node: usize) {
    let still: &[_] = &[(0.0, 1.0)];
    animated(fbx, 100, node, "Lcl Scaling", [&[(0.0, 1.0), (1.0, 3.0)], still, still]);
}

/// By so many degrees within a second.
fn turned_about_z(fbx: &mut Fbx, node: usize, degrees: f64) {
    let still: &[_] = &[(0.0, 0.0)];
    animated(fbx, 200, node, "Lcl Rotation", [still, still, &[(0.0, 0.0), (1.0, degrees)]]);
}

/// An animation of a property of a model; `keys` are those of x, y and z.
fn animated(fbx: &mut Fbx, id: usize, model: usize, property: &str, keys: [&[(f64, f64)]; 3]) {
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
    assert!((world(&posed, "A (scale)") - scaled([3.0, 1.0, 1.0])).amax() < 1e-6);
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
    let worst = turned.unwrap().skew_degrees.unwrap();
    // 2·atan(3) − 90°, a closed form.
    assert!((worst.max - 53.130_102).abs() < 1e-4, "{worst:?}");
    assert!((worst.seconds - 1.0).abs() < 1e-6);
}

/// A mesh that follows two bones by half.
#[test]
fn vertices_follow_bones() {
    let mut fbx = Fbx::default();
    let mesh = fbx.add(&Model { name: "Mesh", ..Model::default() });
    let bones = [0, 1].map(|i| {
        let name = ["Left", "Right"][i];
        fbx.add(&Model {
            name,
            translation: [2.0 * f64::from(u8::try_from(i).unwrap()), 0.0, 0.0],
            has_cube: false,
            ..Model::default()
        })
    });
    let geometry = 4000 + 1000 + mesh;
    fbx.object(
        900,
        "\tDeformer: 900, \"Deformer::\", \"Skin\" {\n\t\tVersion: 101\n\t}\n",
        geometry,
    );
    for (i, bone) in bones.into_iter().enumerate() {
        let id = 901 + i;
        // The mesh stands in the middle when it was bound.
        let link = if i == 0 {
            "1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1"
        } else {
            "1,0,0,0,0,1,0,0,0,0,1,0,2,0,0,1"
        };
        let inverse = if i == 0 {
            "1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1"
        } else {
            "1,0,0,0,0,1,0,0,0,0,1,0,-2,0,0,1"
        };
        let text = format!(
            "\tDeformer: {id}, \"SubDeformer::\", \"Cluster\" {{\n\t\tVersion: 100\n\t\tIndexes: *8 {{\n\t\t\ta: 0,1,2,3,4,5,6,7\n\t\t}}\n\
             \t\tWeights: *8 {{\n\t\t\ta: 0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5\n\t\t}}\n\
             \t\tTransform: *16 {{\n\t\t\ta: {inverse}\n\t\t}}\n\t\tTransformLink: *16 {{\n\t\t\ta: {link}\n\t\t}}\n\t}}\n"
        );
        fbx.object(id, &text, 900);
        fbx.connect(1000 + bone, id);
    }
    animated(
        &mut fbx,
        100,
        bones[1],
        "Lcl Translation",
        [&[(0.0, 2.0), (1.0, 6.0)], &[(0.0, 0.0)], &[(0.0, 0.0)]],
    );
    let scene = read(&fbx);
    let node = named(&scene, "Mesh");
    let skin = scene.nodes[node].skin.as_ref().unwrap();
    assert_eq!(skin.vertices.len(), 8);
    let posed = scene.posed(0, 1.0);
    let audit = compare(&posed).unwrap();
    let (corner, follows) = skin.vertices.iter().next().unwrap();
    let at = follows.iter().fold(Vector3::zeros(), |sum, &(joint, weight)| {
        let joint = &skin.joints[joint];
        let world = audit.nodes[joint.node].by_matrix.matrix() * joint.inverse_bind;
        sum + world.transform_point(corner).coords * weight
    });
    // The right bone has gone 4 to the right, so each vertex goes 2.
    assert!((at - corner.coords - Vector3::new(2.0, 0.0, 0.0)).norm() < 1e-5, "{at}");
}

#[test]
fn what_is_drawn_is_triangles_with_their_materials() {
    let mut fbx = Fbx::default();
    fbx.add(&Model { name: "A", ..Model::default() });
    let scene = read(&fbx);
    let mesh = scene.drawing.meshes[0].as_ref().unwrap();
    assert_eq!((mesh.len(), mesh[0].positions.len(), mesh[0].indices.len()), (1, 8, 36));
    assert_eq!(scene.drawing.shown[0].node, named(&scene, "A"));
}

#[test]
fn what_goes_to_another_process_comes_back() {
    let mut fbx = Fbx::default();
    let a = fbx.add(&Model { name: "é", scale: [2.0, 1.0, 1.0], ..Model::default() });
    fbx.add(&Model { name: "B", parent: Some(a), inherit: 2, ..Model::default() });
    let converted = convert(fbx.text().as_bytes(), &Limits::default()).unwrap();
    let bytes = converted.to_bytes();
    assert_eq!(Converted::from_bytes(&bytes).unwrap(), converted);
    for cut in 0..bytes.len().min(200) {
        // Anything may come back, and nothing of it panics.
        if let Ok(converted) = Converted::from_bytes(&bytes[..cut]) {
            let _ = converted.scene("cut");
        }
    }
    let mut odd = bytes.clone();
    let place = odd.windows(2).position(|two| two == b",2").unwrap();
    odd[place + 1] = b'9';
    assert!(Converted::from_bytes(&odd).and_then(|odd| odd.scene("odd")).is_err());
}

#[test]
fn what_is_no_fbx_or_too_large_is_an_error_with_its_code() {
    let code = |bytes: &[u8]| convert(bytes, &Limits::default()).unwrap_err().code;
    assert_eq!(code(b""), ErrorCode::Empty);
    assert_eq!(code(b"solid cube"), ErrorCode::NotFbx);
    assert_eq!(code(b"{}"), ErrorCode::NotFbx);
    assert!(!is_fbx(b"v 1 2 3\nf 1 2 3\n"), "OBJ has no hierarchy");
    assert_eq!(code(b"Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0"), ErrorCode::InvalidFbx);
    let mut fbx = Fbx::default();
    fbx.add(&Model::default());
    let text = fbx.text();
    assert_eq!(
        convert(text.as_bytes(), &Limits::memory(1000)).unwrap_err().code,
        ErrorCode::OutOfMemory
    );
    let mut endless = Fbx::default();
    endless.add(&Model { scale: [f64::INFINITY, 1.0, 1.0], ..Model::default() });
    assert!(
        convert(endless.text().replace("inf", "1e999").as_bytes(), &Limits::default()).is_err()
    );
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

/// Something that is hidden by a scale of zero keeps nobody from saying what importers make of the rest.
#[test]
fn a_scale_of_zero_hides_nothing_else() {
    let mut fbx = Fbx::default();
    let p = fbx.add(&Model { name: "P", scale: [1.0, 2.0, 1.0], ..Model::default() });
    fbx.add(&Model {
        name: "C",
        parent: Some(p),
        inherit: 2,
        rotation: [0.0, 0.0, 30.0],
        ..Model::default()
    });
    let hidden = fbx.add(&Model { name: "Hidden", scale: [0.0; 3], ..Model::default() });
    fbx.add(&Model {
        name: "Prop",
        parent: Some(hidden),
        inherit: 2,
        translation: [1.0; 3],
        ..Model::default()
    });
    let blender = EngineChoice::named(vec![Engine::named("blender").unwrap()], None);
    let audit = compare_engines(&read(&fbx), &blender).unwrap();
    let engines = audit.engines.unwrap();
    assert!(engines.unknown.is_empty() && engines.grade() == Grade::Severe, "{engines:?}");
}

/// A mesh with many shapes that are one, and a skin that many nodes show: what is shared is written once.
#[test]
fn a_small_file_becomes_no_large_one() {
    let mut fbx = Fbx::default();
    fbx.add(&Model { name: "A", ..Model::default() });
    fbx.object(900, "\tDeformer: 900, \"Deformer::\", \"BlendShape\" {\n\t}\n", 5000);
    let shape = "\tGeometry: 901, \"Geometry::\", \"Shape\" {\n\t\tIndexes: *1 {\n\t\t\ta: 0\n\t\t}\n\
                 \t\tVertices: *3 {\n\t\t\ta: 0,1,0\n\t\t}\n\t}\n";
    fbx.object_without_owner(shape);
    for id in 1_000_000..1_002_000 {
        let text = format!("\tDeformer: {id}, \"SubDeformer::\", \"BlendShapeChannel\" {{\n\t}}\n");
        fbx.object(id, &text, 900);
        fbx.connect(901, id);
    }
    let bytes = fbx.text();
    let converted = convert(bytes.as_bytes(), &Limits::default()).unwrap().to_bytes();
    assert!(converted.len() < bytes.len(), "{} {}", converted.len(), bytes.len());
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
