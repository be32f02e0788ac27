//! What people reported, each as the smallest file that shows it and again with other numbers and names and deeper in a tree. Right
//! is what a closed form says that stands beside the file.

use std::fs;

use nalgebra::{Matrix3, Rotation3, Vector3};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::program::{stdout, xform};

/// How a file is written this time.
#[derive(Clone, Copy, Debug)]
struct Variant {
    stretch: f64,
    degrees: f64,
    names: [&'static str; 3],
    /// How many nodes, moved and turned, are above it.
    above: usize,
}

const VARIANTS: [Variant; 3] = [
    Variant { stretch: 3.0, degrees: 35.0, names: ["n0", "n1", "n2"], above: 0 },
    Variant { stretch: 0.4, degrees: 62.0, names: ["Körper", "Rad", "a/b"], above: 4 },
    Variant { stretch: 1.25, degrees: -110.0, names: ["node", "node", "node"], above: 1 },
];

impl Variant {
    fn scale(&self) -> Vector3<f64> {
        Vector3::new(self.stretch, 1.0, 1.0)
    }

    fn turn(&self) -> Rotation3<f64> {
        Rotation3::from_axis_angle(&Vector3::z_axis(), self.degrees.to_radians())
    }

    /// A file of these nodes, of which the first is the top, below others.
    fn file(&self, nodes: &[Value]) -> Value {
        let mut all: Vec<_> = (0..self.above)
            .map(|place| {
                json!({ "translation": [7, place, -2], "rotation": xyzw(&about_x(20.0)),
                    "scale": [2, 2, 2], "children": [place + 1] })
            })
            .collect();
        all.extend(nodes.iter().cloned().map(|mut node| {
            let children = node.get_mut("children").and_then(Value::as_array_mut);
            for child in children.into_iter().flatten() {
                *child = json!(child.as_u64().unwrap() + self.above as u64);
            }
            node
        }));
        json!({
            "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": all,
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
            "accessors": [{ "componentType": 5126, "count": 8, "type": "VEC3",
                "min": [-0.5, -0.5, -0.5], "max": [0.5, 0.5, 0.5] }],
        })
    }

    /// The factor of the scales above.
    fn size(&self) -> f64 {
        2_f64.powi(i32::try_from(self.above).unwrap())
    }
}

fn about_x(degrees: f64) -> Rotation3<f64> {
    Rotation3::from_axis_angle(&Vector3::x_axis(), degrees.to_radians())
}

fn xyzw(turn: &Rotation3<f64>) -> [f64; 4] {
    nalgebra::UnitQuaternion::from_rotation_matrix(turn).coords.into()
}

/// The corners of the cube that each mesh is.
fn corners() -> impl Iterator<Item = Vector3<f64>> {
    (0..8).map(|i| Vector3::new(i >> 2 & 1, i >> 1 & 1, i & 1).map(|bit| f64::from(bit) - 0.5))
}

/// How far two matrices take the corners apart at most.
fn apart(a: &Matrix3<f64>, b: &Matrix3<f64>) -> f64 {
    corners().map(|corner| (a * corner - b * corner).norm()).fold(0.0, f64::max)
}

/// A file on the disk, and what the program says of it.
struct Said {
    folder: TempDir,
    name: &'static str,
    scene: Value,
}

impl Said {
    fn of(name: &'static str, bytes: &[u8]) -> Self {
        let folder = tempdir().unwrap();
        fs::write(folder.path().join(name), bytes).unwrap();
        let mut said = Self { folder, name, scene: Value::Null };
        let json: Value = serde_json::from_str(&said.printed(&["--format", "json"])).unwrap();
        said.scene = json["scenes"][0].clone();
        said.agrees();
        said
    }

    fn of_gltf(file: &Value) -> Self {
        Self::of("file.gltf", file.to_string().as_bytes())
    }

    fn run(&self, arguments: &[&str]) -> std::process::Output {
        xform(self.folder.path(), &[&["audit", self.name], arguments].concat())
    }

    fn printed(&self, arguments: &[&str]) -> String {
        stdout(&self.run(arguments)).to_owned()
    }

