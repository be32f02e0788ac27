//! What baking a group means for each node, and what stands in its way.

use nalgebra::{Matrix3, Vector3};
use xform_compare::{LocalPose, NotSampledCode, Scene, Track};

use crate::{
    document::{Document, Node},
    group::{commutes, subtree},
    json::Members,
    moved::Pointed,
    refusal::{Refusal, Why},
};

/// A node of a group, and what becomes of it.
#[derive(Clone, Debug)]
pub(crate) struct Baked {
    pub(crate) node: usize,
    /// What its parent has lost, in the parent's axes: its translation, at rest and at keyframes, is to be taken by it.
    pub(crate) of_parent: Matrix3<f64>,
    /// What it loses itself, in its own axes: its vertices are to be taken by it.
    pub(crate) own: Matrix3<f64>,
    /// What it keeps.
    pub(crate) rotation: Matrix3<f64>,
    pub(crate) translation: Vector3<f64>,
}

/// All that is known of a file before it is changed.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    pub(crate) document: &'a Document<'a>,
    pub(crate) scene: &'a Scene,
    pub(crate) pointed: Pointed,
    pub(crate) children: Vec<Vec<usize>>,
}

/// The smallest factor of a scale in proportion to the largest that vertices can be taken by and keep their normals.
const FLATTEST: f64 = 1e-6;

/// How much the length of a rotation may differ from 1.
const UNIT: f64 = 1e-3;

impl Source<'_> {
    /// What baking does to each node of a group, the top first.
    pub(crate) fn baked(&self, top: usize) -> Vec<Baked> {
        let mut baked: Vec<Baked> = Vec::new();
        let mut place = vec![usize::MAX; self.scene.nodes.len()];
        for node in subtree(&self.children, top) {
            let local = &self.scene.nodes[node].local;
            let (linear, translation) = match local {
                LocalPose::Trs(trs) => {
                    let rotation = *trs.rotation.to_rotation_matrix().matrix();
                    (rotation * Matrix3::from_diagonal(&trs.scale), trs.translation)
                }
                LocalPose::Matrix(matrix) => (matrix.linear(), matrix.translation()),
            };
            let rotation = match local {
                LocalPose::Trs(trs) => *trs.rotation.to_rotation_matrix().matrix(),
                LocalPose::Matrix(_) => along_axes(&linear),
            };
            let parent = self.scene.nodes[node].parent.filter(|_| node != top);
            let of_parent =
                parent.map_or_else(Matrix3::identity, |parent| baked[place[parent]].own);
            place[node] = baked.len();
            baked.push(Baked {
                node,
                of_parent,
                own: rotation.transpose() * of_parent * linear,
                rotation,
                translation: of_parent * translation,
            });
        }
        baked
    }

    /// What stands in the way of baking a group, as far as that can be told without its vertices.
    pub(crate) fn refusals(&self, baked: &[Baked]) -> serde_json::Result<Vec<Refusal>> {
        let top = baked[0].node;
        let mut refusals = Vec::new();
        if let Some(extensions) = self.document.members.get("extensions") {
            let extensions = Members::of(extensions)?;
            if extensions.names().any(|name| name.starts_with("VRM")) {
                refusals.push(Refusal { node: top, why: Why::Avatar });
            }
        }
        for one in baked {
            let mut refuse = |why| refusals.push(Refusal { node: one.node, why });
            self.document.nodes[one.node].is.check(&mut refuse);
            self.check_pose(one, &mut refuse);
            self.check_motion(one, one.node == top, &mut refuse);
            self.check_mesh(one.node, &mut refuse)?;
        }
        Ok(refusals)
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
        let LocalPose::Trs(pose) = &self.scene.nodes[node].local else {
            // A matrix may not be moved, and nothing was read of what moves it.
            return self.check_pointers(node, is_top, refuse);
        };
        let (mut is_scaled, mut is_turned) = (false, false);
        let mut unread = None;
        for animation in &self.scene.animations {
            for channel in animation.channels.iter().filter(|channel| channel.node == node) {
                let moves = !channel.track.keeps(pose);
                match channel.track {
                    Track::Scale(_) => is_scaled |= moves,
                    Track::Rotation(_) => is_turned |= moves,
                    _ => {}
                }
            }
            // Pointers are looked at on their own.
            let mut not_sampled = animation.not_sampled.iter().filter(|part| {
                part.node.is_none_or(|moved| moved == node)
                    && part.code != NotSampledCode::AnimationPointer
            });
            unread = unread.or(not_sampled.next());
        }
        if is_scaled {
            refuse(Why::MovingScale);
        }
        if is_turned && !is_top && !commutes(&one.of_parent) {
            refuse(Why::MovingRotation);
        }
        if let Some(part) = unread {
            refuse(Why::UnreadAnimation(part.why.clone()));
        }
        self.check_pointers(node, is_top, refuse);
    }

    fn check_pointers(&self, node: usize, is_top: bool, refuse: &mut dyn FnMut(Why)) {
        // The top keeps its own translation and rotation, whatever sets them.
        let below = ["translation", "rotation"].into_iter().filter(|_| !is_top);
        for property in ["scale", "matrix"].into_iter().chain(below) {
            if self.pointed.sets(node, property) {
                refuse(Why::Pointer(property));
            }
        }
    }

    fn check_mesh(&self, node: usize, refuse: &mut dyn FnMut(Why)) -> serde_json::Result<()> {
        let node = &self.document.nodes[node].is;
        let (Some(mesh), None) = (node.mesh, node.skin) else { return Ok(()) };
        let mesh = &self.document.meshes[mesh].is;
        if let Some(name) = mesh.extensions.keys().next() {
            refuse(Why::Extension(name.clone()));
        }
        for primitive in mesh.primitives()? {
            for name in primitive.is.extensions.keys() {
                match name.as_str() {
                    "KHR_materials_variants" => {}
                    "KHR_draco_mesh_compression" => refuse(Why::Draco),
                    _ => refuse(Why::Extension(name.clone())),
                }
            }
            let material = primitive.is.material.and_then(|at| self.document.materials.get(at));
            if material.is_some_and(|material| material.is.is_thick()) {
                refuse(Why::Thickness);
            }
        }
        Ok(())
    }
}

impl Node {
    fn check(&self, refuse: &mut dyn FnMut(Why)) {
        if self.camera.is_some() {
            refuse(Why::Camera);
        }
        let is_odd = |rotation: [f64; 4]| {
            let squared: f64 = rotation.iter().map(|component| component * component).sum();
            (squared.sqrt() - 1.0).abs() > UNIT
        };
        if self.matrix.is_none() && self.rotation.is_some_and(is_odd) {
            refuse(Why::OddRotation);
        }
        for name in self.extensions.keys() {
            match name.as_str() {
                "KHR_node_visibility" | "KHR_node_selectability" | "KHR_node_hoverability" => {}
                "KHR_lights_punctual" => refuse(Why::Light),
                "EXT_mesh_gpu_instancing" => refuse(Why::Instancing),
                _ => refuse(Why::Extension(name.clone())),
            }
        }
    }
}

/// The rotation that takes x to where a matrix takes it, and y into the plane where it takes x and y: Gram–Schmidt.
/// Where the matrix is a rotation times a scale, it is that rotation.
fn along_axes(linear: &Matrix3<f64>) -> Matrix3<f64> {
    let x = linear.column(0).normalize();
    let y = linear.column(1).into_owned();
    let y = (y - x * x.dot(&y)).normalize();
    Matrix3::from_columns(&[x, y, x.cross(&y)])
}
