use std::collections::HashSet;

use nalgebra::Matrix4;
use thiserror::Error;
use xform_core::Transform;
use xform_engines::Engine;
use xform_scene::{
    BoundsShape, BuiltIn, Drawing, Scene,
    built_in::{NodeColour, Parameter, SettingError, SliderRange},
};

use super::{
    Advice, CauseGroup, MotionAdvice,
    advice::{advise_all, advise_in_motion},
};
use crate::{
    audit::{Background, CompareError, EngineChoice, NodeAudit, Playback, SceneAudit},
    measure::{compare, compare_engines, measure_background, playback, worlds_in},
};

/// The number of causes that get a picture and advice.
const ADVISED: usize = 10;

/// The default number of bytes that meshes may take on a page.
pub(super) const MESH_BUDGET: u64 = 5_000_000;

// The page draws and the library measures: every figure on the page was computed by the library at a sample.
// Scripts get world transforms and figures as data, for sliders as samples of the whole audit at each
// position.

/// The data of a page about a scene.
///
/// `write_html` of `xform-report` writes the page.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The audit of the scene with its current settings.
    pub audit: SceneAudit,
    /// The meshes of the scene. Without them the page draws boxes.
    pub drawing: Drawing,
    /// The number of bytes that meshes may take on the page. Meshes beyond it are shown as boxes, starting
    /// with those that do not differ.
    pub mesh_budget: u64,
    /// The world transforms that engines show, at rest and in motion.
    pub playback: Playback,
    /// The solid that is drawn for each node with a box.
    pub bounds_shape: BoundsShape,
    /// Nodes that are drawn in a colour of their own, or not at all.
    pub colours: &'static [NodeColour],
    /// Advice on each cause of the nodes that differ most, worst first. If any node differs visibly, only on
    /// those that do.
    pub advice: Vec<Advised>,
    /// Advice on the nodes that are [at their worst](SceneAudit::at_worst) in motion, if there is any. Of
    /// nodes with the same cause in an animation, only the first gets advice.
    pub advice_in_motion: Vec<Option<MotionAdvice>>,
    /// General measurements of the two strategies; `None` if nothing differs at rest.
    pub background: Option<Background>,
    /// The parameters that can be changed on the page; empty unless the scene is built in.
    pub sliders: Vec<Slider>,
    /// The scene for each combination of the sliders' values, varying the last slider fastest; empty if there
    /// are no sliders.
    pub frames: Vec<ReportFrame>,
}

/// A scene at one combination of slider positions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReportFrame {
    /// The audit of the scene at that combination.
    pub audit: SceneAudit,
    /// [Advice](Report::advice) on the scene at that combination.
    pub advice: Vec<Advised>,
    /// The world matrices, by [show](Playback::shows) of the report and by node.
    pub worlds: Vec<Vec<Matrix4<f64>>>,
}

/// Nodes with the same cause, and advice on them.
#[derive(Clone, Debug, PartialEq)]
pub struct Advised {
    /// The nodes.
    pub group: CauseGroup,
    /// The repairs for all of them, the best first.
    pub advice: Vec<Advice>,
}

/// A parameter of a built-in scene, and the values at which it was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Slider {
    /// The parameter.
    pub parameter: Parameter,
    /// The values in ascending order. They include the scene's own value.
    pub values: Vec<f64>,
    /// The index of the scene's own value.
    pub position: usize,
}

/// The reason why a report cannot be made.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ReportError {
    /// A setting that the scene does not have, or a value out of its range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A scene that cannot be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
}

impl Report {
    /// Reports on a scene, between the two strategies.
    ///
    /// # Errors
    ///
    /// As for [`compare`].
    pub fn of_scene(scene: &Scene) -> Result<Self, CompareError> {
        Ok(Self::of_audit(scene, compare(scene)?))
    }

    /// Reports on a scene that was already audited.
    ///
    /// # Panics
    ///
    /// If `audit` is not of `scene`.
    #[must_use]
    pub fn of_audit(scene: &Scene, audit: SceneAudit) -> Self {
        Self::made(scene, audit, false)
    }

    fn made(scene: &Scene, audit: SceneAudit, is_slid: bool) -> Self {
        let mut advised_on = HashSet::new();
        let in_motion = audit.at_worst.iter().map(|worst| {
            let cause = worst.node.cause.as_ref()?;
            let is_first = advised_on.insert((worst.animation, cause.scaler, cause.partner));
            is_first.then(|| advise_in_motion(scene, &audit, worst)).flatten()
        });
        Self {
            drawing: scene.drawing.clone(),
            mesh_budget: MESH_BUDGET,
            playback: playback(scene, &audit, is_slid)
                .expect("an audited scene can be placed again"),
            bounds_shape: BoundsShape::Box,
            colours: &[],
            advice: advised(scene, &audit),
            advice_in_motion: in_motion.collect(),
            background: (!audit.apart_at_rest().is_empty()).then(measure_background),
            sliders: Vec::new(),
            frames: Vec::new(),
            audit,
        }
    }

    /// Returns the world matrix of a node at rest, in a [show](Playback::shows).
    #[must_use]
    pub fn world_at_rest(&self, show: usize, node: usize) -> Matrix4<f64> {
        let (show, audit) = (&self.playback.shows[show], &self.audit.nodes[node]);
        let [matrices, _] = Engine::strategies();
        match show.strategy {
            Some(strategy) if strategy.id == matrices.id => *audit.by_matrix.matrix(),
            Some(_) => audit.by_trs.to_homogeneous(),
            None => show.worlds[node],
        }
    }

