//! Compares answers with the prediction of a rule, in every plausible choice of axes and unit.

// Axes are found by trial. All 48 choices, converted at every node or once above all nodes, are tried with the units
// that the sizes of roots and of most nodes suggest, for each rule. If no choice fits wholly, roots count first: the
// best choices are those in which most roots are right, as a whole, by position or by linear part. Of these the winner
// is the one in which most steps from a parent to its child are right or explained by one mistake
// (`verify/candidate.rs`).
//
// Counting right nodes alone failed: an importer that forgets the unit below its roots had every root wrong, and one
// that transposes all rotations was found in axes turned by half a turn. A thousand wrong importers in the tests hold
// this.

use nalgebra::{Matrix3, Matrix4, Point3};

use crate::{
    answers::Axes,
    asked::Asked,
    convention::{Convention, Unit},
    distance::{FEW, MANY, NEAR, VERTICES, linear_apart, off, vertices_off},
    prediction::Prediction,
};

/// The distances between answers and a prediction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Residuals {
    /// By answered node. `None` if the rule predicts nothing.
    pub(crate) worlds: Vec<Option<f64>>,
    /// By mesh.
    pub(crate) vertices: Vec<Option<f64>>,
    pub(crate) wrong: usize,
}

/// All answers of a run in one sequence, with what is needed to judge them.
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
        let nodes = || {
            scenes.iter().flat_map(|asked| {
                let answered = asked.moments.iter().flat_map(|moment| &moment.worlds);
                answered.map(|(node, _)| &asked.found.scene.scene.nodes[*node])
            })
        };
        Self {
            are_roots: nodes().map(|node| node.parent.is_none()).collect(),
            are_fixtures: nodes().map(|node| node.fixture.is_some()).collect(),
            worlds: moments().flat_map(|moment| moment.worlds.iter().map(|(_, at)| at)).collect(),
            vertices: moments()
                .flat_map(|moment| moment.vertices.iter().map(|(_, at)| at.as_slice()))
                .collect(),
            named,
            bound,
        }
    }

    /// Returns the axes and unit in which every answer matches the prediction, and the number of other choices that
    /// match as well. Stated axes come first, then those of glTF.
    pub(crate) fn right(&self, said: &Prediction) -> Option<(Convention, usize)> {
        let mut right = self.choices(said).filter(|axes| self.is_followed(said, axes));
        right.next().map(|first| (first, right.count()))
    }

    /// Returns plausible axes and units if no choice matches wholly, the likeliest first.
    ///
    /// The first choice is that in which most roots are right, and of several the one in which most answers are. Then
    /// come the best choices by position alone and by linear part alone, because an importer usually gets one of the
    /// two wrong.
    ///
    /// Roots come first because everything below a root is measured from there. A unit that an importer forgets below
    /// the roots is not the unit of its answers, although most nodes are in it.
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
        // Rounding to few digits is no evidence against a choice of axes.
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
        // A position cannot tell the two apart.
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
            // Independent of their number and order.
            let size = |points: &[Point3<f64>]| {
                let squares: f64 = points.iter().map(|at| at.coords.norm_squared()).sum();
                (squares / points.len() as f64).sqrt()
            };
            positions.push((false, size(answered) / size(&said.points)));
        }
        Unit::likely(self.named, &positions, &of_worlds(&size))
    }

    /// Whether every answer matches the prediction in these axes.
    fn is_followed(&self, said: &Prediction, axes: &Convention) -> bool {
        let worlds = (0..self.worlds.len()).all(|place| {
            said.worlds[place].as_ref().is_none_or(|world| {
                // The position alone excludes most wrong axes.
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

    /// Returns how many roots are wrong and how many answers in all, or `None` if that exceeds `least`.
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

    /// Returns the distance of a world transform, or `None` without a prediction. For cameras and lights only the
    /// position counts.
    fn world_off(&self, place: usize, said: &Prediction, axes: &Convention) -> Option<f64> {
        let (said, mut answered) = (said.worlds[place]?, axes.undone(self.worlds[place]));
        if self.are_fixtures[place] {
            answered.fixed_view_mut::<3, 3>(0, 0).copy_from(&said.fixed_view::<3, 3>(0, 0));
        }
        Some(off(&said, &answered))
    }

    /// Returns the distance of a world transform, including the axes of cameras and lights. These may be turned by
    /// quarter turns or mirrored, as importers do if the engine has them look along another axis, and may lack scale
    /// and skew.
    fn exact_off(&self, place: usize, said: &Prediction, axes: &Convention) -> Option<f64> {
        let position = self.world_off(place, said, axes)?;
        if !self.are_fixtures[place] {
            return Some(position);
        }
        let (said, answered) = (said.worlds[place]?, axes.undone(self.worlds[place]));
        let unturned = off(&said, &answered);
        // Turns are tried only if the position is right and the axes are not.
        if !self.is_right(position) || self.is_right(unturned) {
            return Some(unturned);
        }
        let linear: Matrix3<f64> = said.fixed_view::<3, 3>(0, 0).into();
        // Axes made perpendicular, starting from any of them, or made of length 1.
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
        self.counted(worlds, vertices)
    }

    /// Bundles residuals and counts the wrong ones.
    pub(crate) fn counted(
        &self,
        worlds: Vec<Option<f64>>,
        vertices: Vec<Option<f64>>,
    ) -> Residuals {
        let wrong = worlds.iter().flatten().filter(|off| !self.is_right(**off)).count()
            + vertices.iter().flatten().filter(|off| !self.are_right(**off)).count();
        Residuals { worlds, vertices, wrong }
    }

    pub(crate) fn bound(&self) -> f64 {
        self.bound
    }

    /// Whether a residual of a world transform is rounding.
    pub(crate) fn is_right(&self, off: f64) -> bool {
        off <= self.bound
    }

    /// Whether a residual of vertices is rounding.
    pub(crate) fn are_right(&self, off: f64) -> bool {
        off <= self.bound * VERTICES
    }
}

/// Returns the quarter turns about the axes, without and with a mirror: what may remain of a change of handedness.
fn quarters() -> impl Iterator<Item = Matrix3<f64>> {
    Convention::each().filter(|axes| !axes.of_every_node).map(|axes| axes.change())
}
