//! Selects the nodes for repairs other than baking.

// The scales to make uniform are found by axes and not from the audit's causes. A scale matters if something drawn
// below it is turned so that it mixes two axes that the scale sets apart, at rest or at a keyframe. Without those
// scales every two neighbours commute, so no difference is left. The cause that the audit names is one scale, and
// making it uniform may expose another that it hid.

use std::collections::BTreeSet;

use nalgebra::{Matrix3, Vector3};
use xform_compare::{
    Grade, SceneAudit,
    audit::{Accumulation, SCALE_ROUNDING},
};
use xform_scene::{LocalPose, animation::Track};

use crate::{
    non_uniform::{has_uniform_tangents, non_uniform, subtree},
    source::Source,
};

/// Returns the nodes whose `matrix` is sheared and matters. A skinned node without children does not: its mesh does not
/// follow it.
pub(crate) fn sheared(source: &Source<'_>, audit: &SceneAudit) -> BTreeSet<usize> {
    let matters = |node: usize| {
        source.document.nodes[node].is.skin.is_none() || !source.children[node].is_empty()
    };
    let sheared = audit.nodes.iter().filter(|node| node.local_residual.is_some());
    sheared.map(|node| node.index).filter(|&node| matters(node)).collect()
}

/// Returns the nodes in the subtrees of `tops` that must become uniform: those with a non-uniform scale above something
/// drawn that is turned relative to it, and those with a sheared `matrix`. Without these scales all engines show the
/// same.
///
/// If an engine does not pass on non-uniform scales, nothing needs to be turned.
pub(crate) fn to_make_uniform(
    source: &Source<'_>,
    audit: &SceneAudit,
    tops: &BTreeSet<usize>,
) -> BTreeSet<usize> {
    let (non_uniform, shows) = (non_uniform(source.scene), shows(source, audit));
    let groups = audit.engines.others().iter().filter(|group| group.grade > Grade::Identical);
    let engines = groups.flat_map(|group| &group.engines).chain(&audit.engines.reference);
    let is_lost =
        engines.map(|engine| engine.accumulation.rule).any(|rule| rule == Accumulation::UniformTrs);
    let all = tops.iter().flat_map(|&top| subtree(&source.children, top));
    let is_chosen = |&node: &usize| {
        audit.nodes[node].local_residual.is_some()
            || non_uniform[node] && source.is_turned_below(node, is_lost, &shows)
    };
    all.filter(is_chosen).collect()
}

/// Returns for each node whether something drawn follows it.
fn shows(source: &Source<'_>, audit: &SceneAudit) -> Vec<bool> {
    let mut shows = vec![false; audit.nodes.len()];
    for (index, node) in
        source.scene.nodes.iter().enumerate().filter(|(node, _)| audit.nodes[*node].counts)
    {
        match &node.skin {
            Some(skin) => skin.joints.iter().for_each(|joint| shows[joint.node] = true),
            None => shows[index] = true,
        }
    }
    shows
}

impl Source<'_> {
    /// Whether something drawn below a node is turned relative to its scale, itself or through a node between. With
    /// `turned`, everything below counts as turned.
    fn is_turned_below(&self, scaler: usize, turned: bool, shows: &[bool]) -> bool {
        let apart = self.axes_apart(scaler);
        let mut below: Vec<_> =
            self.children[scaler].iter().map(|&child| (child, turned)).collect();
        while let Some((node, is_turned)) = below.pop() {
            // The rotations of instances are in buffers that are not read here.
            let is_turned = is_turned || self.turns(node, apart) || self.has_instances(node);
            if is_turned && shows[node] {
                return true;
            }
            below.extend(self.children[node].iter().map(|&child| (child, is_turned)));
        }
        false
    }

    fn has_instances(&self, node: usize) -> bool {
        self.document.nodes[node].is.extensions.contains("EXT_mesh_gpu_instancing")
    }

    /// Returns which pairs of axes, xy, yz and zx, a node scales by different factors, at rest or at a keyframe.
    fn axes_apart(&self, node: usize) -> [bool; 3] {
        let mut apart = [false; 3];
        let mut add = |scale: Vector3<f64>| {
            for (i, apart) in apart.iter_mut().enumerate() {
                let [a, b] = [scale[i], scale[(i + 1) % 3]];
                *apart |= (a - b).abs() > SCALE_ROUNDING * a.abs().max(b.abs());
            }
        };
        match &self.scene.nodes[node].local {
            LocalPose::Trs(pose) => add(pose.scale),
            // A matrix may act along any axes.
            LocalPose::Matrix(_) => return [true; 3],
        }
        for track in self.tracks(node) {
            if let Track::Scale(curve) = track {
                (0..curve.times().len()).for_each(|keyframe| add((*curve.value(keyframe)).into()));
                if !has_uniform_tangents(curve) {
                    return [true; 3];
                }
            }
        }
        apart
    }

    /// Whether a node mixes the axes of a pair in `apart`, at rest or at a keyframe.
    fn turns(&self, node: usize, apart: [bool; 3]) -> bool {
        let mixes = |linear: Matrix3<f64>| {
            let of = |i: usize, j: usize| linear[(i, j)].abs().max(linear[(j, i)].abs());
            let size = linear.amax();
            (0..3).any(|i| apart[i] && of(i, (i + 1) % 3) > SCALE_ROUNDING * size)
        };
        let linear = self.scene.nodes[node].local.to_affine().linear();
        mixes(linear)
            || self.tracks(node).any(|track| match track {
                Track::Rotation(curve) => {
                    // Between keyframes it may turn about any axis that one of them turns about.
                    let about = curve.values().iter().fold([false; 3], |about, value| {
                        std::array::from_fn(|axis| {
                            about[axis] || value[axis].abs() > SCALE_ROUNDING
                        })
                    });
                    // A turn about one axis mixes the other two. If one pair of factors differs, at least two pairs do.
                    (0..3).any(|i| apart[i] && about[(i + 2) % 3])
                }
                _ => false,
            })
    }
}
