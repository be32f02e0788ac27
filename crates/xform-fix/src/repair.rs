//! Repairs a file: plans, edits, proves, and drops refused groups until the rest holds.

mod attempt;

use xform_compare::{
    Engine, Grade,
    audit::{EngineChoice, Repairs},
};
use xform_scene::{
    Warning,
    gltf::{GltfAsset, GltfContainer},
};

use crate::{
    compact::Compacted,
    document::Document,
    error::FixError,
    instances::Audited,
    non_uniform::worst_percents,
    plan::{Group, Plan, planned, to_repair},
    proof::Proof,
    repair_kind::RepairKind,
    source::Source,
};
use attempt::{Attempt, Fixing};

/// The settings of a repair.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The kind of repair.
    pub repair: RepairKind,
    /// Repair only the groups of this node, given by its index, its name or its path, such as `Arm/Hand`.
    pub only: Option<String>,
    /// Remove unused data: accessors, buffer views, buffers, and bytes that are inside the file.
    pub compact: bool,
    /// Record in `asset.extras` of the file that it was repaired.
    pub stamp: bool,
    /// Scales the proof's tolerances. At 1, a vertex may move by 10⁻⁶ of the scene and a direction may turn by 0.01°.
    pub tolerance: f64,
    /// The engines whose differences are repaired.
    pub engines: EngineChoice,
}

impl Default for Options {
    /// Bakes every difference between the two strategies, without a stamp, at a tolerance of 1.
    fn default() -> Self {
        let (repair, engines) = (RepairKind::Bake, EngineChoice::strategies());
        Self { repair, only: None, compact: false, stamp: false, tolerance: 1.0, engines }
    }
}

/// The place where a repaired file will be.
pub trait Output {
    /// Returns the URI under which a `.gltf` file refers to its new data, a file beside it. A GLB contains them.
    ///
    /// # Errors
    ///
    /// The reason why there is no such URI.
    fn data_uri(&mut self, data: &[u8]) -> Result<String, String>;

    /// Returns the URI of an external image or buffer as seen from the repaired file.
    ///
    /// # Errors
    ///
    /// The reason why there is no such URI.
    fn relocate(&mut self, uri: &str) -> Result<String, String>;
}

/// An [`Output`] in the folder of the input: new data get this URI, and other files keep theirs.
#[derive(Clone, Debug)]
pub struct SameFolder(pub String);

impl Output for SameFolder {
    fn data_uri(&mut self, _data: &[u8]) -> Result<String, String> {
        Ok(self.0.clone())
    }

    fn relocate(&mut self, uri: &str) -> Result<String, String> {
        Ok(uri.to_owned())
    }
}

/// The result of a repair.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fix {
    /// The kind of repair that was requested.
    pub repair: RepairKind,
    /// The repaired file. The same bytes as the input if nothing was to be repaired.
    pub file: Vec<u8>,
    /// The new data beside a `.gltf` file, if any.
    pub data: Option<Vec<u8>>,
    /// The units of repair, in the order of the file.
    pub groups: Vec<Group>,
    /// The proof that nothing moved except as reported in [`Group::change`]. `None` if nothing was repaired.
    pub proof: Option<Proof>,
    /// The engines in which something differed before the repair, as far as that was known.
    pub engines: Vec<&'static Engine>,
    /// The engines whose picture of the repaired file is unknown.
    pub unknown: Vec<&'static Engine>,
    /// The differences that remain.
    pub remaining: Remaining,
    /// The amount of unused data that was removed. `None` if that was not requested or not done.
    pub compacted: Option<Compacted>,
    /// The reason why unused data were not removed despite the request: a clause.
    pub not_compacted: Option<String>,
    /// Warnings about moving or drawn parts that could not be read and so were not judged.
    pub not_judged: Vec<Warning>,
    /// If something was repaired: the unknown extensions of the document, its materials, animations and so on. They may
    /// refer to repaired nodes, and are unchanged.
    pub unknown_extensions: Vec<String>,
}

/// The differences in the repaired file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Remaining {
    /// The grade of what is drawn, before and after. Before, in the engines that were known for the file as it was.
    pub grades: [Grade; 2],
    /// The number of drawn nodes that differ, at rest or in motion, before and after, in the same engines.
    pub nodes: [usize; 2],
}

