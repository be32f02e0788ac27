//! What both strategies give, against closed forms and published figures: docs/mathematics.md.

use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};
use xform_compare::{
    SceneAudit, compare,
    measure::{displacement, orthogonality, skew_pairs},
};
use xform_core::{Hierarchy, Inherit, Real, Transform, Trs};
use xform_matrix::AccumulatedMatrix;
use xform_scene::{
    Animation, Bounds, BuiltIn, Node, Scene,
    animation::{Channel, Curve, Interpolation, Track},
    built_in::{Forest, Shape},
};
use xform_trs::CombinedTrs;

/// |actual − expected| ≤ tolerance · max(|expected|, 0.1): relative, but for values near 0.
fn assert_close(actual: f64, expected: f64, tolerance: f64) {
    let bound = tolerance * expected.abs().max(0.1);
    assert!((actual - expected).abs() <= bound, "{actual} is not {expected} to {tolerance}");
}

/// The world of a child turned by `theta` about z below a scale of (s, 1, 1), as f64.
fn turned_below_scale<X: Transform>(s: f64, theta: f64) -> Matrix4<f64> {
    let scale = Vector3::new(s, 1.0, 1.0).map(X::Scalar::rounded);
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), X::Scalar::rounded(theta));
    let world = X::identity().concat(&Trs::from_scale(scale)).concat(&Trs::from_rotation(turn));
    world.to_homogeneous().map(Into::into)
}

#[test]
fn an_axis_that_is_rounding_alone_has_no_angle() {
    // Below (0, y, 0) a quarter turn takes x to y, and y to what cos 90° is in f64 instead of 0.
    let quarter = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2);
    for y in [1e-9, 1.0, 3.7, 1e9] {
        let audit = compare(&Scene::new(
            "flat",
            vec![
                Node::new(None, Trs::from_scale(Vector3::new(0.0, y, 0.0))),
                Node::new(Some(0), Trs::from_rotation(quarter)),
                Node::new(Some(1), Trs::from_rotation(quarter.inverse())),
            ],
        ))
        .unwrap();
        for node in &audit.nodes {
            assert_eq!(node.skew_pairs_degrees, [None; 3], "node {} below {y}", node.index);
            assert_eq!((node.skew_degrees, node.is_skewed()), (None, false));
        }
    }
    // An axis that is short because it was scaled so has one, however short it is.
    for thin in [1e-6, 1e-12, 1e-15, 1e-30] {
        let audit = compare(&Scene::new(
            "thin",
            vec![
                Node::new(None, Trs::from_scale(Vector3::new(thin, 1.0, 1.0))),
                Node::new(Some(0), Trs::from_scale(Vector3::new(1.0, thin, 1.0))),
            ],
        ));
        assert_eq!(audit.unwrap().nodes[1].skew_pairs_degrees, [Some(0.0); 3], "{thin}");
    }
}

#[test]
fn what_is_below_an_axis_that_is_rounding_alone_has_no_angle_there_either() {
    // The child's y axis is rounding; what is not turned below it has the same axes.
    let quarter = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2);
    let stretched = Trs::from_scale(Vector3::new(3.0, 2.0, 1.0));
    let mut scene = Scene::new(
        "flat",
        vec![
            Node::new(None, Trs::from_scale(Vector3::new(0.0, 1.0, 1.0))),
            Node::new(Some(0), Trs::from_rotation(quarter)),
            Node::new(Some(1), Trs::identity()),
            Node::new(Some(2), stretched.with_translation(Vector3::x())),
        ],
    );
    for node in &compare(&scene).unwrap().nodes[1..] {
        assert_eq!(node.skew_pairs_degrees, [None, Some(0.0), None], "node {}", node.index);
        assert!(!node.is_skewed());
    }
    // Nor in motion, whether what is above moves or not.
    let turned: [f64; 4] = quarter.into_inner().coords.into();
    let turns = Curve::new([0.0, 1.0], vec![turned; 2], Interpolation::Linear).unwrap();
    let moves = vec![[0.0; 3], [1.0, 0.0, 0.0]];
    let moves = Curve::new([0.0, 1.0], moves, Interpolation::Linear).unwrap();
    for (node, track) in [(1, Track::Rotation(turns)), (2, Track::Translation(moves))] {
        scene.animations = vec![Animation::new(0, vec![Channel { node, track }])];
        let audit = compare(&scene).unwrap();
        let skews = audit.animations[0]
            .nodes
            .iter()
            .map(|node| node.skew_difference_degrees.map(|peak| peak.max));
        assert!(
            skews.clone().all(|skew| skew.unwrap_or(0.0) < 1e-6),
            "{:?}",
            skews.collect::<Vec<_>>()
        );
    }
}