    fn status(&self, arguments: &[&str]) -> i32 {
        self.run(arguments).status.code().unwrap()
    }

    /// Each format and each limit says of the grade what the JSON says.
    fn agrees(&self) {
        const GRADES: [&str; 4] = ["identical", "negligible", "visible", "severe"];
        let grade = self.text("/summary/grade").to_owned();
        let rank = GRADES.iter().position(|one| *one == grade).unwrap();
        let known = self.scene["engines"]["unknown"].as_array().unwrap().is_empty()
            && self.scene["engines"]["not_judged"].is_null();
        for (place, limit) in GRADES.iter().enumerate().skip(1) {
            let status = self.status(&["--fail-on", limit, "--allow-unknown"]);
            assert_eq!(status, i32::from(rank >= place), "{limit}: {grade}");
            let strict = self.status(&["--fail-on", limit]);
            assert_eq!(strict, i32::from(rank >= place || !known), "{limit}: {grade}");
        }
        let verdict = match rank {
            0 if known => "The scene looks the same ",
            0 => "No difference found ",
            1 => "Negligible in ",
            2 => "Visible in ",
            _ => "Severe in ",
        };
        let text = self.printed(&[]);
        let first = text.lines().nth(1).unwrap().trim();
        assert!(first.starts_with(verdict), "{grade}: {first}");
        let markdown = self.printed(&["--format", "markdown"]);
        assert!(markdown.lines().any(|line| line.starts_with(verdict)), "{grade}: {markdown}");
        let line: Value = serde_json::from_str(&self.printed(&["--format", "jsonl"])).unwrap();
        assert_eq!(line["summary"], self.scene["summary"]);
        // The worst of the rows that count.
        let csv = self.printed(&["--format", "csv", "--nodes", "all"]);
        let columns: Vec<_> = csv.lines().next().unwrap().split(',').collect();
        let column = |name: &str| columns.iter().position(|one| *one == name).unwrap();
        let (graded, counts) = (column("grade"), column("counts"));
        let of_row = |row: &str| {
            let values: Vec<_> = row.split(',').collect();
            let place = GRADES.iter().position(|one| *one == values[graded]).unwrap();
            (values[counts] == "true").then_some(place)
        };
        let worst = csv.lines().skip(1).filter_map(of_row).max();
        assert_eq!(worst.unwrap_or(0), rank, "{csv}");
    }

    fn number(&self, pointer: &str) -> f64 {
        let found = self.scene.pointer(pointer).unwrap_or_else(|| panic!("{pointer}"));
        found.as_f64().unwrap_or_else(|| panic!("{pointer}: {found}"))
    }

    fn text(&self, pointer: &str) -> &str {
        self.scene.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer}"))
    }

    /// The last node with this member.
    fn node(&self, member: &str) -> &Value {
        let nodes = self.scene["nodes"].as_array().unwrap();
        nodes.iter().rfind(|node| !node[member].is_null()).unwrap_or_else(|| panic!("{member}"))
    }

    fn is_about(&self, pointer: &str, expected: f64) {
        let found = self.number(pointer);
        assert!(
            (found - expected).abs() < 1e-6 * expected.abs().max(1.0),
            "{pointer}: {found} is not {expected}"
        );
    }
}

