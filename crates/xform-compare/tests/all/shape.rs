//! `diff` on random edits of random scenes, beside a fold and a list of vertices of this file alone.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use serde_json::{Value, json};
use xform_cases::properties;
use xform_compare::{
    audit::{DefaultSceneChange, EngineChoice, MatchedBy, NodeChangeKind, ThingDiff},
    compare_engines, diff,
    judge::{DiffOptions, DiffReport, SceneDiff},
};
use xform_scene::{Scene, gltf::read_gltf_drawing, read_gltf};

/// A node of a file, and the corners of the mesh that it shows.
#[derive(Clone, Debug)]
struct Item {
    name: Option<String>,
    parent: Option<usize>,
    translation: Vector3<f64>,
    rotation: UnitQuaternion<f64>,
    scale: Vector3<f64>,
    mesh: Option<Shape>,
}

#[derive(Clone, Debug)]
struct Shape {
    positions: Vec<[f32; 3]>,
    indices: Vec<u16>,
}

impl Item {
    fn local(&self) -> Matrix4<f64> {
        Matrix4::new_translation(&self.translation)
            * self.rotation.to_homogeneous()
            * Matrix4::new_nonuniform_scaling(&self.scale)
    }
}

fn world(items: &[Item], item: usize) -> Matrix4<f64> {
    let above = items[item].parent.map_or_else(Matrix4::identity, |parent| world(items, parent));
    above * items[item].local()
}

/// Where the vertices of each mesh are, by the node.
fn placed(items: &[Item]) -> Vec<Vec<Point3<f64>>> {
    let of_item = |item: usize| {
        let world = world(items, item);
        let positions = items[item].mesh.iter().flat_map(|mesh| &mesh.positions);
        positions.map(|at| world.transform_point(&at.map(f64::from).into())).collect()
    };
    (0..items.len()).map(of_item).collect()
}

fn diagonal(placed: &[Vec<Point3<f64>>]) -> f64 {
    let mut all = placed.iter().flatten();
    let first = *all.next().unwrap();
    let [low, high] = all.fold([first; 2], |[low, high], point| [low.inf(point), high.sup(point)]);
    (high - low).norm()
}

/// How far the farthest vertex moved between scenes with the same nodes.
fn farthest(before: &[Item], after: &[Item]) -> f64 {
    let (before, after) = (placed(before), placed(after));
    let pairs = before.iter().flatten().zip(after.iter().flatten());
    pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

fn gltf(items: &[Item]) -> Value {
    let mut file = json!({ "asset": { "version": "2.0" }, "nodes": [], "meshes": [], "accessors": [],
        "bufferViews": [], "buffers": [] });
    fn push(file: &mut Value, list: &str, entry: Value) -> usize {
        let list = file[list].as_array_mut().unwrap();
        list.push(entry);
        list.len() - 1
    }
    fn store(file: &mut Value, bytes: &[u8], mut accessor: Value) -> usize {
        let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(bytes));
        let buffer = push(file, "buffers", json!({ "uri": uri, "byteLength": bytes.len() }));
        let view = json!({ "buffer": buffer, "byteLength": bytes.len() });
        accessor["bufferView"] = json!(push(file, "bufferViews", view));
        push(file, "accessors", accessor)
    }
    for (index, item) in items.iter().enumerate() {
        let mut node = json!({ "translation": item.translation.data.0[0], "scale": item.scale.data.0[0],
            "rotation": <[f64; 4]>::from(item.rotation.coords) });
        let children: Vec<_> =
            (0..items.len()).filter(|&child| items[child].parent == Some(index)).collect();
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        if let Some(name) = &item.name {
            node["name"] = json!(name);
        }
        if let Some(Shape { positions, indices }) = &item.mesh {
            let bound = |choose: fn(f32, f32) -> f32| -> Vec<f32> {
                (0..3).map(|i| positions.iter().map(|at| at[i]).reduce(choose).unwrap()).collect()
            };
            let bytes: Vec<_> =
                positions.iter().flatten().flat_map(|one| one.to_le_bytes()).collect();
            let position = store(
                &mut file,
                &bytes,
                json!({ "componentType": 5126, "type": "VEC3",
                "count": positions.len(), "min": bound(f32::min), "max": bound(f32::max) }),
            );
            let bytes: Vec<_> = indices.iter().flat_map(|one| one.to_le_bytes()).collect();
            let accessor =
                json!({ "componentType": 5123, "type": "SCALAR", "count": indices.len() });
            let corners = store(&mut file, &bytes, accessor);
            let primitive = json!({ "attributes": { "POSITION": position }, "indices": corners });
            node["mesh"] = json!(push(&mut file, "meshes", json!({ "primitives": [primitive] })));
        }
        push(&mut file, "nodes", node);
    }
    file
}

fn read(file: &Value) -> Scene {
    let bytes = file.to_string().into_bytes();
    let mut scene = read_gltf(&bytes, "file.gltf").unwrap();
    scene.drawing = read_gltf_drawing(&bytes).unwrap();
    scene
}

fn compared_files(before: &Value, after: &Value) -> SceneDiff {
    let [before, after] = [before, after].map(read);
    let usual = EngineChoice::usual();
    let audits = [&before, &after].map(|scene| compare_engines(scene, &usual).unwrap());
    diff([(&before, &audits[0]), (&after, &audits[1])], &DiffOptions::default()).unwrap()
}

