use nalgebra::{Matrix3, Matrix4};
use xform_core::linear::axis_lengths;
use xform_matrix::AccumulatedMatrix;
use xform_scene::Scene;

use super::{Show, Strategy};
use crate::{
    audit::{Apart, Grade, NodeAudit, Role, percent_of_scene},
    measure::{
        metrics::{
            AXIS_ROUNDING, displacement, linear_difference, percent, size as size_of,
            skew_pairs_degrees, turned_degrees, worst_skew_degrees,
        },
        worlds::Worlds,
    },
};

/// The show of the reference, and the show that is compared with it.
#[derive(Clone, Copy)]
pub(in crate::measure) struct ShowPair<'a> {
    pub(in crate::measure) reference: &'a Show,
    pub(in crate::measure) other: &'a Show,
}

/// The differences of a node between two shows.
#[derive(Clone, Copy, Debug)]
pub(in crate::measure) struct Figures {
    /// The farthest that anything of it moves; `None` if it draws nothing.
    pub(in crate::measure) displacement: Option<f64>,
    pub(in crate::measure) displacement_percent: Option<f64>,
    pub(in crate::measure) displacement_percent_of_itself: Option<f64>,
    pub(in crate::measure) linear_difference: Option<f64>,
    /// The largest difference in skew, in degrees; `None` if it is undefined, or if the node's axes are not
    /// visible.
    pub(in crate::measure) skew_difference_degrees: Option<f64>,
    /// The angle by which it points elsewhere, if it is a camera or a light, in degrees.
    pub(in crate::measure) turned_degrees: Option<f64>,
    role: Role,
}

/// The largest difference that is the same within the error of `f64` on a path: of axes as a fraction of the
/// longest, of origins as a fraction of the scene.
const SAME: f64 = 1e-12;

/// Whether two world matrices differ only by rounding, in a scene of this size.
fn is_same([a, b]: &[Matrix4<f64>; 2], diagonal: f64) -> bool {
    let apart = a - b;
    let linear = |matrix: &Matrix4<f64>| matrix.fixed_view::<3, 3>(0, 0).amax();
    linear(&apart) <= SAME * linear(a) && apart.fixed_view::<3, 1>(0, 3).amax() <= SAME * diagonal
}

impl Figures {
    /// Returns how visible the difference is, if anything is drawn there.
    pub(in crate::measure) fn grade(&self) -> Grade {
        let of_scene = self.displacement;
        let of_scene =
            of_scene.and_then(|moved| percent_of_scene(moved, self.displacement_percent));
        self.role.grade(Apart {
            percent_of_scene: of_scene,
            percent_of_itself: self.displacement_percent_of_itself,
            skew_degrees: self.skew_difference_degrees,
            linear_difference: self.linear_difference.unwrap_or(f64::INFINITY),
            turned_degrees: self.turned_degrees,
        })
    }

    /// Whether a node looks worse with these figures than with others.
    pub(in crate::measure) fn is_worse(&self, other: &Self) -> bool {
        let badness = |figures: &Self| {
            let Self { turned_degrees, displacement, linear_difference, .. } = figures;
            let all = [turned_degrees, displacement, linear_difference];
            (figures.grade(), all.map(|one| one.unwrap_or(0.0)))
        };
        is_worse(badness(self), badness(other))
    }

    /// Stores these figures in a node.
    pub(in crate::measure) fn set(&self, node: &mut NodeAudit) {
        node.linear_difference = self.linear_difference;
        node.skew_difference_degrees = self.skew_difference_degrees;
        node.turned_degrees = self.turned_degrees;
        node.displacement = self.displacement;
        node.displacement_percent = self.displacement_percent;
        node.displacement_percent_of_itself = self.displacement_percent_of_itself;
    }
}

impl ShowPair<'_> {
    /// Whether the shows are accumulated matrices and combined TRS, which allow shortcuts.
    pub(in crate::measure) fn are_strategies(&self) -> bool {
        let strategies = [self.reference, self.other].map(|show| show.strategy);
        strategies == [Some(Strategy::Matrices), Some(Strategy::Trs)]
    }

    /// Returns the world matrices of a node at rest.
    pub(in crate::measure) fn matrices(&self, worlds: &Worlds, node: usize) -> [Matrix4<f64>; 2] {
        [self.reference, self.other].map(|show| show.matrix(worlds, node))
    }

    /// Returns the differences of a node at rest.
    pub(in crate::measure) fn figures(
        &self,
        scene: &Scene,
        worlds: &Worlds,
        diagonal: f64,
        node: usize,
    ) -> Figures {
        let both = self.matrices(worlds, node);
        let [linear, other] = both.map(|world| world.fixed_view::<3, 3>(0, 0).into_owned());
        let bounds = &scene.nodes[node].bounds;
        let (moved, size, skew) = match worlds.skinned(node) {
            Some(mesh) => {
                let joints = mesh.posed(|joint| self.matrices(worlds, joint));
                let moved = mesh.farthest(&joints).map(|farthest| farthest.displacement);
                (moved, mesh.size(&joints), None)
            }
            None => {
                let size = AccumulatedMatrix::from_matrix(both[0]);
                let size = size.map_or(0.0, |world| size_of(&world, bounds));
                let skew = if self.are_strategies() {
                    worst_skew_degrees(&worlds.axes[node])
                } else if is_same(&both, diagonal) {
                    worst_skew_degrees(&linear).map(|_| 0.0)
                } else {
                    Some(skew_difference(&linear, &other))
                };
                (displacement(&both[0], &both[1], bounds), size, skew)
            }
        };
        Figures {
            displacement: moved,
            displacement_percent: moved.and_then(|moved| percent(moved, diagonal)),
            displacement_percent_of_itself: percent(moved.unwrap_or(0.0), size),
            linear_difference: linear_difference(&linear, &other),
            skew_difference_degrees: skew,
            turned_degrees: worlds
                .fixture(scene, node)
                .and_then(|fixture| turned_degrees(&fixture, &linear, &other)),
            role: worlds.roles[node],
        }
    }
}

/// Whether a grade and figures are worse than others by more than rounding may decide.
pub(in crate::measure) fn is_worse<const N: usize>(
    (grade, figures): (Grade, [f64; N]),
    (other_grade, others): (Grade, [f64; N]),
) -> bool {
    const ROUNDING: f64 = 1e-9;
    let mut apart = figures.into_iter().zip(others);
    let first = apart.find(|(a, b)| (a - b).abs() > ROUNDING * a.max(*b));
    grade > other_grade || grade == other_grade && first.is_some_and(|(a, b)| a > b)
}

/// Returns the largest difference between the skews of two linear maps, in degrees. An axis that is only
/// rounding has none.
pub(in crate::measure) fn skew_difference(a: &Matrix3<f64>, b: &Matrix3<f64>) -> f64 {
    let [a, b] = [a, b].map(|linear| {
        let lengths = axis_lengths(linear);
        let mut kept = *linear;
        for (mut axis, &length) in kept.column_iter_mut().zip(&lengths) {
            if length <= AXIS_ROUNDING * lengths.max() {
                axis.fill(0.0);
            }
        }
        skew_pairs_degrees(&kept)
    });
    let apart = a.into_iter().zip(b).filter_map(|(a, b)| Some((a? - b?).abs()));
    apart.fold(0.0, f64::max)
}
