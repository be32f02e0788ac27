//! Bakes scales into vertices: the new pose of each node of a group, and the reasons to refuse the group.

// A leaf (`RepairKind::Leaf`) is a bake that leaves vertices alone. A node loses the same matrix as in a bake. Where
// that matrix is a rotation and a scale to 1e-9 (`SHEARED`), a new child node gets it as its pose; otherwise it goes
// into the vertices. The advice of the page to move a scale to a leaf is measured as a person would do it by hand: what
// is turned below is not baked.

use std::collections::HashMap;

use nalgebra::{Matrix3, Vector3};
use xform_compare::audit::is_non_uniform;
use xform_matrix::{AccumulatedMatrix, Method, Trs};
use xform_scene::{LocalPose, animation::Track, gltf::field::Number};

use crate::{
    document::Node,
    non_uniform::{commutes, is_nothing, stays_uniform, subtree},
    refusal::{Refusal, Why},
    source::Source,
};

/// A node of a group and its new pose.
#[derive(Clone, Debug)]
pub(crate) struct Baked {
    pub(crate) node: usize,
    /// The linear map that baking removes from its parent, in the parent's axes. It is applied to this node's
    /// translation, at rest and at keyframes.
    pub(crate) of_parent: Matrix3<f64>,
    /// The linear map that baking removes from the node itself, in its own axes. It is applied to its vertices.
    pub(crate) own: Matrix3<f64>,
    /// The rotation that remains in its pose.
    pub(crate) rotation: Matrix3<f64>,
    pub(crate) translation: Vector3<f64>,
    /// Whether it keeps its scale as well, because the scale is animated and uniform at all times.
    pub(crate) keeps_scale: bool,
    /// The pose of the new child node that shows its mesh instead, so that its vertices stay unchanged.
    pub(crate) leaf: Option<Trs<f64>>,
}

/// The smallest ratio between the least and the greatest factor of a scale at which transformed vertices keep usable
/// normals.
pub(crate) const FLATTEST: f64 = 1e-6;

pub(crate) const DRACO: &str = "KHR_draco_mesh_compression";

/// How far the length of a rotation may differ from 1.
const UNIT: f64 = 1e-3;

