use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use super::{Nodes, number::shortest};
use crate::{
    AnimationAudit, Audit, NodeAudit, NodeMotion, NotSampled, SceneAudit, Summary, Thresholds,
    Warning,
};

/// Writes an audit as JSON: the contract that programs read, described in docs/report-format.md.
///
/// One line a node, so that two reports can be compared line by line.
///
/// # Errors
///
/// Those of the output.
pub fn write_json(audit: &Audit, nodes: Nodes, out: &mut impl Write) -> io::Result<()> {
    let scenes = audit.scenes.iter().map(|scene| SceneView {
        source: &scene.source,
        summary: &scene.summary,
        warnings: &scene.warnings,
        nodes: nodes.of(scene).map(|(node, _)| node).collect(),
        animations: scene.animations.iter().map(AnimationView::new).collect(),
        motion: nodes.in_motion(scene).collect(),
    });
    let view =
        AuditView { schema: audit.schema, thresholds: audit.thresholds, scenes: scenes.collect() };
    // Audit, scenes, scene, its lists: a node stands on one line.
    write_value(&view, 4, out)
}

/// Writes a value as JSON. Objects and arrays down to a depth are spread over lines, what is inside
/// of them stands on one.
pub(super) fn write_value(
    value: &impl Serialize,
    spread_depth: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let formatter = LineAnItem { spread_depth, depth: 0, is_empty: true };
    value.serialize(&mut Serializer::with_formatter(&mut *out, formatter))?;
    out.write_all(b"\n")
}

/// An audit with the nodes that are asked for.
#[derive(Serialize)]
struct AuditView<'a> {
    schema: &'a str,
    thresholds: Thresholds,
    scenes: Vec<SceneView<'a>>,
}

#[derive(Serialize)]
struct SceneView<'a> {
    source: &'a str,
    summary: &'a Summary,
    warnings: &'a [Warning],
    nodes: Vec<&'a NodeAudit>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    animations: Vec<AnimationView<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    motion: Vec<MotionView<'a>>,
}

/// An animation without its nodes, which are in a list of their own.
#[derive(Serialize)]
struct AnimationView<'a> {
    index: usize,
    name: Option<&'a str>,
    start_seconds: Option<f64>,
    end_seconds: Option<f64>,
    keyframes: usize,
    samples: usize,
    nodes: usize,
    not_sampled: &'a [NotSampled],
}

impl<'a> AnimationView<'a> {
    fn new(animation: &'a AnimationAudit) -> Self {
        Self {
            index: animation.index,
            name: animation.name.as_deref(),
            start_seconds: animation.start_seconds,
            end_seconds: animation.end_seconds,
            keyframes: animation.keyframes,
            samples: animation.samples,
            nodes: animation.nodes.len(),
            not_sampled: &animation.not_sampled,
        }
    }
}

/// A node in an animation.
#[derive(Serialize)]
pub(super) struct MotionView<'a> {
    animation: usize,
    #[serde(flatten)]
    node: &'a NodeMotion,
}

impl Nodes {
    pub(super) fn in_motion(self, scene: &SceneAudit) -> impl Iterator<Item = MotionView<'_>> {
        let moved = scene.animations.iter().flat_map(|animation| {
            animation.nodes.iter().map(|node| MotionView { animation: animation.index, node })
        });
        moved.filter(move |moved| {
            self == Self::All || moved.node.is_differing() || moved.node.is_skewed()
        })
    }
}

/// Indents the outer levels and puts whatever is inside them on one line.
struct LineAnItem {
    spread_depth: usize,
    depth: usize,
    is_empty: bool,
}

impl LineAnItem {
    fn begin(&mut self, out: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.is_empty = true;
        out.write_all(bracket)
    }

    fn item(&mut self, out: &mut (impl Write + ?Sized), is_first: bool) -> io::Result<()> {
        if !is_first {
            out.write_all(b",")?;
        }
        self.is_empty = false;
        self.new_line(out, if is_first { "" } else { " " })
    }

    fn end(&mut self, out: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        let is_spread = self.depth <= self.spread_depth && !self.is_empty;
        self.depth -= 1;
        self.is_empty = false;
        if is_spread {
            out.write_all(b"\n")?;
            out.write_all("  ".repeat(self.depth).as_bytes())?;
        }
        out.write_all(bracket)
    }

    fn new_line(&self, out: &mut (impl Write + ?Sized), or: &str) -> io::Result<()> {
        if self.depth > self.spread_depth {
            return out.write_all(or.as_bytes());
        }
        out.write_all(b"\n")?;
        out.write_all("  ".repeat(self.depth).as_bytes())
    }
}

impl Formatter for LineAnItem {
    fn write_f64<W: Write + ?Sized>(&mut self, out: &mut W, value: f64) -> io::Result<()> {
        out.write_all(shortest(value).as_bytes())
    }

    fn begin_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b"]")
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(out, first)
    }

    fn begin_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(out, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}
