//! Draws one chart as SVG.

// Charts are drawn here, in some two hundred lines, because their colours follow the page's style sheet for light and
// dark. plotters writes colours into every element.

use std::fmt::{self, Write};

use xform_scene::text::{rounded, shortest, significant};

/// The size of a chart and its margins for labels, in pixels.
#[derive(Clone, Copy)]
pub(super) struct PlotFrame {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    above: f64,
    below: f64,
}

impl PlotFrame {
    /// A large chart, with room for labels beside the last points.
    pub(super) const LARGE: Self =
        Self { width: 640.0, height: 320.0, left: 64.0, right: 130.0, above: 12.0, below: 48.0 };
    /// One of many small charts.
    pub(super) const SMALL: Self =
        Self { width: 340.0, height: 190.0, left: 62.0, right: 14.0, above: 10.0, below: 44.0 };
}

/// A chart with lines, dots or bars over two axes.
pub(super) struct Chart {
    pub(super) frame: PlotFrame,
    /// The index of the animation whose time is the x axis, if it is.
    pub(super) animation: Option<usize>,
    pub(super) title: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) series: Vec<Series>,
}

pub(super) struct Axis {
    /// The title with its unit.
    pub(super) title: &'static str,
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) is_logarithmic: bool,
    pub(super) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Creates an axis from 0 in even steps.
    pub(super) fn linear(title: &'static str, step: f64, steps: u32) -> Self {
        let tick = |i: u32| {
            let value = f64::from(i) * step;
            (value, significant(value, 3))
        };
        let ticks: Vec<_> = (0..=steps).map(tick).collect();
        Self { title, from: 0.0, to: f64::from(steps) * step, is_logarithmic: false, ticks }
    }

    /// Creates a logarithmic axis from one power of ten to another.
    pub(super) fn powers(title: &'static str, from: i32, to: i32) -> Self {
        let ticks = (from..=to).map(|power| {
            let text = format!("1e{power}");
            (text.parse().expect("a number"), text)
        });
        let ticks: Vec<(f64, String)> = ticks.collect();
        Self { title, from: ticks[0].0, to: ticks[ticks.len() - 1].0, is_logarithmic: true, ticks }
    }

    /// Creates an axis from 0 in a few even steps, up to at least a count.
    pub(super) fn up_to(title: &'static str, count: f64) -> Self {
        let steps = [1.0, 2.0, 5.0]
            .into_iter()
            .cycle()
            .zip(0..)
            .map(|(digit, i): (f64, i32)| digit * 10_f64.powi(i / 3));
        let mut enough = steps.filter(|step| step * 5.0 >= count);
        Self::linear(title, enough.next().unwrap_or(count), 5)
    }

    /// Creates an axis over a range, in a few even steps of 1, 2 or 5 times a power of ten.
    pub(super) fn around(title: &'static str, from: f64, to: f64) -> Self {
        let range = Some(to - from).filter(|&range| range > 0.0 && range.is_finite());
        let Some(range) = range else { return Self::linear(title, 1.0, 1) };
        let power = libm::exp10(libm::floor(libm::log10(range / 5.0)));
        let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
        let step = steps.into_iter().find(|step| step * 5.0 >= range).unwrap_or(range);
        let first = libm::floor(from / step) * step;
        // Starting at the multiple of a step below, five steps may end too early, so a sixth is allowed.
        let count = (0..6).find(|&i| first + f64::from(i) * step >= from + range).unwrap_or(6);
        let tick = |i: i32| {
            let value = first + f64::from(i) * step;
            // Enough digits to distinguish the ticks, even far from 0.
            let is_enough = |digits: &usize| (rounded(value, *digits) - value).abs() < step / 1e3;
            (value, significant(value, (1..17).find(is_enough).unwrap_or(17)))
        };
        let ticks: Vec<_> = (0..=count).map(tick).collect();
        Self { title, from: first, to: ticks[ticks.len() - 1].0, is_logarithmic: false, ticks }
    }

    /// Returns this axis with another end.
    pub(super) fn until(self, to: f64) -> Self {
        Self { to, ..self }
    }

    /// Maps a value to its position on the axis, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let place = if self.is_logarithmic {
            libm::log10(value / self.from) / libm::log10(self.to / self.from)
        } else {
            (value - self.from) / (self.to - self.from)
        };
        place.clamp(0.0, 1.0)
    }
}

pub(super) struct Series {
    /// The label beside its last point, or empty.
    pub(super) label: String,
    /// The number of its colour in the style sheet.
    pub(super) colour: usize,
    pub(super) mark: Mark,
    pub(super) points: Vec<(f64, f64)>,
}

#[derive(Clone, Copy)]
pub(super) enum Mark {
    Line,
    Dots,
    /// Bars down to the x axis, with this width as a fraction of it.
    Bars(f64),
}

