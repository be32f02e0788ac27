//! Answers beside what a rule says, in all axes and units that come into question.

use std::collections::{BTreeSet, HashSet};

use nalgebra::{Matrix3, Matrix4, Point3};

use crate::{
    answers::{Answers, Axes},
    convention::{Convention, Unit},
    rule::{Rule, Vertices},
    scenes::Found,
};

/// What the rounding of `f32` comes to in the scenes of the kit, as [`Verification::bound`](crate::Verification::bound) measures it.
pub const ROUNDING: f64 = 5e-6;

/// What rounding to half floats, or to few decimals, comes to: a thousand times as much as that of `f32`.
pub(crate) const NEAR: f64 = 1000.0 * ROUNDING;

/// How much more may be off of vertices, as bounds are for the entries of worlds: files have their weights, and importers their bind
/// poses, in fewer digits.
pub(crate) const VERTICES: f64 = 20.0;

/// A scene of which something was answered.
pub(crate) struct Asked<'a> {
    pub(crate) name: &'a str,
    pub(crate) found: Found<'a>,
    pub(crate) moments: Vec<AskedMoment>,
    /// Answers about nodes that the scene does not have, where one beside them has no answer.
    pub(crate) strangers: Vec<String>,
    /// How many answers at rest are about skinned nodes, which importers put elsewhere.
    pub(crate) skinned: usize,
    /// How many nodes have no answer at rest.
    pub(crate) silent: usize,
}

/// What was answered at a time, by node from the roots down.
pub(crate) struct AskedMoment {
    pub(crate) seconds: Option<f64>,
    pub(crate) worlds: Vec<(usize, Matrix4<f64>)>,
    /// Which of these are cameras and lights.
    pub(crate) are_fixtures: Vec<bool>,
    pub(crate) vertices: Vec<(usize, Vec<Point3<f64>>)>,
}

impl<'a> Asked<'a> {
    pub(crate) fn new(answers: &'a Answers, name: &'a str, found: Found<'a>) -> Self {
        let scene = found.scene;
        let mut places = vec![0; scene.order.len()];
        for (place, &node) in scene.order.iter().enumerate() {
            places[node] = place;
        }
        let (mut strangers, mut misplaced, mut skinned) = (BTreeSet::new(), BTreeSet::new(), 0);
        let moments = answers.scenes[name].iter().map(|moment| {
            let mut node = |path: &String| {
                let found = scene.node(path);
                if found.is_none() && !scene.is_ambiguous(path) {
                    strangers.insert(path.clone());
                }
                found
            };
            let mut worlds = Vec::new();
            for (path, answer) in &moment.nodes {
                if let (Some(node), Some(world)) = (node(path), &answer.world) {
                    let entries = world.map(|entry| entry.unwrap_or(f64::NAN));
                    worlds.push((node, Matrix4::from_column_slice(&entries)));
                }
            }
            // Importers put what is skinned elsewhere.
            let all = worlds.len();
            worlds.retain(|(node, _)| scene.scene.nodes[*node].skin.is_none());
            if moment.seconds.is_none() {
                skinned += all - worlds.len();
            }
            worlds.sort_by_key(|(node, _)| places[*node]);
            let mut vertices = Vec::new();
            for (path, answer) in &moment.vertices {
                // What nobody can tell where it belongs is not left out in silence.
                let found = scene.node(path).or_else(|| scene.skinned_elsewhere(path));
                if found.is_none() {
                    misplaced.insert(path.clone());
                }
                if let Some(node) = found {
                    let point = |at: &[Option<f64>; 3]| at.map(|part| part.unwrap_or(f64::NAN));
                    let points = answer.iter().map(|at| Point3::from(point(at))).collect();
                    vertices.push((node, points));
                }
            }
            let is_fixture = |(node, _): &(usize, _)| scene.scene.nodes[*node].fixture.is_some();
            let are_fixtures = worlds.iter().map(is_fixture).collect();
            AskedMoment { seconds: moment.seconds, worlds, are_fixtures, vertices }
        });
        let moments: Vec<_> = moments.collect();
        let at_rest = moments.iter().find(|moment| moment.seconds.is_none());
        let worlds = at_rest.map_or(&[][..], |moment| &moment.worlds);
        let answered: HashSet<usize> = worlds.iter().map(|(node, _)| *node).collect();
        let silent: Vec<usize> = scene.asked().filter(|node| !answered.contains(node)).collect();
        let silent_below: HashSet<Option<usize>> =
            silent.iter().map(|&node| scene.scene.nodes[node].parent).collect();
        // What importers add of their own stands beside nodes that are all answered.
        strangers.retain(|path| {
            let above = path.rsplit_once('/').map(|(above, _)| scene.node(above));
            let is_beside = match above {
                None => silent_below.contains(&None),
                Some(None) => !silent.is_empty(),
                Some(parent) => silent_below.contains(&parent),
            };
            is_beside && scene.skinned_elsewhere(path).is_none()
        });
        strangers.extend(misplaced);
        let (strangers, silent) = (strangers.into_iter().collect(), silent.len());
        Self { name, found, moments, strangers, skinned, silent }
    }

