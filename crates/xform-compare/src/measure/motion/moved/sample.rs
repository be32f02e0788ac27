use nalgebra::{SimdBool, SimdPartialOrd, SimdValue};

use super::{
    Moved, Overflow, Placed,
    in_lanes::{Lanes, TIMES, scalars},
};
use crate::{
    audit::{Peak, TimelinePoint},
    measure::{
        metrics::{displacement, is_hidden, linear_difference, worst_skew_degrees},
        motion::at_most::{difference_at_most, displacement_at_most, sine_at_most, sine_of_skew},
    },
};

impl Moved<'_> {
    /// Measures all the nodes at some times.
    pub(in crate::measure::motion) fn sample(&mut self, times: &[f64]) -> Result<(), Overflow> {
        for times in times.chunks(TIMES) {
            let placed = self.place_all(times);
            let before = placed.as_ref().map_or_else(|overflow| overflow.lane, |()| times.len());
            self.measure(&times[..before])?;
            placed?;
        }
        Ok(())
    }

    /// Measures all the nodes at the times at which they are placed.
    fn measure(&mut self, times: &[f64]) -> Result<(), Overflow> {
        let skew_degrees = self.measure_skews(times);
        self.measure_differences(times);
        let mut displacements = self.measure_displacements(times)?;
        self.measure_skinned(times, &mut displacements)?;
        for (lane, &seconds) in times.iter().enumerate() {
            let (skew_degrees, displacement) = (skew_degrees[lane], displacements[lane]);
            self.timeline.push(TimelinePoint { seconds, skew_degrees, displacement });
        }
        Ok(())
    }

    /// Returns the largest of all nodes at each time, in scene units.
    fn measure_displacements(&mut self, times: &[f64]) -> Result<[f64; TIMES], Overflow> {
        let mut search = Search::new(self.len(), times.len(), |displacement| displacement);
        for place in 0..self.len() {
            let (world, bounds) = (&self.worlds_now[place], self.shown(place).bounds);
            let by_matrix = (&world.linear, &world.origin);
            let by_trs = (&world.trs_linear, world.trs_origin());
            let peak = self.figures[place].motion.displacement;
            search.add(displacement_at_most(by_matrix, by_trs, &bounds), peak);
        }
        let found = search.found(|place, lane| {
            let (world, shown) = (&self.worlds_now[place], self.shown(place));
            let [by_matrix, by_trs] = world.both(lane);
            let is_hidden =
                || is_hidden(&world.linear_at(lane), &world.trs_linear_at(lane)) && shown.draws();
            displacement(&by_matrix, &by_trs, &shown.bounds).filter(|_| !is_hidden())
        });
        for Found { place, lane, value } in found {
            if !value.is_none_or(f64::is_finite) {
                return Err(Overflow { node: self.nodes.node(place), lane });
            }
            let moved = &mut self.figures[place];
            if raise(&mut moved.motion.displacement, value, times[lane]) {
                moved.at_worst = Some(Placed::ByMatrix(self.worlds_now[place].by_matrix(lane)));
            }
        }
        Ok(search.most)
    }

    fn measure_differences(&mut self, times: &[f64]) {
        let mut search = Search::new(self.len(), times.len(), |difference| difference);
        // The most of all nodes does not matter.
        search.most_as_bound = Lanes::splat(f64::INFINITY);
        for place in 0..self.len() {
            let (world, peak) =
                (&self.worlds_now[place], self.figures[place].motion.linear_difference);
            match self.shows_axes(place) {
                true => search.add(difference_at_most(&world.linear, &world.trs_linear), peak),
                false => search.add_nothing(),
            }
        }
        let found = search.found(|place, lane| {
            let world = &self.worlds_now[place];
            linear_difference(&world.linear_at(lane), &world.trs_linear_at(lane))
        });
        for Found { place, lane, value } in found {
            raise(&mut self.figures[place].motion.linear_difference, value, times[lane]);
        }
    }

    /// Returns the largest of all nodes at each time, in degrees.
    fn measure_skews(&mut self, times: &[f64]) -> [f64; TIMES] {
        let mut search = Search::new(self.len(), times.len(), sine_of_skew);
        let may_be_rounding = (0..self.len())
            .filter(|&place| self.may_be_rounding[place] && self.shows_axes(place))
            .collect::<Vec<_>>();
        for (lane, &seconds) in times.iter().enumerate() {
            for &place in &may_be_rounding {
                let skew = self.skew_without_rounding(place, lane);
                raise(&mut self.figures[place].motion.skew_degrees, skew, seconds);
                search.raise_most(lane, skew);
            }
        }
        for place in 0..self.len() {
            let is_measured = self.may_be_rounding[place] || !self.shows_axes(place);
            match is_measured {
                true => search.add_nothing(),
                false => {
                    let sine = sine_at_most(&self.worlds_now[place].linear);
                    search.add(sine, self.figures[place].motion.skew_degrees);
                }
            }
        }
        let found =
            search.found(|place, lane| worst_skew_degrees(&self.worlds_now[place].linear_at(lane)));
        for Found { place, lane, value } in found {
            raise(&mut self.figures[place].motion.skew_degrees, value, times[lane]);
        }
        search.most
    }

    /// Raises the largest displacement of all nodes at each time where that of a skinned mesh is larger.
    fn measure_skinned(&mut self, times: &[f64], most: &mut [f64; TIMES]) -> Result<(), Overflow> {
        for (lane, &seconds) in times.iter().enumerate() {
            for index in 0..self.nodes.skinned().len() {
                let (place, mesh) = self.nodes.skinned()[index];
                let joints = mesh.posed(|node| self.both(node, lane));
                let displacement = mesh.farthest(&joints).map(|farthest| farthest.displacement);
                if !displacement.is_none_or(f64::is_finite) {
                    return Err(Overflow { node: mesh.node, lane });
                }
                let moved = &mut self.figures[place];
                if raise(&mut moved.motion.displacement, displacement, seconds) {
                    moved.at_worst = Some(Placed::ByJoints(joints));
                }
                most[lane] = most[lane].max(displacement.unwrap_or(0.0));
            }
        }
        Ok(())
    }

    /// The skew of a node at a time that everything is placed at. Parents come before their children.
    pub(in crate::measure) fn skew_degrees(&mut self, place: usize, lane: usize) -> Option<f64> {
        match self.shows_axes(place) {
            false => None,
            true if self.may_be_rounding[place] => self.skew_without_rounding(place, lane),
            true => worst_skew_degrees(&self.worlds_now[place].linear_at(lane)),
        }
    }

    /// Whether its axes show: those of a node whose mesh is skinned show nowhere.
    fn shows_axes(&self, place: usize) -> bool {
        self.shown(place).skin.is_none()
    }
}

