//! Animations that need no samples, since every scale in them is uniform, and those that only look like it.

use nalgebra::{UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_compare::{Grade, compare};
use xform_core::Trs;
use xform_scene::{
    Animation, Inherit, Node, Scene,
    animation::{Channel, Curve, Interpolation, Track},
};

/// A chain whose scales are uniform throughout, but for one key that is off by a fraction.
fn uniform_chain(locals: &[Trs<f64>], keys: &[([f64; 3], f64)], off: f64, spline: bool) -> Scene {
    let nodes = locals.iter().enumerate();
    let nodes = nodes.map(|(i, local)| {
        Node::new(i.checked_sub(1), local.with_scale(Vector3::repeat(local.scale.x)))
    });
    let mut scene = Scene::new("chain", nodes.collect());
    let times: Vec<_> = (0..keys.len()).map(|key| key as f64).collect();
    let turns = keys.iter().map(|(axis, _)| {
        UnitQuaternion::from_scaled_axis(Vector3::from(*axis)).into_inner().coords.into()
    });
    let turns = Curve::new(times.clone(), turns.collect(), Interpolation::Linear).unwrap();
    let last = keys.len() - 1;
    let scales = keys.iter().enumerate().map(|(key, (_, scale))| {
        if key == last { [*scale, *scale, scale * (1.0 + off)] } else { [*scale; 3] }
    });
    let scales = if spline {
        Curve::new(
            times,
            scales.flat_map(|s| [[0.3; 3], s, [-0.2; 3]]).collect(),
            Interpolation::CubicSpline,
        )
    } else {
        Curve::new(times, scales.collect(), Interpolation::Linear)
    };
    let channels = vec![
        Channel { node: 0, track: Track::Scale(scales.unwrap()) },
        Channel { node: 1, track: Track::Rotation(turns) },
    ];
    scene.animations = vec![Animation::new(0, channels)];
    scene
}

properties! {
    #[test]
    fn what_is_uniform_throughout_needs_no_samples(
        locals in proptest::collection::vec(any_uniform(), 3..7),
        keys in proptest::collection::vec((proptest::array::uniform3(-3.0..3.0_f64), 0.2..3.0_f64), 2..5),
        off in prop_oneof![Just(0.0), 1e-9..5e-7_f64, 1e-8..5e-7_f64, 2e-6..0.5_f64],
        spline in any::<bool>(),
        at in 0.0..4.0_f64,
    ) {
        let scene = uniform_chain(&locals, &keys, off, spline);
        let audit = compare(&scene).unwrap();
        let moving = &audit.animations[0];
        if off == 0.0 {
            prop_assert!(moving.is_uniform);
        }
        if off > 1e-6 || off > 0.0 && spline {
            prop_assert!(!moving.is_uniform);
        }
        prop_assert_eq!(moving.samples == 2, moving.is_uniform);
        if moving.is_uniform {
            let posed = compare(&scene.posed(0, at)).unwrap();
            let moved = posed.summary.max_displacement / audit.summary.diagonal;
            prop_assert!(moved <= 1e-6 && posed.summary.max_skew_degrees < 1e-3, "{moved}");
            prop_assert_eq!(moving.grade, Some(Grade::Identical));
        }
    }
}

fn any_uniform() -> impl Strategy<Value = Trs<f64>> {
    let vector = || proptest::array::uniform3(-3.0..3.0_f64).prop_map(Vector3::from);
    (vector(), vector(), 0.3..3.0_f64).prop_map(|(at, axis, scale)| {
        Trs::from_parts(at, UnitQuaternion::from_scaled_axis(axis), Vector3::repeat(scale))
    })
}

#[test]
fn an_non_uniform_scale_that_passes_zero_or_hangs_above_is_sampled() {
    let locals = [Trs::identity(); 3].map(|pose| pose.with_translation(Vector3::x()));
    let keys = [([0.0; 3], 1.0), ([0.0, 0.0, 1.0], -1.0)];
    let sampled = |scene: &Scene| !compare(scene).unwrap().animations[0].is_uniform;
    assert!(!sampled(&uniform_chain(&locals, &keys, 0.0, false)), "uniform all the way");
    assert!(sampled(&uniform_chain(&locals, &keys, 1e-8, false)), "and not, near zero");
    let mut above = uniform_chain(&locals, &[([0.0; 3], 1.0), ([0.0, 0.0, 1.0], 1.0)], 0.0, false);
    assert!(!sampled(&above));
    above.nodes.push(Node::new(None, Trs::from_scale(Vector3::new(1.0, 2.0, 1.0))));
    above.nodes[0].parent = Some(3);
    assert!(sampled(&above), "by what does not move itself");
    above.nodes[0].parent = None;
    above.nodes[2].inherit = Inherit::NoScale;
    assert!(sampled(&above));
}

/// A root that is non-uniform by rounding alone, and a walk far away from it.
#[test]
fn what_rounding_makes_far_away_is_sampled() {
    let off = [1.0 + 2e-7, 1.0, 1.0];
    let mut scene = Scene::new(
        "walk",
        vec![
            Node::new(None, Trs::from_scale(off.into())),
            Node::new(Some(0), Trs::identity()),
            Node::new(Some(1), Trs::from_translation(Vector3::y())),
        ],
    );
    let quarter = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 1.0).into_inner().coords;
    let turns = vec![[0.0, 0.0, 0.0, 1.0], quarter.into(), [0.0, 0.0, 0.0, 1.0]];
    let turns = Curve::new([0.0, 1.0, 2.0], turns, Interpolation::Linear).unwrap();
    scene.animations =
        vec![Animation::new(0, vec![Channel { node: 1, track: Track::Rotation(turns) }])];
    assert!(compare(&scene).unwrap().animations[0].is_uniform);
    let places = vec![[0.0; 3], [0.0, 1000.0, 0.0], [0.0; 3]];
    let places = Curve::new([0.0, 1.0, 2.0], places, Interpolation::Linear).unwrap();
    scene.animations[0].channels.push(Channel { node: 2, track: Track::Translation(places) });
    let audit = compare(&scene).unwrap();
    assert!(!audit.animations[0].is_uniform);
    assert!(audit.animations[0].grade > Some(Grade::Identical));
}
