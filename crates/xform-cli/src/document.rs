//! An audit as one document, which is written while scenes are still audited, as far as its format allows.

use std::{cell::Cell, io, iter};

use xform_compare::{write_csv, write_json, write_markdown, write_sarif, write_text};

use crate::{
    arguments::{Format, NodeChoice},
    files::Found,
    output,
    overwritten::Kept,
    scene_result::{Audited, Auditor, SceneResult},
    tally::{Tally, tallied},
};

/// Writes the document, unless all scenes are bad. What is wrong with a scene, and what it exceeds, has been said when
/// this ends.
pub(crate) fn write(
    auditor: Auditor<'_>,
    scenes: impl Iterator<Item = Result<Found, Kept>>,
    tally: &mut Tally,
) -> Result<(), Vec<String>> {
    let arguments = auditor.arguments;
    let progress = auditor.progress();
    let refused = Cell::new(None);
    let mut results = tallied(auditor, scenes, &progress, tally, |result, _| result).fuse();
    let mut audits = iter::from_fn(|| {
        loop {
            match results.next()? {
                Ok(SceneResult::Audited(audited)) => return Some(Ok(*audited)),
                Ok(SceneResult::Failed(problem)) => return Some(Err(problem)),
                Ok(SceneResult::Ignored { source, reason }) => {
                    progress.say(&[format!("{source}: ignored: {reason}")]);
                }
                Err(kept) => {
                    refused.set(Some(kept));
                    return None;
                }
            }
        }
    });
    // Nothing is written before there is something to write.
    let mut first = Vec::new();
    for audit in audits.by_ref() {
        let is_good = audit.is_ok();
        first.push(audit);
        if is_good {
            break;
        }
    }
    if !first.is_empty() && first.iter().all(Result::is_err) {
        return Err(refused.take().iter().map(Kept::to_string).collect());
    }
    let mut audits = first.into_iter().chain(audits);
    let nodes = arguments.nodes.unwrap_or(NodeChoice::All).into();
    let written = output::write(&arguments.output, |out| {
        let audits = audits.by_ref();
        match arguments.format {
            Format::Text => write_text(audits, output::style(&arguments.output), out),
            Format::Json => write_json(audits, nodes, out),
            Format::Csv => write_csv(audits, nodes, out),
            Format::Markdown => write_markdown(audits, out),
            Format::Sarif => {
                let found = |audited: Audited| (audited.audit.source, audited.findings);
                write_sarif(audits.map(|audit| audit.map(found)), out)
            }
            Format::Jsonl => unreachable!("written in rows"),
            #[cfg(feature = "parquet")]
            Format::Parquet => unreachable!("written in rows"),
        }?;
        refused.take().map_or(Ok(()), |kept| Err(io::Error::other(kept)))
    });
    written.map_err(|line| vec![line])?;
    // What a reader had seen enough to leave unread counts all the same.
    audits.for_each(drop);
    Ok(())
}
