//! The page about two versions of a scene: their differences, and both in one 3D view.

// Two scenes are one stage. The nodes of both are numbered consecutively and drawn by the scripts of the other page:
// two shows with the same world transforms, of which one side is drawn solid and the other as a ghost. Each vertex
// comes with its distance, measured by the library where it is largest, because a ghost's vertex knows nothing about
// the mesh that it is compared with. So the colours stay the same while an animation plays. A mesh that is the same in
// both scenes is in the page once. The ghost is drawn slightly behind, so that it does not flicker where both coincide.

use std::{
    collections::{HashMap, HashSet},
    io::{self, Write},
    iter::successors,
    sync::Arc,
};

use askama::Template;
use nalgebra::Vector3;
use serde::Serialize;
use xform_compare::{
    audit::{ShownThing, ThingDiff},
    judge::{DiffReport, SceneDiff},
};
use xform_scene::{
    Scene,
    drawing::{Mesh, MeshPart, ShownMesh},
    text::{label, without_controls},
};

use super::{
    DIFF_SCRIPT, DIFF_SCRIPT_HASH, STYLE,
    bytes::{Bytes, narrow, rows, step_of},
    meshes::{EmbeddedMeshes, EmbeddedPart, why_too_large},
    opening::Opening,
    played::EmbeddedAnimation,
    stage::Stage,
    title,
    view::{EmbeddedFar, EmbeddedShow, EmbeddedShown, boxes, embedded},
};
use crate::diff::{LISTED, Line, Lines, Sentence, all_lines, of_thing, verdict};

/// Writes the differences between two scenes as one self-contained page.
///
/// It contains the verdict, both scenes in one 3D view with their animations, and what moved, node by node. It makes no
/// network requests and can be read without scripts.
///
/// # Errors
///
/// Those of the output.
pub fn write_diff_html(report: &DiffReport, mut out: impl Write) -> io::Result<()> {
    let diff = &report.diff;
    let mut bytes = Bytes::default();
    let (data, too_large) = DiffData::new(report, &mut bytes);
    let names = [&diff.before, &diff.after].map(|side| without_controls(title(&side.source)));
    let [from, to] = &names;
    let animations = report.playback.animations.iter();
    let animations = animations.map(|played| report.audits[0].animations[played.animation].label());
    let page = Page {
        title: format!("{from} → {to}"),
        style: STYLE,
        sentences: verdict(diff).into_iter().map(Answer::of).collect(),
        has_view: diff.shape.is_some() && !data.view.nodes.is_empty(),
        is_moved: data.view.most > 0.0,
        from,
        to,
        animations: animations.collect(),
        not_played: report.playback.not_played,
        too_large: why_too_large(too_large, report.mesh_budget),
        tables: tables(report),
        data: data.to_json(),
        bytes: bytes.to_base64(),
        script: DIFF_SCRIPT,
        script_hash: DIFF_SCRIPT_HASH,
    };
    page.write_into(&mut out)
}

#[derive(Template)]
#[template(path = "diff.html")]
struct Page<'a> {
    title: String,
    style: &'static str,
    sentences: Vec<Answer>,
    has_view: bool,
    /// Whether anything drawn has moved.
    is_moved: bool,
    from: &'a str,
    to: &'a str,
    /// The names of the animations that can be played.
    animations: Vec<String>,
    not_played: usize,
    too_large: Option<String>,
    tables: Vec<Table>,
    data: String,
    /// The bytes that the data refer to, as base64.
    bytes: String,
    script_hash: &'static str,
    script: &'static str,
}

/// A sentence of the verdict: its beginning up to the colon, and the rest.
struct Answer {
    first: String,
    rest: String,
    is_worse: bool,
}

impl Answer {
    fn of(Sentence { text, is_worse }: Sentence) -> Self {
        let (first, rest) = text.split_at(text.find(':').unwrap_or(text.len()));
        Self { first: first.to_owned(), rest: rest.to_owned(), is_worse }
    }
}

/// The rows of one kind.
struct Table {
    title: &'static str,
    rows: Vec<Row>,
    more: usize,
}

struct Row {
    line: Line,
    /// The node that is drawn, numbered through both scenes.
    node: Option<usize>,
    /// The animation, by its index in the scene before, and the time.
    motion: Option<(usize, f64)>,
}

