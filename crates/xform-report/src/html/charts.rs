//! The charts of a page: about the scene, and about the two strategies in general.

use std::fmt::Write;

use xform_compare::{
    Grade, NodeAudit, SceneAudit,
    audit::{
        AnimationAudit, Background, Drift, DriftSample, ParameterSweep, SKEWED_DEGREES,
        SweepSample, TimelinePoint,
    },
};
use xform_scene::text::{data_uri_text, shortest, significant};

use super::{
    chart::{Axis, Chart, Mark, PlotFrame, Series},
    shows::group_names,
};
use crate::series::{write_drift_csv, write_sweep_csv};

/// A chart with a caption, and its data.
pub(super) struct Figure {
    /// The name of the data file.
    pub(super) name: &'static str,
    pub(super) svg: String,
    pub(super) caption: String,
    /// CSV as a data URI, for a link.
    pub(super) data: String,
    /// The group of engines that it is about, or `None` if it is about no single one.
    pub(super) group: Option<usize>,
}

/// The stretches with a curve.
const STRETCHES: [f64; 5] = [1.1, 1.5, 2.0, 4.0, 10.0];

/// Shows how many nodes move by how much.
pub(super) fn of_scene(nodes: &[NodeAudit]) -> Option<Figure> {
    let percents = nodes.iter().filter_map(|node| node.displacement_percent);
    let mut counts = [0_u32; 10];
    let mut total = 0;
    for percent in percents {
        total += 1;
        // The first bin is 0 to 1e-6 %, then one for each power of ten, and the last is 100 % and more.
        let power = (1..10).take_while(|&bin| percent >= floor(bin)).count();
        counts[power] += 1;
    }
    if total == 0 {
        return None;
    }
    let most = counts.into_iter().max().unwrap_or(0);
    let points = (0..10).zip(counts).map(|(bin, count)| (f64::from(bin) + 0.5, f64::from(count)));
    let labels = (0..10).map(|bin| {
        let label = if bin == 0 { "0".to_owned() } else { significant(floor(bin), 1) };
        (f64::from(u8::try_from(bin).expect("ten bins")), label)
    });
    let x = Axis {
        title: "displacement in % of the scene, from",
        from: 0.0,
        to: 10.0,
        is_logarithmic: false,
        ticks: labels.collect(),
    };
    let chart = Chart {
        frame: PlotFrame::LARGE,
        animation: None,
        title: "How many nodes move by how much".to_owned(),
        x,
        y: Axis::up_to("nodes", f64::from(most)),
        series: vec![Series {
            label: String::new(),
            colour: 0,
            mark: Mark::Bars(0.08),
            points: points.collect(),
        }],
    };
    let mut csv = "percent_from,nodes\n".to_owned();
    for (bin, count) in counts.into_iter().enumerate() {
        writeln!(csv, "{},{count}", shortest(if bin == 0 { 0.0 } else { floor(bin) }))
            .expect("a string takes whatever is written to it");
    }
    let caption = format!(
        "How far {total} nodes move in the engines that show each worst; a node without a mesh is measured at its origin. Each \
         bar is a power of ten; the first holds everything within 1e-6 %."
    );
    let (svg, data) = (chart.to_svg(), data_uri_text(&csv));
    Some(Figure { name: "displacement", svg, caption, data, group: None })
}

/// Returns the lower end of a bar, in percent.
fn floor(bin: usize) -> f64 {
    const FLOORS: [f64; 10] = [0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0];
    FLOORS[bin]
}

/// The most points of a curve over time.
const POINTS: usize = 1000;

/// Reduces a timeline to at most `at_most` points, each the worst of consecutive ones.
fn worst_of_each(timeline: &[TimelinePoint], at_most: usize) -> Vec<TimelinePoint> {
    let worst = |a: TimelinePoint, b: &TimelinePoint| TimelinePoint {
        seconds: if b.displacement > a.displacement { b.seconds } else { a.seconds },
        skew_difference_degrees: a.skew_difference_degrees.max(b.skew_difference_degrees),
        displacement: a.displacement.max(b.displacement),
    };
    let some = timeline.chunks(timeline.len().div_ceil(at_most).max(1));
    some.map(|some| some.iter().fold(some[0], worst)).collect()
}

