//! Measurements of a scene after a change, in every show.

use std::collections::{HashMap, HashSet};

use nalgebra::{Matrix3, Matrix4, Vector3};
use xform_core::Trs;
use xform_engines::World;
use xform_scene::{LocalPose, Scene};

use super::{
    ablation::Types,
    metrics::{displacement, percent},
    shows::{Show, ShowPair, skew_difference},
    skinned::SkinnedMesh,
    worlds::Worlds,
};
use crate::audit::{CompareError, EngineAudit, Grade, SceneAudit, is_non_uniform};

/// A change to the poses of a node and its descendants.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    /// A new pose.
    Pose(Trs<f64>),
    /// The non-uniform scales of the node and all its descendants are baked into the vertices, so that
    /// matrices show them in the same places.
    Bake,
    /// Its scale moves to a new leaf that shows its mesh.
    Leaf,
}

/// The result of a change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Changed {
    /// The distance of the requested nodes from the reference, in the group where it is largest; `None` if
    /// they draw nothing.
    pub(crate) displacement: Option<f64>,
    /// Their largest difference in skew, in degrees.
    pub(crate) skew_difference_degrees: Option<f64>,
    /// By group, that of the reference first: the farthest that anything moves from where the group shows it now.
    pub(crate) changes: Vec<f64>,
    /// The groups in which something that counts is farther from the reference than before.
    pub(crate) worsens: Vec<usize>,
}

/// The reason why a change cannot be measured.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NotMeasured {
    /// A node has no inverse.
    Flat(usize),
    /// It is unknown how an engine shows the changed node.
    Unknown(usize),
}

/// An audited scene to which changes are made.
pub(crate) struct Changes<'a> {
    scene: &'a Scene,
    audit: &'a SceneAudit,
    worlds: Worlds,
    /// One for each group.
    shows: Vec<Show>,
}

/// A node after a change.
struct ChangedNode {
    /// In accumulated matrices, for which the new poses are made.
    matrix: Matrix4<f64>,
    /// By group: the world transform that children inherit.
    worlds: Vec<World>,
    /// By group: the world matrix that the node's mesh is drawn with.
    shown: Vec<Matrix4<f64>>,
}

impl<'a> Changes<'a> {
    pub(crate) fn new(scene: &'a Scene, audit: &'a SceneAudit) -> Result<Self, CompareError> {
        let worlds = Worlds::of(scene)?;
        let shows = Show::of_groups(scene, &worlds, &audit.engines);
        Ok(Self { scene, audit, worlds, shows })
    }

    /// Whether the reference multiplies matrices and a group combines TRS.
    pub(crate) fn is_of_strategies(&self, group: usize) -> bool {
        ShowPair { reference: &self.shows[0], other: &self.shows[group] }.are_strategies()
    }

    /// Changes a node and its descendants, and measures them in every group. `below` lists these nodes,
    /// topmost first; `wanted` are the nodes to report figures for.
    pub(crate) fn made(
        &self,
        top: usize,
        change: Change,
        below: &[usize],
        wanted: &[usize],
    ) -> Result<Changed, NotMeasured> {
        let mut changed: HashMap<usize, ChangedNode> = HashMap::with_capacity(below.len());
        for &node in below {
            let parent = self.scene.nodes[node].parent;
            let found = match parent.filter(|_| node != top) {
                Some(parent) => self.changed(top, change, node, Some(&changed[&parent]))?,
                None => self.changed(top, change, node, None)?,
            };
            changed.insert(node, found);
        }
        let now = |show: usize, node: usize| self.shows[show].matrix(&self.worlds, node);
        let then = |show: usize, node: usize| match changed.get(&node) {
            Some(changed) => changed.shown[show],
            None => now(show, node),
        };
        let joint = |show: usize, node: usize| match changed.get(&node) {
            Some(changed) => changed.worlds[show].to_homogeneous(),
            None => now(show, node),
        };
        let is_moved = |mesh: &&SkinnedMesh| mesh.joints().any(|node| changed.contains_key(&node));
        let skinned: Vec<_> = self.worlds.skinned.iter().filter(is_moved).collect();
        let apart = |mesh: &SkinnedMesh, both: &dyn Fn(usize) -> [Matrix4<f64>; 2]| {
            mesh.farthest(&mesh.posed(both)).map(|farthest| farthest.displacement)
        };
        let bounds = |node: usize| &self.scene.nodes[node].bounds;
        let of_shape = |node: &usize| self.worlds.skinned(*node).is_none();
        let mut outcome = Changed {
            displacement: None,
            skew_difference_degrees: None,
            changes: Vec::with_capacity(self.shows.len()),
            worsens: Vec::new(),
        };
        let wanted: HashSet<_> = wanted.iter().copied().collect();
        for show in 0..self.shows.len() {
            let moved = below.iter().filter(|node| of_shape(node)).map(|&node| {
                displacement(&now(show, node), &then(show, node), bounds(node)).unwrap_or(0.0)
            });
            let meshes = skinned.iter().map(|mesh| {
                apart(mesh, &|node| [now(show, node), joint(show, node)]).unwrap_or(0.0)
            });
            outcome.changes.push(moved.chain(meshes).fold(0.0, f64::max));
            if show == 0 {
                continue;
            }
            let mut is_worse = false;
            for &node in below.iter().filter(|node| of_shape(node)) {
                let [a, b] = [then(0, node), then(show, node)];
                let left = displacement(&a, &b, bounds(node));
                let before = displacement(&now(0, node), &now(show, node), bounds(node));
                is_worse |= self.is_worse(node, before, left);
                if wanted.contains(&node) {
                    let [a, b] = [joint(0, node), joint(show, node)].map(|world| linear_of(&world));
                    raise(&mut outcome.displacement, left);
                    raise(&mut outcome.skew_difference_degrees, Some(skew_difference(&a, &b)));
                }
            }
            for mesh in &skinned {
                let left = apart(mesh, &|node| [joint(0, node), joint(show, node)]);
                let before = apart(mesh, &|node| [now(0, node), now(show, node)]);
                is_worse |= self.is_worse(mesh.node, before, left);
                if wanted.contains(&mesh.node) {
                    raise(&mut outcome.displacement, left);
                }
            }
            if is_worse {
                outcome.worsens.push(show);
            }
        }
        Ok(outcome)
    }

