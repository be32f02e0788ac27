//! The proof of a repair: every vertex, normal and tangent that it could have moved, computed from both files.

use std::{collections::HashMap, rc::Rc};

use nalgebra::{Matrix3, Matrix4, Vector3, Vector4};
use rayon::prelude::*;
use serde::Serialize;
use xform_compare::{GltfAccessors, GltfAsset, GltfErrors, LocalPose, Scene, Track};

use crate::{
    document::{Attributes, Document, Node, Primitive, attributes},
    group::{children, matrix},
    triangles::triangles,
};

/// How far a repair moved what engines that multiply matrices show, over all vertices of the meshes that it could have
/// moved: at rest, and at every keyframe of every animation that moves them.
///
/// Each vertex is looked at as it is, and with each morph target wholly in effect. What lies between is a sum of these, so
/// it moves by no more than they do together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Proof {
    /// The farthest that a vertex moved, in scene units.
    pub largest_move: f64,
    /// The node that shows that vertex.
    pub largest_move_node: Option<usize>,
    /// The most that a normal or tangent turned, in degrees.
    pub largest_turn_degrees: f64,
    /// The node that shows it.
    pub largest_turn_node: Option<usize>,
    /// The diagonal of the box around all vertices at rest, which moves are measured by.
    pub diagonal: f64,
    /// How many places of vertices were compared, each at each time.
    pub positions: u64,
    /// How many normals and tangents were compared.
    pub directions: u64,
    /// How many poses of nodes were looked at.
    pub poses: u64,
    /// Nodes of which something cannot be compared, or is not the same: the number of their vertices, the triangles that
    /// these make, the side from which those are seen.
    pub broken: Vec<Broken>,
}

/// A node whose mesh cannot be compared before and after, or is another one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Broken {
    /// The node.
    pub node: usize,
    /// What is not the same, for people: a clause.
    pub what: String,
}

/// The farthest that a vertex may move, in proportion to the diagonal of the scene.
const MOVE: f64 = 1e-6;

/// The most that a normal or tangent may turn, in degrees.
const TURN: f64 = 0.01;

impl Proof {
    /// The farthest move in proportion to the diagonal of the scene; to 1 where that is 0.
    #[must_use]
    pub fn largest_move_of_scene(&self) -> f64 {
        self.largest_move / if self.diagonal > 0.0 { self.diagonal } else { 1.0 }
    }

    /// Whether nothing moved by more than 10⁻⁶ of the scene and turned by more than 0.01°, each times `tolerance`.
    #[must_use]
    pub fn holds(&self, tolerance: f64) -> bool {
        let is_still = self.largest_move_of_scene() <= MOVE * tolerance;
        is_still && self.largest_turn_degrees <= TURN * tolerance && self.broken.is_empty()
    }
}

/// A file before or after.
struct Side<'a> {
    scene: &'a Scene,
    document: &'a Document<'a>,
    /// By animation and node, what moves it.
    tracks: Vec<HashMap<usize, Vec<&'a Track>>>,
    /// By node, its world transform at rest.
    at_rest: Vec<Matrix4<f64>>,
}

/// Compares what two files show.
pub(crate) fn prove(
    before: &GltfAsset,
    after: &GltfAsset,
    scenes: [&Scene; 2],
) -> Result<Proof, ProofError> {
    let documents = [Document::parse(before.json())?, Document::parse(after.json())?];
    let mut proof = Proof::default();
    let mut extent = Extent::default();
    before.accessors(|old| {
        after.accessors(|new| {
            let sides = [0, 1].map(|side| Side::new(scenes[side], &documents[side]));
            let alike = sides[0].poses_alike(&sides[1]);
            let mut comparison =
                Comparison { sides, alike, old, new, extent: Extent::default(), last: None };
            comparison.run(&mut proof)?;
            extent = comparison.extent;
            Ok::<_, ProofError>(())
        })
    })???;
    proof.diagonal = extent.diagonal();
    Ok(proof)
}

/// The box around all vertices at rest, as the file before has them.
#[derive(Default)]
struct Extent(Option<[Vector3<f64>; 2]>);

