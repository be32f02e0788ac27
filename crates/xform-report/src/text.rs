use std::{
    borrow::Cow,
    io::{self, Write},
    iter,
};

use serde::{Deserialize, Serialize};
use textwrap::{Options, wrap};
use xform_compare::{
    Grade, NodeAudit, SceneAudit,
    audit::{GradeCounts, Problem, Role, SKEWED_DEGREES, node_path},
    judge::{
        CauseGroup, ColliderText, UndrawnFigures, also_in, colliders_cause, colliders_line,
        colliders_note, explain_at_worst, fix_command, footnotes, is_unknown, names, trial_command,
        undrawn, undrawn_line, verdict,
    },
};
use xform_scene::{
    fbx::FbxSettings,
    text::{significant, units, without_controls},
};

use super::{
    scene_figures::{ColliderFigures, SceneFigures},
    warning_counts::WarningCount,
};
use crate::NodeSelection;

/// The number of nodes listed per scene.
const LISTED: usize = 20;

/// Whether text has terminal colours.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[non_exhaustive]
pub enum Colour {
    /// ANSI escape sequences for important lines.
    Ansi,
    /// Plain text.
    None,
}

/// The style of text: by default without colours, and each paragraph on one line.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct TextStyle {
    /// Whether it has terminal colours.
    pub colour: Colour,
    /// The number of columns at which lines are wrapped. `None` for lines of any length, in which a program finds every
    /// name whole.
    pub width: Option<usize>,
}

impl Default for TextStyle {
    fn default() -> Self {
        Self { colour: Colour::None, width: None }
    }
}

impl TextStyle {
    pub(super) fn painted(self, line: &str, code: &str) -> String {
        match self.colour {
            Colour::Ansi => format!("\u{1b}[{code}m{line}\u{1b}[0m"),
            Colour::None => line.to_owned(),
        }
    }

    /// Wraps a paragraph into lines, with different indents for the first line and the others.
    pub(super) fn wrapped(self, text: &str, first: &str, rest: &str) -> Vec<String> {
        let options = Options::new(self.width.unwrap_or(usize::MAX));
        let options = options.initial_indent(first).subsequent_indent(rest);
        let lines = if text.is_empty() { Vec::new() } else { wrap(text, options) };
        lines.into_iter().map(Cow::into_owned).collect()
    }
}

pub(super) const BOLD: &str = "1";
pub(super) const GREEN: &str = "32";
pub(super) const YELLOW: &str = "33";
pub(super) const RED: &str = "31";

/// Returns the colour of a grade.
fn of_grade(grade: Grade) -> &'static str {
    match grade {
        Grade::Identical | Grade::Negligible => GREEN,
        Grade::Visible => YELLOW,
        Grade::Severe => RED,
    }
}

/// The row of a scene in a table of many.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct SceneRow {
    figures: SceneFigures,
    is_unknown: bool,
    name: String,
}

impl SceneRow {
    pub(super) fn new(scene: &SceneAudit) -> Self {
        let figures = SceneFigures::of(scene);
        let is_unknown = is_unknown(scene);
        let unknown = if is_unknown { "  (not fully judged)" } else { "" };
        let colliders = figures.colliders.filter(|_| figures.has_colliders_apart());
        let colliders = colliders.map_or_else(String::new, |colliders| {
            let ColliderFigures { grade, seen, all } = colliders;
            format!("  (colliders: {}, {seen} of {all})", grade.name())
        });
        Self { figures, is_unknown, name: format!("{}{unknown}{colliders}", scene.source) }
    }

    fn is_seen(&self) -> bool {
        self.figures.is_seen()
    }
}

/// All scenes, each with its details below the table, if they may be needed.
#[derive(Debug, Default)]
pub(super) struct Table(Vec<(SceneRow, Vec<u8>)>);

impl Table {
    /// Whether the details of the next scene may be needed: its difference is visible, or it may remain the only scene.
    pub(super) fn shows(&self, row: &SceneRow) -> bool {
        self.0.is_empty() || row.is_seen()
    }

    pub(super) fn push(&mut self, row: SceneRow, detail: Vec<u8>) {
        self.0.push((row, detail));
    }

    /// Writes the scenes, and those that could not be audited.
    pub(super) fn write(
        &self,
        problems: &[Problem],
        style: TextStyle,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if let ([(_, detail)], []) = (&self.0[..], problems) {
            return out.write_all(detail);
        }
        let mut rows: Vec<_> = self.0.iter().collect();
        rows.sort_by(|(a, _), (b, _)| a.figures.worst_first(&b.figures));
        write_table(&rows, problems, style, out)?;
        let seen = rows.iter().filter(|(row, _)| row.is_seen());
        seen.map(|(_, detail)| detail).try_for_each(|detail| {
            writeln!(out)?;
            out.write_all(detail)
        })
    }
}

