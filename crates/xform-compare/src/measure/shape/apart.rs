//! The distances of things from one another, and from what the other scene draws.

use nalgebra::{Matrix4, Point3};

use super::{
    super::surface::Surface, AtRest, NodePair, Pair, Placed, Shapes, Side, things::farthest,
};
use crate::audit::{Compared, DefaultSceneChange};

/// The surfaces of what each scene draws, by side.
pub(super) struct Surfaces([OfSide; 2]);

/// What the default scene of a file draws, and the rest. A program shows the default scene first, so what is in the one
/// is not compared with what is in the other. Scenes other than the default one are not told apart.
struct OfSide {
    default_scene: Surface,
    elsewhere: Surface,
}

impl Shapes<'_, '_> {
    fn is_in_default_scene(&self, side: usize, thing: usize) -> bool {
        let Side { scene, things, .. } = &self.sides[side];
        scene.nodes[things[thing].node()].is_in_default_scene
    }

    /// Returns whether the nodes of a pair left or entered the default scene.
    pub(super) fn scene_change(&self, pair: NodePair) -> Option<DefaultSceneChange> {
        let is_in =
            [0, 1].map(|side| Some(self.sides[side].scene.nodes[pair[side]?].is_in_default_scene));
        match is_in {
            [Some(true), Some(false)] => Some(DefaultSceneChange::Left),
            [Some(false), Some(true)] => Some(DefaultSceneChange::Entered),
            _ => None,
        }
    }

    /// Returns the things of a pair that are compared with the surface of the other scene, with their sides. What left the
    /// default scene is compared as it was there, and what entered it as it is there.
    pub(super) fn compared_with_surface(
        &self,
        pair: &Pair,
    ) -> impl Iterator<Item = (usize, usize)> {
        let alone = self.scene_change(self.owners(pair)).map(|change| match change {
            DefaultSceneChange::Left => 0,
            DefaultSceneChange::Entered => 1,
        });
        let sides = pair.things.into_iter().enumerate();
        let sides = sides.filter(move |&(side, _)| alone.is_none_or(|alone| alone == side));
        sides.filter_map(|(side, thing)| Some((side, thing?)))
    }

    /// Returns the surface of the other scene that a thing is compared with.
    pub(super) fn across<'s>(
        &self,
        Surfaces(surfaces): &'s Surfaces,
        side: usize,
        thing: usize,
    ) -> &'s Surface {
        let OfSide { default_scene, elsewhere } = &surfaces[1 - side];
        if self.is_in_default_scene(side, thing) { default_scene } else { elsewhere }
    }

    /// Returns the distance of a point from a surface. If there is none, that is the diagonal.
    pub(super) fn distance_from(&self, surface: &Surface, point: &Point3<f64>) -> f64 {
        surface.nearest(point).map_or(self.diagonal, |nearest| nearest.distance)
    }

    /// Returns the distance of the interior of triangles from what the other scene draws. Vertices alone
    /// would not reveal a missing triangle.
    pub(super) fn insides_apart(&self, pair: &Pair, surfaces: &Surfaces) -> f64 {
        let each = self.compared_with_surface(pair).filter_map(|(side, thing)| {
            let across = self.across(surfaces, side, thing);
            let (thing, AtRest { placed, .. }) = self.thing(side, thing);
            across.farthest(&inner_points(&thing.corners(), placed, self.diagonal))
        });
        each.fold(0.0, f64::max)
    }

    pub(super) fn apart(
        &self,
        pair: &Pair,
        placed: &Placed<'_>,
        surfaces: Option<&Surfaces>,
    ) -> f64 {
        match (pair.things, surfaces) {
            ([Some(old), Some(new)], _) if pair.compared == Compared::Vertices => {
                farthest(placed[0][old], placed[1][new])
            }
            (_, Some(surfaces)) => {
                let each = self.compared_with_surface(pair).map(|(side, thing)| {
                    let across = self.across(surfaces, side, thing);
                    across.farthest(placed[side][thing]).unwrap_or(self.diagonal)
                });
                each.fold(0.0, f64::max)
            }
            (_, None) => 0.0,
        }
    }

    /// Returns the surfaces of what each scene draws, as placed.
    pub(super) fn surfaces(
        &self,
        placed: &Placed<'_>,
        worlds: &[impl AsRef<[Matrix4<f64>]>; 2],
    ) -> Surfaces {
        let surface = |side: usize, is_in_default_scene: bool| {
            let worlds = worlds[side].as_ref();
            let things = self.sides[side].things.iter().zip(&placed[side]).enumerate();
            let own =
                things.filter(|&(at, _)| self.is_in_default_scene(side, at) == is_in_default_scene);
            Surface::of(own.flat_map(|(_, (thing, &points))| {
                let seen = thing.side(worlds);
                let corners = thing.corners().into_iter();
                corners.map(move |corners| (corners.map(|corner| points[corner]), seen))
            }))
        };
        Surfaces([0, 1].map(|side| OfSide {
            default_scene: surface(side, true),
            elsewhere: surface(side, false),
        }))
    }
}

/// The spacing of points within a triangle, as a fraction of the diagonal, and the most points of a thing.
/// With more triangles the spacing is larger.
const BETWEEN_POINTS: f64 = 0.02;
const MOST_POINTS: usize = 1_000_000;

/// The limits to try for the number of parts of a triangle's sides. The first is the number of parts of a
/// side as long as the diagonal.
const MOST_PARTS: [usize; 7] = [50, 32, 16, 8, 4, 2, 1];

/// Returns points within triangles: the centres of the smaller triangles into which each is divided. Larger
/// triangles get more.
fn inner_points(
    triangles: &[[usize; 3]],
    placed: &[Point3<f64>],
    diagonal: f64,
) -> Vec<Point3<f64>> {
    let longest = |corners: &[usize; 3]| {
        let [a, b, c] = corners.map(|corner| placed[corner]);
        (b - a).norm().max((c - b).norm()).max((a - c).norm())
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is cut to what there may be"
    )]
    let wanted = |corners| (longest(corners) / (BETWEEN_POINTS * diagonal)).ceil() as usize;
    let wanted: Vec<_> = triangles.iter().map(wanted).collect();
    let count =
        |most: usize| wanted.iter().map(|parts| (*parts).clamp(1, most).pow(2)).sum::<usize>();
    let most = MOST_PARTS.into_iter().find(|&most| count(most) <= MOST_POINTS).unwrap_or(1);
    let mut points = Vec::new();
    for (corners, wanted) in triangles.iter().zip(wanted) {
        let parts = wanted.clamp(1, most);
        let [a, b, c] = corners.map(|corner| placed[corner]);
        let [along, across] = [b - a, c - a].map(|side| side / (3 * parts) as f64);
        for row in 0..parts {
            for column in 0..parts - row {
                let at = |thirds: usize| {
                    a + along * (3 * column + thirds) as f64 + across * (3 * row + thirds) as f64
                };
                points.push(at(1));
                // The inverted triangle beside it.
                points.extend((row + column + 1 < parts).then(|| at(2)));
            }
        }
    }
    points
}
