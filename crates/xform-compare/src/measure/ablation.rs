use std::iter;

use nalgebra::{Matrix3, Matrix4, Vector3};
use xform_core::{Inherit, Transform, Trs};
use xform_matrix::AccumulatedMatrix;
use xform_trs::CombinedTrs;

use super::{
    metrics::{displacement, linear_difference, without_rounding, worst_skew_degrees},
    skinned::{PosedJoint, SkinnedMesh},
    worlds::Worlds,
};
use crate::{
    audit::{Cause, Contribution, DIFFERING_FRACTION, NodeAudit},
    scene::Scene,
};

/// How many of the nearest candidates are tried for a node.
pub(super) const TRIED: usize = 32;

/// How many nodes below a candidate are gone through again for a node, where one of them inherits
/// less than everything.
const REFOLDED: usize = 1000;

/// Of how many candidates pairs are tried, the best ones, where none is the cause alone.
const PAIRED: usize = 8;

/// A candidate is better than a nearer one only if it removes more by this fraction of the whole.
const BETTER: f64 = 1e-9;

/// What ablation needs to know of every node, so that a candidate costs the same however far it is.
pub(super) struct Ablation<'a> {
    scene: &'a Scene,
    worlds: &'a Worlds,
    steps: Vec<Step>,
}

/// A node, seen from its nearest candidate.
#[derive(Clone)]
struct Step {
    /// What it would be with a uniform scale, where it is a candidate.
    ablated: Option<Both>,
    /// The nearest candidate above it.
    candidate: Option<usize>,
    /// From that candidate down to its parent.
    above: Path,
    /// The first node below that candidate, down to this one, whose rotation does not commute with its scale.
    turned: Option<usize>,
    /// The first of these nodes that has a rotation.
    rotated: Option<usize>,
    /// The nearest node at or above it that inherits less than everything, so that steps across it are no products.
    reduced: Option<usize>,
}

/// A node in the world of both strategies. Its rotation by combined TRS is left out, since it hangs on no scale.
#[derive(Clone, Copy)]
struct Both {
    matrix: Matrix4<f64>,
    position: Vector3<f64>,
    scale: Vector3<f64>,
}

/// The steps from a node down to another, as one, for a node above of any scale.
#[derive(Clone, Copy)]
struct Path {
    /// The product of the local maps.
    matrix: Matrix4<f64>,
    /// The product of the scales, component by component.
    scale: Vector3<f64>,
    /// By combined TRS: how far the position moves with each component of the scale of the node above.
    reach: Matrix3<f64>,
}

impl Path {
    fn empty() -> Self {
        let (matrix, scale) = (Matrix4::identity(), Vector3::repeat(1.0));
        Self { matrix, scale, reach: Matrix3::zeros() }
    }

    fn then(&self, lower: &Self) -> Self {
        Self {
            matrix: self.matrix * lower.matrix,
            scale: self.scale.component_mul(&lower.scale),
            reach: self.reach + lower.reach * Matrix3::from_diagonal(&self.scale),
        }
    }
}

impl Both {
    fn of(matrix: &AccumulatedMatrix<f64>, trs: &CombinedTrs<f64>) -> Self {
        Self { matrix: *matrix.matrix(), position: trs.translation, scale: trs.scale }
    }

    fn below(&self, path: &Path) -> Self {
        Self {
            matrix: self.matrix * path.matrix,
            position: self.position + path.reach * self.scale,
            scale: self.scale.component_mul(&path.scale),
        }
    }
}

/// A node that is to be placed without some scales.
struct Target {
    node: usize,
    /// The nodes at and above it whose scale can be made uniform, the nearest first, each with the way from it down to the node.
    candidates: Vec<(usize, Path)>,
    /// Whether there are more.
    is_cut: bool,
}

/// What has a cause: a node, or its skinned mesh, which several nodes place.
struct Subject<'a> {
    audit: &'a NodeAudit,
    /// The node itself, or the joints that any vertex follows, in the order of their nodes.
    targets: Vec<Target>,
    mesh: Option<&'a SkinnedMesh>,
    /// The places in `targets` of those that what is farthest follows, the heaviest first.
    foremost: Vec<usize>,
}

