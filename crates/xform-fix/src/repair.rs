//! Repairs a file: plans, edits, proves, and drops refused groups until the rest holds.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::Value;
use xform_compare::{
    Engine, Grade, SceneAudit,
    audit::{EngineChoice, Repairs, node_path},
    judge::unread,
};
use xform_scene::{
    Warning,
    gltf::{GltfAsset, GltfContainer},
};

use crate::{
    compact::{Compacted, Compaction, NotCompacted, compact},
    document::Document,
    edit::{Editing, Stop},
    error::FixError,
    extensions::unknown_beside_nodes,
    instances::Audited,
    json::{Edits, Members},
    non_uniform::worst_percents,
    placement::{Destination, PlacedBytes},
    plan::{Group, Plan, planned},
    proof::{Compared, Promise, Proof, prove},
    refusal::{Refusal, Why},
    repair_kind::RepairKind,
    source::Source,
};

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
    /// The engines in which something differed before the repair.
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
    /// The grade of what is drawn, before and after.
    pub grades: [Grade; 2],
    /// The number of drawn nodes that differ, at rest or in motion, before and after.
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
    let mut planned = planned(&source, &audit, options.repair, options.only.as_deref())?;
    if planned.iter().any(|(group, _)| group.is_fixed()) {
        document.check()?;
    }
    let percents = worst_percents(&scene, &audit);
    for (group, _) in &mut planned {
        group.displacement_percent = [percents[group.top]; 2];
    }
    let container = GltfContainer::of(bytes);
    let (audit, source) = (&audit, &source);
    let mut fixing = Fixing { bytes, asset, audit, apart, source, container, output, options };
    loop {
        match fixing.attempt(&mut planned)? {
            Attempt::Done(fix) => return Ok(*fix),
            Attempt::Refused(refusals) => fixing.refuse(&mut planned, refusals),
        }
    }
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
        let options = &Options { repair, ..Options::default() };
        let (output, container) = (&mut SameFolder(String::new()), GltfContainer::of(bytes));
        let (audit, source) = (&audit, &source);
        let mut fixing = Fixing { bytes, asset, audit, apart, source, container, output, options };
        let mut planned = planned(source, audit, repair, None)?;
        if planned.iter().any(|(group, _)| group.is_fixed()) {
            source.document.check()?;
        }
        loop {
            let fixed = || planned.iter().filter(|(group, _)| group.is_fixed());
            match fixing.edited(&fixed().map(|(_, plan)| plan).collect::<Vec<_>>())? {
                Ok(_) => return Ok(fixed().map(|(group, _)| group.top).collect()),
                Err(refusals) => fixing.refuse(&mut planned, refusals),
            }
        }
    };
    let [baked, to_leaves, uniform] = [RepairKind::Bake, RepairKind::Leaf, RepairKind::Uniform]
        .map(|repair| done(repair).unwrap_or_default());
    Ok(Repairs { baked, to_leaves, uniform })
}

/// A file that is being repaired.
struct Fixing<'a, 'b> {
    bytes: &'b [u8],
    asset: &'a GltfAsset,
    audit: &'b SceneAudit,
    /// The grade of what is drawn, and the number of nodes that differ.
    apart: (Grade, usize),
    source: &'b Source<'a>,
    container: GltfContainer<'b>,
    output: &'b mut dyn Output,
    options: &'b Options,
}

/// The result of repairing everything that is not refused.
enum Attempt {
    Done(Box<Fix>),
    /// More groups must be refused.
    Refused(Vec<Refusal>),
}

/// The edits that repair a file, and its new data.
struct Edited<'a> {
    edits: Edits<'a>,
    data: PlacedBytes,
    /// The new node that shows the mesh of an old one, by old node.
    leaves: BTreeMap<usize, usize>,
}