impl Extent {
    fn add(&mut self, vertices: &Vertices, worlds: &[Matrix4<f64>]) {
        for vertex in 0..vertices.positions.len() {
            let at = Shown::new(vertices, worlds, vertex).at(vertices, vertex, None).position;
            if at.iter().all(|component| component.is_finite()) {
                let [low, high] = self.0.unwrap_or([at; 2]);
                self.0 = Some([low.inf(&at), high.sup(&at)]);
            }
        }
    }

    fn diagonal(&self) -> f64 {
        self.0.map_or(0.0, |[low, high]| (high - low).norm())
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ProofError {
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Gltf(#[from] GltfErrors),
}

/// Both files, on the way through their nodes.
struct Comparison<'a, 'b, 'c, 'd> {
    sides: [Side<'a>; 2],
    /// By node, whether it is posed alike on both sides.
    alike: Vec<bool>,
    old: &'b mut GltfAccessors<'c>,
    new: &'b mut GltfAccessors<'d>,
    extent: Extent,
    /// The mesh and skin that were read last of the file before, which others may show too.
    last: Option<(Shape, Rc<Primitives>)>,
}

/// The primitives of a mesh, each as it is drawn or why it cannot be read.
type Primitives = Vec<Result<Vertices, String>>;

/// A mesh with a skin, if it has one.
type Shape = (usize, Option<usize>);

impl Comparison<'_, '_, '_, '_> {
    fn run(&mut self, proof: &mut Proof) -> Result<(), ProofError> {
        let nodes = self.sides[0].document.nodes.iter().enumerate();
        let shape = |node: &Node| Some((node.mesh?, node.skin));
        let mut shown: Vec<_> =
            nodes.filter_map(|(node, part)| Some((shape(&part.is)?, node))).collect();
        shown.sort_unstable();
        shown.into_iter().try_for_each(|(shape, node)| self.node(shape, node, proof))
    }

    fn node(&mut self, shape: Shape, node: usize, proof: &mut Proof) -> Result<(), ProofError> {
        let [before, after] = &self.sides;
        let joints = match shape.1 {
            Some(skin) => before.document.skins[skin].is.joints.clone(),
            None => vec![node],
        };
        let is_posed_alike = joints.iter().all(|&joint| self.alike[joint]);
        let is_same = is_posed_alike && before.has_same_data(after, node)?;
        let old = match self.last.take().filter(|(last, _)| *last == shape) {
            Some((_, known)) => known,
            None => Rc::new(before.load_all(self.old, node)?),
        };
        self.last = Some((shape, Rc::clone(&old)));
        for vertices in old.iter().flatten() {
            self.extent.add(vertices, &before.worlds(&joints, vertices, None));
        }
        if is_same {
            return Ok(());
        }
        let new = after.load_all(self.new, node)?;
        if old.len() != new.len() {
            let what = "the number of its primitives is another one".to_owned();
            proof.broken.push(Broken { node, what });
        }
        for pair in old.iter().zip(&new) {
            match pair {
                (Ok(a), Ok(b)) => compare_primitive(&self.sides, node, &joints, [a, b], proof),
                (Err(what), _) | (_, Err(what)) => {
                    let what = format!("its vertices cannot be compared: {what}");
                    proof.broken.push(Broken { node, what });
                }
            }
        }
        Ok(())
    }
}

/// The nodes of a scene, parents first.
fn order(scene: &Scene) -> Vec<usize> {
    let children = children(scene);
    let roots = (0..scene.nodes.len()).filter(|&node| scene.nodes[node].parent.is_none());
    let mut order: Vec<_> = roots.collect();
    let mut at = 0;
    while let Some(&node) = order.get(at) {
        order.extend(&children[node]);
        at += 1;
    }
    order
}

/// A primitive as it is drawn.
struct Vertices {
    positions: Vec<Vector3<f64>>,
    normals: Vec<Vector3<f64>>,
    tangents: Vec<Vector4<f64>>,
    targets: Vec<Offsets>,
    triangles: Option<Vec<[u32; 3]>>,
    /// By vertex, the places of joints and their weights; none where it follows the node.
    follows: Vec<Vec<(usize, f64)>>,
    inverse_binds: Vec<Matrix4<f64>>,
}

/// How far a morph target moves vertices, and turns their normals and tangents; none where it does not.
#[derive(Default)]
struct Offsets {
    positions: Vec<Vector3<f64>>,
    normals: Vec<Vector3<f64>>,
    tangents: Vec<Vector3<f64>>,
}

impl<'a> Side<'a> {
    fn new(scene: &'a Scene, document: &'a Document<'a>) -> Self {
        let tracks = scene.animations.iter().map(|animation| {
            let mut tracks: HashMap<_, Vec<_>> = HashMap::new();
            for channel in &animation.channels {
                tracks.entry(channel.node).or_default().push(&channel.track);
            }
            tracks
        });
        let mut at_rest = vec![Matrix4::identity(); scene.nodes.len()];
        for &node in &order(scene) {
            let above = scene.nodes[node].parent.map_or_else(Matrix4::identity, |at| at_rest[at]);
            at_rest[node] = above * matrix(&scene.nodes[node].local);
        }
        Self { scene, document, tracks: tracks.collect(), at_rest }
    }

    fn upwards(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(node), |&at| self.scene.nodes[at].parent)
    }

    /// By node, whether it and all above it have the same poses at all times on both sides.
    fn poses_alike(&self, other: &Self) -> Vec<bool> {
        let mut alike = vec![true; self.scene.nodes.len()];
        for node in order(self.scene) {
            let [one, another] = [self, other].map(|side| &side.scene.nodes[node]);
            let mut tracks = self.tracks.iter().zip(&other.tracks);
            alike[node] = one.local == another.local
                && one.parent == another.parent
                && one.parent.is_none_or(|parent| alike[parent])
                && tracks.all(|(one, other)| one.get(&node) == other.get(&node));
        }
        alike
    }

    /// Whether a node shows the same accessors on both sides.
    fn has_same_data(&self, other: &Self, node: usize) -> serde_json::Result<bool> {
        let shown = |side: &Self| -> serde_json::Result<_> {
            let node = &side.document.nodes[node].is;
            let mut data = Vec::new();
            if let Some(mesh) = node.mesh {
                for primitive in side.document.meshes[mesh].is.primitives()? {
                    let primitive = primitive.is;
                    let targets = primitive.targets.iter().map(|target| attributes(target));
                    data.push((
                        attributes(primitive.attributes)?,
                        targets.collect::<serde_json::Result<Vec<_>>>()?,
                        primitive.indices,
                        primitive.mode,
                    ));
                }
            }
            let skin = node.skin.map(|skin| side.document.skins[skin].is.inverse_bind_matrices);
            Ok((data, skin))
        };
        Ok(shown(self)? == shown(other)?)
    }

    /// The primitives of a node's mesh.
    fn load_all(
        &self,
        accessors: &mut GltfAccessors<'_>,
        node: usize,
    ) -> serde_json::Result<Primitives> {
        let shown = &self.document.nodes[node].is;
        let primitives = match shown.mesh {
            Some(mesh) => self.document.meshes[mesh].is.primitives()?,
            None => Vec::new(),
        };
        Ok(primitives.iter().map(|one| self.load(accessors, shown.skin, &one.is)).collect())
    }

    fn load(
        &self,
        accessors: &mut GltfAccessors<'_>,
        skin: Option<usize>,
        primitive: &Primitive<'_>,
    ) -> Result<Vertices, String> {
        let text = |error: serde_json::Error| error.to_string();
        if primitive.extensions.keys().any(|name| name.contains("compression")) {
            return Err("its mesh is compressed".to_owned());
        }
        let base = attributes(primitive.attributes).map_err(text)?;
        let positions = vectors(accessors, &base, "POSITION")?;
        let mut tangents = Vec::new();
        if let Some(&accessor) = base.get("TANGENT") {
            tangents = accessors.elements(accessor)?.into_iter().map(Vector4::from).collect();
        }
        let mut targets = Vec::new();
        for target in &primitive.targets {
            let target = attributes(target).map_err(text)?;
            targets.push(Offsets {
                positions: vectors(accessors, &target, "POSITION")?,
                normals: vectors(accessors, &target, "NORMAL")?,
                tangents: vectors(accessors, &target, "TANGENT")?,
            });
        }
        let indices: Vec<u32> = match primitive.indices {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "read of unsigned integers of 32 bits at most"
            )]
            Some(indices) => {
                let indices = accessors.elements::<1>(indices)?;
                indices.into_iter().map(|[index]| index as u32).collect()
            }
            None => (0..).take(positions.len()).collect(),
        };
        let (mut follows, mut inverse_binds) = (Vec::new(), Vec::new());
        if let Some(skin) = skin {
            follows = follows_of(accessors, &base, positions.len())?;
            let skin = &self.document.skins[skin].is;
            inverse_binds = match skin.inverse_bind_matrices {
                Some(accessor) => {
                    let read = accessors.elements::<16>(accessor)?;
                    read.iter().map(|columns| Matrix4::from_column_slice(columns)).collect()
                }
                None => vec![Matrix4::identity(); skin.joints.len()],
            };
            let joints = inverse_binds.len().min(skin.joints.len());
            if follows.iter().flatten().any(|&(joint, _)| joint >= joints) {
                return Err("a vertex follows a joint that its skin does not have".to_owned());
            }
        }
        let normals = vectors(accessors, &base, "NORMAL")?;
        let triangles = triangles(primitive.mode.unwrap_or(4), &indices);
        Ok(Vertices { positions, normals, tangents, targets, triangles, follows, inverse_binds })
    }

    /// The world transform of a node at a time of an animation, or at rest.
    fn world(&self, node: usize, moment: Option<(usize, f64)>) -> Matrix4<f64> {
        if moment.is_none() {
            return self.at_rest[node];
        }
        self.upwards(node).fold(Matrix4::identity(), |below, at| {
            let local = &self.scene.nodes[at].local;
            let tracks = moment
                .and_then(|(animation, seconds)| Some((self.tracks[animation].get(&at)?, seconds)));
            let local = match (local, tracks) {
                (LocalPose::Trs(trs), Some((tracks, seconds))) => {
                    let posed = tracks.iter().fold(*trs, |trs, track| track.pose(&trs, seconds));
                    posed.to_homogeneous()
                }
                _ => matrix(local),
            };
            local * below
        })
    }

    /// What takes vertices into the world: of the node, or of each joint.
    fn worlds(
        &self,
        joints: &[usize],
        vertices: &Vertices,
        moment: Option<(usize, f64)>,
    ) -> Vec<Matrix4<f64>> {
        let worlds = joints.iter().map(|&joint| self.world(joint, moment));
        match vertices.inverse_binds.is_empty() {
            true => worlds.collect(),
            false => {
                worlds.zip(&vertices.inverse_binds).map(|(world, bind)| world * bind).collect()
            }
        }
    }

    /// The keyframes of all animations that move one of some nodes or what is above it.
    fn moments(&self, joints: &[usize]) -> Vec<(usize, f64)> {
        let mut moving: Vec<_> = joints.iter().flat_map(|&joint| self.upwards(joint)).collect();
        moving.sort_unstable();
        moving.dedup();
        let mut moments = Vec::new();
        for (animation, tracks) in self.tracks.iter().enumerate() {
            let tracks = moving.iter().filter_map(|node| tracks.get(node)).flatten();
            let mut times: Vec<_> = tracks.flat_map(|track| track.times()).copied().collect();
            times.sort_unstable_by(f64::total_cmp);
            times.dedup();
            moments.extend(times.into_iter().map(|seconds| (animation, seconds)));
        }
        moments
    }
}

fn vectors(
    accessors: &mut GltfAccessors<'_>,
    from: &Attributes,
    name: &str,
) -> Result<Vec<Vector3<f64>>, String> {
    let Some(&accessor) = from.get(name) else { return Ok(Vec::new()) };
    Ok(accessors.elements(accessor)?.into_iter().map(Vector3::from).collect())
}

fn follows_of(
    accessors: &mut GltfAccessors<'_>,
    from: &Attributes,
    count: usize,
) -> Result<Vec<Vec<(usize, f64)>>, String> {
    let mut follows = vec![Vec::new(); count];
    for set in 0.. {
        let accessor = |name: &str| from.get(&format!("{name}_{set}")).copied();
        let (Some(joints), Some(weights)) = (accessor("JOINTS"), accessor("WEIGHTS")) else {
            break;
        };
        let joints = accessors.elements::<4>(joints)?;
        let weights = accessors.elements::<4>(weights)?;
        for (follows, (joints, weights)) in follows.iter_mut().zip(joints.iter().zip(weights)) {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "read of unsigned integers"
            )]
            let all = joints.iter().zip(weights).map(|(&joint, weight)| (joint as usize, weight));
            follows.extend(all.filter(|&(_, weight)| weight != 0.0));
        }
    }
    Ok(follows)
}

