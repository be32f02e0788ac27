//! What engines show: groups and figures beside those that the definitions give, node by node and time by time.

use nalgebra::{Matrix3, Matrix4, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_compare::{
    Animation, Bounds, BuiltIn, Channel, Curve, Engine, EngineAudit, EngineChoice, Grade,
    Interpolation, Limits, LocalPose, Node, Scene, SceneAudit, Severity, Track, compare,
    compare_engines, findings, skew_pairs,
};
use xform_core::Trs;
use xform_matrix::AccumulatedMatrix;

use crate::support::{given::read, moving::moving};

fn ids(engines: &[&Engine]) -> Vec<&'static str> {
    engines.iter().map(|engine| engine.id).collect()
}

fn all() -> EngineChoice {
    EngineChoice::named(Engine::all().iter().collect(), None)
}

fn named(engines: &[&str], reference: Option<&str>) -> EngineChoice {
    let engine = |id: &str| Engine::named(id).unwrap();
    EngineChoice::named(engines.iter().map(|id| engine(id)).collect(), reference.map(engine))
}

fn engines(scene: &Scene, choice: &EngineChoice) -> (SceneAudit, EngineAudit) {
    let audit = compare_engines(scene, choice).unwrap();
    let engines = audit.engines.clone().unwrap();
    (audit, engines)
}

/// The group that an engine is in.
fn group(engines: &EngineAudit, id: &str) -> Option<usize> {
    engines.groups.iter().position(|group| group.iter().any(|engine| engine.id == id))
}

/// The engine whose rule stands for a group: its first member, or for what glTF defines one that keeps everything.
fn first(engines: &EngineAudit, group: usize) -> &'static Engine {
    match engines.groups[group].first() {
        Some(first) if group > 0 || engines.reference.is_some() => first,
        _ => Engine::named("usd").unwrap(),
    }
}

/// The world matrices that an engine shows of a scene as it stands; `None` where it is not known.
fn shown(engine: &Engine, scene: &Scene) -> Vec<Option<Matrix4<f64>>> {
    let node = |node: &Node| xform_engines::Node { parent: node.parent, local: node.local };
    let nodes: Vec<_> = scene.nodes.iter().map(node).collect();
    let worlds = engine.worlds(&nodes).unwrap().into_iter();
    worlds.map(|world| world.ok().map(|world| world.to_homogeneous())).collect()
}

