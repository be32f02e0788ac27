//! Pictures of a scene's meshes, solid as some engines show them and as a ghost where others differ.

// Pictures of meshes are rasters, made here. mannequiny.glb has 13 832 triangles, each of which would be a polygon of
// an SVG; a PNG of 400 by 300 takes 13 kB of the page. The page relies on these pictures without scripts, without WebGL
// and in print.

use std::collections::HashMap;

use nalgebra::{Matrix4, Point3, Vector3, center};
use xform_compare::{audit::PlayedAnimation, judge::Report};
use xform_scene::drawing::{MeshPart, PartKind, ShownMesh};

use super::{
    bytes::narrow,
    raster::{Facet, Raster},
};

/// The width and height of a picture, in pixels.
pub(super) const SIZE: [usize; 2] = [400, 300];

/// The most vertices that a picture places, counted wherever they are shown. Those of the picture's own node come
/// first.
const MOST: usize = 1_000_000;

/// The directions right, up and towards the eye, in the world: seen from above, from a little to the right of the z
/// axis, y up. They are orthonormal to three digits, which is enough for a picture.
pub(super) const RIGHT: Vector3<f64> = Vector3::new(0.848, 0.0, -0.530);
pub(super) const UP: Vector3<f64> = Vector3::new(-0.212, 0.917, -0.339);
pub(super) const TOWARDS: Vector3<f64> = Vector3::new(0.486, 0.400, 0.777);

/// The colour of a ghost, and its opacity.
const GHOST: [f32; 3] = [0.95, 0.42, 0.05];
const OPACITY: f32 = 0.6;

/// The moment at which a scene is drawn: at rest, or at a time of an animation.
pub(super) struct Moment<'a> {
    report: &'a Report,
    played: Option<(&'a PlayedAnimation, usize)>,
    /// The place of each node among those that the animation moves.
    places: HashMap<usize, usize>,
}

impl<'a> Moment<'a> {
    /// Returns the rest pose, or a time of an animation of the audit. `None` if that animation is not played at that
    /// time.
    pub(super) fn of(report: &'a Report, motion: Option<(usize, f64)>) -> Option<Self> {
        let Some((animation, seconds)) = motion else {
            return Some(Self { report, played: None, places: HashMap::new() });
        };
        let played =
            report.playback.animations.iter().find(|played| played.animation == animation)?;
        let frame = played.seconds.iter().position(|&time| time == seconds)?;
        let places = played.nodes.iter().enumerate().map(|(place, &node)| (node, place));
        Some(Self { report, played: Some((played, frame)), places: places.collect() })
    }

    /// Returns the world matrix of a node in a show.
    pub(super) fn world(&self, show: usize, node: usize) -> Matrix4<f64> {
        match (self.played, self.places.get(&node)) {
            (Some((played, frame)), Some(place)) => {
                played.worlds[show][frame * played.nodes.len() + place]
            }
            _ => self.report.world_at_rest(show, node),
        }
    }

    fn weights<'b>(&'b self, shown: &'b ShownMesh) -> &'b [f64] {
        let own = self.played.and_then(|(played, frame)| {
            let own = played.weights.iter().find(|own| own.node == shown.node)?;
            own.weights.get(frame)
        });
        own.map_or(&shown.weights, |weights| weights)
    }
}

/// The meshes of a scene at one moment in two shows, from one point of view.
pub(super) struct Portrait<'a> {
    placed: Vec<Placed<'a>>,
    /// The centre of the view, and half of its extent.
    middle: Point3<f64>,
    reach: f64,
    /// Distances below this get no ghost.
    least: f64,
    /// The width and height of a picture, in pixels.
    size: [usize; 2],
}

