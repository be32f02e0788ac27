//! Transforms vertices by the maps that their nodes lose.

use std::collections::{BTreeMap, HashMap};

use nalgebra::{Matrix3, Vector3};

use super::{Bits, Editing, Made, Stop, bits, vectors};
use crate::{
    bake::Baked,
    data::ViewTarget,
    document::{Attributes, Mesh, Part, Primitive},
    json::Edits,
    non_uniform::is_nothing,
    refusal::{Refusal, Why},
    triangles::triangles,
};

/// A node that shows a mesh, and the map that the node loses, if any.
type ShownBy<'a> = (usize, Option<&'a Matrix3<f64>>);

/// Returns the lengths of vectors, or 1 for those that are zero.
fn lengths(vectors: &[Vector3<f64>]) -> Vec<f64> {
    let length = |vector: &Vector3<f64>| Some(vector.norm()).filter(|&length| length > 0.0);
    vectors.iter().map(|vector| length(vector).unwrap_or(1.0)).collect()
}

impl<'a> Editing<'a, '_, '_> {
    /// Transforms the vertices of meshes by the maps that their nodes lose. If other nodes show a mesh too, it is
    /// copied.
    pub(super) fn shapes(&mut self, all: &[&Baked]) -> Result<(), Stop> {
        let document = self.source.document;
        let baked = all.iter().filter(|one| one.leaf.is_none());
        let lost: HashMap<_, _> = baked.map(|one| (one.node, &one.own)).collect();
        // By mesh, in the order of the file.
        let mut shown: BTreeMap<usize, Vec<ShownBy<'_>>> = BTreeMap::new();
        for (index, node) in document.nodes.iter().enumerate() {
            let Some(mesh) = node.is.mesh else { continue };
            let lost = lost.get(&index).copied();
            // A skinned mesh does not follow its node.
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
        for primitive in &mesh.primitives {
            if let Err(why) = self.primitive(edits, primitive, by)? {
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
        let base = primitive.base();
        for part in primitive.attributes.iter().chain(&primitive.targets) {
            match self.attributes(&part.is, base, by) {
                Ok(changed) => {
                    for (name, accessor) in changed {
                        edits.set(part.raw, name, accessor.to_string())?;
                    }
                }
                Err(why) => return Ok(Err(why)),
            }
        }
        if by.determinant() < 0.0 {
            let indices = match self.turned_over(primitive) {
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

    /// Transforms the accessors of vertices, or of a morph target of the vertices in `base`, and returns the new
    /// accessors.
    fn attributes(
        &mut self,
        attributes: &Attributes,
        base: &Attributes,
        by: &Matrix3<f64>,
    ) -> Result<Vec<(&'static str, usize)>, Why> {
        let is_base = std::ptr::eq(attributes, base);
        // Normals follow the inverse transpose, so they stay perpendicular to the surface.
        let of_normals = by.try_inverse().ok_or(Why::Flat)?.transpose();
        let mut changed = Vec::new();
        for (name, by) in [("POSITION", by), ("NORMAL", &of_normals), ("TANGENT", by)] {
            let Some(accessor) = attributes.get(name) else { continue };
            let made = match (name, is_base) {
                ("POSITION", true) => Made::Positions,
                ("POSITION", false) => Made::Offsets,
                ("TANGENT", true) => Made::Tangents,
                _ => match base.get(name) {
                    Some(base) => Made::Directions { base },
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
        let named = self.name_of(accessor);
        let named = named.as_deref();
        let target = Some(ViewTarget::Vertices);
        if made == Made::Tangents {
            let old: Vec<[f64; 4]> = self.read(accessor)?;
            if old.is_empty() {
                return Ok(accessor);
            }
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
        // An accessor without elements has no view and stays as it is.
        if new.is_empty() {
            return Ok(accessor);
        }
        if let Made::Directions { base } = made {
            // Morphed normals stay exact at any weight. Offsets are transformed by the inverse transpose and divided by
            // the length that the base normal gets. So every weighted sum is the old sum transformed by one matrix, up
            // to its length.
            let base = if name == "TANGENT" {
                self.read::<4>(base)?.iter().map(|&[x, y, z, _]| [x, y, z]).collect()
            } else {
                self.read(base)?
            };
            let lengths = lengths(&vectors(&base, by));
            if lengths.len() != new.len() {
                return Err(Why::Unread("its number of elements does not match".to_owned()));
            }
            new.iter_mut().zip(lengths).for_each(|(vector, length)| *vector /= length);
        }
        let new: Vec<[f64; 3]> = new.into_iter().map(Into::into).collect();
        self.data.floats(&new, name == "POSITION", target, named)
    }

    /// Returns the triangles of a primitive with reversed winding, or `None` if it has no triangles.
    fn turned_over(&mut self, primitive: &Primitive<'_>) -> Result<Option<usize>, Why> {
        let mode = primitive.mode.unwrap_or(4);
        if !(4..=6).contains(&mode) {
            return Ok(None);
        }
        let Some(positions) = primitive.base().get("POSITION") else { return Ok(None) };
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
        let turned = turned.filter(|turned| !turned.is_empty());
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
}
