//! Ablation: finds the scale, or the inherit type of an FBX file, that a difference depends on.

// The cause is the candidate that removes most of the figure that a node is ranked by, its displacement. When
// causes were chosen by the linear difference, the named scale removed less than half of the displacement on
// 16 of 26 nodes with several candidates, and on 8 of them another candidate did clearly better.

mod placing;
mod refolding;
mod types;

use std::iter;

use xform_scene::Scene;

use super::{
    metrics::{displacement, linear_difference},
    shows::ShowPair,
    skinned::{PosedJoint, SkinnedMesh},
    worlds::Worlds,
};
use crate::audit::{Cause, CauseKind, Contribution, NodeAudit};
use placing::{Ablatable, Placed, Placing, linear_of};
pub(super) use types::Types;

pub(super) use placing::{REFOLDED, TRIED};

/// The number of best candidates that are tried in pairs, if no single candidate is the cause.
const PAIRED: usize = 8;

/// The fraction of the whole by which a candidate must remove more than a nearer one to be better.
const BETTER: f64 = 1e-9;

/// The number of worst nodes that get the contribution of every candidate. It is limited for the size of the
/// output.
pub(super) const IN_FULL: usize = 100;

/// The number of nodes that get a cause if each candidate needs a walk down the hierarchy; and, if each needs a walk
/// over the whole file, that number times the number of nodes in the file.
const REFOLDED_NODES: usize = 1000;
const RETYPED_NODES: usize = 40_000;

/// Finds the causes of a scene's differences by making one scale after another uniform.
pub(super) struct Ablation<'a> {
    placing: Placing<'a>,
    pair: ShowPair<'a>,
    /// Present if the two shows differ by inherit types.
    types: Option<Types<'a>>,
}

/// Returns the world transforms of a node without some scales.
type Placer<'a> = Box<dyn Fn(&Ablatable) -> Option<Placed> + 'a>;

/// The subject of a cause: a node, or its skinned mesh, which several nodes place.
struct Subject<'a> {
    audit: &'a NodeAudit,
    /// The node itself; or the joints that vertices follow, ordered by node.
    targets: Vec<Ablatable>,
    mesh: Option<&'a SkinnedMesh>,
    /// The indices in `targets` of the joints that the farthest vertex follows, the heaviest first.
    foremost: Vec<usize>,
}

/// The figures of a node with or without some scales.
#[derive(Clone, Copy)]
struct Figures {
    displacement: Option<f64>,
    difference: Option<f64>,
    skew_degrees: Option<f64>,
}

impl Subject<'_> {
    /// Returns the index of a joint among the targets.
    fn place(&self, joint: usize) -> Option<usize> {
        self.targets.binary_search_by_key(&joint, |target| target.node).ok()
    }

    /// Returns the figure that the node is ranked by and that a cause must remove: its displacement or, if it
    /// has none that counts, its linear difference.
    fn figure(&self, figures: &Figures) -> Option<f64> {
        if self.audit.is_by_place() { figures.displacement } else { figures.difference }
    }

    fn figures(&self) -> Figures {
        let NodeAudit { displacement, linear_difference, skew_difference_degrees, .. } =
            *self.audit;
        match self.mesh {
            Some(_) => Figures { displacement, difference: None, skew_degrees: None },
            None => Figures {
                displacement,
                difference: linear_difference,
                skew_degrees: skew_difference_degrees,
            },
        }
    }
}

impl<'a> Ablation<'a> {
    pub(super) fn new(scene: &'a Scene, worlds: &'a Worlds, pair: ShowPair<'a>) -> Self {
        let are_strategies = pair.are_strategies();
        let types = Types::of(scene, worlds, pair).filter(|_| !are_strategies);
        let odd_rotations = if are_strategies { Vec::new() } else { odd_rotations(scene, pair) };
        Self { placing: Placing::new(scene, worlds, odd_rotations), pair, types }
    }

    /// The largest number of nodes for which causes are found.
    pub(super) fn at_most(&self) -> usize {
        match &self.types {
            _ if self.pair.are_strategies() => usize::MAX,
            Some(_) => (RETYPED_NODES / self.placing.scene.nodes.len()).clamp(1, REFOLDED_NODES),
            None => REFOLDED_NODES,
        }
    }

    fn kind(&self, candidate: usize) -> CauseKind {
        match &self.types {
            Some(_) => CauseKind::InheritType,
            None if self.placing.is_odd_rotation(candidate) => CauseKind::Rotation,
            None => CauseKind::Scale,
        }
    }

    fn target(&self, node: usize) -> Ablatable {
        match &self.types {
            Some(types) => types.target(node),
            None => self.placing.target(node, !self.pair.are_strategies()),
        }
    }

