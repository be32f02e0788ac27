//! The proof of a repair: it computes every vertex, normal and tangent that could have moved from both files.

// A repair is proved by what it wrote. The proof reads both documents again and accumulates matrices in `f64`. It
// shares the reader of accessors with the edit, and none of its mathematics. It skips a node only if its accessors and
// all poses above it are the same on both sides. Of fourteen errors put into the edit, the tests notice all, and
// thirteen of them with the proof switched off: only the proof and a worked example see the sign of tangents.
//
// The same comparison measures a repair that changes the shape. It compares vertices wherever something changed. What
// is below a group that may move counts for that group, and everything else must stay within the bound. So `uniform`
// and `nearest` get their figures from the code that refuses an inexact bake, and need no bound of their own.
// Unreadable vertices refuse the group, because nothing could be said about them.

mod primitive;
mod shown;
mod side;

use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

use serde::Serialize;
use xform_scene::{
    Scene,
    gltf::{GltfAccessors, GltfAsset, GltfErrors},
};

use crate::document::{Document, Node};
use primitive::{Found, compare_primitive, other_shape};
use side::{Primitives, Side};

/// How far a repair moved what engines that multiply matrices show.
///
/// It covers all vertices of the meshes that the repair could have moved: at rest, and at every keyframe of every
/// animation that moves them. For a group whose shape changes, it is how far the group's vertices moved.
///
/// Each vertex is compared without morph targets, and with each target fully applied. Any mix of targets is a sum of
/// these, so it moves by no more than they do together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Proof {
    /// The largest move of a vertex, in scene units.
    pub largest_move: f64,
    /// The node that shows that vertex.
    pub largest_move_node: Option<usize>,
    /// The largest turn of a normal or tangent, in degrees.
    pub largest_turn_degrees: f64,
    /// The node that shows that normal or tangent.
    pub largest_turn_node: Option<usize>,
    /// The diagonal of what is drawn at rest, as in the audit. Moves are measured relative to it.
    pub diagonal: f64,
    /// How many vertex positions were compared, counting each at each time.
    pub positions: u64,
    /// How many normals and tangents were compared.
    pub directions: u64,
    /// How many poses of nodes were compared.
    pub poses: u64,
    /// Nodes that cannot be compared or are no longer the same: in their number of vertices, in their triangles, or in
    /// the side from which those are seen.
    pub broken: Vec<Broken>,
}

/// A node whose mesh cannot be compared or has become another mesh.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Broken {
    /// The node.
    pub node: usize,
    /// The difference, as a clause for people.
    pub what: String,
}

/// The largest move of a vertex allowed, relative to the diagonal of the scene.
const MOVE: f64 = 1e-6;

/// The largest turn of a normal or tangent allowed, in degrees.
const TURN: f64 = 0.01;

impl Proof {
    /// Returns the largest move relative to the diagonal of the scene, or relative to 1 if the diagonal is 0.
    #[must_use]
    pub fn largest_move_of_scene(&self) -> f64 {
        self.largest_move / if self.diagonal > 0.0 { self.diagonal } else { 1.0 }
    }

    /// Whether nothing moved by more than 10⁻⁶ of the scene or turned by more than 0.01°, each times `tolerance`, and
    /// nothing is broken.
    #[must_use]
    pub fn holds(&self, tolerance: f64) -> bool {
        let is_still = self.largest_move_of_scene() <= MOVE * tolerance;
        is_still && self.largest_turn_degrees <= TURN * tolerance && self.broken.is_empty()
    }
}

/// The expectations of a comparison.
pub(crate) struct Promise<'a> {
    /// The node of the new file that shows an old node's mesh, by old node, where it is another node.
    pub(crate) shown_by: &'a BTreeMap<usize, usize>,
    /// The place of each group in whose subtree everything may move, by the group's top.
    pub(crate) may_move: &'a HashMap<usize, usize>,
    /// Whether to compare everything, because equal indices may now mean other data.
    pub(crate) is_all: bool,
    /// The diagonal of what the old file draws.
    pub(crate) diagonal: f64,
}

/// The result of a comparison.
pub(crate) struct Compared {
    /// How far nodes moved that were meant to stay.
    pub(crate) proof: Proof,
    /// How far each group moved that may move.
    pub(crate) changes: Vec<Proof>,
    /// Nodes whose vertices cannot be read in the old file, each with the reason.
    pub(crate) unread: Vec<(usize, String)>,
}

