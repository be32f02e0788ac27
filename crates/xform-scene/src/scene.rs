use std::path::PathBuf;

use nalgebra::Vector3;
use xform_core::Trs;
use xform_engines::LocalPose;

use crate::{
    Animation, ColliderSource, Drawing, Node, NodeCollider, Warning, WarningCode,
    animation::Channel,
    collider::add_names,
    fbx::{FbxHierarchy, FbxSettings},
    text::NodeNames,
};

/// Nodes under one another, as a file or a generator gives them.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Scene {
    /// The name of the scene in reports: the path of a file, or the name of a built-in scene.
    pub source: String,
    /// The nodes at rest, in any order; a parent is an index into this list. Of a file, the nodes are as they are there, and
    /// [instances](Node::instance_of) stand behind them.
    pub nodes: Vec<Node>,
    /// The animations that move the nodes.
    pub animations: Vec<Animation>,
    /// What the nodes of its FBX file take of their parents' scales, if it is from one.
    pub fbx: Option<FbxHierarchy>,
    /// The files that its buffers are in, whether they were read or not.
    pub buffers: Vec<PathBuf>,
    /// Whether nodes that [draw](Node::draws) nothing count towards the grade of the scene.
    pub counts_undrawn: bool,
    /// The shapes that its nodes collide with, in the order of the nodes. No figure but those of physics engines depends on them.
    pub colliders: Vec<NodeCollider>,
    /// What a viewer draws of it, where that was read. No figure depends on it.
    pub drawing: Drawing,
    /// Oddities that were found when it was read.
    pub warnings: Vec<Warning>,
}

impl Scene {
    /// The pointer of the warning that all animations were left aside.
    pub const ANIMATIONS: &str = "/animations";

    /// A scene of these nodes, without animations and warnings.
    #[must_use]
    pub fn new(source: impl Into<String>, nodes: Vec<Node>) -> Self {
        Self { source: source.into(), nodes, ..Self::default() }
    }

    /// Whether every node counts towards the grade of the scene: because that is [wanted](Self::counts_undrawn), or
    /// because none of them [draws](Node::draws) anything.
    pub fn counts_all(&self) -> bool {
        self.counts_undrawn || !self.nodes.iter().any(Node::draws)
    }

    /// Reads the colliders that names of nodes ask for again, where nodes have become [helpers](Node::is_helper) since: those go by the name of the node that they
    /// stand for.
    pub fn read_names_again(&mut self) {
        let by_name = |source| {
            use ColliderSource::{ColliderSuffix, GodotSuffix, UnrealPrefix};
            matches!(source, ColliderSuffix | GodotSuffix | UnrealPrefix)
        };
        self.colliders.retain(|collider| !by_name(collider.source));
        add_names(&mut self.colliders, &self.nodes);
    }

    /// The scene without its animations, with a warning that says so where there were any.
    #[must_use]
    pub fn at_rest(mut self) -> Self {
        let animations = match self.animations.len() {
            0 => return self,
            1 => "1 animation moves".to_owned(),
            count => format!("{count} animations move"),
        };
        self.animations.clear();
        let message = format!("{animations} nodes; only the pose at rest was audited");
        self.warnings.push(Warning::new(
            WarningCode::AnimationNotSampled,
            Self::ANIMATIONS,
            message,
        ));
        self
    }

    /// The scene as it stands at a time, in seconds, of one of its animations, by position in
    /// [`animations`](Self::animations). The result has no animations of its own.
    ///
    /// A channel of a node that does not exist, or that has a matrix, moves nothing.
    ///
    /// # Panics
    ///
    /// If there is no such animation.
    #[must_use]
    pub fn posed(&self, animation: usize, time: f64) -> Self {
        let mut posed = Self::new(self.source.clone(), self.nodes.clone());
        posed.counts_undrawn = self.counts_undrawn;
        posed.fbx.clone_from(&self.fbx);
        posed.colliders.clone_from(&self.colliders);
        for Channel { node, track } in &self.animations[animation].channels {
            if let Some(Node { local: LocalPose::Trs(pose), rotation_length, .. }) =
                posed.nodes.get_mut(*node)
            {
                let rotation = pose.rotation;
                *pose = track.pose(pose, time);
                // The length is that of the rotation in the pose at rest.
                *rotation_length = rotation_length.filter(|_| pose.rotation == rotation);
            }
        }
        posed
    }
}

impl Scene {
    /// The settings of the FBX file that the scene is from; `None` where it is from none.
    #[must_use]
    pub fn fbx_settings(&self) -> Option<FbxSettings> {
        let file = self.fbx.as_ref()?;
        // What is above all nodes of the file and none of them turns axes and makes metres.
        let top =
            self.nodes.first().filter(|_| !file.nodes.is_empty()).and_then(|first| first.parent);
        let top = top.map_or_else(Trs::identity, |top| match self.nodes[top].local {
            LocalPose::Trs(pose) => pose,
            LocalPose::Matrix(_) => Trs::identity(),
        });
        let up = top.rotation.inverse_transform_vector(&Vector3::y());
        let name = match up.iamax() {
            0 => ["x", "-x"],
            1 => ["y", "-y"],
            _ => ["z", "-z"],
        };
        let up = name[usize::from(up[up.iamax()] < 0.0)];
        Some(FbxSettings { unit_metres: top.scale.x, up })
    }
}

/// The nodes that a file has, beside those that its reader made.
impl Scene {
    /// How many nodes the file has: all but [helpers](Node::is_helper), which come last.
    #[must_use]
    pub fn nodes_of_the_file(&self) -> usize {
        self.fbx.as_ref().map_or(self.nodes.len(), |file| file.nodes.len())
    }

    /// The node that shows what a node of the file does, with its scale: itself, or its [helper](Node::is_helper).
    #[must_use]
    pub fn shown_by(&self, node: usize) -> usize {
        let of_file = self.fbx.as_ref().and_then(|file| file.nodes.get(node));
        of_file.map_or(node, |of_file| of_file.scaled)
    }

    /// The node of the file that a node stands for; `None` of what stands there for the axes and the unit of an FBX file.
    #[must_use]
    pub fn of_file(&self, node: usize) -> Option<usize> {
        let found = &self.nodes[node];
        if found.is_helper { found.parent } else { Some(node) }
    }
}

impl NodeNames for Scene {
    fn name(&self, node: usize) -> Option<&str> {
        self.nodes[node].name.as_deref()
    }

    fn parent(&self, node: usize) -> Option<usize> {
        self.nodes[node].parent
    }

    fn is_helper(&self, node: usize) -> bool {
        self.nodes[node].is_helper
    }
}
