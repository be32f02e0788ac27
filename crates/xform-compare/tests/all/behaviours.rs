//! Behaviours (`KHR_interactivity`): what they set at run time is not judged, and what they show counts.

use serde_json::{Value, json};
use xform_compare::{
    SceneAudit,
    audit::EngineChoice,
    compare_engines, findings,
    judge::{Limits, Repair, RepairRefusal, advise, is_unknown, verdict},
};
use xform_scene::{Scene, WarningCode, read_gltf};

/// A cube below a stretched node, turned or not, and a behaviour that sets a property of a node.
fn file(turn: [f64; 4], pointer: &str, index: &Value) -> Value {
    json!({
        "asset": {"version": "2.0"},
        "nodes": [
            {"name": "Bar", "scale": [2, 1, 1], "children": [1]},
            {"name": "Arrow", "rotation": turn, "mesh": 0},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"componentType": 5126, "count": 8, "type": "VEC3", "min": [-1, -1, -1], "max": [1, 1, 1]}],
        "extensions": {"KHR_interactivity": {"graphs": [{
            "declarations": [{"op": "event/onTick"}, {"op": "pointer/set"}],
            "nodes": [{"declaration": 0}, {
                "declaration": 1,
                "configuration": {"pointer": {"value": [pointer]}},
                "values": {"which": index},
            }],
        }]}},
    })
}

const STRAIGHT: [f64; 4] = [0.0, 0.0, 0.0, 1.0];
const TURNED: [f64; 4] = [0.0, 0.0, 0.6, 0.8];

fn audited(file: &Value) -> (Scene, SceneAudit) {
    let scene = read_gltf(file.to_string().as_bytes(), "behaviour.gltf").unwrap();
    let audit = compare_engines(&scene, &EngineChoice::usual()).unwrap();
    (scene, audit)
}

#[test]
fn what_a_behaviour_moves_is_not_judged() {
    let known = json!({"value": [0]});
    let at_run_time = json!({"node": 0, "socket": "value"});
    for (pointer, index, place) in [
        ("/nodes/0/scale", &known, "/nodes/0/scale"),
        ("/nodes/{which}/rotation", &known, "/nodes/0/rotation"),
        ("/nodes/{which}/translation", &at_run_time, "/extensions/KHR_interactivity"),
    ] {
        let (_, audit) = audited(&file(STRAIGHT, pointer, index));
        let of_behaviours = audit.warnings.iter().filter(|one| one.code == WarningCode::Behaviour);
        assert_eq!(of_behaviours.map(|one| &*one.pointer).collect::<Vec<_>>(), [place]);
        assert!(is_unknown(&audit) && !verdict(&audit).contains("looks the same"), "{pointer}");
        let mut limits = Limits::default();
        limits.max_skew_degrees = Some(1.0);
        let found = findings(&audit, &limits);
        assert!(found.iter().any(|one| one.rule == "not-judged" && one.fails), "{pointer}");
    }
    for pointer in ["/materials/0/alphaCutoff", "/nodes/0/extensions/KHR_node_visibility/visible"] {
        let (_, audit) = audited(&file(STRAIGHT, pointer, &known));
        assert!(audit.warnings.is_empty() && !is_unknown(&audit), "{pointer}");
    }
}

#[test]
fn what_a_behaviour_shows_counts() {
    let visible = "/nodes/{which}/extensions/KHR_node_visibility/visible";
    for (set, counts) in [(0, true), (1, false)] {
        let mut file = file(TURNED, visible, &json!({"value": [set]}));
        file["nodes"][0]["extensions"] = json!({"KHR_node_visibility": {"visible": false}});
        let (_, audit) = audited(&file);
        assert_eq!((audit.nodes[1].counts, audit.nodes[1].is_invisible), (counts, !counts));
    }
}

#[test]
fn what_a_behaviour_sets_is_not_to_be_repaired_by_hand() {
    let advice = |pointer: &str| {
        let (scene, audit) = audited(&file(TURNED, pointer, &json!(0)));
        advise(&scene, &audit, 1)
    };
    let mut refused = advice("/nodes/0/scale");
    // A helper is for a copy of the scene as it stands.
    refused.retain(|one| one.repair != Repair::HelperNode);
    assert!(refused.iter().all(|one| one.outcome.is_err()), "{refused:?}");
    assert!(refused.iter().any(|one| one.outcome == Err(RepairRefusal::Behaviour(0))));
    assert!(advice("/materials/0/alphaCutoff").iter().any(|one| one.outcome.is_ok()));
}
