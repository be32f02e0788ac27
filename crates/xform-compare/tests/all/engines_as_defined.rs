//! What engines show: groups and figures beside those that the definitions give, node by node and time by time.

use nalgebra::{Matrix3, Matrix4, Point3, UnitQuaternion};
use proptest::prelude::*;
use xform_cases::properties;
use xform_compare::{
    Engine, Grade, SceneAudit,
    audit::{EngineAudit, EngineChoice},
    compare_engines,
    measure::skew_pairs,
};
use xform_core::Trs;
use xform_matrix::AccumulatedMatrix;
use xform_scene::{Bounds, LocalPose, Node, Scene};

use crate::support::{
    engine_choices::{all, named},
    moving::{WITHOUT_EXTENT, moving},
};

/// The group that an engine is in.
pub(crate) fn group(engines: &EngineAudit, id: &str) -> Option<usize> {
    engines.groups.iter().position(|group| group.engines.iter().any(|engine| engine.id == id))
}

/// The engine whose rule stands for a group: its first member, or for what glTF defines one that keeps everything.
fn first(engines: &EngineAudit, group: usize) -> &'static Engine {
    match engines.groups[group].engines.first() {
        Some(first) if group > 0 || engines.reference.is_some() => first,
        _ => Engine::named("usd").unwrap(),
    }
}

/// The world matrices that an engine shows of a scene as it stands; `None` where it is not known.
fn shown(engine: &Engine, scene: &Scene) -> Vec<Option<Matrix4<f64>>> {
    let node = |node: &Node| xform_engines::SourceNode { parent: node.parent, local: node.local };
    let nodes: Vec<_> = scene.nodes.iter().map(node).collect();
    let worlds = engine.worlds(&nodes).unwrap().into_iter();
    worlds.map(|world| world.ok().map(|world| world.to_homogeneous())).collect()
}

/// How far a node is apart between two world matrices: displacement, its grade.
fn apart(audit: &SceneAudit, bounds: &Bounds, [a, b]: [Matrix4<f64>; 2]) -> (f64, f64, Grade) {
    let farthest = |measured: &dyn Fn(&Point3<f64>) -> f64| {
        bounds.corners().map(|corner| measured(&corner)).fold(0.0, f64::max)
    };
    let moved = farthest(&|corner| (a.transform_point(corner) - b.transform_point(corner)).norm());
    let corners: Vec<_> = bounds.corners().map(|corner| a.transform_point(&corner)).collect();
    let size =
        corners.iter().zip(corners.iter().rev()).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    let linear = |world: &Matrix4<f64>| -> Matrix3<f64> { world.fixed_view::<3, 3>(0, 0).into() };
    let skews = skew_pairs(&linear(&a)).into_iter().zip(skew_pairs(&linear(&b)));
    let skew = skews.filter_map(|(a, b)| Some((a? - b?).abs().to_degrees())).fold(0.0, f64::max);
    let is_rounding = audit.summary.diagonal == 0.0 && moved <= WITHOUT_EXTENT;
    let percent = if is_rounding { 0.0 } else { moved / audit.summary.diagonal * 100.0 };
    let grade = Grade::new(Some(percent), (size > 0.0).then(|| moved / size * 100.0), Some(skew));
    (moved, skew, grade)
}

/// Every moment that was looked at: at rest, and at each sample of each animation.
fn moments(scene: &Scene, audit: &SceneAudit) -> Vec<(Scene, Option<usize>)> {
    let mut moments = vec![(scene.clone(), None)];
    for (place, animation) in audit.animations.iter().enumerate() {
        let posed = |seconds| (scene.posed(place, seconds), Some(place));
        moments.extend(animation.timeline.iter().map(|point| posed(point.seconds)));
    }
    moments
}

/// The nodes that count and are apart between two engines: the farthest, and the worst grade. `None` where one of them is
/// not known.
fn differing(scene: &Scene, audit: &SceneAudit, [a, b]: [&Engine; 2]) -> Option<Vec<(f64, Grade)>> {
    let mut worst = vec![(0.0_f64, Grade::Identical); scene.nodes.len()];
    for (moment, animation) in moments(scene, audit) {
        let (a, b) = (shown(a, &moment), shown(b, &moment));
        for (index, node) in audit.nodes.iter().enumerate() {
            let both = [a[index]?, b[index]?];
            let is_moved = animation.is_none_or(|place| {
                audit.animations[place].nodes.iter().any(|node| node.index == index)
            });
            let is_flat = both.iter().all(|world| world.fixed_view::<3, 3>(0, 0).amax() == 0.0);
            let counts = if animation.is_none() { node.counts_at_rest() } else { node.counts };
            if !is_moved || !counts || animation.is_some() && is_flat {
                continue;
            }
            let (moved, _, grade) = apart(audit, &scene.nodes[index].bounds, both);
            let known = &mut worst[index];
            *known = (known.0.max(moved), known.1.max(grade));
        }
    }
    Some(worst)
}

