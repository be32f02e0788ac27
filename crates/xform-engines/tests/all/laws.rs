//! What must hold of rules on any hierarchy.

use nalgebra::{Matrix4, UnitQuaternion, Vector3};
use proptest::prelude::*;
use xform_cases::properties;
use xform_core::Trs;
use xform_engines::{
    Accumulation, CannotSay, Engine, Import, KeepWorld, LocalPose, Reason, SourceNode, SwitchRule,
    World,
    blender::InheritScale,
    fbx::{self, InheritType},
    houdini::{self, ScaleInheritance},
    ogre::{self, InheritFlags},
};
use xform_matrix::AccumulatedMatrix;

fn pose(least_scale: f64) -> impl Strategy<Value = Trs<f64>> {
    let vector = |range: std::ops::Range<f64>| proptest::array::uniform3(range);
    (vector(-3.0..3.0), vector(-3.0..3.0), vector(least_scale..2.0)).prop_map(
        |(at, turn, scale)| {
            let away_from_zero = |factor: f64| if factor.abs() < 0.2 { 0.2 } else { factor };
            let scale = Vector3::from(scale).map(away_from_zero);
            Trs::from_parts(at.into(), UnitQuaternion::from_scaled_axis(Vector3::from(turn)), scale)
        },
    )
}

/// Nodes under one another, parents first.
fn forest(least_scale: f64) -> impl Strategy<Value = Vec<SourceNode>> {
    let node = (any::<prop::sample::Index>(), any::<bool>(), pose(least_scale));
    prop::collection::vec(node, 1..12).prop_map(|entries| {
        let node =
            |(index, (parent, is_root, pose)): (usize, (prop::sample::Index, bool, Trs<f64>))| {
                let parent = (index > 0 && !is_root).then(|| parent.index(index.max(1)));
                SourceNode { parent, local: pose.into() }
            };
        entries.into_iter().enumerate().map(node).collect()
    })
}

fn same(
    a: Vec<Result<Matrix4<f64>, CannotSay>>,
    b: Vec<Result<Matrix4<f64>, CannotSay>>,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(a.len(), b.len());
    for (a, b) in a.into_iter().zip(b) {
        let (a, b) = (a.expect("no zero scale"), b.expect("no zero scale"));
        prop_assert!((a - b).amax() <= 1e-9 * (1.0 + a.amax()), "{a} {b}");
    }
    Ok(())
}

fn accumulated(
    accumulation: Accumulation,
    nodes: &[SourceNode],
) -> Vec<Result<Matrix4<f64>, CannotSay>> {
    SwitchRule::Accumulation(accumulation).worlds(nodes, |_| true).expect("a forest")
}