impl<'a> Portrait<'a> {
    /// Frames a node where it differs most, or everything. `None` without a mesh, or if the node neither shows a mesh
    /// nor is a joint of one.
    pub(super) fn of(
        report: &'a Report,
        moment: &Moment<'_>,
        shows: [usize; 2],
        node: Option<usize>,
    ) -> Option<Self> {
        let drawing = &report.drawing;
        let is_of = |shown: &&ShownMesh| {
            let mut joints = shown.joints.iter().flat_map(|joints| joints.iter());
            node.is_some_and(|node| shown.node == node || joints.any(|joint| joint.node == node))
        };
        let (own, others): (Vec<_>, Vec<_>) = drawing.shown.iter().partition(is_of);
        let mut left = MOST;
        let has_room = |shown: &&ShownMesh| {
            let parts = drawing.meshes.get(shown.mesh).into_iter().flatten().flatten();
            let needed: usize = parts.map(|part| part.positions.len()).sum();
            let has_room = needed <= left;
            left -= if has_room { needed } else { 0 };
            has_room
        };
        let shown = own.into_iter().chain(others).filter(has_room);
        let placed: Vec<_> = shown.flat_map(|shown| placed(report, moment, shows, shown)).collect();
        let all = placed.iter().flat_map(|placed| placed.vertices.iter().flatten());
        let (middle, reach) = around(all)?;
        let (middle, reach) = match node {
            Some(node) => {
                let (worst, size) = worst(&placed, node)?;
                if size < reach { (worst, size) } else { (middle, reach) }
            }
            None => (middle, reach),
        };
        Some(Self { least: 1e-5 * reach, placed, middle, reach, size: SIZE })
    }

    /// Returns the portrait in another size, in pixels.
    pub(super) fn with_size(self, size: [usize; 2]) -> Self {
        Self { size, ..self }
    }

    /// Draws one of the two shows solid, and the other as a ghost where it differs.
    pub(super) fn picture(&self, show: usize) -> String {
        let [width, height] = self.size;
        let raster = Raster::new(width, height, &self.facets(show, false));
        raster.with_ghost(&self.facets(1 - show, true), OPACITY).to_data_uri()
    }

    fn facets(&self, show: usize, is_ghost: bool) -> Vec<Facet> {
        let mut facets = Vec::new();
        for Placed { part, vertices, .. } in &self.placed {
            let colour = if is_ghost { GHOST } else { colour(part) };
            let apart = |corner: &u32| {
                let [a, b] = vertices[*corner as usize];
                (a - b).norm() > self.least
            };
            let corners = part.indices.chunks_exact(3);
            let corners = corners.filter(|corners| !is_ghost || corners.iter().any(apart));
            facets.extend(corners.map(|corners| {
                let at: [Point3<f64>; 3] =
                    std::array::from_fn(|i| vertices[corners[i] as usize][show]);
                let normal = (at[1] - at[0]).cross(&(at[2] - at[0]));
                let facing = normal.dot(&TOWARDS) / normal.norm().max(f64::MIN_POSITIVE);
                let lit = narrow(0.42 + 0.58 * facing.abs());
                Facet { corners: at.map(|at| self.flat(&at)), colour: colour.map(|c| c * lit) }
            }));
        }
        facets
    }

    fn flat(&self, at: &Point3<f64>) -> Point3<f64> {
        let [width, height] = self.size.map(|size| size as f64);
        let scale = 0.47 * height.min(width) / self.reach;
        let from = at - self.middle;
        Point3::new(
            width / 2.0 + scale * RIGHT.dot(&from),
            height / 2.0 - scale * UP.dot(&from),
            scale * TOWARDS.dot(&from),
        )
    }
}

/// A mesh part in the world.
struct Placed<'a> {
    part: &'a MeshPart,
    shown: &'a ShownMesh,
    /// The positions in the two shows.
    vertices: Vec<[Point3<f64>; 2]>,
}

/// Returns the triangles that a node shows.
fn placed<'a>(
    report: &'a Report,
    moment: &Moment<'_>,
    shows: [usize; 2],
    shown: &'a ShownMesh,
) -> Vec<Placed<'a>> {
    let Some(Ok(parts)) = report.drawing.meshes.get(shown.mesh) else { return Vec::new() };
    let weights = moment.weights(shown);
    let own = shows.map(|show| moment.world(show, shown.node));
    let joints: Vec<_> = shown.joints.iter().flat_map(|joints| joints.iter()).collect();
    let joints: Vec<_> = joints
        .iter()
        .map(|joint| shows.map(|show| moment.world(show, joint.node) * joint.inverse_bind))
        .collect();
    let triangles = parts.iter().filter(|part| part.kind == PartKind::Triangles);
    let place = |part: &'a MeshPart| {
        let vertices = (0..part.positions.len()).map(|vertex| {
            let at = morphed(part, weights, vertex);
            [0, 1].map(|show| match part.follows.get(vertex).filter(|_| !joints.is_empty()) {
                Some(follows) => followed(follows, &at, |joint| &joints[joint][show]),
                None => own[show].transform_point(&at),
            })
        });
        Placed { part, shown, vertices: vertices.collect() }
    };
    triangles.map(place).collect()
}