/// `EXT_mesh_gpu_instancing` below a non-uniform scale is what the same nodes are.
#[test]
fn instances_below_a_scale() {
    for variant in VARIANTS {
        let places: Vec<_> = (0..4_u8)
            .map(|place| {
                let turn = variant.degrees * f64::from(place) / 3.0;
                let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), turn.to_radians());
                (Vector3::new(2.0 * f64::from(place), 0.0, 0.0), turn)
            })
            .collect();
        let top = json!({ "name": variant.names[0], "scale": variant.scale().data.0[0], "children": [1] });
        let stored = |rows: Vec<Vec<f64>>, shape: &str| {
            #[expect(clippy::cast_possible_truncation, reason = "as files have them")]
            let bytes = rows.iter().flatten().flat_map(|one| (*one as f32).to_le_bytes());
            let bytes: String = bytes.map(|byte| format!("%{byte:02x}")).collect();
            (format!("data:,{bytes}"), rows.len(), shape.to_owned())
        };
        let data = [
            stored(places.iter().map(|(at, _)| at.iter().copied().collect()).collect(), "VEC3"),
            stored(places.iter().map(|(_, turn)| xyzw(turn).to_vec()).collect(), "VEC4"),
        ];
        let instances = json!({ "attributes": { "TRANSLATION": 1, "ROTATION": 2 } });
        let own = json!({ "name": variant.names[1], "mesh": 0,
            "extensions": { "EXT_mesh_gpu_instancing": instances } });
        let mut file = variant.file(&[top.clone(), own]);
        for (place, (uri, count, shape)) in data.into_iter().enumerate() {
            let len = count * if shape == "VEC3" { 12 } else { 16 };
            let push = |list: &mut Value, entry| match list.as_array_mut() {
                Some(entries) => entries.push(entry),
                None => *list = json!([entry]),
            };
            push(&mut file["buffers"], json!({ "uri": uri, "byteLength": len }));
            push(&mut file["bufferViews"], json!({ "buffer": place, "byteLength": len }));
            push(
                &mut file["accessors"],
                json!({ "bufferView": place, "componentType": 5126, "count": count, "type": shape }),
            );
        }
        let said = Said::of_gltf(&file);
        let as_nodes: Vec<_> = places
            .iter()
            .map(|(at, turn)| {
                json!({ "mesh": 0, "translation": at.data.0[0], "rotation": xyzw(turn) })
            })
            .collect();
        let middle = json!({ "name": variant.names[1],
            "children": (2..2 + as_nodes.len()).collect::<Vec<_>>() });
        let expanded = Said::of_gltf(&variant.file(&[&[top, middle][..], &as_nodes].concat()));
        let scale = Matrix3::from_diagonal(&variant.scale());
        let of_place = |turn: &Rotation3<f64>| apart(&(scale * turn), &(turn * scale));
        let expected = places.iter().map(|(_, turn)| of_place(turn)).fold(0.0, f64::max);
        said.is_about("/summary/max_displacement", expected * variant.size());
        for figure in
            ["max_displacement", "max_displacement_percent", "diagonal", "max_skew_degrees"]
        {
            let figure = format!("/summary/{figure}");
            said.is_about(&figure, expanded.number(&figure));
        }
        assert_eq!(said.text("/summary/grade"), expanded.text("/summary/grade"));
        assert_ne!(said.text("/summary/grade"), "identical");
    }
}

/// three.js and Babylon.js put a quaternion into the formula of a rotation matrix as it is.
#[test]
fn a_quaternion_that_is_half_a_unit() {
    for (variant, length) in VARIANTS.into_iter().zip([0.5_f64.sqrt(), 0.8, 1.3]) {
        let turn = about_x(variant.degrees);
        let [x, y, z, w] = xyzw(&turn).map(|component| component * length);
        let leaf = Vector3::new(1.0, 2.0, 3.0);
        let file = variant.file(&[
            json!({ "name": variant.names[0], "rotation": [x, y, z, w], "children": [1] }),
            json!({ "name": variant.names[1], "mesh": 0, "scale": leaf.data.0[0] }),
        ]);
        let as_it_is = Matrix3::new(
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - z * w),
            2.0 * (x * z + y * w),
            2.0 * (x * y + z * w),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - x * w),
            2.0 * (x * z - y * w),
            2.0 * (y * z + x * w),
            1.0 - 2.0 * (x * x + y * y),
        );
        let leaf = Matrix3::from_diagonal(&leaf);
        let said = Said::of_gltf(&file);
        let expected = apart(&(as_it_is * leaf), &(turn * leaf));
        said.is_about("/summary/max_displacement", expected * variant.size());
        let groups = said.scene["engines"]["groups"].as_array().unwrap();
        let grade_of = |engine: &str| {
            let has = |group: &&Value| {
                let engines = group["engines"].as_array().unwrap();
                engines.iter().any(|one| one["id"] == engine)
            };
            groups.iter().find(has).map(|group| group["grade"].as_str().unwrap())
        };
        assert_eq!(grade_of("three"), Some("severe"));
        assert_eq!(grade_of("babylon"), Some("severe"));
        assert_eq!(grade_of("blender"), Some("identical"));
    }
}