/// What was found of some vertices.
#[derive(Clone, Copy, Default)]
struct Found {
    moved: f64,
    turned: f64,
    positions: u64,
    directions: u64,
}

impl Found {
    fn and(self, other: Self) -> Self {
        Self {
            moved: worse(self.moved, other.moved),
            turned: worse(self.turned, other.turned),
            positions: self.positions + other.positions,
            directions: self.directions + other.directions,
        }
    }
}

/// The greater of two figures; what is not a number is as bad as can be.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::INFINITY } else { a.max(b) }
}

fn compare_primitive(
    sides: &[Side<'_>; 2],
    node: usize,
    joints: &[usize],
    vertices: [&Vertices; 2],
    proof: &mut Proof,
) {
    if let Some(what) = other_shape(vertices) {
        proof.broken.push(Broken { node, what: what.to_owned() });
        return;
    }
    let [before, after] = sides;
    let moments = std::iter::once(None).chain(before.moments(joints).into_iter().map(Some));
    let mut last = None;
    for moment in moments {
        let worlds =
            [before.worlds(joints, vertices[0], moment), after.worlds(joints, vertices[1], moment)];
        if last.as_ref() == Some(&worlds) {
            continue;
        }
        if moment.is_none() && vertices[0].follows.is_empty() {
            let sides = [&worlds[0], &worlds[1]].map(|worlds| worlds[0].determinant().signum());
            let are_seen_alike = same_triangles(vertices, sides[0] != sides[1]);
            if !are_seen_alike {
                let what = "its triangles are others, or seen from the other side".to_owned();
                proof.broken.push(Broken { node, what });
            }
        }
        let found = compare_vertices(vertices, &worlds);
        proof.poses += 1;
        proof.positions += found.positions;
        proof.directions += found.directions;
        if found.moved > proof.largest_move {
            (proof.largest_move, proof.largest_move_node) = (found.moved, Some(node));
        }
        if found.turned > proof.largest_turn_degrees {
            (proof.largest_turn_degrees, proof.largest_turn_node) = (found.turned, Some(node));
        }
        last = Some(worlds);
    }
}

/// What is of another number on the two sides, or no number of anything.
fn other_shape([a, b]: [&Vertices; 2]) -> Option<&'static str> {
    let count = a.positions.len();
    let fits = |len: usize| len == 0 || len == count;
    let of_base = |side: &Vertices| [side.positions.len(), side.normals.len(), side.tangents.len()];
    let of_targets = |side: &Vertices| -> Vec<_> {
        let each = |target: &Offsets| {
            [target.positions.len(), target.normals.len(), target.tangents.len()]
        };
        side.targets.iter().map(each).collect()
    };
    let (base, targets) = (of_base(a), of_targets(a));
    if base != of_base(b) || targets != of_targets(b) {
        return Some("the number of its vertices is another one");
    }
    if !base.iter().chain(targets.iter().flatten()).all(|&len| fits(len)) {
        return Some("it has another number of vertices than of normals, tangents or offsets");
    }
    if a.follows != b.follows {
        return Some("its vertices follow other joints");
    }
    None
}

