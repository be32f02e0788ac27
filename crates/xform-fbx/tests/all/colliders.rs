//! What collides in an FBX file, by the names of its nodes.

use std::{collections::BTreeMap, fs, path::Path};

use xform_compare::{
    audit::{PhysicsChoice, PhysicsRoad},
    compare,
    measure::collide,
};
use xform_fbx::read_fbx;
use xform_scene::{Scene, gltf::read_gltf_drawing, read_gltf};

/// A skewed scene of the kit, as FBX with its names and as glTF with the same.
fn both() -> [Scene; 2] {
    let kit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../xform-engines/kit/scenes");
    let text = |file: &str| {
        let mut text = fs::read_to_string(kit.join(file)).unwrap();
        for (from, to) in [("n099", "n099-convcol"), ("n097", "UCX_n097"), ("n095", "UBX_n095")] {
            text = text.replace(&format!("\"Model::{from}\""), &format!("\"Model::{to}\""));
            text = text.replace(&format!("\"name\":\"{from}\""), &format!("\"name\":\"{to}\""));
        }
        text
    };
    let fbx = read_fbx(text("rand_non-i1.fbx").as_bytes(), "kit.fbx").unwrap();
    let file = text("rand_non.gltf");
    let mut gltf = read_gltf(file.as_bytes(), "kit.gltf").unwrap();
    gltf.drawing = read_gltf_drawing(file.as_bytes()).unwrap();
    [fbx, gltf]
}

#[test]
fn names_in_an_fbx_file_are_read_as_in_gltf_and_judged_the_same() {
    let roads = ["godot-jolt", "rapier-r3", "bullet", "avian"].map(PhysicsRoad::named);
    let choice = PhysicsChoice::named(roads.into_iter().flatten().collect(), None);
    let [of_fbx, of_gltf] = both().map(|scene| {
        let found = collide(&scene, &choice, compare(&scene).unwrap().summary.diagonal);
        let of_node = found.colliders.into_iter().map(|collider| {
            let name = scene.nodes[collider.node].name.clone().unwrap();
            let distances: Vec<_> = collider
                .in_engines
                .iter()
                .map(|one| one.found.as_ref().unwrap().distance)
                .collect();
            (name, (collider.kind, collider.source, distances))
        });
        of_node.collect::<BTreeMap<_, _>>()
    });
    let names: Vec<_> = of_fbx.keys().map(String::as_str).collect();
    assert_eq!(names, ["UBX_n095", "UCX_n097", "n099-convcol"]);
    for ((name, (kind, source, far)), (_, (of_gltf, other, distances))) in
        of_fbx.iter().zip(&of_gltf)
    {
        assert_eq!((kind, source), (of_gltf, other), "{name}");
        for (far, expected) in far.iter().zip(distances) {
            assert!(*far > 0.1 && (far - expected).abs() < 1e-9, "{name}: {far}, not {expected}");
        }
    }
}
