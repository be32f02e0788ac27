use xform_scene::{Bounds, FixtureKind, Node, Scene};

use super::Grade;

// A node that draws nothing has a grade but does not count (`NodeAudit::counts`): a socket that moves by 5 %
// moves nothing on the screen. Its role decides the figure: direction for a camera or light, axes for a
// socket. The axes are graded by the linear difference, as if the socket carried something as large as the
// scene.
//
// Groups of engines are formed only from nodes that count. Other nodes name their engines themselves
// (`NodeAudit::undrawn_in`). A joint draws nothing itself; the node of the mesh that follows it carries the
// difference. A node hidden by a world scale of zero does not count at rest, but does count when an animation
// shows it. The diagonal is that of what is drawn, because a camera far away would make every percentage
// small.

/// The part that a node plays in a scene, which decides how its difference is graded.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Role {
    /// Graded by what it draws, or else by its origin.
    #[default]
    Part,
    /// A camera or a light, graded by where it is and where it points.
    Fixture(FixtureKind),
    /// A node that something may be attached to, graded by its origin and its axes. It draws nothing, is not
    /// a joint and has no children, in a scene that draws something.
    Socket,
}

/// The figures of a difference. `None` means undefined or not applicable.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Apart {
    pub(crate) percent_of_scene: Option<f64>,
    pub(crate) percent_of_itself: Option<f64>,
    pub(crate) skew_degrees: Option<f64>,
    /// Infinite if it is undefined.
    pub(crate) linear_difference: f64,
    pub(crate) turned_degrees: Option<f64>,
}

impl Role {
    /// Returns the role of each node.
    pub(crate) fn of_nodes(scene: &Scene) -> Vec<Self> {
        let mut has_children = vec![false; scene.nodes.len()];
        let parents = scene.nodes.iter().filter_map(|node| node.parent);
        parents.for_each(|parent| has_children[parent] = true);
        let mut is_joint = vec![false; scene.nodes.len()];
        let joints = scene.nodes.iter().filter_map(|node| node.skin.as_ref());
        joints.flat_map(|skin| skin.joints.iter()).for_each(|joint| is_joint[joint.node] = true);
        let is_drawn = scene.nodes.iter().any(Node::draws);
        let is_empty = |index: usize, node: &Node| {
            let is_leaf = !has_children[index] && !is_joint[index] && !node.uses.is_skinned;
            is_leaf && node.bounds == Bounds::Origin && !node.is_helper
        };
        let of_node = |(index, node): (usize, &Node)| match node.fixture {
            _ if node.uses.mesh.is_some() || node.skin.is_some() => Self::Part,
            Some(fixture) => Self::Fixture(fixture.kind),
            None if is_drawn && is_empty(index, node) => Self::Socket,
            None => Self::Part,
        };
        scene.nodes.iter().enumerate().map(of_node).collect()
    }

    /// Returns its name in reports: that of the [kind](FixtureKind::name) of camera or light, or `socket`;
    /// `None` for a part.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Part => None,
            Self::Fixture(kind) => Some(kind.name()),
            Self::Socket => Some("socket"),
        }
    }

    /// Whether its axes matter beside its position, and so decide which cause is named for its difference.
    #[must_use]
    pub fn is_by_axes(self) -> bool {
        match self {
            Self::Part => false,
            Self::Fixture(kind) => kind.has_direction(),
            Self::Socket => true,
        }
    }

    /// Returns how visible a difference is for this role.
    pub(crate) fn grade(self, apart: Apart) -> Grade {
        let Apart { percent_of_scene, percent_of_itself, skew_degrees, .. } = apart;
        match self {
            Self::Part => Grade::new(percent_of_scene, percent_of_itself, skew_degrees),
            Self::Fixture(kind) => {
                let by_place =
                    Grade::new(percent_of_scene.filter(|_| kind.has_place()), None, None);
                let turned = apart.turned_degrees.unwrap_or(0.0);
                by_place.max(Grade::of_turn(kind, turned))
            }
            Self::Socket => {
                let percent = percent_of_scene.unwrap_or(0.0).max(100.0 * apart.linear_difference);
                Grade::new(Some(percent), None, skew_degrees)
            }
        }
    }
}
