//! The data of the 3D view for its scripts: the nodes with their world transforms, what they draw, and animations.

// The page draws and the library measures. Scripts accumulate nothing. They get world transforms at rest in `f32`
// around the centre of the scene, in motion at samples in 16 bits per number, which they interpolate for the eye, and
// for sliders as samples of the whole audit at each position. Every figure that they show was computed by the library
// at a sample, and is shown with six digits. The only arithmetic in the scripts places boxes, vertices and a camera.
//
// Drawing is WebGL 2. One shader places a vertex under two shows at once, from a texture with the world transforms of
// both, so skins with any number of joints, ghosts and colours need no second way. Flat shading comes from derivatives
// in the fragment shader, so skewed boxes need no normals. A content security policy in the page forbids all requests.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;
use xform_compare::{
    Grade, NodeAudit,
    audit::{PlayedApart, SKEWED_DEGREES},
    judge::Report,
};
use xform_scene::{Bounds, BoundsShape, drawing::ShownMesh, text::rounded};

use super::{
    bytes::{Bytes, rows},
    frame::Frame,
    meshes::{EmbeddedMeshes, EmbeddedPart},
    opening::Opening,
    played::{EmbeddedAnimation, differ},
    shows::{short_label, show_label},
    stage::Stage,
    wires::EmbeddedWires,
};

/// The number of digits of figures in a long list.
const SHOWN_DIGITS: usize = 6;

/// At rest, relative differences below this vanish in single precision.
const SAME: f64 = 1e-8;

/// The data of the 3D view.
#[derive(Serialize)]
pub(super) struct View {
    /// The solid that is drawn for a box.
    solid: &'static str,
    /// The diagonal of the scene, which is the unit of positions, and its centre, which is their origin.
    unit: f64,
    middle: [f64; 3],
    /// The nodes that are drawn, by place on the stage. A "place" below is an index into this list.
    pub(super) nodes: Vec<usize>,
    shows: Vec<EmbeddedShow>,
    /// The two shows of each list of figures.
    pairs: Vec<[usize; 2]>,
    /// By pair: the nodes that differ at rest, their displacement, the same in percent of the scene, and their
    /// difference of skew.
    apart: Vec<Apart>,
    /// The lower and upper corners of distinct boxes, and the box of each place. `None` if only its axes can be shown.
    boxes: Vec<[f64; 6]>,
    box_of: Vec<Option<usize>>,
    /// The worst grade of each place: at rest, in any frame, in any animation.
    grades: Vec<u8>,
    /// The worst grades between two shows, by pair: the places that differ, with their grades. Empty if there is one
    /// pair.
    pair_grades: Vec<Vec<(usize, u8)>>,
    parts: Vec<EmbeddedPart>,
    shown: Vec<EmbeddedShown>,
    animations: Vec<EmbeddedAnimation>,
    /// Places with a colour of their own: red, green, blue and opacity.
    tints: Vec<(usize, [f32; 4])>,
    sliders: Vec<Values>,
    /// One for each combination of slider values. The last slider varies fastest.
    frames: Vec<Frame>,
    pub(super) opening: Opening,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) wires: Option<EmbeddedWires>,
}

#[derive(Serialize)]
pub(super) struct EmbeddedShow {
    pub(super) label: String,
    pub(super) short: String,
    /// The places with world transforms of their own, or `None` for all. Others share those of the first show.
    pub(super) places: Option<Vec<usize>>,
    /// By place: the rows of a 3×4 matrix.
    pub(super) worlds: usize,
}

#[derive(Serialize)]
struct Apart {
    nodes: Vec<usize>,
    /// The grades of nodes that count, and 0 for others. Empty if there is one pair, whose grades are in the table.
    grades: Vec<u8>,
    displacement: Vec<f64>,
    percent: Vec<Option<f64>>,
    skew: Vec<f64>,
}

/// A node that shows a mesh.
#[derive(Serialize)]
pub(super) struct EmbeddedShown {
    pub(super) place: usize,
    pub(super) parts: Vec<usize>,
    /// The places of the joints, and the rows of their inverse bind matrices.
    joints: Vec<usize>,
    inverse_binds: usize,
    weights: Vec<f64>,
    /// The distances of its vertices, if the page shows them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) far: Option<EmbeddedFar>,
}

/// The distances of a mesh's vertices from their positions in another scene.
#[derive(Serialize)]
pub(super) struct EmbeddedFar {
    /// The distance that 255 stands for, in sizes of the scene.
    pub(super) scale: f32,
    /// By part of the mesh: one byte per vertex.
    pub(super) parts: Vec<usize>,
}

#[derive(Serialize)]
struct Values {
    name: &'static str,
    values: Vec<f64>,
}

