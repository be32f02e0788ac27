//! The differences between two versions of a scene, as text, Markdown and JSON.

use std::io::{self, Write};

use serde::Serialize;
use xform_compare::{
    audit::{DefaultSceneChange, FixtureDiff, Grade, NodeChangeKind, ShapeDiff, ThingDiff},
    judge::{DiffChange, DiffSide, EngineChange, EnginesDiff, NodeDiff, NodeFigures, SceneDiff},
};
use xform_scene::text::{significant, units, without_controls};

use super::{json::write_value, markdown::escaped};

/// The number of lines of each kind in text and Markdown.
pub(super) const LISTED: usize = 100;

/// Writes the differences between two scenes as text, one line per node.
///
/// # Errors
///
/// Those of the output.
pub fn write_diff_text(diff: &SceneDiff, mut out: impl Write) -> io::Result<()> {
    let name = |side: &DiffSide| without_controls(&side.source);
    writeln!(out, "{} → {}", name(&diff.before), name(&diff.after))?;
    for Sentence { text, .. } in verdict(diff) {
        writeln!(out, "  {text}")?;
    }
    for Lines { lines, .. } in all_lines(diff) {
        for line in lines.iter().take(LISTED) {
            writeln!(out, "  {}: {}{}", line.what, line.path, line.figures())?;
        }
        match lines.len().saturating_sub(LISTED) {
            0 => {}
            rest => writeln!(out, "  … and {rest} more; --format json has them all")?,
        }
    }
    Ok(())
}

/// Writes the differences between two scenes as Markdown, for pull requests. Names are escaped.
///
/// # Errors
///
/// Those of the output.
pub fn write_diff_markdown(diff: &SceneDiff, mut out: impl Write) -> io::Result<()> {
    let [before, after] = [&diff.before, &diff.after].map(|side| escaped(&side.source));
    writeln!(out, "# {before} → {after}\n")?;
    for Sentence { text, .. } in verdict(diff) {
        writeln!(out, "{}\n", escaped(&text))?;
    }
    for Lines { title, lines } in all_lines(diff).into_iter().filter(|all| !all.lines.is_empty()) {
        writeln!(out, "| {title} | node | |\n|---|---|---|")?;
        for line in lines.iter().take(LISTED) {
            writeln!(out, "| {} | {} | {} |", line.what, escaped(&line.path), escaped(&line.text))?;
        }
        match lines.len().saturating_sub(LISTED) {
            0 => writeln!(out)?,
            rest => writeln!(out, "\n… and {rest} more; the JSON has them all.\n")?,
        }
    }
    Ok(())
}

/// Writes the differences between two scenes as JSON, which docs/report-format.md describes.
///
/// # Errors
///
/// Those of the output.
pub fn write_diff_json(diff: &SceneDiff, out: impl Write) -> io::Result<()> {
    let view = DiffView { schema: SceneDiff::SCHEMA, is_worse: diff.is_worse(), diff };
    // The levels are the diff, its part and the part's list, so that each node is on one line.
    write_value(&view, 3, out)
}

#[derive(Serialize)]
struct DiffView<'a> {
    schema: &'static str,
    is_worse: bool,
    #[serde(flatten)]
    diff: &'a SceneDiff,
}

/// A sentence of the verdict: the answer, followed by a colon and details.
pub(super) struct Sentence {
    pub(super) text: String,
    /// Whether it reports that something is worse.
    pub(super) is_worse: bool,
}

pub(super) fn verdict(diff: &SceneDiff) -> Vec<Sentence> {
    let shape = diff.shape.as_ref().map(|shape| Sentence {
        text: verdict_on_shape(diff, shape),
        is_worse: shape.elsewhere(diff.tolerance_percent).next().is_some(),
    });
    let engines = diff.engines.as_ref().map(|engines| Sentence {
        text: verdict_on_engines(engines),
        is_worse: engines.is_worse(),
    });
    let not_compared = diff.shape.iter().flat_map(|shape| &shape.not_compared).map(|why| {
        let text = format!("Not compared: {}.", without_controls(why));
        Sentence { text, is_worse: true }
    });
    let thinned = diff.shape.as_ref().map_or(0, |shape| shape.thinned);
    let thinned = (thinned > 0).then(|| {
        let animations = match thinned {
            1 => "1 animation was compared only at some of its".to_owned(),
            some => format!("{some} animations were compared only at some of their"),
        };
        let text = format!("{animations} keyframes, because there are too many.");
        Sentence { text, is_worse: false }
    });
    shape.into_iter().chain(engines).chain(thinned).chain(not_compared).collect()
}

