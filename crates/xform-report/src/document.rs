use std::{
    io::{self, Read, Write},
    mem,
};

use serde::{Deserialize, Serialize};
use xform_compare::{Finding, SceneAudit, audit::Problem};

use super::{
    csv,
    found::{
        github::{self, Annotations, OfScene},
        gitlab, junit, sarif,
    },
    json, jsonl, markdown,
    scene_figures::SceneFigures,
    text::{self, SceneRow, Table},
};
use crate::{FindingsFormat, NodeList, NodeSelection, TextStyle, list};

/// A format of documents about any number of scenes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum DocumentFormat {
    /// The verdict and the worst nodes for people, as [`write_text`](crate::write_text) writes them.
    Text(TextStyle, NodeSelection),
    /// The stable format for programs, as [`write_json`](crate::write_json) writes it.
    Json(NodeSelection),
    /// One row per node, as [`write_csv`](crate::write_csv) writes them.
    Csv(NodeSelection),
    /// Tables for pull requests, as [`write_markdown`](crate::write_markdown) writes them.
    Markdown(NodeSelection),
    /// Findings, as [`write_findings`](crate::write_findings) writes them, with at most this many per rule and scene.
    Findings(FindingsFormat, usize),
    /// One line of JSON per scene, and one for each of these nodes.
    JsonLines(Option<NodeSelection>),
    /// The names of these nodes, one per line, below the name of their scene.
    List(NodeList),
}

/// The place in a [`Document`] of the text that a [`DocumentFormat`] writes about a scene. It can be sent to another
/// process with that text.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Part(Place);

#[derive(Clone, Debug, Deserialize, Serialize)]
enum Place {
    /// After the previous scenes.
    InOrder,
    /// In a table of all scenes, sorted by the worst.
    InTable(SceneRow),
    /// Among the annotations of all scenes, sorted by the worst.
    Annotated(OfScene),
}

impl DocumentFormat {
    /// Writes the part of a document about one scene: its audit, its findings, and the exceeded limits in words.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn write_audited(
        self,
        audit: &SceneAudit,
        findings: &[Finding],
        exceeded: &[String],
        out: &mut dyn Write,
    ) -> io::Result<Part> {
        match self {
            Self::Text(style, nodes) => {
                text::write_scene(audit, style, nodes, out)?;
                return Ok(Part(Place::InTable(SceneRow::new(audit))));
            }
            Self::Json(nodes) => json::write_scene(audit, nodes, out),
            Self::Csv(nodes) => csv::write_scene(audit, nodes, out),
            Self::Markdown(nodes) => markdown::write_scene(audit, nodes, out),
            Self::Findings(format, most) => {
                return write_found(format, most, &audit.source, Some(audit), findings, out);
            }
            Self::JsonLines(nodes) => jsonl::write_scene(audit, nodes, exceeded, out),
            Self::List(nodes) => list::write_scene(audit, nodes, out),
        }?;
        Ok(Part(Place::InOrder))
    }
}

/// Writes the findings in a scene. The audit, if available, tells how bad the scene is.
fn write_found(
    format: FindingsFormat,
    most: usize,
    source: &str,
    audit: Option<&SceneAudit>,
    findings: &[Finding],
    out: &mut dyn Write,
) -> io::Result<Part> {
    match format {
        FindingsFormat::Sarif => sarif::write_scene(source, findings, most, out),
        FindingsFormat::Junit => junit::write_scene(source, findings, most, out),
        FindingsFormat::Gitlab => gitlab::write_scene(source, findings, most, out),
        FindingsFormat::Github => {
            let figures = audit.map(SceneFigures::of);
            return Ok(Part(Place::Annotated(github::of_scene(source, figures, findings, most))));
        }
    }?;
    Ok(Part(Place::InOrder))
}

/// A document about any number of scenes. Only the parts that follow all scenes are kept in memory.
///
/// The part about a scene may be written in advance, on another thread or in another process, and is then added in the
/// order of the scenes.
#[derive(Debug)]
pub struct Document<W> {
    format: DocumentFormat,
    out: W,
    /// Whether its list has an item already.
    is_begun: bool,
    /// Scenes that could not be audited. Most formats list them after the others.
    problems: Vec<Problem>,
    table: Table,
    annotations: Annotations,
}

