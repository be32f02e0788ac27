//! One of the two files as it is drawn: the poses of its nodes over time, and their vertices.

use std::collections::HashMap;

use nalgebra::{Matrix4, Vector3, Vector4};
use xform_scene::{LocalPose, Scene, animation::Track, gltf::GltfAccessors};

use crate::{
    bake::DRACO,
    document::{Attributes, Document, Primitive},
    non_uniform::{children, matrix, subtree},
    triangles::triangles,
};

/// The file before or after the repair.
pub(super) struct Side<'a> {
    pub(super) scene: &'a Scene,
    pub(super) document: &'a Document<'a>,
    /// The tracks of each node, by animation and node.
    pub(super) tracks: Vec<HashMap<usize, Vec<&'a Track>>>,
    /// The world transform of each node at rest.
    pub(super) at_rest: Vec<Matrix4<f64>>,
}

/// The primitives of a mesh, each as it is drawn or with the reason why it cannot be read.
pub(super) type Primitives = Vec<Result<Vertices, String>>;

/// A primitive as it is drawn.
pub(super) struct Vertices {
    pub(super) positions: Vec<Vector3<f64>>,
    pub(super) normals: Vec<Vector3<f64>>,
    pub(super) tangents: Vec<Vector4<f64>>,
    pub(super) targets: Vec<Offsets>,
    pub(super) triangles: Option<Vec<[u32; 3]>>,
    /// The joints of each vertex, by their place in the skin, with their weights. Empty if the vertices follow the
    /// node.
    pub(super) follows: Vec<Vec<(usize, f64)>>,
    pub(super) inverse_binds: Vec<Matrix4<f64>>,
}

/// The offsets of a morph target for positions, normals and tangents. Empty where it has none.
#[derive(Default)]
pub(super) struct Offsets {
    pub(super) positions: Vec<Vector3<f64>>,
    pub(super) normals: Vec<Vector3<f64>>,
    pub(super) tangents: Vec<Vector3<f64>>,
}

impl<'a> Side<'a> {
    pub(super) fn new(scene: &'a Scene, document: &'a Document<'a>) -> Self {
        let tracks = scene.animations.iter().map(|animation| {
            let mut tracks: HashMap<_, Vec<_>> = HashMap::new();
            for channel in &animation.channels {
                tracks.entry(channel.node).or_default().push(&channel.track);
            }
            tracks
        });
        let mut at_rest = vec![Matrix4::identity(); scene.nodes.len()];
        for node in order(scene) {
            let above = scene.nodes[node].parent.map_or_else(Matrix4::identity, |at| at_rest[at]);
            at_rest[node] = above * matrix(&scene.nodes[node].local);
        }
        Self { scene, document, tracks: tracks.collect(), at_rest }
    }

    pub(super) fn upwards(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(node), |&at| self.scene.nodes[at].parent)
    }

    /// Returns for each node whether it and all its ancestors have the same poses on both sides at all times.
    pub(super) fn poses_alike(&self, other: &Self) -> Vec<bool> {
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

    /// Whether a node uses the same accessors on both sides.
    pub(super) fn has_same_data(&self, other: &Self, node: usize) -> bool {
        let nodes = [self, other].map(|side| &side.document.nodes[node].is);
        let [ours, theirs] =
            [self.document.primitives(nodes[0].mesh), other.document.primitives(nodes[1].mesh)];
        let data = |primitive: &'a Primitive<'a>| {
            let targets = primitive.targets.iter().map(|target| &target.is);
            (primitive.base(), targets.collect::<Vec<_>>(), primitive.indices, primitive.mode)
        };
        let [one, another] = [(self, nodes[0]), (other, nodes[1])].map(|(side, node)| {
            node.skin.map(|skin| side.document.skins[skin].is.inverse_bind_matrices)
        });
        let ours = ours.iter().map(|part| data(&part.is));
        one == another && ours.eq(theirs.iter().map(|part| data(&part.is)))
    }

    /// Reads the primitives of a node's mesh.
    pub(super) fn load_all(&self, accessors: &mut GltfAccessors<'_>, node: usize) -> Primitives {
        let shown = &self.document.nodes[node].is;
        let primitives = self.document.primitives(shown.mesh).iter();
        primitives.map(|one| self.load(accessors, shown.skin, &one.is)).collect()
    }

    fn load(
        &self,
        accessors: &mut GltfAccessors<'_>,
        skin: Option<usize>,
        primitive: &Primitive<'_>,
    ) -> Result<Vertices, String> {
        let is_unknown = |name: &String| name != DRACO && name.contains("compression");
        if primitive.extensions.iter().any(is_unknown) {
            return Err("its mesh is compressed".to_owned());
        }
        let base = primitive.base();
        let positions = vectors(accessors, base, "POSITION")?;
        let mut tangents = Vec::new();
        if let Some(accessor) = base.get("TANGENT") {
            tangents = accessors.elements(accessor)?.into_iter().map(Vector4::from).collect();
        }
        let mut targets = Vec::new();
        for target in &primitive.targets {
            targets.push(Offsets {
                positions: vectors(accessors, &target.is, "POSITION")?,
                normals: vectors(accessors, &target.is, "NORMAL")?,
                tangents: vectors(accessors, &target.is, "TANGENT")?,
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
            follows = follows_of(accessors, base, positions.len())?;
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
        let normals = vectors(accessors, base, "NORMAL")?;
        let triangles = triangles(primitive.mode.unwrap_or(4), &indices);
        Ok(Vertices { positions, normals, tangents, targets, triangles, follows, inverse_binds })
    }

    /// Returns the world transform of a node, at a time of an animation or at rest.
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

    /// Returns the matrices that take vertices into the world: of the node, or of each joint.
    pub(super) fn worlds(
        &self,
        joints: &[usize],
        vertices: &Vertices,
        moment: Option<(usize, f64)>,
    ) -> Vec<Matrix4<f64>> {
        let worlds = joints.iter().map(|&joint| self.world(joint, moment));
        if vertices.inverse_binds.is_empty() {
            worlds.collect()
        } else {
            worlds.zip(&vertices.inverse_binds).map(|(world, bind)| world * bind).collect()
        }
    }

    /// Returns the keyframe times of all animations that move one of these nodes or one of their ancestors.
    pub(super) fn moments(&self, joints: &[usize]) -> Vec<(usize, f64)> {
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
    let Some(accessor) = from.get(name) else { return Ok(Vec::new()) };
    Ok(accessors.elements(accessor)?.into_iter().map(Vector3::from).collect())
}

fn follows_of(
    accessors: &mut GltfAccessors<'_>,
    from: &Attributes,
    count: usize,
) -> Result<Vec<Vec<(usize, f64)>>, String> {
    let mut follows = vec![Vec::new(); count];
    for set in 0.. {
        let accessor = |name: &str| from.get(&format!("{name}_{set}"));
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

/// Returns the nodes of a scene, parents first.
fn order(scene: &Scene) -> impl Iterator<Item = usize> {
    let children = children(scene);
    let roots = (0..scene.nodes.len()).filter(|&node| scene.nodes[node].parent.is_none());
    roots.flat_map(move |root| subtree(&children, root))
}