fn closed_forms_hold<T: Real>(tolerance: f64) {
    for s in [0.1, 0.25, 0.5, 0.9, 1.0, 1.1, 1.5, 2.0, 3.0, 4.0, 10.0_f64] {
        for degrees in (-90..=90).step_by(5) {
            let theta = f64::from(degrees).to_radians();
            let by_matrix = turned_below_scale::<AccumulatedMatrix<T>>(s, theta);
            let by_trs = turned_below_scale::<CombinedTrs<T>>(s, theta);
            let linear = by_matrix.fixed_view::<3, 3>(0, 0).into_owned();

            let skew = (0.5 * (s - 1.0 / s) * (2.0 * theta).sin()).atan();
            let [xy, xz, yz] = skew_pairs(&linear).map(Option::unwrap);
            assert_close(xy, skew, tolerance);
            assert_close(xz, 0.0, tolerance);
            assert_close(yz, 0.0, tolerance);
            assert_close(orthogonality(&linear).unwrap(), skew.cos(), tolerance);
            assert_close(linear.determinant(), s, tolerance);

            let (x, y) = (0.3, 0.7_f64);
            let point = Bounds::Box(Point3::new(x, y, 0.2), Point3::new(x, y, 0.2));
            let moved = displacement(&by_matrix, &by_trs, &point).unwrap();
            let expected = (s - 1.0).abs() * theta.sin().abs() * x.hypot(y);
            assert_close(moved, expected, tolerance);
        }
    }
}

#[test]
fn closed_forms_hold_in_f64() {
    closed_forms_hold::<f64>(1e-9);
}

#[test]
fn closed_forms_hold_in_f32() {
    closed_forms_hold::<f32>(1e-5);
}

#[test]
fn an_eighth_of_a_turn_skews_by_the_published_angles() {
    let published = [(1.5, 22.620), (2.0, 36.870), (3.0, 53.130), (4.0, 61.928), (10.0, 78.579)];
    for (s, degrees) in published {
        let audit = built_in("skewed-child", &[("s", s), ("theta", 45.0)]);
        assert!((audit.nodes[1].skew_degrees.unwrap() - degrees).abs() < 5e-4);
    }
}

fn built_in(name: &str, settings: &[(&str, f64)]) -> SceneAudit {
    let settings: Vec<_> = settings.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    compare(&BuiltIn::named(name).unwrap().scene(&settings).unwrap()).unwrap()
}

#[test]
fn the_skewed_child_has_its_published_figures() {
    let audit = built_in("skewed-child", &[]);
    let node = &audit.nodes[1];
    assert!((node.skew_degrees.unwrap() - 36.0442).abs() < 5e-5);
    assert!((node.orthogonality.unwrap() - 0.808563).abs() < 5e-7);
    assert!((node.nearest_trs_distance - 0.279089).abs() < 5e-7);
    assert!((node.displacement.unwrap() - 0.435338).abs() < 5e-7);
    let columns = *node.by_matrix.matrix();
    let angle = columns.column(0).angle(&columns.column(1)).to_degrees();
    assert!((angle - 126.0442).abs() < 5e-5);
    assert_eq!((audit.summary.skewed_nodes, audit.summary.differing_nodes), (1, 1));
}

#[test]
fn the_piston_is_exact_at_every_k_under_both_strategies() {
    for k in [0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0] {
        let audit = built_in("piston", &[("k", k)]);
        let b = &audit.nodes[2];
        let by_matrix = *b.by_matrix.matrix();
        let by_trs = b.by_trs.to_homogeneous();
        // B's own x points along the world's −z, its z along the world's x; it is 1 along the
        // world's x before the root stretches it.
        let world = |at: f64, x: f64, z: f64| {
            let (y, at) = (1.0, 3.0 + at);
            Matrix4::new(0., 0., z, at, 0., y, 0., 3.0, -x, 0., 0., 4.5, 0., 0., 0., 1.)
        };
        assert_eq!(by_matrix, world(k, 1.0, k));
        assert_eq!(by_trs, world(1.0, k, 1.0));
        assert_eq!(b.by_trs.scale, Vector3::new(k, 1.0, 1.0));
        assert_eq!(audit.summary.max_skew_degrees, 0.0);
        assert_eq!(audit.summary.differing_nodes, if k == 1.0 { 0 } else { 2 });
    }
}

