mod worst_animation;

use std::collections::HashMap;

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use xform_engines::{CannotSay, Engine};
use xform_scene::{LocalPose, Scene};

use super::{
    ablation::{Ablation, IN_FULL},
    at_rest,
    motion::{self, Unknown},
    shows::{Figures, Show, ShowPair, Strategy},
    worlds::Worlds,
};
use crate::audit::{
    AnimationAudit, AtWorst, CompareError, EngineAudit, EngineChoice, EngineGroup, EngineNode,
    Grade, NodeAudit, NodeMotion, Peak, RankedMotion, UnknownEngine, is_worse_in_motion,
};
use worst_animation::WorstAnimation;

// Engines whose rules agree on a scene share one show, so they are measured once. Without sheared matrices
// and negative scales only the two strategies remain, so the usual six engines cost as much as the
// strategies; a scene with mirrors is measured a second time (docs/benchmarks.md). Each pair of shows is
// sampled at times of its own, because the times that matter differ from pair to pair.

/// A scene in which every show is compared with that of the reference.
pub(super) struct Compared<'a> {
    scene: &'a Scene,
    worlds: &'a Worlds,
    diagonal: f64,
    /// The engine that the others are compared with, if it is known how it shows the scene.
    reference: Option<&'static Engine>,
    /// The show of the reference comes first.
    shows: Vec<Show>,
    pub(super) engines: EngineAudit,
    /// With the figures of the show in which each node is worst.
    pub(super) nodes: Vec<NodeAudit>,
    pub(super) animations: Vec<AnimationAudit>,
    /// By node: the show that its figures describe.
    at_rest_in: Vec<usize>,
    /// The same by animation and node in it.
    in_motion_in: Vec<Vec<usize>>,
}

/// The difference of a show from the reference.
struct Measured {
    show: usize,
    /// By node.
    at_rest: Vec<Figures>,
    animations: Vec<AnimationAudit>,
    /// The nodes that count and differ, each when it is worst.
    apart: HashMap<usize, EngineNode>,
}

/// The shows in groups that are the same, as indices, and the difference of each from the reference.
type Groups = (Vec<Vec<usize>>, Vec<Measured>);

impl<'a> Compared<'a> {
    /// Compares the engines of a choice. `nodes` determine which nodes count.
    ///
    /// If it is unknown how the reference shows the scene, the file's own definition takes its place.
    pub(super) fn of(
        scene: &'a Scene,
        worlds: &'a Worlds,
        diagonal: f64,
        nodes: Vec<NodeAudit>,
        choice: &EngineChoice,
    ) -> Result<Self, CompareError> {
        let shows = Show::all(scene, worlds, choice);
        let mut compared = Self {
            scene,
            worlds,
            diagonal,
            reference: choice.reference,
            shows,
            engines: EngineAudit {
                reference: choice.reference,
                unknown_reference: None,
                groups: Vec::new(),
                unknown: Vec::new(),
                has_sheared_matrices: worlds.poses.has_sheared_matrices(),
            },
            nodes,
            animations: Vec::new(),
            at_rest_in: vec![0; scene.nodes.len()],
            in_motion_in: Vec::new(),
        };
        let groups = match compared.shows[0].unknown {
            Some(_) => None,
            None => compared.groups()?,
        };
        let Some((groups, measured)) = groups else {
            let mut others = choice.clone();
            others.engines.extend(others.reference.take());
            let found = Self::of(scene, worlds, diagonal, compared.nodes, &others)?;
            let engines = EngineAudit { unknown_reference: choice.reference, ..found.engines };
            return Ok(Self { engines, ..found });
        };
        compared.keep(&groups, &measured);
        Ok(compared)
    }