fn tables(report: &DiffReport) -> Vec<Table> {
    let things = report.diff.shape.iter().flat_map(|shape| {
        let things = shape.things.iter().zip(&report.playback.things);
        things.filter(|(thing, _)| thing.is_elsewhere(report.diff.tolerance_percent))
    });
    let mut links = things.map(|(thing, shown)| (own(shown), motion(&report.scenes[0], thing)));
    let mut tables = Vec::new();
    for Lines { title, lines } in all_lines(&report.diff) {
        let is_of_shape = title == "shape";
        let title = match title {
            "shape" => "What moved",
            "camera or light" => "Cameras and lights",
            "engines" => "Where engines differ",
            _ => "Nodes that are new, gone, renamed or have another parent",
        };
        let more = lines.len().saturating_sub(LISTED);
        let row = |line| {
            let link = if is_of_shape { links.next() } else { None };
            let (node, motion) = link.unwrap_or_default();
            Row { line, node, motion }
        };
        let rows: Vec<_> = lines.into_iter().map(row).take(LISTED).collect();
        if !rows.is_empty() {
            tables.push(Table { title, rows, more });
        }
    }
    tables
}

/// Returns the node that draws a thing: after the change if it still exists, or else before.
fn own(shown: &ShownThing) -> Option<usize> {
    shown.nodes[1].or(shown.nodes[0])
}

/// Returns when a thing has moved farthest: the animation by its index in the scene before, and the time.
fn motion(before: &Scene, thing: &ThingDiff) -> Option<(usize, f64)> {
    let place = before.animations.iter().position(|one| Some(one.index) == thing.animation)?;
    Some((place, thing.seconds?))
}

/// The data of the page's scripts. Nodes are numbered through both scenes.
#[derive(Serialize)]
struct DiffData {
    /// The names and parents of nodes. A node that the FBX reader added has those of the file's node that it stands
    /// for.
    names: Vec<String>,
    parents: Vec<Option<usize>>,
    view: DiffView,
}

/// The data of the 3D view, as on the page about one scene: two shows with the same world transforms.
#[derive(Serialize)]
struct DiffView {
    solid: &'static str,
    unit: f64,
    middle: [f64; 3],
    nodes: Vec<usize>,
    /// The number of the first node of the scene after.
    first_after: usize,
    shows: [EmbeddedShow; 2],
    boxes: Vec<[f64; 6]>,
    box_of: Vec<Option<usize>>,
    /// The distances of boxes that moved, by place, in sizes of the scene.
    box_far: Vec<(usize, f32)>,
    parts: Vec<EmbeddedPart>,
    shown: Vec<EmbeddedShown>,
    animations: Vec<EmbeddedAnimation>,
    opening: Opening,
    /// The largest distance of anything, in sizes of the scene.
    most: f64,
    things: Vec<EmbeddedThing>,
}

/// A thing that has moved.
#[derive(Serialize)]
struct EmbeddedThing {
    nodes: [Option<usize>; 2],
    /// Its description.
    told: String,
}

impl DiffData {
    /// Returns the data and the number of meshes that did not fit.
    fn new(report: &DiffReport, bytes: &mut Bytes) -> (Self, usize) {
        let [before, after] = &report.scenes;
        let (mut names, mut parents) = (Vec::new(), Vec::new());
        for (scene, first) in [(before, 0), (after, before.nodes.len())] {
            for node in 0..scene.nodes.len() {
                let of_file = scene.of_file(node).unwrap_or(node);
                let above = successors(scene.nodes[of_file].parent, |&up| scene.nodes[up].parent);
                let parent = above.into_iter().find(|&up| !scene.nodes[up].is_helper);
                names.push(label(scene, of_file));
                parents.push(parent.map(|parent| parent + first));
            }
        }
        let (view, too_large) = DiffView::new(report, bytes);
        (Self { names, parents, view }, too_large)
    }

    fn to_json(&self) -> String {
        let json = serde_json::to_string(self).expect("numbers and strings can be written");
        json.replace('<', "\\u003c")
    }
}

