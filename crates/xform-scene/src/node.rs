use xform_core::Inherit;
use xform_engines::LocalPose;

use crate::{Bounds, Fixture, Skin};

/// One node of a [`Scene`](super::Scene).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Node {
    /// Its name, which need not be unique.
    pub name: Option<String>,
    /// The index of its parent; `None` for a root.
    pub parent: Option<usize>,
    /// Its local pose: its parent's space from its own.
    pub local: LocalPose,
    /// The length of the quaternion of its rotation in the file, where that is not 1 and engines [differ by
    /// that](xform_engines::QuaternionRule); the local pose has it made 1.
    pub rotation_length: Option<f64>,
    /// What it inherits of its parent's world transform. In a glTF file that is always everything.
    pub inherit: Inherit,
    /// The part of it that can be seen to move.
    pub bounds: Bounds,
    /// What moves its mesh in its stead, if that is skinned and could be read; the bounds are
    /// [nothing](Bounds::Nothing) then.
    pub skin: Option<Skin>,
    /// The camera or light that is there.
    pub fixture: Option<Fixture>,
    /// The mesh, skin and animations that depend on its pose.
    pub uses: NodeUses,
    /// Whether its file hides it at all times, by itself or by a node above it (`KHR_node_visibility`, in FBX `Visibility`).
    pub is_invisible: bool,
    /// The node of the file that this is an instance of (`EXT_mesh_gpu_instancing`), which is its parent; `None` for one that is in the
    /// file itself.
    pub instance_of: Option<usize>,
    /// Whether it is no node of the file: it stands there for the axes and the unit of an FBX file, or shows the mesh of the node above
    /// it, in whose name, with a scale that what else hangs below that does not take.
    pub is_helper: bool,
}

impl Node {
    /// Whether anything is drawn there: the node has a mesh that is known to move with it or with a skin, or it
    /// [stands in](NodeUses::stands_in) for one, or the scene has no meshes at all and it has a box in place of one; and it is not
    /// [invisible](Self::is_invisible).
    #[must_use]
    pub fn draws(&self) -> bool {
        let has_mesh = self.uses.mesh.is_some() && self.bounds != Bounds::Nothing;
        let has_box = matches!(self.bounds, Bounds::Box(..));
        !self.is_invisible && (has_mesh || has_box || self.skin.is_some() || self.uses.stands_in)
    }

    /// A node without a name that inherits everything, has the unit cube for its bounds, and that nothing
    /// else depends on.
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
            instance_of: None,
            is_helper: false,
        }
    }

    /// This node with a name.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// This node with other bounds.
    #[must_use]
    pub fn with_bounds(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// This node, which inherits something else.
    #[must_use]
    pub fn with_inherit(self, inherit: Inherit) -> Self {
        Self { inherit, ..self }
    }
}

/// The mesh, skin and animations that depend on the pose of a node, which a repair has to take into account.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct NodeUses {
    /// The index in the file of the mesh that the node shows; other nodes may show it too.
    pub mesh: Option<usize>,
    /// Whether it is a joint of a skin, or shows a skinned mesh.
    pub is_skinned: bool,
    /// Whether it is a joint of a skinned mesh whose vertices are not known, for which its origin stands in.
    pub stands_in: bool,
    /// Whether an animation moves it. A channel that was read and leaves it as it is at rest does not.
    pub is_animated: bool,
    /// Whether an animation sets it to the pose that it has at rest, without moving it: whoever changes that pose has
    /// to remove those channels.
    pub is_keyed: bool,
    /// Whether a behaviour (`KHR_interactivity`) sets its pose at run time.
    pub is_set_at_run_time: bool,
}
