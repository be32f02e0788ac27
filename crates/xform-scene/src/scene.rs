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

/// A hierarchy of nodes, from a file or a generator.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Scene {
    /// The name of the scene in reports: the path of a file, or the name of a built-in scene.
    pub source: String,
    /// The nodes at rest, in any order; a parent is an index into this list. Nodes from a file are in the file's
    /// order, followed by [instances](Node::instance_of).
    pub nodes: Vec<Node>,
    /// The animations that move the nodes.
    pub animations: Vec<Animation>,
    /// How the nodes of its FBX file inherit their parents' scales, if the scene is from one.
    pub fbx: Option<FbxHierarchy>,
    /// The files of its buffers, whether or not they were read.
    pub buffers: Vec<PathBuf>,
    /// Whether nodes that [draw](Node::draws) nothing count towards the grade of the scene.
    pub counts_undrawn: bool,
    /// The collision shapes of its nodes, in the order of the nodes. Only the figures of physics engines depend on
    /// them.
    pub colliders: Vec<NodeCollider>,
    /// Its meshes and the nodes that show them, if they were read. No figure depends on them.
    pub drawing: Drawing,
    /// Oddities that were found while reading.
    pub warnings: Vec<Warning>,
}

impl Scene {
    /// The pointer of the warning that all animations were skipped.
    pub const ANIMATIONS: &str = "/animations";

    /// Creates a scene of these nodes, without animations and warnings.
    #[must_use]
    pub fn new(source: impl Into<String>, nodes: Vec<Node>) -> Self {
        Self { source: source.into(), nodes, ..Self::default() }
    }

    /// Whether every node counts towards the grade of the scene, because [the caller set this](Self::counts_undrawn)
    /// or because no node [draws](Node::draws) anything.
    pub fn counts_all(&self) -> bool {
        self.counts_undrawn || !self.nodes.iter().any(Node::draws)
    }

    /// Reads the colliders requested by node names again. This is needed after nodes were made
    /// [helpers](Node::is_helper), which use the name of the node that they represent.
    pub fn read_names_again(&mut self) {
        let by_name = |source| {
            use ColliderSource::{ColliderSuffix, GodotSuffix, UnrealPrefix};
            matches!(source, ColliderSuffix | GodotSuffix | UnrealPrefix)
        };
        self.colliders.retain(|collider| !by_name(collider.source));
        add_names(&mut self.colliders, &self.nodes);
    }

    /// Returns the scene without its animations. If there were any, a warning says so.
    #[must_use]
    pub fn at_rest(mut self) -> Self {
        let animations = match self.animations.len() {
            0 => return self,
            1 => "1 animation moves".to_owned(),
            count => format!("{count} animations move"),
        };
        self.animations.clear();
        let message = format!("{animations} nodes; only the rest pose was audited");
        self.warnings.push(Warning::new(
            WarningCode::AnimationNotSampled,
            Self::ANIMATIONS,
            message,
        ));
        self
    }

    /// Returns the scene posed as at a time, in seconds, of one of its [`animations`](Self::animations). The result
    /// has no animations.
    ///
    /// A channel is ignored if its node does not exist or has a matrix.
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
                // The length is that of the rest pose's rotation.
                *rotation_length = rotation_length.filter(|_| pose.rotation == rotation);
            }
        }
        posed
    }
}

impl Scene {
    /// Returns the settings of the FBX file that the scene is from, or `None` if it is not from one.
    #[must_use]
    pub fn fbx_settings(&self) -> Option<FbxSettings> {
        let file = self.fbx.as_ref()?;
        // The node above all nodes of the file converts the axes and the unit.
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

/// The nodes of the file, as opposed to those that its reader added.
impl Scene {
    /// Returns the number of nodes that are not [helpers](Node::is_helper). Helpers come last.
    #[must_use]
    pub fn nodes_of_the_file(&self) -> usize {
        self.fbx.as_ref().map_or(self.nodes.len(), |file| file.nodes.len())
    }

    /// Returns the node that has the scale and the mesh of a node of the file: itself or its
    /// [helper](Node::is_helper).
    #[must_use]
    pub fn shown_by(&self, node: usize) -> usize {
        let of_file = self.fbx.as_ref().and_then(|file| file.nodes.get(node));
        of_file.map_or(node, |of_file| of_file.scaled)
    }

    /// Returns the node of the file that a node represents, or `None` for a node that converts the axes and the unit
    /// of an FBX file.
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