fn percent(figure: f64) -> String {
    format!("{} % of the scene", significant(figure, 3))
}

fn verdict_on_shape(diff: &SceneDiff, shape: &ShapeDiff) -> String {
    let all = shape.elsewhere(diff.tolerance_percent);
    let (in_another, elsewhere): (Vec<_>, Vec<_>) =
        all.partition(|thing| thing.default_scene.is_some());
    // A removed thing may be the same as an added one.
    let is_moved = |thing: &&&ThingDiff| thing.moved_percent > diff.tolerance_percent;
    let [old, new] =
        [|thing: &ThingDiff| thing.before, |thing: &ThingDiff| thing.after].map(|side| {
            elsewhere.iter().filter(is_moved).filter(|thing| side(thing).is_some()).count()
        });
    let [before, after] = shape.drawn;
    let over = elsewhere.iter().filter(|thing| thing.inside_out > 0).count();
    let mut rest = match over {
        0 => String::new(),
        1 => " 1 is inside out.".to_owned(),
        over => format!(" {over} are inside out."),
    };
    for change in [DefaultSceneChange::Left, DefaultSceneChange::Entered] {
        let same = in_another.iter().filter(|thing| thing.default_scene == Some(change));
        match same.count() {
            0 => {}
            1 => rest.push_str(&format!(" 1 node {}.", of_default_scene(change))),
            count => rest.push_str(&format!(" {count} nodes {}.", of_default_scene(change))),
        }
    }
    let Some(worst) = elsewhere.iter().find(|thing| thing.moved_percent > diff.tolerance_percent)
    else {
        let still = shape.things.iter().filter(|thing| thing.default_scene.is_none());
        let most = still.map(|thing| thing.moved_percent).fold(0.0, f64::max);
        let most = if most > Grade::IDENTICAL_PERCENT {
            format!(", by at most {}", percent(most))
        } else {
            String::new()
        };
        return if before == 0 && after == 0 {
            "The shape is the same: nothing is drawn.".to_owned()
        } else if !rest.is_empty() {
            format!("The shape changed: nothing moved visibly{most}.{rest}")
        } else {
            format!("The shape is the same: nothing drawn moved visibly{most}.")
        };
    };
    let count = old.max(new);
    let nodes = if count == 1 { "1 node".to_owned() } else { format!("{count} nodes") };
    format!(
        "The shape changed: {nodes} of {} moved, by up to {}, most at \"{}\"{}.{rest}",
        before.max(after),
        percent(worst.moved_percent),
        worst.path,
        when(worst),
    )
}

fn when(thing: &ThingDiff) -> String {
    match (thing.animation, thing.seconds) {
        (Some(animation), Some(seconds)) => {
            format!(", {} s into animation {animation}", significant(seconds, 4))
        }
        _ => String::new(),
    }
}

fn grade_of(grade: Option<Grade>) -> &'static str {
    grade.map_or("unknown", Grade::name)
}

fn verdict_on_engines(engines: &EnginesDiff) -> String {
    let changed: Vec<_> = engines.engines.iter().filter(|one| one.before != one.after).collect();
    if changed.is_empty() {
        return match engines.nodes.len() {
            0 => "Engines: no grade changed.".to_owned(),
            1 => "Engines: no engine's grade changed; 1 node is better or worse.".to_owned(),
            nodes => {
                format!("Engines: no engine's grade changed; {nodes} nodes are better or worse.")
            }
        };
    }
    let each = changed.iter().map(|EngineChange { name, before, after, .. }| {
        format!("{name} was {} and is {}", grade_of(*before), grade_of(*after))
    });
    format!("Engines: {}.", each.collect::<Vec<_>>().join("; "))
}

/// The lines of one kind.
pub(super) struct Lines {
    pub(super) title: &'static str,
    pub(super) lines: Vec<Line>,
}

