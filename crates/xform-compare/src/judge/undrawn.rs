//! Nodes that draw nothing but whose difference would be visible if they did: cameras, lights, nodes for
//! attachments, and others.

use std::{cmp::Ordering, collections::BTreeMap};

use xform_engines::Engine;
use xform_scene::{FixtureKind, text::significant};

use super::engines::names;
use crate::audit::{
    Grade, NodeAudit, NodeMotion, Role, SKEWED_DEGREES, SceneAudit, is_worse_in_motion, node_path,
};

/// A node that does not count, and whose difference would be visible if it did.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct UndrawnNode {
    /// Its index in the file.
    pub index: usize,
    /// The grade of its difference.
    pub grade: Grade,
    /// Its figures at that time.
    pub figures: UndrawnFigures,
    /// The animation, as an index into [`SceneAudit::animations`], and the time in seconds; `None` at rest.
    pub motion: Option<(usize, f64)>,
}

/// The difference of a node that draws nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct UndrawnFigures {
    /// How its difference is graded.
    pub role: Role,
    /// The angle by which a camera or a light points elsewhere, in degrees.
    pub turned_degrees: Option<f64>,
    /// The difference in skew, in degrees.
    pub skew_difference_degrees: Option<f64>,
    /// The difference of its axes, as a fraction of their length.
    pub linear_difference: Option<f64>,
    /// Its displacement as a percentage of the scene's diagonal; infinite if the scene has no extent.
    pub percent_of_scene: Option<f64>,
}

impl UndrawnFigures {
    /// Returns the figures at rest.
    #[must_use]
    pub fn at_rest(node: &NodeAudit) -> Self {
        Self {
            role: node.role,
            turned_degrees: node.turned_degrees,
            skew_difference_degrees: node.skew_difference_degrees,
            linear_difference: node.linear_difference,
            percent_of_scene: node.percent_of_scene(),
        }
    }

    /// Returns the figures when the node is at its worst in an animation.
    #[must_use]
    pub fn in_motion(node: &NodeMotion) -> Self {
        Self {
            role: node.role,
            turned_degrees: node.turned_degrees.map(|peak| peak.max),
            skew_difference_degrees: node.skew_difference_degrees.map(|peak| peak.max),
            linear_difference: node.linear_difference.map(|peak| peak.max),
            percent_of_scene: node.percent_of_scene(),
        }
    }

    /// Returns the figure that decides its grade.
    fn figure(&self) -> f64 {
        let figure = match self.role {
            Role::Fixture(kind) if kind.has_direction() => self.turned_degrees,
            Role::Socket => Some(self.linear_difference.unwrap_or(f64::INFINITY)),
            _ => None,
        };
        figure.or(self.percent_of_scene).unwrap_or(0.0)
    }

    /// Describes the difference of its axes as a clause, such as "looks 29.5° elsewhere". `None` if the node
    /// is not a camera, a light or a socket, or if its axes do not differ.
    #[must_use]
    pub fn by_axes(&self) -> Option<String> {
        self.axes("")
    }

    /// `up_to` is placed before each figure.
    fn axes(&self, up_to: &str) -> Option<String> {
        match self.role {
            Role::Part => None,
            Role::Fixture(kind) => {
                let degrees = self.turned_degrees.filter(|&degrees| degrees > SKEWED_DEGREES)?;
                let verb = if kind == FixtureKind::Camera { "looks" } else { "points" };
                Some(format!("{verb} {up_to}{}° elsewhere", significant(degrees, 4)))
            }
            Role::Socket => match self.skew_difference_degrees {
                Some(skew) if skew > SKEWED_DEGREES => {
                    Some(format!("has a skew that differs by {up_to}{}°", significant(skew, 4)))
                }
                _ => {
                    let axes = self.linear_difference.unwrap_or(f64::INFINITY);
                    (100.0 * axes > Grade::IDENTICAL_PERCENT && axes.is_finite()).then(|| {
                        let percent = significant(100.0 * axes, 3);
                        format!("has axes that differ by {up_to}{percent} % of their length")
                    })
                }
            },
        }
    }

    /// Describes the difference of its axes and its displacement. "Up to" precedes the figures if there are
    /// several engines, since they need not all differ equally.
    fn does(&self, engines: &[&Engine]) -> String {
        let up_to = if engines.len() > 1 { "up to " } else { "" };
        let place = match self.role {
            Role::Fixture(kind) => kind.has_place(),
            _ => true,
        };
        let percent = self.percent_of_scene.filter(|&p| place && p > Grade::IDENTICAL_PERCENT);
        let moves = percent.map(|percent| {
            if percent.is_finite() {
                format!("moves by {up_to}{} % of the scene", significant(percent, 3))
            } else {
                "moves by more than the whole scene".to_owned()
            }
        });
        let all: Vec<_> = self.axes(up_to).into_iter().chain(moves).collect();
        if all.is_empty() { "differs".to_owned() } else { all.join(" and ") }
    }
}