/// What a viewer shows says the same as what is listed: each thing is as far as the farthest of its vertices.
fn check_shown(before: &[Item], after: &[Item], diff: &SceneDiff) -> Result<(), TestCaseError> {
    let both = [before, after].map(|items| {
        let scene = read(&gltf(items));
        let audit = compare_engines(&scene, &EngineChoice::usual()).unwrap();
        (scene, audit)
    });
    let report = DiffReport::new(both, &DiffOptions::default()).unwrap();
    prop_assert_eq!(&report.diff, diff);
    let things = &diff.shape.as_ref().unwrap().things;
    prop_assert_eq!(things.len(), report.playback.things.len());
    for (thing, shown) in things.iter().zip(&report.playback.things) {
        let own = shown.nodes[1].map(|node| node - before.len());
        prop_assert_eq!((thing.before, thing.after), (shown.nodes[0], own));
        let farthest = shown.distances.iter().flatten().copied().fold(0.0, f64::max);
        prop_assert_eq!(farthest, thing.moved);
    }
    let worlds = [before, after]
        .into_iter()
        .flat_map(|items| (0..items.len()).map(|item| world(items, item)));
    for (found, expected) in report.playback.at_rest.iter().zip(worlds) {
        prop_assert!((found - expected).amax() < 1e-9 * (1.0 + expected.amax()));
    }
    Ok(())
}

fn compared(before: &[Item], after: &[Item]) -> SceneDiff {
    compared_files(&gltf(before), &gltf(after))
}

fn most(diff: &SceneDiff) -> f64 {
    diff.shape.as_ref().unwrap().things.iter().map(|thing| thing.moved).fold(0.0, f64::max)
}

fn turn() -> impl Strategy<Value = UnitQuaternion<f64>> {
    let angles = (-180.0..180.0_f64, -80.0..80.0_f64, -180.0..180.0_f64);
    angles.prop_map(|(x, y, z)| {
        UnitQuaternion::from_euler_angles(x.to_radians(), y.to_radians(), z.to_radians())
    })
}

fn vector(size: f64) -> impl Strategy<Value = Vector3<f64>> {
    [-size..size, -size..size, -size..size].prop_map(|[x, y, z]| Vector3::new(x, y, z))
}

/// A bent sheet of 4 × 4 vertices without any symmetry.
fn shape() -> impl Strategy<Value = Shape> {
    proptest::collection::vec(-0.2..0.2_f32, 48).prop_map(|noise| {
        let at = |i: usize| {
            #[expect(clippy::cast_precision_loss, reason = "less than four")]
            let [x, y] = [i % 4, i / 4].map(|place| place as f32);
            [x + noise[3 * i], y * 1.3 + noise[3 * i + 1], x * y / 7.0 + noise[3 * i + 2]]
        };
        let quads = (0..12).filter(|i| i % 4 < 3);
        let indices = quads.flat_map(|i| [i, i + 1, i + 4, i + 1, i + 5, i + 4]).collect();
        Shape { positions: (0..16).map(at).collect(), indices }
    })
}

/// A tree in which everything may have a mesh; every scale is even, so that places can be kept.
fn scene() -> impl Strategy<Value = Vec<Item>> {
    let item = (vector(10.0), turn(), 0.4..2.0_f64, proptest::option::of(shape()), any::<usize>());
    proptest::collection::vec(item, 2..7).prop_map(|items| {
        let item = |(index, item): (usize, _)| {
            let (translation, rotation, scale, mesh, parent): (_, _, f64, _, usize) = item;
            let parent = (index > 0).then(|| parent % index);
            let name = Some(format!("n{index}"));
            Item { name, parent, translation, rotation, scale: Vector3::repeat(scale), mesh }
        };
        let mut items: Vec<_> = items.into_iter().enumerate().map(item).collect();
        if items.iter().all(|item| item.mesh.is_none()) {
            items[0].mesh = Some(Shape {
                positions: vec![[0.0, 0.0, 0.0], [3.0, 0.0, 1.0], [0.0, 4.0, 2.0]],
                indices: vec![0, 1, 2],
            });
        }
        items
    })
}

/// The scene by the seed, and one of its nodes.
fn with_node() -> impl Strategy<Value = (Vec<Item>, usize)> {
    (scene(), any::<usize>()).prop_map(|(items, node)| {
        let node = node % items.len();
        (items, node)
    })
}

/// Says what is expected of an edit that moved this much.
fn check(diff: &SceneDiff, before: &[Item], expected: f64) -> Result<(), TestCaseError> {
    let diagonal = diagonal(&placed(before));
    let found = most(diff);
    let rounding = 1e-5 * diagonal;
    prop_assert!((found - expected).abs() <= 1e-6 * expected + rounding, "{found} {expected}");
    let percent = expected / diagonal * 100.0;
    if percent > 0.11 {
        prop_assert!(diff.is_elsewhere(), "{percent} %");
    }
    if percent < 0.09 {
        prop_assert!(!diff.is_elsewhere(), "{percent} %");
    }
    Ok(())
}

fn nothing_moved(diff: &SceneDiff, before: &[Item]) -> Result<(), TestCaseError> {
    let percent = most(diff) / diagonal(&placed(before)) * 100.0;
    prop_assert!(percent < 0.01, "{percent} %: {:?}", diff.shape.as_ref().unwrap().things);
    prop_assert!(!diff.is_worse(), "{diff:?}");
    Ok(())
}