/// The figures of a node, with or without some scales.
#[derive(Clone, Copy)]
struct Figures {
    displacement: Option<f64>,
    difference: Option<f64>,
    skew_degrees: Option<f64>,
}

impl Subject<'_> {
    /// The place of a joint among the targets.
    fn place(&self, joint: usize) -> Option<usize> {
        self.targets.binary_search_by_key(&joint, |target| target.node).ok()
    }

    /// What the node is ranked by, and so what a cause has to remove: its displacement, or where it has none that
    /// counts, its linear difference.
    fn figure(&self, figures: &Figures) -> Option<f64> {
        if self.audit.is_displaced() { figures.displacement } else { figures.difference }
    }

    fn figures(&self) -> Figures {
        let NodeAudit { displacement, linear_difference, skew_degrees, .. } = *self.audit;
        match self.mesh {
            Some(_) => Figures { displacement, difference: None, skew_degrees: None },
            None => Figures { displacement, difference: linear_difference, skew_degrees },
        }
    }
}

impl<'a> Ablation<'a> {
    pub(super) fn new(scene: &'a Scene, worlds: &'a Worlds) -> Self {
        let blank = Step {
            ablated: None,
            candidate: None,
            above: Path::empty(),
            turned: None,
            rotated: None,
            reduced: None,
        };
        let mut ablation = Self { scene, worlds, steps: vec![blank; scene.nodes.len()] };
        for &node in &worlds.order {
            ablation.steps[node] = ablation.step(node);
        }
        ablation
    }

    /// The step of a node whose parent's is known.
    fn step(&self, node: usize) -> Step {
        let local = self.local(node);
        let parent = self.handing_down(node);
        let above = parent.map(|parent| (parent, &self.steps[parent]));
        let is_reduced = above.is_some() && self.scene.nodes[node].inherit != Inherit::All;
        let is_candidate =
            is_non_uniform(&local.scale) || self.worlds.poses.residual(node).is_some();
        let own = Step {
            ablated: is_candidate.then(|| self.ablated(node)),
            candidate: above.and_then(|(parent, step)| match step.ablated {
                Some(_) => Some(parent),
                None => step.candidate,
            }),
            above: Path::empty(),
            turned: None,
            rotated: (local.rotation.vector().amax() > 0.0).then_some(node),
            reduced: if is_reduced { Some(node) } else { above.and_then(|(_, step)| step.reduced) },
        };
        let step = match above {
            Some((parent, above)) if above.ablated.is_none() => Step {
                above: above.above.then(&self.own(parent)),
                turned: above.turned,
                rotated: above.rotated.or(own.rotated),
                ..own
            },
            _ => own,
        };
        let is_turned = step.candidate.is_some_and(|candidate| self.is_turned(node, candidate));
        Step { turned: step.turned.or(is_turned.then_some(node)), ..step }
    }

    /// The parent of a node, where it has any part in the node's place.
    fn handing_down(&self, node: usize) -> Option<usize> {
        let node = &self.scene.nodes[node];
        node.parent.filter(|_| node.inherit != Inherit::Nothing)
    }

    fn local(&self, node: usize) -> &Trs<f64> {
        &self.worlds.poses.locals[node]
    }

    /// The step from the parent of a node down to it.
    fn own(&self, node: usize) -> Path {
        let local = self.local(node);
        Path { matrix: self.worlds.poses.matrix(node), scale: local.scale, reach: self.reach(node) }
    }

    /// By combined TRS: how far a node is from its parent by each component of the parent's world scale.
    fn reach(&self, node: usize) -> Matrix3<f64> {
        let turn = self.handing_down(node).map(|parent| self.worlds.by_trs[parent].rotation);
        let turn = turn.map_or_else(Matrix3::identity, |turn| *turn.to_rotation_matrix().matrix());
        turn * Matrix3::from_diagonal(&self.local(node).translation)
    }

    /// Whether a node's rotation and a candidate's scale do not commute.
    fn is_turned(&self, node: usize, candidate: usize) -> bool {
        let scaled = CombinedTrs::from(Trs::from_scale(self.local(candidate).scale));
        let turn = Trs::from_rotation(self.local(node).rotation);
        !scaled.is_step_exact(&turn, DIFFERING_FRACTION)
    }

