//! A chart of a page as a reader takes it: curves, dots and bars by what stands along the axes.

use percent_encoding::percent_decode_str;
use scraper::{ElementRef, Html, Selector};

/// Places are written to a tenth, so a place and those of two ticks are each off by half of that.
const ROUNDING: f64 = 0.11;

pub(crate) type Point = (f64, f64);

/// An axis by its ticks: where each stands, and what is written there.
pub(crate) struct ReadAxis {
    pub(crate) places: Vec<f64>,
    pub(crate) values: Vec<f64>,
}

/// A curve or dots, each of one colour.
pub(crate) struct Drawn {
    pub(crate) kind: String,
    pub(crate) colour: String,
    pub(crate) places: Vec<Point>,
}

pub(crate) struct Bar {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

/// What is written beside a curve.
pub(crate) struct Label {
    pub(crate) text: String,
    pub(crate) place: Point,
    pub(crate) anchor: String,
}

pub(crate) struct ReadChart {
    pub(crate) x: ReadAxis,
    pub(crate) y: ReadAxis,
    /// The x of its right edge.
    pub(crate) right: f64,
    pub(crate) y_title: String,
    /// In the order in which they are drawn; dots of one colour that follow one another are one.
    pub(crate) drawn: Vec<Drawn>,
    pub(crate) bars: Vec<Bar>,
    pub(crate) labels: Vec<Label>,
    /// The rows behind its link, the header first.
    pub(crate) data: Vec<Vec<String>>,
}

/// The chart of a page whose data have this name.
pub(crate) fn chart(page: &str, name: &str) -> ReadChart {
    let page = Html::parse_document(page);
    let selector = format!("figure:has(a[download='{name}.csv'])");
    let [figure] = selected(page.root_element(), &selector)[..] else { panic!("{name}") };
    let data = selected(figure, "a")[0].attr("href").unwrap();
    let data = data.strip_prefix("data:text/csv;charset=utf-8,").unwrap();
    let data = percent_decode_str(data).decode_utf8().unwrap();
    let data = data.lines().map(|row| row.split(',').map(str::to_owned).collect()).collect();
    let svg = selected(figure, "svg")[0];
    let (x, right) = x_axis(svg);
    assert_all_is_in_view(svg);
    ReadChart {
        y: y_axis(svg, right),
        x,
        right,
        y_title: text(selected(svg, "text[transform]")[0]),
        drawn: drawn(svg),
        bars: selected(svg, "rect").into_iter().map(bar).collect(),
        labels: selected(svg, "text.label").into_iter().map(label).collect(),
        data,
    }
}

fn selected<'a>(element: ElementRef<'a>, selector: &str) -> Vec<ElementRef<'a>> {
    element.select(&Selector::parse(selector).unwrap()).collect()
}

fn text(element: ElementRef<'_>) -> String {
    element.text().collect()
}

fn number(element: ElementRef<'_>, attribute: &str) -> f64 {
    element.attr(attribute).unwrap().parse().unwrap()
}

/// The numbers of a path or of a list of points.
fn numbers(element: ElementRef<'_>, attribute: &str) -> Vec<f64> {
    let text = element.attr(attribute).unwrap();
    let numbers = text.split(|c: char| !matches!(c, '0'..='9' | '-' | '.'));
    numbers.filter(|number| !number.is_empty()).map(|number| number.parse().unwrap()).collect()
}

/// Each line of the grid with the text that follows it: the numbers of its path, the place and the value of the text.
fn ticks(svg: ElementRef<'_>, direction: char) -> Vec<(Vec<f64>, Point, f64)> {
    let lines = selected(svg, "path.grid + text").into_iter().map(|text_of| {
        let line = text_of.prev_siblings().find_map(ElementRef::wrap).unwrap();
        let is_meant = line.attr("d").unwrap().contains(direction);
        let place = (number(text_of, "x"), number(text_of, "y"));
        is_meant.then(|| (numbers(line, "d"), place, text(text_of).parse().unwrap()))
    });
    lines.flatten().collect()
}

/// Asserts that the frame stands upright in the drawing, all marks in the frame, and all that is written in the drawing.
fn assert_all_is_in_view(svg: ElementRef<'_>) {
    let [0.0, 0.0, width, height] = numbers(svg, "viewBox")[..] else { panic!("a view") };
    let frame = numbers(selected(svg, "path.frame")[0], "d");
    let [left, top, bottom, right] = frame[..] else { panic!("{frame:?}") };
    assert!([0.0, left, right, width].is_sorted() && [0.0, top, bottom, height].is_sorted());
    for (x, y) in drawn(svg).into_iter().flat_map(|drawn| drawn.places) {
        assert!((left..=right).contains(&x) && (top..=bottom).contains(&y), "{x}, {y}");
    }
    for written in selected(svg, "text[x]") {
        let (x, y) = (number(written, "x"), number(written, "y"));
        assert!((0.0..width).contains(&x) && (10.0..height).contains(&y), "{x}, {y}");
    }
}