/// A mirror above a turn is the same in the usual six, and in OGRE's rule it is not.
#[test]
fn a_mirror_above_a_turn() {
    for variant in VARIANTS {
        let file = variant.file(&[
            json!({ "name": variant.names[0], "scale": [-1, 1, 1], "children": [1] }),
            json!({ "name": variant.names[1], "rotation": xyzw(&variant.turn()), "mesh": 0 }),
        ]);
        let said = Said::of_gltf(&file);
        assert_eq!(said.text("/summary/grade"), "identical");
        let text = said.printed(&["--engine", "ogre", "--format", "json"]);
        let ogre: Value = serde_json::from_str(&text).unwrap();
        let mirror = Matrix3::from_diagonal(&Vector3::new(-1.0, 1.0, 1.0));
        let expected = apart(&(mirror * variant.turn()), &(variant.turn() * mirror));
        let found = ogre["scenes"][0]["summary"]["max_displacement"].as_f64().unwrap();
        assert!((found - expected * variant.size()).abs() < 1e-6 * variant.size(), "{found}");
    }
}

/// A camera below a non-uniform scale looks elsewhere, and does not count unless that is asked for.
#[test]
fn a_camera_below_a_scale() {
    for variant in VARIANTS {
        let turn = about_x(variant.degrees);
        let scale = Vector3::new(1.0, variant.stretch, 1.0);
        let mut file = variant.file(&[
            json!({ "children": [1, 3] }),
            json!({ "name": variant.names[0], "scale": scale.data.0[0], "children": [2] }),
            json!({ "name": variant.names[1], "rotation": xyzw(&turn), "camera": 0 }),
            json!({ "name": variant.names[2], "mesh": 0 }),
        ]);
        file["cameras"] =
            json!([{ "type": "perspective", "perspective": { "yfov": 0.8, "znear": 0.1 } }]);
        let said = Said::of_gltf(&file);
        // The greater turn of its view and of what is up for it, which is perpendicular to that.
        let world = Matrix3::from_diagonal(&scale) * turn;
        let axes = |linear: Matrix3<f64>| {
            let forward = (linear * -Vector3::z()).normalize();
            let up = linear * Vector3::y();
            [forward, up - forward * forward.dot(&up)]
        };
        let [shown, combined] = [axes(world), axes(*turn.matrix())];
        let turned = |axis: usize| shown[axis].angle(&combined[axis]).to_degrees();
        let expected = turned(0).max(turned(1));
        let camera = said.node("role");
        assert_eq!((&camera["role"], &camera["counts"]), (&json!("camera"), &json!(false)));
        let found = camera["turned_degrees"].as_f64().unwrap();
        assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
        assert_eq!(said.text("/summary/grade"), "identical");
        assert_eq!(said.status(&["--fail-on", "visible", "--undrawn"]), 1);
        let told = said.printed(&[]);
        assert!(told.contains("Not counted: in Unreal the camera"), "{told}");
    }
}

/// What hangs on a socket is sheared, by a closed form.
#[test]
fn a_socket_below_a_scale() {
    for variant in VARIANTS {
        let file = variant.file(&[
            json!({ "name": variant.names[0], "scale": variant.scale().data.0[0], "mesh": 0, "children": [1] }),
            json!({ "name": variant.names[1], "translation": [0, 0.5, 0], "rotation": xyzw(&variant.turn()) }),
        ]);
        let said = Said::of_gltf(&file);
        let socket = said.node("role");
        let world = Matrix3::from_diagonal(&variant.scale()) * variant.turn();
        let expected = (world.column(0).angle(&world.column(1)).to_degrees() - 90.0).abs();
        let found = socket["skew_difference_degrees"].as_f64().unwrap();
        assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
        assert_eq!((&socket["role"], &socket["counts"]), (&json!("socket"), &json!(false)));
        assert_eq!(said.text("/summary/grade"), "identical");
        assert_eq!(said.status(&["--fail-on", "visible", "--undrawn"]), 1);
    }
}

