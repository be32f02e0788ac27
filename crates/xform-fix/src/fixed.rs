//! A repair from the first byte to the last.

use std::{collections::HashMap, path::Path};

use serde_json::Value;
use xform_compare::{GltfAsset, Grade, Scene, SceneAudit, compare, node_path};

use crate::{
    bake::{Baking, Stop},
    container::Container,
    document::Document,
    error::FixError,
    group::{drawn_apart, tops},
    json::{Edits, Members},
    placed::{Place, Placed},
    plan::{Baked, Source},
    proof::{Proof, prove},
    refusal::Refusal,
};

/// How to repair a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Repair only what a node belongs to: its index, its name or its path, such as `Arm/Hand`.
    pub only: Option<String>,
    /// Say in `asset.extras` of the file that it was repaired.
    pub stamp: bool,
    /// By how much to multiply how far vertices may move and directions turn.
    pub tolerance: f64,
}

impl Default for Options {
    /// Repair all of it, without a stamp, and let nothing move by more than 10⁻⁶ of the scene.
    fn default() -> Self {
        Self { only: None, stamp: false, tolerance: 1.0 }
    }
}

/// Where a repaired file is to be.
#[allow(missing_debug_implementations, reason = "a function")]
pub struct Output<'a> {
    /// The URI by which a `.gltf` file names its new data, which are a file beside it; a GLB has them inside. An error says why
    /// there is none.
    pub data_uri: &'a dyn Fn(&[u8]) -> Result<String, String>,
    /// The URI of an image or buffer in other files, as seen from the repaired file; an error says why there is none.
    pub relocate: &'a dyn Fn(&str) -> Result<String, String>,
}

/// What was repaired, and what was not.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fix {
    /// The repaired file; the same bytes where nothing was to be repaired.
    pub file: Vec<u8>,
    /// The new data beside a `.gltf` file; none where there are none.
    pub data: Option<Vec<u8>>,
    /// What belongs together, in the order of the file.
    pub groups: Vec<Group>,
    /// That nothing moved; `None` where nothing was repaired.
    pub proof: Option<Proof>,
    /// What still differs.
    pub remaining: Remaining,
}

/// A node with an uneven scale and all below it, which are repaired as a whole or not at all.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Group {
    /// The node with the uppermost uneven scale.
    pub top: usize,
    /// Its path.
    pub path: String,
    /// How many nodes it has with all below it.
    pub nodes: usize,
    /// Whether it was asked for.
    pub is_asked_for: bool,
    /// What stands in the way, each with the path of its node; none where it was repaired.
    pub refusals: Vec<(String, Refusal)>,
}

impl Group {
    /// Whether it was repaired.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        self.is_asked_for && self.refusals.is_empty()
    }
}

/// What differs in the repaired file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Remaining {
    /// The grade of what is drawn, before and after.
    pub grades: [Grade; 2],
    /// Of how many nodes what they draw differs, at rest or in motion, before and after.
    pub nodes: [usize; 2],
}

/// Repairs a glTF file: bakes every uneven scale that makes a difference into what is below it, where that is exact, and
/// proves that no vertex moved in engines that multiply matrices.
///
/// `bytes` are those of a `.gltf` or `.glb` file, `folder` is where its buffers are, and `source` what it is called. Nothing
/// is half repaired: a node with an uneven scale and all below it are done as a whole or left as they are.
///
/// # Errors
///
/// Bytes that are not glTF 2.0; `options.only` names no node with a difference; an image or buffer that cannot be named
/// from the output; [`FixError::NotProved`] where something would move.
pub fn fix(
    bytes: &[u8],
    folder: Option<&Path>,
    source: &str,
    output: &Output<'_>,
    options: &Options,
) -> Result<Fix, FixError> {
    let asset = GltfAsset::read(bytes, folder)?;
    let scene = asset.scene(source)?;
    let audit = compare(&scene)?;
    let document = Document::parse(asset.json())?;
    document.check()?;
    let source_file = Source::new(&document, &scene)?;
    let (mut groups, baked) = planned(&source_file, &audit, options)?;
    let container = Container::of(bytes);
    let edited = edited(&asset, &source_file, &container, output, &audit, &mut groups, &baked)?;
    let Some((mut edits, data)) = edited else {
        let json = relocated(Edits::of(asset.json()), &document, output)?;
        let file = match json {
            Some(json) => container.with(&json, &[])?,
            None => bytes.to_vec(),
        };
        let nodes = drawn_apart(&audit).len();
        let grades = [audit.summary.grade; 2];
        let remaining = Remaining { grades, nodes: [nodes; 2] };
        return Ok(Fix { file, data: None, groups, proof: None, remaining });
    };
    if options.stamp {
        stamp(&mut edits, &document)?;
    }
    let json = match relocated(edits, &document, output)? {
        Some(json) => json,
        None => asset.json().to_owned(),
    };
    let (inside, beside) = data.placed();
    let file = container.with(&json, inside)?;
    let mut buffers = asset.buffers().to_vec();
    data.add_to(&mut buffers);
    let fixed = GltfAsset::new(json, buffers);
    let fixed_scene = fixed.scene(source)?;
    let proof = prove(&asset, &fixed, [&scene, &fixed_scene])?;
    if !proof.holds(options.tolerance) {
        return Err(FixError::NotProved(Box::new(proof)));
    }
    let after = compare(&fixed_scene)?;
    let remaining = Remaining {
        grades: [audit.summary.grade, after.summary.grade],
        nodes: [drawn_apart(&audit).len(), drawn_apart(&after).len()],
    };
    let data = beside.map(<[u8]>::to_vec);
    Ok(Fix { file, data, groups, proof: Some(proof), remaining })
}

