//! One chart as SVG. Written here because the page's colours follow light and dark by style sheet,
//! which no plotting crate leaves open.

use std::fmt::{self, Write};

use xform_scene::text::{rounded, shortest, significant};

/// How large a chart is, and what is left free of it for what is written along the axes, in pixels.
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
    /// For a chart of its own, with room for labels beside the last points.
    pub(super) const LARGE: Self =
        Self { width: 640.0, height: 320.0, left: 64.0, right: 130.0, above: 12.0, below: 48.0 };
    /// For one of many.
    pub(super) const SMALL: Self =
        Self { width: 340.0, height: 190.0, left: 62.0, right: 14.0, above: 10.0, below: 44.0 };
}

/// Lines and dots, or bars, over two axes.
pub(super) struct Chart {
    pub(super) frame: PlotFrame,
    /// The place of the animation that it is over, where the x axis is its time.
    pub(super) animation: Option<usize>,
    pub(super) title: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) series: Vec<Series>,
}

pub(super) struct Axis {
    /// With its unit.
    pub(super) title: &'static str,
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) is_logarithmic: bool,
    pub(super) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// From 0 in even steps.
    pub(super) fn linear(title: &'static str, step: f64, steps: u32) -> Self {
        let tick = |i: u32| {
            let value = f64::from(i) * step;
            (value, significant(value, 3))
        };
        let ticks: Vec<_> = (0..=steps).map(tick).collect();
        Self { title, from: 0.0, to: f64::from(steps) * step, is_logarithmic: false, ticks }
    }

    /// From one power of ten to another.
    pub(super) fn powers(title: &'static str, from: i32, to: i32) -> Self {
        let ticks = (from..=to).map(|power| {
            let text = format!("1e{power}");
            (text.parse().expect("a number"), text)
        });
        let ticks: Vec<(f64, String)> = ticks.collect();
        Self { title, from: ticks[0].0, to: ticks[ticks.len() - 1].0, is_logarithmic: true, ticks }
    }

    /// From 0 in a few even steps to no less than a count.
    pub(super) fn up_to(title: &'static str, count: f64) -> Self {
        let steps = [1.0, 2.0, 5.0]
            .into_iter()
            .cycle()
            .zip(0..)
            .map(|(digit, i): (f64, i32)| digit * 10_f64.powi(i / 3));
        let mut enough = steps.filter(|step| step * 5.0 >= count);
        Self::linear(title, enough.next().unwrap_or(count), 5)
    }

    /// From one value to no less than another, in a few even steps of 1, 2 or 5 times a power of ten.
    pub(super) fn around(title: &'static str, from: f64, to: f64) -> Self {
        let range = Some(to - from).filter(|&range| range > 0.0 && range.is_finite());
        let Some(range) = range else { return Self::linear(title, 1.0, 1) };
        let power = libm::exp10(libm::floor(libm::log10(range / 5.0)));
        let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
        let step = steps.into_iter().find(|step| step * 5.0 >= range).unwrap_or(range);
        let first = libm::floor(from / step) * step;
        // From the multiple of a step below, in five steps and one more.
        let count = (0..6).find(|&i| first + f64::from(i) * step >= from + range).unwrap_or(6);
        let tick = |i: i32| {
            let value = first + f64::from(i) * step;
            // Far from 0 too, one tick is to be told from the next.
            let is_enough = |digits: &usize| (rounded(value, *digits) - value).abs() < step / 1e3;
            (value, significant(value, (1..17).find(is_enough).unwrap_or(17)))
        };
        let ticks: Vec<_> = (0..=count).map(tick).collect();
        Self { title, from: first, to: ticks[ticks.len() - 1].0, is_logarithmic: false, ticks }
    }

    /// This axis, ending elsewhere.
    pub(super) fn until(self, to: f64) -> Self {
        Self { to, ..self }
    }

    /// Where a value stands, from 0 to 1.
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
    /// Beside its last point; nothing where that is empty.
    pub(super) label: String,
    /// Which of the page's colours.
    pub(super) colour: usize,
    pub(super) mark: Mark,
    pub(super) points: Vec<(f64, f64)>,
}

#[derive(Clone, Copy)]
pub(super) enum Mark {
    Line,
    Dots,
    /// Down to the x axis, this wide as a fraction of it.
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

    /// For scripts: the animation, from when to when, and where in the picture that is.
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