/// How far a node is apart between two world matrices: displacement, its grade.
fn apart(audit: &SceneAudit, bounds: &Bounds, [a, b]: [Matrix4<f64>; 2]) -> (f64, f64, Grade) {
    let farthest = |measured: &dyn Fn(&nalgebra::Point3<f64>) -> f64| {
        bounds.corners().map(|corner| measured(&corner)).fold(0.0, f64::max)
    };
    let moved = farthest(&|corner| (a.transform_point(corner) - b.transform_point(corner)).norm());
    let corners: Vec<_> = bounds.corners().map(|corner| a.transform_point(&corner)).collect();
    let size =
        corners.iter().zip(corners.iter().rev()).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    let linear = |world: &Matrix4<f64>| -> Matrix3<f64> { world.fixed_view::<3, 3>(0, 0).into() };
    let skews = skew_pairs(&linear(&a)).into_iter().zip(skew_pairs(&linear(&b)));
    let skew = skews.filter_map(|(a, b)| Some((a? - b?).abs().to_degrees())).fold(0.0, f64::max);
    let percent = moved / audit.summary.diagonal * 100.0;
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
    let engines = audit.engines.clone().unwrap();
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
    for pair in &engines.pairs {
        let [a, b] = pair.groups.map(|group| first(&engines, group));
        let expected = differing(scene, &audit, [a, b]).unwrap_or_default();
        prop_assert_eq!(
            pair.grade,
            expected.iter().map(|(_, grade)| *grade).max().unwrap_or_default()
        );
        for (index, &(moved, grade)) in expected.iter().enumerate() {
            let found = pair.nodes.iter().find(|node| node.index == index);
            prop_assert_eq!(grade, found.map_or(Grade::Identical, |node| node.grade), "{}", index);
            let Some(found) = found else { continue };
            let off = (found.displacement - moved).abs();
            let visible = audit.summary.diagonal * Grade::IDENTICAL_PERCENT / 100.0;
            prop_assert!(
                off <= 1e-9 * moved + visible,
                "{} {} {}",
                index,
                found.displacement,
                moved
            );
        }
    }
    Ok(())
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

proptest! {
    // Every engine beside every group, at every sample: a case takes long.
    #![proptest_config(ProptestConfig::with_cases(80))]

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

fn stretched(local: Trs<f64>) -> Scene {
    let stretch = Trs::from_scale(Vector3::new(2.0, 1.0, 1.0));
    Scene::new(
        "arm",
        vec![
            Node::new(None, stretch).with_name("Arm"),
            Node::new(Some(0), local).with_name("Hand"),
        ],
    )
}

fn about_z(degrees: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::z_axis(), degrees.to_radians())
}

#[test]
fn the_piston_moves_by_its_closed_form_in_unreal_and_ogre() {
    let scene = BuiltIn::named("piston").unwrap().scene(&[]).unwrap();
    let (_, engines) = engines(&scene, &all());
    assert_eq!(engines.groups.len(), 2);
    assert_eq!(ids(&engines.groups[1]), ["unreal", "ogre"]);
    let worst = engines.pairs[0].nodes[0];
    assert!((worst.displacement - 2.5_f64.sqrt()).abs() < 1e-12);
    assert!((worst.displacement_percent.unwrap() - 2.5_f64.sqrt() / 5.678_91 * 100.0).abs() < 1e-3);
    assert_eq!((engines.pairs[0].grade, engines.grade()), (Grade::Severe, Grade::Severe));
}

#[test]
fn an_even_mirror_is_the_same_in_unreal_and_not_in_ogre() {
    let mirror = Trs::from_scale(Vector3::new(-1.0, 1.0, 1.0));
    let turned = Trs::from_rotation(about_z(30.0));
    let scene = Scene::new("mirror", vec![Node::new(None, mirror), Node::new(Some(0), turned)]);
    let (audit, engines) = engines(&scene, &all());
    assert_eq!(engines.groups.len(), 2);
    assert_eq!(ids(&engines.groups[1]), ["ogre"]);
    assert_eq!(audit.summary.grade, Grade::Severe);
}

#[test]
fn a_sheared_matrix_is_read_in_as_many_ways_as_there_are() {
    let sheared = Trs::from_scale(Vector3::new(2.0, 1.0, 1.0)).to_homogeneous()
        * Trs::from_rotation(about_z(38.0)).to_homogeneous();
    let sheared = AccumulatedMatrix::from_matrix(sheared).unwrap();
    let scene = Scene::new("plate", vec![Node::new(None, sheared).with_name("Plate")]);
    let (_, found) = engines(&scene, &all());
    let groups: Vec<_> = found.groups.iter().map(|group| ids(group)).collect();
    assert_eq!(groups[0], ["filament", "godot", "panda3d", "usd", "assimp", "trimesh"]);
    assert_eq!(groups[1], ["three", "babylon", "bevy", "gltf-transform"]);
    assert_eq!(groups[2], ["playcanvas", "unity", "unreal", "blender"]);
    let unknown: Vec<_> = found.unknown.iter().map(|unknown| unknown.engine.id).collect();
    assert_eq!(unknown, ["galacean", "ogre", "maya", "3dsmax", "osg", "irrlicht"]);
    assert!(found.pairs.iter().all(|pair| pair.sheared == Some(0)));
    assert!(found.has_sheared_matrices);
    // Without one that is named, glTF's own definition is no side of the limits.
    let (audit, found) = engines(&scene, &named(&["three", "unity"], None));
    assert_eq!(found.groups.iter().map(Vec::len).collect::<Vec<_>>(), [0, 1, 1]);
    assert_eq!(found.limited().map(|pair| pair.groups).collect::<Vec<_>>(), [[1, 2]]);
    let mut limits = Limits::default();
    limits.fail_on = Some(Grade::Negligible);
    let found = findings(&audit, &limits);
    assert_eq!(found[0].rule, "engines-differ");
    assert!(found[0].fails && found[0].severity == Severity::Error);
    assert!(found[0].message.contains("between three.js and Unity"), "{}", found[0].message);
    // Alone, an engine is compared with it.
    let (_, found) = engines(&scene, &named(&["three"], None));
    assert_eq!(found.limited().map(|pair| pair.groups).collect::<Vec<_>>(), [[0, 1]]);
}

#[test]
fn limits_are_for_the_engines_that_were_named() {
    let scene = stretched(Trs::from_rotation(about_z(38.0)));
    let mut limits = Limits::default();
    limits.fail_on = Some(Grade::Visible);
    let fails = |choice: Option<&EngineChoice>| {
        let audit =
            choice.map_or_else(|| compare(&scene), |choice| compare_engines(&scene, choice));
        findings(&audit.unwrap(), &limits).iter().any(|finding| finding.fails)
    };
    assert!(fails(None), "the two strategies");
    assert!(fails(Some(&EngineChoice::usual())), "nobody named them");
    assert!(!fails(Some(&named(&["three", "godot"], None))), "they show the same");
    assert!(fails(Some(&named(&["three", "unreal"], None))));
    assert!(!fails(Some(&named(&["ogre"], Some("unreal")))));
    // A skew is limited between engines too: only one of them shows it.
    let mut limits = Limits::default();
    limits.max_skew_degrees = Some(1.0);
    let audit = compare_engines(&scene, &named(&["three", "unreal"], None)).unwrap();
    let found = findings(&audit, &limits);
    assert!(found.iter().any(|finding| {
        finding.excess.as_ref().is_some_and(|e| e.words.starts_with("skew 36.04° > 1°"))
    }));
}

#[test]
fn a_reference_stands_first_and_the_others_are_compared_with_it() {
    let scene = stretched(Trs::from_rotation(about_z(38.0)));
    let (_, found) = engines(&scene, &named(&["three", "godot", "ogre"], Some("unreal")));
    assert_eq!(
        found.groups.iter().map(|group| ids(group)).collect::<Vec<_>>(),
        [vec!["unreal", "ogre"], vec!["three", "godot"]]
    );
    // Named twice, once as the reference, it is there once.
    let (_, found) = engines(&scene, &named(&["unreal", "unreal", "three"], Some("unreal")));
    assert_eq!(
        found.groups.iter().map(|group| ids(group)).collect::<Vec<_>>(),
        [vec!["unreal"], vec!["three"]]
    );
}

#[test]
fn nothing_is_said_where_a_negative_scale_meets_one_of_zero() {
    let flat = Trs::from_scale(Vector3::new(-1.0, 0.0, 1.0));
    let scene =
        Scene::new("flat", vec![Node::new(None, flat), Node::new(Some(0), Trs::identity())]);
    let (_, found) = engines(&scene, &all());
    let unknown: Vec<_> =
        found.unknown.iter().map(|unknown| (unknown.engine.id, unknown.node)).collect();
    assert_eq!(unknown, [("unreal", 1)]);
    assert_eq!(found.unknown[0].reason.name(), "zero-scale");
}

#[test]
fn nothing_is_said_where_that_happens_in_motion_alone() {
    let scale = [[-1.0, 1.0, 1.0], [-1.0, 0.0, 1.0]];
    let curve = Curve::new(vec![0.0, 1.0], scale.to_vec(), Interpolation::Linear).unwrap();
    let arm = Trs::from_scale(scale[0].into());
    let hand = Trs::from_rotation(about_z(30.0));
    let mut scene = Scene::new("flat", vec![Node::new(None, arm), Node::new(Some(0), hand)]);
    let channel = Channel { node: 0, track: Track::Scale(curve) };
    scene.animations = vec![Animation::new(0, vec![channel])];
    let (_, found) = engines(&scene, &all());
    let unknown: Vec<_> =
        found.unknown.iter().map(|unknown| (unknown.engine.id, unknown.node)).collect();
    assert_eq!(unknown, [("unreal", 1)]);
    assert!(group(&found, "ogre").is_some() && group(&found, "unreal").is_none());
}

#[test]
fn a_flat_matrix_is_unknown_where_it_is_taken_apart() {
    let flat = Trs::from_scale(Vector3::new(2.0, 1.0, 0.0)).to_homogeneous();
    let flat = AccumulatedMatrix::from_matrix(flat).unwrap();
    let scene = Scene::new("flat", vec![Node::new(None, flat)]);
    let (_, found) = engines(&scene, &named(&["three", "godot", "unreal", "usd"], None));
    assert_eq!(found.groups.iter().map(|group| ids(group)).collect::<Vec<_>>(), [["godot", "usd"]]);
    let unknown: Vec<_> = found.unknown.iter().map(|unknown| unknown.engine.id).collect();
    assert_eq!(unknown, ["three", "unreal"]);
    // As a pose it comes through all.
    let pose = Trs::from_scale(Vector3::new(2.0, 1.0, 0.0));
    let (_, found) = engines(&Scene::new("flat", vec![Node::new(None, pose)]), &all());
    assert_eq!((found.groups.len(), found.unknown.len()), (1, 0));
}

#[test]
fn where_the_reference_is_unknown_what_gltf_defines_stands_in_its_place() {
    let sheared = Trs::from_scale(Vector3::new(2.0, 1.0, 1.0)).to_homogeneous()
        * Trs::from_rotation(about_z(38.0)).to_homogeneous();
    let sheared = AccumulatedMatrix::from_matrix(sheared).unwrap();
    let scene = Scene::new("plate", vec![Node::new(None, sheared)]);
    let (_, found) = engines(&scene, &named(&["three", "godot"], Some("ogre")));
    assert_eq!((found.reference, found.unknown_reference.unwrap().id), (None, "ogre"));
    let groups: Vec<_> = found.groups.iter().map(|group| ids(group)).collect();
    assert_eq!(groups, [["godot"], ["three"]]);
    assert_eq!(found.unknown[0].engine.id, "ogre");
}

#[test]
fn the_size_of_a_scene_does_not_matter() {
    for size in [1e-100, 1e-12, 1.0, 1e12, 1e100] {
        let sheared = Matrix4::new(
            1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0,
        );
        let mut matrix = sheared * size;
        matrix[(3, 3)] = 1.0;
        let matrix = AccumulatedMatrix::from_matrix(matrix).unwrap();
        let scene = Scene::new("sized", vec![Node::new(None, matrix)]);
        let (_, found) = engines(&scene, &named(&["three", "godot"], None));
        assert_eq!(found.groups.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1], "{size}");
        // Far from the origin too.
        let far = Trs::from_translation(Vector3::repeat(1e6 * size));
        let nodes = vec![Node::new(None, far), Node::new(Some(0), matrix)];
        let (_, found) = engines(&Scene::new("far", nodes), &named(&["three", "godot"], None));
        assert_eq!(found.groups.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1], "{size}");
    }
}