properties! {
    #[test]
    fn rules_that_leave_nothing_out_are_the_two_strategies(nodes in forest(-2.0)) {
        let (matrix, trs) = (Accumulation::Matrix, Accumulation::CombinedTrs);
        let of = |kind| fbx::worlds(&nodes, |_| kind).expect("a forest");
        same(of(InheritType::Matrix), accumulated(matrix, &nodes))?;
        same(of(InheritType::ComponentWise), accumulated(trs, &nodes))?;
        let all = InheritFlags { scale: true, orientation: true };
        same(ogre::worlds(&nodes, |_| all).expect("a forest"), accumulated(trs, &nodes))?;
        let full = SwitchRule::Bone { scale: InheritScale::Full, rotation: true };
        same(full.worlds(&nodes, |_| true).expect("a forest"), accumulated(matrix, &nodes))?;
        for rule in [SwitchRule::Root, SwitchRule::Perpendicular, SwitchRule::ScaleCompensation] {
            same(rule.worlds(&nodes, |_| false).expect("a forest"), accumulated(matrix, &nodes))?;
        }
    }

    /// Houdini documents its formulas for row vectors, whose matrices are transposed and multiplied in the other order.
    #[test]
    fn scale_inheritance_is_as_houdini_writes_it_for_row_vectors(nodes in forest(-2.0)) {
        let row = |pose: &Trs<f64>| pose.to_homogeneous().transpose();
        let scales = |pose: &Trs<f64>| row(&Trs::from_scale(pose.scale));
        let local = |node: &SourceNode| match node.local {
            LocalPose::Trs(pose) => pose,
            LocalPose::Matrix(_) => unreachable!("a forest has poses"),
        };
        for mode in [
            ScaleInheritance::Default,
            ScaleInheritance::OffsetOnly,
            ScaleInheritance::OffsetAndScale,
            ScaleInheritance::ScaleOnly,
            ScaleInheritance::Ignore,
        ] {
            let found = houdini::worlds(&nodes, |_| mode).expect("a forest");
            let mut worlds: Vec<Matrix4<f64>> = Vec::new();
            for node in &nodes {
                let own = local(node);
                let Some(parent) = node.parent else {
                    worlds.push(row(&own));
                    continue;
                };
                let (above, parent) = (worlds[parent], scales(&local(&nodes[parent])));
                let inverse = parent.try_inverse().expect("no zero scale");
                let scale_rotates = scales(&own) * row(&Trs::from_rotation(own.rotation));
                let translates = row(&Trs::from_translation(own.translation));
                worlds.push(match mode {
                    ScaleInheritance::OffsetOnly => scale_rotates * inverse * translates * above,
                    ScaleInheritance::OffsetAndScale => {
                        parent * scale_rotates * inverse * translates * above
                    }
                    ScaleInheritance::ScaleOnly => parent * row(&own) * inverse * above,
                    ScaleInheritance::Ignore => row(&own) * inverse * above,
                    _ => row(&own) * above,
                });
            }
            same(found, worlds.into_iter().map(|world| Ok(world.transpose())).collect())?;
        }
    }

    #[test]
    fn rules_of_different_engines_meet_where_they_mean_the_same(nodes in forest(-2.0)) {
        let of = |rule: SwitchRule| rule.worlds(&nodes, |_| true).expect("a forest");
        // Maya's segment scale compensation has another name in Houdini.
        let without = of(SwitchRule::FbxType(InheritType::WithoutParent));
        same(of(SwitchRule::Houdini(ScaleInheritance::OffsetOnly)), without)?;
        let is_uniform = |node: &SourceNode| SourceNode {
            local: match node.local {
                LocalPose::Trs(pose) => Trs { scale: Vector3::repeat(pose.scale.x), ..pose }.into(),
                matrix => matrix,
            },
            ..*node
        };
        let even: Vec<_> = nodes.iter().map(is_uniform).collect();
        for rule in [Accumulation::CombinedTrs, Accumulation::UniformTrs, Accumulation::NotSeen] {
            same(accumulated(rule, &even), accumulated(Accumulation::Matrix, &even))?;
        }
    }

    #[test]
    fn without_a_negative_scale_the_detour_by_a_matrix_is_not_taken(nodes in forest(0.2)) {
        let detour = accumulated(Accumulation::CombinedTrsByMatrix, &nodes);
        same(detour, accumulated(Accumulation::CombinedTrs, &nodes))?;
    }

    #[test]
    fn the_order_of_nodes_does_not_matter(nodes in forest(-2.0)) {
        let last = nodes.len() - 1;
        let reversed: Vec<_> = nodes
            .iter()
            .rev()
            .map(|node| SourceNode { parent: node.parent.map(|parent| last - parent), ..*node })
            .collect();
        for engine in Engine::all() {
            // Where nothing is said, the node has another number.
            let worlds = |nodes: &[SourceNode]| -> Vec<_> {
                let found = engine.worlds(nodes).expect("a forest").into_iter();
                found.map(|world| world.map_err(|unknown| unknown.reason)).collect()
            };
            let mut back = worlds(&reversed);
            back.reverse();
            prop_assert_eq!(worlds(&nodes), back, "{}", engine.id);
        }
    }

    #[test]
    fn a_matrix_that_is_a_pose_is_imported_as_that(pose in pose(0.2)) {
        for engine in Engine::all() {
            let imported = engine.imported(&LocalPose::Matrix(pose.into())).expect("no shear");
            let apart = imported.to_affine().matrix() - pose.to_homogeneous();
            prop_assert!(apart.amax() < 1e-9, "{}", engine.id);
        }
    }

    #[test]
    fn a_world_that_needs_no_shear_is_kept_by_all(parent in pose(0.2), local in pose(0.2)) {
        let parent = AccumulatedMatrix::from(parent);
        let world = xform_core::Transform::concat(&parent, &local);
        for engine in Engine::all() {
            match engine.keep_world.rule {
                KeepWorld::NoCall | KeepWorld::NotSeen => {}
                keep => {
                    let kept = keep.kept(&parent, &world, &local.scale).expect("no zero scale");
                    let apart = (kept.matrix() - world.matrix()).amax();
                    prop_assert!(apart < 1e-8, "{} {apart}", engine.id);
                }
            }
        }
    }
}