/// Upright lines from the bottom to the top, their values below them.
fn x_axis(svg: ElementRef<'_>) -> (ReadAxis, f64) {
    let frame = numbers(selected(svg, "path.frame")[0], "d");
    let [left, top, bottom, right] = frame[..] else { panic!("{frame:?}") };
    let ticks = ticks(svg, 'V');
    for (line, (x, y), _) in &ticks {
        assert_eq!(line[1..], [bottom, top]);
        assert!(*x == line[0] && (10.0..30.0).contains(&(y - bottom)), "{line:?}, {x}, {y}");
    }
    let (places, values): (Vec<_>, _) =
        ticks.into_iter().map(|(line, _, value)| (line[0], value)).unzip();
    assert_eq!(places[0], left);
    (ReadAxis { places, values }, right)
}

/// Level lines from the left to the right, their values before them.
fn y_axis(svg: ElementRef<'_>, right: f64) -> ReadAxis {
    let tick = |(line, (x, y), value): (Vec<f64>, Point, f64)| {
        assert_eq!(line[2], right);
        let is_beside = (2.0..10.0).contains(&(line[0] - x)) && (0.0..8.0).contains(&(y - line[1]));
        assert!(is_beside, "{line:?}, {x}, {y}");
        (line[1], value)
    };
    let (places, values) = ticks(svg, 'H').into_iter().map(tick).unzip();
    ReadAxis { places, values }
}

fn drawn(svg: ElementRef<'_>) -> Vec<Drawn> {
    let mut all: Vec<Drawn> = Vec::new();
    for mark in selected(svg, "polyline, circle") {
        let kind = mark.value().name().to_owned();
        let colour = mark.attr("class").unwrap().split_once(' ').unwrap().1.to_owned();
        if kind == "polyline" {
            let places = numbers(mark, "points").chunks(2).map(|xy| (xy[0], xy[1])).collect();
            all.push(Drawn { kind, colour, places });
            continue;
        }
        let place = (number(mark, "cx"), number(mark, "cy"));
        match all.last_mut().filter(|last| last.kind == kind && last.colour == colour) {
            Some(last) => last.places.push(place),
            None => all.push(Drawn { kind, colour, places: vec![place] }),
        }
    }
    all
}

fn bar(rect: ElementRef<'_>) -> Bar {
    let (left, top) = (number(rect, "x"), number(rect, "y"));
    let (right, bottom) = (left + number(rect, "width"), top + number(rect, "height"));
    Bar { left, right, top, bottom }
}

fn label(element: ElementRef<'_>) -> Label {
    Label {
        text: text(element),
        place: (number(element, "x"), number(element, "y")),
        anchor: element.attr("text-anchor").unwrap().to_owned(),
    }
}

impl ReadAxis {
    /// Where a value is to stand, by the first and the last tick.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let are_powers = self.values.windows(2).all(|pair| (pair[1] / pair[0] - 10.0).abs() < 1e-9);
        let scaled = |value: f64| if are_powers { value.log10() } else { value };
        let last = self.values.len() - 1;
        let [from, to, at] = [self.values[0], self.values[last], value].map(scaled);
        let (start, end) = (self.places[0], self.places[last]);
        start + (at - from) / (to - from) * (end - start)
    }

    #[track_caller]
    pub(crate) fn assert_ticks_stand_where_they_say(&self) {
        assert!(self.values.is_sorted_by(|a, b| a < b), "{:?}", self.values);
        assert!(self.places.windows(2).all(|pair| (pair[1] - pair[0]).abs() > 20.0));
        for (&place, &value) in self.places.iter().zip(&self.values) {
            assert!((place - self.place(value)).abs() < ROUNDING, "{:?}", self.values);
        }
    }
}

impl ReadChart {
    /// Asserts that points stand for these figures.
    #[track_caller]
    pub(crate) fn assert_shows(&self, drawn: &Drawn, figures: &[Point]) {
        self.x.assert_ticks_stand_where_they_say();
        self.y.assert_ticks_stand_where_they_say();
        assert_eq!(drawn.places.len(), figures.len());
        for ((x, y), figures) in drawn.places.iter().zip(figures) {
            let off = (x - self.x.place(figures.0)).abs().max((y - self.y.place(figures.1)).abs());
            assert!(off < ROUNDING, "{figures:?} is at {x}, {y}");
        }
    }

    /// The rows of its data as numbers, without the header.
    pub(crate) fn figures(&self) -> Vec<Vec<f64>> {
        let row = |row: &Vec<String>| row.iter().map(|cell| cell.parse().unwrap()).collect();
        self.data[1..].iter().map(row).collect()
    }
}