    /// Returns a function that places nodes without the effect of some candidates. It returns `None` if none
    /// of the candidates is above the node, or if the result is unknown.
    fn placed<'b>(&'b self, removed: &'b [usize]) -> Placer<'b> {
        match &self.types {
            Some(types) => {
                let placed = types.placed(removed);
                Box::new(move |target| placed(target.node))
            }
            None if self.pair.are_strategies() => {
                Box::new(|target| self.placing.placed(target, removed))
            }
            None => Box::new(|target| refolding::placed(&self.placing, self.pair, target, removed)),
        }
    }

    /// Returns the cause of a node's difference; `None` if there is no candidate, or if the figure to remove
    /// is undefined. `is_in_full` adds the contribution of each candidate.
    pub(super) fn cause(&self, audit: &NodeAudit, is_in_full: bool) -> Option<Cause> {
        let subject = self.subject(audit);
        let before = subject.figures();
        let whole = subject.figure(&before)?;
        let removing = |removed: &[usize]| {
            let figures = self.without(&subject, removed)?;
            Some((whole - subject.figure(&figures)?, figures))
        };
        let alone = |scaler: usize| {
            let (removes, figures) = removing(&[scaler])?;
            Some((contribution(scaler, &before, &figures), removes))
        };
        let candidates = self.candidates(&subject, &subject.foremost);
        let mut tried: Vec<_> = candidates.into_iter().filter_map(alone).collect();
        let better = |best: &(_, f64), other: &(_, f64)| other.1 > best.1 + BETTER * whole;
        let &(mut best, mut removes) =
            tried.iter().reduce(|best, other| if better(best, other) { other } else { best })?;
        let mut partner = None;
        if removes < Cause::HALF * whole {
            let mut foremost: Vec<_> =
                tried.iter().map(|&(one, removes)| (one.scaler, removes)).collect();
            // Among candidates that remove equally much within rounding, the nearest comes first.
            let steps = |removes: f64| (removes / (BETTER * whole)).round();
            foremost.sort_by(|a, b| steps(b.1).total_cmp(&steps(a.1)));
            foremost.truncate(PAIRED);
            let pairs = foremost.iter().enumerate();
            let pairs =
                pairs.flat_map(|(i, &(a, _))| foremost[i + 1..].iter().map(move |&(b, _)| [a, b]));
            let mut pairs: Vec<_> = pairs.collect();
            // Without the best candidate, the vertex of a mesh that is then farthest may have another cause,
            // such as the same scale on the other side.
            let next = self.next(&subject, best.scaler);
            let others = self.candidates(&subject, &next).into_iter();
            let is_new = |other: &usize| tried.iter().all(|(one, _)| one.scaler != *other);
            let others: Vec<_> = others.filter(is_new).collect();
            pairs.extend(others.iter().map(|&other| [best.scaler, other]));
            tried.extend(others.into_iter().filter_map(alone));
            for [one, other] in pairs {
                let Some((together, figures)) = removing(&[one, other]) else {
                    continue;
                };
                if together >= Cause::HALF * whole && together > removes + BETTER * whole {
                    removes = together;
                    best = contribution(one, &before, &figures);
                    partner = Some(other);
                }
            }
        }
        let contributions = tried.iter().map(|(contribution, _)| *contribution);
        Some(Cause {
            kind: self.kind(best.scaler),
            scaler: best.scaler,
            partner,
            rotator: self.rotator(&subject, best.scaler),
            removes_fraction: removes / whole,
            removes_displacement: best.removes_displacement,
            removes_difference: best.removes_difference,
            removes_skew_degrees: best.removes_skew_degrees,
            candidates: tried.len(),
            is_cut: subject.targets.iter().any(|target| target.is_cut),
            contributions: if is_in_full && tried.len() > 1 {
                contributions.collect()
            } else {
                Vec::new()
            },
        })
    }

    fn subject<'b>(&'b self, audit: &'b NodeAudit) -> Subject<'b> {
        let node = audit.index;
        let Some(mesh) = self.placing.worlds.skinned(node) else {
            let targets = vec![self.target(node)];
            return Subject { audit, targets, mesh: None, foremost: vec![0] };
        };
        let mut joints: Vec<_> = mesh.joints().collect();
        joints.sort_unstable();
        joints.dedup();
        let targets = joints.into_iter().map(|joint| self.target(joint)).collect();
        let subject = Subject { audit, targets, mesh: Some(mesh), foremost: Vec::new() };
        // A joint that the farthest vertex does not follow cannot bring it nearer. So only the joints that it
        // follows, and their ancestors, are searched for a cause.
        let foremost = self.followed(&subject, mesh, &[]);
        Subject { foremost, ..subject }
    }

    /// Returns the target indices of the joints that the farthest vertex of a mesh follows, with some scales
    /// made uniform.
    fn followed(&self, subject: &Subject<'_>, mesh: &SkinnedMesh, removed: &[usize]) -> Vec<usize> {
        let farthest = mesh.farthest(&self.joints(subject, mesh, removed));
        let followed = farthest.map_or_else(Vec::new, |farthest| mesh.followed(farthest.follows));
        followed.into_iter().filter_map(|joint| subject.place(joint)).collect()
    }