/// The groups of a file, and what baking does to each.
fn planned(
    source: &Source<'_>,
    audit: &SceneAudit,
    options: &Options,
) -> Result<(Vec<Group>, Vec<Vec<Baked>>), FixError> {
    let only = match &options.only {
        Some(only) => Some((named(source.scene, audit, only)?, only)),
        None => None,
    };
    let (mut groups, mut all) = (Vec::new(), Vec::new());
    for top in tops(source.scene, audit) {
        let baked = source.baked(top);
        let is_asked_for = only
            .as_ref()
            .is_none_or(|(nodes, _)| baked.iter().any(|one| nodes.contains(&one.node)));
        let refusals = if is_asked_for { source.refusals(&baked)? } else { Vec::new() };
        let refusals =
            refusals.into_iter().map(|refusal| (node_path(audit, refusal.node), refusal));
        groups.push(Group {
            top,
            path: node_path(audit, top),
            nodes: baked.len(),
            is_asked_for,
            refusals: refusals.collect(),
        });
        all.push(baked);
    }
    match only {
        Some((_, only)) if !groups.iter().any(|group| group.is_asked_for) => {
            Err(FixError::NothingThere(only.clone()))
        }
        _ => Ok((groups, all)),
    }
}

/// The nodes that a text names: by index, by name or by path.
fn named(scene: &Scene, audit: &SceneAudit, text: &str) -> Result<Vec<usize>, FixError> {
    let is_named = |&node: &usize| {
        scene.nodes[node].name.as_deref() == Some(text) || node_path(audit, node) == text
    };
    let mut nodes: Vec<_> = (0..scene.nodes.len()).filter(is_named).collect();
    if nodes.is_empty() {
        nodes.extend(text.parse::<usize>().ok().filter(|&node| node < scene.nodes.len()));
    }
    if nodes.is_empty() { Err(FixError::NoNode(text.to_owned())) } else { Ok(nodes) }
}

/// The edits that repair a file, and its new data; `None` where nothing can be repaired. Groups whose data cannot be read
/// are refused.
fn edited<'a>(
    asset: &'a GltfAsset,
    source: &Source<'a>,
    container: &Container<'_>,
    output: &Output<'_>,
    audit: &SceneAudit,
    groups: &mut [Group],
    baked: &[Vec<Baked>],
) -> Result<Option<(Edits<'a>, Placed)>, FixError> {
    loop {
        let fixed: Vec<_> = groups
            .iter()
            .zip(baked)
            .filter(|(group, _)| group.is_fixed())
            .map(|(_, baked)| baked.clone())
            .collect();
        if fixed.is_empty() {
            return Ok(None);
        }
        let Placed { data, place } = Placed::new(asset, source.document, container);
        let done = asset.accessors(|accessors| {
            let mut baking = Baking::new(source, accessors, asset.json(), data);
            baking.bake(&fixed).map(|()| (baking.edits, baking.data))
        })?;
        match done {
            Ok((mut edits, data)) => {
                let placed = Placed { data, place };
                let uri = match placed.place {
                    Place::Beside if !placed.data.bytes.is_empty() => {
                        (output.data_uri)(&placed.data.bytes).map_err(FixError::Elsewhere)?
                    }
                    _ => String::new(),
                };
                placed.name_in(&mut edits, source.document, &uri)?;
                return Ok((!edits.is_empty()).then_some((edits, placed)));
            }
            Err(Stop::Json(error)) => return Err(error.into()),
            Err(Stop::Refused(refusals)) => {
                let of_node: HashMap<_, _> =
                    refusals.into_iter().map(|refusal| (refusal.node, refusal)).collect();
                for (group, baked) in groups.iter_mut().zip(baked) {
                    for refusal in baked.iter().filter_map(|one| of_node.get(&one.node)) {
                        group.refusals.push((node_path(audit, refusal.node), refusal.clone()));
                    }
                }
            }
        }
    }
}

/// The JSON with the URIs of other files as they are seen from the output; `None` where nothing is edited.
fn relocated<'a>(
    mut edits: Edits<'a>,
    document: &Document<'a>,
    output: &Output<'_>,
) -> Result<Option<String>, FixError> {
    for part in document.buffers.iter().chain(&document.images) {
        let Some(uri) = part.is.uri.as_deref().filter(|uri| !uri.starts_with("data:")) else {
            continue;
        };
        let new = (output.relocate)(uri).map_err(FixError::Elsewhere)?;
        if new != uri {
            edits.set(part.raw, "uri", Value::from(new).to_string())?;
        }
    }
    Ok((!edits.is_empty()).then(|| edits.finish()))
}

/// Says in the file that it was repaired.
fn stamp<'a>(edits: &mut Edits<'a>, document: &Document<'a>) -> serde_json::Result<()> {
    let Some(asset) = document.members.get("asset") else { return Ok(()) };
    let stamp = Value::from(concat!("baked by xform ", env!("CARGO_PKG_VERSION"))).to_string();
    match Members::of(asset)?.get("extras") {
        Some(extras) if extras.get().starts_with('{') => edits.set(extras, "xform", stamp),
        Some(_) => Ok(()),
        None => edits.set(asset, "extras", format!(r#"{{"xform":{stamp}}}"#)),
    }
}