impl DiffView {
    fn new(report: &DiffReport, bytes: &mut Bytes) -> (Self, usize) {
        let (scenes, playback) = (&report.scenes, &report.playback);
        let first_after = scenes[0].nodes.len();
        let node_of = |node: usize| match node.checked_sub(first_after) {
            Some(after) => &scenes[1].nodes[after],
            None => &scenes[0].nodes[node],
        };
        let diagonal = report.diff.shape.as_ref().map_or(0.0, |shape| shape.diagonal);
        // If shapes are not compared, nothing is shown.
        let shown = if report.diff.shape.is_some() { shown_of_both(scenes) } else { Vec::new() };
        let stage = stage(report, &shown, diagonal);
        let things = Things::of(&report.diff, &playback.things);
        let (meshes, mesh_of) = meshes(scenes);
        let apart = shown.iter().filter(|shown| things.apart.contains_key(&shown.node));
        let apart: HashSet<_> = apart.map(|shown| mesh_of[shown.mesh]).collect();
        let budget = if shown.is_empty() { 0 } else { report.mesh_budget };
        let embedded_meshes = EmbeddedMeshes::new(meshes.iter().copied(), &apart, budget, bytes);
        let shown: Vec<_> = shown
            .iter()
            .filter_map(|shown| {
                let mesh = mesh_of[shown.mesh];
                let own = ShownMesh { mesh, ..shown.clone() };
                let mut found = embedded(&own, &embedded_meshes, &stage, bytes)?;
                let distances = things.apart.get(&shown.node).copied();
                let parts = meshes[mesh].as_ref().ok().map(Vec::as_slice);
                found.far = distances.zip(parts).and_then(|(distances, parts)| {
                    far(&found, &embedded_meshes, parts, distances, stage.unit, bytes)
                });
                Some(found)
            })
            .collect();
        let drawn = |node: usize| Some(node_of(node)).filter(|node| node.draws());
        let (boxes, box_of) = boxes(&stage.nodes, |node| Some(drawn(node)?.bounds));
        let box_far = things.apart.iter().filter_map(|(&node, distances)| {
            let place = stage.place(node).filter(|&place| box_of[place].is_some())?;
            Some((place, narrow(most(distances) / stage.unit)))
        });
        let mut box_far: Vec<_> = box_far.collect();
        box_far.sort_unstable_by_key(|&(place, _)| place);
        let worlds =
            stage.nodes.iter().flat_map(|&node| rows(&stage.relative(&playback.at_rest[node])));
        let worlds = bytes.push_f32(worlds);
        let show = |side: usize| {
            let label = [&report.diff.before, &report.diff.after][side].source.clone();
            let places = (side > 0).then(Vec::new);
            EmbeddedShow { short: title(&label).to_owned(), label, places, worlds }
        };
        let view = Self {
            solid: "box",
            unit: stage.unit,
            middle: stage.middle.into(),
            first_after,
            shows: [show(0), show(1)],
            boxes,
            box_of,
            box_far,
            parts: embedded_meshes.parts,
            shown,
            animations: playback
                .animations
                .iter()
                .map(|played| EmbeddedAnimation::new(diagonal, played, &stage, bytes))
                .collect(),
            opening: things.opening(&scenes[0]),
            most: things.apart.values().map(|apart| most(apart)).fold(0.0, f64::max) / stage.unit,
            things: things
                .all
                .iter()
                .map(|&(thing, shown)| EmbeddedThing::new(thing, shown))
                .collect(),
            nodes: stage.nodes,
        };
        (view, embedded_meshes.too_large)
    }
}

impl EmbeddedThing {
    fn new(thing: &ThingDiff, shown: &ShownThing) -> Self {
        let Line { what, text, .. } = of_thing(thing);
        Self { nodes: shown.nodes, told: format!("{what}: {text}") }
    }
}

/// The things that have moved.
struct Things<'a> {
    all: Vec<(&'a ThingDiff, &'a ShownThing)>,
    /// The distances of each vertex, by node.
    apart: HashMap<usize, &'a [f64]>,
}

impl<'a> Things<'a> {
    fn of(diff: &'a SceneDiff, shown: &'a [ShownThing]) -> Self {
        let shape = diff.shape.iter().flat_map(|shape| shape.things.iter().zip(shown));
        let all: Vec<_> =
            shape.filter(|(thing, _)| thing.is_elsewhere(diff.tolerance_percent)).collect();
        let apart = all.iter().flat_map(|(_, shown)| {
            let sides = shown.nodes.iter().zip(&shown.distances);
            let sides = sides.filter(|(_, distances)| distances.iter().any(|&far| far > 0.0));
            sides.filter_map(|(node, distances)| Some(((*node)?, distances.as_slice())))
        });
        Self { apart: apart.collect(), all }
    }

