use std::{collections::HashMap, ops::Range};

use xform_core::Trs;
use xform_scene::{
    Animation, LocalPose, Scene,
    animation::{KnownTurn, Track},
};

use super::{skinned::SkinnedMesh, subtrees::Subtrees, worlds::Worlds};
use crate::audit::CompareError;

/// The nodes that an animation moves, including descendants of the animated nodes, parents before children.
///
/// Each node is identified by its place in this list.
pub(super) struct MovedNodes<'a> {
    nodes: Vec<MovedNode<'a>>,
    /// The place of each node, by its index in the scene.
    places: HashMap<usize, usize>,
    /// The skinned meshes that follow any of the nodes, each with the place of the node that has the mesh.
    skinned: Vec<(usize, &'a SkinnedMesh)>,
}

struct MovedNode<'a> {
    index: usize,
    /// The place of its parent, if the parent is in the list.
    parent: Option<usize>,
    tracks: Vec<&'a Track>,
}

impl<'a> MovedNodes<'a> {
    /// Fails with the number of nodes if it exceeds `at_most`.
    pub(super) fn of(
        scene: &Scene,
        worlds: &'a Worlds,
        subtrees: &Subtrees,
        animation: &'a Animation,
        at_most: usize,
    ) -> Result<Result<Self, usize>, CompareError> {
        let mut tracks: HashMap<usize, Vec<&Track>> = HashMap::new();
        for channel in &animation.channels {
            let local = scene.nodes.get(channel.node).map(|node| &node.local);
            if !matches!(local, Some(LocalPose::Trs(_))) {
                let (animation, node) = (animation.index, channel.node);
                return Err(CompareError::NotAnimatable { animation, node });
            }
            tracks.entry(channel.node).or_default().push(&channel.track);
        }
        let ranges = subtrees.joined(tracks.keys().copied());
        let count = ranges.iter().map(Range::len).sum();
        if count > at_most {
            return Ok(Err(count));
        }
        let (nodes, places) = (Vec::with_capacity(count), HashMap::with_capacity(count));
        let mut moved = Self { nodes, places, skinned: Vec::new() };
        for &node in ranges.into_iter().flat_map(|range| &subtrees.order[range]) {
            moved.add(scene, node, tracks.remove(&node).unwrap_or_default());
        }
        let is_moved = |mesh: &&SkinnedMesh| {
            mesh.joints().chain([mesh.node]).any(|node| moved.places.contains_key(&node))
        };
        let skinned: Vec<_> = worlds.skinned.iter().filter(is_moved).collect();
        for mesh in skinned {
            let known = moved.places.get(&mesh.node).copied();
            let place = known.unwrap_or_else(|| moved.add(scene, mesh.node, Vec::new()));
            moved.skinned.push((place, mesh));
        }
        Ok(Ok(moved))
    }

    /// Adds a node below those that are already in the list. Returns its place.
    fn add(&mut self, scene: &Scene, index: usize, tracks: Vec<&'a Track>) -> usize {
        let parent = scene.nodes[index].parent;
        let parent = parent.and_then(|parent| self.places.get(&parent).copied());
        let place = self.nodes.len();
        self.places.insert(index, place);
        self.nodes.push(MovedNode { index, parent, tracks });
        place
    }

    /// Returns the number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the index in the scene of the node at a place.
    pub(super) fn node(&self, place: usize) -> usize {
        self.nodes[place].index
    }

    /// Returns the place of a node; `None` if it is not moved.
    pub(super) fn place(&self, node: usize) -> Option<usize> {
        self.places.get(&node).copied()
    }

    /// Returns the place of a node's parent; `None` if the parent is not moved.
    pub(super) fn parent(&self, place: usize) -> Option<usize> {
        self.nodes[place].parent
    }

    /// Returns the tracks that move the node at a place itself, not those of its ancestors.
    pub(super) fn tracks(&self, place: usize) -> &[&'a Track] {
        &self.nodes[place].tracks
    }

    /// Returns the local pose of the node at a place at a time in seconds; `None` if no track moves the node
    /// itself. `rest` is its pose at rest.
    pub(super) fn pose(&self, place: usize, rest: &Trs<f64>, seconds: f64) -> Option<Trs<f64>> {
        self.poses(place, rest, &[seconds], &mut KnownTurn::default()).map(|[pose]| pose)
    }

    /// The same at several times. `known` keeps data about a turn for later times.
    pub(super) fn poses<const TIMES: usize>(
        &self,
        place: usize,
        rest: &Trs<f64>,
        seconds: &[f64; TIMES],
        known: &mut KnownTurn<'a>,
    ) -> Option<[Trs<f64>; TIMES]> {
        let tracks = self.tracks(place);
        (!tracks.is_empty()).then(|| {
            let mut poses = [*rest; TIMES];
            tracks.iter().for_each(|track| track.set(&mut poses, seconds, known));
            poses
        })
    }

    /// Returns the skinned meshes that follow any of the nodes, each with the place of the node that has the
    /// mesh.
    pub(super) fn skinned(&self) -> &[(usize, &'a SkinnedMesh)] {
        &self.skinned
    }
}