impl View {
    /// Returns the view and the number of meshes that did not fit.
    pub(super) fn new(report: &Report, ranked: &[usize], bytes: &mut Bytes) -> (Self, usize) {
        let all = &report.audit.nodes;
        let stage = Stage::of(report, ranked);
        let grades = worst_grades(report);
        let apart = report.drawing.shown.iter().filter(|shown| {
            let joints = shown.joints.iter().flat_map(|joints| joints.iter());
            let mut nodes = joints.map(|joint| joint.node).chain([shown.node]);
            nodes.any(|node| grades.get(node) > Some(&Grade::Identical))
        });
        let apart: HashSet<_> = apart.map(|shown| shown.mesh).collect();
        let meshes = report.drawing.meshes.iter();
        let meshes = EmbeddedMeshes::new(meshes, &apart, report.mesh_budget, bytes);
        let shown = report.drawing.shown.iter();
        let shown = shown.filter_map(|shown| embedded(shown, &meshes, &stage, bytes)).collect();
        let is_hidden = |node: usize| {
            report.colours.iter().any(|(own, colour)| *own == node && colour.is_none())
        };
        let bounds = |node: usize| (!is_hidden(node)).then(|| all[node].bounds);
        let (boxes, box_of) = boxes(&stage.nodes, bounds);
        let view = Self {
            solid: match report.bounds_shape {
                BoundsShape::Box => "box",
                BoundsShape::Cylinder => "cylinder",
            },
            unit: stage.unit,
            middle: stage.middle.into(),
            shows: shows(report, &stage, bytes),
            pairs: report.playback.pairs.clone(),
            apart: report.playback.apart.iter().map(|apart| Apart::new(report, apart)).collect(),
            boxes,
            box_of,
            grades: stage.nodes.iter().map(|&node| grades[node] as u8).collect(),
            pair_grades: pair_grades(report, &stage),
            parts: meshes.parts,
            shown,
            animations: report
                .playback
                .animations
                .iter()
                .map(|played| {
                    EmbeddedAnimation::new(report.audit.summary.diagonal, played, &stage, bytes)
                })
                .collect(),
            tints: tints(report, &stage),
            sliders: report
                .sliders
                .iter()
                .map(|slider| Values { name: slider.parameter.name, values: slider.values.clone() })
                .collect(),
            frames: report.frames.iter().map(|frame| Frame::new(frame, &stage, bytes)).collect(),
            opening: Opening::of(report),
            wires: EmbeddedWires::of(report, &stage, bytes),
            nodes: stage.nodes,
        };
        (view, meshes.too_large)
    }
}

/// Returns the worst grade of each node, at rest, in any frame and in any animation.
fn worst_grades(report: &Report) -> Vec<Grade> {
    let mut grades: Vec<_> = report.audit.nodes.iter().map(NodeAudit::grade).collect();
    for frame in &report.frames {
        for (grade, node) in grades.iter_mut().zip(&frame.audit.nodes) {
            *grade = node.grade().max(*grade);
        }
    }
    for moved in report.audit.animations.iter().flat_map(|animation| &animation.nodes) {
        grades[moved.index] = moved.grade().max(grades[moved.index]);
    }
    grades
}

/// Returns the worst grades between two shows, at rest and in played animations, of nodes that count.
fn pair_grades(report: &Report, stage: &Stage) -> Vec<Vec<(usize, u8)>> {
    let playback = &report.playback;
    if playback.pairs.len() < 2 {
        return Vec::new();
    }
    let worst = |pair: usize| {
        let mut grades: BTreeMap<usize, Grade> = BTreeMap::new();
        let at_rest = playback.apart[pair].iter().enumerate();
        let at_rest = at_rest.filter(|&(node, _)| !report.audit.nodes[node].is_hidden);
        let in_motion = playback.animations.iter().flat_map(|played| &played.figures);
        let in_motion = in_motion
            .flat_map(|figures| figures.apart[pair].iter().map(move |apart| (figures.node, apart)));
        for (node, apart) in at_rest.chain(in_motion) {
            let counts = report.audit.nodes[node].counts;
            if let Some(place) = stage.place(node).filter(|_| counts) {
                let worst = grades.entry(place).or_default();
                *worst = grade_of(report, node, apart).max(*worst);
            }
        }
        let differing = grades.into_iter().filter(|(_, grade)| *grade > Grade::Identical);
        differing.map(|(place, grade)| (place, grade as u8)).collect()
    };
    (0..playback.pairs.len()).map(worst).collect()
}

/// Returns the grade of a node with these differences.
fn grade_of(report: &Report, node: usize, apart: &PlayedApart) -> Grade {
    let diagonal = report.audit.summary.diagonal;
    let share = |moved: f64| if diagonal > 0.0 { moved / diagonal * 100.0 } else { 0.0 };
    let node = &report.audit.nodes[node];
    // The node's size follows from the figures that were measured.
    let size = node.displacement.zip(node.displacement_percent_of_itself);
    let size = size.map(|(moved, percent)| moved / percent * 100.0).filter(|size| *size > 0.0);
    let of_itself = apart.displacement.zip(size).map(|(moved, size)| moved / size * 100.0);
    Grade::new(apart.displacement.map(share), of_itself, apart.skew_difference_degrees)
}