/// Looks for the largest values of a figure: of each node the largest of all times, of equals the first, and of each time
/// the largest of all nodes. What a value is at most decides whether it is measured.
struct Search {
    times: usize,
    /// Takes a value to what bounds are in: a skew to its sine.
    as_bound: fn(f64) -> f64,
    /// By place.
    candidates: Vec<Candidate>,
    /// By time, the place of the node that may have the largest value.
    first: [usize; TIMES],
    first_at_most: Lanes,
    /// By time, the largest of all nodes that were measured.
    most: [f64; TIMES],
    most_as_bound: Lanes,
}

/// What is known of a figure of a node before it is measured: what it is at most at each time, and its peak so far, as bounds.
struct Candidate {
    at_most: Lanes,
    peak: f64,
}

/// A value that may be the largest of its node or of its time.
struct Found {
    place: usize,
    lane: usize,
    value: Option<f64>,
}

impl Search {
    fn new(nodes: usize, times: usize, as_bound: fn(f64) -> f64) -> Self {
        Self {
            times,
            as_bound,
            candidates: Vec::with_capacity(nodes),
            first: [0; TIMES],
            first_at_most: Lanes::splat(f64::NEG_INFINITY),
            most: [0.0; TIMES],
            most_as_bound: Lanes::splat(as_bound(0.0)),
        }
    }

    /// Adds the next node.
    fn add(&mut self, at_most: Lanes, peak: Option<Peak>) {
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

    /// Adds the next node, which is not looked at.
    fn add_nothing(&mut self) {
        let at_most = Lanes::splat(f64::NEG_INFINITY);
        self.candidates.push(Candidate { at_most, peak: f64::INFINITY });
    }

    fn raise_most(&mut self, lane: usize, value: Option<f64>) {
        if let Some(value) = value.filter(|value| *value > self.most[lane]) {
            self.most[lane] = value;
            let at_most = self.most_as_bound.extract(lane).max((self.as_bound)(value));
            self.most_as_bound.replace(lane, at_most);
        }
    }

    /// The values of all nodes that may be the largest, measured: by place, then by time.
    fn found(&mut self, figure: impl Fn(usize, usize) -> Option<f64>) -> Vec<Found> {
        let mut found = Vec::with_capacity(self.candidates.len());
        // First that of each time which may be the largest: mostly no other one exceeds it.
        let mut first: [Option<(usize, Option<f64>)>; TIMES] = [None; TIMES];
        let may_exceed = self.first_at_most.simd_gt(self.most_as_bound).bitmask();
        for lane in (0..self.times).filter(|lane| may_exceed >> lane & 1 == 1) {
            let value = figure(self.first[lane], lane);
            first[lane] = Some((self.first[lane], value));
            self.raise_most(lane, value);
        }
        let candidates = std::mem::take(&mut self.candidates);
        for (place, Candidate { at_most, peak }) in candidates.iter().enumerate() {
            let may_be_peak = at_most.simd_gt(Lanes::splat(*peak));
            if (may_be_peak | at_most.simd_gt(self.most_as_bound)).none() {
                continue;
            }
            let at_most = &scalars(*at_most)[..self.times];
            let measured = |lane: usize| match first[lane] {
                Some((of, value)) if of == place => value,
                _ => figure(place, lane),
            };
            // Then the one of the node that may be its largest.
            let largest = (0..self.times).max_by(|&a, &b| at_most[a].total_cmp(&at_most[b]));
            let largest = largest.filter(|&lane| at_most[lane] > *peak);
            let largest = largest.map(|lane| (lane, measured(lane)));
            // A value that was rounded to 0 is as good as any that will be.
            let largest_value = largest.and_then(|(_, value)| value).filter(|value| *value > 0.0);
            let least = largest_value.map_or(f64::NEG_INFINITY, self.as_bound);
            for (lane, &at_most) in at_most.iter().enumerate() {
                let may_be_peak = at_most > *peak && at_most >= least;
                if may_be_peak || at_most > self.most_as_bound.extract(lane) {
                    let value = match largest {
                        Some((of, value)) if of == lane => value,
                        _ => measured(lane),
                    };
                    self.raise_most(lane, value);
                    found.push(Found { place, lane, value });
                }
            }
        }
        found
    }
}

/// Keeps the larger of a peak and a value, of equals the first. Returns whether that is the value.
fn raise(peak: &mut Option<Peak>, value: Option<f64>, seconds: f64) -> bool {
    let larger = value.filter(|&value| peak.is_none_or(|peak| value > peak.max));
    if let Some(max) = larger {
        *peak = Some(Peak { max, seconds });
    }
    larger.is_some()
}
