use std::convert::identity;

use super::{
    Moved, Overflow, Placed,
    in_lanes::TIMES,
    search::{Found, Search, SearchMemory},
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
        let mut memory = SearchMemory::default();
        times.chunks(TIMES).try_for_each(|times| {
            self.place_all(times)?;
            self.measure(times, &mut memory)
        })
    }

    /// Measures all the nodes at the times at which they are placed.
    fn measure(&mut self, times: &[f64], memory: &mut SearchMemory) -> Result<(), Overflow> {
        let skew_degrees = self.measure_skews(times, memory);
        self.measure_differences(times, memory);
        let mut displacements = self.measure_displacements(times, memory)?;
        self.measure_skinned(times, &mut displacements)?;
        for (lane, &seconds) in times.iter().enumerate() {
            let (skew_degrees, displacement) = (skew_degrees[lane], displacements[lane]);
            self.timeline.push(TimelinePoint { seconds, skew_degrees, displacement });
        }
        Ok(())
    }

    /// Returns the largest of all nodes at each time, in scene units.
    fn measure_displacements(
        &mut self,
        times: &[f64],
        memory: &mut SearchMemory,
    ) -> Result<[f64; TIMES], Overflow> {
        let mut search = Search::new(memory, times.len(), identity);
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
        for &Found { place, lane, value } in found {
            if !value.is_none_or(f64::is_finite) {
                return Err(Overflow { node: self.nodes.node(place) });
            }
            let moved = &mut self.figures[place];
            if raise(&mut moved.motion.displacement, value, times[lane]) {
                moved.at_worst = Some(Placed::ByMatrix(self.worlds_now[place].by_matrix(lane)));
            }
        }
        Ok(search.most())
    }

    fn measure_differences(&mut self, times: &[f64], memory: &mut SearchMemory) {
        let mut search = Search::new(memory, times.len(), identity).of_nodes_alone();
        for place in 0..self.len() {
            let (world, peak) =
                (&self.worlds_now[place], self.figures[place].motion.linear_difference);
            if self.shows_axes(place) {
                search.add(difference_at_most(&world.linear, &world.trs_linear), peak);
            } else {
                search.add_nothing();
            }
        }
        let found = search.found(|place, lane| {
            let world = &self.worlds_now[place];
            linear_difference(&world.linear_at(lane), &world.trs_linear_at(lane))
        });
        for &Found { place, lane, value } in found {
            raise(&mut self.figures[place].motion.linear_difference, value, times[lane]);
        }
    }

    /// Returns the largest of all nodes at each time, in degrees.
    fn measure_skews(&mut self, times: &[f64], memory: &mut SearchMemory) -> [f64; TIMES] {
        let mut search = Search::new(memory, times.len(), sine_of_skew);
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
            if is_measured {
                search.add_nothing();
            } else {
                let sine = sine_at_most(&self.worlds_now[place].linear);
                search.add(sine, self.figures[place].motion.skew_degrees);
            }
        }
        let found =
            search.found(|place, lane| worst_skew_degrees(&self.worlds_now[place].linear_at(lane)));
        for &Found { place, lane, value } in found {
            raise(&mut self.figures[place].motion.skew_degrees, value, times[lane]);
        }
        search.most()
    }

    /// Raises the largest displacement of all nodes at each time where that of a skinned mesh is larger.
    fn measure_skinned(&mut self, times: &[f64], most: &mut [f64; TIMES]) -> Result<(), Overflow> {
        for (lane, &seconds) in times.iter().enumerate() {
            for index in 0..self.nodes.skinned().len() {
                let (place, mesh) = self.nodes.skinned()[index];
                let joints = mesh.posed(|node| self.both(node, lane));
                let displacement = mesh.farthest(&joints).map(|farthest| farthest.displacement);
                if !displacement.is_none_or(f64::is_finite) {
                    return Err(Overflow { node: mesh.node });
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
        if !self.shows_axes(place) {
            return None;
        }
        if self.may_be_rounding[place] {
            return self.skew_without_rounding(place, lane);
        }
        worst_skew_degrees(&self.worlds_now[place].linear_at(lane))
    }

    /// Whether its axes show: those of a node whose mesh is skinned show nowhere.
    fn shows_axes(&self, place: usize) -> bool {
        self.shown(place).skin.is_none()
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
