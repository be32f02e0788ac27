use serde::Serialize;
use xform_compare::{
    Grade, SceneAudit,
    audit::{EngineAudit, EngineGroup, EngineNode, UnknownEngine},
    judge::is_unknown,
};
use xform_engines::Engine;

use super::views::MomentView;

/// The results of engines for a scene.
#[derive(Serialize)]
pub(crate) struct EnginesView<'a> {
    reference: Option<&'a str>,
    groups: Vec<GroupView<'a>>,
    unknown: Vec<UnknownView<'a>>,
    /// No difference is visible, but not all could be judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_judged: Option<bool>,
}

/// Engines that show the same, and how far they are from the reference.
#[derive(Serialize)]
struct GroupView<'a> {
    engines: Vec<EngineView<'a>>,
    /// The strategy with the same result, if there is one.
    strategy: Option<&'a str>,
    grade: Grade,
    differing: usize,
    sheared: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    odd_rotation: Option<usize>,
    nodes: Vec<EngineNodeView<'a>>,
}

#[derive(Serialize)]
struct EngineView<'a> {
    id: &'a str,
    /// How its rule is known.
    known: &'a str,
}

#[derive(Serialize)]
struct EngineNodeView<'a> {
    node: usize,
    grade: Grade,
    displacement: f64,
    displacement_percent: Option<f64>,
    skew_difference_degrees: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    turned_degrees: Option<f64>,
    #[serde(flatten)]
    when: MomentView<'a>,
}

#[derive(Serialize)]
struct UnknownView<'a> {
    engine: EngineView<'a>,
    node: usize,
    reason: &'a str,
}

impl<'a> EnginesView<'a> {
    /// Returns the results for a scene, with at most `at_most` of the worst nodes of each group.
    pub(crate) fn of(scene: &'a SceneAudit, at_most: usize) -> Self {
        let engines = &scene.engines;
        let groups = engines.groups.iter().map(|group| GroupView::new(scene, group, at_most));
        let unknown =
            engines.unknown.iter().map(|UnknownEngine { engine, node, reason }| UnknownView {
                engine: EngineView::new(engine, engines),
                node: *node,
                reason: reason.name(),
            });
        Self {
            reference: engines.reference.map(|engine| engine.id),
            groups: groups.collect(),
            unknown: unknown.collect(),
            not_judged: is_unknown(scene).then_some(true),
        }
    }
}

impl<'a> EngineView<'a> {
    fn new(engine: &'a Engine, engines: &EngineAudit) -> Self {
        Self { id: engine.id, known: engine.known(engines.has_sheared_matrices).name() }
    }
}

impl<'a> GroupView<'a> {
    fn new(scene: &'a SceneAudit, group: &'a EngineGroup, at_most: usize) -> Self {
        let view = |node: &EngineNode| EngineNodeView {
            node: node.index,
            grade: node.grade,
            displacement: node.displacement,
            displacement_percent: node.displacement_percent,
            skew_difference_degrees: node.skew_difference_degrees,
            turned_degrees: node.turned_degrees,
            when: MomentView::new(scene, node.motion),
        };
        let engines = group.engines.iter();
        Self {
            engines: engines.map(|engine| EngineView::new(engine, &scene.engines)).collect(),
            strategy: group.strategy.map(|strategy| strategy.id),
            grade: group.grade,
            differing: group.nodes.len(),
            sheared: group.sheared,
            odd_rotation: group.odd_rotation,
            nodes: group.nodes.iter().take(at_most).map(view).collect(),
        }
    }
}