/// Groups and figures are those that the definitions give.
fn check(scene: &Scene, choice: &EngineChoice) -> Result<(), TestCaseError> {
    let Ok(audit) = compare_engines(scene, choice) else { return Ok(()) };
    let engines = audit.engines.clone();
    let worst = |a: &Engine, b: &Engine| {
        let nodes = differing(scene, &audit, [a, b])?;
        nodes.into_iter().map(|(_, grade)| grade).max()
    };
    for engine in Engine::all() {
        let is_chosen = choice.engines.iter().any(|chosen| chosen.id == engine.id)
            || choice.reference.is_some_and(|reference| reference.id == engine.id);
        let group = group(&engines, engine.id);
        let is_unknown = engines.unknown.iter().any(|unknown| unknown.engine.id == engine.id);
        prop_assert_eq!(is_chosen, group.is_some() || is_unknown, "{}", engine.id);
        let Some(group) = group else { continue };
        for earlier in 0..=group {
            let grade = worst(first(&engines, earlier), engine).unwrap_or_default();
            prop_assert_eq!(
                grade == Grade::Identical,
                earlier == group,
                "{} {}",
                engine.id,
                earlier
            );
        }
    }
    for (place, group) in engines.groups.iter().enumerate().skip(1) {
        let both = [first(&engines, 0), first(&engines, place)];
        let worst = group.nodes.iter().map(|node| node.grade).max().unwrap_or_default();
        prop_assert_eq!(group.grade, worst);
        for node in &group.nodes {
            // As it is at the time that is told.
            let moment = node.motion.map(|(animation, seconds)| scene.posed(animation, seconds));
            let moment = moment.as_ref().unwrap_or(scene);
            let [Some(a), Some(b)] = both.map(|engine| shown(engine, moment)[node.index]) else {
                return Err(TestCaseError::fail("a group that is not known"));
            };
            let (moved, ..) = apart(&audit, &scene.nodes[node.index].bounds, [a, b]);
            prop_assert!(is_near(&audit, node.displacement, moved), "{:?}: {}", node, moved);
        }
        // No time that was looked at, for this group or another, has much more.
        let expected = differing(scene, &audit, both).unwrap_or_default();
        for (index, &(moved, grade)) in expected.iter().enumerate() {
            let found = group.nodes.iter().find(|node| node.index == index);
            if grade == Grade::Identical {
                continue;
            }
            prop_assert!(found.is_some(), "{} {:?}", index, grade);
            let found = found.unwrap();
            prop_assert!(
                moved <= found.displacement * 1.05 || is_near(&audit, found.displacement, moved),
                "{:?}: {}",
                found,
                moved
            );
        }
    }
    // Of each node, the figures are those of the group that shows it worst.
    for node in audit.nodes.iter().filter(|node| node.counts_at_rest()) {
        let grades = (1..engines.groups.len()).filter_map(|place| {
            let both = [first(&engines, 0), first(&engines, place)];
            let [a, b] = both.map(|engine| shown(engine, scene)[node.index]);
            Some(apart(&audit, &scene.nodes[node.index].bounds, [a?, b?]))
        });
        let worst: Vec<_> = grades.collect();
        let grade = worst.iter().map(|(.., grade)| *grade).max().unwrap_or_default();
        prop_assert_eq!(node.grade(), grade, "{}", node.index);
        prop_assert_eq!(node.group.is_some(), grade > Grade::Identical);
        let farthest = worst.iter().filter(|(.., own)| *own == grade).map(|(moved, ..)| *moved);
        let farthest = farthest.fold(0.0, f64::max);
        prop_assert!(is_near(&audit, node.displacement.unwrap_or(0.0), farthest));
    }
    Ok(())
}

/// Whether displacements are the same but for what is no difference in the scene.
fn is_near(audit: &SceneAudit, found: f64, expected: f64) -> bool {
    let extent = audit.summary.diagonal;
    let visible =
        if extent == 0.0 { WITHOUT_EXTENT } else { extent * Grade::IDENTICAL_PERCENT / 100.0 };
    (found - expected).abs() <= 1e-9 * expected + visible
}

/// A scene of a few nodes, some with a matrix, which may be sheared or mirror.
fn with_matrices() -> impl Strategy<Value = Scene> {
    let factor = prop_oneof![4 => 0.3..3.0, 1 => -2.0..-0.3, 1 => Just(1.0)];
    let pose = (
        proptest::array::uniform3(-2.0..2.0),
        proptest::array::uniform3(-3.0..3.0),
        proptest::array::uniform3(factor),
    );
    let pose = pose.prop_map(|(at, turn, scale): ([f64; 3], [f64; 3], [f64; 3])| {
        Trs::from_parts(at.into(), UnitQuaternion::from_scaled_axis(turn.into()), scale.into())
    });
    let node = (any::<prop::sample::Index>(), pose.clone(), pose, 0..4);
    prop::collection::vec(node, 1..6).prop_map(|entries| {
        let node = |(index, (parent, outer, inner, kind)): (
            usize,
            (prop::sample::Index, Trs<f64>, Trs<f64>, i32),
        )| {
            let parent = (index > 0).then(|| parent.index(index));
            let matrix =
                |matrix| LocalPose::Matrix(AccumulatedMatrix::from_matrix(matrix).unwrap());
            let local = match kind {
                0 => matrix(outer.to_homogeneous() * inner.to_homogeneous()),
                1 => matrix(outer.to_homogeneous()),
                _ => outer.into(),
            };
            Node::new(parent, local)
        };
        Scene::new("random", entries.into_iter().enumerate().map(node).collect())
    })
}

properties! {
    // Every engine beside every group, at every sample: a case takes long.
    #![cases(30)]

    #[test]
    fn groups_and_figures_are_as_defined_where_matrices_are(scene in with_matrices()) {
        check(&scene, &all())?;
        check(&scene, &named(&["three", "unreal", "ogre", "blender"], Some("babylon")))?;
    }

    #[test]
    fn groups_and_figures_are_as_defined_in_motion(moving in moving()) {
        check(&moving.scene(), &all())?;
    }
}
