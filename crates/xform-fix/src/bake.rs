//! Baking: scales go into vertices, inverse bind matrices and keyframes.

use std::collections::{BTreeMap, HashMap};

use nalgebra::{Matrix3, Matrix4, Vector3};
use xform_compare::GltfAccessors;

use crate::{
    data::{NewData, Target},
    document::{Attributes, Mesh, Part, Primitive, attributes},
    group::matrix,
    json::{Edits, array},
    plan::{Baked, Source},
    refusal::{Refusal, Why},
    triangles::triangles,
};

/// What stops an edit.
pub(crate) enum Stop {
    /// Groups cannot be repaired.
    Refused(Vec<Refusal>),
    Json(serde_json::Error),
}

impl From<serde_json::Error> for Stop {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

/// A matrix to the bit.
type Bits = [u64; 9];

fn bits(matrix: &Matrix3<f64>) -> Bits {
    std::array::from_fn(|i| matrix[i].to_bits())
}

/// What was made of what, so that what is shared stays shared.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
enum Made {
    Positions,
    Offsets,
    /// Beside the normals or tangents of this accessor, whose lengths they are relative to.
    Directions {
        base: usize,
    },
    Tangents,
    Translations,
    Scales {
        is_spline: bool,
    },
}

/// A node that shows a mesh, and what it loses, if anything.
type ShownBy<'a> = (usize, Option<&'a Matrix3<f64>>);

/// Writes the repair of groups into the edits of a document.
pub(crate) struct Baking<'a, 'b, 'c> {
    pub(crate) source: &'b Source<'a>,
    pub(crate) accessors: &'b mut GltfAccessors<'c>,
    pub(crate) data: NewData,
    pub(crate) edits: Edits<'a>,
    meshes: Vec<String>,
    made: HashMap<(usize, Made, Bits), usize>,
    refused: Vec<Refusal>,
}

/// The lengths of vectors that were taken by a matrix, or 1 for those that vanish.
fn lengths(vectors: &[Vector3<f64>]) -> Vec<f64> {
    let length = |vector: &Vector3<f64>| Some(vector.norm()).filter(|&length| length > 0.0);
    vectors.iter().map(|vector| length(vector).unwrap_or(1.0)).collect()
}

fn vectors(elements: &[[f64; 3]], by: &Matrix3<f64>) -> Vec<Vector3<f64>> {
    elements.iter().map(|&element| by * Vector3::from(element)).collect()
}

impl<'a, 'b, 'c> Baking<'a, 'b, 'c> {
    pub(crate) fn new(
        source: &'b Source<'a>,
        accessors: &'b mut GltfAccessors<'c>,
        json: &'a str,
        data: NewData,
    ) -> Self {
        let (meshes, made, refused) = (Vec::new(), HashMap::new(), Vec::new());
        Self { source, accessors, data, edits: Edits::of(json), meshes, made, refused }
    }

    pub(crate) fn bake(&mut self, groups: &[Vec<Baked>]) -> Result<(), Stop> {
        let all: Vec<&Baked> = groups.iter().flatten().collect();
        self.poses(&all)?;
        self.shapes(&all)?;
        self.skins(&all)?;
        self.keyframes(&all)?;
        if let (Err(why), Some(last)) = (self.data.check(), all.last()) {
            self.refused.push(Refusal { node: last.node, why });
        }
        if !self.refused.is_empty() {
            return Err(Stop::Refused(std::mem::take(&mut self.refused)));
        }
        let (root, meshes) = (self.source.document.root, std::mem::take(&mut self.meshes));
        self.edits.push(root, "meshes", &meshes)?;
        Ok(())
    }

    fn poses(&mut self, all: &[&Baked]) -> Result<(), Stop> {
        for one in all {
            let node = &self.source.document.nodes[one.node];
            let old = matrix(&self.source.scene.nodes[one.node].local);
            if node.is.matrix.is_some() {
                let mut new = one.rotation.to_homogeneous();
                new.fixed_view_mut::<3, 1>(0, 3).copy_from(&one.translation);
                if new != old {
                    self.edits.set(node.raw, "matrix", array(new.as_slice()))?;
                }
                continue;
            }
            let is_scaled = node.is.scale.is_some_and(|scale| scale != [1.0; 3]);
            if is_scaled && !one.keeps_scale {
                self.edits.set(node.raw, "scale", array(&[1.0; 3]))?;
            }
            if old.fixed_view::<3, 1>(0, 3) != one.translation {
                self.edits.set(node.raw, "translation", array(one.translation.as_slice()))?;
            }
        }
        Ok(())
    }