#[test]
fn nodes_that_inherit_less_are_in_no_file_and_nothing_is_said_of_them() {
    let scene = BuiltIn::named("inherit").unwrap().scene(&[]).unwrap();
    let (_, found) = engines(&scene, &all());
    assert!(found.groups.is_empty());
    assert_eq!(found.unknown.len(), Engine::all().len());
}

#[test]
fn what_draws_nothing_does_not_count() {
    let scene = read(
        r#""nodes": [{ "mesh": 0 }, { "scale": [2, 1, 1], "children": [2] }, { "rotation": [0, 0, 0.6, 0.8] }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "componentType": 5126, "count": 8, "type": "VEC3", "min": [-1, -1, -1], "max": [1, 1, 1] }]"#,
    );
    let (_, found) = engines(&scene.unwrap(), &all());
    assert_eq!(found.groups.len(), 1);
    assert_eq!(found.groups[0].len(), Engine::all().len());
}

#[test]
fn engines_take_nothing_from_the_rest_of_an_audit() {
    for scene in ["piston", "skewed-child"] {
        let scene = BuiltIn::named(scene).unwrap().scene(&[]).unwrap();
        let mut audit = compare_engines(&scene, &all()).unwrap();
        audit.engines = None;
        assert_eq!(audit, compare(&scene).unwrap());
    }
}