fn tints(report: &Report, stage: &Stage) -> Vec<(usize, [f32; 4])> {
    let tint = |&(node, colour): &(usize, Option<[f32; 3]>)| {
        let [r, g, b] = colour?;
        Some((stage.place(node)?, [r, g, b, 1.0]))
    };
    report.colours.iter().filter_map(tint).collect()
}

fn shows(report: &Report, stage: &Stage, bytes: &mut Bytes) -> Vec<EmbeddedShow> {
    let show = |index: usize| {
        let relative = |of: usize, node: usize| stage.relative(&report.world_at_rest(of, node));
        let is_own = |place: &usize| {
            let node = stage.nodes[*place];
            index == 0 || differ(&relative(0, node), &relative(index, node), SAME)
        };
        let places: Vec<_> = (0..stage.nodes.len()).filter(is_own).collect();
        let worlds = places.iter().flat_map(|&place| rows(&relative(index, stage.nodes[place])));
        let worlds = bytes.push_f32(worlds);
        EmbeddedShow {
            label: show_label(report, index),
            short: short_label(report, index),
            places: Some(places).filter(|places| places.len() < stage.nodes.len()),
            worlds,
        }
    };
    (0..report.playback.shows.len()).map(show).collect()
}

pub(super) fn embedded(
    shown: &ShownMesh,
    meshes: &EmbeddedMeshes,
    stage: &Stage,
    bytes: &mut Bytes,
) -> Option<EmbeddedShown> {
    let place = stage.place(shown.node)?;
    let parts = meshes.parts_of.get(shown.mesh).filter(|parts| !parts.is_empty())?;
    let joints = shown.joints.iter().flat_map(|joints| joints.iter());
    let places: Option<Vec<_>> = joints.clone().map(|joint| stage.place(joint.node)).collect();
    // Inverse bind matrices are in units of the file.
    let inverse_binds = joints.flat_map(|joint| rows(&joint.inverse_bind));
    Some(EmbeddedShown {
        place,
        parts: parts.clone(),
        joints: places?,
        inverse_binds: bytes.push_f32(inverse_binds),
        weights: shown.weights.clone(),
        far: None,
    })
}

/// Returns the distinct boxes of these nodes, and the index of each node's box.
pub(super) fn boxes(
    nodes: &[usize],
    bounds: impl Fn(usize) -> Option<Bounds>,
) -> (Vec<[f64; 6]>, Vec<Option<usize>>) {
    let (mut boxes, mut places) = (Vec::new(), HashMap::new());
    let box_of = nodes.iter().map(|&node| {
        let Some(Bounds::Box(min, max)) = bounds(node) else { return None };
        let corners = [min.x, min.y, min.z, max.x, max.y, max.z];
        Some(*places.entry(corners.map(f64::to_bits)).or_insert_with(|| {
            boxes.push(corners);
            boxes.len() - 1
        }))
    });
    let box_of = box_of.collect();
    (boxes, box_of)
}

impl Apart {
    fn new(report: &Report, all: &[PlayedApart]) -> Self {
        let diagonal = report.audit.summary.diagonal;
        let moved = |apart: &PlayedApart| apart.displacement.unwrap_or(0.0);
        let skew = |apart: &PlayedApart| apart.skew_difference_degrees.unwrap_or(0.0);
        let is_apart = |(_, apart): &(usize, &PlayedApart)| {
            moved(apart) > Grade::IDENTICAL_PERCENT / 100.0 * diagonal
                || skew(apart) > SKEWED_DEGREES
        };
        let apart: Vec<_> = all.iter().enumerate().filter(is_apart).collect();
        let percent =
            |moved: f64| (diagonal > 0.0).then(|| rounded(moved / diagonal * 100.0, SHOWN_DIGITS));
        let figures = |figure: &dyn Fn(&PlayedApart) -> f64| {
            apart.iter().map(|(_, apart)| rounded(figure(apart), SHOWN_DIGITS)).collect()
        };
        let grade = |&(node, apart): &(usize, &PlayedApart)| {
            let counts = report.audit.nodes[node].counts_at_rest();
            if counts { grade_of(report, node, apart) as u8 } else { 0 }
        };
        let is_only = report.playback.pairs.len() < 2;
        Self {
            nodes: apart.iter().map(|(node, _)| *node).collect(),
            grades: if is_only { Vec::new() } else { apart.iter().map(grade).collect() },
            displacement: figures(&moved),
            percent: apart.iter().map(|(_, apart)| percent(moved(apart))).collect(),
            skew: figures(&skew),
        }
    }
}