properties! {
    #![cases(200)]

    #[test]
    fn what_is_moved_turned_and_scaled_is_found(
        (before, node) in with_node(), by in vector(3.0), turned in turn(), scale in 0.5..2.0_f64,
        which in 0..4_u8, small in 0.0..1.0_f64,
    ) {
        let mut after = before.clone();
        let item = &mut after[node];
        match which {
            0 => item.translation += by * small.powi(6),
            1 => item.rotation = turned * item.rotation,
            2 => item.scale *= scale,
            _ => item.scale.x *= scale,
        }
        let diff = compared(&before, &after);
        check(&diff, &before, farthest(&before, &after))?;
        check_shown(&before, &after, &diff)?;
        // In another order the vertices are compared with surfaces.
        for mesh in after.iter_mut().filter_map(|item| item.mesh.as_mut()) {
            mesh.positions.reverse();
            let last = mesh.positions.len() - 1;
            mesh.indices.iter_mut().for_each(|index| *index = u16::try_from(last).unwrap() - *index);
        }
        check_shown(&before, &after, &compared(&before, &after))?;
    }

    #[test]
    fn what_hangs_elsewhere_and_is_in_its_place_did_not_move((before, node) in with_node()) {
        let mut after = before.clone();
        prop_assume!(before[node].parent.is_some_and(|parent| parent != 0));
        let kept = world(&before, node);
        after[node].parent = Some(0);
        let local = world(&before, 0).try_inverse().unwrap() * kept;
        let scale = local.column(0).xyz().norm();
        let turned = local.fixed_view::<3, 3>(0, 0) / scale;
        after[node].translation = local.column(3).xyz();
        after[node].scale = Vector3::repeat(scale);
        after[node].rotation = UnitQuaternion::from_matrix(&turned);
        let diff = compared(&before, &after);
        nothing_moved(&diff, &before)?;
        let changes = &diff.shape.as_ref().unwrap().nodes;
        let kinds: Vec<_> = changes.iter().map(|change| change.change).collect();
        prop_assert_eq!(kinds, [NodeChangeKind::Reparented]);
    }

    #[test]
    fn what_hangs_elsewhere_and_keeps_its_pose_moved((before, node) in with_node()) {
        let mut after = before.clone();
        prop_assume!(before[node].parent.is_some_and(|parent| parent != 0));
        after[node].parent = Some(0);
        check(&compared(&before, &after), &before, farthest(&before, &after))?;
    }

    #[test]
    fn a_scale_in_the_vertices_moves_nothing((before, node) in with_node(), mirrored in any::<bool>()) {
        let mut after = before.clone();
        let mut factors = std::mem::replace(&mut after[node].scale, Vector3::repeat(1.0));
        let mut before = before;
        if mirrored {
            factors.x = -factors.x;
            before[node].scale = factors;
        }
        for item in &mut after {
            if item.parent == Some(node) {
                item.translation = item.translation.component_mul(&factors);
                item.scale = item.scale.component_mul(&factors);
                prop_assume!(!mirrored);
            }
        }
        if let Some(mesh) = &mut after[node].mesh {
            #[expect(clippy::cast_possible_truncation, reason = "as files have them")]
            let factors = [0, 1, 2].map(|i| factors[i] as f32);
            for at in &mut mesh.positions {
                *at = std::array::from_fn(|i| at[i] * factors[i]);
            }
            if mirrored {
                mesh.indices.chunks_exact_mut(3).for_each(|corners| corners.swap(1, 2));
            }
        }
        let diff = compared(&before, &after);
        nothing_moved(&diff, &before)?;
        if let Some(mesh) = after[node].mesh.as_mut().filter(|_| mirrored) {
            // Without turning the triangles round it is inside out.
            mesh.indices.chunks_exact_mut(3).for_each(|corners| corners.swap(1, 2));
            let triangles = mesh.indices.len() / 3;
            let over = compared(&before, &after);
            let shape = over.shape.as_ref().unwrap();
            let found: usize = shape.things.iter().map(|thing| thing.inside_out).sum();
            prop_assert_eq!(found, triangles);
            prop_assert!(over.is_elsewhere() && most(&over) < 1e-5 * shape.diagonal);
        }
    }

    /// `flatten`: each mesh at the top, by the matrix of its world transform.
    #[test]
    fn a_flattened_scene_looks_the_same((mut before, node) in with_node(), uneven in 0.3..3.0_f64) {
        before[node].scale.y *= uneven;
        let mut file = gltf(&before);
        let nodes = file["nodes"].as_array_mut().unwrap();
        for (index, node) in nodes.iter_mut().enumerate() {
            let matrix: Vec<f64> = world(&before, index).iter().copied().collect();
            *node = json!({ "name": node["name"], "mesh": node["mesh"], "matrix": matrix });
            if node["mesh"].is_null() {
                node.as_object_mut().unwrap().remove("mesh");
            }
        }
        let diff = compared_files(&gltf(&before), &file);
        let percent = most(&diff) / diagonal(&placed(&before)) * 100.0;
        prop_assert!(percent < 1e-3 && !diff.is_elsewhere(), "{percent} %");
    }

    /// In eight to fourteen bits, on a node of its own below the old one, as some tools do it.
    #[test]
    fn a_quantized_mesh_below_a_helper_did_not_move((before, _) in with_node(), bits in 10..15_u32) {
        let mut after = before.clone();
        let steps = f64::from(2_u32.pow(bits) - 1);
        for index in 0..before.len() {
            let Some(mut mesh) = after[index].mesh.take() else { continue };
            let size = mesh.positions.iter().flatten().fold(0.0, |size: f32, part| size.max(part.abs()));
            #[expect(clippy::cast_possible_truncation, reason = "as files have them")]
            let quantized = |part: f32| (f64::from(part / size) * steps).round() as f32;
            for at in &mut mesh.positions {
                *at = at.map(quantized);
            }
            after.push(Item {
                name: None,
                parent: Some(index),
                translation: Vector3::zeros(),
                rotation: UnitQuaternion::identity(),
                scale: Vector3::repeat(f64::from(size) / steps),
                mesh: Some(mesh),
            });
        }
        let diff = compared(&before, &after);
        prop_assert!(!diff.is_worse(), "{diff:?}");
        let shape = diff.shape.unwrap();
        prop_assert!(shape.things.iter().all(|thing| thing.matched == Some(MatchedBy::Place)), "{shape:?}");
    }

    #[test]
    fn vertices_in_another_order_did_not_move((before, _) in with_node(), order in Just((0..16_u16).collect::<Vec<_>>()).prop_shuffle()) {
        let mut after = before.clone();
        for mesh in after.iter_mut().filter_map(|item| item.mesh.as_mut()) {
            if mesh.positions.len() == 16 {
                let old = mesh.positions.clone();
                for (place, &from) in order.iter().enumerate() {
                    mesh.positions[place] = old[usize::from(from)];
                }
                for index in &mut mesh.indices {
                    let place = order.iter().position(|from| from == index).unwrap();
                    *index = u16::try_from(place).unwrap();
                }
                mesh.indices.rotate_left(9);
            }
        }
        nothing_moved(&compared(&before, &after), &before)?;
        // What moved is found by the surfaces too, as nearly as these can tell.
        let mut moved = after.clone();
        moved[0].translation += Vector3::new(0.0, 0.0, 30.0);
        prop_assert!(compared(&before, &moved).is_elsewhere());
        for mesh in after.iter_mut().filter_map(|item| item.mesh.as_mut()) {
            mesh.indices.chunks_exact_mut(3).for_each(|corners| corners.swap(1, 2));
        }
        prop_assert!(compared(&before, &after).is_elsewhere());
    }

    /// Names, or none, in another order: who is who is seen by where it is.
    #[test]
    fn nodes_without_names_are_known_by_their_places((mut before, _) in with_node()) {
        for item in &mut before {
            item.name = None;
        }
        let mut after = before.clone();
        // The last has no children.
        let last = after.pop().unwrap();
        after.iter_mut().for_each(|item| item.parent = item.parent.map(|parent| parent + 1));
        after.insert(0, Item { parent: last.parent.map(|parent| parent + 1), ..last });
        nothing_moved(&compared(&before, &after), &before)?;
    }

    #[test]
    fn meshes_that_are_joined_did_not_move((before, _) in with_node()) {
        let (mut positions, mut indices) = (Vec::new(), Vec::new());
        for (item, at) in before.iter().zip(placed(&before)) {
            let Some(mesh) = &item.mesh else { continue };
            let first = u16::try_from(positions.len()).unwrap();
            indices.extend(mesh.indices.iter().map(|index| index + first));
            #[expect(clippy::cast_possible_truncation, reason = "as files have them")]
            positions.extend(at.iter().map(|at| at.coords.data.0[0].map(|part| part as f32)));
        }
        let mesh = Some(Shape { positions, indices });
        let after = vec![Item {
            name: Some("all".to_owned()),
            parent: None,
            translation: Vector3::zeros(),
            rotation: UnitQuaternion::identity(),
            scale: Vector3::repeat(1.0),
            mesh,
        }];
        nothing_moved(&compared(&before, &after), &before)?;
        nothing_moved(&compared(&after, &before), &after)?;
    }

    #[test]
    fn what_leaves_the_default_scene_is_told((before, node) in with_node(), other in any::<bool>()) {
        prop_assume!(before[node].mesh.is_some());
        let in_scenes = |inside: bool, default: usize| {
            let mut file = gltf(&before);
            // The node alone, in its place in the world, so that only scenes change.
            let world = world(&before, node);
            let mesh = file["nodes"][node]["mesh"].take();
            file["nodes"][node].as_object_mut().unwrap().remove("mesh");
            let nodes = file["nodes"].as_array_mut().unwrap();
            nodes.push(json!({ "name": "Alone", "mesh": mesh, "matrix": world.as_slice() }));
            let alone = before.len();
            let mut roots: Vec<_> = (0..alone).filter(|&at| before[at].parent.is_none()).collect();
            roots.extend(inside.then_some(alone));
            file["scenes"] = json!([{ "nodes": roots }, { "nodes": [alone] }]);
            file["scene"] = json!(default);
            file
        };
        let after = if other { in_scenes(true, 1) } else { in_scenes(false, 0) };
        let drawn = before.iter().enumerate().filter(|(at, item)| *at != node && item.mesh.is_some()).count();
        for (files, gone, change) in [
            ([in_scenes(true, 0), after.clone()], !other, DefaultSceneChange::Left),
            ([after, in_scenes(true, 0)], !other, DefaultSceneChange::Entered),
        ] {
            let diff = compared_files(&files[0], &files[1]);
            let things = &diff.shape.as_ref().unwrap().things;
            let told = |thing: &&ThingDiff| thing.default_scene == Some(change);
            let expected = if gone { 1 } else { drawn };
            // With the other scene as the default one everything else changes places.
            let told = things.iter().filter(told).count();
            prop_assert_eq!(told, expected);
            prop_assert_eq!(diff.is_worse(), expected > 0);
        }
        // Where only the order of the scenes is another one, nothing changed.
        let mut reversed = in_scenes(true, 0);
        reversed["scenes"].as_array_mut().unwrap().reverse();
        reversed["scene"] = json!(1);
        prop_assert!(!compared_files(&in_scenes(true, 0), &reversed).is_elsewhere());
    }

    #[test]
    fn what_is_gone_is_told((before, node) in with_node()) {
        prop_assume!(before[node].mesh.is_some());
        prop_assume!(before.iter().filter(|item| item.mesh.is_some()).count() > 1);
        let mut after = before.clone();
        after[node].mesh = None;
        let diff = compared(&before, &after);
        let things = diff.shape.as_ref().unwrap().things.clone();
        prop_assert_eq!(things.len(), 1);
        prop_assert_eq!((things[0].before, things[0].after), (Some(node), None));
        let back = compared(&after, &before);
        let things = &back.shape.as_ref().unwrap().things;
        prop_assert_eq!((things[0].before, things[0].after), (None, Some(node)));
    }
}

