//! Verifications of importers, as JSON, text and Markdown.

use std::io::{self, Write};

use xform_scene::text::without_controls;
use xform_verify::{Verdict, Verification, VerifiedScene, engine_names, residual};

use crate::{
    TextStyle,
    markdown::{escaped, sentences},
    text::{BOLD, GREEN, RED, YELLOW},
};

/// Writes a verification as one JSON object, `xform-verify/1`.
///
/// # Errors
///
/// Those of the output.
pub fn write_verification_json(found: &Verification, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, found)?;
    writeln!(out)
}

/// Writes a verification as text, with the answer first for each run.
///
/// # Errors
///
/// Those of the output.
pub fn write_verification_text(
    found: &Verification,
    style: TextStyle,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (place, run) in found.runs.iter().enumerate() {
        if place > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", style.painted(&without_controls(&run.title()), BOLD))?;
        let colour = match run.verdict {
            Verdict::Follows => GREEN,
            Verdict::PartlyKnown | Verdict::OtherAxes | Verdict::Nearly => YELLOW,
            _ => RED,
        };
        for line in style.wrapped(&without_controls(&run.headline), "  ", "  ") {
            writeln!(out, "{}", style.painted(&line, colour))?;
        }
        for detail in &run.details {
            for line in style.wrapped(&without_controls(detail), "  ", "  ") {
                writeln!(out, "{line}")?;
            }
        }
        let width = run.scenes.iter().map(|scene| scene.scene.len()).max().unwrap_or(0).max(5);
        if !run.scenes.is_empty() {
            writeln!(out, "\n  {:width$}  {:>11}  {:>8}", "scene", "right", "residual")?;
        }
        for scene in &run.scenes {
            let Row { right, residual, note } = Row::new(scene);
            let name = without_controls(&scene.scene);
            let mark = if scene.right < scene.known { '!' } else { ' ' };
            let line = format!("{mark} {name:width$}  {right:>11}  {residual:>8}  {note}");
            writeln!(out, "{}", line.trim_end())?;
        }
    }
    if found.runs.len() > 1 {
        writeln!(out, "\n{}", found.headline())?;
    }
    Ok(())
}

/// Writes a verification as Markdown, with a table of scenes for each run.
///
/// # Errors
///
/// Those of the output.
pub fn write_verification_markdown(found: &Verification, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# Which rule do the answers follow?")?;
    if found.runs.len() > 1 {
        writeln!(out, "\n{}", escaped(&found.headline()))?;
    }
    for run in &found.runs {
        writeln!(out, "\n## {}\n\n**{}**", escaped(&run.title()), escaped(&run.headline))?;
        for detail in &run.details {
            writeln!(out, "\n{}", sentences(detail))?;
        }
        if run.scenes.is_empty() {
            continue;
        }
        writeln!(out, "\n| scene | right | residual | |\n|---|---:|---:|---|")?;
        for scene in &run.scenes {
            let Row { right, residual, note } = Row::new(scene);
            let (name, note) = (escaped(&scene.scene), escaped(&note));
            writeln!(out, "| {name} | {right} | {residual} | {note} |")?;
        }
    }
    Ok(())
}

/// The row of a scene.
pub(crate) struct Row {
    /// The number of right answers out of those with a prediction.
    pub(crate) right: String,
    /// The worst residual, or empty.
    pub(crate) residual: String,
    /// Further notes.
    pub(crate) note: String,
}

impl Row {
    pub(crate) fn new(scene: &VerifiedScene) -> Self {
        let VerifiedScene { known, right, unknown, follows, not_answered, .. } = scene;
        if *known == 0 {
            let note = match (unknown, not_answered) {
                (0, _) => "no answer".to_owned(),
                (unknown, _) => format!("{unknown} unknown"),
            };
            return Self { right: "–".to_owned(), residual: String::new(), note };
        }
        let mut notes = Vec::new();
        if right < known && !follows.is_empty() {
            notes.push(format!("matches {}", engine_names(follows, 2)));
        }
        if *unknown > 0 {
            notes.push(format!("{unknown} unknown"));
        }
        Self {
            right: format!("{right} of {known}"),
            residual: residual(scene.residual),
            note: notes.join("; "),
        }
    }
}