#[test]
fn the_piston_at_2_has_its_published_figures() {
    let audit = built_in("piston", &[]);
    assert!((audit.summary.max_displacement - 2.5_f64.sqrt()).abs() < 1e-14);
    assert!((audit.summary.diagonal - 5.67891).abs() < 5e-6);
    let percent = audit.summary.max_displacement_percent.unwrap();
    assert!((percent - 100.0 * 2.5_f64.sqrt() / 32.25_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn skew_is_not_monotone_in_the_number_of_levels() {
    let audit = built_in("levels", &[]);
    for (node, degrees) in audit.nodes.iter().zip([0.0, 36.87, 43.15, 13.19, 7.35]) {
        assert!((node.skew_degrees.unwrap() - degrees).abs() < 0.005);
    }
}

/// The rotation angle and the distance between a world in f32 and the same in f64.
fn drift<X: Transform<Scalar = f32>, Y: Transform<Scalar = f64>>(forest: &Forest) -> f64 {
    let narrow: Vec<_> = forest.locals.iter().map(Trs::cast).collect();
    let wide: Vec<Trs<f64>> = narrow.iter().map(Trs::cast).collect();
    let last = forest.locals.len() - 1;
    let mut in_f32 = Hierarchy::<X>::new();
    let mut in_f64 = Hierarchy::<Y>::new();
    let narrow_ids = in_f32.insert_forest(None, &forest.parents, &narrow).unwrap();
    let wide_ids = in_f64.insert_forest(None, &forest.parents, &wide).unwrap();
    let narrow = in_f32.world(narrow_ids[last]).unwrap().to_homogeneous();
    let wide = in_f64.world(wide_ids[last]).unwrap().to_homogeneous();
    (narrow.map(f64::from) - wide).norm() / wide.norm()
}

#[test]
fn a_chain_of_a_thousand_drifts_by_parts_in_ten_thousand_at_most() {
    let forest = Forest::generate(Shape::Chain, 1000, 1);
    for drift in [
        drift::<AccumulatedMatrix<f32>, AccumulatedMatrix<f64>>(&forest),
        drift::<CombinedTrs<f32>, CombinedTrs<f64>>(&forest),
    ] {
        assert!(drift > 0.0 && drift < 1e-3, "{drift}");
    }
}

/// Of the scene `inherit`, C: what it inherits, its skew in degrees, the linear difference and the
/// displacement; the upper left 2×2 of its matrix and of its combined TRS, by rows; its origin in
/// both. By numpy, from the formulas in docs/mathematics.md.
type Inherited = (Inherit, [f64; 3], [[f64; 4]; 2], [[f64; 2]; 2]);

const CARRIED: [[f64; 2]; 2] = [[-5.811916, 5.343726], [-2.117947, 5.959387]];
const OWN: [f64; 4] = [0.939693, -0.684040, 0.342020, 1.879385];

const INHERITED: [Inherited; 5] = [
    (
        Inherit::All,
        [17.716859, 0.348050, 5.592091],
        [[0.217564, -8.020453, 1.387079, 4.021790], [1.059839, -5.088289, 1.696096, 3.179516]],
        CARRIED,
    ),
    (
        Inherit::NoScale,
        [0.0, 0.152220, 3.912294],
        [[0.381634, -1.848627, 0.924314, 0.763268], [0.529919, -1.696096, 0.848048, 1.059839]],
        CARRIED,
    ),
    (
        Inherit::NoRotation,
        [17.716859, 0.339727, 4.372378],
        [[1.170528, -2.443561, 0.775363, 8.633161], [1.879385, -2.052121, 0.684040, 5.638156]],
        CARRIED,
    ),
    (Inherit::PositionOnly, [0.0, 0.0, 3.744923], [OWN; 2], CARRIED),
    (Inherit::Nothing, [0.0; 3], [OWN; 2], [[1.0, 2.0]; 2]),
];

#[test]
fn what_is_not_inherited_does_not_act() {
    for (number, (inherit, figures, linear, origins)) in (0_u8..).zip(INHERITED) {
        let setting = [("inherit".to_owned(), f64::from(number))];
        let audit = compare(&BuiltIn::named("inherit").unwrap().scene(&setting).unwrap()).unwrap();
        let node = &audit.nodes[2];
        assert_eq!(node.inherit, inherit);
        let found = [node.skew_degrees, node.linear_difference, node.displacement];
        for (found, expected) in found.into_iter().zip(figures) {
            assert!((found.unwrap() - expected).abs() <= 1e-6, "{inherit:?}: {found:?}");
        }
        for ((world, linear), origin) in [*node.by_matrix.matrix(), node.by_trs.to_homogeneous()]
            .into_iter()
            .zip(linear)
            .zip(origins)
        {
            let found = [world[0], world[4], world[1], world[5], world[12], world[13]];
            let expected = linear.into_iter().chain(origin);
            for (found, expected) in found.into_iter().zip(expected) {
                assert!((found - expected).abs() <= 1e-6, "{inherit:?}: {found}, not {expected}");
            }
        }
    }
}