#[test]
fn nothing_is_said_below_a_node_that_nothing_is_said_of() {
    let scale = Trs::from_scale(Vector3::new(2.0, 1.0, 1.0));
    let turn = Trs::from_rotation(UnitQuaternion::from_euler_angles(0.0, 0.0, 0.5));
    let sheared = AccumulatedMatrix::from_matrix(scale.to_homogeneous() * turn.to_homogeneous());
    let sheared = sheared.expect("affine");
    let nodes = [
        SourceNode { parent: None, local: sheared.into() },
        SourceNode { parent: Some(0), local: scale.into() },
        SourceNode { parent: None, local: scale.into() },
    ];
    let shown = Engine::named("osg").expect("known").worlds(&nodes).expect("a forest");
    let unknown = CannotSay { node: 0, reason: Reason::ShearedMatrix };
    assert_eq!(shown[..2], [Err(unknown), Err(unknown)]);
    assert_eq!(shown[2], Ok(World::Matrix(scale.into())));
    // One that mirrors is no sheared one, but which scale is negative matters below it.
    let mirror = Trs::from_scale(Vector3::new(1.0, -1.0, 1.0));
    let nodes = [SourceNode { parent: None, local: LocalPose::Matrix(mirror.into()) }];
    let shown = Engine::named("o3de").expect("known").worlds(&nodes).expect("a forest");
    assert_eq!(shown[0], Err(CannotSay { node: 0, reason: Reason::MirroredMatrix }));
    assert_eq!(Engine::named("osg").expect("known").import.rule, Import::NotSeen);
    assert!(Engine::named("osg").expect("known").worlds(&nodes).expect("a forest")[0].is_ok());
}

#[test]
fn ids_are_words_that_programs_can_use_and_are_there_once() {
    let ids: Vec<_> = Engine::all().iter().map(|engine| engine.id).collect();
    for (place, id) in ids.iter().enumerate() {
        assert!(
            id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
            "{id}"
        );
        assert!(!ids[..place].contains(id), "{id}");
        assert_eq!(Engine::named(id).expect("known").id, *id);
    }
    assert_eq!(Engine::named("unreel"), None);
    let usual: Vec<_> = Engine::usual().iter().map(|engine| engine.id).collect();
    assert_eq!(usual, ["three", "babylon", "godot", "unity", "unreal", "blender"]);
}

#[test]
fn parents_that_form_no_forest_are_refused() {
    let node = |parent| SourceNode { parent, local: Trs::identity().into() };
    for parents in [vec![Some(0)], vec![Some(7)], vec![Some(1), Some(0)]] {
        let nodes: Vec<_> = parents.into_iter().map(node).collect();
        for engine in Engine::all() {
            assert!(engine.worlds(&nodes).is_err());
            assert!(
                engine.switches.iter().all(|switch| switch.rule.worlds(&nodes, |_| true).is_err())
            );
        }
    }
}

#[test]
fn values_that_overflow_are_no_world() {
    let pose = Trs::from_scale(Vector3::repeat(1e200));
    let overflows = Err(CannotSay { node: 1, reason: Reason::Overflow });
    for local in [LocalPose::Trs(pose), LocalPose::Matrix(pose.into())] {
        let nodes = [None, Some(0)].map(|parent| SourceNode { parent, local });
        for engine in Engine::all() {
            let worlds = engine.worlds(&nodes).expect("a forest");
            assert!(worlds[0].is_ok(), "{}", engine.id);
            assert_eq!(worlds[1], overflows, "{}", engine.id);
        }
    }
}
