use xform_scene::{Bounds, FixtureKind, Node, Scene};

use super::Grade;

/// How a node shows, and so by what its difference is graded.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Role {
    /// By what is drawn of it, or else by its origin.
    #[default]
    Part,
    /// As a camera or a light, by where it is and where it points.
    Fixture(FixtureKind),
    /// As a node that something may be hung on, by its origin and its axes: it draws nothing, no joint is there, and nothing hangs
    /// below it, in a scene that draws something.
    Socket,
}

/// How far a node is apart; what is `None` is undefined, or does not apply.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Apart {
    pub(crate) percent_of_scene: Option<f64>,
    pub(crate) percent_of_itself: Option<f64>,
    pub(crate) skew_degrees: Option<f64>,
    /// Infinite where it is undefined.
    pub(crate) linear_difference: f64,
    pub(crate) turned_degrees: Option<f64>,
}

impl Role {
    /// That of each node.
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

    /// Its name in reports: that of the [kind](FixtureKind::name) of a camera or light, or `socket`; `None` of others.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Part => None,
            Self::Fixture(kind) => Some(kind.name()),
            Self::Socket => Some("socket"),
        }
    }

    /// Whether its axes matter beside its place, and so decide what is the cause of its difference.
    #[must_use]
    pub fn is_by_axes(self) -> bool {
        match self {
            Self::Part => false,
            Self::Fixture(kind) => kind.has_direction(),
            Self::Socket => true,
        }
    }

    /// How much of its difference a person sees.
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
