//! Writes the result of a repair as text and as JSON.

use std::io::{self, Write};

use serde::Serialize;
use xform_compare::{Grade, judge::names};
use xform_scene::Warning;

use crate::{
    compact::Compacted,
    plan::Group,
    proof::Proof,
    refusal::{Refusal, Why},
    repair::Fix,
    repair_kind::RepairKind,
};

/// A repair as `xform-fix/1`.
#[derive(Serialize)]
struct FixJson<'a> {
    schema: &'static str,
    repair: &'static str,
    input: &'a str,
    output: Option<&'a str>,
    groups: Vec<GroupJson<'a>>,
    proof: Option<ProofJson<'a>>,
    remaining: RemainingJson,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<&'static str>,
    compacted: Option<Compacted>,
    not_compacted: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    not_judged: &'a [Warning],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    unknown_extensions: &'a [String],
}

#[derive(Serialize)]
struct GroupJson<'a> {
    top: usize,
    path: &'a str,
    nodes: usize,
    state: &'static str,
    refusals: Vec<RefusalJson<'a>>,
    change: Option<ProofJson<'a>>,
    displacement_percent_before: f64,
    displacement_percent: f64,
}

#[derive(Serialize)]
struct RefusalJson<'a> {
    node: usize,
    path: &'a str,
    code: &'static str,
    why: String,
}

#[derive(Serialize)]
struct ProofJson<'a> {
    #[serde(flatten)]
    proof: &'a Proof,
    largest_move_of_scene: f64,
}

impl<'a> ProofJson<'a> {
    fn of(proof: &'a Proof) -> Self {
        Self { proof, largest_move_of_scene: proof.largest_move_of_scene() }
    }
}

#[derive(Serialize)]
struct RemainingJson {
    grade_before: Grade,
    grade: Grade,
    nodes_before: usize,
    nodes: usize,
}

impl Group {
    fn state(&self) -> &'static str {
        match (self.is_asked_for, self.refusals.is_empty()) {
            (false, _) => "left",
            (true, true) => "fixed",
            (true, false) => "refused",
        }
    }
}

/// Writes the result of a repair as one JSON object on one line, `xform-fix/1`. `output` is the file that was written,
/// if any.
///
/// # Errors
///
/// Those of `out`.
pub fn write_fix_json(
    fix: &Fix,
    input: &str,
    output: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let groups = fix.groups.iter().map(|group| GroupJson {
        top: group.top,
        path: &group.path,
        nodes: group.nodes,
        state: group.state(),
        refusals: group
            .refusals
            .iter()
            .map(|(path, refusal)| RefusalJson {
                node: refusal.node,
                path,
                code: refusal.why.code(),
                why: refusal.to_string(),
            })
            .collect(),
        change: group.change.as_ref().map(ProofJson::of),
        displacement_percent_before: group.displacement_percent[0],
        displacement_percent: group.displacement_percent[1],
    });
    let proof = fix.proof.as_ref().map(ProofJson::of);
    let [grade_before, grade] = fix.remaining.grades;
    let [nodes_before, nodes] = fix.remaining.nodes;
    let remaining = RemainingJson { grade_before, grade, nodes_before, nodes };
    let (schema, repair, groups) = ("xform-fix/1", fix.repair.name(), groups.collect());
    let (compacted, not_compacted) = (fix.compacted, fix.not_compacted.as_deref());
    let json = FixJson {
        schema,
        repair,
        input,
        output,
        groups,
        proof,
        remaining,
        unknown: fix.unknown.iter().map(|engine| engine.id).collect(),
        compacted,
        not_compacted,
        not_judged: &fix.not_judged,
        unknown_extensions: &fix.unknown_extensions,
    };
    serde_json::to_writer(&mut *out, &json)?;
    writeln!(out)
}