/// Whether triangles are the same, with their corners the other way round where they are to be `turned`.
fn same_triangles([a, b]: [&Vertices; 2], turned: bool) -> bool {
    let (Some(a), Some(b)) = (&a.triangles, &b.triangles) else {
        return a.triangles.is_none() && b.triangles.is_none();
    };
    let is_same = |(&[a, b, c], other): (&[u32; 3], &[u32; 3])| {
        let [b, c] = if turned { [c, b] } else { [b, c] };
        [[a, b, c], [b, c, a], [c, a, b]].contains(other)
    };
    a.len() == b.len() && a.iter().zip(b).all(is_same)
}

fn compare_vertices(vertices: [&Vertices; 2], worlds: &[Vec<Matrix4<f64>>; 2]) -> Found {
    let count = vertices[0].positions.len();
    let one = |vertex: usize| {
        let shown = [0, 1].map(|side| Shown::new(vertices[side], &worlds[side], vertex));
        let targets = vertices[0].targets.len();
        let morphs = std::iter::once(None).chain((0..targets).map(Some));
        morphs.fold(Found::default(), |found, morph| {
            let [a, b] = [0, 1].map(|side| shown[side].at(vertices[side], vertex, morph));
            let mut this = Found { moved: (a.position - b.position).norm(), positions: 1, ..found };
            this.positions += found.positions;
            this.moved = worse(this.moved, found.moved);
            for (a, b) in [(a.normal, b.normal), (a.tangent, b.tangent)] {
                if let (Some(a), Some(b)) = (a, b) {
                    this.turned = worse(this.turned, degrees(&a, &b));
                    this.directions += 1;
                }
            }
            if a.side != b.side {
                this.turned = f64::INFINITY;
            }
            this
        })
    };
    (0..count).into_par_iter().with_min_len(1024).map(one).reduce(Found::default, Found::and)
}