    /// Takes the vertices of meshes by what their nodes lose. A mesh that others show too is copied for them.
    fn shapes(&mut self, all: &[&Baked]) -> Result<(), Stop> {
        let document = self.source.document;
        let lost: HashMap<_, _> = all.iter().map(|one| (one.node, &one.own)).collect();
        // By mesh, in their order.
        let mut shown: BTreeMap<usize, Vec<ShownBy<'_>>> = BTreeMap::new();
        for (index, node) in document.nodes.iter().enumerate() {
            let Some(mesh) = node.is.mesh else { continue };
            let lost = lost.get(&index).copied();
            // What is skinned does not follow its node.
            let lost = lost.filter(|own| node.is.skin.is_none() && !is_nothing(own));
            shown.entry(mesh).or_default().push((index, lost));
        }
        for (mesh, nodes) in shown {
            let mut is_free = nodes.iter().all(|(_, lost)| lost.is_some());
            let mut copies: HashMap<Bits, usize> = HashMap::new();
            for (node, lost) in nodes {
                let Some(lost) = lost else { continue };
                let copy = match copies.get(&bits(lost)) {
                    Some(&copy) => copy,
                    None => {
                        let part = &document.meshes[mesh];
                        let (copy, done) = if is_free {
                            let mut edits = std::mem::replace(&mut self.edits, Edits::of(""));
                            let done = self.shape(&mut edits, &part.is, lost);
                            self.edits = edits;
                            (mesh, done?)
                        } else {
                            let mut edits = Edits::of(part.raw.get());
                            let done = self.shape(&mut edits, &part.is, lost)?;
                            self.meshes.push(edits.finish());
                            (document.meshes.len() + self.meshes.len() - 1, done)
                        };
                        if let Err(why) = done {
                            self.refused.push(Refusal { node, why });
                        }
                        is_free = false;
                        *copies.entry(bits(lost)).insert_entry(copy).get()
                    }
                };
                if copy != mesh {
                    self.edits.set(document.nodes[node].raw, "mesh", copy.to_string())?;
                }
            }
        }
        Ok(())
    }

    fn shape(
        &mut self,
        edits: &mut Edits<'a>,
        mesh: &Mesh<'a>,
        by: &Matrix3<f64>,
    ) -> serde_json::Result<Result<(), Why>> {
        for primitive in mesh.primitives()? {
            if let Err(why) = self.primitive(edits, &primitive, by)? {
                return Ok(Err(why));
            }
        }
        Ok(Ok(()))
    }

    fn primitive(
        &mut self,
        edits: &mut Edits<'a>,
        primitive: &Part<'a, Primitive<'a>>,
        by: &Matrix3<f64>,
    ) -> serde_json::Result<Result<(), Why>> {
        let Part { raw, is: primitive } = primitive;
        let base = attributes(primitive.attributes)?;
        let mut changed = vec![(primitive.attributes, self.attributes(&base, &base, by))];
        for &target in &primitive.targets {
            changed.push((target, self.attributes(&attributes(target)?, &base, by)));
        }
        for (attributes, changed) in changed {
            match changed {
                Ok(changed) => {
                    for (name, accessor) in changed {
                        edits.set(attributes, name, accessor.to_string())?;
                    }
                }
                Err(why) => return Ok(Err(why)),
            }
        }
        if by.determinant() < 0.0 {
            let indices = match self.turned_over(primitive, &base) {
                Ok(indices) => indices,
                Err(why) => return Ok(Err(why)),
            };
            if let Some(indices) = indices {
                edits.set(raw, "indices", indices.to_string())?;
                if primitive.mode.is_some_and(|mode| mode != 4) {
                    edits.set(raw, "mode", "4")?;
                }
            }
        }
        Ok(Ok(()))
    }

