//! Finds the rules that answers follow.

mod candidate;
mod first_wrong;
mod steps;
mod told_apart;

use xform_engines::Engine;

use crate::{
    answers::{self, Answers},
    asked::Asked,
    distance::ROUNDING,
    rule::Rule,
    scenes::Scenes,
    trial::Trial,
    verification::{
        FailedScene, FoundAxes, JudgedAs, RuleFit, Verdict, Verification, VerifiedRun,
        VerifiedScene,
    },
};
use candidate::{Candidate, candidates, finite, ids, named_rules};
use first_wrong::first_wrong;
use told_apart::told_apart_by;

/// The settings of a verification.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// The engine whose rule the answers must follow. `None` for the engine that they name, or any.
    pub expected: Option<&'static Engine>,
    /// The largest residual that counts as rounding: [`ROUNDING`], unless the importer computes with fewer digits.
    pub bound: f64,
}

impl Default for Question {
    fn default() -> Self {
        Self { expected: None, bound: ROUNDING }
    }
}

/// Finds the rules that answers follow, separately for each run. Answers are paired with the name of their file.
///
/// A run is trusted only in the way it was queried, and in having one choice of axes and unit for all scenes: each rule
/// of the registry is tried in each choice of axes. If a rule fails, the node that is reported is the first one whose
/// parents are right, or that is a root.
#[must_use]
pub fn verify(
    answers: &[(String, Vec<Answers>)],
    scenes: &Scenes,
    question: &Question,
) -> Verification {
    let runs = answers.iter().flat_map(|(file, runs)| runs.iter().map(move |run| (file, run)));
    let runs = runs.map(|(file, run)| verified(file, run, scenes, question)).collect();
    Verification { schema: "xform-verify/1".to_owned(), bound: question.bound, runs }
}

fn verified(file: &str, run: &Answers, scenes: &Scenes, question: &Question) -> VerifiedRun {
    let mut unknown_scenes = Vec::new();
    let mut asked: Vec<_> = Vec::new();
    for name in run.scenes.keys() {
        match scenes.find(name, run.asked) {
            Some(found) => asked.push(Asked::new(run, name, found)),
            None => unknown_scenes.push(name.clone()),
        }
    }
    asked.sort_by_key(|asked| asked.found.place);
    let trial = Trial::new(&asked, run.axes, question.bound);
    let named = question.expected.or_else(|| Engine::named(&run.engine));
    let candidates = candidates(run, &asked, &trial);
    let judged_as = match (question.expected, named) {
        (Some(_), _) => JudgedAs::Expected,
        (None, Some(_)) => JudgedAs::Named,
        (None, None) => JudgedAs::Nearest,
    };
    let best = |is_asked: &dyn Fn(&Rule) -> bool| {
        let fit = |candidate: &&Candidate| {
            candidate.rules.iter().any(is_asked) && candidate.residuals.known() > 0
        };
        // The first of equally near ones.
        candidates.iter().filter(fit).min_by_key(|candidate| candidate.residuals.rank())
    };
    // If no rule reproduces half of the answers, none counts as near, and they are compared with what glTF defines.
    let defined = || best(&Rule::is_defined);
    let nearest = best(&|_| true);
    let nearest =
        nearest.filter(|nearest| nearest.residuals.is_mostly_near()).or_else(defined).or(nearest);
    let judged = match named {
        Some(engine) => best(&|rule| rule.engine.id == engine.id),
        None => nearest,
    };
    let follows: Vec<_> = candidates
        .iter()
        .filter(|candidate| candidate.residuals.verdict() == Verdict::Follows)
        .collect();
    let possible = candidates.iter().filter(|candidate| {
        let residuals = &candidate.residuals;
        residuals.verdict() == Verdict::PartlyKnown && residuals.known() > residuals.unknown()
    });
    let near = candidates.iter().filter(|candidate| {
        candidate.residuals.verdict() == Verdict::Nearly && candidate.residuals.unknown() == 0
    });
    let fit = |candidate: &Candidate| RuleFit {
        rules: named_rules(&candidate.rules),
        is_gltf: run.asked == answers::Asked::Gltf && candidate.rules.iter().any(Rule::is_defined),
        known: candidate.residuals.known(),
        right: candidate.residuals.known() - candidate.residuals.wrong,
        unknown: candidate.residuals.unknown(),
        residual: finite(candidate.residuals.worst()),
    };
    let is_nearest_judged = match (judged, nearest) {
        (Some(judged), Some(nearest)) => std::ptr::eq(judged, nearest),
        _ => judged.is_some() == nearest.is_some(),
    };
    let axes = judged.map(|judged| FoundAxes {
        convention: judged.axes,
        named: run.axes,
        is_as_named: run.axes.map(|axes| judged.axes.is_named(axes)),
        as_good: judged.as_good,
    });
    let verdict = judged.map_or(Verdict::Nothing, |judged| {
        let is_as_named = axes.as_ref().and_then(|axes| axes.is_as_named) != Some(false);
        match judged.residuals.verdict() {
            Verdict::Follows | Verdict::PartlyKnown if !is_as_named => Verdict::OtherAxes,
            verdict => verdict,
        }
    });
    let verified = VerifiedRun {
        file: file.to_owned(),
        run: run.run.clone(),
        engine: run.engine.clone(),
        version: run.version.clone(),
        date: run.date.clone(),
        asked: run.asked,
        verdict,
        followed: false,
        headline: String::new(),
        details: Vec::new(),
        judged_as,
        judged_engine: named.map(|engine| engine.id.to_owned()),
        judged: judged.map(fit),
        nearly: near.map(fit).collect(),
        possible: possible.map(fit).collect(),
        nearest: nearest.filter(|_| follows.is_empty() && !is_nearest_judged).map(fit),
        axes,
        first_wrong: judged.and_then(|judged| first_wrong(&asked, &trial, judged)),
        not_in_motion: not_in_motion(&asked),
        told_apart_by: told_apart_by(run.asked, scenes, &asked, &follows),
        follows: follows.iter().map(|candidate| fit(candidate)).collect(),
        scenes: of_scenes(&asked, &trial, &candidates, judged),
        failed: run
            .failed
            .iter()
            .map(|(scene, why)| FailedScene { scene: scene.clone(), why: why.clone() })
            .collect(),
        unknown_scenes,
    };
    VerifiedRun { followed: verified.holds(false), ..verified }.say()
}

