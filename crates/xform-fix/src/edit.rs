//! Turns planned repairs into edits of the document and new binary data.

mod keyframes;
mod poses;
mod shapes;
mod skins;

use std::collections::{BTreeMap, HashMap, HashSet};

use nalgebra::{Matrix3, Vector3};
use xform_scene::gltf::{GltfAccessors, field::name};

use crate::{
    bake::Baked,
    data::NewData,
    json::{Edits, Members},
    plan::Plan,
    refusal::{Refusal, Why},
    repose::Reposed,
    source::Source,
};

/// The reasons why an edit stops.
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

/// The bit patterns of a matrix, as a key for maps.
type Bits = [u64; 9];

fn bits(matrix: &Matrix3<f64>) -> Bits {
    std::array::from_fn(|i| matrix[i].to_bits())
}

/// The kind of data made from an accessor. Together with the accessor and the matrix it identifies new data, so that
/// shared data stay shared.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
enum Made {
    Positions,
    Offsets,
    /// Offsets of normals or tangents, relative to the lengths that the base directions in this accessor get.
    Directions {
        base: usize,
    },
    Tangents,
    Translations,
    /// Scales of 1.
    NoScales {
        is_spline: bool,
    },
    UniformScales {
        is_spline: bool,
    },
    /// Rotations multiplied by half a turn about an axis, applied first.
    HalfTurned {
        about: usize,
    },
}

/// Collects the edits of a document and its new data while plans are executed.
pub(crate) struct Editing<'a, 'b, 'c> {
    pub(crate) data: NewData,
    pub(crate) edits: Edits<'a>,
    /// The new node that shows the mesh of an old one, by old node.
    pub(crate) leaves: BTreeMap<usize, usize>,
    source: &'b Source<'a>,
    accessors: &'b mut GltfAccessors<'c>,
    /// The JSON of new meshes and nodes.
    meshes: Vec<String>,
    nodes: Vec<String>,
    /// The names of all nodes, including new ones.
    names: HashSet<String>,
    /// How many nodes wanted each name.
    wanted: HashMap<String, usize>,
    made: HashMap<(usize, Made, Bits), usize>,
    refused: Vec<Refusal>,
}

impl<'a, 'b, 'c> Editing<'a, 'b, 'c> {
    pub(crate) fn new(
        source: &'b Source<'a>,
        accessors: &'b mut GltfAccessors<'c>,
        json: &'a str,
        data: NewData,
    ) -> Self {
        Self {
            data,
            edits: Edits::of(json),
            leaves: BTreeMap::new(),
            source,
            accessors,
            meshes: Vec::new(),
            nodes: Vec::new(),
            names: poses::names(source.scene),
            wanted: HashMap::new(),
            made: HashMap::new(),
            refused: Vec::new(),
        }
    }

    pub(crate) fn carry_out(&mut self, plans: &[&Plan]) -> Result<(), Stop> {
        let (mut baked, mut reposed): (Vec<&Baked>, Vec<&Reposed>) = (Vec::new(), Vec::new());
        for plan in plans {
            match plan {
                Plan::Bake(all) => baked.extend(all),
                Plan::Repose(one) => reposed.push(one),
            }
        }
        self.bake_poses(&baked)?;
        self.repose(&reposed)?;
        self.shapes(&baked)?;
        self.skins(&baked)?;
        self.keyframes(&baked, &reposed)?;
        let last =
            baked.iter().map(|one| one.node).chain(reposed.iter().map(|one| one.node)).last();
        if let (Err(why), Some(node)) = (self.data.check(), last) {
            self.refused.push(Refusal { node, why });
        }
        if !self.refused.is_empty() {
            return Err(Stop::Refused(std::mem::take(&mut self.refused)));
        }
        let root = self.source.document.root;
        self.edits.push(root, "meshes", &self.meshes)?;
        self.edits.push(root, "nodes", &self.nodes)?;
        Ok(())
    }

    fn read<const N: usize>(&mut self, accessor: usize) -> Result<Vec<[f64; N]>, Why> {
        self.data.check()?;
        self.accessors.elements(accessor).map_err(Why::Unread)
    }

    /// Returns the name of an accessor, which data made from it keep.
    fn name_of(&self, accessor: usize) -> Option<String> {
        let raw = self.source.document.accessors.get(accessor)?.raw;
        let members = Members::of(raw).ok()?;
        name(members.every("name").last()?).ok().flatten()
    }
}

fn vectors(elements: &[[f64; 3]], by: &Matrix3<f64>) -> Vec<Vector3<f64>> {
    elements.iter().map(|&element| by * Vector3::from(element)).collect()
}