    /// The same with an answer of every node at rest, whatever it says.
    pub(crate) fn of_all_nodes(name: &'a str, found: Found<'a>) -> Self {
        let worlds: Vec<_> = found.scene.asked().map(|node| (node, Matrix4::identity())).collect();
        let are_fixtures = vec![false; worlds.len()];
        let moment = AskedMoment { seconds: None, worlds, are_fixtures, vertices: Vec::new() };
        Self { name, found, moments: vec![moment], strangers: Vec::new(), skinned: 0, silent: 0 }
    }
}

/// What a rule says of everything that was answered, in the same order.
#[derive(Clone, PartialEq)]
pub(crate) struct Prediction {
    worlds: Vec<Option<Matrix4<f64>>>,
    vertices: Vec<Option<Vertices>>,
}

/// What differs by less is the same.
const SAME: f64 = 1e-9;

impl Prediction {
    /// What is said of a world, by its place among all answers.
    pub(crate) fn world(&self, place: usize) -> Option<Matrix4<f64>> {
        self.worlds[place]
    }

    pub(crate) fn new(rule: &Rule, scenes: &[Asked<'_>]) -> Self {
        let (mut worlds, mut vertices) = (Vec::new(), Vec::new());
        for asked in scenes {
            for moment in &asked.moments {
                if moment.worlds.is_empty() && moment.vertices.is_empty() {
                    continue;
                }
                let said = rule.said(&asked.found, moment.seconds);
                worlds.extend(moment.worlds.iter().map(|(node, _)| said.world(*node)));
                let scene = asked.found.scene;
                let shown = moment.vertices.iter();
                vertices.extend(
                    shown.map(|(node, _)| rule.vertices(&said, scene, *node, moment.seconds)),
                );
            }
        }
        Self { worlds, vertices }
    }

    /// Whether something is said of everything.
    pub(crate) fn is_of_all(&self) -> bool {
        let worlds = self.worlds.iter().all(Option::is_some);
        worlds
            && self.vertices.iter().all(Option::is_some)
            && !(self.worlds.is_empty() && self.vertices.is_empty())
    }

    /// Whether two rules say the same of everything.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let worlds = self.worlds.iter().zip(&other.worlds).all(|both| match both {
            (Some(own), Some(other)) => off(own, other) <= SAME,
            (own, other) => own.is_none() == other.is_none(),
        });
        worlds
            && self.vertices.iter().zip(&other.vertices).all(|both| match both {
                (Some(own), Some(other)) => points_off(own, &other.points, FEW) <= SAME,
                (own, other) => own.is_none() == other.is_none(),
            })
    }

    /// Whether both say something of a thing, and not the same.
    pub(crate) fn is_told_from(&self, other: &Self) -> bool {
        let apart = self.worlds.iter().zip(&other.worlds).any(|both| match both {
            (Some(own), Some(other)) => off(own, other) > 100.0 * ROUNDING,
            _ => false,
        });
        apart
            || self.vertices.iter().zip(&other.vertices).any(|both| match both {
                (Some(own), Some(other)) => {
                    points_off(own, &other.points, FEW) > 100.0 * ROUNDING * VERTICES
                }
                _ => false,
            })
    }
}

/// How far answers are from what a rule says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Residuals {
    /// By node that was answered; none where nothing is known.
    pub(crate) worlds: Vec<Option<f64>>,
    /// By mesh.
    pub(crate) vertices: Vec<Option<f64>>,
    pub(crate) wrong: usize,
}

/// All answers in one row, and what is asked of them.
pub(crate) struct Trial<'a> {
    worlds: Vec<&'a Matrix4<f64>>,
    are_fixtures: Vec<bool>,
    are_roots: Vec<bool>,
    vertices: Vec<&'a [Point3<f64>]>,
    named: Option<Axes>,
    bound: f64,
}