impl Chart {
    pub(super) fn to_svg(&self) -> String {
        let mut svg = String::new();
        self.draw(&mut svg).expect("a string takes whatever is written to it");
        svg
    }

    fn x(&self, value: f64) -> f64 {
        let PlotFrame { width, left, right, .. } = self.frame;
        left + self.x.place(value) * (width - left - right)
    }

    fn y(&self, value: f64) -> f64 {
        let PlotFrame { height, above, below, .. } = self.frame;
        height - below - self.y.place(value) * (height - above - below)
    }

    fn draw(&self, svg: &mut String) -> fmt::Result {
        let (title, PlotFrame { width, height, .. }) = (&self.title, self.frame);
        let timeline = self.timeline();
        writeln!(
            svg,
            r#"<svg class="chart" width="{width}" height="{height}" viewBox="0 0 {width} {height}"{timeline} role="img" aria-label="{title}">"#
        )?;
        self.draw_axes(svg)?;
        self.series.iter().try_for_each(|series| self.draw_series(svg, series))?;
        writeln!(svg, "</svg>")
    }

    /// Returns an attribute for scripts: the animation, its time range, and where that is in the picture.
    fn timeline(&self) -> String {
        self.animation.map_or_else(String::new, |animation| {
            let (from, to) = (self.x.from, self.x.to);
            let (left, right) = (self.x(from), self.x(to));
            let (top, bottom) = (self.y(self.y.to), self.y(self.y.from));
            let [from, to] = [from, to].map(shortest);
            format!(
                r#" data-timeline="{animation},{from},{to},{left:.1},{right:.1},{top:.1},{bottom:.1}""#
            )
        })
    }

    fn draw_axes(&self, svg: &mut String) -> fmt::Result {
        let (left, right) = (self.x(self.x.from), self.x(self.x.to));
        let (bottom, top) = (self.y(self.y.from), self.y(self.y.to));
        for (value, text) in &self.y.ticks {
            let y = self.y(*value);
            writeln!(svg, r#"<path class="grid" d="M{left:.1} {y:.1}H{right:.1}"/>"#)?;
            let (x, y) = (left - 6.0, y + 4.0);
            writeln!(svg, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="end">{text}</text>"#)?;
        }
        for (value, text) in &self.x.ticks {
            let (x, y) = (self.x(*value), bottom + 18.0);
            writeln!(svg, r#"<path class="grid" d="M{x:.1} {bottom:.1}V{top:.1}"/>"#)?;
            writeln!(svg, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="middle">{text}</text>"#)?;
        }
        writeln!(svg, r#"<path class="frame" d="M{left:.1} {top:.1}V{bottom:.1}H{right:.1}"/>"#)?;
        let (middle, below) = (f64::midpoint(left, right), self.frame.height - 8.0);
        let title = self.x.title;
        writeln!(
            svg,
            r#"<text x="{middle:.1}" y="{below:.1}" text-anchor="middle">{title}</text>"#
        )?;
        let (middle, title) = (f64::midpoint(top, bottom), self.y.title);
        writeln!(
            svg,
            r#"<text transform="translate(14 {middle:.1}) rotate(-90)" text-anchor="middle">{title}</text>"#
        )
    }

    fn draw_series(&self, svg: &mut String, series: &Series) -> fmt::Result {
        let colour = series.colour;
        let places: Vec<_> = series.points.iter().map(|&(x, y)| (self.x(x), self.y(y))).collect();
        match series.mark {
            Mark::Line => {
                let points: Vec<_> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
                let points = points.join(" ");
                writeln!(svg, r#"<polyline class="series c{colour}" points="{points}"/>"#)?;
            }
            Mark::Dots => {
                for (x, y) in &places {
                    writeln!(
                        svg,
                        r#"<circle class="dot c{colour}" cx="{x:.1}" cy="{y:.1}" r="2.5"/>"#
                    )?;
                }
            }
            Mark::Bars(fraction) => {
                let width = fraction * (self.x(self.x.to) - self.x(self.x.from));
                let bottom = self.y(self.y.from);
                for (x, y) in &places {
                    let (x, height) = (x - width / 2.0, bottom - y);
                    writeln!(
                        svg,
                        r#"<rect class="dot c{colour}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"/>"#
                    )?;
                }
            }
        }
        match places.last() {
            Some((x, y)) if !series.label.is_empty() => {
                let label = &series.label;
                let is_last = *x > self.x(self.x.to) - 1.0;
                let (x, y, anchor) =
                    if is_last { (x + 6.0, y + 4.0, "start") } else { (*x, y - 8.0, "middle") };
                writeln!(
                    svg,
                    r#"<text class="label" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{label}</text>"#
                )
            }
            _ => Ok(()),
        }
    }
}