    /// For a mesh, returns the foremost targets with a scale made uniform.
    fn next(&self, subject: &Subject<'_>, scaler: usize) -> Vec<usize> {
        subject.mesh.map_or_else(Vec::new, |mesh| self.followed(subject, mesh, &[scaler]))
    }

    /// Returns the joints of a mesh with some scales made uniform.
    fn joints(
        &self,
        subject: &Subject<'_>,
        mesh: &SkinnedMesh,
        removed: &[usize],
    ) -> Vec<PosedJoint> {
        let (placed, worlds) = (self.placed(removed), self.placing.worlds);
        mesh.posed(|joint| {
            let target = subject.place(joint).map(|place| &subject.targets[place]);
            let placed = target.and_then(&placed);
            placed.map_or_else(|| self.pair.matrices(worlds, joint), |placed| placed.worlds)
        })
    }

    /// Returns the candidates for a cause, each once, nearest first for each foremost target.
    ///
    /// Both strategies treat a node's own scale alike, so it is not a candidate unless it comes from a matrix
    /// that is not a pose.
    fn candidates(&self, subject: &Subject<'_>, foremost: &[usize]) -> Vec<usize> {
        let mut all = Vec::new();
        for target in foremost.iter().map(|&place| &subject.targets[place]) {
            for &(node, _) in &target.candidates {
                let is_candidate = !self.pair.are_strategies()
                    || subject.mesh.is_some()
                    || node != target.node
                    || self.placing.worlds.poses.residual(node).is_some();
                if is_candidate && !all.contains(&node) {
                    all.push(node);
                }
            }
        }
        all
    }

    /// Returns the figures with one scale, or two, made uniform; `None` if they are not finite.
    fn without(&self, subject: &Subject<'_>, removed: &[usize]) -> Option<Figures> {
        if let Some(mesh) = subject.mesh {
            let displacement = mesh
                .farthest(&self.joints(subject, mesh, removed))
                .map(|farthest| farthest.displacement);
            let is_finite = displacement.is_none_or(f64::is_finite);
            let figures = Figures { displacement, difference: None, skew_degrees: None };
            return is_finite.then_some(figures);
        }
        let Placed { worlds: [a, b], skew_difference_degrees } =
            self.placed(removed)(&subject.targets[0])?;
        if !a.iter().chain(&b).all(|component| component.is_finite()) {
            return None;
        }
        let [linear, other] = [a, b].map(|world| linear_of(&world));
        Some(Figures {
            displacement: displacement(&a, &b, &subject.audit.bounds),
            difference: linear_difference(&linear, &other),
            skew_degrees: skew_difference_degrees,
        })
    }

    /// Returns the first node below the scaler whose rotation does not commute with the scale.
    fn rotator(&self, subject: &Subject<'_>, scaler: usize) -> Option<usize> {
        let below = |&place: &usize| {
            let Ablatable { node, candidates, .. } = &subject.targets[place];
            let nodes = iter::once(*node).chain(candidates.iter().map(|&(node, _)| node));
            let mut path: Vec<_> = nodes.collect();
            path.dedup();
            let position = path.iter().skip(1).position(|&node| node == scaler)?;
            path.truncate(position + 1);
            Some(path)
        };
        let mut path = subject.foremost.iter().find_map(below)?;
        let next = path.pop()?;
        self.placing.turned(next).or_else(|| {
            // Below the next candidate only the first rotation is examined.
            let lower = path.iter().rev().filter_map(|&node| self.placing.rotated(node));
            lower.into_iter().find(|&node| self.placing.is_turned(node, scaler))
        })
    }
}

/// Returns the nodes whose rotation is not a unit quaternion and that one of two shows squashes or turns
/// differently.
fn odd_rotations(scene: &Scene, pair: ShowPair<'_>) -> Vec<usize> {
    let nodes = (0..scene.nodes.len()).filter(|&node| scene.nodes[node].rotation_length.is_some());
    let is_odd = |&node: &usize| {
        [pair.reference, pair.other].into_iter().any(|show| show.imports_otherwise(node))
    };
    nodes.filter(is_odd).collect()
}

/// Returns the change that making a scale uniform causes, from the figures before and after.
fn contribution(scaler: usize, before: &Figures, after: &Figures) -> Contribution {
    let removed = |figure: fn(&Figures) -> Option<f64>| Some(figure(before)? - figure(after)?);
    Contribution {
        scaler,
        removes_displacement: removed(|figures| figures.displacement),
        removes_difference: removed(|figures| figures.difference),
        removes_skew_degrees: removed(|figures| figures.skew_degrees),
    }
}