/// Shows the displacement and the skew of animations over time, all on one scale, where there are any. An animation
/// with only one point has no chart.
pub(super) fn over_time(scene: &SceneAudit, animations: &[usize]) -> Vec<Figure> {
    let share = scene.summary.diagonal / 100.0;
    let (unit, share) = if share > 0.0 { ("% of the scene", share) } else { ("scene units", 1.0) };
    let audits = animations.iter().map(|&place| (place, &scene.animations[place]));
    let charted: Vec<_> = audits
        .map(|(place, audit)| (place, audit, worst_of_each(&audit.timeline, POINTS)))
        .filter(|(.., timeline)| timeline.len() > 1)
        .collect();
    let points = || charted.iter().flat_map(|(.., timeline)| timeline);
    let most_moved = points().map(|point| point.displacement / share).fold(0.0, f64::max);
    let most_skewed = points().map(|point| point.skew_difference_degrees).fold(0.0, f64::max);
    let figures = charted.iter().flat_map(|(place, audit, timeline)| {
        let engines = group_names(scene, audit.group);
        let over_time = OverTime { place: *place, audit, timeline, engines: &engines };
        let moved = |point: &TimelinePoint| point.displacement / share;
        let skew = |point: &TimelinePoint| point.skew_difference_degrees;
        let is_moved = timeline.iter().any(|point| moved(point) > Grade::IDENTICAL_PERCENT);
        let is_skewed = timeline.iter().any(|point| skew(point) > SKEWED_DEGREES);
        let displacement =
            is_moved.then(|| over_time.figure("Displacement", unit, most_moved, 1, &moved));
        let skew = is_skewed
            .then(|| over_time.figure("Difference of skew", "degrees", most_skewed, 0, &skew));
        displacement.into_iter().chain(skew)
    });
    figures.collect()
}

/// An animation with its timeline.
struct OverTime<'a> {
    place: usize,
    audit: &'a AnimationAudit,
    timeline: &'a [TimelinePoint],
    /// The names of the engines that it is about.
    engines: &'a str,
}

impl OverTime<'_> {
    /// Draws one figure over time, on an axis that reaches the maximum of all animations.
    fn figure(
        &self,
        what: &'static str,
        unit: &'static str,
        most: f64,
        colour: usize,
        of: &dyn Fn(&TimelinePoint) -> f64,
    ) -> Figure {
        let Self { place, audit, timeline, engines } = *self;
        let points: Vec<_> = timeline.iter().map(|point| (point.seconds, of(point))).collect();
        let (start, end) = (audit.start_seconds, audit.end_seconds);
        let chart = Chart {
            frame: PlotFrame::SMALL,
            animation: Some(place),
            title: format!("{what} over time"),
            x: Axis::around("seconds", start.unwrap_or(0.0), end.unwrap_or(0.0)),
            y: Axis::around(unit, 0.0, most),
            series: vec![Series { label: String::new(), colour, mark: Mark::Line, points }],
        };
        let mut csv = "seconds,skew_difference_degrees,displacement\n".to_owned();
        for TimelinePoint { seconds, skew_difference_degrees, displacement } in timeline {
            let cells = [*seconds, *skew_difference_degrees, *displacement].map(shortest);
            writeln!(csv, "{}", cells.join(",")).expect("a string takes whatever is written to it");
        }
        Figure {
            name: if colour == 0 { "skew-over-time" } else { "displacement-over-time" },
            svg: chart.to_svg(),
            caption: format!("{what} in {}, in {engines}.", audit.label()),
            data: data_uri_text(&csv),
            group: audit.group,
        }
    }
}

/// Returns the charts about the two strategies, independent of the scene.
pub(super) fn in_general(background: &Background) -> Vec<Figure> {
    let mut figures: Vec<_> = of_turns(&background.sweep).into();
    figures.push(of_depth(&background.skew_by_depth));
    figures.push(of_drift(&background.drift));
    figures
}

/// Shows skew and displacement of a turned child below a stretch, over the turn.
fn of_turns(sweep: &ParameterSweep) -> [Figure; 2] {
    let figure = |name, title: &str, y, series, caption: &str| {
        let x = Axis::linear("rotation of the child in degrees", 15.0, 6);
        let (frame, title) = (PlotFrame::LARGE, title.to_owned());
        let svg = Chart { frame, animation: None, title, x, y, series }.to_svg();
        let caption = format!("{caption} Lines are the closed form, dots are measured.");
        Figure { name, svg, caption, data: sweep_csv(sweep), group: None }
    };
    [
        figure(
            "skew",
            "Skew by rotation and stretch",
            Axis::linear("skew in degrees", 10.0, 9),
            over_turns(sweep, |s| s.skew_degrees, |s| s.skew_closed_form_degrees, 9),
            "A child rotated below a stretch by s, with matrices: no skew without rotation or at a quarter turn, most \
             in between.",
        ),
        figure(
            "displacement-by-turn",
            "Displacement by rotation and stretch",
            Axis::linear("displacement in edges of the cube", 1.0, 7),
            over_turns(sweep, |s| s.displacement, |s| s.displacement_closed_form, 18),
            "How far the worst corner of the child's unit cube moves between the strategies: most at a \
             quarter turn, where there is no skew at all.",
        ),
    ]
}