/// An animation without its data is not known, and fails under a limit unless that is allowed.
#[test]
fn an_animation_whose_buffer_is_missing() {
    for variant in VARIANTS {
        let mut file = variant.file(&[
            json!({ "name": variant.names[0], "children": [1] }),
            json!({ "name": variant.names[1], "rotation": xyzw(&variant.turn()), "mesh": 0 }),
        ]);
        file["buffers"] =
            json!([{ "byteLength": 32, "uri": format!("{} data ü.BIN", variant.above) }]);
        file["bufferViews"] = json!([{ "buffer": 0, "byteLength": 8 }, { "buffer": 0, "byteOffset": 8, "byteLength": 24 }]);
        let accessors = file["accessors"].as_array_mut().unwrap();
        for (view, shape) in ["SCALAR", "VEC3"].into_iter().enumerate() {
            accessors.push(
                json!({ "bufferView": view, "componentType": 5126, "count": 2, "type": shape }),
            );
        }
        file["animations"] = json!([{ "samplers": [{ "input": 1, "output": 2 }], "channels":
            [{ "sampler": 0, "target": { "node": variant.above, "path": "scale" } }] }]);
        let said = Said::of_gltf(&file);
        assert!(!said.scene["engines"]["not_judged"].is_null());
        assert_eq!(said.status(&["--fail-on", "visible"]), 1);
        assert_eq!(said.status(&["--fail-on", "visible", "--allow-unknown"]), 0);
        assert_eq!(said.status(&[]), 0);
    }
}

/// Which nodes are they? By name, with their scales.
#[test]
fn mirrored_and_non_uniform_nodes_have_names() {
    for variant in VARIANTS {
        let [first, second, third] = variant.names;
        let file = variant.file(&[
            json!({ "children": [1, 2, 3, 4] }),
            json!({ "name": first, "mesh": 0, "scale": [-variant.stretch, 1, 1] }),
            json!({ "name": second, "mesh": 0, "scale": [-1, -1, -1], "translation": [3, 0, 0] }),
            // Half a turn, and no mirror.
            json!({ "name": third, "mesh": 0, "scale": [-1, -1, 1], "translation": [0, 0, 3] }),
            json!({ "name": "even", "mesh": 0, "scale": [2, 2, 2] }),
        ]);
        let said = Said::of_gltf(&file);
        let listed = |which: &str| -> Vec<usize> {
            let text = said.printed(&["--list", which]);
            let nodes = text.lines().filter_map(|line| line.split_once("]: scale ("));
            let index = |(head, _): (&str, &str)| head.rsplit_once('[').unwrap().1.parse().unwrap();
            nodes.map(index).collect()
        };
        let above = variant.above;
        assert_eq!(listed("mirrored"), [above + 1, above + 2]);
        assert_eq!(listed("non-uniform"), [above + 1]);
        let text = said.printed(&["--list", "mirrored"]);
        let escaped = first.replace('/', "\\/");
        assert!(text.contains(first) || text.contains(&escaped), "{text}");
        assert!(text.contains(&format!("scale ({}, 1, 1)", -variant.stretch)), "{text}");
    }
}

#[cfg(feature = "fbx")]
mod fbx {
    use super::{Said, VARIANTS, Variant};
    use crate::text::{Fbx, Model};

    /// A file below so many nodes, and the last of these.
    fn below(variant: &Variant) -> (Fbx, Option<usize>) {
        let mut fbx = Fbx::default();
        let mut parent = None;
        for _ in 0..variant.above {
            let above = Model {
                name: "above",
                parent,
                translation: [1.0, 2.0, 3.0],
                rotation: [20.0, 0.0, 0.0],
                has_cube: false,
                ..Model::default()
            };
            parent = Some(fbx.add(&above));
        }
        (fbx, parent)
    }

    fn said(fbx: &Fbx) -> Said {
        Said::of("file.fbx", fbx.text().as_bytes())
    }