    /// The accessors of vertices, or of a morph target beside the vertices of `base`, taken by a matrix.
    fn attributes(
        &mut self,
        attributes: &Attributes,
        base: &Attributes,
        by: &Matrix3<f64>,
    ) -> Result<Vec<(&'static str, usize)>, Why> {
        let is_base = std::ptr::eq(attributes, base);
        // Planes follow the inverse transpose; so what is orthogonal to a surface stays so.
        let of_normals = by.try_inverse().ok_or(Why::Flat)?.transpose();
        let mut changed = Vec::new();
        for (name, by) in [("POSITION", by), ("NORMAL", &of_normals), ("TANGENT", by)] {
            let Some(&accessor) = attributes.get(name) else { continue };
            let made = match (name, is_base) {
                ("POSITION", true) => Made::Positions,
                ("POSITION", false) => Made::Offsets,
                ("TANGENT", true) => Made::Tangents,
                _ => match base.get(name) {
                    Some(&base) => Made::Directions { base },
                    None => Made::Offsets,
                },
            };
            let key = (accessor, made, bits(by));
            let new = match self.made.get(&key) {
                Some(&known) => known,
                None => {
                    let new = self.attribute(name, accessor, made, by)?;
                    *self.made.entry(key).insert_entry(new).get()
                }
            };
            changed.push((name, new));
        }
        Ok(changed)
    }

    fn attribute(
        &mut self,
        name: &str,
        accessor: usize,
        made: Made,
        by: &Matrix3<f64>,
    ) -> Result<usize, Why> {
        let named = self.source.document.accessors.get(accessor);
        let named = named.and_then(|accessor| accessor.is.name.as_deref());
        let target = Some(Target::Vertices);
        if made == Made::Tangents {
            let old: Vec<[f64; 4]> = self.read(accessor)?;
            let side = by.determinant().signum();
            let new: Vec<_> = old
                .iter()
                .map(|&[x, y, z, w]| {
                    let turned = by * Vector3::new(x, y, z);
                    let [x, y, z] = turned.try_normalize(0.0).unwrap_or(turned).into();
                    [x, y, z, w * side]
                })
                .collect();
            return self.data.floats(&new, false, target, named);
        }
        let mut new = vectors(&self.read(accessor)?, by);
        if let Made::Directions { base } = made {
            // As long as makes unit vectors of the base, so that morphed normals point where they did at any weight.
            let base = if name == "TANGENT" {
                self.read::<4>(base)?.iter().map(|&[x, y, z, _]| [x, y, z]).collect()
            } else {
                self.read(base)?
            };
            let lengths = lengths(&vectors(&base, by));
            if lengths.len() != new.len() {
                return Err(Why::Unread("it has another number of elements".to_owned()));
            }
            new.iter_mut().zip(lengths).for_each(|(vector, length)| *vector /= length);
        }
        let new: Vec<[f64; 3]> = new.into_iter().map(Into::into).collect();
        self.data.floats(&new, name == "POSITION", target, named)
    }

    /// The triangles of a primitive with their other side in front; `None` where it has none.
    fn turned_over(
        &mut self,
        primitive: &Primitive<'_>,
        attributes: &Attributes,
    ) -> Result<Option<usize>, Why> {
        let mode = primitive.mode.unwrap_or(4);
        if !(4..=6).contains(&mode) {
            return Ok(None);
        }
        let Some(&positions) = attributes.get("POSITION") else { return Ok(None) };
        let old = match primitive.indices {
            Some(indices) => self.indices(indices)?,
            None => {
                let count = self.read::<3>(positions)?.len();
                let count = u32::try_from(count).map_err(|_| Why::NotFinite)?;
                (0..count).collect()
            }
        };
        let turned: Option<Vec<_>> = triangles(mode, &old)
            .map(|triangles| triangles.into_iter().flat_map(|[a, b, c]| [a, c, b]).collect());
        Ok(turned.map(|turned| self.data.indices(&turned, None)))
    }

