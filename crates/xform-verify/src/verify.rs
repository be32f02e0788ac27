//! Which rule answers follow.

use std::{cmp::Reverse, collections::HashMap};

use nalgebra::Matrix4;
use xform_engines::{Accumulation, Engine, LocalPose};

use crate::{
    answers::{self, Answers},
    convention::Convention,
    mistake::{Mistake, Step, explained, likely, other_parent},
    rule::Rule,
    scenes::Scenes,
    trial::{Asked, Prediction, ROUNDING, Residuals, Trial, VERTICES},
    verification::{
        FailedScene, FilePose, FirstWrong, FoundAxes, JudgedAs, LikelyMistake, NamedRule, RuleFit,
        TellsApart, Verdict, Verification, VerifiedRun, VerifiedScene,
    },
};

/// What rounding to half floats, or to few decimals, comes to: a thousand times as much as that of `f32`.
const NEAR: f64 = 1000.0 * ROUNDING;

/// What is asked of answers.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// The engine whose rule they are to follow; `None` for the one that they name, or any.
    pub expected: Option<&'static Engine>,
    /// Up to which a residual is rounding: [`ROUNDING`], unless what was asked computes in fewer digits.
    pub bound: f64,
}

impl Default for Question {
    fn default() -> Self {
        Self { expected: None, bound: ROUNDING }
    }
}

/// Finds the rules that answers follow, each run by itself. Answers go with the name of their file.
///
/// Nothing of a run is taken for granted but how it was asked, and of its axes and unit only that they are the same in all scenes: each
/// rule of the registry is tried in each choice of axes. The node that is named where a rule fails is the first one whose parents are
/// right, or that is a root.
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