/// The faces at which two boxes touch look at each other: in one mesh each is still seen from its own side.
#[test]
fn boxes_that_touch_are_not_inside_out_once_they_are_joined() {
    let corner = |i: u16| [i & 1, (i >> 1) & 1, i >> 2].map(f32::from);
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let indices: Vec<u16> = faces.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]).collect();
    let item = |name: &str, x: f64, mesh: Shape| Item {
        name: Some(name.to_owned()),
        parent: None,
        translation: Vector3::new(x, 0.0, 0.0),
        rotation: UnitQuaternion::identity(),
        scale: Vector3::repeat(1.0),
        mesh: Some(mesh),
    };
    let cube = Shape { positions: (0..8).map(corner).collect(), indices: indices.clone() };
    let before = [item("left", 0.0, cube.clone()), item("right", 1.0, cube.clone())];
    let shifted = cube.positions.iter().map(|[x, y, z]| [x + 1.0, *y, *z]);
    let mut joined = Shape {
        positions: cube.positions.iter().copied().chain(shifted).collect(),
        indices: indices.iter().copied().chain(indices.iter().map(|index| index + 8)).collect(),
    };
    for name in ["left", "both"] {
        let diff = compared(&before, &[item(name, 0.0, joined.clone())]);
        assert!(!diff.is_elsewhere(), "{name}: {:?}", diff.shape.unwrap().things);
    }
    // One box of the two is turned round: all of it but the face where they touch, which is seen from either side as before.
    joined.indices[36..].chunks_exact_mut(3).for_each(|corners| corners.swap(1, 2));
    for name in ["left", "both"] {
        let diff = compared(&before, &[item(name, 0.0, joined.clone())]);
        let things = diff.shape.unwrap().things;
        let over: usize = things.iter().map(|thing| thing.inside_out).sum();
        assert_eq!(over, 10, "{name}: {things:?}");
    }
}