/// Writes the result of a repair for people. `output` is the file that was written. Without it, the text describes what
/// would be done.
///
/// # Errors
///
/// Those of `out`.
pub fn write_fix_text(
    fix: &Fix,
    input: &str,
    output: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{input}")?;
    if fix.groups.is_empty() {
        let nothing = match fix.repair {
            RepairKind::Helper | RepairKind::Nearest => "no node has a sheared matrix of its own",
            _ if fix.unknown.is_empty() => {
                "nothing drawn differs in these engines because of a non-uniform scale"
            }
            _ => "nothing drawn is known to differ in these engines because of a non-uniform scale",
        };
        writeln!(out, "  Nothing to repair: {nothing}.")?;
    }
    let (asked_for, others): (Vec<_>, Vec<_>) =
        fix.groups.iter().partition(|group| group.is_asked_for);
    for group in asked_for {
        if group.refusals.is_empty() {
            write_done(fix, group, output.is_some(), out)?;
        } else {
            writeln!(out, "  Not repaired: {}.", whole(group))?;
            write_refusals(&group.refusals, out)?;
            if group.refusals.iter().any(|(_, refusal)| refusal.why.is_motion()) {
                writeln!(
                    out,
                    "    `--repair uniform --dry-run` shows how much a uniform scale would change the shape instead."
                )?;
            }
        }
    }
    match others[..] {
        [] => {}
        [one] => writeln!(out, "  Not requested, so left as it is: {}.", whole(one))?,
        [first, ref more @ ..] => writeln!(
            out,
            "  Not requested, so left as they are: \"{}\" and {} more.",
            first.path,
            more.len()
        )?,
    }
    if let Some(proof) = fix
        .proof
        .as_ref()
        .filter(|_| fix.groups.iter().any(Group::is_fixed) || fix.compacted.is_some())
    {
        writeln!(out, "  {}", proved(fix, proof))?;
    }
    let [before, after] = fix.remaining.nodes;
    let [grade_before, grade] = fix.remaining.grades;
    let where_ = where_(fix);
    if fix.proof.is_some() {
        let left = if after == 0 { "none".to_owned() } else { after.to_string() };
        writeln!(
            out,
            "  Drawn nodes that differ{where_}: {before} before, {left} after ({} before, {} after).",
            grade_before.name(),
            grade.name()
        )?;
    } else if before > 0 {
        writeln!(out, "  Drawn nodes that differ{where_}: {before} ({}).", grade.name())?;
    }
    match &fix.unknown[..] {
        [] => {}
        [one] => writeln!(out, "  xform does not know what {} shows.", one.name)?,
        all => writeln!(out, "  xform does not know what {} show.", names(all))?,
    }
    for warning in &fix.not_judged {
        writeln!(out, "  Not judged: {}: {}.", warning.pointer, warning.message)?;
    }
    if let [first, more @ ..] = &fix.unknown_extensions[..] {
        let names = more.iter().fold(first.clone(), |names, name| format!("{names}, {name}"));
        writeln!(
            out,
            "  Unknown extensions were left as they are, although they may refer to repaired parts: {names}."
        )?;
    }
    match (&fix.compacted, &fix.not_compacted) {
        (Some(Compacted { accessors: 0, views: 0, bytes: 0 }), _) => {
            writeln!(out, "  There are no unused data.")?;
        }
        (Some(Compacted { accessors, views, bytes }), _) => {
            let accessors = counted(*accessors, "accessor");
            let (views, bytes) = (counted(*views, "buffer view"), counted(*bytes, "byte"));
            writeln!(out, "  Removed as unused: {accessors}, {views}, {bytes}.")?;
        }
        (None, Some(why)) => writeln!(out, "  Unused data were not removed: {why}.")?,
        (None, None) => {}
    }
    let is_changed = fix.groups.iter().any(Group::is_fixed)
        || fix.compacted.is_some_and(|removed| !removed.is_nothing());
    match output {
        Some(output) if is_changed => writeln!(out, "  Written to {output}."),
        // References to other files may still be rewritten for the new place.
        Some(output) => writeln!(out, "  Copied to {output} without a repair."),
        None => Ok(()),
    }
}

/// Names the nodes of a group, as a clause.
fn whole(group: &Group) -> String {
    match group.nodes - 1 {
        0 => format!("\"{}\"", group.path),
        1 => format!("\"{}\" and the node below it", group.path),
        more => format!("\"{}\" and the {more} nodes below it", group.path),
    }
}

/// Writes what was done or can be done with a group. Groups with the same figures share one text, at the first of them.
fn write_done(fix: &Fix, group: &Group, is_done: bool, out: &mut dyn Write) -> io::Result<()> {
    let Some(change) = &group.change else {
        return writeln!(out, "  {}", exactly(fix.repair, group, is_done));
    };
    let is_alike = |other: &&Group| {
        other.change == group.change && other.displacement_percent == group.displacement_percent
    };
    let alike: Vec<_> = fix.groups.iter().filter(is_alike).collect();
    if alike[0] != group {
        return Ok(());
    }
    let what = match (fix.repair, alike.len(), is_done) {
        (RepairKind::Nearest, 1, true) => {
            "Converted to translation, rotation and scale: the sheared matrix"
        }
        (RepairKind::Nearest, _, true) => {
            "Converted to translation, rotation and scale: the sheared matrices"
        }
        (RepairKind::Nearest, 1, false) => {
            "Can be converted to translation, rotation and scale: the sheared matrix"
        }
        (RepairKind::Nearest, _, false) => {
            "Can be converted to translation, rotation and scale: the sheared matrices"
        }
        (_, 1, true) => "Made uniform: the scale",
        (_, _, true) => "Made uniform: the scales",
        (_, 1, false) => "Can be made uniform: the scale",
        (_, _, false) => "Can be made uniform: the scales",
    };
    let mut whose: Vec<_> =
        alike.iter().take(NAMED).map(|group| format!("\"{}\"", group.path)).collect();
    if alike.len() > NAMED {
        whose.push(format!("{} more", alike.len() - NAMED));
    }
    let last = whose.pop().unwrap_or_default();
    let whose = if whose.is_empty() { last } else { format!("{} and {last}", whose.join(", ")) };
    let [before, after] = group.displacement_percent.map(percent);
    let moves = if is_done { "moved" } else { "would move" };
    let moved = match percent(change.largest_move_of_scene() * 100.0) {
        nothing if nothing == NOTHING => format!("no vertex {moves}"),
        moved => format!("vertices {moves} by up to {moved} of the scene"),
    };
    writeln!(out, "  {what} of {whose}.")?;
    writeln!(
        out,
        "    In engines that multiply matrices {moved}. The difference{} is {before} before, {after} after.",
        where_(fix)
    )
}