/// The angle between two vectors; none where both vanish.
fn degrees(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    // So that neither overflows nor vanishes when multiplied.
    let unit = |vector: &Vector3<f64>| {
        let largest = vector.amax();
        if largest > 0.0 { (vector / largest).normalize() } else { *vector }
    };
    match (a.amax() > 0.0, b.amax() > 0.0) {
        (false, false) => 0.0,
        (true, true) => {
            let (a, b) = (unit(a), unit(b));
            a.cross(&b).norm().atan2(a.dot(&b)).to_degrees()
        }
        _ => f64::INFINITY,
    }
}

/// What takes one vertex into the world.
struct Shown {
    world: Matrix4<f64>,
    linear: Matrix3<f64>,
    of_normals: Matrix3<f64>,
    side: f64,
}

/// A vertex in the world.
struct Placed {
    position: Vector3<f64>,
    normal: Option<Vector3<f64>>,
    tangent: Option<Vector3<f64>>,
    /// On which side of its normal and tangent the third axis is, and from which side it is seen.
    side: f64,
}

impl Shown {
    fn new(vertices: &Vertices, worlds: &[Matrix4<f64>], vertex: usize) -> Self {
        let world = match vertices.follows.get(vertex) {
            None => worlds[0],
            Some(follows) => {
                let sum: f64 = follows.iter().map(|(_, weight)| weight).sum();
                let blended = follows.iter().fold(Matrix4::zeros(), |blended, &(joint, weight)| {
                    blended + worlds[joint] * weight
                });
                if sum == 0.0 { blended } else { blended / sum }
            }
        };
        let linear: Matrix3<f64> = world.fixed_view::<3, 3>(0, 0).into_owned();
        let determinant = linear.determinant();
        // What is flat has normals too: the inverse transpose but for its length.
        let of_normals = match linear.try_inverse() {
            Some(inverse) => inverse.transpose(),
            None => linear.cofactor(),
        };
        Self { world, linear, of_normals, side: determinant.signum() }
    }

