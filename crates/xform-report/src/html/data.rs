//! The data of the page's scripts. Every number that they show is computed here.

use std::collections::BTreeSet;

use serde::Serialize;
use xform_compare::{Grade, NodeAudit, judge::Report};
use xform_scene::text::{label, rounded};

use super::{bytes::Bytes, shows::group_names, view::View};

/// The number of digits in a long list.
const SHOWN_DIGITS: usize = 6;

#[derive(Serialize)]
pub(super) struct PageData {
    /// The name of each node, if it has one.
    names: Vec<Option<String>>,
    parents: Vec<Option<usize>>,
    /// The nodes that differ, worst first. The following lists are in the same order.
    ranked: Vec<usize>,
    /// How many of them are severe, and how many visible; those come next. The rest is negligible.
    severe: usize,
    visible: usize,
    /// The engines of each group, and the group in which each node looks worst. `None` if there is only one besides the
    /// reference.
    engines: Vec<String>,
    group: Option<Vec<Option<usize>>>,
    displacement: Vec<Option<f64>>,
    percent: Vec<Option<f64>>,
    skew: Vec<Option<f64>>,
    linear: Vec<Option<f64>>,
    scaler: Vec<Option<usize>>,
    /// The nodes whose scales cause visible differences, at rest and in motion.
    causes: BTreeSet<usize>,
    pub(super) view: View,
}

impl PageData {
    /// Returns the data, the bytes that they refer to, and the number of meshes that did not fit.
    pub(super) fn new(report: &Report) -> (Self, Bytes, usize) {
        let nodes = report.audit.nodes_of_the_file();
        let mut ranked = report.audit.apart_at_rest();
        ranked.retain(|node| node.counts_at_rest());
        let figure = |pick: fn(&NodeAudit) -> Option<f64>| {
            let picked = ranked.iter().map(|node| pick(node));
            picked.map(|value| value.map(|value| rounded(value, SHOWN_DIGITS))).collect()
        };
        let name = |node: &NodeAudit| {
            node.name.as_ref().filter(|name| !name.is_empty())?;
            Some(label(&report.audit, node.index))
        };
        let graded = |grade| ranked.iter().filter(|node| node.grade() == grade).count();
        let mut bytes = Bytes::default();
        let places: Vec<_> = ranked.iter().map(|node| node.index).collect();
        let (view, too_large) = View::new(report, &places, &mut bytes);
        let data = Self {
            names: nodes.iter().map(name).collect(),
            parents: nodes.iter().map(|node| node.parent).collect(),
            ranked: places,
            severe: graded(Grade::Severe),
            visible: graded(Grade::Visible),
            engines: (0..report.audit.engines.groups.len())
                .map(|group| group_names(&report.audit, Some(group)))
                .collect(),
            group: (report.audit.engines.groups.len() > 2)
                .then(|| ranked.iter().map(|node| node.group).collect()),
            displacement: figure(|node| node.displacement),
            percent: figure(|node| node.displacement_percent),
            skew: figure(|node| node.skew_difference_degrees),
            linear: figure(|node| node.linear_difference),
            scaler: ranked.iter().map(|node| Some(node.cause.as_ref()?.scaler)).collect(),
            causes: causes(report),
            view,
        };
        (data, bytes, too_large)
    }

    /// Returns JSON for a `script` element, without any `<` that could end it.
    pub(super) fn to_json(&self) -> String {
        let json = serde_json::to_string(self).expect("numbers and strings can be written");
        json.replace('<', "\\u003c")
    }
}

fn causes(report: &Report) -> BTreeSet<usize> {
    let nodes = &report.audit.nodes;
    let at_rest = report.advice.iter().map(|advised| &nodes[advised.group.nodes[0]]);
    let in_motion = report.audit.at_worst.iter().map(|worst| &worst.node);
    let seen = at_rest.chain(in_motion).filter(|node| node.grade().is_seen());
    let causes = seen.filter_map(|node| node.cause.as_ref());
    causes.flat_map(|cause| [Some(cause.scaler), cause.partner]).flatten().collect()
}