/// Returns the scenes with animations for which there are only answers at rest.
fn not_in_motion(asked: &[Asked<'_>]) -> Vec<String> {
    let is_at_rest = |asked: &&Asked<'_>| {
        !asked.found.scene.scene.animations.is_empty()
            && asked.moments.iter().all(|moment| {
                let is_in_motion = moment.seconds.is_some_and(|seconds| seconds > 0.0);
                !is_in_motion || moment.worlds.is_empty() && moment.vertices.is_empty()
            })
    };
    asked.iter().filter(is_at_rest).map(|asked| asked.name.to_owned()).collect()
}

/// Returns the result for each scene.
fn of_scenes(
    asked: &[Asked<'_>],
    trial: &Trial<'_>,
    candidates: &[Candidate],
    judged: Option<&Candidate>,
) -> Vec<VerifiedScene> {
    let (mut world, mut mesh) = (0, 0);
    let scenes = asked.iter().map(|asked| {
        let worlds: usize = asked.moments.iter().map(|moment| moment.worlds.len()).sum();
        let meshes: usize = asked.moments.iter().map(|moment| moment.vertices.len()).sum();
        let (worlds, meshes) = (world..world + worlds, mesh..mesh + meshes);
        (world, mesh) = (worlds.end, meshes.end);
        let of_scene =
            |candidate: &Candidate| candidate.residuals.part(worlds.clone(), meshes.clone(), trial);
        let own = judged.map(of_scene).unwrap_or_default();
        let follow = candidates.iter().filter(|candidate| {
            let residuals = of_scene(candidate);
            residuals.verdict() == Verdict::Follows
        });
        let rules: Vec<Rule> =
            follow.flat_map(|candidate| candidate.rules.iter().cloned()).collect();
        let follows = ids(&rules);
        VerifiedScene {
            scene: asked.name.to_owned(),
            verdict: own.verdict(),
            known: own.known(),
            right: own.known() - own.wrong,
            unknown: own.unknown(),
            residual: finite(own.worst()),
            follows,
            not_compared: asked.skinned,
            ambiguous: asked.found.scene.ambiguous(),
            not_answered: asked.silent,
            strangers: asked.strangers.clone(),
        }
    });
    scenes.collect()
}
