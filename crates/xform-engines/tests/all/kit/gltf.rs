//! A glTF document that is made part by part, its data within it.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use nalgebra::Matrix4;
use serde_json::{Map, Value, json};

const BYTE: u32 = 5121;
const SHORT: u32 = 5123;
const FLOAT: u32 = 5126;

#[derive(Default)]
pub(super) struct Gltf {
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    skins: Vec<Value>,
    animations: Vec<Value>,
    accessors: Vec<Value>,
    views: Vec<Value>,
    bytes: Vec<u8>,
    /// Members of the document beside these.
    pub(super) also: Map<String, Value>,
}

impl Gltf {
    /// Adds a node below one that is there.
    pub(super) fn node(&mut self, parent: Option<usize>, node: Value) -> usize {
        let index = self.nodes.len();
        self.nodes.push(node);
        if let Some(parent) = parent {
            match &mut self.nodes[parent]["children"] {
                Value::Array(children) => children.push(index.into()),
                none => *none = json!([index]),
            }
        }
        index
    }

    pub(super) fn mesh(&mut self, mesh: Value) -> usize {
        self.meshes.push(mesh);
        self.meshes.len() - 1
    }

    /// A mesh of one primitive: a cube of side 1 about the origin.
    pub(super) fn cube(&mut self) -> usize {
        let primitive = self.box_primitive(&[[0.0; 3]]);
        self.mesh(json!({"primitives": [primitive]}))
    }

    /// Cubes of side 1 about some places.
    pub(super) fn box_primitive(&mut self, at: &[[f64; 3]]) -> Value {
        const FACES: [[u16; 6]; 6] = [
            [0, 1, 3, 0, 3, 2],
            [4, 6, 7, 4, 7, 5],
            [0, 4, 5, 0, 5, 1],
            [2, 3, 7, 2, 7, 6],
            [0, 2, 6, 0, 6, 4],
            [1, 5, 7, 1, 7, 3],
        ];
        let corners = corners(at);
        let first = (0..at.len()).map(|cube| u16::try_from(8 * cube).expect("few cubes"));
        let indices = first.flat_map(|first| FACES.concat().into_iter().map(move |at| first + at));
        let indices: Vec<u8> = indices.flat_map(u16::to_le_bytes).collect();
        let count = 36 * at.len();
        let positions = self.vectors("VEC3", &corners, true);
        let indices = self.accessor(SHORT, "SCALAR", count, &indices);
        json!({"attributes": {"POSITION": positions}, "indices": indices})
    }

    /// An accessor of vectors or numbers in `f32`, with its bounds where readers need them.
    pub(super) fn vectors<const N: usize>(
        &mut self,
        shape: &str,
        values: &[[f64; N]],
        has_bounds: bool,
    ) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "glTF has no other")]
        let single = values.iter().flatten().map(|&value| value as f32);
        let bytes: Vec<u8> = single.flat_map(f32::to_le_bytes).collect();
        let index = self.accessor(FLOAT, shape, values.len(), &bytes);
        if has_bounds {
            let of = |better: fn(f64, f64) -> f64| -> Vec<f64> {
                #[expect(clippy::cast_possible_truncation, reason = "as it is stored")]
                let part = |i: usize| values.iter().map(move |value| f64::from(value[i] as f32));
                (0..N).map(|i| part(i).reduce(better).expect("a value")).collect()
            };
            self.accessors[index]["min"] = of(f64::min).into();
            self.accessors[index]["max"] = of(f64::max).into();
        }
        index
    }

    pub(super) fn matrices(&mut self, matrices: &[Matrix4<f64>]) -> usize {
        let values: Vec<[f64; 16]> =
            matrices.iter().map(|matrix| std::array::from_fn(|i| matrix.as_slice()[i])).collect();
        self.vectors("MAT4", &values, false)
    }

    pub(super) fn joints(&mut self, joints: &[[u8; 4]]) -> usize {
        self.accessor(BYTE, "VEC4", joints.len(), &joints.concat())
    }

    fn accessor(&mut self, component: u32, shape: &str, count: usize, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let view = json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()});
        self.bytes.extend(bytes);
        self.views.push(view);
        self.accessors.push(json!({
            "bufferView": self.views.len() - 1, "componentType": component, "count": count, "type": shape,
        }));
        self.accessors.len() - 1
    }

    pub(super) fn skin(&mut self, joints: &[usize], inverse_binds: &[Matrix4<f64>]) -> usize {
        let inverse_binds = self.matrices(inverse_binds);
        self.skins.push(json!({
            "joints": joints, "inverseBindMatrices": inverse_binds, "skeleton": joints[0],
        }));
        self.skins.len() - 1
    }

    /// An animation of nodes' properties at times, linear between them.
    pub(super) fn animation(&mut self, times: &[f64], tracks: &[(usize, &str, usize)]) {
        let times: Vec<_> = times.iter().map(|&time| [time]).collect();
        let input = self.vectors("SCALAR", &times, true);
        let samplers: Vec<_> =
            tracks.iter().map(|(.., output)| json!({"input": input, "output": output})).collect();
        let channels = tracks.iter().enumerate().map(|(sampler, (node, path, _))| {
            json!({"sampler": sampler, "target": {"node": node, "path": path}})
        });
        let channels: Vec<_> = channels.collect();
        self.animations.push(json!({"name": "motion", "samplers": samplers, "channels": channels}));
    }

    /// The document: every node without a parent is a root of its scene.
    pub(super) fn document(&self) -> Value {
        let children: Vec<_> = self
            .nodes
            .iter()
            .flat_map(|node| node["children"].as_array().into_iter().flatten())
            .filter_map(Value::as_u64)
            .collect();
        let roots: Vec<_> =
            (0..self.nodes.len()).filter(|&node| !children.contains(&(node as u64))).collect();
        let mut document = json!({
            "asset": {"version": "2.0", "generator": "xform-engines"},
            "scene": 0, "scenes": [{"nodes": roots}], "nodes": self.nodes,
        });
        let uri = STANDARD.encode(&self.bytes);
        let buffer = json!({
            "byteLength": self.bytes.len(), "uri": format!("data:application/octet-stream;base64,{uri}"),
        });
        let buffers = if self.bytes.is_empty() { Vec::new() } else { vec![buffer] };
        let parts = [
            ("meshes", &self.meshes),
            ("skins", &self.skins),
            ("animations", &self.animations),
            ("accessors", &self.accessors),
            ("bufferViews", &self.views),
            ("buffers", &buffers),
        ];
        for (name, part) in parts.into_iter().filter(|(_, part)| !part.is_empty()) {
            document[name] = json!(part);
        }
        document.as_object_mut().expect("an object").extend(self.also.clone());
        document
    }
}

/// The corners of cubes of side 1 about some places.
pub(super) fn corners(at: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let signs = |corner: usize| [corner >> 2, corner >> 1, corner].map(|bit| bit & 1);
    let corner = |at: &[f64; 3], corner: usize| -> [f64; 3] {
        std::array::from_fn(|i| at[i] + if signs(corner)[i] == 1 { 0.5 } else { -0.5 })
    };
    at.iter().flat_map(|at| (0..8).map(move |index| corner(at, index))).collect()
}
