//! What is read of a file beside its inherit types, by closed forms.

use nalgebra::{Matrix4, Point3};
use xform_compare::{
    Grade, audit::EngineChoice, compare, compare_engines, diff, judge::DiffOptions,
};
use xform_engines::Engine;
use xform_fbx::{Converted, MemoryLimit, convert, is_fbx};
use xform_scene::{ErrorCode, Scene};

use crate::{
    support::{moved, property, read, scaled, turn, world},
    text::{Fbx, Model},
};

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

#[test]
fn what_goes_to_another_process_comes_back() {
    let mut fbx = Fbx::default();
    let a = fbx.add(&Model { name: "é", scale: [2.0, 1.0, 1.0], ..Model::default() });
    fbx.add(&Model { name: "B", parent: Some(a), inherit: 2, ..Model::default() });
    // To the last digit of whatever number.
    for i in 1..60 {
        let part = f64::from(i);
        let rotation = [13.7 * part, -71.3 / part, 38.1 + part];
        let scale = [0.1 * part, 0.3 / part, 0.7];
        let translation = [part / 3.0, part / 7.0, 1e-7 / part];
        fbx.add(&Model { parent: Some(a), translation, rotation, scale, ..Model::default() });
    }
    let converted = convert(fbx.text().as_bytes(), &MemoryLimit::default()).unwrap();
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
    let code = |bytes: &[u8]| convert(bytes, &MemoryLimit::default()).unwrap_err().code;
    assert_eq!(code(b""), ErrorCode::Empty);
    assert_eq!(code(b"solid cube"), ErrorCode::NotFbx);
    assert_eq!(code(b"{}"), ErrorCode::NotFbx);
    assert!(!is_fbx(b"v 1 2 3\nf 1 2 3\n"), "OBJ has no hierarchy");
    assert_eq!(code(b"Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0"), ErrorCode::InvalidFbx);
    let mut fbx = Fbx::default();
    fbx.add(&Model::default());
    let text = fbx.text();
    assert_eq!(
        convert(text.as_bytes(), &MemoryLimit::bytes(1000)).unwrap_err().code,
        ErrorCode::OutOfMemory
    );
    let mut endless = Fbx::default();
    endless.add(&Model { scale: [f64::INFINITY, 1.0, 1.0], ..Model::default() });
    assert!(
        convert(endless.text().replace("inf", "1e999").as_bytes(), &MemoryLimit::default())
            .is_err()
    );
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
    let engines = &audit.engines;
    assert!(engines.unknown.is_empty() && engines.grade() == Grade::Severe, "{engines:?}");
}

/// Maya's joints leave out scales that are one, nearly always: what an artist counts as one node is one.
#[test]
fn a_node_is_two_only_where_it_has_a_scale_to_leave_out() {
    for (scale, nodes) in [(1.0, 3), (2.0, 5)] {
        let mut fbx = Fbx::default();
        let a = fbx.add(&Model { name: "A", scale: [scale, 1.0, 1.0], ..Model::default() });
        let b = fbx.add(&Model { name: "B", parent: Some(a), inherit: 0, ..Model::default() });
        fbx.add(&Model { name: "C", parent: Some(b), inherit: 2, ..Model::default() });
        assert_eq!(read(&fbx).nodes.len(), nodes);
    }
}

#[test]
fn units_and_axes_are_told_and_scales_that_mistake_them() {
    let told = |up: usize, unit: f64, scale: f64| {
        let mut fbx = Fbx::default();
        (fbx.up, fbx.unit) = (up, unit);
        let above = fbx.add(&Model { name: "A", scale: [scale; 3], ..Model::default() });
        fbx.add(&Model { name: "B", parent: Some(above), scale: [100.0; 3], ..Model::default() });
        let audit = compare(&read(&fbx)).unwrap();
        let settings = audit.fbx.unwrap();
        let codes: Vec<_> = audit.warnings.iter().map(|warning| warning.code.name()).collect();
        (settings.up, settings.unit_metres, codes)
    };
    assert_eq!(told(1, 100.0, 1.0), ("y", 1.0, vec![]));
    assert_eq!(told(2, 1.0, 1.0), ("z", 0.01, vec![]));
    // Below the top a scale is nobody's unit.
    for scale in [100.0, 0.01, 2.54] {
        assert_eq!(told(1, 1.0, scale), ("y", 0.01, vec!["unit-scale"]), "{scale}");
    }
    let mut fbx = Fbx::default();
    fbx.unit = 1.0;
    fbx.add(&Model { name: "A", scale: [100.0; 3], ..Model::default() });
    for (engine, is_told) in [("three", true), ("blender", false)] {
        let engines = vec![Engine::named(engine).unwrap()];
        let audit = compare_engines(&read(&fbx), &EngineChoice::named(engines, None)).unwrap();
        let message = &audit.warnings[0].message;
        let larger = message
            .contains("three.js ignores the unit and shows the whole file 100 times as large");
        assert_eq!(larger, is_told, "{message}");
    }
    assert_eq!(told(1, 1.0, 1e-5), ("y", 0.01, vec!["size"]));
    assert_eq!(told(1, 100.0, 500.0), ("y", 1.0, vec!["size"]));
}

/// The same scene in centimetres with z up, and in metres with y up: axes and units are undone before anything is compared.
#[test]
fn files_with_other_axes_and_units_look_the_same() {
    let file = |up: usize, unit: f64, place: [f64; 3], turned: f64, size: f64| {
        let mut fbx = Fbx::default();
        (fbx.up, fbx.unit) = (up, unit);
        let arm = fbx.add(&Model { name: "Arm", has_cube: false, ..Model::default() });
        let hand = Model {
            name: "Hand",
            parent: Some(arm),
            translation: place,
            rotation: [turned, 0.0, 0.0],
            scale: [size; 3],
            ..Model::default()
        };
        fbx.add(&hand);
        read(&fbx)
    };
    let usual = EngineChoice::usual();
    let compared = |after: &Scene| {
        let before = file(1, 100.0, [1.0, 2.0, 3.0], 0.0, 1.0);
        let audits = [&before, after].map(|scene| compare_engines(scene, &usual).unwrap());
        let both = [(&before, &audits[0]), (after, &audits[1])];
        diff(both, &DiffOptions::default()).unwrap()
    };
    let same = compared(&file(2, 1.0, [100.0, -300.0, 200.0], 90.0, 100.0));
    let shape = same.shape.as_ref().unwrap();
    assert!(!same.is_worse() && shape.things.is_empty(), "{same:?}");
    assert_eq!((shape.matched.path, shape.nodes.len()), (2, 0), "{shape:?}");
    // 100 times too large, as where the unit was forgotten.
    let large = compared(&file(1, 100.0, [100.0, 200.0, 300.0], 0.0, 100.0));
    assert_eq!(large.shape.as_ref().unwrap().things[0].path, "Arm/Hand");
    assert!(large.is_elsewhere());
}