/// Writes one line per scene.
fn write_table(
    rows: &[&(SceneRow, Vec<u8>)],
    problems: &[Problem],
    style: TextStyle,
    out: &mut dyn Write,
) -> io::Result<()> {
    let counts: GradeCounts = rows.iter().map(|(row, _)| row.figures.grade).collect();
    let failed = match problems.len() {
        0 => String::new(),
        count => format!("; {count} not audited"),
    };
    let apart = rows.iter().filter(|(row, _)| row.figures.has_colliders_apart()).count();
    let colliders = match apart {
        0 => String::new(),
        apart => format!("; colliders differ in {apart}"),
    };
    let unknown = match rows.iter().filter(|(row, _)| row.is_unknown).count() {
        0 => String::new(),
        count => format!("; {count} of these not fully judged"),
    };
    let all = rows.len() + problems.len();
    let scenes = if all == 1 { "scene" } else { "scenes" };
    let total = format!("{all} {scenes}: {counts}{unknown}{colliders}{failed}");
    write_lines(&style.wrapped(&total, "", "  "), out)?;
    writeln!(out)?;
    let mut line = |grade: &str, colour: &str, percent: &str, skew: &str, scene: &str| {
        let grade = style.painted(&format!("{grade:<11}"), colour);
        writeln!(out, "{grade}  {percent:>10}  {skew:>10}  {}", without_controls(scene))
    };
    line("grade", BOLD, "% of scene", "skew °", "scene")?;
    for (SceneRow { figures, name, .. }, _) in rows {
        let (grade, [percent, skew]) = (figures.grade, figures.cells());
        line(grade.name(), of_grade(grade), &percent, &skew, name)?;
    }
    problems.iter().try_for_each(|problem| {
        let grades = iter::once("not audited").chain(iter::repeat(""));
        grades.zip(problem.lines()).try_for_each(|(grade, error)| line(grade, RED, "", "", &error))
    })
}

/// Writes the verdict on a scene, its worst nodes with their causes, and the kinds of its warnings.
pub(super) fn write_scene(
    scene: &SceneAudit,
    style: TextStyle,
    nodes: NodeSelection,
    out: &mut dyn Write,
) -> io::Result<()> {
    let summary = &scene.summary;
    let mut apart = scene.apart_at_rest();
    apart.retain(|node| nodes.lists_at_rest(node));
    writeln!(out, "{}", style.painted(&without_controls(&scene.source), BOLD))?;
    let judged = of_grade(summary.grade);
    for line in style.wrapped(&verdict(scene), "  ", "  ") {
        writeln!(out, "{}", style.painted(&line, judged))?;
    }
    if let Some(line) = colliders_line(scene) {
        // The second answer if physics engines were requested, otherwise a hint.
        let physics = &scene.physics;
        let colour = if physics.is_asked { of_grade(physics.grade()) } else { BOLD };
        for line in style.wrapped(&without_controls(&line), "  ", "  ") {
            writeln!(out, "{}", style.painted(&line, colour))?;
        }
    }
    if let Some(cause) = colliders_cause(scene) {
        write_lines(&style.wrapped(&without_controls(&cause), "  ", "  "), out)?;
    }
    for note in footnotes(scene).into_iter().chain(colliders_note(scene)) {
        write_lines(&style.wrapped(&note, "  ", "  "), out)?;
    }
    let diagonal = significant(summary.diagonal, 4);
    let (count, depth) = (summary.nodes, summary.max_depth);
    let of = if count == 1 { "node" } else { "nodes" };
    let settings = scene.fbx.map_or_else(String::new, |FbxSettings { unit_metres, up, .. }| {
        format!(
            " m; a unit here is 1 m, the file's unit is {} m, and {up} is up",
            significant(unit_metres, 4)
        )
    });
    writeln!(out, "  {count} {of}, depth {depth}, diagonal {diagonal}{settings}")?;
    let groups = CauseGroup::all(apart.iter().copied());
    for (position, node) in apart.iter().take(LISTED).enumerate() {
        writeln!(out)?;
        let path = node_path(scene, node.index);
        for line in
            style.wrapped(&format!("{}. {path} [{}]", position + 1, node.index), "  ", "     ")
        {
            writeln!(out, "{}", style.painted(&line, BOLD))?;
        }
        // An explanation that is true of several nodes is written once.
        let group = groups.iter().find(|group| group.nodes.contains(&node.index));
        let first = group.map_or(node.index, |group| group.nodes[0]);
        let because = match apart.iter().position(|other| other.index == first) {
            Some(first) if first < position => format!("Same cause as {}.", first + 1),
            _ => group.and_then(|group| group.explain(scene)).unwrap_or_default(),
        };
        write_node(scene, node, &because, style, out)?;
    }
    if let Some(rest) = apart.len().checked_sub(LISTED).filter(|&rest| rest > 0) {
        let nodes = if rest == 1 { "node" } else { "nodes" };
        writeln!(out, "\n  … and {rest} more {nodes}; --format json has them all")?;
    }
    write_motion(scene, style, nodes, out)?;
    write_undrawn(scene, style, nodes, out)?;
    if let Some(more) = nodes.unseen(scene) {
        writeln!(out, "\n  {more}; --nodes differing lists them")?;
    }
    write_colliders(scene, style, out)?;
    let exact = fix_command(scene, &scene.source)
        .map(|command| format!("To repair what can be repaired exactly: {command}"));
    let trial = || {
        let command = trial_command(scene, &scene.source)?;
        Some(format!(
            "An exact repair is not possible. To see how much uniform scales would change the shape: {command}"
        ))
    };
    if let Some(line) = exact.or_else(trial) {
        writeln!(out)?;
        write_lines(&style.wrapped(&without_controls(&line), "  ", "  "), out)?;
    }
    for (position, kind) in WarningCount::of(&scene.warnings).into_iter().enumerate() {
        if position == 0 {
            writeln!(out)?;
        }
        let place = match kind.place(scene) {
            place if place.is_empty() => place,
            place => format!("{place}: "),
        };
        let line = format!("warning: {place}{} ({})", kind.first.message, kind.label());
        write_lines(&style.wrapped(&without_controls(&line), "  ", "    "), out)?;
    }
    Ok(())
}