    /// Reports on a built-in scene, between the two strategies, with the sliders that the scene defines.
    ///
    /// # Errors
    ///
    /// A setting that the scene does not have, or a value out of its range; otherwise as for [`compare`].
    pub fn of_built_in(
        built_in: &BuiltIn,
        settings: &[(String, f64)],
    ) -> Result<Self, ReportError> {
        Self::of_built_in_in(built_in, settings, &EngineChoice::strategies())
    }

    /// Reports on a built-in scene between chosen engines.
    ///
    /// # Errors
    ///
    /// As for [`of_built_in`](Self::of_built_in).
    pub fn of_built_in_in(
        built_in: &BuiltIn,
        settings: &[(String, f64)],
        choice: &EngineChoice,
    ) -> Result<Self, ReportError> {
        let scene = built_in.scene(settings)?;
        let audit = compare_engines(&scene, choice)?;
        let report = Self::made(&scene, audit, !built_in.sliders.is_empty());
        let sliders = built_in.sliders.iter().map(|range| Slider::new(built_in, range, settings));
        let sliders: Vec<_> = sliders.collect();
        let count = if sliders.is_empty() { 0 } else { combinations(&sliders) };
        let frame = |position| {
            let moved = values_at(&sliders, position).map(|(name, value)| (name.to_owned(), value));
            let settings: Vec<_> = settings.iter().cloned().chain(moved).collect();
            let scene = built_in.scene(&settings)?;
            let audit = compare_engines(&scene, choice)?;
            let worlds = worlds_in(&scene, report.audit.engines.reference, &report.playback.shows)?;
            Ok(ReportFrame { advice: advised(&scene, &audit), audit, worlds })
        };
        let frames = (0..count).map(frame).collect::<Result<_, ReportError>>()?;
        let &BuiltIn { bounds_shape, colours, .. } = built_in;
        Ok(Self { bounds_shape, colours, sliders, frames, ..report })
    }
}

/// Returns advice on each cause of the nodes that differ most, worst first.
fn advised(scene: &Scene, audit: &SceneAudit) -> Vec<Advised> {
    let mut apart = audit.apart_at_rest();
    apart.retain(|node| node.counts_at_rest());
    let is_seen = |node: &&NodeAudit| node.grade().is_seen();
    let seen: Vec<_> = apart.iter().copied().filter(is_seen).collect();
    let groups = CauseGroup::all(if seen.is_empty() { apart.iter() } else { seen.iter() }.copied());
    let advised = groups.into_iter().take(ADVISED).map(|group| {
        let advice = advise_all(scene, audit, &group.nodes);
        Advised { group, advice }
    });
    advised.collect()
}

fn combinations(sliders: &[Slider]) -> usize {
    sliders.iter().map(|slider| slider.values.len()).product()
}

/// Returns the value of each slider at one combination, starting with the last slider.
fn values_at(sliders: &[Slider], position: usize) -> impl Iterator<Item = (&'static str, f64)> {
    let mut rest = position;
    sliders.iter().rev().map(move |slider| {
        let value = slider.values[rest % slider.values.len()];
        rest /= slider.values.len();
        (slider.parameter.name, value)
    })
}

impl Slider {
    /// Creates a slider over a range, with the current value added.
    fn new(built_in: &BuiltIn, range: &SliderRange, settings: &[(String, f64)]) -> Self {
        let &SliderRange { parameter, first, last, step, divisor } = range;
        let parameter = built_in.parameters.iter().find(|known| known.name == parameter);
        let parameter = *parameter.expect("a scene's sliders are of its own parameters");
        let set = settings.iter().rev().find(|(name, _)| name == parameter.name);
        let value = set.map_or(parameter.default, |&(_, value)| value);
        let steps = (first..=last).step_by(step);
        let mut values: Vec<f64> = steps.map(|step| f64::from(step) / f64::from(divisor)).collect();
        let position = values.partition_point(|&other| other < value);
        if values.get(position) != Some(&value) {
            values.insert(position, value);
        }
        Self { parameter, values, position }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(name: &str, settings: &[(&str, f64)]) -> Report {
        let settings: Vec<_> = settings.iter().map(|&(n, v)| (n.to_owned(), v)).collect();
        Report::of_built_in(BuiltIn::named(name).unwrap(), &settings).unwrap()
    }

    #[test]
    fn the_piston_goes_from_end_to_end_and_through_what_is_set() {
        let report = report("piston", &[("k", 1.23)]);
        let [slider] = &report.sliders[..] else { panic!("the piston has one slider") };
        assert_eq!((slider.values[0], *slider.values.last().unwrap()), (0.25, 4.0));
        assert_eq!(slider.values[slider.position], 1.23);
        assert_eq!(report.frames.len(), slider.values.len());
        assert_eq!(report.frames[slider.position].audit, report.audit);
    }

    #[test]
    fn frames_follow_the_sliders_the_last_one_fastest() {
        let report = report("skewed-child", &[]);
        let [s, theta] = &report.sliders[..] else { panic!("it has two sliders") };
        assert_eq!(
            report.frames[s.position * theta.values.len() + theta.position].audit,
            report.audit
        );
        assert_eq!(report.frames[0].audit.nodes[0].local.scale[0], s.values[0]);
        assert_eq!(report.frames[1].audit.nodes[0].local.scale[0], s.values[0]);
    }

    #[test]
    fn other_scenes_stand_still() {
        assert!(report("levels", &[]).frames.is_empty());
    }
}
