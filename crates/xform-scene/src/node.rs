use xform_core::Inherit;
use xform_engines::LocalPose;

use crate::{Bounds, Fixture, Skin};

/// A node of a [`Scene`](super::Scene).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Node {
    /// Its name, which need not be unique.
    pub name: Option<String>,
    /// The index of its parent; `None` for a root.
    pub parent: Option<usize>,
    /// Its local pose. It maps its own space to its parent's.
    pub local: LocalPose,
    /// The length of its rotation's quaternion in the file, if it is not 1 and engines [differ in treating
    /// it](xform_engines::QuaternionRule). In the local pose it is normalised.
    pub rotation_length: Option<f64>,
    /// The parts of its parent's world transform that it inherits; in a glTF file always all.
    pub inherit: Inherit,
    /// Its visible part.
    pub bounds: Bounds,
    /// The skin that moves its mesh, if the mesh is skinned and could be read. The bounds are then
    /// [nothing](Bounds::Nothing).
    pub skin: Option<Skin>,
    /// The camera or light at the node.
    pub fixture: Option<Fixture>,
    /// The mesh, skin and animations that depend on its pose.
    pub uses: NodeUses,
    /// Whether the file hides it at all times, itself or through a node above it (`KHR_node_visibility`, in FBX
    /// `Visibility`).
    pub is_invisible: bool,
    /// Whether it is in the default scene of a glTF file, the one that programs show first. True for every node of a
    /// file without scenes, and of other formats.
    pub is_in_default_scene: bool,
    /// The node of the file of which this is an instance (`EXT_mesh_gpu_instancing`). It is the parent. `None` for a
    /// node that is in the file itself.
    pub instance_of: Option<usize>,
    /// Whether it is not a node of the file. Such a node converts the axes and the unit of an FBX file. Or it shows
    /// the mesh of its parent, with the parent's name and with a scale that other children of the parent do not
    /// inherit.
    pub is_helper: bool,
}

impl Node {
    // A node that draws nothing has a grade, but does not count: a socket that moves by 5 % moves nothing on the
    // screen. A joint draws nothing itself; the node of the mesh that follows it carries the difference.

    /// Whether the node draws something.
    ///
    /// That is the case if it is not [invisible](Self::is_invisible) and one of these holds:
    ///
    /// - It has a mesh that is known to move with it or with a skin.
    /// - It [stands in](NodeUses::stands_in) for one.
    /// - The scene has no meshes at all, and the node has a box instead.
    #[must_use]
    pub fn draws(&self) -> bool {
        let has_mesh = self.uses.mesh.is_some() && self.bounds != Bounds::Nothing;
        let has_box = matches!(self.bounds, Bounds::Box(..));
        !self.is_invisible && (has_mesh || has_box || self.skin.is_some() || self.uses.stands_in)
    }

    /// Creates a node without a name that inherits everything, has the unit cube as its bounds, and has no uses.
    #[must_use]
    pub fn new(parent: Option<usize>, local: impl Into<LocalPose>) -> Self {
        Self {
            name: None,
            parent,
            local: local.into(),
            rotation_length: None,
            inherit: Inherit::All,
            bounds: Bounds::unit_cube(),
            skin: None,
            fixture: None,
            uses: NodeUses::default(),
            is_invisible: false,
            is_in_default_scene: true,
            instance_of: None,
            is_helper: false,
        }
    }

    /// Returns this node with a name.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Returns this node with other bounds.
    #[must_use]
    pub fn with_bounds(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// Returns this node inheriting something else.
    #[must_use]
    pub fn with_inherit(self, inherit: Inherit) -> Self {
        Self { inherit, ..self }
    }
}

/// The mesh, skin and animations that depend on the pose of a node. A repair has to take them into account.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct NodeUses {
    /// The index in the file of the mesh that the node shows. Other nodes can show it too. `None` if the mesh has no
    /// vertices.
    pub mesh: Option<usize>,
    /// Whether it is a joint of a skin, or shows a skinned mesh.
    pub is_skinned: bool,
    /// Whether it is a joint of a skinned mesh whose vertices are not known, so that its origin is measured instead.
    pub stands_in: bool,
    /// Whether an animation moves it. A channel that was read and leaves it at rest does not count.
    pub is_animated: bool,
    /// Whether an animation sets it to its rest pose without moving it. If the rest pose is edited, these channels
    /// must be removed.
    pub is_keyed: bool,
    /// Whether a behaviour (`KHR_interactivity`) sets its pose at run time.
    pub is_set_at_run_time: bool,
}
