//! What engines that multiply matrices show of a file: every vertex, normal and tangent in the world, computed from its JSON
//! and bytes without anything of the crates under test.

use nalgebra::{Matrix3, Matrix4, Quaternion, UnitQuaternion, Vector3, Vector4};
use serde_json::Value;

use crate::file::File;

/// What is shown of the nodes of a file, by node.
pub(crate) type Shown = Vec<Vec<Vertex>>;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertex {
    pub(crate) position: Vector3<f64>,
    pub(crate) normal: Option<Vector3<f64>>,
    pub(crate) tangent: Option<Vector3<f64>>,
}

/// A time of an animation.
pub(crate) type Moment = Option<(usize, f64)>;

fn index(value: &Value) -> Option<usize> {
    value.as_u64().map(|index| usize::try_from(index).unwrap())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let numbers: Vec<_> = list(value).iter().map(|number| number.as_f64().unwrap()).collect();
    numbers.try_into().ok()
}

impl File {
    fn read<const N: usize>(&self, accessor: usize) -> Vec<[f64; N]> {
        let accessor = &self.json["accessors"][accessor];
        let view = &self.json["bufferViews"][index(&accessor["bufferView"]).unwrap()];
        let kind = accessor["componentType"].as_u64().unwrap();
        let size = match kind {
            5121 => 1,
            5123 => 2,
            _ => 4,
        };
        let offset = |value: &Value| index(&value["byteOffset"]).unwrap_or(0);
        let start = offset(view) + offset(accessor);
        let stride = index(&view["byteStride"]).unwrap_or(N * size);
        let component = |element: usize, component: usize| {
            let at = start + element * stride + component * size;
            let bytes = &self.bytes[at..at + size];
            match kind {
                5121 => f64::from(bytes[0]),
                5123 => f64::from(u16::from_le_bytes(bytes.try_into().unwrap())),
                5125 => f64::from(u32::from_le_bytes(bytes.try_into().unwrap())),
                5126 => f64::from(f32::from_le_bytes(bytes.try_into().unwrap())),
                other => panic!("component type {other}"),
            }
        };
        let count = index(&accessor["count"]).unwrap();
        (0..count).map(|element| std::array::from_fn(|i| component(element, i))).collect()
    }

    fn parents(&self) -> Vec<Option<usize>> {
        let mut parents = vec![None; self.len("nodes")];
        for (parent, node) in list(&self.json["nodes"]).iter().enumerate() {
            for child in list(&node["children"]) {
                parents[index(child).unwrap()] = Some(parent);
            }
        }
        parents
    }

    /// A keyframed property of a node at a time.
    fn keyed<const N: usize>(&self, node: usize, path: &str, moment: Moment) -> Option<[f64; N]> {
        let (animation, time) = moment?;
        let animation = &self.json["animations"][animation];
        let is_it = |channel: &&Value| {
            index(&channel["target"]["node"]) == Some(node) && channel["target"]["path"] == path
        };
        let channel = list(&animation["channels"]).iter().rfind(is_it)?;
        let sampler = &animation["samplers"][index(&channel["sampler"]).unwrap()];
        let times: Vec<_> = self.read::<1>(index(&sampler["input"]).unwrap()).concat();
        let values = self.read::<N>(index(&sampler["output"]).unwrap());
        let kind = sampler["interpolation"].as_str().unwrap_or("LINEAR");
        let value =
            |key: usize| if kind == "CUBICSPLINE" { values[3 * key + 1] } else { values[key] };
        let after = times.partition_point(|&key| key <= time);
        if after == 0 || after == times.len() {
            return Some(value(after.saturating_sub(1)));
        }
        let (a, b) = (after - 1, after);
        let step = times[b] - times[a];
        let t = (time - times[a]) / step;
        let (from, to) = (value(a), value(b));
        Some(match kind {
            "STEP" => from,
            "CUBICSPLINE" => std::array::from_fn(|i| {
                let (out, into) = (values[3 * a + 2][i] * step, values[3 * b][i] * step);
                let (t2, t3) = (t * t, t * t * t);
                (2.0 * t3 - 3.0 * t2 + 1.0) * from[i]
                    + (t3 - 2.0 * t2 + t) * out
                    + (3.0 * t2 - 2.0 * t3) * to[i]
                    + (t3 - t2) * into
            }),
            _ if N == 4 => {
                let turn = |value: &[f64; N]| {
                    UnitQuaternion::new_normalize(Quaternion::new(
                        value[3], value[0], value[1], value[2],
                    ))
                };
                let between = turn(&from).slerp(&turn(&to), t);
                std::array::from_fn(|i| between.coords[i])
            }
            _ => std::array::from_fn(|i| from[i] + (to[i] - from[i]) * t),
        })
    }