    fn pair(&self, reference: usize, other: usize) -> ShowPair<'_> {
        ShowPair { reference: &self.shows[reference], other: &self.shows[other] }
    }

    /// Groups the shows. `None` if it is unknown at some time how the reference shows the scene.
    fn groups(&mut self) -> Result<Option<Groups>, CompareError> {
        let mut groups = vec![vec![0]];
        let mut all = Vec::new();
        for place in 1..self.shows.len() {
            if self.shows[place].unknown.is_some() {
                continue;
            }
            let measured = match self.measured(0, place)? {
                Ok(measured) => measured,
                Err((0, _)) => return Ok(None),
                Err((_, unknown)) => {
                    self.shows[place].unknown = Some(unknown);
                    continue;
                }
            };
            let own = groups.len();
            let mut group = if measured.apart.is_empty() { 0 } else { own };
            for (other, known) in groups.iter().enumerate().skip(1).filter(|_| group == own) {
                let between = self.measured(known[0], place)?;
                if between.is_ok_and(|between| between.apart.is_empty()) {
                    group = other;
                    break;
                }
            }
            if group == own {
                groups.push(Vec::new());
            }
            groups[group].push(place);
            all.push(measured);
        }
        if all.is_empty() {
            match self.measured(0, 0)? {
                Ok(measured) => all.push(measured),
                Err(_) => return Ok(None),
            }
        }
        Ok(Some((groups, all)))
    }

    /// Returns the difference of a show from another, at rest and in motion, if both are known.
    fn measured(
        &self,
        reference: usize,
        show: usize,
    ) -> Result<Result<Measured, Unknown>, CompareError> {
        let pair = self.pair(reference, show);
        let (scene, worlds, nodes) = (self.scene, self.worlds, &self.nodes);
        let at_rest = at_rest::figures(scene, worlds, pair, self.diagonal)?;
        let animations = match motion::sampled(scene, worlds, pair, nodes, self.diagonal)? {
            Ok(animations) => animations,
            Err(unknown) => return Ok(Err(unknown)),
        };
        let mut apart = HashMap::new();
        for (node, figures) in nodes.iter().zip(&at_rest).filter(|(node, _)| node.counts_at_rest())
        {
            keep_worst(&mut apart, engine_node(node.index, figures));
        }
        for (place, animation) in animations.iter().enumerate() {
            for node in animation.nodes.iter().filter(|node| nodes[node.index].counts) {
                keep_worst(&mut apart, engine_node_in_motion(node, place));
            }
        }
        Ok(Ok(Measured { show, at_rest, animations, apart }))
    }

    /// Keeps for each node, and for each node in an animation, the show in which it is worst.
    fn keep(&mut self, groups: &[Vec<usize>], measured: &[Measured]) {
        let group_of = |show: usize| {
            let group = groups.iter().position(|group| group.contains(&show));
            group.filter(|&group| group > 0)
        };
        // Groups are formed from nodes that count. Other nodes may be the same in some engines of a group.
        let is_of_all = |show: usize, is_apart: &dyn Fn(&Measured) -> bool| {
            let group = groups.iter().find(|group| group.contains(&show));
            let own = measured.iter().filter(|one| group.is_some_and(|g| g.contains(&one.show)));
            own.into_iter().all(is_apart)
        };
        for (node, audit) in self.nodes.iter_mut().enumerate() {
            let figures = measured.iter().map(|measured| (measured.show, &measured.at_rest[node]));
            let skews = figures
                .clone()
                .filter_map(|(show, figures)| Some((show, figures.skew_difference_degrees?)));
            let skew = skews.reduce(|most, other| if other.1 > most.1 { other } else { most });
            let worst = figures.reduce(
                |worst, other| {
                    if other.1.is_worse(worst.1) { other } else { worst }
                },
            );
            let Some((show, figures)) = worst else { continue };
            self.at_rest_in[node] = show;
            figures.set(audit);
            audit.skew_difference_degrees = skew.map(|(_, skew)| skew);
            let is_apart = |measured: &Measured| measured.at_rest[node].grade() > Grade::Identical;
            let is_told = |show: usize, audit: &NodeAudit| {
                audit.grade() > Grade::Identical && (audit.counts || is_of_all(show, &is_apart))
            };
            audit.group = group_of(show).filter(|_| is_told(show, audit));
            audit.skew_group =
                skew.and_then(|(show, _)| group_of(show).filter(|_| is_told(show, audit)));
        }
        self.find_undrawn(measured);
        let mut all = measured.iter().map(|measured| (measured.show, &measured.animations));
        let Some((show, first)) = all.next() else { return };
        let mut worst: Vec<_> =
            first.iter().map(|animation| WorstAnimation::new(animation, show)).collect();
        for (show, animations) in all {
            for (worst, animation) in worst.iter_mut().zip(animations) {
                worst.merge(animation, show);
            }
        }
        for (place, worst) in worst.into_iter().enumerate() {
            let WorstAnimation { animation, show, nodes_in, skews_in } = worst;
            let mut animation = motion::graded(animation, &self.nodes);
            animation.group = group_of(show).filter(|_| animation.grade > Some(Grade::Identical));
            for (at, node) in animation.nodes.iter_mut().enumerate() {
                let is_apart = |measured: &Measured| {
                    let own = measured.animations[place].nodes.get(at);
                    own.is_some_and(|own| own.grade() > Grade::Identical)
                };
                let counts = self.nodes[node.index].counts;
                let is_seen = node.grade() > Grade::Identical;
                let told = |show: usize| {
                    group_of(show).filter(|_| is_seen && (counts || is_of_all(show, &is_apart)))
                };
                (node.group, node.skew_group) = (told(nodes_in[at]), told(skews_in[at]));
            }
            self.animations.push(animation);
            self.in_motion_in.push(nodes_in);
        }
        self.engines.groups = groups.iter().map(|shows| self.group(shows, measured)).collect();
        self.engines.unknown = self.unknown();
    }

    /// Finds the engines in which a person would see nodes that do not count.
    fn find_undrawn(&mut self, measured: &[Measured]) {
        for Measured { show, at_rest, animations, .. } in measured {
            let nodes = &self.nodes;
            let at_rest = at_rest.iter().enumerate();
            let at_rest = at_rest.map(|(node, figures)| (node, figures.grade()));
            let moved = animations.iter().flat_map(|animation| &animation.nodes);
            let moved = moved.map(|node| (node.index, node.grade()));
            let seen = at_rest.chain(moved).filter(|(_, grade)| grade.is_seen());
            let seen = seen.map(|(node, _)| node).filter(|&node| !nodes[node].counts);
            let mut seen: Vec<_> = seen.collect();
            seen.sort_unstable();
            seen.dedup();
            for node in seen {
                self.nodes[node].undrawn_in.extend(&self.shows[*show].engines);
            }
        }
        for place in 0..self.nodes.len() {
            let mut engines = std::mem::take(&mut self.nodes[place].undrawn_in);
            engines.sort_by_key(|engine| self.rank(engine));
            self.nodes[place].undrawn_in = engines;
        }
    }

    /// Finds the causes of the ranked nodes, each in the show in which it is worst.
    pub(super) fn find_causes(&mut self, ranked: &[usize]) {
        let mut shows: Vec<_> = ranked.iter().map(|&node| self.at_rest_in[node]).collect();
        shows.sort_unstable();
        shows.dedup();
        for show in shows {
            let ablation = Ablation::new(self.scene, self.worlds, self.pair(0, show));
            let ranked = ranked.iter().enumerate();
            let own: Vec<_> = ranked.filter(|(_, node)| self.at_rest_in[**node] == show).collect();
            let causes = own.par_iter().enumerate().map(|(place, &(rank, &node))| {
                let is_tried = place < ablation.at_most();
                let cause = || ablation.cause(&self.nodes[node], rank < IN_FULL);
                (node, is_tried.then(cause).flatten())
            });
            let causes: Vec<_> = causes.collect();
            for (node, cause) in causes {
                self.nodes[node].cause = cause;
            }
        }
    }

    /// Returns the first nodes of a ranking in motion, each at its worst.
    pub(super) fn at_worst(&self, ranked: &[RankedMotion]) -> Result<Vec<AtWorst>, CompareError> {
        let show_of = |ranked: &RankedMotion| self.in_motion_in[ranked.animation][ranked.motion];
        let shown = |scene: &Scene, worlds: &Worlds, show: usize| {
            let other = self.shows[show].engines.first().copied();
            [self.reference, other].map(|engine| Show::of_engine(scene, worlds, engine))
        };
        motion::at_worst(self.scene, &self.animations, ranked, self.diagonal, show_of, shown)
    }

    /// Returns the engines of these shows, and the difference of the first show from the reference.
    fn group(&self, shows: &[usize], measured: &[Measured]) -> EngineGroup {
        let mut engines: Vec<_> =
            shows.iter().flat_map(|&show| &self.shows[show].engines).copied().collect();
        engines.sort_by_key(|engine| self.rank(engine));
        let first = shows[0];
        let strategy = self.shows[first].strategy.map(Strategy::engine);
        let worlds = match strategy {
            Some(_) => Vec::new(),
            None => {
                let nodes = 0..self.nodes.len();
                nodes.map(|node| self.shows[first].matrix(self.worlds, node)).collect()
            }
        };
        if first == 0 {
            return EngineGroup { engines, strategy, worlds, ..EngineGroup::default() };
        }
        // Engines that show the same may be on different sides of a grade's threshold.
        let mut apart: HashMap<usize, EngineNode> = HashMap::new();
        for found in measured.iter().filter(|one| shows.contains(&one.show)) {
            found.apart.values().for_each(|node| keep_worst(&mut apart, *node));
        }
        let mut nodes: Vec<_> = apart.into_values().collect();
        nodes.sort_by(EngineNode::worse_first);
        let worst = nodes.first();
        let other = worst.and_then(|worst| {
            self.shows[0].first_other(&self.shows[first], self.scene, worst.index)
        });
        let has_matrix =
            |&node: &usize| matches!(self.scene.nodes[node].local, LocalPose::Matrix(_));
        let grade = worst.map(|node| node.grade).unwrap_or_default();
        // Engines that decompose a mirroring matrix differently merely get a different pose from it.
        let is_sheared = |&node: &usize| self.worlds.poses.residual(node).is_some();
        let (sheared, odd_rotation) =
            (other.filter(is_sheared), other.filter(|node| !has_matrix(node)));
        EngineGroup { engines, strategy, worlds, grade, nodes, sheared, odd_rotation }
    }

    /// Returns the engines for which it is unknown how they show the scene.
    fn unknown(&self) -> Vec<UnknownEngine> {
        let unknown = self.shows.iter().filter_map(|show| Some((show, show.unknown?)));
        let unknown = unknown.flat_map(|(show, CannotSay { node, reason })| {
            show.engines.iter().map(move |&engine| UnknownEngine { engine, node, reason })
        });
        let mut unknown: Vec<_> = unknown.collect();
        unknown.sort_by_key(|unknown| self.rank(unknown.engine));
        unknown
    }

    /// Returns the sort key of an engine: the reference first, then the order of the registry.
    fn rank(&self, engine: &Engine) -> (bool, usize) {
        let is_reference = self.reference.is_some_and(|reference| reference.id == engine.id);
        let mut all = Engine::all().iter().chain(Engine::strategies());
        let place = all.position(|known| known.id == engine.id);
        (!is_reference, place.unwrap_or(usize::MAX))
    }
}