pub(super) struct Line {
    pub(super) what: &'static str,
    pub(super) path: String,
    pub(super) text: String,
}

impl Line {
    fn figures(&self) -> String {
        if self.text.is_empty() { String::new() } else { format!(": {}", self.text) }
    }
}

pub(super) fn all_lines(diff: &SceneDiff) -> Vec<Lines> {
    let mut all = Vec::new();
    if let Some(shape) = &diff.shape {
        let things = shape.elsewhere(diff.tolerance_percent).map(of_thing);
        all.push(Lines { title: "shape", lines: things.collect() });
        let fixtures = shape.fixtures.iter();
        let fixtures = fixtures.filter(|one| one.is_elsewhere(diff.tolerance_percent));
        all.push(Lines { title: "camera or light", lines: fixtures.map(of_fixture).collect() });
    }
    if let Some(engines) = &diff.engines {
        let nodes = engines.nodes.iter().map(of_node);
        all.push(Lines { title: "engines", lines: nodes.collect() });
    }
    if let Some(shape) = &diff.shape {
        let nodes = shape.nodes.iter().map(|node| {
            let (before, after) = (node.before.clone(), node.after.clone());
            let (what, path, text) = match node.change {
                NodeChangeKind::New => ("new", after, None),
                NodeChangeKind::Gone => ("gone", before, None),
                NodeChangeKind::Renamed => ("renamed", before, after),
                _ => ("another parent", before, after),
            };
            let text = text.map_or_else(String::new, |now| format!("now {now}"));
            Line { what, path: path.unwrap_or_default(), text }
        });
        all.push(Lines { title: "node", lines: nodes.collect() });
    }
    all
}

pub(super) fn of_thing(thing: &ThingDiff) -> Line {
    let moved =
        format!("{} ({}){}", units(thing.moved, 4), percent(thing.moved_percent), when(thing));
    let (what, text) = match (thing.default_scene, thing.before, thing.after, thing.inside_out) {
        (Some(change @ DefaultSceneChange::Left), ..) => {
            (of_default_scene(change), format!("up to {moved} from anything still in it"))
        }
        (Some(change), ..) => {
            (of_default_scene(change), format!("up to {moved} from anything in it before"))
        }
        (None, None, ..) => ("new", format!("up to {moved} from anything before")),
        (None, _, None, _) => ("gone", format!("up to {moved} from anything after")),
        (None, _, _, 0) => ("moved", moved),
        (None, _, _, 1) => ("inside out", format!("1 triangle; moved {moved}")),
        (None, _, _, count) => ("inside out", format!("{count} triangles; moved {moved}")),
    };
    Line { what, path: thing.path.clone(), text }
}

fn of_default_scene(change: DefaultSceneChange) -> &'static str {
    match change {
        DefaultSceneChange::Left => "left the default scene",
        _ => "entered the default scene",
    }
}

fn of_fixture(fixture: &FixtureDiff) -> Line {
    let turned = fixture
        .turned_degrees
        .map_or_else(String::new, |turned| format!(", turned by {}°", significant(turned, 4)));
    let scene = fixture.default_scene.map(|change| format!("{}, ", of_default_scene(change)));
    let scene = scene.unwrap_or_default();
    let moved =
        format!("{scene}moved {} ({})", units(fixture.moved, 4), percent(fixture.moved_percent));
    Line { what: fixture.kind.name(), path: fixture.path.clone(), text: format!("{moved}{turned}") }
}

fn of_node(node: &NodeDiff) -> Line {
    let [before, after] = [&node.before, &node.after].map(|side| figures(side.as_ref()));
    let what = match node.change {
        DiffChange::Worse => "worse",
        DiffChange::Better => "better",
    };
    Line { what, path: node.path.clone(), text: format!("{before} → {after}") }
}

fn figures(node: Option<&NodeFigures>) -> String {
    let Some(NodeFigures { grade, displacement_percent, .. }) = node else {
        return "missing".to_owned();
    };
    match displacement_percent {
        Some(percent) => format!("{} ({} %)", grade.name(), significant(*percent, 3)),
        None => grade.name().to_owned(),
    }
}