    /// Returns the view of the worst of them.
    fn opening(&self, before: &Scene) -> Opening {
        let worst = self.all.first();
        let node = worst.and_then(|(_, shown)| own(shown));
        let motion = worst.and_then(|(thing, _)| motion(before, thing));
        Opening { shows: [0, 1], node, motion }
    }
}

fn most(distances: &[f64]) -> f64 {
    distances.iter().copied().fold(0.0, f64::max)
}

/// Returns the shown meshes of both scenes, with nodes and meshes numbered consecutively.
fn shown_of_both([before, after]: &[Scene; 2]) -> Vec<ShownMesh> {
    let (nodes, meshes) = (before.nodes.len(), before.drawing.meshes.len());
    let of_after = after.drawing.shown.iter().map(|shown| {
        let joints = shown.joints.as_ref().map(|joints| {
            let mut joints: Arc<[_]> = Arc::clone(joints);
            Arc::make_mut(&mut joints).iter_mut().for_each(|joint| joint.node += nodes);
            joints
        });
        let (node, mesh) = (shown.node + nodes, shown.mesh + meshes);
        ShownMesh { node, mesh, joints, weights: shown.weights.clone() }
    });
    before.drawing.shown.iter().cloned().chain(of_after).collect()
}

/// Returns the meshes of both scenes, equal ones once, and the index of each in that list.
fn meshes([before, after]: &[Scene; 2]) -> (Vec<&Mesh>, Vec<usize>) {
    let mut meshes: Vec<_> = before.drawing.meshes.iter().collect();
    let mut mesh_of: Vec<_> = (0..meshes.len()).collect();
    for (place, mesh) in after.drawing.meshes.iter().enumerate() {
        if before.drawing.meshes.get(place) == Some(mesh) {
            mesh_of.push(place);
        } else {
            mesh_of.push(meshes.len());
            meshes.push(mesh);
        }
    }
    (meshes, mesh_of)
}

/// Returns the stage with moved things first, then everything else that is drawn.
fn stage(report: &DiffReport, shown: &[ShownMesh], diagonal: f64) -> Stage {
    let things = report.playback.things.iter().flat_map(|thing| thing.nodes).flatten();
    let shown = shown.iter().flat_map(|shown| {
        let joints = shown.joints.iter().flat_map(|joints| joints.iter());
        joints.map(|joint| joint.node).chain([shown.node])
    });
    let nodes = report.scenes.iter().flat_map(|scene| &scene.nodes).enumerate();
    let drawn = nodes.filter(|(_, node)| node.draws()).map(|(node, _)| node);
    let middle = report.playback.bounds;
    let middle =
        middle.map_or_else(Vector3::zeros, |[low, high]| low.coords / 2.0 + high.coords / 2.0);
    Stage::new(things.chain(shown).chain(drawn), middle, diagonal)
}

/// Writes the distances of a shown mesh's vertices into the bytes of the page. Merged vertices get the largest
/// distance.
fn far(
    shown: &EmbeddedShown,
    meshes: &EmbeddedMeshes,
    parts: &[MeshPart],
    distances: &[f64],
    unit: f64,
    bytes: &mut Bytes,
) -> Option<EmbeddedFar> {
    let most = most(distances);
    let mut first = 0;
    let mut embedded = shown.parts.iter();
    let mut places = Vec::new();
    for part in parts {
        let own = distances.get(first..first + part.positions.len())?;
        first += part.positions.len();
        if part.indices.is_empty() {
            continue;
        }
        let part = &meshes.parts[*embedded.next()?];
        let mut far = vec![0_u16; part.vertices];
        for (became, &distance) in part.became.iter().zip(own) {
            if let Some(far) = became.and_then(|vertex| far.get_mut(vertex as usize)) {
                *far = step_of(distance / most, 255).max(*far);
            }
        }
        places.push(bytes.push(far.into_iter().map(|far| [u8::try_from(far).unwrap_or(u8::MAX)])));
    }
    Some(EmbeddedFar { scale: narrow(most / unit), parts: places })
}
