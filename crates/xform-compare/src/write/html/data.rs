//! What the page's scripts draw and look up: everything that they show as a number is computed here.

use nalgebra::Matrix4;
use serde::Serialize;
use xform_core::Transform;

use crate::{
    audit::{Grade, NodeAudit, SceneAudit},
    judge::Report,
    scene::{Bounds, BoundsShape},
    text::{label, rounded},
};

/// How many nodes are drawn: those that differ most, then those that come first in the file.
const DRAWN: usize = 1500;

/// Up to how many nodes, over all frames, every figure has all its digits.
const IN_FULL: usize = 20_000;

/// Digits of what is drawn and not read, and of what is read in a long list.
const SHOWN_DIGITS: usize = 6;

#[derive(Serialize)]
pub(super) struct PageData {
    /// By node; none where it has no name.
    names: Vec<Option<String>>,
    parents: Vec<Option<usize>>,
    /// The nodes that differ, worst first; the next ones are in the same order.
    ranked: Vec<usize>,
    grade: Vec<Grade>,
    displacement: Vec<Option<f64>>,
    percent: Vec<Option<f64>>,
    skew: Vec<Option<f64>>,
    linear: Vec<Option<f64>>,
    scaler: Vec<Option<usize>>,
    pub(super) view: View,
}

/// What is seen in 3D.
#[derive(Serialize)]
pub(super) struct View {
    solid: &'static str,
    /// Which nodes are drawn; the next ones are in the same order.
    pub(super) nodes: Vec<usize>,
    /// Least and greatest corner; none where there is nothing to see but the axes.
    boxes: Vec<Option<[f64; 6]>>,
    /// Its worst grade in any frame.
    grades: Vec<Grade>,
    sliders: Vec<Values>,
    /// One for each combination of the sliders' values, those of the last side by side.
    frames: Vec<Frame>,
}

#[derive(Serialize)]
struct Values {
    name: &'static str,
    values: Vec<f64>,
}

/// World transforms as x axis, y axis, z axis and origin, and figures, of each node that is drawn.
#[derive(Serialize)]
struct Frame {
    matrix: Vec<[f64; 12]>,
    trs: Vec<[f64; 12]>,
    displacement: Vec<Option<f64>>,
    percent: Vec<Option<f64>>,
    skew: Vec<Option<f64>>,
    orthogonality: Vec<Option<f64>>,
    nearest_trs_distance: Vec<f64>,
}

impl PageData {
    pub(super) fn new(report: &Report) -> Self {
        let nodes = &report.audit.nodes;
        let ranked = report.audit.apart_at_rest();
        let figure = |pick: fn(&NodeAudit) -> Option<f64>| {
            let picked = ranked.iter().map(|node| pick(node));
            picked.map(|value| value.map(|value| rounded(value, SHOWN_DIGITS))).collect()
        };
        let name = |node: &NodeAudit| {
            node.name.as_ref().filter(|name| !name.is_empty())?;
            Some(label(nodes.as_slice(), node.index))
        };
        Self {
            names: nodes.iter().map(name).collect(),
            parents: nodes.iter().map(|node| node.parent).collect(),
            ranked: ranked.iter().map(|node| node.index).collect(),
            grade: ranked.iter().map(|node| node.grade()).collect(),
            displacement: figure(|node| node.displacement),
            percent: figure(|node| node.displacement_percent),
            skew: figure(|node| node.skew_degrees),
            linear: figure(|node| node.linear_difference),
            scaler: ranked.iter().map(|node| Some(node.cause.as_ref()?.scaler)).collect(),
            view: View::new(report, &ranked),
        }
    }

    /// For a `script` element: no `<` is left that could end it.
    pub(super) fn to_json(&self) -> String {
        let json = serde_json::to_string(self).expect("numbers and strings can be written");
        json.replace('<', "\\u003c")
    }
}

impl View {
    fn new(report: &Report, ranked: &[&NodeAudit]) -> Self {
        let all = &report.audit.nodes;
        let frames = if report.frames.is_empty() {
            std::slice::from_ref(&report.audit)
        } else {
            &report.frames
        };
        let drawn = drawn(all, ranked);
        let is_in_full = drawn.len() * frames.len() <= IN_FULL;
        let grade = |&node: &usize| {
            let grades = frames.iter().map(|frame| frame.nodes[node].grade());
            grades.max().unwrap_or_default()
        };
        Self {
            solid: match report.bounds_shape {
                BoundsShape::Box => "box",
                BoundsShape::Cylinder => "cylinder",
            },
            boxes: drawn.iter().map(|&node| corners(&all[node].bounds)).collect(),
            grades: drawn.iter().map(grade).collect(),
            sliders: report
                .sliders
                .iter()
                .map(|slider| Values { name: slider.parameter.name, values: slider.values.clone() })
                .collect(),
            frames: frames.iter().map(|frame| Frame::new(frame, &drawn, is_in_full)).collect(),
            nodes: drawn,
        }
    }
}

/// The worst nodes, then others that there is something to see of.
fn drawn(all: &[NodeAudit], ranked: &[&NodeAudit]) -> Vec<usize> {
    let mut is_ranked = vec![false; all.len()];
    ranked.iter().for_each(|node| is_ranked[node.index] = true);
    let others =
        all.iter().filter(|node| !is_ranked[node.index] && matches!(node.bounds, Bounds::Box(..)));
    ranked.iter().copied().chain(others).map(|node| node.index).take(DRAWN).collect()
}

fn corners(bounds: &Bounds) -> Option<[f64; 6]> {
    match bounds {
        Bounds::Box(min, max) => Some([min.x, min.y, min.z, max.x, max.y, max.z]),
        Bounds::Origin | Bounds::Nothing => None,
    }
}

impl Frame {
    fn new(audit: &SceneAudit, drawn: &[usize], is_in_full: bool) -> Self {
        let shown =
            |value: f64| if is_in_full { value + 0.0 } else { rounded(value, SHOWN_DIGITS) };
        let columns = |world: &Matrix4<f64>| {
            let place = |i: usize| shown(world[(i % 3, i / 3)]);
            std::array::from_fn(place)
        };
        let nodes = || drawn.iter().map(|&node| &audit.nodes[node]);
        Self {
            matrix: nodes().map(|node| columns(node.by_matrix.matrix())).collect(),
            trs: nodes().map(|node| columns(&node.by_trs.to_homogeneous())).collect(),
            displacement: nodes().map(|node| node.displacement.map(shown)).collect(),
            percent: nodes().map(|node| node.displacement_percent.map(shown)).collect(),
            skew: nodes().map(|node| node.skew_degrees.map(shown)).collect(),
            orthogonality: nodes().map(|node| node.orthogonality.map(shown)).collect(),
            nearest_trs_distance: nodes().map(|node| shown(node.nearest_trs_distance)).collect(),
        }
    }
}
