//! One attempt to repair everything that is not refused.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::Value;
use xform_compare::{Engine, Grade, SceneAudit, audit::node_path, judge::unread};
use xform_scene::{
    Scene,
    gltf::{GltfAsset, GltfContainer},
};

use super::{Fix, Options, Output, Remaining};
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
    plan::{Group, Plan, planned, to_repair},
    proof::{Compared, Promise, Proof, prove},
    refusal::{Refusal, Why},
    repair_kind::RepairKind,
    source::Source,
};

/// A file that is being repaired.
pub(super) struct Fixing<'a, 'b> {
    pub(super) bytes: &'b [u8],
    pub(super) asset: &'a GltfAsset,
    pub(super) audit: &'b SceneAudit,
    /// The grade of what is drawn, and the number of nodes that differ.
    pub(super) apart: (Grade, usize),
    pub(super) source: &'b Source<'a>,
    pub(super) container: GltfContainer<'b>,
    pub(super) output: &'b mut dyn Output,
    pub(super) options: &'b Options,
}

/// The result of repairing everything that is not refused.
pub(super) enum Attempt {
    Done(Box<Fix>),
    /// More groups must be refused.
    Refused(Vec<Refusal>),
    /// More groups differ in an engine about which something was known only after the repair.
    More(Vec<(Group, Plan)>),
}

/// The edits that repair a file, and its new data.
pub(super) struct Edited<'a> {
    edits: Edits<'a>,
    data: PlacedBytes,
    /// The new node that shows the mesh of an old one, by old node.
    leaves: BTreeMap<usize, usize>,
}

impl<'a> Fixing<'a, '_> {
    pub(super) fn attempt(&mut self, planned: &mut [(Group, Plan)]) -> Result<Attempt, FixError> {
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
                unknown_beside_nodes(self.source.document)
            } else {
                Vec::new()
            },
        }
    }

    /// Returns the edits that execute these plans, or refusals if data cannot be read.
    pub(super) fn edited(
        &mut self,
        plans: &[&Plan],
    ) -> Result<Result<Edited<'a>, Vec<Refusal>>, FixError> {
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
        let known = fix.groups.iter().map(|group| group.top).collect();
        let more = self.newly_known(&known, &fixed_scene, &after)?;
        if !more.is_empty() {
            return Ok(Attempt::More(more));
        }
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

    /// Returns the groups that differ in the repaired file, beside those that are `known`. Usually an engine was unknown in
    /// the original, as with a sheared matrix, and the repair made it known. Without them a second repair would find more
    /// to do.
    fn newly_known(
        &self,
        known: &BTreeSet<usize>,
        fixed: &Scene,
        after: &SceneAudit,
    ) -> Result<Vec<(Group, Plan)>, FixError> {
        let Options { repair: kind, ref only, .. } = *self.options;
        let still_unknown = unknown(after);
        let was_unknown = &self.audit.engines.unknown;
        let is_known = was_unknown.iter().any(|one| !still_unknown.contains(&one.engine));
        // If a repair changes the shape, the scene may become smaller, and what was too little to differ may differ.
        if only.is_some() || kind.is_exact() && !is_known {
            return Ok(Vec::new());
        }
        let is_new = |&top: &usize| match kind {
            RepairKind::Bake | RepairKind::Leaf => {
                self.source.upwards(top).all(|above| !known.contains(&above))
            }
            RepairKind::Uniform | RepairKind::Helper | RepairKind::Nearest => !known.contains(&top),
        };
        let tops = to_repair(self.source, fixed, after, kind).into_iter();
        // Nodes that the repair added stand behind those of the file.
        let tops = tops.filter(|&top| top < self.source.scene.nodes.len()).filter(is_new);
        let mut more = planned(self.source, self.audit, tops.collect(), kind, None)?;
        let percents = worst_percents(fixed, after);
        for (group, _) in &mut more {
            group.displacement_percent = [percents[group.top]; 2];
        }
        Ok(more)
    }

    /// Returns the groups that differ once these edits are made, beside those that are planned.
    pub(super) fn newly_known_after(
        &self,
        Edited { edits, data, .. }: Edited<'a>,
        planned: &[(Group, Plan)],
    ) -> Result<Vec<(Group, Plan)>, FixError> {
        let is_exact = self.options.repair.is_exact();
        if edits.is_empty() || is_exact && self.audit.engines.unknown.is_empty() {
            return Ok(Vec::new());
        }
        let mut buffers = self.asset.buffers().to_vec();
        data.add_to(&mut buffers);
        let fixed = GltfAsset::new(edits.finish(), buffers);
        let scene = fixed.scene(&self.source.scene.source)?;
        let Audited { scene, audit, .. } = Audited::new(scene, &self.options.engines)?;
        self.newly_known(&planned.iter().map(|(group, _)| group.top).collect(), &scene, &audit)
    }

    /// Returns refusals for the groups that move unreadable vertices.
    fn unread(&self, groups: &[Group], unread: Vec<(usize, String)>) -> Vec<Refusal> {
        let tops: HashSet<_> =
            groups.iter().filter(|group| group.is_fixed()).map(|group| group.top).collect();
        let mut refusals = Vec::new();
        for (node, why) in unread {
            let skin = self.source.document.nodes[node].is.skin;
            let skin = skin.map(|skin| &self.source.document.skins[skin].is.joints[..]);
            let itself = [node];
            let above = skin.unwrap_or(&itself).iter().flat_map(|&at| self.source.upwards(at));
            let refused: BTreeSet<_> = above.filter(|at| tops.contains(at)).collect();
            let why = Why::Unread(why);
            refusals.extend(refused.into_iter().map(|node| Refusal { node, why: why.clone() }));
        }
        refusals
    }

    /// Adds refusals to the groups of their nodes.
    pub(super) fn refuse(&self, planned: &mut [(Group, Plan)], refusals: Vec<Refusal>) {
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
    let buffers = document.buffers.iter().map(|buffer| Members::of(buffer.raw));
    let buffers = buffers.collect::<Result<Vec<_>, _>>()?;
    let images = document.images.iter().map(|(_, image)| image);
    for written in buffers.iter().chain(images).flat_map(|part| part.every("uri")) {
        let Ok(uri) = serde_json::from_str::<String>(written.get()) else { continue };
        if uri.starts_with("data:") {
            continue;
        }
        let new = output.relocate(&uri).map_err(FixError::Elsewhere)?;
        if new != uri {
            edits.replace(written, Value::from(new).to_string());
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
    let Some(asset) = document.members.get("asset")? else { return Ok(()) };
    let stamp = format!("repaired by xform {} ({})", env!("CARGO_PKG_VERSION"), kind.name());
    let stamp = Value::from(stamp).to_string();
    match Members::of(asset)?.get("extras")? {
        Some(extras) if extras.get().starts_with('{') => edits.set(extras, "xform", stamp),
        Some(_) => Ok(()),
        None => edits.set(asset, "extras", format!(r#"{{"xform":{stamp}}}"#)),
    }
}