impl<'a> Trial<'a> {
    pub(crate) fn new(scenes: &'a [Asked<'_>], named: Option<Axes>, bound: f64) -> Self {
        let moments = || scenes.iter().flat_map(|asked| &asked.moments);
        let are_roots = scenes.iter().flat_map(|asked| {
            let nodes = asked.moments.iter().flat_map(|moment| &moment.worlds);
            nodes.map(|(node, _)| asked.found.scene.scene.nodes[*node].parent.is_none())
        });
        Self {
            are_roots: are_roots.collect(),
            worlds: moments().flat_map(|moment| moment.worlds.iter().map(|(_, at)| at)).collect(),
            are_fixtures: moments()
                .flat_map(|moment| moment.are_fixtures.iter().copied())
                .collect(),
            vertices: moments()
                .flat_map(|moment| moment.vertices.iter().map(|(_, at)| at.as_slice()))
                .collect(),
            named,
            bound,
        }
    }

    /// The axes and the unit in which everything is what a rule says, and how many other choices do as well. Of several the one that was named
    /// comes first, then the axes of glTF.
    pub(crate) fn right(&self, said: &Prediction) -> Option<(Convention, usize)> {
        let mut right = self.choices(said).filter(|axes| self.is_followed(said, axes));
        right.next().map(|first| (first, right.count()))
    }

    /// The axes and the unit that come into question where nothing is wholly what a rule says, the first of them the likeliest: those in
    /// which most roots are, and of several most of all answers; and the same by positions alone, and without these, since what an importer
    /// gets wrong is mostly one of them.
    ///
    /// Roots come first because whatever is below one is measured from there: a unit that an importer forgets below the roots is not the
    /// unit of its answers, although most are in it.
    pub(crate) fn nearest(&self, said: &Prediction) -> Vec<Convention> {
        let by = |wrong: &dyn Fn(usize, &Matrix4<f64>, &Convention) -> usize| {
            let mut nearest = (Convention::GLTF, (usize::MAX, usize::MAX));
            for axes in self.choices(said) {
                match self.wrong(said, &axes, nearest.1, wrong) {
                    Some(wrong) if wrong < nearest.1 => nearest = (axes, wrong),
                    _ => {}
                }
            }
            nearest.0
        };
        // What is off by rounding to few digits tells nothing of axes.
        let most = self.bound.max(NEAR);
        let is_off = |off: f64| usize::from(off > most || off.is_nan());
        let positions = |place: usize, world: &Matrix4<f64>, axes: &Convention| {
            is_off(self.position_off(place, world, axes))
        };
        let linear = |place: usize, world: &Matrix4<f64>, axes: &Convention| {
            is_off(self.linear_off(place, world, axes))
        };
        let whole = |place: usize, world: &Matrix4<f64>, axes: &Convention| {
            positions(place, world, axes).max(linear(place, world, axes))
        };
        let placed = by(&positions);
        // A position says nothing of that.
        let other = Convention { of_every_node: !placed.of_every_node, ..placed };
        let mut nearest = Vec::new();
        for axes in [by(&whole), placed, other, by(&linear)] {
            if !nearest.contains(&axes) {
                nearest.push(axes);
            }
        }
        nearest
    }

    fn choices(&self, said: &Prediction) -> impl Iterator<Item = Convention> {
        let named = self.named.map(Convention::from);
        let units = self.units(said);
        let each = Convention::each().flat_map(move |axes| {
            let units = units.clone().into_iter();
            units.map(move |unit| axes.in_unit(unit)).collect::<Vec<_>>()
        });
        named.into_iter().chain(each.filter(move |axes| Some(*axes) != named))
    }

    fn units(&self, said: &Prediction) -> Vec<Unit> {
        let origin = |world: &Matrix4<f64>| world.fixed_view::<3, 1>(0, 3).norm();
        let size = |world: &Matrix4<f64>| world.fixed_view::<3, 3>(0, 0).norm();
        let of_worlds = |length: &dyn Fn(&Matrix4<f64>) -> f64| -> Vec<(bool, f64)> {
            let both = self.worlds.iter().zip(&said.worlds).zip(&self.are_roots);
            let quotients = both.filter_map(|((answered, said), is_root)| {
                Some((*is_root, length(answered) / length(said.as_ref()?)))
            });
            quotients.collect()
        };
        let mut positions = of_worlds(&origin);
        for (answered, said) in self.vertices.iter().zip(&said.vertices) {
            let Some(said) = said else { continue };
            // Whatever their number and their order.
            let size = |points: &[Point3<f64>]| {
                let squares: f64 = points.iter().map(|at| at.coords.norm_squared()).sum();
                (squares / points.len() as f64).sqrt()
            };
            positions.push((false, size(answered) / size(&said.points)));
        }
        Unit::likely(self.named, &positions, &of_worlds(&size))
    }

    /// Whether everything is what a rule says in these axes.
    fn is_followed(&self, said: &Prediction, axes: &Convention) -> bool {
        let worlds = (0..self.worlds.len()).all(|place| {
            said.worlds[place].as_ref().is_none_or(|world| {
                // Most wrong axes are told by the position alone.
                self.is_right(self.position_off(place, world, axes))
                    && self.world_off(place, said, axes).is_some_and(|off| self.is_right(off))
            })
        });
        worlds
            && self.vertices.iter().zip(&said.vertices).all(|(answered, said)| {
                let off = said.as_ref().map(|said| vertices_off(said, answered, axes, FEW));
                off.is_none_or(|off| self.are_right(off))
            })
    }

    /// How much is wrong of the roots, and how much of all; `None` where that is more than so much.
    fn wrong(
        &self,
        said: &Prediction,
        axes: &Convention,
        least: (usize, usize),
        wrong: &dyn Fn(usize, &Matrix4<f64>, &Convention) -> usize,
    ) -> Option<(usize, usize)> {
        let (mut roots, mut all) = (0, 0);
        for are_roots in [true, false] {
            let places = (0..self.worlds.len()).filter(|&place| self.are_roots[place] == are_roots);
            for place in places {
                let Some(world) = &said.worlds[place] else { continue };
                let wrong = wrong(place, world, axes);
                (roots, all) = (roots + if are_roots { wrong } else { 0 }, all + wrong);
                if (roots, all) > least {
                    return None;
                }
            }
        }
        for (answered, said) in self.vertices.iter().zip(&said.vertices) {
            let Some(said) = said else { continue };
            let off = vertices_off(said, answered, axes, FEW);
            all += usize::from(off > VERTICES * self.bound.max(NEAR) || off.is_nan());
            if (roots, all) > least {
                return None;
            }
        }
        Some((roots, all))
    }

    fn linear_off(&self, place: usize, said: &Matrix4<f64>, axes: &Convention) -> f64 {
        if self.are_fixtures[place] {
            return 0.0;
        }
        linear_apart(said, &axes.undone(self.worlds[place]))
    }

    fn position_off(&self, place: usize, said: &Matrix4<f64>, axes: &Convention) -> f64 {
        let origin =
            |world: &Matrix4<f64>| Point3::new(world[(0, 3)], world[(1, 3)], world[(2, 3)]);
        let answered = axes.point_undone(&origin(self.worlds[place]));
        (answered - origin(said)).amax() / (1.0 + said.amax())
    }

    /// How far a world is off; `None` where the rule says nothing. Of cameras and lights the position alone counts.
    fn world_off(&self, place: usize, said: &Prediction, axes: &Convention) -> Option<f64> {
        let (said, mut answered) = (said.worlds[place]?, axes.undone(self.worlds[place]));
        if self.are_fixtures[place] {
            answered.fixed_view_mut::<3, 3>(0, 0).copy_from(&said.fixed_view::<3, 3>(0, 0));
        }
        Some(off(&said, &answered))
    }

    /// The same, where cameras and lights may be turned by quarters or mirrored, as importers do where the engine has them look along another axis, and
    /// may be without scale and skew.
    fn exact_off(&self, place: usize, said: &Prediction, axes: &Convention) -> Option<f64> {
        let position = self.world_off(place, said, axes)?;
        if !self.are_fixtures[place] {
            return Some(position);
        }
        let (said, answered) = (said.worlds[place]?, axes.undone(self.worlds[place]));
        let unturned = off(&said, &answered);
        // What is placed wrong, or right as it is, needs no turn.
        if !self.is_right(position) || self.is_right(unturned) {
            return Some(unturned);
        }
        let linear: Matrix3<f64> = said.fixed_view::<3, 3>(0, 0).into();
        // Perpendicular, from whichever axis on, or with axes of length 1.
        let orders = quarters().filter(|order| order.iter().all(|entry| *entry >= 0.0));
        let orders = orders.map(|order| (linear * order).qr().q());
        let mut unit = linear;
        unit.column_iter_mut().for_each(|mut column| column.unscale_mut(column.norm()));
        let turned = [linear, unit].into_iter().chain(orders).flat_map(|linear| {
            quarters().map(move |turn| {
                let mut turned = said;
                turned.fixed_view_mut::<3, 3>(0, 0).copy_from(&(linear * turn));
                turned
            })
        });
        let nearest = turned.map(|turned| off(&turned, &answered));
        Some(nearest.fold(f64::INFINITY, f64::min).max(position))
    }

    pub(crate) fn residuals(&self, said: &Prediction, axes: &Convention) -> Residuals {
        let worlds = (0..self.worlds.len()).map(|place| self.exact_off(place, said, axes));
        let worlds: Vec<_> = worlds.collect();
        let vertices = self.vertices.iter().zip(&said.vertices);
        let vertices: Vec<_> = vertices
            .map(|(answered, said)| Some(vertices_off(said.as_ref()?, answered, axes, MANY)))
            .collect();
        let wrong = worlds.iter().flatten().filter(|off| !self.is_right(**off)).count()
            + vertices.iter().flatten().filter(|off| !self.are_right(**off)).count();
        Residuals { worlds, vertices, wrong }
    }

    pub(crate) fn bound(&self) -> f64 {
        self.bound
    }

    /// Whether a residual of a world is rounding.
    pub(crate) fn is_right(&self, off: f64) -> bool {
        off <= self.bound
    }

    /// Whether one of vertices is.
    pub(crate) fn are_right(&self, off: f64) -> bool {
        off <= self.bound * VERTICES
    }
}