fn morphed(part: &MeshPart, weights: &[f64], vertex: usize) -> Point3<f64> {
    let at = Point3::from(part.positions[vertex].map(f64::from));
    part.targets.iter().zip(weights).fold(at, |at, (target, &weight)| match target.get(vertex) {
        Some(moved) => at + Vector3::from(moved.map(f64::from)) * weight,
        None => at,
    })
}

fn followed<'a>(
    follows: &[(u32, f32)],
    at: &Point3<f64>,
    joint: impl Fn(usize) -> &'a Matrix4<f64>,
) -> Point3<f64> {
    let moved = follows.iter().map(|&(place, weight)| {
        joint(place as usize).transform_point(at).coords * f64::from(weight)
    });
    Point3::from(moved.sum::<Vector3<f64>>())
}

/// Returns the centre of the box around points and half of its diagonal. `None` without points.
fn around<'a>(points: impl Iterator<Item = &'a Point3<f64>>) -> Option<(Point3<f64>, f64)> {
    let finite = points.filter(|at| at.iter().all(|component| component.is_finite()));
    let (low, high) = finite.map(|at| (*at, *at)).reduce(|a, b| (a.0.inf(&b.0), a.1.sup(&b.1)))?;
    let reach = (high - low).norm() / 2.0;
    Some((center(&low, &high), if reach > 0.0 { reach } else { 1.0 }))
}

/// The least weight at which a vertex stands for a joint.
const FOLLOWS: f32 = 0.3;

impl Placed<'_> {
    /// Returns the vertices that stand for a node: those of its mesh, or those that follow it as a joint.
    fn of_node(&self, node: usize) -> impl Iterator<Item = &[Point3<f64>; 2]> {
        let joints = self.shown.joints.iter().flat_map(|joints| joints.iter());
        let joint =
            joints.enumerate().find(|(_, joint)| joint.node == node).map(|(place, _)| place);
        let is_own = self.shown.node == node;
        let vertices = self.vertices.iter().enumerate();
        let vertices = vertices.filter(move |(vertex, _)| {
            let follows = self.part.follows.get(*vertex).into_iter().flatten();
            let follows_it =
                |&(place, weight): &(u32, f32)| Some(place as usize) == joint && weight >= FOLLOWS;
            is_own || joint.is_some() && follows.clone().any(follows_it)
        });
        vertices.map(|(_, both)| both)
    }
}

/// Returns the region where a node differs by at least half of its maximum, with enough around it to recognise its
/// surroundings. `None` if it has no vertices.
fn worst(placed: &[Placed<'_>], node: usize) -> Option<(Point3<f64>, f64)> {
    let vertices = || placed.iter().flat_map(|placed| placed.of_node(node));
    let most = vertices().map(|[a, b]| (a - b).norm()).fold(0.0, f64::max);
    let far = vertices().filter(|[a, b]| (a - b).norm() >= most / 2.0);
    let ((of_node, whole), (middle, reach)) =
        (around(vertices().flatten())?, around(far.flatten())?);
    let reach = (3.0 * reach).max(0.5 * whole);
    // Close enough to the centre of the node that the node fills the picture.
    let away = middle - of_node;
    let room = (whole - reach).max(0.0) / away.norm().max(f64::MIN_POSITIVE);
    Some((of_node + away * room.min(1.0), reach))
}

/// Returns the base colour for a screen.
fn colour(part: &MeshPart) -> [f32; 3] {
    let [r, g, b, _] = part.colour;
    [r, g, b].map(|linear| narrow(libm::pow(linear.into(), 1.0 / 2.2)))
}
