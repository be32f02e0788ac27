//! The charts of the two strategies in general, read off their axes: what they show of figures that are given.

use xform_compare::judge::Report;
use xform_report::write_html;
use xform_scene::BuiltIn;

use crate::support::read_chart::{Drawn, Label, ReadChart, chart};

const STRETCHES: [f64; 5] = [1.1, 1.5, 2.0, 4.0, 10.0];

/// A page about the piston, with other measurements in general.
fn page(change: impl FnOnce(&mut Report)) -> String {
    let mut report = Report::of_built_in(BuiltIn::named("piston").unwrap(), &[]).unwrap();
    change(&mut report);
    let mut page = Vec::new();
    write_html(&report, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

/// What is drawn in a colour of more than one point: the kind of mark, and the marks.
fn drawn(chart: &ReadChart, colour: usize) -> Vec<&Drawn> {
    let colour = format!("c{colour}");
    let all = chart.drawn.iter();
    all.filter(|drawn| drawn.colour == colour && drawn.places.len() > 1).collect()
}

fn label<'a>(chart: &'a ReadChart, text: &str) -> &'a Label {
    let mut labels = chart.labels.iter().filter(|label| label.text == text);
    labels.next().filter(|_| labels.next().is_none()).unwrap_or_else(|| panic!("one {text}"))
}

/// Asserts that a label begins right of the end of a curve.
#[track_caller]
fn assert_is_beside(label: &Label, (x, y): (f64, f64)) {
    assert_eq!(label.anchor, "start");
    let (right, down) = (label.place.0 - x, label.place.1 - y);
    assert!((2.0..12.0).contains(&right) && (0.0..8.0).contains(&down), "{right}, {down}");
}

/// Asserts that a label stands over a point of a curve, in the middle.
#[track_caller]
fn assert_is_above(label: &Label, (x, y): (f64, f64)) {
    assert_eq!(label.anchor, "middle");
    let up = y - label.place.1;
    assert!((label.place.0 - x).abs() < 0.2 && (4.0..12.0).contains(&up), "{up}");
}

const TURNS: std::ops::RangeInclusive<u32> = 0..=18;

/// The turns of a sweep in degrees, with a figure of each turn in radians.
fn over_turns(figure: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    let turns = TURNS.map(|step| f64::from(5 * step));
    turns.map(|degrees| (degrees, figure(degrees.to_radians()))).collect()
}

#[test]
fn curves_over_turns_are_closed_forms_and_dots_are_measured() {
    // Off by what can be seen, so that the two can be told apart.
    let page = page(|report| {
        for sample in &mut report.background.as_mut().unwrap().sweep.samples {
            sample.skew_degrees = sample.skew_closed_form_degrees + 5.0;
            sample.displacement = sample.displacement_closed_form + 0.5;
        }
    });
    let [skew, moved] = ["skew", "displacement-by-turn"].map(|name| chart(&page, name));
    assert_eq!((skew.drawn.len(), moved.drawn.len()), (15, 15));
    for (colour, s) in STRETCHES.into_iter().enumerate() {
        let skew_of = |turn: f64| (0.5 * (s - 1.0 / s) * (2.0 * turn).sin()).atan().to_degrees();
        let moved_of = |turn: f64| (s - 1.0) * turn.sin() * 0.5_f64.sqrt();
        let text = format!("s = {s}");
        let [curve, dots] = drawn(&skew, colour)[..] else { panic!("a curve and dots") };
        assert_eq!((&curve.kind[..], &dots.kind[..]), ("polyline", "circle"));
        skew.assert_shows(curve, &over_turns(skew_of));
        skew.assert_shows(dots, &over_turns(|turn| skew_of(turn) + 5.0));
        assert_is_above(label(&skew, &text), curve.places[9]);
        let [curve, dots] = drawn(&moved, colour)[..] else { panic!("a curve and dots") };
        assert_eq!((&curve.kind[..], &dots.kind[..]), ("polyline", "circle"));
        moved.assert_shows(curve, &over_turns(moved_of));
        moved.assert_shows(dots, &over_turns(|turn| moved_of(turn) + 0.5));
        assert_is_beside(label(&moved, &text), curve.places[18]);
    }
    // The data are the whole sweep, less stretches too.
    let rows = skew.figures();
    assert_eq!(
        (skew.data[0][..3].join(","), rows.len()),
        ("s,theta_degrees,skew_degrees".to_owned(), 12 * 19)
    );
    assert!(rows.iter().all(|row| (row[2] - row[3] - 5.0).abs() < 1e-9));
    assert_eq!(skew.data, moved.data);
}