/// Triangles that share no vertices have the same indices in any order.
#[test]
fn a_soup_of_triangles_in_another_order_did_not_move() {
    let corner = |i: u16| [f32::from(i * 7 % 11), f32::from(i * 5 % 13), f32::from(i * i % 17)];
    let positions: Vec<_> = (0..36).map(corner).collect();
    let item = |positions: Vec<[f32; 3]>| Item {
        name: Some("soup".to_owned()),
        parent: None,
        translation: Vector3::zeros(),
        rotation: UnitQuaternion::identity(),
        scale: Vector3::repeat(1.0),
        mesh: Some(Shape { positions, indices: (0..36).collect() }),
    };
    let mut others = positions.clone();
    others.rotate_left(15);
    let diff = compared(&[item(positions)], &[item(others)]);
    assert!(!diff.is_worse() && most(&diff) < 1e-6, "{diff:?}");
}

/// A flag on a pole that turns about y within a second, by keyframes of degrees.
fn turning(degrees: &[f64], order: [usize; 3]) -> Value {
    turning_of([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 1.0, 0.5]], degrees, order)
}

/// The same with these corners.
fn turning_of(corners: [[f32; 3]; 3], degrees: &[f64], order: [usize; 3]) -> Value {
    let flag = Item {
        name: Some("flag".to_owned()),
        parent: None,
        translation: Vector3::zeros(),
        rotation: UnitQuaternion::identity(),
        scale: Vector3::repeat(1.0),
        mesh: Some(Shape {
            positions: order.map(|corner| corners[corner]).to_vec(),
            indices: vec![0, 1, 2],
        }),
    };
    let mut file = gltf(&[flag]);
    let last = f64::from(u32::try_from(degrees.len() - 1).unwrap());
    let times = (0..degrees.len()).map(|i| f64::from(u32::try_from(i).unwrap()) / last);
    let turns = degrees.iter().flat_map(|degrees| {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), degrees.to_radians());
        <[f64; 4]>::from(turn.coords)
    });
    #[expect(clippy::cast_possible_truncation, reason = "as files have them")]
    let bytes = times.chain(turns).flat_map(|number| (number as f32).to_le_bytes());
    let bytes: Vec<u8> = bytes.collect();
    let (uri, count) = (format!("data:;base64,{}", STANDARD.encode(&bytes)), degrees.len());
    let views = file["bufferViews"].as_array().unwrap().len();
    let buffer = file["buffers"].as_array().unwrap().len();
    let accessors = file["accessors"].as_array().unwrap().len();
    let push = |list: &mut Value, entry: Value| list.as_array_mut().unwrap().push(entry);
    push(&mut file["buffers"], json!({ "uri": uri, "byteLength": bytes.len() }));
    push(&mut file["bufferViews"], json!({ "buffer": buffer, "byteLength": 4 * count }));
    let rest = json!({ "buffer": buffer, "byteOffset": 4 * count, "byteLength": 16 * count });
    push(&mut file["bufferViews"], rest);
    for (place, shape) in ["SCALAR", "VEC4"].into_iter().enumerate() {
        let accessor = json!({ "bufferView": views + place, "componentType": 5126,
            "count": count, "type": shape });
        push(&mut file["accessors"], accessor);
    }
    file["animations"] = json!([{ "name": "turn",
        "samplers": [{ "input": accessors, "output": accessors + 1 }],
        "channels": [{ "sampler": 0, "target": { "node": 0, "path": "rotation" } }] }]);
    file
}