/// Repairs a glTF file and proves that no vertex moved in engines that multiply matrices. If the repair changes the
/// shape, it measures how far vertices moved.
///
/// `bytes` are those of a `.gltf` or `.glb` file, `asset` is what was read from them, and `source` is the name of the
/// file. A [`Group`] is repaired as a whole or left as it is.
///
/// # Errors
///
/// - the asset cannot be audited
/// - `options.only` names no node with something to repair
/// - an image or buffer has no name relative to the output
/// - [`FixError::NotProved`]: something would move that must not
pub fn fix(
    bytes: &[u8],
    asset: &GltfAsset,
    source: &str,
    output: &mut dyn Output,
    options: &Options,
) -> Result<Fix, FixError> {
    let Audited { scene, audit, apart } = Audited::new(asset.scene(source)?, &options.engines)?;
    let document = Document::parse(asset.json())?;
    let source = Source::new(&document, &scene);
    let tops = to_repair(&source, &scene, &audit, options.repair);
    let percents = worst_percents(&scene, &audit);
    let mut planned = planned(&source, &audit, tops, options.repair, options.only.as_deref())?;
    for (group, _) in &mut planned {
        group.displacement_percent = [percents[group.top]; 2];
    }
    if planned.iter().any(|(group, _)| group.is_fixed()) {
        document.check()?;
    }
    let container = GltfContainer::of(bytes);
    let (audit, source) = (&audit, &source);
    let mut fixing = Fixing { bytes, asset, audit, apart, source, container, output, options };
    loop {
        match fixing.attempt(&mut planned)? {
            Attempt::Done(fix) => return Ok(*fix),
            Attempt::Refused(refusals) => fixing.refuse(&mut planned, refusals),
            Attempt::More(more) => add(&mut planned, more),
        }
    }
}

/// Adds groups in the order of the file.
fn add(planned: &mut Vec<(Group, Plan)>, more: Vec<(Group, Plan)>) {
    planned.extend(more);
    planned.sort_by_key(|(group, _)| group.top);
}

/// The largest total number of ancestors of a file's nodes for which repairs are tried.
const MOST_ANCESTORS: usize = 2_000_000;

/// Returns what [`fix`] would repair of the differences between these engines.
///
/// Each repair is executed and discarded without a proof. `asset` is what was read from `bytes`. The result is empty
/// for a file whose buffers could not all be read, or whose nodes are so deep that the repairs would take long. A repair
/// that [`fix`] refuses with an error repairs nothing; the others are still tried.
///
/// # Errors
///
/// If the document cannot be read or audited.
pub fn repairs(
    bytes: &[u8],
    asset: &GltfAsset,
    source: &str,
    engines: &EngineChoice,
) -> Result<Repairs, FixError> {
    let Audited { scene, audit, apart } = Audited::new(asset.scene(source)?, engines)?;
    // Without all data nothing can be proved.
    if !asset.is_whole() {
        return Ok(Repairs::default());
    }
    // The time grows with the number of ancestors: a chain of 20 000 nodes would take seconds, for a line of advice.
    if audit.nodes.iter().map(|node| node.depth).sum::<usize>() > MOST_ANCESTORS {
        return Ok(Repairs::default());
    }
    let document = Document::parse(asset.json())?;
    let source = Source::new(&document, &scene);
    let done = |repair: RepairKind| -> Result<Vec<usize>, FixError> {
        let options = &Options { repair, engines: engines.clone(), ..Options::default() };
        let (output, container) = (&mut SameFolder(String::new()), GltfContainer::of(bytes));
        let (audit, source) = (&audit, &source);
        let mut fixing = Fixing { bytes, asset, audit, apart, source, container, output, options };
        let tops = to_repair(source, source.scene, audit, repair);
        let mut planned = planned(source, audit, tops, repair, None)?;
        if planned.iter().any(|(group, _)| group.is_fixed()) {
            source.document.check()?;
        }
        loop {
            let fixed = || planned.iter().filter(|(group, _)| group.is_fixed());
            match fixing.edited(&fixed().map(|(_, plan)| plan).collect::<Vec<_>>())? {
                Ok(edited) => {
                    let more = fixing.newly_known_after(edited, &planned)?;
                    if more.is_empty() {
                        return Ok(fixed().map(|(group, _)| group.top).collect());
                    }
                    add(&mut planned, more);
                }
                Err(refusals) => fixing.refuse(&mut planned, refusals),
            }
        }
    };
    let [baked, to_leaves, uniform] = [RepairKind::Bake, RepairKind::Leaf, RepairKind::Uniform]
        .map(|repair| done(repair).unwrap_or_default());
    Ok(Repairs { baked, to_leaves, uniform })
}

impl Remaining {
    fn of(apart: [(Grade, usize); 2]) -> Self {
        Self { grades: apart.map(|(grade, _)| grade), nodes: apart.map(|(_, nodes)| nodes) }
    }
}