impl<W: Write> Document<W> {
    /// Begins a document.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn new(format: DocumentFormat, mut out: W) -> io::Result<Self> {
        match format {
            DocumentFormat::Text(..) | DocumentFormat::JsonLines(_) | DocumentFormat::List(_) => {
                Ok(())
            }
            DocumentFormat::Json(_) => json::begin(&mut out),
            DocumentFormat::Csv(_) => csv::begin(&mut out),
            DocumentFormat::Markdown(_) => markdown::begin(&mut out),
            DocumentFormat::Findings(format, _) => match format {
                FindingsFormat::Sarif => sarif::begin(&mut out),
                FindingsFormat::Junit => junit::begin(&mut out),
                FindingsFormat::Gitlab => gitlab::begin(&mut out),
                FindingsFormat::Github => Ok(()),
            },
        }?;
        let (table, annotations) = Default::default();
        Ok(Self { format, out, is_begun: false, problems: Vec::new(), table, annotations })
    }

    /// Adds the next scene, which was already written in the document's format.
    ///
    /// # Errors
    ///
    /// Those of the output, and of the reader.
    pub fn add(&mut self, part: Part, written: &mut dyn Read) -> io::Result<()> {
        match part.0 {
            Place::InOrder => {
                io::copy(written, &mut self.listed())?;
            }
            Place::InTable(row) => {
                let mut detail = Vec::new();
                if self.table.shows(&row) {
                    written.read_to_end(&mut detail)?;
                }
                self.table.push(row, detail);
            }
            Place::Annotated(of_scene) => self.annotations.add(of_scene),
        }
        Ok(())
    }

    /// Adds the next scene: its audit, its findings, and the exceeded limits in words.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn add_audited(
        &mut self,
        audit: &SceneAudit,
        findings: &[Finding],
        exceeded: &[String],
    ) -> io::Result<()> {
        let format = self.format;
        if let DocumentFormat::Text(..) = format {
            let mut detail = Vec::new();
            let part = format.write_audited(audit, findings, exceeded, &mut detail)?;
            return self.add(part, &mut &*detail);
        }
        let part = format.write_audited(audit, findings, exceeded, &mut self.listed())?;
        self.add(part, &mut io::empty())
    }

    /// Like [`add_audited`](Self::add_audited), for a format that contains only findings.
    pub(super) fn add_found(
        &mut self,
        format: FindingsFormat,
        most: usize,
        source: &str,
        findings: &[Finding],
    ) -> io::Result<()> {
        let part = write_found(format, most, source, None, findings, &mut self.listed())?;
        self.add(part, &mut io::empty())
    }

    /// Adds a scene that could not be audited.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn add_failed(&mut self, problem: Problem) -> io::Result<()> {
        if let DocumentFormat::JsonLines(_) = self.format {
            return jsonl::write_problem(&problem, &mut self.out);
        }
        self.problems.push(problem);
        Ok(())
    }

    /// Adds a scene that was ignored for a reason. Only JSON Lines and JUnit's XML mention it.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn add_ignored(&mut self, source: &str, reason: &str) -> io::Result<()> {
        match self.format {
            DocumentFormat::JsonLines(_) => jsonl::write_ignored(source, reason, &mut self.out),
            DocumentFormat::Findings(FindingsFormat::Junit, _) => {
                junit::write_ignored(source, reason, &mut self.out)
            }
            _ => Ok(()),
        }
    }

    /// Ends the document.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<()> {
        let problems = mem::take(&mut self.problems);
        if let DocumentFormat::Findings(FindingsFormat::Gitlab, _) = self.format {
            gitlab::write_problems(&problems, &mut self.listed())?;
        }
        let Self { format, mut out, is_begun, table, annotations, .. } = self;
        match format {
            DocumentFormat::Text(style, _) => table.write(&problems, style, &mut out),
            DocumentFormat::Json(_) => json::end(is_begun, &problems, &mut out),
            // A scene that could not be audited has no nodes.
            DocumentFormat::Csv(_) | DocumentFormat::JsonLines(_) | DocumentFormat::List(_) => {
                Ok(())
            }
            DocumentFormat::Markdown(_) => markdown::end(&problems, &mut out),
            DocumentFormat::Findings(format, _) => match format {
                FindingsFormat::Sarif => sarif::end(is_begun, &problems, &mut out),
                FindingsFormat::Junit => junit::end(&problems, &mut out),
                FindingsFormat::Gitlab => gitlab::end(is_begun, &mut out),
                FindingsFormat::Github => annotations.write(&problems, &mut out),
            },
        }?;
        out.flush()
    }

    /// Returns a writer for the next items of the list.
    fn listed(&mut self) -> Listed<'_, W> {
        let is_json = matches!(
            self.format,
            DocumentFormat::Json(_)
                | DocumentFormat::Findings(FindingsFormat::Sarif | FindingsFormat::Gitlab, _)
        );
        Listed { out: &mut self.out, has_comma: is_json, is_begun: &mut self.is_begun }
    }
}

/// A writer for the items of a list, each written with a leading comma. In JSON it drops the comma of the first item.
struct Listed<'a, W> {
    out: &'a mut W,
    has_comma: bool,
    is_begun: &'a mut bool,
}

impl<W: Write> Write for Listed<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_comma = self.has_comma && !*self.is_begun && !bytes.is_empty();
        *self.is_begun |= !bytes.is_empty();
        if is_comma {
            return Ok(1);
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_comma_alone_is_left_out_however_it_comes() {
        let mut out = Vec::new();
        let mut is_begun = false;
        for bytes in ["", ",", " 1", ",", "", " 2", ", 3"] {
            let mut listed = Listed { out: &mut out, has_comma: true, is_begun: &mut is_begun };
            listed.write_all(bytes.as_bytes()).unwrap();
        }
        assert_eq!(out, b" 1, 2, 3");
    }
}