    fn at(&self, vertices: &Vertices, vertex: usize, morph: Option<usize>) -> Placed {
        let target = morph.map(|target| &vertices.targets[target]);
        let with = |base: Vector3<f64>, offsets: Option<&Vec<Vector3<f64>>>| {
            offsets.and_then(|offsets| offsets.get(vertex)).map_or(base, |offset| base + offset)
        };
        let position = with(vertices.positions[vertex], target.map(|target| &target.positions));
        let normal = vertices
            .normals
            .get(vertex)
            .map(|&normal| self.of_normals * with(normal, target.map(|target| &target.normals)));
        let tangent = vertices.tangents.get(vertex);
        let side = tangent.map_or(0.0, |tangent| tangent.w * self.side);
        let tangent = tangent.map(|tangent| {
            self.linear * with(tangent.xyz(), target.map(|target| &target.tangents))
        });
        let position = (self.world * position.push(1.0)).xyz();
        Placed { position, normal, tangent, side }
    }
}

trait Cofactor {
    fn cofactor(&self) -> Self;
}

impl Cofactor for Matrix3<f64> {
    /// The matrix of cofactors: the inverse transpose times the determinant, which is there for every matrix.
    fn cofactor(&self) -> Self {
        let [x, y, z] = [0, 1, 2].map(|i| self.column(i).into_owned());
        Self::from_columns(&[y.cross(&z), z.cross(&x), x.cross(&y)])
    }
}