impl Source<'_> {
    /// Returns the effect of baking on each node of a group, the top first. With `has_leaves`, meshes that are only
    /// rotated and scaled move to leaves.
    pub(crate) fn baked(&self, top: usize, has_leaves: bool) -> Vec<Baked> {
        let mut baked: Vec<Baked> = Vec::new();
        let mut place: HashMap<usize, usize> = HashMap::new();
        for node in subtree(&self.children, top) {
            let keeps_scale = self.moves_uniformly(node);
            let (rotation, linear, translation) = match &self.scene.nodes[node].local {
                LocalPose::Trs(trs) => {
                    let rotation = *trs.rotation.to_rotation_matrix().matrix();
                    let scale = Matrix3::from_diagonal(&trs.scale);
                    let linear = if keeps_scale { rotation } else { rotation * scale };
                    (rotation, linear, trs.translation)
                }
                LocalPose::Matrix(matrix) => {
                    let linear = matrix.linear();
                    (along_axes(&linear), linear, matrix.translation())
                }
            };
            let parent = self.scene.nodes[node].parent.filter(|_| node != top);
            let of_parent =
                parent.map_or_else(Matrix3::identity, |parent| baked[place[&parent]].own);
            place.insert(node, baked.len());
            let own = rotation.transpose() * of_parent * linear;
            let shown = &self.document.nodes[node].is;
            let is_shape = shown.mesh.is_some() && shown.skin.is_none() && !is_nothing(&own);
            let leaf = match &self.scene.nodes[node].local {
                _ if !has_leaves || !is_shape => None,
                LocalPose::Trs(trs) if is_nothing(&of_parent) => Some(Trs::from_scale(trs.scale)),
                _ => as_pose(&own),
            };
            baked.push(Baked {
                node,
                of_parent,
                own,
                rotation,
                translation: of_parent * translation,
                keeps_scale,
                leaf,
            });
        }
        baked
    }

    /// Whether the scale of a node is animated and uniform, at rest and at all times.
    fn moves_uniformly(&self, node: usize) -> bool {
        let LocalPose::Trs(pose) = &self.scene.nodes[node].local else { return false };
        let tracks = self.tracks(node).filter(|track| matches!(track, Track::Scale(_)));
        !is_non_uniform(&pose.scale)
            && tracks.clone().any(|track| !track.keeps(pose))
            && tracks.clone().all(stays_uniform)
    }

    /// Returns the reasons not to bake a group, as far as they can be found without reading its vertices.
    pub(crate) fn refusals(&self, baked: &[Baked]) -> Vec<Refusal> {
        let top = baked[0].node;
        let mut refusals = Vec::new();
        self.check_avatar(&mut |why| refusals.push(Refusal { node: top, why }));
        for one in baked {
            let mut refuse = |why| refusals.push(Refusal { node: one.node, why });
            self.document.nodes[one.node].is.check(&mut refuse);
            self.document.nodes[one.node].is.check_rotation(&mut refuse);
            self.check_pose(one, &mut refuse);
            self.check_motion(one, one.node == top, &mut refuse);
            let node = &self.document.nodes[one.node].is;
            if node.skin.is_none() {
                self.check_mesh(node, one.leaf.is_some(), &mut refuse);
                if one.leaf.is_some() {
                    self.check_pointers(one.node, &["weights"], &mut refuse);
                }
            }
            if one.node != top && self.document.is_root_of_a_scene(one.node) {
                refuse(Why::TwoPlaces);
            }
        }
        refusals
    }

    /// Refuses files with the settings of an avatar (VRM).
    pub(crate) fn check_avatar(&self, refuse: &mut dyn FnMut(Why)) {
        if self.document.extensions.names().any(|name| name.starts_with("VRM")) {
            refuse(Why::Avatar);
        }
    }

    fn check_pose(&self, one: &Baked, refuse: &mut dyn FnMut(Why)) {
        let all = one.own.iter().chain(&one.translation);
        if !all.into_iter().all(|number| number.is_finite()) {
            return refuse(Why::NotFinite);
        }
        let factors = one.own.singular_values();
        if factors.min() <= FLATTEST * factors.max() {
            refuse(Why::Flat);
        }
    }

    fn check_motion(&self, one: &Baked, is_top: bool, refuse: &mut dyn FnMut(Why)) {
        let node = one.node;
        self.check_animations(node, refuse);
        // The top keeps its own translation and rotation, so pointers may set them.
        let all = ["scale", "matrix", "translation", "rotation"];
        self.check_pointers(node, if is_top { &all[..2] } else { &all }, refuse);
        let LocalPose::Trs(pose) = &self.scene.nodes[node].local else { return };
        let moves = |is_it: fn(&Track) -> bool| {
            self.tracks(node).any(|track| is_it(track) && !track.keeps(pose))
        };
        if moves(|track| matches!(track, Track::Scale(_))) && !one.keeps_scale {
            refuse(Why::MovingScale);
        }
        let is_turned = moves(|track| matches!(track, Track::Rotation(_)));
        if is_turned && !is_top && !commutes(&one.of_parent) {
            refuse(Why::MovingRotation);
        }
    }

    /// Refuses a node that an unreadable animation may move.
    pub(crate) fn check_animations(&self, node: usize, refuse: &mut dyn FnMut(Why)) {
        if let Some(why) = self.unread.get(&Some(node)).or_else(|| self.unread.get(&None)) {
            refuse(Why::UnreadAnimation((*why).to_owned()));
        }
    }

    /// Refuses a node if a pointer sets one of these properties.
    pub(crate) fn check_pointers(
        &self,
        node: usize,
        properties: &[&'static str],
        refuse: &mut dyn FnMut(Why),
    ) {
        let set = properties.iter().filter(|property| self.pointed.sets(node, property));
        set.for_each(|property| refuse(Why::Pointer(property)));
    }

    /// Refuses a mesh whose vertices cannot be transformed, or cannot be proved unmoved. On a leaf they stay unchanged.
    fn check_mesh(&self, node: &Node, is_on_leaf: bool, refuse: &mut dyn FnMut(Why)) {
        let Some(mesh) = node.mesh.filter(|_| !is_on_leaf) else { return };
        // A pointer to a mesh would not reach its copies.
        if self.shown[mesh] > 1 && self.pointed.sets_mesh(mesh) {
            refuse(Why::Pointer("mesh"));
        }
        if let Some(name) = self.document.meshes[mesh].is.extensions.first() {
            refuse(Why::Extension(name.clone()));
        }
        for primitive in self.document.primitives(node.mesh) {
            for name in &primitive.is.extensions {
                match name.as_str() {
                    "KHR_materials_variants" => {}
                    DRACO => refuse(Why::Draco),
                    _ => refuse(Why::Extension(name.clone())),
                }
            }
            if primitive.is.material.is_some_and(|material| self.document.is_thick(material)) {
                refuse(Why::Thickness);
            }
        }
    }
}

impl Node {
    /// Refuses cameras, lights, instances and unknown extensions of a node: a repair would change what they mean.
    pub(crate) fn check(&self, refuse: &mut dyn FnMut(Why)) {
        if self.camera.is_some() {
            refuse(Why::Camera);
        }
        for name in &self.extensions {
            match name.as_str() {
                "KHR_node_visibility" | "KHR_node_selectability" | "KHR_node_hoverability" => {}
                "KHR_lights_punctual" => refuse(Why::Light),
                "EXT_mesh_gpu_instancing" => refuse(Why::Instancing),
                _ => refuse(Why::Extension(name.clone())),
            }
        }
    }

    fn check_rotation(&self, refuse: &mut dyn FnMut(Why)) {
        let is_odd = |rotation: [Number; 4]| {
            let squared: f64 = rotation.iter().map(|component| component.0 * component.0).sum();
            (squared.sqrt() - 1.0).abs() > UNIT
        };
        if self.matrix.is_none() && self.rotation.is_some_and(is_odd) {
            refuse(Why::OddRotation);
        }
    }
}

/// Returns a rotation from the first two columns of a matrix by Gram–Schmidt: x keeps its direction, y its plane with
/// x. For a rotation times a scale, this is that rotation.
fn along_axes(linear: &Matrix3<f64>) -> Matrix3<f64> {
    let mut axes = [linear.column(0).into_owned(), linear.column(1).into_owned()];
    Vector3::orthonormalize(&mut axes);
    let [x, y] = axes;
    Matrix3::from_columns(&[x, y, x.cross(&y)])
}

/// The largest relative residual at which a pose replaces a matrix.
const SHEARED: f64 = 1e-9;

/// Splits a matrix into a rotation and a scale, if it is the product of the two.
fn as_pose(linear: &Matrix3<f64>) -> Option<Trs<f64>> {
    let matrix = AccumulatedMatrix::from_matrix(linear.to_homogeneous())?;
    let nearest = matrix.decompose(Method::NearestTrs)?;
    (nearest.residual <= SHEARED).then_some(nearest.trs)
}
