//! The charts of a page about a scene, read off their axes, against closed forms and their own data.

use nalgebra::{UnitQuaternion, Vector3};
use xform_compare::judge::Report;
use xform_core::Trs;
use xform_report::write_html;
use xform_scene::{
    Animation, Bounds, Node, Scene,
    animation::{Channel, Curve, Interpolation, Track},
};

use crate::support::read_chart::{Drawn, ReadAxis, ReadChart, chart};

fn about_z(degrees: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::z_axis(), degrees.to_radians())
}

fn stretched() -> Node {
    Node::new(None, Trs::from_scale(Vector3::new(2.0, 1.0, 1.0)))
}

/// A quarter turn from one time to another.
fn quarter_turn(node: usize, [start, end]: [f64; 2]) -> Channel {
    let turns = [0.0, 90.0].map(|degrees| about_z(degrees).into_inner().coords.into());
    let curve = Curve::new([start, end], turns.to_vec(), Interpolation::Linear).unwrap();
    Channel { node, track: Track::Rotation(curve) }
}

/// A stretch by 2, and a node below it that makes a quarter turn.
fn turning(bounds: Bounds, times: [f64; 2]) -> Scene {
    let turned = Node::new(Some(0), Trs::identity()).with_bounds(bounds);
    let mut scene = Scene::new("turning", vec![stretched(), turned]);
    scene.animations = vec![Animation::new(0, vec![quarter_turn(1, times)])];
    scene
}

fn unit_cube() -> Bounds {
    Node::new(None, Trs::identity()).bounds
}