    /// Whether a node that counts is farther from the reference than before, by more than rounding.
    fn is_worse(&self, node: usize, before: Option<f64>, after: Option<f64>) -> bool {
        let share = |moved: Option<f64>| {
            percent(moved.unwrap_or(0.0), self.audit.summary.diagonal).unwrap_or(0.0)
        };
        let of_file = self.scene.of_file(node);
        of_file.is_some_and(|of_file| self.audit.nodes[of_file].counts_at_rest())
            && share(after) > share(before) + Grade::IDENTICAL_PERCENT
    }

    fn changed(
        &self,
        top: usize,
        change: Change,
        node: usize,
        parent: Option<&ChangedNode>,
    ) -> Result<ChangedNode, NotMeasured> {
        let above = match (parent, self.scene.nodes[node].parent) {
            (Some(parent), _) => parent.matrix,
            (None, Some(parent)) => *self.worlds.by_matrix[parent].matrix(),
            (None, None) => Matrix4::identity(),
        };
        let local = self.local(top, change, node, &above)?;
        let mut worlds = Vec::with_capacity(self.shows.len());
        for (place, show) in self.shows.iter().enumerate() {
            let parent = match (parent, self.scene.nodes[node].parent) {
                (Some(parent), _) => Some(parent.worlds[place]),
                (None, Some(parent)) => show.world(&self.worlds, parent),
                (None, None) => None,
            };
            let world = match &local {
                Some(local) => {
                    show.below(self.scene, &self.worlds, node, &(*local).into(), parent.as_ref())
                }
                None => show.step(self.scene, &self.worlds, node, None, parent.as_ref()),
            };
            worlds.push(world.map_err(|_| NotMeasured::Unknown(node))?);
        }
        let matrix = match &local {
            Some(local) => above * local.to_homogeneous(),
            None => above * self.worlds.poses.matrix(node),
        };
        let shown = match change {
            Change::Leaf if node == top => {
                let scale = self.worlds.poses.locals[node].scale;
                let leaf = LocalPose::from(Trs::from_scale(scale));
                let shows = self.shows.iter().zip(&worlds).map(|(show, world)| {
                    show.below(self.scene, &self.worlds, node, &leaf, Some(world))
                });
                let shown: Result<Vec<_>, _> = shows.collect();
                let shown = shown.map_err(|_| NotMeasured::Unknown(node))?;
                shown.iter().map(World::to_homogeneous).collect()
            }
            Change::Bake => {
                let inverse = linear_of(&matrix).try_inverse().ok_or(NotMeasured::Flat(node))?;
                let geometry = (inverse * self.worlds.by_matrix[node].linear()).to_homogeneous();
                worlds.iter().map(|world| world.to_homogeneous() * geometry).collect()
            }
            Change::Leaf | Change::Pose(_) => worlds.iter().map(World::to_homogeneous).collect(),
        };
        Ok(ChangedNode { matrix, worlds, shown })
    }