/// Keeps a node at its worst, unless it is identical, and its largest difference in skew.
fn keep_worst(all: &mut HashMap<usize, EngineNode>, node: EngineNode) {
    if node.grade == Grade::Identical {
        return;
    }
    let known = all.entry(node.index).or_insert(node);
    let skew = known.skew_difference_degrees.max(node.skew_difference_degrees);
    let figures = |node: &EngineNode| (node.grade, node.displacement, node.skew_difference_degrees);
    // At rest, unless it is worse in motion by more than rounding.
    let is_worse = match (node.motion, known.motion) {
        (Some(_), None) => is_worse_in_motion(figures(&node), figures(known)),
        (None, Some(_)) => !is_worse_in_motion(figures(known), figures(&node)),
        _ => node.worse_first(known).is_lt(),
    };
    if is_worse {
        *known = node;
    }
    known.skew_difference_degrees = skew;
}

fn engine_node(index: usize, figures: &Figures) -> EngineNode {
    EngineNode {
        index,
        grade: figures.grade(),
        displacement: figures.displacement.unwrap_or(0.0),
        displacement_percent: figures.displacement_percent,
        skew_difference_degrees: figures.skew_difference_degrees.unwrap_or(0.0),
        turned_degrees: figures.turned_degrees,
        motion: None,
    }
}

fn engine_node_in_motion(node: &NodeMotion, animation: usize) -> EngineNode {
    let peak = |peak: Option<Peak>| peak.map_or(0.0, |peak| peak.max);
    EngineNode {
        index: node.index,
        grade: node.grade(),
        displacement: peak(node.displacement),
        displacement_percent: node.displacement_percent,
        skew_difference_degrees: peak(node.skew_difference_degrees),
        turned_degrees: node.turned_degrees.map(|peak| peak.max),
        motion: Some((animation, node.worst_seconds().unwrap_or(0.0))),
    }
}
