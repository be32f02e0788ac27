//! Matching of the nodes of two scenes.

use std::collections::{HashMap, HashSet};

use nalgebra::Point3;
use xform_scene::Scene;

use crate::audit::MatchedBy;

/// The names from the root down, as a number that is equal for equal names.
type Key = usize;

/// The matched nodes of two scenes, as nodes of their files.
pub(super) struct Matching {
    /// By node of the scene before: the matched node of the scene after.
    pub(super) after: Vec<Option<(usize, MatchedBy)>>,
    is_taken: Vec<bool>,
    keys: [Vec<Key>; 2],
}

impl Matching {
    /// Matches by names only: by unique paths, then by unique names.
    pub(super) fn by_names(scenes: [&Scene; 2]) -> Self {
        let mut known = HashMap::new();
        let keys = scenes.map(|scene| path_keys(scene, &mut known));
        let [before, after] = scenes.map(|scene| scene.nodes.len());
        let mut matching = Self { after: vec![None; before], is_taken: vec![false; after], keys };
        let by_key = [0, 1].map(|side| {
            let is_of_file = |&node: &usize| is_of_file(scenes[side], node);
            let nodes = (0..scenes[side].nodes.len()).filter(is_of_file);
            unique(nodes.map(|node| (matching.keys[side][node], node)))
        });
        matching.pair(&by_key, MatchedBy::Path);
        let by_name = [0, 1].map(|side| {
            let nodes = scenes[side].nodes.iter().enumerate();
            let named = nodes.filter(|&(node, _)| is_of_file(scenes[side], node));
            unique(named.filter_map(|(node, entry)| Some((entry.name.as_deref()?, node))))
        });
        matching.pair(&by_name, MatchedBy::Name);
        matching
    }

    fn pair<K: Eq + std::hash::Hash + Ord + Copy>(
        &mut self,
        [before, after]: &[HashMap<K, usize>; 2],
        by: MatchedBy,
    ) {
        for (key, &old) in before {
            if let Some(&new) = after.get(key) {
                self.take(old, new, by);
            }
        }
    }

    /// Matches two nodes unless one of them has a partner already. Returns whether it did.
    pub(super) fn take(&mut self, old: usize, new: usize, by: MatchedBy) -> bool {
        let is_free = self.after[old].is_none() && !self.is_taken[new];
        if is_free {
            self.after[old] = Some((new, by));
            self.is_taken[new] = true;
        }
        is_free
    }

    pub(super) fn is_taken(&self, new: usize) -> bool {
        self.is_taken[new]
    }

    /// Matches the remaining nodes with equal paths, in the order of the files.
    pub(super) fn by_order(&mut self, scenes: [&Scene; 2]) {
        let mut left: HashMap<Key, Vec<usize>> = HashMap::new();
        for new in (0..self.is_taken.len()).rev() {
            if !self.is_taken[new] && is_of_file(scenes[1], new) {
                left.entry(self.keys[1][new]).or_default().push(new);
            }
        }
        for old in 0..self.after.len() {
            if self.after[old].is_none()
                && is_of_file(scenes[0], old)
                && let Some(new) = left.get_mut(&self.keys[0][old]).and_then(Vec::pop)
            {
                self.take(old, new, MatchedBy::Order);
            }
        }
    }
}

/// Whether a node is in its file, and not a helper for axes and units or for the scale of another node.
pub(super) fn is_of_file(scene: &Scene, node: usize) -> bool {
    node < scene.nodes_of_the_file()
}

/// Returns the entries whose key occurs once.
fn unique<K: Eq + std::hash::Hash>(all: impl Iterator<Item = (K, usize)>) -> HashMap<K, usize> {
    let mut found: HashMap<K, Option<usize>> = HashMap::new();
    for (key, node) in all {
        found.entry(key).and_modify(|known| *known = None).or_insert(Some(node));
    }
    found.into_iter().filter_map(|(key, node)| Some((key, node?))).collect()
}

/// Returns a number for each node that is equal for equal names from the root down. Helpers for axes and
/// units do not contribute names.
fn path_keys<'a>(
    scene: &'a Scene,
    known: &mut HashMap<(Option<Key>, Option<&'a str>), Key>,
) -> Vec<Key> {
    let mut keys: Vec<Option<Key>> = vec![None; scene.nodes.len()];
    for node in 0..scene.nodes.len() {
        // Up to the first known node, then down again.
        let mut path = vec![node];
        while let Some(parent) = scene.nodes[path[path.len() - 1]].parent
            && keys[parent].is_none()
        {
            path.push(parent);
        }
        for node in path.into_iter().rev() {
            let above = named_parent(scene, node).and_then(|parent| keys[parent]);
            let name = scene.nodes[node].name.as_deref();
            let next = known.len();
            keys[node] = Some(*known.entry((above, name)).or_insert(next));
        }
    }
    keys.into_iter().map(|key| key.unwrap_or(Key::MAX)).collect()
}

/// Returns the nearest ancestor of a node that is in the file.
pub(super) fn named_parent(scene: &Scene, node: usize) -> Option<usize> {
    let mut parent = scene.nodes[node].parent;
    while let Some(above) = parent.filter(|&above| !is_of_file(scene, above)) {
        parent = scene.nodes[above].parent;
    }
    parent
}

/// The number of boxes in the same place that are examined. A small file may have any number of them.
const MOST_NEAR: usize = 64;

/// Returns pairs of boxes in the same place, each the nearest of the other. `within` is the largest distance
/// of their corners.
pub(super) fn at_the_same_place(
    before: &[(usize, [Point3<f64>; 2])],
    after: &[(usize, [Point3<f64>; 2])],
    within: f64,
) -> Vec<(usize, usize)> {
    let apart =
        |a: &[Point3<f64>; 2], b: &[Point3<f64>; 2]| (a[0] - b[0]).norm().max((a[1] - b[1]).norm());
    // Sorted along one axis, to avoid comparing each box with every other.
    let mut sorted: Vec<_> = after.iter().collect();
    sorted.sort_by(|a, b| a.1[0].x.total_cmp(&b.1[0].x));
    let mut pairs = Vec::new();
    for (old, bounds) in before {
        let first = sorted.partition_point(|(_, other)| other[0].x < bounds[0].x - within);
        let near =
            sorted[first..].iter().take_while(|(_, other)| other[0].x <= bounds[0].x + within);
        let near = near.map(|(new, other)| (apart(bounds, other), *old, *new));
        pairs.extend(near.filter(|&(apart, ..)| apart <= within).take(MOST_NEAR));
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    let (mut old_taken, mut new_taken) = (HashSet::new(), HashSet::new());
    pairs.retain(|(_, old, new)| {
        let is_free = !old_taken.contains(old) && !new_taken.contains(new);
        if is_free {
            old_taken.insert(*old);
            new_taken.insert(*new);
        }
        is_free
    });
    pairs.into_iter().map(|(_, old, new)| (old, new)).collect()
}
