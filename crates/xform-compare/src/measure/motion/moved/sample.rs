use std::convert::identity;

use super::{
    Moved, PlacedBy, Stopped,
    in_lanes::{BothInLanes, TIMES},
    search::{Found, Search, SearchMemory},
};
use crate::{
    audit::{Peak, TimelinePoint},
    measure::{
        metrics::{displacement, is_hidden, linear_difference, turned_degrees, worst_skew_degrees},
        motion::at_most::{
            difference_at_most, displacement_at_most, sine_at_most, sine_of_skew,
            skew_difference_at_most,
        },
        shows::skew_difference,
    },
};

impl Moved<'_> {
    /// Measures all nodes at some times.
    pub(in crate::measure::motion) fn sample(&mut self, times: &[f64]) -> Result<(), Stopped> {
        let mut memory = SearchMemory::default();
        times.chunks(TIMES).try_for_each(|times| {
            self.place_all(times)?;
            self.measure(times, &mut memory)
        })
    }

    /// Measures all nodes at the times at which they are placed.
    fn measure(&mut self, times: &[f64], memory: &mut SearchMemory) -> Result<(), Stopped> {
        let skews = self.measure_skews(times, memory);
        self.measure_differences(times, memory);
        self.measure_turns(times);
        let mut displacements = self.measure_displacements(times, memory)?;
        self.measure_skinned(times, &mut displacements)?;
        for (lane, &seconds) in times.iter().enumerate() {
            let (skew, displacement) = (skews[lane], displacements[lane]);
            let point = TimelinePoint { seconds, skew_difference_degrees: skew, displacement };
            self.timeline.push(point);
        }
        Ok(())
    }

    /// Returns the largest displacement of all nodes at each time, in scene units.
    fn measure_displacements(
        &mut self,
        times: &[f64],
        memory: &mut SearchMemory,
    ) -> Result<[f64; TIMES], Stopped> {
        let mut search = Search::new(memory, times.len(), identity);
        for place in 0..self.len() {
            let (both, bounds) = (&self.both_now[place], self.shown(place).bounds);
            let [a, b] = [&both.reference, &both.other].map(|world| (&world.linear, &world.origin));
            let peak = self.figures[place].motion.displacement;
            search.add(displacement_at_most(a, b, &bounds), peak);
        }
        let found = search.found(|place, lane| {
            let (both, shown) = (&self.both_now[place], self.shown(place));
            let [a, b] = both.matrices(lane);
            let is_hidden = || {
                let [a, b] = [&both.reference, &both.other].map(|world| world.linear_at(lane));
                is_hidden(&a, &b) && shown.draws()
            };
            displacement(&a, &b, &shown.bounds).filter(|_| !is_hidden())
        });
        for &Found { place, lane, value } in found {
            if !value.is_none_or(f64::is_finite) {
                return Err(Stopped::Overflow { node: self.nodes.node(place) });
            }
            let moved = &mut self.figures[place];
            if raise(&mut moved.motion.displacement, value, times[lane]) {
                let world = self.both_now[place].reference.by_matrix(lane);
                moved.at_worst = Some(PlacedBy::Matrix(world));
            }
        }
        Ok(search.most())
    }

    fn measure_differences(&mut self, times: &[f64], memory: &mut SearchMemory) {
        let mut search = Search::new(memory, times.len(), identity).of_nodes_alone();
        for place in 0..self.len() {
            let BothInLanes { reference, other } = &self.both_now[place];
            let peak = self.figures[place].motion.linear_difference;
            if self.shows_axes(place) {
                search.add(difference_at_most(&reference.linear, &other.linear), peak);
            } else {
                search.add_nothing();
            }
        }
        let found = search.found(|place, lane| {
            let BothInLanes { reference, other } = &self.both_now[place];
            linear_difference(&reference.linear_at(lane), &other.linear_at(lane))
        });
        for &Found { place, lane, value } in found {
            raise(&mut self.figures[place].motion.linear_difference, value, times[lane]);
        }
    }

    /// Measures how far cameras and lights point elsewhere.
    fn measure_turns(&mut self, times: &[f64]) {
        for &(place, fixture) in &self.fixtures {
            let BothInLanes { reference, other } = &self.both_now[place];
            let peak = &mut self.figures[place].motion.turned_degrees;
            for (lane, &seconds) in times.iter().enumerate() {
                let both = (reference.linear_at(lane), other.linear_at(lane));
                raise(peak, turned_degrees(&fixture, &both.0, &both.1), seconds);
            }
        }
    }

    /// Returns the largest skew difference of all nodes at each time, in degrees.
    fn measure_skews(&mut self, times: &[f64], memory: &mut SearchMemory) -> [f64; TIMES] {
        let are_strategies = self.pair.are_strategies();
        let as_bound = if are_strategies { sine_of_skew } else { identity };
        let mut search = Search::new(memory, times.len(), as_bound);
        let may_be_rounding = (0..self.len())
            .filter(|&place| self.may_be_rounding[place] && self.shows_axes(place))
            .collect::<Vec<_>>();
        for (lane, &seconds) in times.iter().enumerate() {
            for &place in &may_be_rounding {
                let skew = self.skew_without_rounding(place, lane);
                raise(&mut self.figures[place].motion.skew_difference_degrees, skew, seconds);
                search.raise_most(lane, skew);
            }
        }
        for place in 0..self.len() {
            let is_measured = self.may_be_rounding[place] || !self.shows_axes(place);
            if is_measured {
                search.add_nothing();
                continue;
            }
            let BothInLanes { reference, other } = &self.both_now[place];
            let at_most = if are_strategies {
                // Combined TRS has no skew.
                sine_at_most(&reference.linear)
            } else {
                skew_difference_at_most(&reference.linear, &other.linear)
            };
            search.add(at_most, self.figures[place].motion.skew_difference_degrees);
        }
        let found = search.found(|place, lane| {
            let BothInLanes { reference, other } = &self.both_now[place];
            let linear = reference.linear_at(lane);
            if are_strategies {
                worst_skew_degrees(&linear)
            } else {
                Some(skew_difference(&linear, &other.linear_at(lane)))
            }
        });
        for &Found { place, lane, value } in found {
            let peak = &mut self.figures[place].motion.skew_difference_degrees;
            raise(peak, value, times[lane]);
        }
        search.most()
    }

    /// Measures skinned meshes. Raises the largest displacement at each time if that of a mesh is larger.
    fn measure_skinned(&mut self, times: &[f64], most: &mut [f64; TIMES]) -> Result<(), Stopped> {
        for (lane, &seconds) in times.iter().enumerate() {
            for index in 0..self.nodes.skinned().len() {
                let (place, mesh) = self.nodes.skinned()[index];
                let joints = mesh.posed(|node| self.both(node, lane));
                let displacement = mesh.farthest(&joints).map(|farthest| farthest.displacement);
                if !displacement.is_none_or(f64::is_finite) {
                    return Err(Stopped::Overflow { node: mesh.node });
                }
                let moved = &mut self.figures[place];
                if raise(&mut moved.motion.displacement, displacement, seconds) {
                    moved.at_worst = Some(PlacedBy::Joints(joints));
                }
                most[lane] = most[lane].max(displacement.unwrap_or(0.0));
            }
        }
        Ok(())
    }

    /// Whether a node's axes are visible. Those of a node with a skinned mesh are not.
    fn shows_axes(&self, place: usize) -> bool {
        self.shown(place).skin.is_none()
    }
}

/// Keeps the larger of a peak and a value, and the earlier if they are equal. Returns whether the value was
/// kept.
fn raise(peak: &mut Option<Peak>, value: Option<f64>, seconds: f64) -> bool {
    let larger = value.filter(|&value| peak.is_none_or(|peak| value > peak.max));
    if let Some(max) = larger {
        *peak = Some(Peak { max, seconds });
    }
    larger.is_some()
}
