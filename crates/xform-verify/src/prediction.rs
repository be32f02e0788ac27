//! The prediction of a rule for all answers.

use nalgebra::Matrix4;

use crate::{
    asked::Asked,
    distance::{FEW, ROUNDING, VERTICES, off, points_off},
    rule::{Rule, Vertices},
};

/// The values that a rule predicts for all answers, in the same order.
#[derive(Clone, PartialEq)]
pub(crate) struct Prediction {
    pub(crate) worlds: Vec<Option<Matrix4<f64>>>,
    pub(crate) vertices: Vec<Option<Vertices>>,
}

/// Predictions that differ by less are the same.
const SAME: f64 = 1e-9;

impl Prediction {
    /// Returns the predicted world transform, by its index among all answers.
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

    /// Whether every answer has a prediction.
    pub(crate) fn is_of_all(&self) -> bool {
        self.known().next().is_some() && self.known().all(|is_known| is_known)
    }

    /// Whether two rules predict the same for every answer.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.apart(other).all(|apart| apart.is_none_or(|off| off <= SAME))
            && self.known().eq(other.known())
    }

    /// Whether there is an answer for which two rules predict different values.
    pub(crate) fn is_told_from(&self, other: &Self) -> bool {
        self.apart(other).any(|apart| apart.is_some_and(|off| off > 100.0 * ROUNDING))
    }

    /// Returns the distance of two rules for each answer, relative to its bound. `None` if one of them predicts
    /// nothing.
    fn apart(&self, other: &Self) -> impl Iterator<Item = Option<f64>> {
        let worlds = self.worlds.iter().zip(&other.worlds);
        let vertices = self.vertices.iter().zip(&other.vertices);
        worlds.map(|(own, other)| Some(off(own.as_ref()?, other.as_ref()?))).chain(vertices.map(
            |(own, other)| Some(points_off(own.as_ref()?, &other.as_ref()?.points, FEW) / VERTICES),
        ))
    }

    /// Returns for each answer whether there is a prediction.
    fn known(&self) -> impl Iterator<Item = bool> {
        self.worlds.iter().map(Option::is_some).chain(self.vertices.iter().map(Option::is_some))
    }
}
