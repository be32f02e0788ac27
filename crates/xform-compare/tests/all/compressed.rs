//! Files that glTF-Transform compressed by meshopt and Draco (tests/files/sail.mjs) are audited as the file they were made from.

use std::fs;

use serde_json::{Value, json};
use xform_compare::{Engine, SceneAudit, audit::EngineChoice, compare_engines, judge::has_unread};
use xform_scene::{Scene, WarningCode, gltf::read_gltf_drawing, read_gltf};

fn stored(name: &str) -> Vec<u8> {
    fs::read(format!("{}/tests/files/{name}.glb", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn audited(scene: &Scene) -> SceneAudit {
    compare_engines(scene, &EngineChoice::named(vec![Engine::named("unreal").unwrap()], None))
        .unwrap()
}

fn read(bytes: &[u8]) -> Scene {
    read_gltf(bytes, "sail.glb").unwrap()
}

/// The figures of each node, at rest and over all time.
fn figures(audit: &SceneAudit) -> Vec<f64> {
    let at_rest = audit.nodes.iter().map(|node| node.displacement);
    let in_motion = audit.animations.iter().flat_map(|animation| &animation.nodes);
    at_rest
        .chain(in_motion.map(|node| Some(node.displacement?.max)))
        .map(|one| one.unwrap())
        .collect()
}

#[test]
fn a_compressed_file_has_the_figures_of_the_one_it_was_made_from() {
    let plain = audited(&read(&stored("sail")));
    assert!(!plain.animations[0].nodes.is_empty() && figures(&plain).iter().any(|&one| one > 1.0));
    // What a filter and what Draco makes coarser: 16 bits.
    for (name, tolerance) in
        [("sail-meshopt", 0.0), ("sail-meshopt-filters", 1e-4), ("sail-draco", 1e-3)]
    {
        let scene = read(&stored(name));
        assert!(scene.warnings.is_empty(), "{name}: {:?}", scene.warnings);
        let compressed = audited(&scene);
        assert!(!has_unread(&compressed), "{name}");
        let (figures, wanted) = (figures(&compressed), figures(&plain));
        assert_eq!(figures.len(), wanted.len(), "{name}");
        for (figure, wanted) in figures.iter().zip(&wanted) {
            assert!((figure - wanted).abs() <= tolerance, "{name}: {figure} is not {wanted}");
        }
    }
}

#[test]
fn a_compressed_file_is_drawn_as_the_one_it_was_made_from() {
    let triangles = |name: &str| {
        let drawing = read_gltf_drawing(&stored(name)).unwrap();
        let parts = drawing.meshes.iter().flat_map(|mesh| mesh.as_ref().unwrap());
        let of_part = |part: &xform_scene::drawing::MeshPart| {
            let corner = |&index: &u32| {
                part.positions[index as usize].map(|one| (f64::from(one) * 256.0).round())
            };
            let mut triangles: Vec<_> = part
                .indices
                .chunks_exact(3)
                .map(|triangle| {
                    let mut corners: Vec<_> = triangle.iter().map(corner).collect();
                    corners.sort_by(|a, b| a.partial_cmp(b).unwrap());
                    corners
                })
                .collect();
            triangles.sort_by(|a, b| a.partial_cmp(b).unwrap());
            triangles
        };
        parts.map(of_part).collect::<Vec<_>>()
    };
    let plain = triangles("sail");
    assert_eq!(plain.iter().map(Vec::len).collect::<Vec<_>>(), [32, 32]);
    for name in ["sail-meshopt", "sail-meshopt-filters", "sail-draco"] {
        assert!(triangles(name) == plain, "{name}");
    }
}

/// A GLB with its document changed.
fn changed(name: &str, change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let bytes = stored(name);
    let len = u32::from_le_bytes(*bytes[12..].first_chunk().unwrap()) as usize;
    let mut document: Value = serde_json::from_slice(&bytes[20..20 + len]).unwrap();
    change(&mut document);
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let chunk = [&u32::try_from(json.len()).unwrap().to_le_bytes()[..], b"JSON", &json].concat();
    let rest = &bytes[20 + len..];
    let total = u32::try_from(12 + chunk.len() + rest.len()).unwrap();
    [b"glTF", &2_u32.to_le_bytes()[..], &total.to_le_bytes(), &chunk, rest].concat()
}

#[test]
fn the_name_that_khronos_gave_is_read_alike() {
    let renamed = changed("sail-meshopt", |document| {
        let text = document.to_string().replace("EXT_meshopt", "KHR_meshopt");
        *document = serde_json::from_str(&text).unwrap();
    });
    assert_eq!(
        figures(&audited(&read(&renamed))),
        figures(&audited(&read(&stored("sail-meshopt"))))
    );
}

#[test]
fn what_cannot_be_decompressed_is_named_and_not_the_same() {
    let meshopt = |change: fn(&mut Value)| {
        changed("sail-meshopt", |document| {
            for view in document["bufferViews"].as_array_mut().unwrap() {
                change(&mut view["extensions"]["EXT_meshopt_compression"]);
            }
        })
    };
    let draco = |change: fn(&mut Value, &mut Value)| {
        changed("sail-draco", |document| {
            let [primitive, views] = ["meshes", "bufferViews"].map(|name| document[name].take());
            let (mut meshes, mut views) = (primitive, views);
            for mesh in meshes.as_array_mut().unwrap() {
                let extensions = &mut mesh["primitives"][0]["extensions"];
                change(&mut extensions["KHR_draco_mesh_compression"], &mut views);
            }
            document["meshes"] = meshes;
            document["bufferViews"] = views;
        })
    };
    for (file, why) in [
        (meshopt(|found| found["mode"] = json!("TRIANGLES ")), "unknown meshopt mode `TRIANGLES `"),
        (meshopt(|found| found["filter"] = json!("SEPIA")), "unknown meshopt filter `SEPIA`"),
        (meshopt(|found| found["byteLength"] = json!(20)), "cannot be decompressed (meshopt)"),
        (meshopt(|found| found["byteOffset"] = json!(9_000)), "is out of bounds"),
        (meshopt(|found| found["count"] = json!(1_u64 << 40)), "request far more data than"),
        (meshopt(|found| found["count"] = json!(u64::MAX)), "request far more data than"),
        (meshopt(|found| found["buffer"] = json!(7)), "there is no buffer 7"),
        (meshopt(|found| found["buffer"] = json!(null)), "it has no buffer"),
        (meshopt(|found| found["byteStride"] = json!(0)), "cannot be decompressed"),
        (draco(|found, _| found["bufferView"] = json!(99)), "there is no buffer view 99"),
        (draco(|found, _| found["bufferView"] = json!(null)), "it has no buffer view"),
        (draco(|found, _| found["attributes"]["POSITION"] = json!(9)), "has no attribute 9"),
        (
            draco(|found, views| {
                let view = usize::try_from(found["bufferView"].as_u64().unwrap()).unwrap();
                views[view]["byteLength"] = json!(40);
            }),
            "cannot be decompressed (Draco)",
        ),
    ] {
        let scene = read(&file);
        let warning = scene.warnings.iter().find(|one| one.code == WarningCode::SkinnedMesh);
        let warning = warning.unwrap_or_else(|| panic!("{why}: {:?}", scene.warnings));
        assert!(warning.message.contains(why), "{why}: {}", warning.message);
        assert!(has_unread(&audited(&scene)), "{why}");
        let drawing = read_gltf_drawing(&file).unwrap();
        let undrawn = drawing.meshes.iter().filter_map(|mesh| mesh.as_ref().err());
        assert!(undrawn.count() > 0, "{why}");
    }
}

/// Whatever the streams hold, they are read or refused.
#[test]
fn streams_that_were_damaged_are_read_or_refused() {
    for name in ["sail-meshopt", "sail-meshopt-filters", "sail-draco"] {
        let good = stored(name);
        let start = 28 + u32::from_le_bytes(*good[12..].first_chunk().unwrap()) as usize;
        let mut refused = 0;
        for at in start..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x55;
            let Ok(scene) = read_gltf(&bad, "bad.glb") else { continue };
            refused += usize::from(!scene.warnings.is_empty());
            read_gltf_drawing(&bad).unwrap();
        }
        assert!(refused > 10, "{name}: {refused}");
    }
}