    /// The cause of a node's difference; none where there is no candidate, or where what it is to remove is
    /// undefined. In full, it is told what each candidate contributes, and pairs are tried.
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
        if is_in_full && removes < Cause::HALF * whole {
            let mut foremost: Vec<_> =
                tried.iter().map(|&(one, removes)| (one.scaler, removes)).collect();
            foremost.sort_by(|a, b| b.1.total_cmp(&a.1));
            foremost.truncate(PAIRED);
            let pairs = foremost.iter().enumerate();
            let pairs =
                pairs.flat_map(|(i, &(a, _))| foremost[i + 1..].iter().map(move |&(b, _)| [a, b]));
            let mut pairs: Vec<_> = pairs.collect();
            // Of a mesh, what is farthest without the best may have another cause: the same on the other side.
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
            scaler: best.scaler,
            partner,
            rotator: self.rotator(&subject, best.scaler),
            removes_fraction: removes / whole,
            removes_displacement: best.removes_displacement,
            removes_difference: best.removes_difference,
            removes_skew_degrees: best.removes_skew_degrees,
            candidates: tried.len(),
            is_cut: subject.targets.iter().any(|target| target.is_cut),
            contributions: match is_in_full && tried.len() > 1 {
                true => contributions.collect(),
                false => Vec::new(),
            },
        })
    }

    fn subject<'b>(&'b self, audit: &'b NodeAudit) -> Subject<'b> {
        let node = audit.index;
        let Some(mesh) = self.worlds.skinned(node) else {
            let targets = vec![self.target(node)];
            return Subject { audit, targets, mesh: None, foremost: vec![0] };
        };
        let mut joints: Vec<_> = mesh.joints().collect();
        joints.sort_unstable();
        joints.dedup();
        let targets = joints.into_iter().map(|joint| self.target(joint)).collect();
        let subject = Subject { audit, targets, mesh: Some(mesh), foremost: Vec::new() };
        // What the farthest vertex does not follow can make it no nearer.
        let foremost = self.followed(&subject, mesh, &[]);
        Subject { foremost, ..subject }
    }

    /// The places of what the vertex of a mesh follows that is farthest with some scales made uniform.
    fn followed(&self, subject: &Subject<'_>, mesh: &SkinnedMesh, removed: &[usize]) -> Vec<usize> {
        let farthest = mesh.farthest(&self.joints(subject, mesh, removed));
        let followed = farthest.map_or_else(Vec::new, |farthest| mesh.followed(farthest.follows));
        followed.into_iter().filter_map(|joint| subject.place(joint)).collect()
    }

    /// Of a mesh, the places of what is foremost with a scale made uniform.
    fn next(&self, subject: &Subject<'_>, scaler: usize) -> Vec<usize> {
        subject.mesh.map_or_else(Vec::new, |mesh| self.followed(subject, mesh, &[scaler]))
    }

    /// The joints of a mesh with some scales made uniform.
    fn joints(
        &self,
        subject: &Subject<'_>,
        mesh: &SkinnedMesh,
        removed: &[usize],
    ) -> Vec<PosedJoint> {
        mesh.posed(|joint| {
            let target = subject.place(joint).map(|place| &subject.targets[place]);
            let placed = target.and_then(|target| self.placed(target, removed));
            placed.map_or_else(|| self.worlds.both(joint), |placed| placed.worlds)
        })
    }

    /// The candidates for a cause, each once: of what is foremost the nearest first. What a node makes of its own scale
    /// is the same under both strategies.
    fn candidates(&self, subject: &Subject<'_>, foremost: &[usize]) -> Vec<usize> {
        let mut all = Vec::new();
        for target in foremost.iter().map(|&place| &subject.targets[place]) {
            for &(node, _) in &target.candidates {
                let is_candidate = subject.mesh.is_some()
                    || node != target.node
                    || self.worlds.poses.residual(node).is_some();
                if is_candidate && !all.contains(&node) {
                    all.push(node);
                }
            }
        }
        all
    }

    fn target(&self, node: usize) -> Target {
        let mut candidates = Vec::new();
        let mut path = Path::empty();
        if self.steps[node].ablated.is_some() {
            candidates.push((node, path));
        }
        let mut at = node;
        while let Some(candidate) = self.steps[at].candidate {
            let is_far = self.steps[candidate].reduced != self.steps[node].reduced
                && self.between(candidate, node).is_none();
            let tried = candidates.iter().filter(|(other, _)| *other != node).count();
            if tried == TRIED || is_far {
                return Target { node, candidates, is_cut: true };
            }
            path = self.steps[at].above.then(&self.own(at)).then(&path);
            candidates.push((candidate, path));
            at = candidate;
        }
        Target { node, candidates, is_cut: false }
    }

    /// The world of a candidate with its scale made uniform.
    fn ablated(&self, candidate: usize) -> Both {
        let (matrix, trs) = match self.handing_down(candidate) {
            Some(parent) => (self.worlds.by_matrix[parent], self.worlds.by_trs[parent]),
            None => (AccumulatedMatrix::identity(), CombinedTrs::identity()),
        };
        let (local, inherit) = (self.uniform(candidate), self.scene.nodes[candidate].inherit);
        let matrix = matrix.concat_inheriting(&local, inherit);
        Both::of(&matrix, &trs.concat_inheriting(&local, inherit))
    }

    /// The local pose of a candidate with its scale made uniform.
    fn uniform(&self, candidate: usize) -> Trs<f64> {
        let local = self.local(candidate);
        local.with_scale(Vector3::repeat(made_uniform(&local.scale)))
    }

    /// The figures with one scale, or two, made uniform; none where they are not finite.
    fn without(&self, subject: &Subject<'_>, removed: &[usize]) -> Option<Figures> {
        if let Some(mesh) = subject.mesh {
            let displacement = mesh
                .farthest(&self.joints(subject, mesh, removed))
                .map(|farthest| farthest.displacement);
            let is_finite = displacement.is_none_or(f64::is_finite);
            let figures = Figures { displacement, difference: None, skew_degrees: None };
            return is_finite.then_some(figures);
        }
        let Placed { worlds: [matrix, trs], axes } = self.placed(&subject.targets[0], removed)?;
        if !matrix.iter().chain(&trs).all(|component| component.is_finite()) {
            return None;
        }
        let [linear, by_trs] = [matrix, trs].map(|world| linear_of(&world));
        Some(Figures {
            displacement: displacement(&matrix, &trs, &subject.audit.bounds),
            difference: linear_difference(&linear, &by_trs),
            skew_degrees: worst_skew_degrees(&axes),
        })
    }

    /// Where a node is with one scale, or two, made uniform; none where none of them is above it.
    fn placed(&self, target: &Target, removed: &[usize]) -> Option<Placed> {
        let is_removed = |(candidate, _): &(usize, Path)| removed.contains(candidate);
        let top = target.candidates.iter().rposition(is_removed)?;
        let nearest = target.candidates.iter().position(is_removed)?;
        let (uppermost, path) = &target.candidates[top];
        if self.steps[*uppermost].reduced != self.steps[target.node].reduced {
            return self.refolded(*uppermost, target.node, removed);
        }
        let mut both = self.steps[*uppermost].ablated?;
        let mut path = path;
        for (candidate, below) in target.candidates[nearest..top].iter().rev() {
            both = both.below(&self.steps[*candidate].above);
            path = below;
            both = match removed.contains(candidate) {
                true => {
                    let (local, reach) = (self.uniform(*candidate), self.reach(*candidate));
                    let (matrix, scale) = (local.to_homogeneous(), local.scale);
                    both.below(&Path { matrix, scale, reach })
                }
                false => both.below(&self.own(*candidate)),
            };
        }
        let axes = [both.matrix, path.matrix].map(|matrix| linear_of(&matrix));
        let both = both.below(path);
        let rotation = self.worlds.by_trs[target.node].rotation;
        let trs = CombinedTrs::from_parts(both.position, rotation, both.scale);
        Some(Placed {
            worlds: [both.matrix, trs.to_homogeneous()],
            axes: without_rounding(&linear_of(&both.matrix), &axes[0], &axes[1]),
        })
    }

    /// The nodes below a candidate down to a node, uppermost first; none where they are too many.
    fn between(&self, candidate: usize, node: usize) -> Option<Vec<usize>> {
        let upwards = iter::successors(Some(node), |&node| self.handing_down(node));
        let below = upwards.take_while(|&node| node != candidate).take(REFOLDED + 1);
        let mut nodes: Vec<_> = below.collect();
        nodes.reverse();
        (nodes.len() <= REFOLDED).then_some(nodes)
    }

    /// Like [`placed`](Self::placed), but step by step, for paths on which steps are no products.
    fn refolded(&self, uppermost: usize, node: usize, removed: &[usize]) -> Option<Placed> {
        let Both { matrix, position, scale } = self.steps[uppermost].ablated?;
        let rotation = self.worlds.by_trs[uppermost].rotation;
        let mut matrix = AccumulatedMatrix::from_matrix(matrix)?;
        let mut trs = CombinedTrs::from_parts(position, rotation, scale);
        for node in self.between(uppermost, node)? {
            if removed.contains(&node) {
                let (local, inherit) = (self.uniform(node), self.scene.nodes[node].inherit);
                matrix = matrix.concat_inheriting(&local, inherit);
                trs = trs.concat_inheriting(&local, inherit);
            } else {
                matrix = self.worlds.poses.matrix_below(node, &matrix);
                trs = self.worlds.poses.trs_below(node, &trs);
            }
        }
        let axes = without_rounding(&matrix.linear(), &matrix.linear(), &Matrix3::identity());
        Some(Placed { worlds: [*matrix.matrix(), trs.to_homogeneous()], axes })
    }

    /// The first node below the scaler whose rotation does not commute with its scale.
    fn rotator(&self, subject: &Subject<'_>, scaler: usize) -> Option<usize> {
        let below = |&place: &usize| {
            let Target { node, candidates, .. } = &subject.targets[place];
            let nodes = iter::once(*node).chain(candidates.iter().map(|&(node, _)| node));
            let mut path: Vec<_> = nodes.collect();
            path.dedup();
            let position = path.iter().skip(1).position(|&node| node == scaler)?;
            path.truncate(position + 1);
            Some(path)
        };
        let mut path = subject.foremost.iter().find_map(below)?;
        let next = &self.steps[path.pop()?];
        next.turned.or_else(|| {
            // Below the next candidate only the first rotation is looked at.
            let lower = path.iter().rev().filter_map(|&node| self.steps[node].rotated);
            lower.into_iter().find(|&node| self.is_turned(node, scaler))
        })
    }
}