/// Writes the colliders with something to report.
fn write_colliders(scene: &SceneAudit, style: TextStyle, out: &mut dyn Write) -> io::Result<()> {
    let told = if scene.physics.is_asked { ColliderText::all(scene) } else { Vec::new() };
    if !told.is_empty() {
        writeln!(out, "\n  {}", style.painted("Colliders", BOLD))?;
    }
    for (position, ColliderText { collider, title, grade, lines, .. }) in
        told.iter().take(LISTED).enumerate()
    {
        writeln!(out)?;
        let (path, node) = (node_path(scene, collider.node), collider.node);
        let title = format!("{}. {path} [{node}], {title}: {grade}", position + 1);
        for line in style.wrapped(&without_controls(&title), "  ", "     ") {
            writeln!(out, "{}", style.painted(&line, BOLD))?;
        }
        for line in lines {
            write_lines(&style.wrapped(&without_controls(line), "     ", "     "), out)?;
        }
    }
    if let Some(rest) = told.len().checked_sub(LISTED).filter(|&rest| rest > 0) {
        writeln!(out, "\n  … and more colliders ({rest}); --format json has them all")?;
    }
    Ok(())
}

fn write_node(
    scene: &SceneAudit,
    node: &NodeAudit,
    because: &str,
    style: TextStyle,
    out: &mut dyn Write,
) -> io::Result<()> {
    let of_itself = node.displacement_percent_of_itself;
    let moves = moves(node.displacement, node.displacement_percent, of_itself);
    let grade = graded(scene, node, node.grade(), node.group, node.counts_at_rest());
    let figures = if node.is_skinned {
        format!("{grade}: its farthest vertex {moves}")
    } else {
        let does = match UndrawnFigures::at_rest(node).by_axes() {
            Some(axes) if moves == STILL => axes,
            Some(axes) => format!("{axes}, {moves}"),
            None => moves,
        };
        let skew = match node.role {
            Role::Part => skew(scene, node.skew_difference_degrees, node.group, node.skew_group),
            _ => String::new(),
        };
        format!("{grade}: {does}{skew}")
    };
    write_lines(&style.wrapped(&figures, "     ", "     "), out)?;
    write_lines(&style.wrapped(because, "     ", "     "), out)?;
    let also = also_in(scene, node.index, node.group).unwrap_or_default();
    write_lines(&style.wrapped(&also, "     ", "     "), out)
}

/// Names the grade of a node, the engines with it, and why it does not count, if it does not.
fn graded(
    scene: &SceneAudit,
    node: &NodeAudit,
    grade: Grade,
    group: Option<usize>,
    counts: bool,
) -> String {
    let why_not = if counts {
        ""
    } else if node.is_followed {
        ", a joint"
    } else if node.is_invisible {
        ", hidden in the file"
    } else {
        ", draws nothing"
    };
    let engines = match scene.shown_in(node.index, group) {
        [] => String::new(),
        engines => format!(" in {}", names(engines)),
    };
    format!("{}{engines}{why_not}", grade.name())
}

/// The text for a node that does not move.
const STILL: &str = "does not move";