#[test]
fn skew_by_depth_is_drawn_as_it_was_measured() {
    let given: Vec<_> = (0..=16).map(|depth| (depth, 3.0 * depth as f64)).collect();
    let page = page(|report| {
        report.background.as_mut().unwrap().skew_by_depth.clone_from(&given);
    });
    let chart = chart(&page, "skew-by-depth");
    let given: Vec<_> = given.iter().map(|&(depth, skew)| (depth as f64, skew)).collect();
    let [curve, dots] = &chart.drawn[..] else { panic!("a curve and dots") };
    assert_eq!((&curve.kind[..], &dots.kind[..]), ("polyline", "circle"));
    chart.assert_shows(curve, &given);
    chart.assert_shows(dots, &given);
    let rows: Vec<_> = chart.figures().iter().map(|row| (row[0], row[1])).collect();
    assert_eq!(rows, given);
}

#[test]
fn drift_is_drawn_of_each_strategy_in_the_chain_below_its_root() {
    let error = |strategy: &str, figure: usize, depth: usize| {
        let slope = [["matrix", "trs"].iter().position(|&one| one == strategy).unwrap(), figure];
        let slope = [[0.3, 0.6], [0.9, 1.2]][slope[0]][slope[1]];
        2e-8 * (depth as f64).powf(slope)
    };
    let page = page(|report| {
        for sample in &mut report.background.as_mut().unwrap().drift.samples {
            let is_drawn = sample.shape == "chain" && sample.depth > 0;
            let figures = [0, 1].map(|figure| error(sample.strategy, figure, sample.depth));
            [sample.max_linear_error, sample.max_position_error] =
                if is_drawn { figures } else { [1e-4; 2] };
        }
    });
    let chart = chart(&page, "drift");
    assert_eq!(chart.drawn.len(), 4);
    let depths = (0..=10).map(|power| 1_usize << power);
    for (colour, text, strategy, figure) in [
        (0, "axes, matrices", "matrix", 0),
        (1, "axes, TRS", "trs", 0),
        (2, "position, matrices", "matrix", 1),
        (3, "position, TRS", "trs", 1),
    ] {
        let [curve] = drawn(&chart, colour)[..] else { panic!("a curve") };
        let errors = depths.clone().map(|depth| (depth as f64, error(strategy, figure, depth)));
        chart.assert_shows(curve, &errors.collect::<Vec<_>>());
        let last = curve.places[10];
        assert!((last.0 - chart.right).abs() < 0.11, "the deepest is at the right edge: {last:?}");
        assert_is_beside(label(&chart, text), last);
    }
}

#[test]
fn measured_drift_is_within_its_axes_and_uses_their_height() {
    let chart = chart(&page(|_| {}), "drift");
    let cells = |strategy: &str, column: usize| {
        let rows = chart.data[1..].iter();
        let chain = rows.filter(|row| row[0] == "chain" && row[1] == strategy && row[2] != "0");
        let cells = chain.map(|row| [&row[2], &row[column]].map(|cell| cell.parse().unwrap()));
        cells.map(<(f64, f64)>::from).collect::<Vec<_>>()
    };
    let curves = [("matrix", 4), ("trs", 4), ("matrix", 5), ("trs", 5)];
    for (colour, (strategy, column)) in curves.into_iter().enumerate() {
        chart.assert_shows(drawn(&chart, colour)[0], &cells(strategy, column));
    }
    let [bottom, .., top] = chart.y.places[..] else { panic!("an axis") };
    let highest = chart.drawn.iter().flat_map(|curve| &curve.places).map(|place| place.1);
    assert!(highest.fold(bottom, f64::min) < f64::midpoint(top, bottom));
}
