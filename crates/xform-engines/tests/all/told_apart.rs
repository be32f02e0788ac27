//! The two strategies alone do not say what the engines answered whose rule is another one: the answers can tell rules
//! apart.

use xform_engines::{Accumulation, Engine, Import, KeepWorld, Known, SwitchRule};

use crate::{
    answers::{Said, Scene, nodes},
    runs::{Rule, all_known, checked, engine, rules},
};

/// The residuals of plain matrices and of plain combined TRS, of the nodes that these say something of.
pub(crate) fn plain(rule: &Rule) -> [f64; 2] {
    [strategy(Accumulation::Matrix), strategy(Accumulation::CombinedTrs)]
        .map(|says| checked(&rule.saying(says)).1)
}

fn strategy(accumulation: Accumulation) -> impl Fn(&Scene) -> Said {
    move |scene| {
        let rule = SwitchRule::Accumulation(accumulation);
        rule.worlds(&nodes(scene), |_| true).expect("a forest")
    }
}

/// What is far more than rounding.
const APART: f64 = 0.05;

#[test]
fn no_run_can_be_said_by_both_strategies_and_some_by_none() {
    let mut none = 0;
    for rule in rules() {
        let [matrix, trs] = plain(&rule);
        assert!(matrix > APART || trs > APART, "{}", rule.run);
        none += usize::from(matrix > APART && trs > APART);
    }
    assert!(none > 50, "{none}");
}

#[test]
fn a_wrong_profile_is_noticed() {
    // Each part of a profile exchanged for that of another engine.
    let with = |change: fn(&mut Engine)| {
        move |id: &str, run: &str| {
            let mut wrong = *engine(id);
            change(&mut wrong);
            let says = move |scene: &Scene| -> Said {
                let worlds = wrong.worlds(&nodes(scene)).expect("a forest").into_iter();
                worlds.map(|world| world.map(|world| world.to_homogeneous())).collect()
            };
            let rule = rules().into_iter().find(|rule| rule.run == run).expect("a run");
            let off = checked(&rule.saying(says)).1;
            assert!(off > 1000.0 * rule.bound, "{run}: {off}");
        }
    };
    let keeps = with(|engine| engine.import.rule = Import::Kept);
    for (id, run) in [
        ("three", "three/gltf"),
        ("babylon", "babylon/gltf-rh"),
        ("unity", "unity-mathematics/api"),
    ] {
        keeps(id, run);
    }
    let as_blender = with(|wrong| wrong.import.rule = engine("blender").import.rule);
    as_blender("three", "three/gltf");
    as_blender("godot", "godot/gltf");
    with(|wrong| wrong.accumulation.rule = Accumulation::CombinedTrs)("unreal", "rtm/qvv_mul");
    with(|wrong| wrong.accumulation.rule = Accumulation::CombinedTrsByMatrix)(
        "ogre",
        "ogre/default",
    );
}

#[test]
fn every_run_that_a_profile_names_is_checked() {
    let runs: Vec<_> = rules().into_iter().map(|rule| rule.run).collect();
    let is_checked = |known: Known| {
        if let Known::Run { run, .. } = known {
            // Getters, skins and exported vertices are checked by themselves.
            let run = run.trim_end_matches(" getters");
            if run.ends_with(" vertices")
                || run.ends_with(" quaternions")
                || run.ends_with("/inherit-types")
            {
                return;
            }
            assert!(runs.iter().any(|name| name == run), "{run}");
        }
    };
    all_known().for_each(is_checked);
    for engine in Engine::all() {
        let is_seen = !matches!(engine.keep_world.rule, KeepWorld::NoCall | KeepWorld::NotSeen);
        assert_eq!(is_seen, engine.keep_world.known != Known::NotSeen, "{}", engine.id);
    }
}
