//! Packs animations for the page's scripts: world transforms with two bytes per number.

use nalgebra::Matrix4;
use serde::Serialize;
use xform_compare::audit::PlayedAnimation;
use xform_scene::text::rounded;

use super::{
    bytes::{Bytes, signed_step_of},
    stage::Stage,
};

/// An animation, and the offsets of its world transforms in the bytes of a page.
#[derive(Serialize)]
pub(super) struct EmbeddedAnimation {
    /// Its index among the animations of the scene.
    index: usize,
    seconds: Vec<f64>,
    /// The indices of the times with a keyframe.
    keyframes: Vec<usize>,
    /// The world transforms by show.
    worlds: Vec<EmbeddedWorlds>,
    /// The nodes with figures, by their indices.
    figured: Vec<usize>,
    /// By pair, node and time: the displacement, and the same in percent of the scene. NaN if there is none.
    displacement: usize,
    percent: usize,
    /// By pair, node and time: the difference of skew in degrees.
    skew: usize,
    weights: Vec<EmbeddedWeights>,
}

/// The world transforms of one show in an animation.
#[derive(Serialize)]
struct EmbeddedWorlds {
    /// The nodes with world transforms of their own, by place on the stage. Others share those of the first show.
    nodes: Vec<usize>,
    /// By node: the least x, y and z of its positions, the extent of the positions, and the length of its longest axis.
    ranges: usize,
    /// By time and node: the rows of a 3×4 matrix. Axes range from −32767 to 32767 of the longest, positions from the
    /// least to the farthest.
    steps: usize,
}

/// Morph weights by time and target.
#[derive(Serialize)]
struct EmbeddedWeights {
    node: usize,
    targets: usize,
    at: usize,
}

/// In motion, differences below this fraction of the longest axis or of the scene are invisible.
const SAME: f64 = 1e-5;

impl EmbeddedAnimation {
    /// `diagonal` is that of the scene. Percentages are relative to it.
    pub(super) fn new(
        diagonal: f64,
        played: &PlayedAnimation,
        stage: &Stage,
        bytes: &mut Bytes,
    ) -> Self {
        let share = diagonal / 100.0;
        let figures = || played.figures.iter();
        let pairs = figures().next().map_or(0, |figures| figures.apart.len());
        let by_pair = (0..pairs)
            .flat_map(|pair| figures().flat_map(move |figures| figures.apart[pair].iter()));
        let by_pair: Vec<_> = by_pair.collect();
        let number = |figure: Option<f64>| figure.unwrap_or(f64::NAN);
        let displacement: Vec<_> = by_pair.iter().map(|apart| number(apart.displacement)).collect();
        let percent = displacement.iter().map(|moved| moved / share);
        let skew = by_pair.iter().map(|apart| number(apart.skew_difference_degrees));
        let keyframes =
            played.is_keyframe.iter().enumerate().filter(|(_, is_keyframe)| **is_keyframe);
        Self {
            index: played.animation,
            seconds: played.seconds.iter().map(|&seconds| rounded(seconds, 9)).collect(),
            keyframes: keyframes.map(|(place, _)| place).collect(),
            worlds: (0..played.worlds.len())
                .map(|show| EmbeddedWorlds::new(played, show, stage, bytes))
                .collect(),
            figured: figures().map(|figures| figures.node).collect(),
            displacement: bytes.push_f32(displacement.iter().copied()),
            percent: bytes.push_f32(percent),
            skew: bytes.push_f32(skew),
            weights: played
                .weights
                .iter()
                .map(|own| EmbeddedWeights {
                    node: own.node,
                    targets: own.weights.first().map_or(0, Vec::len),
                    at: bytes.push_f32(own.weights.iter().flatten().copied()),
                })
                .collect(),
        }
    }
}

impl EmbeddedWorlds {
    fn new(played: &PlayedAnimation, show: usize, stage: &Stage, bytes: &mut Bytes) -> Self {
        let count = played.nodes.len();
        let worlds = |show: usize, place: usize| {
            let own = played.worlds[show].iter().skip(place).step_by(count.max(1));
            own.map(|world| stage.relative(world))
        };
        let is_own = |place: &usize| {
            show == 0
                || worlds(0, *place).zip(worlds(show, *place)).any(|(a, b)| differ(&a, &b, SAME))
        };
        let on_stage =
            (0..count).filter_map(|place| Some((place, stage.place(played.nodes[place])?)));
        let own: Vec<_> = on_stage.filter(|(place, _)| is_own(place)).collect();
        let ranges: Vec<Range> =
            own.iter().map(|&(place, _)| Range::of(worlds(show, place))).collect();
        let frames = played.seconds.len();
        let mut steps = Vec::with_capacity(frames * own.len() * 12);
        for frame in 0..frames {
            for (&(place, _), range) in own.iter().zip(&ranges) {
                let world = stage.relative(&played.worlds[show][frame * count + place]);
                steps.extend(range.steps(&world));
            }
        }
        let numbers = ranges.iter().flat_map(|range| {
            [range.low[0], range.low[1], range.low[2], range.reach, range.longest]
        });
        Self {
            nodes: own.iter().map(|&(_, place)| place).collect(),
            ranges: bytes.push_f32(numbers),
            steps: bytes.push(steps.into_iter().map(i16::to_le_bytes)),
        }
    }
}

/// Whether two world matrices, in sizes of the scene, differ by more than `same`.
pub(super) fn differ(a: &Matrix4<f64>, b: &Matrix4<f64>, same: f64) -> bool {
    let apart = a - b;
    let linear = |matrix: &Matrix4<f64>| matrix.fixed_view::<3, 3>(0, 0).amax();
    linear(&apart) > same * linear(a) || apart.fixed_view::<3, 1>(0, 3).amax() > same
}

/// The range of a node's numbers throughout an animation.
struct Range {
    low: [f64; 3],
    reach: f64,
    longest: f64,
}

impl Range {
    fn of(worlds: impl Iterator<Item = Matrix4<f64>>) -> Self {
        let (mut low, mut high, mut longest) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3], 0.0);
        for world in worlds {
            longest = world.fixed_view::<3, 3>(0, 0).amax().max(longest);
            for i in 0..3 {
                low[i] = world[(i, 3)].min(low[i]);
                high[i] = world[(i, 3)].max(high[i]);
            }
        }
        let reach = (0..3).map(|i| high[i] - low[i]).fold(0.0, f64::max);
        Self { low, reach, longest }
    }

    /// Returns the rows of a 3×4 matrix in steps of this range.
    fn steps(&self, world: &Matrix4<f64>) -> [i16; 12] {
        std::array::from_fn(|i| {
            let (row, column) = (i / 4, i % 4);
            let value = world[(row, column)];
            let part = match column {
                3 if self.reach > 0.0 => 2.0 * (value - self.low[row]) / self.reach - 1.0,
                3 => -1.0,
                _ if self.longest > 0.0 => value / self.longest,
                _ => 0.0,
            };
            signed_step_of(part)
        })
    }
}