/// Returns the nodes that do not count and would visibly differ if they did, worst first.
///
/// Joints with skinned vertices are left out, since the mesh shows their difference. So are nodes that the
/// file hides.
#[must_use]
pub fn undrawn(scene: &SceneAudit) -> Vec<UndrawnNode> {
    let is_told =
        |node: &NodeAudit| !node.undrawn_in.is_empty() && !node.is_followed && !node.is_invisible;
    // Most scenes have no such nodes, and the others have few.
    let mut found: BTreeMap<usize, UndrawnNode> = BTreeMap::new();
    for node in scene.nodes_of_the_file().iter().filter(|node| is_told(node)) {
        let (index, grade) = (node.index, node.grade());
        let figures = UndrawnFigures::at_rest(node);
        if grade.is_seen() {
            found.insert(index, UndrawnNode { index, grade, figures, motion: None });
        }
    }
    for (place, animation) in scene.animations.iter().enumerate() {
        for moved in &animation.nodes {
            let node = &scene.nodes[moved.index];
            let grade = moved.grade();
            if !is_told(node) || !grade.is_seen() {
                continue;
            }
            let (figures, known) = (UndrawnFigures::in_motion(moved), found.get(&moved.index));
            let is_worse = known.is_none_or(|known| {
                let [now, then] = [(grade, figures), (known.grade, known.figures)]
                    .map(|(grade, figures)| (grade, figures.figure(), 0.0));
                is_worse_in_motion(now, then)
            });
            if is_worse {
                let motion = Some((place, moved.worst_seconds().unwrap_or(0.0)));
                let index = moved.index;
                found.insert(index, UndrawnNode { index, grade, figures, motion });
            }
        }
    }
    let mut found: Vec<_> = found.into_values().collect();
    found.sort_by(|a, b| {
        let badness = |node: &UndrawnNode| (node.grade, node.figures.figure());
        badness(b).partial_cmp(&badness(a)).unwrap_or(Ordering::Equal)
    });
    found
}

/// Describes a node that draws nothing in one line: its grade, the engines, and its difference there.
#[must_use]
pub fn undrawn_line(scene: &SceneAudit, node: &UndrawnNode) -> String {
    let what = match node.figures.role {
        Role::Part => "draws nothing".to_owned(),
        Role::Fixture(kind) => kind.name().replace('-', " "),
        Role::Socket => "an empty node that a mesh may be attached to".to_owned(),
    };
    let engines = &scene.nodes[node.index].undrawn_in;
    format!(
        "{} [{}], {what}: {} in {}, {}{}",
        node_path(scene, node.index),
        node.index,
        node.grade.name(),
        names(engines),
        node.figures.does(engines),
        when(scene, node)
    )
}

/// Returns a sentence about all of them, with one clause each for cameras, lights, sockets and other nodes;
/// `None` if there are none.
pub(super) fn sentence(scene: &SceneAudit) -> Option<String> {
    let all = undrawn(scene);
    let of = |is_it: fn(Role) -> bool| -> Vec<_> {
        all.iter().filter(|node| is_it(node.figures.role)).collect()
    };
    let is_camera = |role| role == Role::Fixture(FixtureKind::Camera);
    let is_light = |role| matches!(role, Role::Fixture(kind) if kind != FixtureKind::Camera);
    let told = [
        clause(
            scene,
            &of(is_camera),
            |does, path| format!("the camera {path} {does}"),
            |n| format!("{n} cameras differ"),
        ),
        clause(
            scene,
            &of(is_light),
            |does, path| format!("the light {path} {does}"),
            |n| format!("{n} lights differ"),
        ),
        clause(
            scene,
            &of(|role| role == Role::Socket),
            |does, path| format!("the empty node {path}, which a mesh may be attached to, {does}"),
            |n| format!("{n} empty nodes, which meshes may be attached to, differ"),
        ),
        clause(
            scene,
            &of(|role| role == Role::Part),
            |does, path| format!("{path}, which draws nothing, {does}"),
            |n| format!("{n} nodes that draw nothing differ"),
        ),
    ];
    let told: Vec<_> = told.into_iter().flatten().collect();
    (!told.is_empty()).then(|| format!("Not counted: {}.", told.join("; ")))
}

/// States that nodes of one kind differ. `nodes` starts with the worst. A single node is described in full;
/// of several, the worst is described.
fn clause(
    scene: &SceneAudit,
    nodes: &[&UndrawnNode],
    one: impl Fn(&str, &str) -> String,
    all: impl Fn(usize) -> String,
) -> Option<String> {
    let worst = nodes.first()?;
    let mut engines: Vec<&Engine> = Vec::new();
    for engine in nodes.iter().flat_map(|node| &scene.nodes[node.index].undrawn_in) {
        if !engines.contains(engine) {
            engines.push(engine);
        }
    }
    let (does, when) = (worst.figures.does(&engines), when(scene, worst));
    let (path, engines) = (format!("\"{}\"", node_path(scene, worst.index)), names(&engines));
    Some(match nodes.len() {
        1 => format!("in {engines} {}{when}", one(&does, &path)),
        count => format!("in {engines} {}, most {path}, which {does}{when}", all(count)),
    })
}

fn when(scene: &SceneAudit, node: &UndrawnNode) -> String {
    node.motion.map_or_else(String::new, |(animation, seconds)| {
        let name = scene.animations[animation].label();
        format!(", {} s into {name}", significant(seconds, 4))
    })
}
