//! Nodes and assets as rows of cells, shared by CSV and Parquet.

use std::collections::HashMap;

use xform_compare::{
    Engine, Grade, NodeAudit, SceneAudit,
    audit::{
        AnimationPeak, ColliderAudit, ColliderInEngine, PhysicsRoad, WorstInMotion, node_path,
    },
};

use crate::NodeSelection;

/// A column and the kind of its cells.
pub(super) type Column = (&'static str, Kind);

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Text,
    Count,
    Figure,
}

/// One value. `None` is undefined, or does not apply.
#[cfg_attr(feature = "parquet", derive(serde::Deserialize, serde::Serialize))]
pub(super) enum Cell {
    Text(Option<String>),
    Count(Option<usize>),
    #[cfg_attr(feature = "parquet", serde(with = "bits"))]
    Figure(Option<f64>),
}

/// Figures by their bits, because not every number exists in JSON.
#[cfg(feature = "parquet")]
mod bits {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "as serde calls it")]
    pub(super) fn serialize<S: Serializer>(
        figure: &Option<f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        figure.map(f64::to_bits).serialize(serializer)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(
        deserializer: D,
    ) -> Result<Option<f64>, D::Error> {
        Ok(Option::<u64>::deserialize(deserializer)?.map(f64::from_bits))
    }
}

pub(super) const NODE_COLUMNS: [Column; 37] = [
    ("source", Kind::Text),
    ("index", Kind::Count),
    ("path", Kind::Text),
    ("name", Kind::Text),
    ("parent", Kind::Count),
    ("depth", Kind::Count),
    ("grade", Kind::Text),
    ("counts", Kind::Text),
    ("skew_degrees", Kind::Figure),
    ("skew_xy_degrees", Kind::Figure),
    ("skew_xz_degrees", Kind::Figure),
    ("skew_yz_degrees", Kind::Figure),
    ("orthogonality", Kind::Figure),
    ("nearest_trs_distance", Kind::Figure),
    ("group", Kind::Count),
    ("linear_difference", Kind::Figure),
    ("skew_difference_degrees", Kind::Figure),
    ("displacement", Kind::Figure),
    ("displacement_percent", Kind::Figure),
    ("displacement_percent_of_itself", Kind::Figure),
    ("local_residual", Kind::Figure),
    ("scaler", Kind::Count),
    ("partner", Kind::Count),
    ("rotator", Kind::Count),
    ("removes_fraction", Kind::Figure),
    ("removes_skew_degrees", Kind::Figure),
    ("removes_difference", Kind::Figure),
    ("candidates", Kind::Count),
    ("motion_grade", Kind::Text),
    ("motion_skew_difference_degrees", Kind::Figure),
    ("motion_linear_difference", Kind::Figure),
    ("motion_displacement", Kind::Figure),
    ("motion_displacement_percent", Kind::Figure),
    ("engines", Kind::Text),
    ("collider_grade", Kind::Text),
    ("collider_distance", Kind::Figure),
    ("collider_engines", Kind::Text),
];

/// Returns the rows of a scene's nodes.
pub(super) fn node_rows(
    scene: &SceneAudit,
    nodes: NodeSelection,
) -> impl Iterator<Item = [Cell; 37]> + use<'_> {
    let mut colliders: HashMap<usize, Vec<_>> = HashMap::new();
    for collider in scene.physics.colliders.iter().filter(|_| scene.physics.is_asked) {
        colliders.entry(collider.node).or_default().push(collider);
    }
    nodes.of(scene).map(move |(node, motion)| {
        let colliders = colliders.get(&node.index);
        let colliders = colliders.map(|own| OfColliders::new(&scene.physics.engines, own));
        node_cells(scene, node, motion, colliders)
    })
}

