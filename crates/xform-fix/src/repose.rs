//! New poses for nodes whose scale or matrix cannot stay, and the reasons against them.

use std::collections::{BTreeSet, HashMap, HashSet};

use nalgebra::{UnitQuaternion, Vector3};
use xform_compare::{SceneAudit, measure::UniformScale};
use xform_matrix::Trs;
use xform_scene::{LocalPose, animation::Track};

use crate::{
    bake::FLATTEST,
    non_uniform::subtree,
    refusal::{Refusal, Why},
    repair_kind::RepairKind,
    source::Source,
};

/// A node and its new pose.
#[derive(Clone, Debug)]
pub(crate) struct Reposed {
    pub(crate) node: usize,
    pub(crate) pose: Trs<f64>,
    /// The pose of a new node between it and its parent.
    pub(crate) helper: Option<Trs<f64>>,
    /// A half turn that its rotation is multiplied by from the right, at rest and at keyframes.
    pub(crate) half_turn: Option<UnitQuaternion<f64>>,
}

impl Source<'_> {
    /// Returns the new pose of a node, and the reasons against it.
    pub(crate) fn reposed(
        &self,
        audit: &SceneAudit,
        node: usize,
        kind: RepairKind,
    ) -> (Reposed, Vec<Refusal>) {
        let found = &audit.nodes[node];
        let as_it_is = Reposed { node, pose: found.local, helper: None, half_turn: None };
        let mut refusals = Vec::new();
        let mut refuse = |why| refusals.push(Refusal { node, why });
        self.check_animations(node, &mut refuse);
        let reposed = match kind {
            RepairKind::Uniform => {
                self.evened(as_it_is, found.local_residual.is_some(), &mut refuse)
            }
            RepairKind::Helper => self.with_helper(as_it_is, &mut refuse),
            // The audit already holds the nearest pose; baking and leaves do not get here.
            RepairKind::Nearest | RepairKind::Bake | RepairKind::Leaf => as_it_is,
        };
        let sets: &[_] = match (kind, reposed.half_turn) {
            (RepairKind::Uniform, None) => &["scale", "matrix"],
            (RepairKind::Uniform, Some(_)) => &["scale", "matrix", "rotation"],
            _ => &["translation", "rotation", "scale", "matrix"],
        };
        self.check_pointers(node, sets, &mut refuse);
        (reposed, refusals)
    }

    /// Returns refusals by top: for nodes below it that cannot be measured, or that would move without being vertices. How
    /// far a repair that is not exact moves vertices depends on how they are animated, and on the nodes above.
    pub(crate) fn around(
        &self,
        audit: &SceneAudit,
        kind: RepairKind,
        tops: &BTreeSet<usize>,
    ) -> HashMap<usize, Vec<Refusal>> {
        let mut around: HashMap<usize, Vec<Refusal>> = HashMap::new();
        let mut of_file = Vec::new();
        if !kind.is_exact() {
            self.check_avatar(&mut |why| of_file.push(why));
        }
        for why in of_file {
            let refusal = |&node: &usize| (node, vec![Refusal { node, why: why.clone() }]);
            around.extend(tops.iter().map(refusal));
        }
        if !kind.is_exact() {
            for refusal in self.unread_around(tops) {
                around.entry(refusal.0).or_default().push(refusal.1);
            }
        }
        for (node, part) in self.document.nodes.iter().enumerate() {
            let mut found = Vec::new();
            if !kind.is_exact() {
                part.is.check(&mut |why| found.push(why));
            }
            let factors = audit.nodes[node].by_matrix.linear().singular_values();
            let is_flat = factors.min() <= FLATTEST * factors.max();
            if is_flat && part.is.mesh.is_some() && part.is.skin.is_none() {
                found.push(Why::Flat);
            }
            if found.is_empty() {
                continue;
            }
            for top in self.upwards(node).filter(|at| tops.contains(at)) {
                let refusals = found.iter().map(|why| Refusal { node, why: why.clone() });
                around.entry(top).or_default().extend(refusals);
            }
        }
        around
    }

    /// Returns for each top the nearest node above it and the first below it that an animation moves which could not be
    /// read.
    fn unread_around(&self, tops: &BTreeSet<usize>) -> Vec<(usize, Refusal)> {
        let refusal = |node: usize| {
            let why = self.unread.get(&Some(node))?;
            Some(Refusal { node, why: Why::UnreadAnimation((*why).to_owned()) })
        };
        let mut found = Vec::new();
        let mut nearest = vec![None; self.children.len()];
        let roots =
            (0..self.children.len()).filter(|&node| self.scene.nodes[node].parent.is_none());
        for node in roots.flat_map(|root| subtree(&self.children, root)) {
            if let Some(parent) = self.scene.nodes[node].parent {
                let is_unread = self.unread.contains_key(&Some(parent));
                nearest[node] = if is_unread { Some(parent) } else { nearest[parent] };
            }
            if tops.contains(&node) {
                found.extend(nearest[node].and_then(refusal).map(|refusal| (node, refusal)));
            }
        }
        let mut is_told = HashSet::new();
        for node in 0..self.children.len() {
            let Some(refusal) = refusal(node) else { continue };
            // The tops above one that is told are told as well.
            let above = self.upwards(node).skip(1).filter(|at| tops.contains(at));
            let new: Vec<_> = above.take_while(|&top| is_told.insert(top)).collect();
            found.extend(new.into_iter().map(|top| (top, refusal.clone())));
        }
        found
    }

    fn evened(
        &self,
        mut reposed: Reposed,
        is_sheared: bool,
        refuse: &mut dyn FnMut(Why),
    ) -> Reposed {
        let pose = &mut reposed.pose;
        if is_sheared {
            refuse(Why::Sheared);
        }
        if pose.scale.iter().any(|&factor| factor == 0.0) {
            refuse(Why::Flat);
        }
        let mirrors = |scale: &Vector3<f64>| scale.map(f64::signum);
        let curves = self.tracks(reposed.node).filter_map(|track| match track {
            Track::Scale(curve) => Some(curve),
            _ => None,
        });
        let mut keyframes = curves.flat_map(|curve| {
            (0..curve.times().len()).map(|keyframe| Vector3::from(*curve.value(keyframe)))
        });
        if keyframes.any(|scale| {
            scale.iter().any(|&factor| factor == 0.0) || mirrors(&scale) != mirrors(&pose.scale)
        }) {
            refuse(Why::ThroughZero);
        }
        let uniform = UniformScale::of(&pose.scale);
        reposed.half_turn = uniform.half_turn.map(|axis| {
            // Built exactly, without rounding.
            let turn = nalgebra::Quaternion::from_parts(0.0, Vector3::ith(axis, 1.0));
            UnitQuaternion::new_unchecked(turn)
        });
        pose.scale = Vector3::repeat(uniform.factor);
        if let Some(turn) = reposed.half_turn {
            pose.rotation *= turn;
        }
        reposed
    }

    fn with_helper(&self, reposed: Reposed, refuse: &mut dyn FnMut(Why)) -> Reposed {
        let node = reposed.node;
        if self.scene.nodes[node].parent.is_some() && self.document.is_root_of_a_scene(node) {
            refuse(Why::TwoPlaces);
        }
        let nested = match &self.scene.nodes[node].local {
            LocalPose::Matrix(matrix) => matrix.to_nested_trs(),
            LocalPose::Trs(_) => None,
        };
        match nested {
            Some([outer, inner]) => Reposed { helper: Some(outer), pose: inner, ..reposed },
            None => {
                refuse(Why::NotFinite);
                reposed
            }
        }
    }
}