/// Names the engines in which something differs, as a clause.
fn where_(fix: &Fix) -> String {
    match &fix.engines[..] {
        [] => String::new(),
        engines => format!(" in {}", names(engines)),
    }
}

/// The number of groups that are listed by name.
const NAMED: usize = 3;

/// Describes an exact repair of a group, done or possible.
fn exactly(kind: RepairKind, group: &Group, is_done: bool) -> String {
    let (whole, path) = (whole(group), &group.path);
    match (kind, is_done) {
        (RepairKind::Helper, true) => format!(
            "Repaired: the sheared matrix of \"{path}\" is now split between it and a new node. Engines that combine TRS \
             show something else."
        ),
        (RepairKind::Helper, false) => format!(
            "Can be repaired: the sheared matrix of \"{path}\" can be split between it and a new node. Engines that combine \
             TRS show something else."
        ),
        (RepairKind::Leaf, true) => format!(
            "Repaired: {whole}. The scales are now on new nodes without children, or in the vertices."
        ),
        (RepairKind::Leaf, false) => format!(
            "Can be repaired: {whole}. The scales move to new nodes without children, or into the vertices."
        ),
        (_, true) => format!("Repaired: {whole}. The scales are now in the vertices."),
        (_, false) => format!("Can be repaired: {whole}. The scales move into the vertices."),
    }
}

/// Summarises the proof.
fn proved(fix: &Fix, proof: &Proof) -> String {
    let changes = fix.groups.iter().filter_map(|group| group.change.as_ref());
    if !fix.repair.is_exact() && fix.groups.iter().any(Group::is_fixed) {
        // Each group is measured on its whole subtree, and subtrees may overlap.
        let (positions, directions) = changes.fold((0, 0), |(positions, directions), change| {
            (positions.max(change.positions), directions.max(change.directions))
        });
        return format!(
            "Measured on {positions} vertex positions and {directions} normals and tangents: at rest and at every keyframe, without \
             morph targets and with each fully applied. No other vertex moves."
        );
    }
    let (moved, turned) = (proof.largest_move_of_scene(), proof.largest_turn_degrees);
    let what = match (moved > 0.0, turned > 0.0) {
        (false, false) => "nothing moves or turns".to_owned(),
        (true, false) => {
            format!("nothing moves by more than {moved:.1e} of the scene, and nothing turns")
        }
        (false, true) => format!("nothing moves, and nothing turns by more than {turned:.1e}°"),
        (true, true) => format!(
            "nothing moves by more than {moved:.1e} of the scene, or turns by more than {turned:.1e}°"
        ),
    };
    format!(
        "Proved on {} vertices and {} normals and tangents: in engines that multiply matrices {what}.",
        proof.positions, proof.directions
    )
}

/// The text for a percentage that is only rounding.
const NOTHING: &str = "nothing";

/// Returns a number with its noun, in the plural unless it is 1.
fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Formats a percentage with three digits.
fn percent(percent: f64) -> String {
    match percent {
        _ if percent < 1e-9 => NOTHING.to_owned(),
        _ if percent < 0.01 => format!("{percent:.1e} %"),
        _ if percent < 1.0 => format!("{percent:.3} %"),
        _ => format!("{percent:.2} %"),
    }
}

/// Writes each reason once, at the first node that has it.
fn write_refusals(refusals: &[(String, Refusal)], out: &mut dyn Write) -> io::Result<()> {
    let mut told: Vec<&Why> = Vec::new();
    for (path, Refusal { why, .. }) in refusals {
        if told.contains(&why) {
            continue;
        }
        told.push(why);
        let more = refusals.iter().filter(|(_, other)| other.why == *why).count() - 1;
        let also = match more {
            0 => String::new(),
            more => format!("; the same at {}", counted(more, "more node")),
        };
        writeln!(out, "    \"{path}\": {why}{also}.")?;
    }
    Ok(())
}