    fn local(&self, node: usize, moment: Moment) -> Matrix4<f64> {
        let entry = &self.json["nodes"][node];
        if let Some(matrix) = numbers::<16>(&entry["matrix"]) {
            return Matrix4::from_column_slice(&matrix);
        }
        let [x, y, z] = self
            .keyed(node, "translation", moment)
            .or(numbers(&entry["translation"]))
            .unwrap_or([0.0; 3]);
        let turn: [f64; 4] = self
            .keyed(node, "rotation", moment)
            .or(numbers(&entry["rotation"]))
            .unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let scale: [f64; 3] =
            self.keyed(node, "scale", moment).or(numbers(&entry["scale"])).unwrap_or([1.0; 3]);
        let turn =
            UnitQuaternion::new_normalize(Quaternion::new(turn[3], turn[0], turn[1], turn[2]));
        Matrix4::new_translation(&Vector3::new(x, y, z))
            * turn.to_homogeneous()
            * Matrix4::new_nonuniform_scaling(&scale.into())
    }

    /// All vertices in the world, each with a morph target by a weight if one is asked for.
    pub(crate) fn shown(&self, moment: Moment, target: Option<(usize, f64)>) -> Shown {
        let parents = self.parents();
        let world = |node: usize| {
            let upwards = std::iter::successors(Some(node), |&at| parents[at]);
            upwards.fold(Matrix4::identity(), |below, at| self.local(at, moment) * below)
        };
        let nodes = list(&self.json["nodes"]).iter().enumerate();
        nodes
            .map(|(node, entry)| {
                let Some(mesh) = index(&entry["mesh"]) else { return Vec::new() };
                let worlds = match index(&entry["skin"]) {
                    None => vec![world(node)],
                    Some(skin) => {
                        let skin = &self.json["skins"][skin];
                        let binds = index(&skin["inverseBindMatrices"])
                            .map(|accessor| self.read::<16>(accessor));
                        let joints = list(&skin["joints"]).iter().enumerate();
                        joints
                            .map(|(place, joint)| {
                                let bind = binds.as_ref().map_or_else(Matrix4::identity, |binds| {
                                    Matrix4::from_column_slice(&binds[place])
                                });
                                world(index(joint).unwrap()) * bind
                            })
                            .collect()
                    }
                };
                let is_skinned = !entry["skin"].is_null();
                let primitives = list(&self.json["meshes"][mesh]["primitives"]).iter();
                primitives
                    .flat_map(|primitive| self.primitive(primitive, &worlds, is_skinned, target))
                    .collect()
            })
            .collect()
    }