/// How far a world is off: the worst of [`linear_apart`] and [`position_apart`].
pub(crate) fn off(said: &Matrix4<f64>, answered: &Matrix4<f64>) -> f64 {
    worst([linear_apart(said, answered), position_apart(said, answered)].into_iter())
}

/// The worst difference of an entry of the 3×3 part, divided by the largest that is said: a position far away makes no turn right.
fn linear_apart(said: &Matrix4<f64>, answered: &Matrix4<f64>) -> f64 {
    let linear = said.fixed_view::<3, 3>(0, 0);
    let apart = answered.fixed_view::<3, 3>(0, 0) - linear;
    let largest = linear.amax();
    worst(apart.iter().copied()) / if largest > 0.0 { largest } else { 1.0 }
}

/// The worst difference of a coordinate, divided by one more than the largest entry that is said.
fn position_apart(said: &Matrix4<f64>, answered: &Matrix4<f64>) -> f64 {
    let apart = answered.fixed_view::<3, 1>(0, 3) - said.fixed_view::<3, 1>(0, 3);
    worst(apart.iter().copied()) / (1.0 + said.amax())
}

/// The same of vertices, by their distances. An importer that has joined or split vertices has others in number: each has to be where
/// one of the other is then.
fn vertices_off(said: &Vertices, answered: &[Point3<f64>], axes: &Convention, most: usize) -> f64 {
    let answered: Vec<_> = answered.iter().map(|at| axes.point_undone(at)).collect();
    points_off(said, &answered, most)
}

