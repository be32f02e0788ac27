//! What was repaired, as text and as JSON.

use std::io::{self, Write};

use serde::Serialize;
use xform_compare::Grade;

use crate::{
    fixed::{Fix, Group},
    proof::Proof,
    refusal::{Refusal, Why},
};

/// A repair as `xform-fix/1`.
#[derive(Serialize)]
struct FixJson<'a> {
    schema: &'static str,
    input: &'a str,
    output: Option<&'a str>,
    groups: Vec<GroupJson<'a>>,
    proof: Option<ProofJson<'a>>,
    remaining: RemainingJson,
}

#[derive(Serialize)]
struct GroupJson<'a> {
    top: usize,
    path: &'a str,
    nodes: usize,
    state: &'static str,
    refusals: Vec<RefusalJson<'a>>,
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

/// Writes what was repaired as one JSON object on one line, `xform-fix/1`. `output` is the file that it went to, if any.
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
    });
    let proof = fix.proof.as_ref();
    let proof = proof
        .map(|proof| ProofJson { proof, largest_move_of_scene: proof.largest_move_of_scene() });
    let [grade_before, grade] = fix.remaining.grades;
    let [nodes_before, nodes] = fix.remaining.nodes;
    let remaining = RemainingJson { grade_before, grade, nodes_before, nodes };
    let groups = groups.collect();
    let json = FixJson { schema: "xform-fix/1", input, output, groups, proof, remaining };
    serde_json::to_writer(&mut *out, &json)?;
    writeln!(out)
}

/// Writes what was repaired for people. `output` is the file that it went to, if any: else it is told what would be done.
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
        writeln!(
            out,
            "  Nothing to repair: of what is drawn nothing differs because of an uneven scale."
        )?;
    }
    for group in &fix.groups {
        let whole = match group.nodes - 1 {
            0 => format!("\"{}\"", group.path),
            1 => format!("\"{}\" and the node below it", group.path),
            more => format!("\"{}\" and the {more} nodes below it", group.path),
        };
        match (group.is_asked_for, group.refusals.is_empty(), output) {
            (false, ..) => writeln!(out, "  Left as it is, since it was not asked for: {whole}.")?,
            (true, true, Some(_)) => {
                writeln!(out, "  Repaired: {whole}. The scales are in the vertices now.")?;
            }
            (true, true, None) => {
                writeln!(out, "  Can be repaired: {whole}. The scales go into the vertices.")?;
            }
            (true, false, _) => {
                writeln!(out, "  Not repaired: {whole}.")?;
                write_refusals(&group.refusals, out)?;
            }
        }
    }
    if let Some(proof) = &fix.proof {
        let (moved, turned) = (proof.largest_move_of_scene(), proof.largest_turn_degrees);
        let what = match moved == 0.0 && turned == 0.0 {
            true => "nothing moves or turns at all".to_owned(),
            false => format!(
                "nothing moves by more than {moved:.1e} of the scene, or turns by more than {turned:.1e}°"
            ),
        };
        writeln!(
            out,
            "  Proved on {} vertices and {} normals and tangents: in engines that multiply matrices {what}.",
            proof.positions, proof.directions
        )?;
    }
    let [before, after] = fix.remaining.nodes;
    let [grade_before, grade] = fix.remaining.grades;
    if fix.proof.is_some() {
        let left = if after == 0 { "none".to_owned() } else { after.to_string() };
        writeln!(
            out,
            "  Drawn nodes that differ between engines: {before} before, {left} after ({} before, {} after).",
            grade_before.name(),
            grade.name()
        )?;
    } else if before > 0 {
        writeln!(out, "  Drawn nodes that differ between engines: {before} ({}).", grade.name())?;
    }
    if let Some(output) = output {
        writeln!(out, "  Written to {output}.")?;
    }
    Ok(())
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
            1 => "; the same at 1 more node".to_owned(),
            more => format!("; the same at {more} more nodes"),
        };
        writeln!(out, "    \"{path}\": {why}{also}.")?;
    }
    Ok(())
}