fn moves(displacement: Option<f64>, percent: Option<f64>, of_itself: Option<f64>) -> String {
    // A figure of 1e-17 would look like a difference.
    let is_nothing = |percent: f64| percent <= Grade::IDENTICAL_PERCENT;
    match (displacement, percent) {
        (None, _) => "no bounds of its own".to_owned(),
        (_, Some(percent)) if is_nothing(percent) && of_itself.is_none_or(is_nothing) => {
            STILL.to_owned()
        }
        (Some(moved), None) => format!("moves {}", units(moved, 4)),
        (Some(moved), Some(percent)) => {
            format!("moves {} ({} % of the scene)", units(moved, 4), significant(percent, 4))
        }
    }
}

/// States the difference of skew, if there is one, and its engines if they are other than the ones already named.
fn skew(
    scene: &SceneAudit,
    degrees: Option<f64>,
    told: Option<usize>,
    group: Option<usize>,
) -> String {
    let apart = degrees.filter(|&degrees| degrees > SKEWED_DEGREES);
    let other = group.filter(|_| told != group).map_or_else(String::new, |group| {
        format!(" in {}", names(&scene.engines.groups[group].engines))
    });
    apart.map_or_else(String::new, |degrees| {
        format!(", its skew differs by {}°{other}", significant(degrees, 4))
    })
}

/// Writes the nodes that draw nothing and would differ visibly, if there are several: a single one is covered by the
/// verdict. A list that includes nodes that do not count already has them.
fn write_undrawn(
    scene: &SceneAudit,
    style: TextStyle,
    nodes: NodeSelection,
    out: &mut dyn Write,
) -> io::Result<()> {
    let undrawn = if nodes == NodeSelection::Seen { undrawn(scene) } else { Vec::new() };
    if undrawn.len() < 2 {
        return Ok(());
    }
    writeln!(out, "\n  Not counted, because they draw nothing:\n")?;
    for node in undrawn.iter().take(LISTED) {
        write_lines(&style.wrapped(&undrawn_line(scene, node), "  ", "     "), out)?;
    }
    match undrawn.len().saturating_sub(LISTED) {
        0 => Ok(()),
        rest => writeln!(out, "  … and {rest} more nodes; --format json has them all"),
    }
}

/// Writes the nodes that are worse in motion than at rest.
fn write_motion(
    scene: &SceneAudit,
    style: TextStyle,
    nodes: NodeSelection,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut ranked = scene.apart_in_motion();
    ranked.retain(|ranked| nodes.lists_in_motion(scene, scene.in_motion(ranked).1));
    if !ranked.is_empty() {
        writeln!(out, "\n  In motion:")?;
    }
    for (position, worst) in ranked.iter().take(scene.at_worst.len()).enumerate() {
        writeln!(out)?;
        let (animation, node) = scene.in_motion(worst);
        let path = node_path(scene, node.index);
        for line in
            style.wrapped(&format!("{}. {path} [{}]", position + 1, node.index), "  ", "     ")
        {
            writeln!(out, "{}", style.painted(&line, BOLD))?;
        }
        let of_itself = node.displacement_percent_of_itself;
        let moves =
            moves(node.displacement.map(|peak| peak.max), node.displacement_percent, of_itself);
        let at_rest = &scene.nodes[node.index];
        let what = if at_rest.is_skinned {
            format!("its farthest vertex {moves}")
        } else {
            let worst = node.skew_difference_degrees.filter(|_| node.role == Role::Part);
            let told = skew(scene, worst.map(|p| p.max), node.group, node.skew_group);
            let when =
                worst.filter(|p| !told.is_empty() && Some(p.seconds) != node.worst_seconds());
            let when = when.map(|peak| format!(" at {} s", significant(peak.seconds, 4)));
            let moves = match UndrawnFigures::in_motion(node).by_axes() {
                Some(axes) if moves == STILL => axes,
                Some(axes) => format!("{axes}, {moves}"),
                None => moves,
            };
            format!("{moves}{told}{}", when.unwrap_or_default())
        };
        let seconds = significant(node.worst_seconds().unwrap_or(0.0), 4);
        let name = animation.label();
        let grade = graded(scene, at_rest, node.grade(), node.group, at_rest.counts);
        let figures = format!("{grade}, at its worst {seconds} s into {name}: {what}");
        write_lines(&style.wrapped(&figures, "     ", "     "), out)?;
        let at_worst = scene.at_worst_of(worst.animation, node.index);
        let why = at_worst.and_then(|at_worst| explain_at_worst(scene, at_worst));
        write_lines(&style.wrapped(&why.unwrap_or_default(), "     ", "     "), out)?;
        let also = also_in(scene, node.index, node.group).unwrap_or_default();
        write_lines(&style.wrapped(&also, "     ", "     "), out)?;
    }
    match ranked.len().saturating_sub(scene.at_worst.len()) {
        0 => Ok(()),
        rest => writeln!(out, "\n  … and {rest} more nodes; --format json has them all"),
    }
}

fn write_lines(lines: &[String], out: &mut dyn Write) -> io::Result<()> {
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}