#[test]
fn what_moves_otherwise_is_found_when_it_is_farthest() {
    let before = turning(&[0.0, 90.0], [0, 1, 2]);
    // The corner at 3 is at the ends of a chord.
    let chord = 6.0 * 5_f64.to_radians().sin();
    for (order, tolerance) in [([0, 1, 2], 1e-5), ([2, 0, 1], 0.05)] {
        let diff = compared_files(&before, &turning(&[0.0, 80.0], order));
        let thing = &diff.shape.as_ref().unwrap().things[0];
        assert!((thing.moved - chord).abs() < tolerance, "{thing:?}");
        assert_eq!((thing.animation, thing.seconds), (Some(0), Some(1.0)));
        assert!(diff.is_elsewhere());
    }
}

#[test]
fn what_turns_the_other_way_within_its_box_is_found() {
    // A sail that turns about its middle: whichever way it turns, it is in the same box.
    let sail = [[-2.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let [before, after] = [60.0, -60.0].map(|by| turning_of(sail, &[0.0, by], [0, 1, 2]));
    assert!(compared_files(&before, &after).is_elsewhere());
    let after = turning_of(sail, &[0.0, -60.0], [1, 2, 0]);
    assert!(compared_files(&before, &after).is_elsewhere());
    let same = turning_of(sail, &[0.0, 60.0], [1, 2, 0]);
    assert!(!compared_files(&before, &same).is_elsewhere());
}

/// At rest two flags are one; one of them turns.
#[test]
fn what_something_else_covers_only_at_rest_is_missed_where_it_is_gone() {
    let both = |change: &dyn Fn(&mut Value)| {
        let mut file = turning(&[0.0, 90.0], [0, 1, 2]);
        file["nodes"].as_array_mut().unwrap().push(json!({ "name": "still", "mesh": 0 }));
        file["scenes"] = json!([{ "nodes": [0, 1] }, { "nodes": [0] }, { "nodes": [1] }]);
        change(&mut file);
        file
    };
    let before = both(&|_| ());
    let without = both(&|file| {
        file["nodes"].as_array_mut().unwrap().pop();
        file["scenes"] = json!([{ "nodes": [0] }]);
    });
    assert!(compared_files(&before, &without).is_elsewhere());
    let [turning, still] = [1, 2].map(|scene| both(&|file| file["scene"] = json!(scene)));
    for [before, after] in [[&turning, &still], [&still, &turning], [&before, &turning]] {
        assert!(compared_files(before, after).is_elsewhere());
    }
    assert!(!compared_files(&turning, &turning).is_elsewhere());
}

#[test]
fn what_is_large_in_another_scene_makes_no_change_small() {
    let of = |x: f64, far: f64, default: usize, roots: &[usize]| {
        let flag = |name: &str, x: f64| Item {
            name: Some(name.to_owned()),
            parent: None,
            translation: Vector3::new(x, 0.0, 0.0),
            rotation: UnitQuaternion::identity(),
            scale: Vector3::repeat(1.0),
            mesh: Some(Shape {
                positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
                indices: vec![0, 1, 2],
            }),
        };
        let mut file = gltf(&[flag("shown", x), flag("a", far), flag("b", -far)]);
        file["scenes"] = json!([{ "nodes": roots }, { "nodes": [1, 2] }]);
        file["scene"] = json!(default);
        file
    };
    let before = of(0.0, 1e5, 0, &[0]);
    assert!(!compared_files(&before, &before).is_elsewhere());
    for after in [of(3.0, 1e5, 0, &[0]), of(0.0, 1e5, 1, &[0]), of(0.0, 1e5, 0, &[])] {
        assert!(compared_files(&before, &after).is_elsewhere());
    }
}

#[test]
fn keyframes_that_change_nothing_are_no_change() {
    let before = turning(&[0.0, 90.0], [0, 1, 2]);
    let diff = compared_files(&before, &turning(&[0.0, 22.5, 45.0, 67.5, 90.0], [0, 1, 2]));
    assert!(!diff.is_worse() && most(&diff) < 1e-5, "{diff:?}");
    // One in between that is elsewhere is found.
    let diff = compared_files(&before, &turning(&[0.0, 22.5, 55.0, 67.5, 90.0], [0, 1, 2]));
    let thing = &diff.shape.as_ref().unwrap().things[0];
    assert_eq!(thing.seconds, Some(0.5), "{thing:?}");
    assert!((thing.moved - 6.0 * 5_f64.to_radians().sin()).abs() < 1e-5, "{thing:?}");
}

#[test]
fn of_very_many_keyframes_some_are_compared_and_the_last() {
    let keyframes = |last: f64| -> Vec<f64> {
        (0..3_000).map(|i| if i == 2_999 { last } else { 0.0 }).collect()
    };
    let [before, after] = [0.0, 60.0].map(|last| turning(&keyframes(last), [0, 1, 2]));
    let diff = compared_files(&before, &after);
    let shape = diff.shape.as_ref().unwrap();
    assert_eq!(shape.thinned, 1);
    // A chord of 60° is as long as its radius.
    assert!((shape.things[0].moved - 3.0).abs() < 1e-5, "{:?}", shape.things);
}

#[test]
fn an_animation_that_is_missing_is_not_compared_and_not_the_same() {
    let before = turning(&[0.0, 90.0], [0, 1, 2]);
    let mut after = before.clone();
    after["animations"] = json!([]);
    let diff = compared_files(&before, &after);
    let shape = diff.shape.as_ref().unwrap();
    assert_eq!(shape.not_compared, ["after, the animation \"turn\" is missing"]);
    assert!(diff.is_elsewhere());
}

/// A skin that cannot be read is drawn by nobody here, and that is not the same as nothing.
#[test]
fn what_cannot_be_read_is_not_the_same() {
    let flag = turning(&[0.0, 90.0], [0, 1, 2]);
    let mut bent = flag.clone();
    bent["skins"] = json!([{ "joints": [0], "inverseBindMatrices": 99 }]);
    bent["nodes"][0]["skin"] = json!(0);
    let diff = compared_files(&bent, &bent);
    let not_compared = &diff.shape.as_ref().unwrap().not_compared;
    assert!(not_compared.len() == 2 && not_compared[0].contains("accessor 99"), "{not_compared:?}");
    assert!(diff.is_worse());
    assert!(!compared_files(&flag, &flag).is_worse());
}

/// A camera that looks elsewhere counts where that is asked for.
#[test]
fn cameras_and_lights_are_compared_by_where_they_point() {
    let item = |name: &str, degrees: f64, mesh: Option<Shape>| Item {
        name: Some(name.to_owned()),
        parent: None,
        translation: Vector3::new(0.0, 1.0, 4.0),
        rotation: UnitQuaternion::from_axis_angle(&Vector3::x_axis(), degrees.to_radians()),
        scale: Vector3::repeat(1.0),
        mesh,
    };
    let mesh = Shape {
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        indices: vec![0, 1, 2],
    };
    let file = |degrees: f64| {
        let mut file = gltf(&[item("eye", degrees, None), item("wall", 0.0, Some(mesh.clone()))]);
        file["cameras"] =
            json!([{ "type": "perspective", "perspective": { "yfov": 1, "znear": 0.1 } }]);
        file["nodes"][0]["camera"] = json!(0);
        file
    };
    let mut diff = compared_files(&file(10.0), &file(40.0));
    let fixture = &diff.shape.as_ref().unwrap().fixtures[0];
    assert!((fixture.turned_degrees.unwrap() - 30.0).abs() < 1e-5 && fixture.moved == 0.0);
    assert!(!diff.is_elsewhere());
    diff.counts_undrawn = true;
    assert!(diff.is_elsewhere());
    let in_scene = |roots: &[usize]| {
        let mut file = file(10.0);
        file["scenes"] = json!([{ "nodes": roots }]);
        file
    };
    let mut diff = compared_files(&in_scene(&[0, 1]), &in_scene(&[1]));
    let fixture = &diff.shape.as_ref().unwrap().fixtures[0];
    assert_eq!(fixture.default_scene, Some(DefaultSceneChange::Left));
    assert!(!diff.is_elsewhere());
    diff.counts_undrawn = true;
    assert!(diff.is_elsewhere());
}

/// Files that were compressed, with a skin, instances and an animation.
#[test]
fn compressed_files_look_the_same() {
    let stored = |name: &str| {
        let path = format!("{}/tests/files/{name}.glb", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(path).unwrap();
        let mut scene = read_gltf(&bytes, "sail.glb").unwrap();
        scene.drawing = read_gltf_drawing(&bytes).unwrap();
        scene
    };
    let usual = EngineChoice::usual();
    let with_audit = |scene: &Scene| compare_engines(scene, &usual).unwrap();
    let before = stored("sail");
    for name in ["sail-meshopt", "sail-meshopt-filters", "sail-draco"] {
        let after = stored(name);
        let audits = [with_audit(&before), with_audit(&after)];
        let both = [(&before, &audits[0]), (&after, &audits[1])];
        let found = diff(both, &DiffOptions::default()).unwrap();
        assert!(!found.is_worse(), "{name}: {found:?}");
        let shape = found.shape.as_ref().unwrap();
        assert_eq!(shape.drawn, [7, 7]);
        assert!(most(&found) < 1e-4 * shape.diagonal, "{name}");
    }
    // A joint that turns further.
    let mut after = stored("sail");
    after.animations.clear();
    let bent = after.nodes.iter_mut().find(|node| node.name.as_deref() == Some("gaff")).unwrap();
    let xform_scene::LocalPose::Trs(pose) = &mut bent.local else { panic!() };
    pose.rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.1);
    let mut still = stored("sail");
    still.animations.clear();
    let audits = [with_audit(&still), with_audit(&after)];
    let found =
        diff([(&still, &audits[0]), (&after, &audits[1])], &DiffOptions::default()).unwrap();
    let thing = &found.shape.as_ref().unwrap().things[0];
    // The last row follows the joint wholly: 1 above it, and from −1 to 1 along x, which is twice as long there.
    let expected = 2.0 * 0.05_f64.sin() * 2.0;
    assert_eq!(thing.path, "sail");
    assert!(thing.moved > 0.5 * expected && thing.moved < 2.0 * expected, "{thing:?} {expected}");
}

properties! {
    #![cases(200)]

    /// `flatten` by translation, rotation and scale takes the shear out of what is turned below a stretch.
    #[test]
    fn a_scene_that_lost_its_shear_moved((before, node) in with_node(), stretch in 1.5..4.0_f64) {
        let mut before = before;
        before[node].scale.x *= stretch;
        let mut after = before.clone();
        for (index, item) in after.iter_mut().enumerate() {
            let world = world(&before, index);
            let linear = world.fixed_view::<3, 3>(0, 0).into_owned();
            let x = linear.column(0).normalize();
            let y = (linear.column(1) - x * x.dot(&linear.column(1))).normalize();
            let turned = nalgebra::Matrix3::from_columns(&[x, y, x.cross(&y)]);
            *item = Item {
                parent: None,
                translation: world.column(3).xyz(),
                rotation: UnitQuaternion::from_matrix(&turned),
                scale: Vector3::from_fn(|axis, _| linear.column(axis).norm()),
                ..item.clone()
            };
        }
        check(&compared(&before, &after), &before, farthest(&before, &after))?;
    }

    /// Paths change and the order does, and the names are unique: the node that was turned is the one that is named.
    #[test]
    fn the_node_that_is_named_is_the_one_that_changed((before, node) in with_node(), turned in turn()) {
        prop_assume!(before[node].mesh.is_some() && turned.angle() > 0.2);
        let mut after: Vec<_> = (0..before.len()).map(|index| {
            let world = world(&before, index);
            let scale = world.column(0).xyz().norm();
            Item {
                parent: None,
                translation: world.column(3).xyz(),
                rotation: UnitQuaternion::from_matrix(&(world.fixed_view::<3, 3>(0, 0) / scale)),
                scale: Vector3::repeat(scale),
                ..before[index].clone()
            }
        }).collect();
        after[node].rotation = turned * after[node].rotation;
        let expected = farthest(&before, &after);
        after.reverse();
        let diff = compared(&before, &after);
        let things = &diff.shape.as_ref().unwrap().things;
        let name = before[node].name.as_deref().unwrap();
        prop_assert_eq!(things[0].path.as_str(), name);
        prop_assert_eq!(things[0].before, Some(node));
        prop_assert!((things[0].moved - expected).abs() < 1e-5 * diagonal(&placed(&before)));
        let moved = diff.shape.as_ref().unwrap().elsewhere(0.1).count();
        prop_assert!(moved <= 1, "{things:?}");
    }

    /// Copies of a mesh as nodes, and as instances of one (`EXT_mesh_gpu_instancing`).
    #[test]
    fn instances_are_where_the_nodes_were(
        shape in shape(),
        places in proptest::collection::vec((vector(9.0), turn(), 0.4..2.0_f64), 2..6),
        top in (vector(5.0), turn(), 0.5..2.0_f64),
    ) {
        let item = |name: &str, parent, (translation, rotation, scale), mesh| Item {
            name: Some(name.to_owned()),
            parent,
            translation,
            rotation,
            scale: Vector3::repeat(scale),
            mesh,
        };
        let mut before = vec![item("top", None, top, None)];
        for (index, &place) in places.iter().enumerate() {
            before.push(item(&format!("copy {index}"), Some(0), place, Some(shape.clone())));
        }
        let mut after = gltf(&[item("top", None, top, Some(shape.clone()))]);
        let rows: [Vec<Vec<f64>>; 3] = [
            places.iter().map(|(at, ..)| at.iter().copied().collect()).collect(),
            places.iter().map(|(_, turn, _)| turn.coords.iter().copied().collect()).collect(),
            places.iter().map(|(.., scale)| vec![*scale; 3]).collect(),
        ];
        let mut attributes = json!({});
        for (name, rows) in ["TRANSLATION", "ROTATION", "SCALE"].into_iter().zip(rows) {
            #[expect(clippy::cast_possible_truncation, reason = "as files have them")]
            let bytes: Vec<_> = rows.iter().flatten().flat_map(|one| (*one as f32).to_le_bytes()).collect();
            let uri = format!("data:;base64,{}", STANDARD.encode(&bytes));
            let len = |list: &Value| list.as_array().unwrap().len();
            let [buffer, view, accessor] =
                ["buffers", "bufferViews", "accessors"].map(|list| len(&after[list]));
            let push = |list: &mut Value, entry: Value| list.as_array_mut().unwrap().push(entry);
            push(&mut after["buffers"], json!({ "uri": uri, "byteLength": bytes.len() }));
            push(&mut after["bufferViews"], json!({ "buffer": buffer, "byteLength": bytes.len() }));
            push(&mut after["accessors"], json!({ "bufferView": view, "componentType": 5126,
                "count": rows.len(), "type": if rows[0].len() == 4 { "VEC4" } else { "VEC3" } }));
            attributes[name] = json!(accessor);
        }
        after["nodes"][0]["extensions"] =
            json!({ "EXT_mesh_gpu_instancing": { "attributes": attributes } });
        let diff = compared_files(&gltf(&before), &after);
        nothing_moved(&diff, &before)?;
        prop_assert_eq!(diff.shape.unwrap().drawn, [places.len(); 2]);
    }
}