impl<'a> Fixing<'a, '_> {
    fn attempt(&mut self, planned: &mut [(Group, Plan)]) -> Result<Attempt, FixError> {
        let plans = planned.iter().filter(|(group, _)| group.is_fixed()).map(|(_, plan)| plan);
        let Edited { mut edits, data, leaves } = match self.edited(&plans.collect::<Vec<_>>())? {
            Ok(edited) => edited,
            Err(refusals) => return Ok(Attempt::Refused(refusals)),
        };
        let document = self.source.document;
        let is_edited = !edits.is_empty();
        if self.options.stamp && is_edited {
            stamp(&mut edits, document, self.options.repair)?;
        }
        let mut fix = self.nothing(planned);
        let (inside, beside) = data.placed();
        let json = match relocated(edits, document, self.output)? {
            Some(json) => {
                fix.file = self.container.with(&json, inside).ok_or(FixError::TooLong)?;
                json
            }
            None => self.asset.json().to_owned(),
        };
        fix.data = beside.map(<[u8]>::to_vec);
        if !is_edited && !self.options.compact {
            return Ok(Attempt::Done(Box::new(fix)));
        }
        let mut buffers = self.asset.buffers().to_vec();
        data.add_to(&mut buffers);
        drop(data);
        let mut fixed = GltfAsset::new(json, buffers);
        if self.options.compact {
            fixed = self.compacted(&mut fix, fixed)?;
        }
        if is_edited {
            return self.proved(fix, &fixed, &leaves);
        }
        if fix.compacted.is_some_and(|compacted| !compacted.is_nothing()) {
            return match self.proved(fix, &fixed, &leaves) {
                // Only compaction changed the file, so the original is kept.
                Err(FixError::NotProved(proof)) => {
                    let mut fix = self.nothing(planned);
                    fix.not_compacted = Some(FixError::NotProved(proof).to_string());
                    Ok(Attempt::Done(Box::new(fix)))
                }
                done => done,
            };
        }
        Ok(Attempt::Done(Box::new(fix)))
    }

    /// Returns the result for an unchanged file.
    fn nothing(&self, planned: &[(Group, Plan)]) -> Fix {
        Fix {
            repair: self.options.repair,
            file: self.bytes.to_vec(),
            data: None,
            groups: planned.iter().map(|(group, _)| group.clone()).collect(),
            proof: None,
            engines: differing(self.audit),
            unknown: unknown(self.audit),
            remaining: Remaining::of([self.apart; 2]),
            compacted: None,
            not_compacted: None,
            not_judged: unread(self.audit).cloned().collect(),
            unknown_extensions: if planned.iter().any(|(group, _)| group.is_fixed()) {
                unknown_beside_nodes(self.source.document.root)
            } else {
                Vec::new()
            },
        }
    }

    /// Returns the edits that execute these plans, or refusals if data cannot be read.
    fn edited(&mut self, plans: &[&Plan]) -> Result<Result<Edited<'a>, Vec<Refusal>>, FixError> {
        let (asset, document) = (self.asset, self.source.document);
        let PlacedBytes { data, place } = PlacedBytes::new(asset, document, &self.container);
        let done = asset.accessors(|accessors| {
            let mut editing = Editing::new(self.source, accessors, asset.json(), data);
            editing.carry_out(plans).map(|()| (editing.edits, editing.data, editing.leaves))
        })?;
        let (mut edits, data, leaves) = match done {
            Ok(done) => done,
            Err(Stop::Json(error)) => return Err(error.into()),
            Err(Stop::Refused(refusals)) => return Ok(Err(refusals)),
        };
        let data = PlacedBytes { data, place };
        let uri = match data.place {
            Destination::Beside if !data.data.bytes.is_empty() => {
                self.output.data_uri(&data.data.bytes).map_err(FixError::Elsewhere)?
            }
            _ => String::new(),
        };
        data.name_in(&mut edits, document, &uri)?;
        Ok(Ok(Edited { edits, data, leaves }))
    }

    /// Removes unused data from the repaired asset.
    fn compacted(&self, fix: &mut Fix, fixed: GltfAsset) -> Result<GltfAsset, FixError> {
        match compact(&fixed, self.container.is_glb()) {
            Ok(Some(Compaction { asset, chunk, compacted })) => {
                let file = match chunk {
                    Some(chunk) => self.container.with_binary(asset.json(), &chunk, &[]),
                    None => self.container.with(asset.json(), &[]),
                };
                fix.file = file.ok_or(FixError::TooLong)?;
                fix.compacted = Some(compacted);
                return Ok(asset);
            }
            Ok(None) => fix.compacted = Some(Compacted::default()),
            Err(NotCompacted(why)) => fix.not_compacted = Some(why),
        }
        Ok(fixed)
    }

    /// Proves a repair and measures the remaining differences, or refuses groups that cannot be compared.
    fn proved(
        &self,
        mut fix: Fix,
        fixed: &GltfAsset,
        leaves: &BTreeMap<usize, usize>,
    ) -> Result<Attempt, FixError> {
        let scene = self.source.scene;
        let Audited { scene: fixed_scene, audit: after, apart } =
            Audited::new(fixed.scene(&scene.source)?, &self.options.engines)?;
        let may_move = may_move(&fix.groups, self.options.repair);
        let diagonal = self.audit.summary.diagonal;
        // After compaction, equal indices may mean other data.
        let is_all = fix.compacted.is_some_and(|compacted| !compacted.is_nothing());
        let promise = Promise { shown_by: leaves, may_move: &may_move, is_all, diagonal };
        let Compared { proof, changes, unread } =
            prove(self.asset, fixed, [scene, &fixed_scene], &promise)?;
        let refusals = self.unread(&fix.groups, unread);
        if !refusals.is_empty() {
            return Ok(Attempt::Refused(refusals));
        }
        let is_broken = |proof: &&Proof| !proof.broken.is_empty();
        if let Some(broken) = changes.iter().find(is_broken) {
            return Err(FixError::NotProved(Box::new(broken.clone())));
        }
        if !proof.holds(self.options.tolerance) {
            return Err(FixError::NotProved(Box::new(proof)));
        }
        fix.proof = Some(proof);
        let percents = worst_percents(&fixed_scene, &after);
        let mut changes = changes.into_iter();
        for group in &mut fix.groups {
            group.displacement_percent[1] = percents[group.top];
            if group.is_fixed() {
                group.change = changes.next();
            }
        }
        fix.unknown = unknown(&after);
        fix.remaining = Remaining::of([self.apart, apart]);
        Ok(Attempt::Done(Box::new(fix)))
    }

    /// Returns refusals for the groups that move unreadable vertices.
    fn unread(&self, groups: &[Group], unread: Vec<(usize, String)>) -> Vec<Refusal> {
        let tops: HashSet<_> =
            groups.iter().filter(|group| group.is_fixed()).map(|group| group.top).collect();
        let scene = self.source.scene;
        let upwards =
            |node| std::iter::successors(Some(node), |&at: &usize| scene.nodes[at].parent);
        let mut refusals = Vec::new();
        for (node, why) in unread {
            let skin = self.source.document.nodes[node].is.skin;
            let skin = skin.map(|skin| &self.source.document.skins[skin].is.joints[..]);
            let itself = [node];
            let above = skin.unwrap_or(&itself).iter().flat_map(|&at| upwards(at));
            let refused: BTreeSet<_> = above.filter(|at| tops.contains(at)).collect();
            let why = Why::Unread(why);
            refusals.extend(refused.into_iter().map(|node| Refusal { node, why: why.clone() }));
        }
        refusals
    }

    /// Adds refusals to the groups of their nodes.
    fn refuse(&self, planned: &mut [(Group, Plan)], refusals: Vec<Refusal>) {
        for refusal in refusals {
            for (group, plan) in planned.iter_mut() {
                let is_known = group.refusals.iter().any(|(_, known)| *known == refusal);
                if group.is_asked_for && plan.has(refusal.node) && !is_known {
                    group.refusals.push((node_path(self.audit, refusal.node), refusal.clone()));
                }
            }
        }
    }
}