/// Where a node is under both strategies, and its axes by matrices without those that are rounding alone.
struct Placed {
    worlds: [Matrix4<f64>; 2],
    axes: Matrix3<f64>,
}

fn linear_of(matrix: &Matrix4<f64>) -> Matrix3<f64> {
    matrix.fixed_view::<3, 3>(0, 0).into_owned()
}

/// What is removed by making a scale uniform, from the figures before and after.
fn contribution(scaler: usize, before: &Figures, after: &Figures) -> Contribution {
    let removed = |figure: fn(&Figures) -> Option<f64>| Some(figure(before)? - figure(after)?);
    Contribution {
        scaler,
        removes_displacement: removed(|figures| figures.displacement),
        removes_difference: removed(|figures| figures.difference),
        removes_skew_degrees: removed(|figures| figures.skew_degrees),
    }
}

/// Whether a scale differs among the axes by more than authored rounding.
pub(crate) fn is_non_uniform(scale: &Vector3<f64>) -> bool {
    scale.max() - scale.min() > DIFFERING_FRACTION * scale.amax()
}

/// The uniform scale that stands for another: the geometric mean of |s|, the sign of the
/// determinant kept, 1 where it is 0.
pub(crate) fn made_uniform(scale: &Vector3<f64>) -> f64 {
    // One root at a time, so that the product neither overflows nor vanishes.
    let mean: f64 = scale.iter().map(|factor| libm::cbrt(factor.abs())).product();
    let sign: f64 = scale.iter().map(|factor| factor.signum()).product();
    if mean > 0.0 { mean * sign } else { 1.0 }
}