/// How many pairs of vertices are compared where they have no order; of more, evenly picked ones. Few while axes are looked for.
const FEW: usize = 300_000;
const MANY: usize = 30_000_000;

fn points_off(said: &Vertices, answered: &[Point3<f64>], most: usize) -> f64 {
    let Vertices { points: said, are_in_order } = said;
    let size = said.iter().fold(1.0_f64, |size, at| size.max(1.0 + at.coords.amax()));
    if *are_in_order && said.len() == answered.len() {
        return worst(said.iter().zip(answered).map(|(said, answered)| (said - answered).norm()))
            / size;
    }
    let nearest = |from: &[Point3<f64>], to: &[Point3<f64>]| {
        worst(
            from.iter()
                .step_by(1 + from.len() * to.len() / most)
                .map(|from| to.iter().map(|to| (from - to).norm()).fold(f64::INFINITY, f64::min)),
        )
    };
    nearest(said, answered).max(nearest(answered, said)) / size
}

/// The turns by quarters about the axes, and the same with a mirror: what a change of handedness leaves.
fn quarters() -> impl Iterator<Item = Matrix3<f64>> {
    Convention::each().filter(|axes| !axes.of_every_node).map(|axes| axes.change())
}

fn worst(all: impl Iterator<Item = f64>) -> f64 {
    all.fold(0.0, |worst: f64, off| {
        let off = off.abs();
        if off > worst || off.is_nan() { off } else { worst }
    })
}
