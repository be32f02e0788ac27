//! `EXT_mesh_gpu_instancing`: an instance is what a node would be below the node that has the extension.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use proptest::prelude::*;
use serde_json::{Value, json};
use xform_cases::properties;
use xform_compare::{SceneAudit, audit::EngineChoice, compare_engines};
use xform_scene::{
    Scene, WarningCode,
    gltf::{GltfAsset, read_gltf_drawing},
    read_gltf,
};

/// Ten numbers an instance: translation, rotation x y z w, scale.
type Instance = [f32; 10];

/// A root that is stretched and turned by an animation, a node below it, and instances of a cube there, as the extension has them or as
/// nodes.
fn file(root: &Instance, owner: &Instance, instances: &[Instance], is_extension: bool) -> Value {
    let pose = |of: &Instance| {
        let [x, y, z, i, j, k, w, sx, sy, sz] = of;
        json!({"translation": [x, y, z], "rotation": [i, j, k, w], "scale": [sx, sy, sz]})
    };
    let with = |mut node: Value, members: Value| {
        node.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        node
    };
    let mut bytes: Vec<u8> = Vec::new();
    let mut views = Vec::new();
    let mut accessors = vec![json!({
        "componentType": 5126, "count": 8, "type": "VEC3", "min": [-1, -1, -1], "max": [1, 1, 1],
    })];
    let mut add = |numbers: Vec<f32>, shape: &str, width: usize| {
        views
            .push(json!({"buffer": 0, "byteOffset": bytes.len(), "byteLength": 4 * numbers.len()}));
        accessors.push(json!({
            "bufferView": views.len() - 1, "componentType": 5126, "count": numbers.len() / width, "type": shape,
        }));
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        accessors.len() - 1
    };
    let times = add(vec![0.0, 1.0], "SCALAR", 1);
    let turns = add([&root[3..7], &owner[3..7]].concat(), "VEC4", 4);
    let of = |range: std::ops::Range<usize>| -> Vec<f32> {
        instances.iter().flat_map(|one| one[range.clone()].to_vec()).collect()
    };
    let attributes = json!({
        "TRANSLATION": add(of(0..3), "VEC3", 3), "ROTATION": add(of(3..7), "VEC4", 4), "SCALE": add(of(7..10), "VEC3", 3),
    });
    let mut nodes = vec![with(pose(root), json!({"name": "Root", "children": [1]}))];
    if is_extension {
        let extension = json!({"EXT_mesh_gpu_instancing": {"attributes": attributes}});
        nodes.push(with(pose(owner), json!({"mesh": 0, "extensions": extension})));
    } else {
        let children: Vec<_> = (2..2 + instances.len()).collect();
        nodes.push(with(pose(owner), json!({"children": children})));
        nodes.extend(instances.iter().map(|one| with(pose(one), json!({"mesh": 0}))));
    }
    json!({
        "asset": {"version": "2.0"}, "nodes": nodes, "accessors": accessors, "bufferViews": views,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "buffers": [{
            "byteLength": bytes.len(), "uri": format!("data:;base64,{}", STANDARD.encode(&bytes)),
        }],
        "animations": [{
            "samplers": [{"input": times, "output": turns}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}],
        }],
    })
}

fn audit(file: &Value) -> SceneAudit {
    let scene = read_gltf(file.to_string().as_bytes(), "test").unwrap();
    compare_engines(&scene, &EngineChoice::usual()).unwrap()
}

fn instance() -> impl Strategy<Value = Instance> {
    let part = |range| proptest::array::uniform3(range);
    let turn = proptest::array::uniform4(-1.0..1.0_f32)
        .prop_filter("has a length", |turn| turn.iter().map(|part| part * part).sum::<f32>() > 0.1);
    (part(-3.0..3.0_f32), turn, part(0.3..2.0_f32)).prop_map(|([x, y, z], turn, [sx, sy, sz])| {
        let length = turn.iter().map(|part| part * part).sum::<f32>().sqrt();
        let [i, j, k, w] = turn.map(|part| part / length);
        [x, y, z, i, j, k, w, sx, sy, sz]
    })
}

properties! {
    #[test]
    fn instances_are_as_nodes_to_the_last_digit(
        root in instance(), owner in instance(), instances in prop::collection::vec(instance(), 1..6),
    ) {
        let [own, nodes] = [true, false].map(|is_extension| {
            audit(&file(&root, &owner, &instances, is_extension))
        });
        prop_assert_eq!(own.summary, nodes.summary);
        prop_assert_eq!(&own.animations, &nodes.animations);
        prop_assert_eq!(&own.ranking, &nodes.ranking);
        prop_assert_eq!(&own.engines, &nodes.engines);
        for (own, node) in own.nodes.iter().zip(&nodes.nodes).skip(2) {
            let mut same = own.clone();
            (same.name, same.instance_of) = (None, None);
            prop_assert_eq!(&same, node);
            prop_assert_eq!(own.instance_of, Some(1));
            prop_assert_eq!(own.pointer(), "/nodes/1/extensions/EXT_mesh_gpu_instancing");
        }
        // Nothing is drawn at the node itself.
        prop_assert!(!own.nodes[1].counts);
    }
}

const PLAIN: Instance = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];

#[test]
fn the_drawing_shows_each_instance_at_a_node_of_its_own() {
    let mut file = file(&PLAIN, &PLAIN, &[PLAIN; 3], true);
    let shown = |file: &Value| -> Vec<_> {
        let drawing = read_gltf_drawing(file.to_string().as_bytes()).unwrap();
        drawing.shown.iter().map(|shown| shown.node).collect()
    };
    assert_eq!(shown(&file), [2, 3, 4]);
    assert_eq!(audit(&file).nodes.len(), 5);
    // Where they cannot be read, the mesh stands at the node, with a warning.
    file["accessors"][3]["count"] = 2.into();
    let audit = audit(&file);
    assert_eq!((shown(&file), audit.nodes.len()), (vec![1], 2));
    let warning = &audit.warnings[0];
    assert_eq!(warning.code, WarningCode::GpuInstancing);
    assert!(warning.message.ends_with("do not have the same number of elements"), "{warning:?}");
}

/// A small file may name the same instances at any number of nodes. Who repairs it sees as many of them as who audits it.
#[test]
fn an_asset_in_memory_has_as_many_instances_as_its_file() {
    let bytes = vec![0_u8; 12 * 1000];
    let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(&bytes));
    let node = json!({
        "mesh": 0,
        "extensions": { "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": 0 } } }
    });
    let file = json!({
        "asset": { "version": "2.0" },
        "nodes": vec![node; 300],
        "meshes": [{ "primitives": [] }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 1000, "type": "VEC3" }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "buffers": [{ "byteLength": bytes.len(), "uri": uri }]
    });
    let bytes = file.to_string().into_bytes();
    let of_file = read_gltf(&bytes, "many.gltf").unwrap();
    let of_asset = GltfAsset::read(&bytes, None).unwrap().scene("many.gltf").unwrap();
    let refused = |scene: &Scene| {
        scene.warnings.iter().filter(|warning| warning.code == WarningCode::GpuInstancing).count()
    };
    assert!((1..300).contains(&refused(&of_file)), "{}", refused(&of_file));
    assert_eq!(of_asset, of_file);
}
