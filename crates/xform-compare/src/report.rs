use thiserror::Error;

use crate::{
    Advice, BuiltIn, CompareError, NodeAudit, Parameter, Scene, SceneAudit, SettingError, advise,
    built_in::Track, compare, ranking::ranked,
};

/// How many nodes have a picture and advice.
const ADVISED: usize = 10;

/// What a page says about a scene, as data: the audit, and how it goes when parameters are moved.
///
/// [`write_html`](crate::write_html) makes the page of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The scene as it is.
    pub audit: SceneAudit,
    /// What its nodes look like where they have bounds.
    pub solid: Solid,
    /// What can be done about each of the nodes that differ most, worst first; of those that move or are
    /// skewed, where there are any.
    pub advice: Vec<(usize, Vec<Advice>)>,
    /// What of it can be moved, where it is a built-in scene.
    pub sliders: Vec<Slider>,
    /// The scene for each combination of the sliders' values, those of the last slider side by side;
    /// empty where there is no slider.
    pub frames: Vec<SceneAudit>,
}

/// A parameter of a built-in scene, and the values that it was measured at.
#[derive(Clone, Debug, PartialEq)]
pub struct Slider {
    /// The parameter.
    pub parameter: Parameter,
    /// In ascending order; that of the scene is one of them.
    pub values: Vec<f64>,
    /// Which of them is the scene's.
    pub position: usize,
}

/// How bounds are drawn.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Solid {
    /// As boxes.
    Box,
    /// As cylinders along z that just fit into the boxes.
    Cylinder,
}

/// Why there is no report.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ReportError {
    /// A setting that the scene does not have, or out of its range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A scene that cannot be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
}

impl Report {
    /// A report on a scene that stands still.
    ///
    /// # Errors
    ///
    /// As for [`compare`].
    pub fn of_scene(scene: &Scene) -> Result<Self, CompareError> {
        let audit = compare(scene)?;
        let ranked = ranked(&audit.nodes);
        let is_seen = |node: &&&NodeAudit| node.displacement > Some(0.0) || node.is_skewed();
        let seen: Vec<_> = ranked.iter().filter(is_seen).collect();
        let worst = if seen.is_empty() { ranked.iter().collect() } else { seen };
        let worst = worst.into_iter().take(ADVISED).map(|node| node.index);
        let advice = worst.map(|node| (node, advise(scene, &audit, node))).collect();
        let (sliders, frames) = (Vec::new(), Vec::new());
        Ok(Self { audit, solid: Solid::Box, advice, sliders, frames })
    }

    /// A report on a built-in scene, with sliders where it has something to move.
    ///
    /// # Errors
    ///
    /// A setting that the scene does not have, or out of its range; as for [`compare`].
    pub fn of_built_in(
        built_in: &BuiltIn,
        settings: &[(String, f64)],
    ) -> Result<Self, ReportError> {
        let report = Self::of_scene(&built_in.scene(settings)?)?;
        let sliders: Vec<_> =
            built_in.tracks.iter().map(|track| track.slider(built_in, settings)).collect();
        let count = if sliders.is_empty() { 0 } else { combinations(&sliders) };
        let frame = |position| {
            let moved = values_at(&sliders, position).map(|(name, value)| (name.to_owned(), value));
            let settings: Vec<_> = settings.iter().cloned().chain(moved).collect();
            Ok(compare(&built_in.scene(&settings)?)?)
        };
        let frames = (0..count).map(frame).collect::<Result<_, ReportError>>()?;
        Ok(Self { solid: built_in.solid, sliders, frames, ..report })
    }
}

fn combinations(sliders: &[Slider]) -> usize {
    sliders.iter().map(|slider| slider.values.len()).product()
}

/// The value of each slider at one of their combinations, the last slider's first.
fn values_at(sliders: &[Slider], position: usize) -> impl Iterator<Item = (&'static str, f64)> {
    let mut rest = position;
    sliders.iter().rev().map(move |slider| {
        let value = slider.values[rest % slider.values.len()];
        rest /= slider.values.len();
        (slider.parameter.name, value)
    })
}

impl Track {
    /// The values of the track and the one that is set.
    fn slider(&self, built_in: &BuiltIn, settings: &[(String, f64)]) -> Slider {
        let parameter = built_in.parameters.iter().find(|parameter| parameter.name == self.name);
        let parameter = *parameter.expect("a scene's tracks are of its own parameters");
        let set = settings.iter().rev().find(|(name, _)| name == self.name);
        let value = set.map_or(parameter.default, |&(_, value)| value);
        let steps = (self.first..=self.last).step_by(self.step);
        let mut values: Vec<f64> =
            steps.map(|step| f64::from(step) / f64::from(self.divisor)).collect();
        let position = values.partition_point(|&other| other < value);
        if values.get(position) != Some(&value) {
            values.insert(position, value);
        }
        Slider { parameter, values, position }
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
        assert_eq!(report.frames[slider.position], report.audit);
    }

    #[test]
    fn frames_follow_the_sliders_the_last_one_fastest() {
        let report = report("skewed-child", &[]);
        let [s, theta] = &report.sliders[..] else { panic!("it has two sliders") };
        assert_eq!(report.frames[s.position * theta.values.len() + theta.position], report.audit);
        assert_eq!(report.frames[0].nodes[0].local.scale[0], s.values[0]);
        assert_eq!(report.frames[1].nodes[0].local.scale[0], s.values[0]);
    }

    #[test]
    fn other_scenes_stand_still() {
        assert!(report("levels", &[]).frames.is_empty());
    }
}
