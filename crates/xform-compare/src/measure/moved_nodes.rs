use std::{collections::HashMap, ops::Range};

use xform_core::Trs;
use xform_scene::{
    Animation, LocalPose, Scene,
    animation::{KnownTurn, Track},
};

use super::{skinned::SkinnedMesh, subtrees::Subtrees, worlds::Worlds};
use crate::audit::CompareError;

/// The nodes that an animation moves, those below what it animates included, parents before children.
///
/// A node is known by its place among them.
pub(super) struct MovedNodes<'a> {
    nodes: Vec<MovedNode<'a>>,
    /// The place of each.
    places: HashMap<usize, usize>,
    /// The skinned meshes that follow any of them, each with the place of the node that shows it.
    skinned: Vec<(usize, &'a SkinnedMesh)>,
}

struct MovedNode<'a> {
    index: usize,
    /// The place of its parent, where that is one of them.
    parent: Option<usize>,
    tracks: Vec<&'a Track>,
}

impl<'a> MovedNodes<'a> {
    /// Fails with their number if they are more than `at_most`.
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

    /// Adds a node below those that are there already, and returns its place.
    fn add(&mut self, scene: &Scene, index: usize, tracks: Vec<&'a Track>) -> usize {
        let parent = scene.nodes[index].parent;
        let parent = parent.and_then(|parent| self.places.get(&parent).copied());
        let place = self.nodes.len();
        self.places.insert(index, place);
        self.nodes.push(MovedNode { index, parent, tracks });
        place
    }

    /// How many they are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The index in the scene of the node at a place.
    pub(super) fn node(&self, place: usize) -> usize {
        self.nodes[place].index
    }

    /// The place of a node; `None` where it is not moved.
    pub(super) fn place(&self, node: usize) -> Option<usize> {
        self.places.get(&node).copied()
    }

    /// The place of its parent; `None` where that is not moved.
    pub(super) fn parent(&self, place: usize) -> Option<usize> {
        self.nodes[place].parent
    }

    /// What moves the node at a place itself, and not one above it.
    pub(super) fn tracks(&self, place: usize) -> &[&'a Track] {
        &self.nodes[place].tracks
    }

    /// The local pose at a time, in seconds, of the node at a place, which has this one at rest; `None` where nothing moves
    /// the node itself.
    pub(super) fn pose(&self, place: usize, rest: &Trs<f64>, seconds: f64) -> Option<Trs<f64>> {
        self.poses(place, rest, &[seconds], &mut KnownTurn::default()).map(|[pose]| pose)
    }

    /// The same at several times. What becomes known of a turn serves the next times.
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

    /// The skinned meshes that follow any of them, each with the place of the node that shows it.
    pub(super) fn skinned(&self) -> &[(usize, &'a SkinnedMesh)] {
        &self.skinned
    }
}