/// Compares what two files show.
pub(crate) fn prove(
    before: &GltfAsset,
    after: &GltfAsset,
    scenes: [&Scene; 2],
    promise: &Promise<'_>,
) -> Result<Compared, ProofError> {
    let documents = [Document::parse(before.json())?, Document::parse(after.json())?];
    let nothing = Proof { diagonal: promise.diagonal, ..Proof::default() };
    let mut all = vec![nothing; 1 + promise.may_move.len()];
    let mut unread = Vec::new();
    before.accessors(|old| {
        after.accessors(|new| {
            let sides = [0, 1].map(|side| Side::new(scenes[side], &documents[side]));
            let alike = sides[0].poses_alike(&sides[1]);
            let mut comparison = Comparison { sides, alike, old, new, last: None };
            comparison.run(promise, &mut all, &mut unread);
        })
    })??;
    let changes = all.split_off(1);
    Ok(Compared { proof: all.swap_remove(0), changes, unread })
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ProofError {
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Gltf(#[from] GltfErrors),
}

/// A comparison of both files, node by node.
struct Comparison<'a, 'b, 'c, 'd> {
    sides: [Side<'a>; 2],
    /// Whether each node has the same poses on both sides.
    alike: Vec<bool>,
    old: &'b mut GltfAccessors<'c>,
    new: &'b mut GltfAccessors<'d>,
    /// The mesh and skin read last from the old file: the next node may show them too.
    last: Option<(Shape, Rc<Primitives>)>,
}

/// A mesh with a skin, if it has one.
type Shape = (usize, Option<usize>);

impl Comparison<'_, '_, '_, '_> {
    fn run(
        &mut self,
        promise: &Promise<'_>,
        proofs: &mut [Proof],
        unread: &mut Vec<(usize, String)>,
    ) {
        let nodes = self.sides[0].document.nodes.iter().enumerate();
        let shape = |node: &Node| Some((node.mesh?, node.skin));
        let mut shown: Vec<_> =
            nodes.filter_map(|(node, part)| Some((shape(&part.is)?, node))).collect();
        shown.sort_unstable();
        for (shape, node) in shown {
            let joints = match shape.1 {
                Some(skin) => self.sides[0].document.skins[skin].is.joints.clone(),
                None => vec![node],
            };
            let then = promise.shown_by.get(&node).copied().unwrap_or(node);
            let found = self.node(shape, [node, then], &joints, promise.is_all);
            let above = joints.iter().flat_map(|&joint| self.sides[0].upwards(joint));
            let above = above.filter(|_| !promise.may_move.is_empty());
            let groups = above.filter_map(|at| Some(promise.may_move.get(&at)? + 1));
            let mut places: Vec<_> = groups.collect();
            places.sort_unstable();
            places.dedup();
            if places.is_empty() {
                places.push(0);
            }
            places.into_iter().for_each(|place| proofs[place].add(node, &found));
            unread.extend(found.unread.map(|why| (node, why)));
        }
    }

    /// Compares one node that shows a mesh, given its index on both sides.
    fn node(
        &mut self,
        shape: Shape,
        [node, then]: [usize; 2],
        joints: &[usize],
        is_all: bool,
    ) -> Found {
        let mut found = Found::default();
        let [before, after] = &self.sides;
        let is_posed_alike = node == then && joints.iter().all(|&joint| self.alike[joint]);
        let is_same = !is_all && is_posed_alike && before.has_same_data(after, node);
        let old = match self.last.take().filter(|(last, _)| *last == shape) {
            Some((_, known)) => known,
            None => Rc::new(before.load_all(self.old, node)),
        };
        self.last = Some((shape, Rc::clone(&old)));
        if is_same {
            return found;
        }
        let new = after.load_all(self.new, then);
        if old.len() != new.len() {
            found.broken.push("its number of primitives changed".to_owned());
        }
        // A skinned mesh follows its joints on both sides.
        let then = if shape.1.is_some() { joints } else { &[then] };
        for pair in old.iter().zip(&new) {
            match pair {
                (Ok(a), _) if other_shape([a, a]).is_some() => {
                    found.unread = other_shape([a, a]).map(str::to_owned);
                }
                (Ok(a), Ok(b)) => {
                    compare_primitive(&self.sides, [joints, then], [a, b], &mut found);
                }
                (Err(why), _) => found.unread = Some(why.clone()),
                (_, Err(what)) => {
                    found.broken.push(format!("its vertices cannot be compared: {what}"));
                }
            }
        }
        found
    }
}

impl Proof {
    fn add(&mut self, node: usize, Found { vertices, poses, broken, .. }: &Found) {
        self.poses += poses;
        self.positions += vertices.positions;
        self.directions += vertices.directions;
        if vertices.moved > self.largest_move {
            (self.largest_move, self.largest_move_node) = (vertices.moved, Some(node));
        }
        if vertices.turned > self.largest_turn_degrees {
            (self.largest_turn_degrees, self.largest_turn_node) = (vertices.turned, Some(node));
        }
        let broken = broken.iter().map(|what| Broken { node, what: what.clone() });
        self.broken.extend(broken);
    }
}