/// Returns the engines in which something differs.
fn differing(audit: &SceneAudit) -> Vec<&'static Engine> {
    let groups = audit.engines.others().iter().filter(|group| group.grade > Grade::Identical);
    groups.flat_map(|group| &group.engines).copied().collect()
}

/// Returns the engines whose picture is unknown.
fn unknown(audit: &SceneAudit) -> Vec<&'static Engine> {
    audit.engines.unknown.iter().map(|unknown| unknown.engine).collect()
}

impl Remaining {
    fn of(apart: [(Grade, usize); 2]) -> Self {
        Self { grades: apart.map(|(grade, _)| grade), nodes: apart.map(|(_, nodes)| nodes) }
    }
}

/// Returns the place of each repaired group that changes the shape, by its top.
fn may_move(groups: &[Group], kind: RepairKind) -> HashMap<usize, usize> {
    let groups = groups.iter().filter(|group| group.is_fixed() && !kind.is_exact());
    groups.enumerate().map(|(place, group)| (group.top, place)).collect()
}

/// Rewrites the URIs of other files as seen from the output. Returns the edited JSON, or `None` without any edit.
fn relocated<'a>(
    mut edits: Edits<'a>,
    document: &Document<'a>,
    output: &mut dyn Output,
) -> Result<Option<String>, FixError> {
    let images = document.images.iter().map(|(_, image)| image);
    for part in document.buffers.iter().chain(images) {
        let Some(uri) = part.is.uri.as_deref().filter(|uri| !uri.starts_with("data:")) else {
            continue;
        };
        let new = output.relocate(uri).map_err(FixError::Elsewhere)?;
        if new != uri {
            edits.set(part.raw, "uri", Value::from(new).to_string())?;
        }
    }
    Ok((!edits.is_empty()).then(|| edits.finish()))
}

/// Records in the file that it was repaired.
fn stamp<'a>(
    edits: &mut Edits<'a>,
    document: &Document<'a>,
    kind: RepairKind,
) -> serde_json::Result<()> {
    let Some(asset) = document.members.get("asset") else { return Ok(()) };
    let stamp = format!("repaired by xform {} ({})", env!("CARGO_PKG_VERSION"), kind.name());
    let stamp = Value::from(stamp).to_string();
    match Members::of(asset)?.get("extras") {
        Some(extras) if extras.get().starts_with('{') => edits.set(extras, "xform", stamp),
        Some(_) => Ok(()),
        None => edits.set(asset, "extras", format!(r#"{{"xform":{stamp}}}"#)),
    }
}