    fn is_the_same(said: &Said) {
        assert_eq!(said.text("/summary/grade"), "identical");
        assert_eq!(said.number("/summary/differing_nodes"), 0.0);
        assert!(said.scene["engines"]["unknown"].as_array().unwrap().is_empty());
        assert_eq!(said.status(&["--fail-on", "negligible", "--undrawn"]), 0);
    }

    /// Bones alone, below an even scale: the everyday download.
    #[test]
    fn bones_without_a_mesh() {
        for variant in VARIANTS {
            let (mut fbx, mut parent) = below(&variant);
            let scale = [variant.stretch; 3];
            for (place, name) in variant.names.into_iter().enumerate() {
                let scale = if place == 0 { scale } else { [1.0; 3] };
                let bone = Model {
                    name,
                    parent,
                    inherit: 0,
                    translation: [0.0, 0.0, 1.0],
                    scale,
                    has_cube: false,
                    ..Model::default()
                };
                parent = Some(fbx.add(&bone));
            }
            is_the_same(&said(&fbx));
        }
    }

    /// Every scale is 1, so every type of inheritance is the same, and nothing is unknown.
    #[test]
    fn types_of_inheritance_where_nothing_is_scaled() {
        for (variant, inherit) in VARIANTS.into_iter().zip([0, 2, 0]) {
            let (mut fbx, parent) = below(&variant);
            let top = Model {
                name: variant.names[0],
                parent,
                inherit,
                has_cube: false,
                ..Model::default()
            };
            let parent = Some(fbx.add(&top));
            let turned = Model {
                name: variant.names[1],
                parent,
                inherit,
                translation: [0.0, 10.0, 0.0],
                rotation: [0.0, 0.0, variant.degrees],
                ..Model::default()
            };
            fbx.add(&turned);
            is_the_same(&said(&fbx));
        }
    }

    /// The unit of the file, the size in metres, and a scale on the root that only undoes a unit.
    #[test]
    fn units_and_sizes() {
        for (variant, [unit, scale]) in
            VARIANTS.into_iter().zip([[1.0, 100.0], [100.0, 0.01], [2.54, 1.0]])
        {
            let mut fbx = Fbx::default();
            fbx.unit = unit;
            fbx.up = if variant.above == 0 { 1 } else { 2 };
            fbx.add(&Model { name: variant.names[0], scale: [scale; 3], ..Model::default() });
            let said = said(&fbx);
            said.is_about("/fbx/unit_metres", unit / 100.0);
            assert_eq!(said.text("/fbx/up"), if fbx.up == 1 { "y" } else { "z" });
            said.is_about("/summary/diagonal", 3_f64.sqrt() * scale * unit / 100.0);
            let warnings = said.scene["warnings"].as_array().unwrap();
            let is_told = warnings.iter().any(|warning| warning["code"] == "unit-scale");
            assert_eq!(is_told, scale != 1.0, "{warnings:?}");
            let told = said.printed(&[]);
            assert!(told.contains(&format!("the file's unit is {} m", unit / 100.0)), "{told}");
            is_the_same(&said);
        }
    }

    /// Hidden at all times: said, and not counted.
    #[test]
    fn a_hidden_node() {
        for variant in VARIANTS {
            for is_hidden in [true, false] {
                let (mut fbx, parent) = below(&variant);
                let top = Model {
                    name: variant.names[0],
                    parent,
                    scale: variant.scale().into(),
                    ..Model::default()
                };
                let parent = Some(fbx.add(&top));
                let also = format!(
                    "\t\t\tP: \"Visibility\", \"Visibility\", \"\", \"A\",{}\n",
                    u8::from(!is_hidden)
                );
                let hidden = Model {
                    name: variant.names[1],
                    parent,
                    rotation: [0.0, 0.0, variant.degrees],
                    also: &also,
                    ..Model::default()
                };
                fbx.add(&hidden);
                let said = said(&fbx);
                let grade = said.text("/summary/grade");
                assert_eq!(grade == "identical", is_hidden, "{grade}");
                assert_eq!(said.printed(&[]).contains("hidden"), is_hidden);
            }
        }
    }
}