/// Returns the cells of a node, in the order of the columns.
fn node_cells(
    scene: &SceneAudit,
    node: &NodeAudit,
    motion: Option<WorstInMotion>,
    colliders: Option<OfColliders>,
) -> [Cell; 37] {
    let [xy, xz, yz] = node.skew_pairs_degrees;
    let cause = node.cause.as_ref();
    let motion_grade = motion.map(|motion| motion.grade.name().to_owned());
    let motion = motion.unwrap_or_default();
    let worst = node.grade().max(motion.grade);
    let peak = |worst: Option<AnimationPeak>| Cell::Figure(worst.map(|worst| worst.peak.max));
    [
        Cell::Text(Some(scene.source.clone())),
        Cell::Count(Some(node.index)),
        Cell::Text(Some(node_path(scene, node.index))),
        Cell::Text(node.name.clone()),
        Cell::Count(node.parent),
        Cell::Count(Some(node.depth)),
        Cell::Text(Some(node.grade().name().to_owned())),
        Cell::Text(Some(node.counts_at_rest().to_string())),
        Cell::Figure(node.skew_degrees),
        Cell::Figure(xy),
        Cell::Figure(xz),
        Cell::Figure(yz),
        Cell::Figure(node.orthogonality),
        Cell::Figure(Some(node.nearest_trs_distance)),
        Cell::Count(node.group),
        Cell::Figure(node.linear_difference),
        Cell::Figure(node.skew_difference_degrees),
        Cell::Figure(node.displacement),
        Cell::Figure(node.displacement_percent),
        Cell::Figure(node.displacement_percent_of_itself),
        Cell::Figure(node.local_residual),
        Cell::Count(cause.map(|cause| cause.scaler)),
        Cell::Count(cause.and_then(|cause| cause.partner)),
        Cell::Count(cause.and_then(|cause| cause.rotator)),
        Cell::Figure(cause.map(|cause| cause.removes_fraction)),
        Cell::Figure(cause.and_then(|cause| cause.removes_skew_degrees)),
        Cell::Figure(cause.and_then(|cause| cause.removes_difference)),
        Cell::Count(cause.map(|cause| cause.candidates)),
        Cell::Text(motion_grade),
        peak(motion.skew_difference_degrees),
        peak(motion.linear_difference),
        peak(motion.displacement),
        Cell::Figure(motion.displacement_percent),
        Cell::Text(Some(of_engines(scene, node, worst))),
        Cell::Text(colliders.as_ref().map(|colliders| colliders.grade.name().to_owned())),
        Cell::Figure(colliders.as_ref().map(|colliders| colliders.distance)),
        Cell::Text(colliders.map(|colliders| colliders.engines)),
    ]
}

/// The results of physics engines for the colliders of a node.
struct OfColliders {
    /// The worst grade, and the largest distance.
    grade: Grade,
    distance: f64,
    /// The engines in which one differs or is unknown: `visible in godot-jolt (run); unknown in unreal`.
    engines: String,
}

impl OfColliders {
    fn new(engines: &[PhysicsRoad], own: &[&ColliderAudit]) -> Self {
        let in_engine = |(place, road): (usize, &PhysicsRoad)| {
            let made = || own.iter().filter_map(|one| one.in_engines.get(place));
            let grade = made().map(|one| one.grade).max().unwrap_or_default();
            let id = road.id();
            if grade > Grade::Identical {
                return Some(format!("{} in {id} ({})", grade.name(), road.road.rule.known.name()));
            }
            let is_unknown = made().any(ColliderInEngine::is_unknown);
            let is_not_made = made().any(ColliderInEngine::is_not_made);
            let what = is_unknown.then_some("unknown").or(is_not_made.then_some("not made"))?;
            Some(format!("{what} in {id}"))
        };
        let engines = engines.iter().enumerate().filter_map(in_engine);
        Self {
            grade: own.iter().map(|one| one.grade()).max().unwrap_or_default(),
            distance: own.iter().map(|one| one.distance()).fold(0.0, f64::max),
            engines: engines.collect::<Vec<_>>().join("; "),
        }
    }
}

/// Lists the engines in which a node differs from the reference or is unknown: `visible in unreal (read); negligible in
/// blender (run); unknown in ogre`.
fn of_engines(scene: &SceneAudit, node: &NodeAudit, worst: Grade) -> String {
    let engines = &scene.engines;
    let graded = |grade: Grade, shown: &[&Engine]| {
        let named = shown.iter().map(|engine| {
            format!("{} ({})", engine.id, engine.known(engines.has_sheared_matrices).name())
        });
        let named: Vec<_> = named.collect();
        format!("{} in {}", grade.name(), named.join(", "))
    };
    let groups = engines.others().iter().filter_map(|group| {
        let found = group.nodes.iter().find(|found| found.index == node.index)?;
        Some(graded(found.grade, &group.engines))
    });
    let undrawn = (!node.undrawn_in.is_empty()).then(|| graded(worst, &node.undrawn_in));
    let is_at_or_below = |above: usize| {
        std::iter::successors(Some(node.index), |&node| scene.nodes[node].parent)
            .any(|node| node == above)
    };
    let unknown = engines.unknown.iter().filter(|unknown| is_at_or_below(unknown.node));
    let unknown: Vec<_> = unknown.map(|unknown| unknown.engine.id).collect();
    let unknown = (!unknown.is_empty()).then(|| format!("unknown in {}", unknown.join(", ")));
    groups.chain(undrawn).chain(unknown).collect::<Vec<_>>().join("; ")
}
