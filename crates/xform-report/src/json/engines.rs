use serde::Serialize;
use xform_compare::{
    Grade, SceneAudit,
    audit::{EngineAudit, EngineNode, EnginePair, UnknownEngine},
};
use xform_engines::Engine;

/// What engines show.
#[derive(Serialize)]
pub(crate) struct EnginesView<'a> {
    reference: Option<&'a str>,
    named: bool,
    groups: Vec<GroupView<'a>>,
    pairs: Vec<PairView<'a>>,
    unknown: Vec<UnknownView<'a>>,
}

/// Engines that show the same, and how far they are from the reference.
#[derive(Serialize)]
struct GroupView<'a> {
    engines: Vec<EngineView<'a>>,
    grade: Grade,
}

#[derive(Serialize)]
struct EngineView<'a> {
    id: &'a str,
    /// How its rule is known.
    known: &'a str,
}

/// How far two groups are apart.
#[derive(Serialize)]
struct PairView<'a> {
    groups: [usize; 2],
    grade: Grade,
    differing: usize,
    sheared: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    odd_rotation: Option<usize>,
    nodes: Vec<EngineNodeView<'a>>,
}

#[derive(Serialize)]
struct EngineNodeView<'a> {
    node: usize,
    grade: Grade,
    displacement: f64,
    displacement_percent: Option<f64>,
    skew_degrees: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    animation: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    animation_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
}

#[derive(Serialize)]
struct UnknownView<'a> {
    engine: EngineView<'a>,
    node: usize,
    reason: &'a str,
}

impl<'a> EnginesView<'a> {
    /// Of a scene whose engines were compared; of each pair the worst nodes, this many at most.
    pub(crate) fn of(scene: &'a SceneAudit, at_most: usize) -> Option<Self> {
        let engines = scene.engines.as_ref()?;
        let engine = |engine: &'a Engine| EngineView::new(engine, engines);
        let groups = engines.groups.iter().enumerate().map(|(place, group)| GroupView {
            engines: group.iter().map(|&one| engine(one)).collect(),
            grade: engines.from_reference(place).map_or(Grade::Identical, |pair| pair.grade),
        });
        let unknown = engines.unknown.iter().map(|UnknownEngine { engine: one, node, reason }| {
            UnknownView { engine: engine(one), node: *node, reason: reason.name() }
        });
        Some(Self {
            reference: engines.reference.map(|engine| engine.id),
            named: engines.are_named,
            groups: groups.collect(),
            pairs: engines.pairs.iter().map(|pair| PairView::new(scene, pair, at_most)).collect(),
            unknown: unknown.collect(),
        })
    }
}

impl<'a> EngineView<'a> {
    fn new(engine: &'a Engine, engines: &EngineAudit) -> Self {
        Self { id: engine.id, known: engine.known(engines.has_sheared_matrices).name() }
    }
}

impl<'a> PairView<'a> {
    fn new(scene: &'a SceneAudit, pair: &'a EnginePair, at_most: usize) -> Self {
        let EnginePair { groups, grade, nodes, sheared, odd_rotation } = pair;
        let view = |node: &EngineNode| {
            let animation = node.motion.map(|(animation, _)| &scene.animations[animation]);
            EngineNodeView {
                node: node.index,
                grade: node.grade,
                displacement: node.displacement,
                displacement_percent: node.displacement_percent,
                skew_degrees: node.skew_degrees,
                animation: animation.map(|animation| animation.index),
                animation_name: animation.and_then(|animation| animation.name.as_deref()),
                seconds: node.motion.map(|(_, seconds)| seconds),
            }
        };
        let (differing, nodes) = (nodes.len(), nodes.iter().take(at_most).map(view).collect());
        Self {
            groups: *groups,
            grade: *grade,
            differing,
            sheared: *sheared,
            odd_rotation: *odd_rotation,
            nodes,
        }
    }
}
