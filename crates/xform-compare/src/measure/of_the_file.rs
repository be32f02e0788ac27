//! Conversion of an audit of an FBX scene to the nodes that its file has. The figures of a
//! [helper](xform_scene::Node::is_helper) move to the file node that it shows, and helpers are left without
//! figures.

use xform_core::Trs;
use xform_scene::{Bounds, Scene, Warning};

use crate::audit::{
    AnimationAudit, AtWorst, Cause, Contribution, EngineAudit, EngineGroup, EngineNode, NodeAudit,
    NodeMotion, Role, SceneAudit, UnknownEngine,
};

/// Maps nodes of a scene to nodes of the file.
struct OfTheFile<'a>(&'a Scene);

/// Returns the nodes with the figures as the file has them.
pub(super) fn nodes(scene: &Scene, mut nodes: Vec<NodeAudit>) -> Vec<NodeAudit> {
    let Some(file) = &scene.fbx else { return nodes };
    let told = OfTheFile(scene);
    for (place, node) in file.nodes.iter().enumerate() {
        let depth = node.parent.map_or(0, |parent| nodes[parent].depth + 1);
        let own = nodes[place].clone();
        let shown = nodes[node.scaled].clone();
        if node.scaled != place {
            nodes[node.scaled] = untold(shown.clone());
        }
        nodes[place] = NodeAudit { parent: node.parent, depth, ..told.as_shown(own, shown) };
    }
    for root in nodes.iter_mut().skip(file.nodes.len()).filter(|node| node.parent.is_none()) {
        *root = untold(root.clone());
    }
    nodes
}

/// Returns the animations with the nodes that the file has.
pub(super) fn animations(scene: &Scene, animations: Vec<AnimationAudit>) -> Vec<AnimationAudit> {
    let told = OfTheFile(scene);
    let of_animation = |animation: AnimationAudit| {
        let nodes = animation.nodes.into_iter().filter_map(|node| {
            let index = told.node(node.index)?;
            Some(NodeMotion { index, ..node })
        });
        let mut nodes: Vec<_> = nodes.collect();
        nodes.sort_by_key(|node| node.index);
        AnimationAudit { nodes, ..animation }
    };
    if scene.fbx.is_none() {
        return animations;
    }
    animations.into_iter().map(of_animation).collect()
}

/// Converts the rest of an audit.
pub(super) fn audit(scene: &Scene, audit: SceneAudit) -> SceneAudit {
    if scene.fbx.is_none() {
        return audit;
    }
    let told = OfTheFile(scene);
    let at_worst = audit.at_worst.into_iter();
    let at_worst = at_worst.filter_map(|worst| told.at_worst(&audit.nodes, worst)).collect();
    let warnings = audit.warnings.into_iter().map(|warning| told.warning(warning)).collect();
    SceneAudit { at_worst, warnings, engines: told.engines(audit.engines), ..audit }
}

impl OfTheFile<'_> {
    /// Returns the node of the file that a node shows; `None` if it shows none.
    fn node(&self, node: usize) -> Option<usize> {
        self.0.of_file(node).filter(|&of_file| self.0.shown_by(of_file) == node)
    }

    /// Returns a node with the figures of the node that shows it.
    fn as_shown(&self, own: NodeAudit, shown: NodeAudit) -> NodeAudit {
        NodeAudit {
            index: own.index,
            name: own.name,
            parent: own.parent,
            depth: own.depth,
            local: own.local.with_scale(shown.local.scale),
            inherit_type: own.inherit_type,
            is_helper: false,
            cause: shown.cause.map(|cause| self.cause(cause)),
            ..shown
        }
    }

    fn cause(&self, cause: Cause) -> Cause {
        let of_file = |node: usize| self.0.of_file(node).unwrap_or(node);
        let contributions = cause.contributions.into_iter().map(|one| {
            let scaler = of_file(one.scaler);
            Contribution { scaler, ..one }
        });
        Cause {
            scaler: of_file(cause.scaler),
            partner: cause.partner.map(of_file),
            rotator: cause.rotator.map(of_file),
            contributions: contributions.collect(),
            ..cause
        }
    }

    fn at_worst(&self, at_rest: &[NodeAudit], worst: AtWorst) -> Option<AtWorst> {
        let index = self.node(worst.node.index)?;
        let mut posed: Vec<(usize, Trs<f64>)> = Vec::new();
        for (node, pose) in worst.posed {
            let of_file = self.0.of_file(node).unwrap_or(node);
            let place = posed.iter().position(|(known, _)| *known == of_file);
            let place = place.unwrap_or_else(|| {
                posed.push((of_file, at_rest[of_file].local));
                posed.len() - 1
            });
            // One of the two has the scale, the other has the rest of the pose.
            let known = &mut posed[place].1;
            let scale = if self.0.shown_by(of_file) == node { pose.scale } else { known.scale };
            let rest = if of_file == node { pose } else { *known };
            *known = rest.with_scale(scale);
        }
        Some(AtWorst { node: self.as_shown(at_rest[index].clone(), worst.node), posed, ..worst })
    }

    /// Converts a warning about a node. Its pointer is cleared, because it would point into the glTF form of
    /// this FBX file, which nobody has.
    fn warning(&self, mut warning: Warning) -> Warning {
        warning.node = warning.node.and_then(|node| self.0.of_file(node));
        if warning.pointer.starts_with("/nodes") {
            warning.pointer.clear();
        }
        warning
    }

    fn engines(&self, engines: EngineAudit) -> EngineAudit {
        let of_group = |group: EngineGroup| {
            let nodes = group.nodes.into_iter().filter_map(|node| {
                let index = self.node(node.index)?;
                Some(EngineNode { index, ..node })
            });
            let mut worlds = group.worlds;
            for node in (0..worlds.len()).take(self.0.nodes_of_the_file()) {
                worlds[node] = worlds[self.0.shown_by(node)];
            }
            EngineGroup { nodes: nodes.collect(), worlds, ..group }
        };
        let of_file = |node: usize| self.0.of_file(node).unwrap_or(node);
        let unknown = engines
            .unknown
            .into_iter()
            .map(|unknown| UnknownEngine { node: of_file(unknown.node), ..unknown });
        EngineAudit {
            groups: engines.groups.into_iter().map(of_group).collect(),
            unknown: unknown.collect(),
            ..engines
        }
    }
}

/// Returns a helper without figures.
fn untold(helper: NodeAudit) -> NodeAudit {
    NodeAudit {
        skew_degrees: None,
        group: None,
        linear_difference: Some(0.0),
        skew_difference_degrees: None,
        skew_group: None,
        displacement: None,
        displacement_percent: None,
        displacement_percent_of_itself: None,
        turned_degrees: None,
        cause: None,
        bounds: Bounds::Nothing,
        role: Role::Part,
        undrawn_in: Vec::new(),
        is_skinned: false,
        is_followed: false,
        counts: false,
        ..helper
    }
}