/// Rules that say the same of all that was answered, with the axes in which that is nearest.
struct Candidate {
    rules: Vec<Rule>,
    said: Prediction,
    axes: Convention,
    as_good: usize,
    residuals: Residuals,
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
        // Of several that are as near, the first.
        candidates.iter().filter(fit).min_by_key(|candidate| candidate.residuals.rank())
    };
    // Where no rule reproduces half of the answers, none is near: they are beside what glTF defines.
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
        is_as_named: run.axes.map(|axes| Convention::from(axes) == judged.axes),
        as_good: judged.as_good,
    });
    let verdict = judged.map_or(Verdict::Nothing, |judged| {
        let is_as_named = axes.as_ref().and_then(|axes| axes.is_as_named) != Some(false);
        match judged.residuals.verdict() {
            Verdict::Follows if !is_as_named => Verdict::OtherAxes,
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

/// The scenes with animations of which there are answers at rest alone.
fn not_in_motion(asked: &[Asked<'_>]) -> Vec<String> {
    let is_at_rest = |asked: &&Asked<'_>| {
        !asked.found.scene.scene.animations.is_empty()
            && asked.moments.iter().all(|moment| moment.seconds.is_none())
    };
    asked.iter().filter(is_at_rest).map(|asked| asked.name.to_owned()).collect()
}

/// Each rule that says something, those together that say the same, in the axes in which it is followed. Those that are not followed are
/// all in the same axes: of a rule that is, or else those that are nearest to what glTF defines.
fn candidates(run: &Answers, asked: &[Asked<'_>], trial: &Trial<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut nearest = None;
    let has_animations = asked.iter().any(|asked| !asked.found.scene.scene.animations.is_empty());
    let in_motion = if has_animations { Rule::all_in_motion(run.asked) } else { Vec::new() };
    for rules in [Rule::all(run.asked), in_motion] {
        let groups = groups(rules, asked);
        let right: Vec<_> = groups.iter().map(|(_, said)| trial.right(said)).collect();
        let both = || groups.iter().zip(&right);
        let followed = both().find(|((_, said), right)| right.is_some() && said.is_of_all());
        let followed = followed.and_then(|(_, right)| *right).map(|(axes, _)| axes);
        let others = followed.or(nearest).or_else(|| {
            let is_defined =
                |(rules, _): &&(Vec<Rule>, Prediction)| rules.iter().any(Rule::is_defined);
            let (rules, said) = groups.iter().find(is_defined).or(groups.first())?;
            Some(nearest_axes(asked, trial, rules, said))
        });
        nearest = others;
        let candidates = groups.into_iter().zip(right).filter_map(|((rules, said), right)| {
            let (axes, as_good) = right.or(Some((others?, 0)))?;
            let residuals = trial.residuals(&said, &axes);
            Some(Candidate { rules, said, axes, as_good, residuals })
        });
        found.extend(candidates);
        if followed.is_some() {
            break;
        }
    }
    found
}

/// Rules with what they say, those together that say the same.
fn groups(rules: Vec<Rule>, asked: &[Asked<'_>]) -> Vec<(Vec<Rule>, Prediction)> {
    let mut groups: Vec<(Vec<Rule>, Prediction)> = Vec::new();
    for rule in rules {
        let said = Prediction::new(&rule, asked);
        match groups.iter_mut().find(|(_, known)| known.is_same(&said)) {
            Some((rules, _)) => rules.push(rule),
            None => groups.push((vec![rule], said)),
        }
    }
    groups
}

/// Each engine with its plainest rule of these; the strategies only where there is no engine.
fn named_rules(rules: &[Rule]) -> Vec<NamedRule> {
    let mut named: Vec<NamedRule> = Vec::new();
    for rule in rules {
        if !named.iter().any(|known| known.engine == rule.engine.id) {
            named.push(NamedRule { engine: rule.engine.id.to_owned(), with: rule.words() });
        }
    }
    let place = |rule: &NamedRule| {
        Engine::all().iter().position(|engine| engine.id == rule.engine).unwrap_or(usize::MAX)
    };
    if named.iter().any(|rule| place(rule) != usize::MAX) {
        named.retain(|rule| place(rule) != usize::MAX);
    }
    named.sort_by_key(place);
    named
}

fn ids(rules: &[Rule]) -> Vec<String> {
    named_rules(rules).into_iter().map(|rule| rule.engine).collect()
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

impl Residuals {
    fn all(&self) -> impl Iterator<Item = (f64, f64)> {
        let worlds = self.worlds.iter().flatten().map(|off| (*off, 1.0));
        worlds.chain(self.vertices.iter().flatten().map(|off| (*off, VERTICES)))
    }

    fn known(&self) -> usize {
        self.all().count()
    }

    fn unknown(&self) -> usize {
        self.worlds.len() + self.vertices.len() - self.known()
    }

    /// The smaller, the nearer: what is right or near of most, then what says something of most, then what is right of most. To say nothing is not to be right.
    fn rank(&self) -> (Reverse<usize>, usize, usize) {
        (Reverse(self.near()), self.unknown(), self.wrong)
    }

    fn near(&self) -> usize {
        self.all().filter(|(off, factor)| *off <= NEAR * factor).count()
    }

    fn is_mostly_near(&self) -> bool {
        2 * self.near() >= self.known() + self.unknown()
    }

    fn worst(&self) -> f64 {
        self.all().fold(
            0.0,
            |worst: f64, (off, _)| {
                if off > worst || off.is_nan() { off } else { worst }
            },
        )
    }

    fn verdict(&self) -> Verdict {
        match (self.wrong, self.unknown()) {
            _ if self.known() == 0 => Verdict::Nothing,
            (0, 0) => Verdict::Follows,
            (0, _) => Verdict::PartlyKnown,
            _ if self.all().all(|(off, factor)| off <= NEAR * factor) => Verdict::Nearly,
            _ => Verdict::Wrong,
        }
    }

    /// Those of a part of the answers.
    fn part(
        &self,
        worlds: std::ops::Range<usize>,
        vertices: std::ops::Range<usize>,
        trial: &Trial<'_>,
    ) -> Self {
        let (worlds, vertices) = (self.worlds[worlds].to_vec(), self.vertices[vertices].to_vec());
        let wrong = worlds.iter().flatten().filter(|off| !trial.is_right(**off)).count()
            + vertices.iter().flatten().filter(|off| !trial.are_right(**off)).count();
        Self { worlds, vertices, wrong }
    }
}

/// What came of each scene.
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
            not_answered: asked.silent,
            strangers: asked.strangers.clone(),
        }
    });
    scenes.collect()
}

/// The first answer that is another than the rule's, in the order of the scenes, and from the roots down.
fn first_wrong(all: &[Asked<'_>], trial: &Trial<'_>, judged: &Candidate) -> Option<FirstWrong> {
    let (mut world, mut mesh) = (0, 0);
    let Candidate { residuals, axes, said, .. } = judged;
    for asked in all {
        let paths = &asked.found.scene.paths;
        for moment in &asked.moments {
            let mut worlds = moment.worlds.iter().zip(world..);
            let is_wrong = |off: Option<f64>| off.is_some_and(|off| !trial.is_right(off));
            let wrong = worlds.find(|(_, place)| is_wrong(residuals.worlds[*place]));
            if let Some((&(node, answered), place)) = wrong {
                let expected = said.world(place).map(|world| axes.done(&world));
                let entries = |world: &Matrix4<f64>| -> [f64; 16] {
                    std::array::from_fn(|at| world.as_slice()[at])
                };
                let mut found = FirstWrong {
                    scene: asked.name.to_owned(),
                    seconds: moment.seconds,
                    node: paths[node].clone(),
                    residual: residuals.worlds[place].and_then(finite),
                    answered: Some(entries(&answered).map(finite)),
                    expected: expected.as_ref().map(entries),
                    local: file_pose(&asked.found.scene.scene.nodes[node].local),
                    mistake: None,
                    hangs_below: None,
                };
                if moment.seconds.is_none() {
                    find_mistake(&mut found, (all, asked, node), judged, trial);
                }
                return Some(found);
            }
            world += moment.worlds.len();
            let mut meshes = moment.vertices.iter().zip(mesh..);
            let is_wrong = |off: Option<f64>| off.is_some_and(|off| !trial.are_right(off));
            if let Some((&(node, _), place)) =
                meshes.find(|(_, place)| is_wrong(residuals.vertices[*place]))
            {
                return Some(FirstWrong {
                    scene: asked.name.to_owned(),
                    seconds: moment.seconds,
                    node: paths[node].clone(),
                    residual: residuals.vertices[place].and_then(finite),
                    answered: None,
                    expected: None,
                    local: None,
                    mistake: None,
                    hangs_below: None,
                });
            }
            mesh += moment.vertices.len();
        }
    }
    None
}

fn file_pose(local: &LocalPose) -> Option<FilePose> {
    let LocalPose::Trs(pose) = local else { return None };
    Some(FilePose {
        translation: pose.translation.into(),
        rotation: pose.rotation.coords.into(),
        scale: pose.scale.into(),
    })
}

/// What may have been got wrong at a node, where the engine multiplies matrices: of other rules a step from a parent to its child is not
/// known by the world matrix of the parent alone.
fn find_mistake(
    found: &mut FirstWrong,
    (all, asked, node): (&[Asked<'_>], &Asked<'_>, usize),
    judged: &Candidate,
    trial: &Trial<'_>,
) {
    if !are_by_matrices(&judged.rules) {
        return;
    }
    let worlds = at_rest(asked, &judged.axes);
    let steps = Step::all(&asked.found.scene.scene, &worlds);
    let Some((_, wrong)) = steps.into_iter().find(|(place, _)| *place == node) else { return };
    let bound = step_bound(trial);
    let mistake = likely(&wrong, &steps_in(all, &judged.axes), bound);
    found.mistake = mistake.map(|mistake| explained_by(mistake, all, judged, trial));
    if found.mistake.is_none() {
        let others: Vec<_> = worlds.into_iter().filter(|(place, _)| *place != node).collect();
        let other = other_parent(&wrong, &others, bound);
        found.hangs_below = other.map(|other| asked.found.scene.paths[other].clone());
    }
}

/// How many of the nodes that are wrong at rest a mistake explains.
fn explained_by(
    mistake: Mistake,
    all: &[Asked<'_>],
    judged: &Candidate,
    trial: &Trial<'_>,
) -> LikelyMistake {
    let bound = step_bound(trial);
    let (mut nodes, mut below, mut others) = (0, 0, 0);
    let mut place = 0;
    for asked in all {
        let worlds = at_rest(asked, &judged.axes);
        let steps: HashMap<_, _> = Step::all(&asked.found.scene.scene, &worlds).collect();
        for moment in &asked.moments {
            let answered = moment.worlds.iter().zip(&judged.residuals.worlds[place..]);
            place += moment.worlds.len();
            if moment.seconds.is_some() {
                continue;
            }
            for ((node, _), off) in answered {
                if off.is_none_or(|off| trial.is_right(off)) {
                    continue;
                }
                match steps.get(node) {
                    Some(step) if step.is_by(mistake, bound) => nodes += 1,
                    Some(step) if step.is_right(bound) => below += 1,
                    _ => others += 1,
                }
            }
        }
    }
    LikelyMistake { mistake, words: mistake.words().to_owned(), nodes, others, below }
}

/// Whether one of these rules is that matrices are multiplied.
fn are_by_matrices(rules: &[Rule]) -> bool {
    let is =
        |rule: &Rule| rule.engine.accumulation.rule == Accumulation::Matrix && rule.is_import();
    rules.iter().any(is)
}

/// Up to which a step from a parent to its child is right: the answer of the parent is rounded too.
fn step_bound(trial: &Trial<'_>) -> f64 {
    10.0 * trial.bound()
}

/// The world transforms of a scene at rest, in glTF's axes and metres.
fn at_rest(asked: &Asked<'_>, axes: &Convention) -> Vec<(usize, Matrix4<f64>)> {
    let moment = asked.moments.iter().find(|moment| moment.seconds.is_none());
    let worlds = moment.into_iter().flat_map(|moment| &moment.worlds);
    worlds.map(|(node, world)| (*node, axes.undone(world))).collect()
}

/// The steps of all scenes from a parent to its child, as answered.
fn steps_in(all: &[Asked<'_>], axes: &Convention) -> Vec<Step> {
    let of_scene = |asked: &Asked<'_>| -> Vec<Step> {
        let worlds = at_rest(asked, axes);
        Step::all(&asked.found.scene.scene, &worlds).map(|(_, step)| step).collect()
    };
    all.iter().flat_map(of_scene).collect()
}

/// The axes and the unit in which answers are nearest to a rule: of several those in which most steps are right or come out by one mistake.
fn nearest_axes(
    asked: &[Asked<'_>],
    trial: &Trial<'_>,
    rules: &[Rule],
    said: &Prediction,
) -> Convention {
    let choices = trial.nearest(said);
    let first = choices[0];
    if choices.len() == 1 || !are_by_matrices(rules) {
        return first;
    }
    let explained = |axes: &Convention| explained(&steps_in(asked, axes), step_bound(trial));
    let most =
        choices.iter().enumerate().max_by_key(|(place, axes)| (explained(axes), Reverse(*place)));
    most.map_or(first, |(_, axes)| *axes)
}

/// The scenes that would tell apart the rules that all answers follow, until nothing more can be told.
fn told_apart_by(
    kind: answers::Asked,
    scenes: &Scenes,
    asked: &[Asked<'_>],
    follows: &[&Candidate],
) -> Vec<TellsApart> {
    let rules: Vec<&Rule> = follows.iter().flat_map(|candidate| &candidate.rules).collect();
    let [first, ..] = &rules[..] else { return Vec::new() };
    if rules.iter().all(|rule| rule.engine.id == first.engine.id) {
        return Vec::new();
    }
    // By scene: the rules in groups that show the same.
    let others = scenes.names_asked(kind).filter_map(|name| {
        let found = scenes.find(&name, kind)?;
        if asked.iter().any(|asked| asked.name == name) {
            return None;
        }
        let one = [Asked::of_all_nodes(&name, found)];
        let mut groups: Vec<(Prediction, Vec<usize>)> = Vec::new();
        for (place, rule) in rules.iter().enumerate() {
            let said = Prediction::new(rule, &one);
            match groups.iter_mut().find(|(known, _)| !known.is_told_from(&said)) {
                Some((_, places)) => places.push(place),
                None => groups.push((said, vec![place])),
            }
        }
        let groups: Vec<Vec<usize>> = groups.into_iter().map(|(_, places)| places).collect();
        (groups.len() > 1).then_some((name, groups))
    });
    let mut others: Vec<(String, Vec<Vec<usize>>)> = others.collect();
    let mut told = Vec::new();
    let mut alike: Vec<Vec<usize>> = vec![(0..rules.len()).collect()];
    loop {
        let parted = |groups: &[Vec<usize>]| -> Vec<Vec<usize>> {
            let both = alike.iter().flat_map(|alike| {
                groups.iter().map(move |group| {
                    alike.iter().copied().filter(|place| group.contains(place)).collect::<Vec<_>>()
                })
            });
            both.filter(|places| !places.is_empty()).collect()
        };
        let best = (0..others.len()).max_by_key(|&at| {
            // Of several that tell as much, the first.
            (parted(&others[at].1).len(), Reverse(at))
        });
        let Some(best) = best.filter(|&at| parted(&others[at].1).len() > alike.len()) else {
            break;
        };
        alike = parted(&others[best].1);
        let (scene, groups) = others.remove(best);
        let group = |places: Vec<usize>| {
            let rules: Vec<Rule> = places.into_iter().map(|place| rules[place].clone()).collect();
            ids(&rules)
        };
        told.push(TellsApart { scene, groups: groups.into_iter().map(group).collect() });
    }
    told
}