/// Returns a curve of the closed form and the measured dots for each stretch, labelled at one of its samples.
fn over_turns(
    sweep: &ParameterSweep,
    measured: fn(&SweepSample) -> f64,
    closed: fn(&SweepSample) -> f64,
    named_at: usize,
) -> Vec<Series> {
    let of_stretch = |(colour, s): (usize, f64)| {
        let samples = || sweep.samples.iter().filter(move |sample| sample.s == s);
        let points = |figure: fn(&SweepSample) -> f64| {
            samples().map(move |sample| (sample.theta_degrees, figure(sample))).collect::<Vec<_>>()
        };
        let named = points(closed)[named_at];
        let name = Series {
            label: format!("s = {}", significant(s, 3)),
            colour,
            mark: Mark::Line,
            points: vec![named],
        };
        [
            Series { label: String::new(), colour, mark: Mark::Line, points: points(closed) },
            Series { label: String::new(), colour, mark: Mark::Dots, points: points(measured) },
            name,
        ]
    };
    STRETCHES.into_iter().enumerate().flat_map(of_stretch).collect()
}

/// Shows the skew by level if one stretch and turn is repeated.
fn of_depth(skew_by_depth: &[(usize, f64)]) -> Figure {
    let points: Vec<_> = skew_by_depth.iter().map(|&(depth, skew)| (count(depth), skew)).collect();
    let mut csv = "depth,skew_degrees\n".to_owned();
    for (depth, skew) in &points {
        writeln!(csv, "{},{}", shortest(*depth), shortest(*skew))
            .expect("a string takes whatever is written to it");
    }
    let series = |mark| Series { label: String::new(), colour: 0, mark, points: points.clone() };
    let chart = Chart {
        frame: PlotFrame::LARGE,
        animation: None,
        title: "Skew by depth".to_owned(),
        x: Axis::linear("levels below the root", 2.0, 8),
        y: Axis::linear("skew in degrees", 10.0, 5),
        series: vec![series(Mark::Line), series(Mark::Dots)],
    };
    let caption = "The same stretch by 2 and rotation by 45° at every level, with matrices: more depth does not mean \
                   more skew, because a stretch further down can undo one above it.";
    let (name, data) = ("skew-by-depth", data_uri_text(&csv));
    Figure { name, svg: chart.to_svg(), caption: caption.to_owned(), data, group: None }
}

/// Shows the loss of single precision with depth.
fn of_drift(drift: &Drift) -> Figure {
    let series = |colour, strategy, label: &str, error: fn(&DriftSample) -> f64| {
        let samples = drift.samples.iter();
        let chain = samples.filter(|s| s.shape == "chain" && s.strategy == strategy && s.depth > 0);
        let points = chain.map(|sample| (count(sample.depth), error(sample))).collect();
        Series { label: label.to_owned(), colour, mark: Mark::Line, points }
    };
    let chart = Chart {
        frame: PlotFrame::LARGE,
        animation: None,
        title: "Drift in single precision by depth".to_owned(),
        x: Axis::powers("depth", 0, 3).until(1024.0),
        y: Axis::powers("error", -8, -3),
        series: vec![
            series(0, "matrix", "axes, matrices", |sample| sample.max_linear_error),
            series(1, "trs", "axes, TRS", |sample| sample.max_linear_error),
            series(2, "matrix", "position, matrices", |sample| sample.max_position_error),
            series(3, "trs", "position, TRS", |sample| sample.max_position_error),
        ],
    };
    let mut csv = Vec::new();
    write_drift_csv(drift, &mut csv).expect("a vector takes whatever is written to it");
    let caption = "A chain of random poses in f32 compared with f64: the error of the axes as a fraction, that of the \
                   position in scene units. Both strategies lose digits with depth, and neither always \
                   wins.";
    Figure {
        name: "drift",
        svg: chart.to_svg(),
        caption: caption.to_owned(),
        data: data_uri_text(&String::from_utf8_lossy(&csv)),
        group: None,
    }
}

fn count(depth: usize) -> f64 {
    f64::from(u32::try_from(depth).unwrap_or(u32::MAX))
}

fn sweep_csv(sweep: &ParameterSweep) -> String {
    let mut csv = Vec::new();
    write_sweep_csv(sweep, &mut csv).expect("a vector takes whatever is written to it");
    data_uri_text(&String::from_utf8_lossy(&csv))
}