    fn primitive(
        &self,
        primitive: &Value,
        worlds: &[Matrix4<f64>],
        is_skinned: bool,
        target: Option<(usize, f64)>,
    ) -> Vec<Vertex> {
        let base = &primitive["attributes"];
        let offsets = target.map_or(&Value::Null, |(target, _)| &primitive["targets"][target]);
        let weight = target.map_or(0.0, |(_, weight)| weight);
        let vectors = |from: &Value, name: &str| -> Option<Vec<Vector3<f64>>> {
            let read = self.read::<3>(index(&from[name])?);
            Some(read.into_iter().map(Vector3::from).collect())
        };
        let added = |base: Option<Vec<Vector3<f64>>>, name: &str| {
            let (mut base, offsets) = (base?, vectors(offsets, name));
            let offsets = offsets.into_iter().flatten();
            base.iter_mut().zip(offsets).for_each(|(vector, offset)| *vector += offset * weight);
            Some(base)
        };
        let positions = added(vectors(base, "POSITION"), "POSITION").unwrap();
        let normals = added(vectors(base, "NORMAL"), "NORMAL");
        let tangents = index(&base["TANGENT"]).map(|accessor| self.read::<4>(accessor));
        let tangents = tangents
            .map(|read| read.into_iter().map(|tangent| Vector4::from(tangent).xyz()).collect());
        let tangents = added(tangents, "TANGENT");
        let follows = is_skinned.then(|| {
            let of = |name: &str| self.read::<4>(index(&base[name]).unwrap());
            (of("JOINTS_0"), of("WEIGHTS_0"))
        });
        (0..positions.len())
            .map(|vertex| {
                let world = match &follows {
                    None => worlds[0],
                    Some((joints, weights)) => {
                        let pairs = joints[vertex].iter().zip(weights[vertex]);
                        pairs.fold(Matrix4::zeros(), |sum, (&joint, weight)| {
                            #[expect(
                                clippy::cast_possible_truncation,
                                clippy::cast_sign_loss,
                                reason = "an index"
                            )]
                            let joint = joint as usize;
                            sum + worlds[joint] * weight
                        })
                    }
                };
                let linear: Matrix3<f64> = world.fixed_view::<3, 3>(0, 0).into_owned();
                let of_normals = linear.try_inverse().map(|inverse| inverse.transpose());
                Vertex {
                    position: (world * positions[vertex].push(1.0)).xyz(),
                    normal: normals
                        .as_ref()
                        .and_then(|normals| Some(of_normals? * normals[vertex])),
                    tangent: tangents.as_ref().map(|tangents| linear * tangents[vertex]),
                }
            })
            .collect()
    }

    /// The triangles of each node, seen from the side from which they are in front.
    pub(crate) fn fronts(&self) -> Vec<Vec<[Vector3<f64>; 3]>> {
        let shown = self.shown(None, None);
        let parents = self.parents();
        let mut fronts = Vec::new();
        for (node, entry) in list(&self.json["nodes"]).iter().enumerate() {
            let mut front = Vec::new();
            if let (Some(mesh), true) = (index(&entry["mesh"]), entry["skin"].is_null()) {
                let upwards = std::iter::successors(Some(node), |&at| parents[at]);
                let world =
                    upwards.fold(Matrix4::identity(), |below, at| self.local(at, None) * below);
                let is_mirrored = world.determinant() < 0.0;
                let mut first = 0;
                for primitive in list(&self.json["meshes"][mesh]["primitives"]) {
                    let count =
                        self.read::<3>(index(&primitive["attributes"]["POSITION"]).unwrap());
                    let indices: Vec<usize> = match index(&primitive["indices"]) {
                        #[expect(
                            clippy::cast_possible_truncation,
                            clippy::cast_sign_loss,
                            reason = "an index"
                        )]
                        Some(accessor) => {
                            self.read::<1>(accessor).iter().map(|[index]| *index as usize).collect()
                        }
                        None => (0..count.len()).collect(),
                    };
                    let mode = primitive["mode"].as_u64().unwrap_or(4);
                    let triangles: Vec<[usize; 3]> = match mode {
                        4 => indices.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect(),
                        5 => (0..indices.len() - 2)
                            .map(|i| [indices[i], indices[i + 1 + i % 2], indices[i + 2 - i % 2]])
                            .collect(),
                        _ => (1..indices.len() - 1)
                            .map(|i| [indices[0], indices[i], indices[i + 1]])
                            .collect(),
                    };
                    front.extend(triangles.into_iter().map(|[a, b, c]| {
                        let [b, c] = if is_mirrored { [c, b] } else { [b, c] };
                        [a, b, c].map(|corner| shown[node][first + corner].position)
                    }));
                    first += count.len();
                }
            }
            fronts.push(front);
        }
        fronts
    }
}