    /// Returns the new pose of a node; `None` if it keeps its own.
    fn local(
        &self,
        top: usize,
        change: Change,
        node: usize,
        above: &Matrix4<f64>,
    ) -> Result<Option<Trs<f64>>, NotMeasured> {
        let local = self.worlds.poses.locals[node];
        if let Change::Pose(pose) = change {
            return Ok((node == top).then_some(pose));
        }
        let is_taken =
            node == top || matches!(change, Change::Bake) && is_non_uniform(&local.scale);
        let local = if is_taken { local.with_scale(Vector3::repeat(1.0)) } else { local };
        if node == top {
            return Ok(Some(local));
        }
        // Its origin stays in place.
        let inverse = linear_of(above).try_inverse().ok_or(NotMeasured::Flat(node))?;
        let from_parent =
            self.worlds.by_matrix[node].translation() - above.fixed_view::<3, 1>(0, 3);
        Ok(Some(local.with_translation(inverse * from_parent)))
    }

    /// Makes nodes of an FBX file inherit everything from their parents, in their frames in the scene, and
    /// measures all nodes. `None` if the scene has no inherit types.
    pub(crate) fn with_types(&self, typed: &[usize], wanted: &[usize]) -> Option<Changed> {
        let wanted: HashSet<_> = wanted.iter().copied().collect();
        let mut outcome = Changed {
            displacement: None,
            skew_difference_degrees: None,
            changes: vec![0.0; self.shows.len()],
            worsens: Vec::new(),
        };
        for show in 1..self.shows.len() {
            let pair = ShowPair { reference: &self.shows[0], other: &self.shows[show] };
            let placed = Types::of(self.scene, &self.worlds, pair)?.placed(typed);
            let then = |node: usize| {
                placed(node)
                    .map_or_else(|| pair.matrices(&self.worlds, node), |placed| placed.worlds)
            };
            let now = |node: usize| pair.matrices(&self.worlds, node);
            let mut is_worse = false;
            for node in 0..self.scene.nodes.len() {
                let between =
                    |both: &dyn Fn(usize) -> [Matrix4<f64>; 2]| match self.worlds.skinned(node) {
                        Some(mesh) => {
                            let farthest = mesh.posed(both);
                            mesh.farthest(&farthest).map(|farthest| farthest.displacement)
                        }
                        None => {
                            let [a, b] = both(node);
                            displacement(&a, &b, &self.scene.nodes[node].bounds)
                        }
                    };
                let left = between(&then);
                is_worse |= self.is_worse(node, between(&now), left);
                if wanted.contains(&node) {
                    let [a, b] = then(node).map(|world| linear_of(&world));
                    raise(&mut outcome.displacement, left);
                    raise(&mut outcome.skew_difference_degrees, Some(skew_difference(&a, &b)));
                }
                for (side, place) in [(0, 0), (1, show)] {
                    let moved = between(&|node| [now(node)[side], then(node)[side]]);
                    outcome.changes[place] = outcome.changes[place].max(moved.unwrap_or(0.0));
                }
            }
            if is_worse {
                outcome.worsens.push(show);
            }
        }
        Some(outcome)
    }
}

/// Returns a node's distance from the reference at rest in a group of engines; `None` if it draws nothing, or
/// if the result is unknown.
pub(crate) fn displacement_in(
    scene: &Scene,
    engines: &EngineAudit,
    group: usize,
    node: usize,
) -> Result<Option<f64>, CompareError> {
    let worlds = Worlds::of(scene)?;
    let shows = Show::of_groups(scene, &worlds, engines);
    let pair = ShowPair { reference: &shows[0], other: &shows[group] };
    if pair.reference.unknown.or(pair.other.unknown).is_some() {
        return Ok(None);
    }
    let diagonal = worlds.diagonal(scene)?;
    Ok(pair.figures(scene, &worlds, diagonal, node).displacement)
}

/// Returns for each group of engines, that of the reference first, the farthest that anything moves from one
/// scene to another. The scenes must differ only in their poses.
pub(crate) fn moved_between(
    before: &Scene,
    after: &Scene,
    engines: &EngineAudit,
) -> Result<Vec<f64>, CompareError> {
    let [old, new] = [Worlds::of(before)?, Worlds::of(after)?];
    let shows = Show::of_groups(before, &old, engines).into_iter();
    let shows = shows.zip(Show::of_groups(after, &new, engines));
    let farthest = |(now, then): (Show, Show)| {
        let both = |node: usize| [now.matrix(&old, node), then.matrix(&new, node)];
        let nodes = before.nodes.iter().enumerate().map(|(node, entry)| {
            let moved = match old.skinned(node) {
                Some(mesh) => mesh.farthest(&mesh.posed(both)).map(|found| found.displacement),
                None => {
                    let [now, then] = both(node);
                    displacement(&now, &then, &entry.bounds)
                }
            };
            moved.unwrap_or(0.0)
        });
        nodes.fold(0.0, f64::max)
    };
    Ok(shows.map(farthest).collect())
}

fn raise(largest: &mut Option<f64>, value: Option<f64>) {
    if value > *largest {
        *largest = value;
    }
}

fn linear_of(matrix: &Matrix4<f64>) -> Matrix3<f64> {
    matrix.fixed_view::<3, 3>(0, 0).into_owned()
}