    fn indices(&mut self, accessor: usize) -> Result<Vec<u32>, Why> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "read of unsigned integers of 32 bits at most, and checked by the proof"
        )]
        let index = |[index]: [f64; 1]| index as u32;
        Ok(self.read::<1>(accessor)?.into_iter().map(index).collect())
    }

    fn read<const N: usize>(&mut self, accessor: usize) -> Result<Vec<[f64; N]>, Why> {
        self.data.check()?;
        self.accessors.elements(accessor).map_err(Why::Unread)
    }

    /// Gives what joints lose to the inverse bind matrices of all skins that have them.
    fn skins(&mut self, all: &[&Baked]) -> Result<(), Stop> {
        let lost: HashMap<_, _> = all.iter().map(|one| (one.node, &one.own)).collect();
        for skin in &self.source.document.skins {
            let joints = &skin.is.joints;
            let lost: Vec<_> =
                joints.iter().map(|joint| lost.get(joint).filter(|own| !is_nothing(own))).collect();
            let Some(first) = lost.iter().position(Option::is_some) else { continue };
            let old = match skin.is.inverse_bind_matrices {
                Some(accessor) => self.read::<16>(accessor),
                None => {
                    let identity = Matrix4::<f64>::identity();
                    Ok(vec![std::array::from_fn(|i| identity[i]); joints.len()])
                }
            };
            let old = match old {
                Ok(old) => old,
                Err(why) => {
                    self.refused.push(Refusal { node: joints[first], why });
                    continue;
                }
            };
            let new: Vec<[f64; 16]> = old
                .iter()
                .enumerate()
                .map(|(place, old)| match lost.get(place).copied().flatten() {
                    Some(own) => {
                        let new = own.to_homogeneous() * Matrix4::from_column_slice(old);
                        std::array::from_fn(|i| new[i])
                    }
                    None => *old,
                })
                .collect();
            match self.data.floats(&new, false, None, None) {
                Ok(new) => self.edits.set(skin.raw, "inverseBindMatrices", new.to_string())?,
                Err(why) => self.refused.push(Refusal { node: joints[first], why }),
            }
        }
        Ok(())
    }

    /// Takes keyframes of translations by what parents lose, and lets those that hold a scale hold none.
    fn keyframes(&mut self, all: &[&Baked]) -> Result<(), Stop> {
        let by_node: HashMap<_, _> = all.iter().map(|one| (one.node, *one)).collect();
        let document = self.source.document;
        for animation in &document.animations {
            let (channels, samplers) = (animation.is.channels()?, animation.is.samplers()?);
            let mut added = Vec::new();
            for channel in &channels {
                let target = &channel.is.target;
                let Some(one) = target.node.and_then(|node| by_node.get(&node)) else { continue };
                let Some(sampler) = samplers.get(channel.is.sampler) else { continue };
                let is_spline = sampler.is.interpolation.as_deref() == Some("CUBICSPLINE");
                let (made, by) = match target.path.as_str() {
                    "translation" if !is_nothing(&one.of_parent) => {
                        (Made::Translations, one.of_parent)
                    }
                    "scale" if !one.keeps_scale => {
                        (Made::Scales { is_spline }, Matrix3::identity())
                    }
                    _ => continue,
                };
                let output = match self.keyframe_values(sampler.is.output, made, &by) {
                    Ok(Some(output)) => output,
                    Ok(None) => continue,
                    Err(why) => {
                        self.refused.push(Refusal { node: one.node, why });
                        continue;
                    }
                };
                let uses = channels.iter().filter(|other| other.is.sampler == channel.is.sampler);
                if uses.count() == 1 {
                    self.edits.set(sampler.raw, "output", output.to_string())?;
                } else {
                    let mut edits = Edits::of(sampler.raw.get());
                    edits.set(sampler.raw, "output", output.to_string())?;
                    let index = samplers.len() + added.len();
                    self.edits.set(channel.raw, "sampler", index.to_string())?;
                    added.push(edits.finish());
                }
            }
            self.edits.push(animation.raw, "samplers", &added)?;
        }
        Ok(())
    }

    /// The accessor of new values for keyframes; `None` where the old ones are as they should be.
    fn keyframe_values(
        &mut self,
        output: usize,
        made: Made,
        by: &Matrix3<f64>,
    ) -> Result<Option<usize>, Why> {
        let key = (output, made, bits(by));
        if let Some(&known) = self.made.get(&key) {
            return Ok(Some(known));
        }
        let old: Vec<[f64; 3]> = self.read(output)?;
        let new: Vec<[f64; 3]> = match made {
            Made::Scales { is_spline } => {
                // Of a spline, each value stands between its tangents.
                let value = |i: usize| if is_spline && i % 3 != 1 { [0.0; 3] } else { [1.0; 3] };
                (0..old.len()).map(value).collect()
            }
            _ => vectors(&old, by).into_iter().map(Into::into).collect(),
        };
        if new == old {
            return Ok(None);
        }
        let name = self.source.document.accessors.get(output);
        let name = name.and_then(|accessor| accessor.is.name.as_deref());
        let new = self.data.floats(&new, false, None, name)?;
        self.made.insert(key, new);
        Ok(Some(new))
    }
}

/// Whether a matrix changes nothing, but for the rounding of products.
fn is_nothing(matrix: &Matrix3<f64>) -> bool {
    (matrix - Matrix3::identity()).amax() <= 1e-12
}