fn page(report: &Report) -> String {
    let mut page = Vec::new();
    write_html(report, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

fn of_scene(scene: &Scene) -> String {
    page(&Report::of_scene(scene).unwrap())
}

fn only_curve(chart: &ReadChart) -> &Drawn {
    let [curve] = &chart.drawn[..] else { panic!("one curve") };
    assert_eq!(curve.kind, "polyline");
    curve
}

#[test]
fn curves_over_time_are_the_closed_forms() {
    for times in [[0.0, 2.0], [3.0, 7.3], [-1.0, 0.5], [3600.0, 3600.8]] {
        let page = of_scene(&turning(unit_cube(), times));
        let [skew, moved] =
            ["skew-over-time", "displacement-over-time"].map(|name| chart(&page, name));
        assert_eq!((&skew.y_title[..], &moved.y_title[..]), ("degrees", "% of the scene"));
        let rows = skew.figures();
        assert_eq!((rows[0][0], rows[rows.len() - 1][0]), (times[0], times[1]));
        let sine = |seconds: f64, turns: f64| {
            (turns * 90.0 * (seconds - times[0]) / (times[1] - times[0])).to_radians().sin()
        };
        let skews = |row: &Vec<f64>| (row[0], (0.75 * sine(row[0], 2.0)).atan().to_degrees());
        skew.assert_shows(only_curve(&skew), &rows.iter().map(skews).collect::<Vec<_>>());
        // The worst corner of the cube, in percent of a box of 2 by 1 by 1.
        let percents =
            |row: &Vec<f64>| (row[0], 100.0 * sine(row[0], 1.0) * (0.5_f64 / 6.0).sqrt());
        moved.assert_shows(only_curve(&moved), &rows.iter().map(percents).collect::<Vec<_>>());
        assert_eq!(skew.data, moved.data);
    }
}

/// Steps of 1, 2 or 5 times a power of ten, from the last one before what is shown to the first one after it.
#[track_caller]
fn assert_is_around(axis: &ReadAxis, start: f64, end: f64) {
    let values = &axis.values;
    assert!((2..=7).contains(&values.len()), "{values:?}");
    let last = values.len() - 1;
    let step = (values[last] - values[0]) / last as f64;
    let digit = step / 10_f64.powf((step * 1.000_001).log10().floor());
    assert!([1.0, 2.0, 5.0].iter().any(|round| (digit - round).abs() < 1e-6), "{step}");
    let rounding = 1e-6 * step;
    assert!((values[0]..values[1] + rounding).contains(&start), "{start}: {values:?}");
    assert!(end <= values[last] + rounding && end >= values[last - 1], "{end}: {values:?}");
    assert!(values.iter().all(|value| value.to_string().len() <= 9), "{values:?}");
    axis.assert_ticks_stand_where_they_say();
}

#[test]
fn axes_have_few_round_steps_around_what_they_show_whenever_and_however_long() {
    for start in [0.0, -0.7, 3.3, 59.9, 3600.1] {
        for length in [0.001, 0.04, 0.5, 2.0, 7.3, 60.0, 1234.0] {
            let end = start + length;
            let page = of_scene(&turning(unit_cube(), [start, end]));
            let skew = chart(&page, "skew-over-time");
            assert_is_around(&skew.x, start, end);
            assert_is_around(&skew.y, 0.0, 0.75_f64.atan().to_degrees());
        }
    }
}

#[test]
fn what_stays_as_it_is_is_named_and_not_drawn() {
    let page = of_scene(&turning(Bounds::Origin, [0.0, 1.0]));
    assert!(page.contains("skew-over-time") && !page.contains("displacement-over-time"));
}

#[test]
fn in_a_scene_without_extent_a_curve_has_the_units_of_the_scene() {
    let turned = Node::new(Some(0), Trs::from_rotation(about_z(45.0)));
    let nodes = [stretched(), turned, Node::new(Some(1), Trs::identity())];
    let nodes = nodes.map(|node| node.with_bounds(Bounds::Origin));
    let mut scene = Scene::new("point", nodes.to_vec());
    let places = Curve::new([0.0, 1.0], vec![[0.0; 3], [1.0, 0.0, 0.0]], Interpolation::Linear);
    let track = Track::Translation(places.unwrap());
    scene.animations = vec![Animation::new(0, vec![Channel { node: 2, track }])];
    let moved = chart(&of_scene(&scene), "displacement-over-time");
    assert_eq!(moved.y_title, "scene units");
    // By matrices (2, 1)/√2, by combined TRS (2, 2)/√2.
    let apart = |row: Vec<f64>| (row[0], row[0] * 0.5_f64.sqrt());
    let apart: Vec<_> = moved.figures().into_iter().map(apart).collect();
    moved.assert_shows(only_curve(&moved), &apart);
}

#[test]
fn an_animation_of_a_single_moment_has_no_curve() {
    let mut scene = turning(unit_cube(), [0.0, 1.0]);
    let turn = about_z(40.0).into_inner().coords.into();
    let pose = Curve::new([5.0], vec![turn], Interpolation::Linear).unwrap();
    scene.animations[0].channels[0].track = Track::Rotation(pose);
    let page = of_scene(&scene);
    assert!(page.contains("At its worst, 5 s into"), "{page}");
    assert!(!page.contains("-over-time.csv"));
    let mut report = Report::of_scene(&turning(unit_cube(), [0.0, 1.0])).unwrap();
    report.audit.animations[0].timeline.truncate(2);
    assert!(self::page(&report).contains("-over-time.csv"), "two moments have one");
}

#[test]
fn twelve_animations_have_curves() {
    let mut scene = Scene::new("many", vec![stretched()]);
    for node in 1..=13 {
        scene.nodes.push(Node::new(Some(0), Trs::identity()));
        scene.animations.push(Animation::new(node - 1, vec![quarter_turn(node, [0.0, 1.0])]));
    }
    let curves = |scene: &Scene| of_scene(scene).matches("displacement-over-time.csv").count();
    assert_eq!(curves(&scene), 12);
    scene.animations.truncate(3);
    assert_eq!(curves(&scene), 3);
}

#[test]
fn what_differs_in_motion_by_rounding_alone_is_not_shown() {
    let mut scene = turning(Bounds::Origin, [0.0, 1.0]);
    scene.nodes[0] = Node::new(None, Trs::from_scale(Vector3::new(1.000_000_5, 1.0, 1.0)));
    let report = Report::of_scene(&scene).unwrap();
    let moved = &report.audit.animations[0].nodes;
    assert!(moved.iter().any(|node| node.linear_difference.is_some_and(|peak| peak.max > 1e-7)));
    assert!(!page(&report).contains("In motion"));
}

#[test]
fn a_long_curve_is_thinned_and_keeps_its_worst_moments() {
    let mut report = Report::of_scene(&turning(unit_cube(), [0.0, 1.0])).unwrap();
    let timeline = &mut report.audit.animations[0].timeline;
    let one = timeline[0];
    let moment = |second: u32| {
        let mut point = one;
        point.seconds = f64::from(second);
        point.displacement = if second == 1234 { 7.0 } else { 1.0 };
        point.skew_difference_degrees = if second == 1999 { 30.0 } else { 2.0 };
        point
    };
    *timeline = (0..2500).map(moment).collect();
    let rows = chart(&page(&report), "displacement-over-time").figures();
    assert!((500..=1000).contains(&rows.len()), "{}", rows.len());
    assert_eq!(rows[0], [0.0, 2.0, 1.0]);
    assert!(rows.contains(&vec![1234.0, 2.0, 7.0]));
    let skewed = rows.iter().find(|row| row[1] == 30.0).unwrap();
    assert!((skewed[0] - 1999.0).abs() <= 2.0, "{skewed:?}");
}

/// A page about so many nodes that differ by these percents of the scene.
fn bars(percents: &[f64]) -> ReadChart {
    let nodes = percents.iter().map(|_| Node::new(None, Trs::identity()));
    let mut report = Report::of_scene(&Scene::new("bars", nodes.collect())).unwrap();
    for (node, &percent) in report.audit.nodes.iter_mut().zip(percents) {
        (node.displacement, node.displacement_percent) = (Some(1.0), Some(percent));
    }
    report.audit.ranking.at_rest = (0..percents.len()).collect();
    chart(&page(&report), "displacement")
}

#[test]
fn bars_count_the_nodes_from_one_power_of_ten_to_the_next() {
    let percents = [0.0, 9e-7, 1e-6, 9.9e-6, 1e-5, 2e-4, 0.05, 0.1, 0.2, 0.3, 2.0, 100.0, 250.0];
    let counts = [2.0, 2.0, 1.0, 1.0, 0.0, 1.0, 3.0, 1.0, 0.0, 2.0];
    let chart = bars(&percents);
    let from = [0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0];
    assert_eq!(chart.x.values, from);
    let rows = from.into_iter().zip(counts).map(|(from, count)| vec![from, count]);
    assert_eq!(chart.figures(), rows.collect::<Vec<_>>());
    assert_eq!(chart.bars.len(), 10);
    let ends = chart.x.places[1..].iter().chain([&chart.right]);
    for (((bar, count), start), end) in chart.bars.iter().zip(counts).zip(&chart.x.places).zip(ends)
    {
        assert!(*start < bar.left && bar.right < *end, "{}..{}", bar.left, bar.right);
        assert!((f64::midpoint(bar.left, bar.right) - f64::midpoint(*start, *end)).abs() < 0.2);
        let (foot, top) = (chart.y.place(0.0), chart.y.place(count));
        assert!((bar.bottom - foot).abs() < 0.2 && (bar.top - top).abs() < 0.2, "{count}");
    }
}

#[test]
fn bars_are_as_high_as_round_steps_allow() {
    for (count, step) in [(1, 1.0), (5, 1.0), (6, 2.0), (10, 2.0), (11, 5.0), (25, 5.0), (26, 10.0)]
    {
        let axis = bars(&vec![1.0; count]).y;
        assert_eq!(axis.values, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0].map(|i| i * step));
        axis.assert_ticks_stand_where_they_say();
    }
}
