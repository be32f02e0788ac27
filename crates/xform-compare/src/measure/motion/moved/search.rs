use nalgebra::{SimdBool, SimdPartialOrd, SimdValue};

use super::in_lanes::{AtTimes, TIMES, scalars};
use crate::audit::Peak;

/// A search for the largest values of a figure: for each node the largest over all times, the first of
/// equals, and for each time the largest over all nodes. Upper bounds decide whether a value is measured.
pub(super) struct Search<'a> {
    times: usize,
    /// Converts a value to the quantity of the bounds, such as a skew to its sine.
    as_bound: fn(f64) -> f64,
    /// By place.
    candidates: &'a mut Vec<Candidate>,
    found: &'a mut Vec<Found>,
    /// By time: the place of the node that may have the largest value.
    first: [usize; TIMES],
    first_at_most: AtTimes,
    /// By time: the largest value of all measured nodes.
    most: [f64; TIMES],
    most_as_bound: AtTimes,
}

/// Memory that is reused by one search after another.
#[derive(Default)]
pub(super) struct SearchMemory {
    candidates: Vec<Candidate>,
    found: Vec<Found>,
}

/// The known bounds of a node's figure before it is measured: an upper bound at each time, and its peak so
/// far.
#[derive(Clone, Copy)]
struct Candidate {
    at_most: AtTimes,
    peak: f64,
}

/// A value that may be the largest of its node or of its time.
pub(super) struct Found {
    pub(super) place: usize,
    pub(super) lane: usize,
    pub(super) value: Option<f64>,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        SearchMemory { candidates, found }: &'a mut SearchMemory,
        times: usize,
        as_bound: fn(f64) -> f64,
    ) -> Self {
        candidates.clear();
        found.clear();
        Self {
            times,
            as_bound,
            candidates,
            found,
            first: [0; TIMES],
            first_at_most: AtTimes::splat(f64::NEG_INFINITY),
            most: [0.0; TIMES],
            most_as_bound: AtTimes::splat(as_bound(0.0)),
        }
    }

    /// Ignores the largest value of all nodes at each time, if it does not matter.
    pub(super) fn of_nodes_alone(self) -> Self {
        Self { most_as_bound: AtTimes::splat(f64::INFINITY), ..self }
    }

    /// Returns the largest value of all nodes, by time; 0 if none is larger.
    pub(super) fn most(&self) -> [f64; TIMES] {
        self.most
    }

    /// Adds the next node.
    pub(super) fn add(&mut self, at_most: AtTimes, peak: Option<Peak>) {
        let is_first = at_most.simd_gt(self.first_at_most);
        if is_first.any() {
            for lane in (0..TIMES).filter(|lane| is_first.bitmask() >> lane & 1 == 1) {
                self.first[lane] = self.candidates.len();
            }
            self.first_at_most = at_most.select(is_first, self.first_at_most);
        }
        let peak = peak.map_or(f64::NEG_INFINITY, |peak| (self.as_bound)(peak.max));
        self.candidates.push(Candidate { at_most, peak });
    }

    /// Adds the next node without measuring it.
    pub(super) fn add_nothing(&mut self) {
        let at_most = AtTimes::splat(f64::NEG_INFINITY);
        self.candidates.push(Candidate { at_most, peak: f64::INFINITY });
    }

    /// Takes a value into account that was measured without a search.
    pub(super) fn raise_most(&mut self, lane: usize, value: Option<f64>) {
        if let Some(value) = value.filter(|value| *value > self.most[lane]) {
            self.most[lane] = value;
            let at_most = self.most_as_bound.extract(lane).max((self.as_bound)(value));
            self.most_as_bound.replace(lane, at_most);
        }
    }

    /// Measures all values that may be the largest. Returns them by place, then by time.
    pub(super) fn found(&mut self, figure: impl Fn(usize, usize) -> Option<f64>) -> &[Found] {
        // For each time, the value that may be the largest comes first: usually nothing else exceeds it.
        let mut first: [Option<(usize, Option<f64>)>; TIMES] = [None; TIMES];
        let may_exceed = self.first_at_most.simd_gt(self.most_as_bound).bitmask();
        for lane in (0..self.times).filter(|lane| may_exceed >> lane & 1 == 1) {
            let value = figure(self.first[lane], lane);
            first[lane] = Some((self.first[lane], value));
            self.raise_most(lane, value);
        }
        for place in 0..self.candidates.len() {
            let Candidate { at_most, peak } = self.candidates[place];
            let may_be_peak = at_most.simd_gt(AtTimes::splat(peak));
            if (may_be_peak | at_most.simd_gt(self.most_as_bound)).none() {
                continue;
            }
            let at_most = &scalars(at_most)[..self.times];
            let measured = |lane: usize| match first[lane] {
                Some((of, value)) if of == place => value,
                _ => figure(place, lane),
            };
            // Then the value that may be the largest of the node.
            let largest = (0..self.times).max_by(|&a, &b| at_most[a].total_cmp(&at_most[b]));
            let largest = largest.filter(|&lane| at_most[lane] > peak);
            let largest = largest.map(|lane| (lane, measured(lane)));
            // If a value was rounded to 0, any other value will be as good.
            let largest_value = largest.and_then(|(_, value)| value).filter(|value| *value > 0.0);
            let least = largest_value.map_or(f64::NEG_INFINITY, self.as_bound);
            for (lane, &at_most) in at_most.iter().enumerate() {
                let may_be_peak = at_most > peak && at_most >= least;
                if may_be_peak || at_most > self.most_as_bound.extract(lane) {
                    let value = match largest {
                        Some((of, value)) if of == lane => value,
                        _ => measured(lane),
                    };
                    self.raise_most(lane, value);
                    self.found.push(Found { place, lane, value });
                }
            }
        }
        self.found
    }
}
