//! Meshes, skins and blend shapes.

use nalgebra::{Point3, Vector3};
use xform_compare::{Grade, audit::EngineChoice, compare, compare_engines};
use xform_fbx::{MemoryLimit, convert};

use crate::{
    motion::animated,
    support::{moved, named, property, read, scaled, turn, world},
    text::{Fbx, Model},
};

/// Importers move the vertices by it, so it is no node that engines could accumulate in ways of their own.
#[test]
fn a_geometric_transform_goes_into_the_vertices() {
    let mut fbx = Fbx::default();
    let also = [
        property("GeometricTranslation", [1.0, 0.0, 0.0]),
        property("GeometricRotation", [0.0, 0.0, 45.0]),
        property("GeometricScaling", [2.0, 1.0, 1.0]),
    ]
    .concat();
    let above =
        fbx.add(&Model { name: "A", scale: [1.0, 3.0, 1.0], also: &also, ..Model::default() });
    let alone = read(&fbx);
    assert_eq!(compare(&alone).unwrap().summary.grade, Grade::Identical);
    fbx.add(&Model {
        name: "B",
        parent: Some(above),
        rotation: [0.0, 0.0, 30.0],
        ..Model::default()
    });
    let scene = read(&fbx);
    let shown = scene.drawing.shown.iter().find(|shown| shown.node == named(&scene, "A")).unwrap();
    let positions = &scene.drawing.meshes[shown.mesh].as_ref().unwrap()[0].positions;
    let expected = moved([1.0, 0.0, 0.0]) * turn([0.0, 0.0, 45.0]) * scaled([2.0, 1.0, 1.0]);
    for corner in 0..8 {
        let corner = [corner >> 2, corner >> 1 & 1, corner & 1].map(|bit| f64::from(bit) - 0.5);
        let at = expected.transform_point(&Point3::from(corner));
        let off = |found: &[f32; 3]| (Point3::from(found.map(f64::from)) - at).norm();
        assert!(positions.iter().map(off).fold(f64::INFINITY, f64::min) < 1e-6);
    }
    // What hangs below does not take it.
    assert!((world(&scene, "B") - scaled([1.0, 3.0, 1.0]) * turn([0.0, 0.0, 30.0])).amax() < 1e-12);
}

/// One mesh in two places, as 3ds Max writes instances whose pivots were moved.
#[test]
fn a_shared_mesh_stands_where_each_node_puts_it() {
    let mut fbx = Fbx::default();
    let turned = property("GeometricRotation", [0.0, 0.0, 45.0]);
    let scale = [1.0, 3.0, 1.0];
    let a = fbx.add(&Model { name: "A", scale, also: &turned, ..Model::default() });
    let moved = property("GeometricTranslation", [5.0, 0.0, 0.0]);
    fbx.add(&Model { name: "B", scale, also: &moved, has_cube: false, ..Model::default() });
    fbx.connect(4000 + 1000 + a, 1001);
    let scene = read(&fbx);
    assert_eq!(scene.nodes.len(), 2);
    // No node stands for a geometric transform, so nothing is accumulated in two ways.
    assert_eq!(compare(&scene).unwrap().summary.grade, Grade::Identical);
    for (name, expected) in [("A", 0.5_f64.sqrt()), ("B", 5.5)] {
        let shown =
            scene.drawing.shown.iter().find(|shown| shown.node == named(&scene, name)).unwrap();
        let positions = &scene.drawing.meshes[shown.mesh].as_ref().unwrap()[0].positions;
        let most = positions.iter().map(|at| f64::from(at[0])).fold(f64::NEG_INFINITY, f64::max);
        assert!((most - expected).abs() < 1e-6, "{name}: {most}");
    }
}

/// A mesh that follows two bones by half, with and without a place of its own on its node.
#[test]
fn vertices_follow_bones() {
    let places = ["".to_owned(), property("GeometricTranslation", [0.0, 7.0, 0.0])];
    for (also, up) in places.iter().zip([0.0, 7.0]) {
        vertex_follows_bones(also, up);
    }
}

fn vertex_follows_bones(also: &str, up: f64) {
    let mut fbx = Fbx::default();
    let mesh = fbx.add(&Model { name: "Mesh", also, ..Model::default() });
    let bones = [0, 1].map(|i| {
        let name = ["Left", "Right"][i];
        fbx.add(&Model {
            name,
            translation: [2.0 * f64::from(u8::try_from(i).unwrap()), 0.0, 0.0],
            has_cube: false,
            ..Model::default()
        })
    });
    let geometry = 4000 + 1000 + mesh;
    fbx.object(
        900,
        "\tDeformer: 900, \"Deformer::\", \"Skin\" {\n\t\tVersion: 101\n\t}\n",
        geometry,
    );
    for (i, bone) in bones.into_iter().enumerate() {
        let id = 901 + i;
        // The mesh stands in the middle when it was bound.
        let link = if i == 0 {
            "1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1"
        } else {
            "1,0,0,0,0,1,0,0,0,0,1,0,2,0,0,1"
        };
        let inverse = if i == 0 {
            "1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1"
        } else {
            "1,0,0,0,0,1,0,0,0,0,1,0,-2,0,0,1"
        };
        let text = format!(
            "\tDeformer: {id}, \"SubDeformer::\", \"Cluster\" {{\n\t\tVersion: 100\n\t\tIndexes: *8 {{\n\t\t\ta: 0,1,2,3,4,5,6,7\n\t\t}}\n\
             \t\tWeights: *8 {{\n\t\t\ta: 0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5\n\t\t}}\n\
             \t\tTransform: *16 {{\n\t\t\ta: {inverse}\n\t\t}}\n\t\tTransformLink: *16 {{\n\t\t\ta: {link}\n\t\t}}\n\t}}\n"
        );
        fbx.object(id, &text, 900);
        fbx.connect(1000 + bone, id);
    }
    animated(
        &mut fbx,
        100,
        bones[1],
        "Lcl Translation",
        [&[(0.0, 2.0), (1.0, 6.0)], &[(0.0, 0.0)], &[(0.0, 0.0)]],
    );
    let scene = read(&fbx);
    let node = named(&scene, "Mesh");
    let skin = scene.nodes[node].skin.as_ref().unwrap();
    assert_eq!(skin.vertices.len(), 8);
    let posed = scene.posed(0, 1.0);
    let audit = compare(&posed).unwrap();
    let (corner, follows) = skin.vertices.iter().next().unwrap();
    assert!((corner.y.abs() - up).abs() < 0.6, "{corner}");
    let at = follows.iter().fold(Vector3::zeros(), |sum, &(joint, weight)| {
        let joint = &skin.joints[joint];
        let world = audit.nodes[joint.node].by_matrix.matrix() * joint.inverse_bind;
        sum + world.transform_point(corner).coords * weight
    });
    // The right bone has gone 4 to the right, so each vertex goes 2.
    assert!((at - corner.coords - Vector3::new(2.0, 0.0, 0.0)).norm() < 1e-5, "{at}");
}

#[test]
fn what_is_drawn_is_triangles_with_their_materials() {
    let mut fbx = Fbx::default();
    fbx.add(&Model { name: "A", ..Model::default() });
    let scene = read(&fbx);
    let mesh = scene.drawing.meshes[0].as_ref().unwrap();
    assert_eq!((mesh.len(), mesh[0].positions.len(), mesh[0].indices.len()), (1, 8, 36));
    assert_eq!(scene.drawing.shown[0].node, named(&scene, "A"));
}

/// A mesh with many shapes that are one: what is shared is written once.
#[test]
fn a_small_file_becomes_no_large_one() {
    let mut fbx = Fbx::default();
    fbx.add(&Model { name: "A", ..Model::default() });
    fbx.object(900, "\tDeformer: 900, \"Deformer::\", \"BlendShape\" {\n\t}\n", 5000);
    let shape = "\tGeometry: 901, \"Geometry::\", \"Shape\" {\n\t\tIndexes: *1 {\n\t\t\ta: 0\n\t\t}\n\
                 \t\tVertices: *3 {\n\t\t\ta: 0,1,0\n\t\t}\n\t}\n";
    fbx.object_without_owner(shape);
    for id in 1_000_000..1_002_000 {
        let text = format!("\tDeformer: {id}, \"SubDeformer::\", \"BlendShapeChannel\" {{\n\t}}\n");
        fbx.object(id, &text, 900);
        fbx.connect(901, id);
    }
    let bytes = fbx.text();
    let converted = convert(bytes.as_bytes(), &MemoryLimit::default()).unwrap().to_bytes();
    assert!(converted.len() < bytes.len(), "{} {}", converted.len(), bytes.len());
}

/// Its offsets turn with the geometric transform of the node; what moves that makes no difference to them.
#[test]
fn a_blend_shape_is_turned_with_its_mesh() {
    let mut fbx = Fbx::default();
    let also = property("GeometricRotation", [0.0, 0.0, 90.0])
        + &property("GeometricTranslation", [5.0, 0.0, 0.0]);
    fbx.add(&Model { name: "A", also: &also, ..Model::default() });
    fbx.object(900, "\tDeformer: 900, \"Deformer::\", \"BlendShape\" {\n\t}\n", 5000);
    let channel = "\tDeformer: 902, \"SubDeformer::\", \"BlendShapeChannel\" {\n\t}\n";
    fbx.object(902, channel, 900);
    let shape = "\tGeometry: 901, \"Geometry::\", \"Shape\" {\n\t\tIndexes: *1 {\n\t\t\ta: 0\n\t\t}\n\
                 \t\tVertices: *3 {\n\t\t\ta: 0,1,0\n\t\t}\n\t}\n";
    fbx.object(901, shape, 902);
    let scene = read(&fbx);
    let part = &scene.drawing.meshes[0].as_ref().unwrap()[0];
    let found = Vector3::from(part.targets[0][0]);
    assert!((found - Vector3::new(-1.0, 0.0, 0.0)).norm() < 1e-6, "{found}");
}

#[test]
fn what_is_the_same_of_a_mesh_is_written_once() {
    let mut fbx = Fbx::default();
    let first = fbx.add(&Model { name: "A", ..Model::default() });
    for place in 1..100_u8 {
        let also = property("GeometricTranslation", [f64::from(place), 0.0, 0.0]);
        let node = fbx.add(&Model { name: "B", also: &also, has_cube: false, ..Model::default() });
        fbx.connect(4000 + 1000 + first, 1000 + node);
    }
    let bytes = convert(fbx.text().as_bytes(), &MemoryLimit::default()).unwrap().to_bytes();
    let count = |text: &[u8]| bytes.windows(text.len()).filter(|found| *found == text).count();
    // The numbers of component types in glTF: triangles, and positions.
    assert_eq!((count(b"\"componentType\":5123"), count(b"\"componentType\":5126")), (1, 100));
}

/// A node that hands its scale on by halves is two in the scene; the one without the scale is none of the file's.
#[test]
fn bones_without_a_mesh_are_the_same_everywhere() {
    let mut fbx = Fbx::default();
    fbx.unit = 2.5;
    let scale = [2.0; 3];
    let bone = |name, parent, translation, scale| Model {
        name,
        parent,
        translation,
        scale,
        inherit: 0,
        has_cube: false,
        ..Model::default()
    };
    let hip = fbx.add(&bone("hip", None, [0.0, 1.0, 0.0], scale));
    let knee = fbx.add(&bone("knee", Some(hip), [0.0, 0.0, 1.0], [1.0; 3]));
    fbx.add(&bone("toe", Some(knee), [0.5, 0.0, 0.0], [1.5; 3]));
    let audit = compare_engines(&read(&fbx), &EngineChoice::usual()).unwrap();
    let engines = &audit.engines;
    assert_eq!((engines.groups.len(), engines.groups[0].engines.len()), (1, 6));
    assert_eq!((engines.grade(), audit.summary.grade), (Grade::Identical, Grade::Identical));
    // Three bones count, and not what stands for them besides.
    assert_eq!(audit.nodes.iter().filter(|node| node.counts).count(), 3);
}

/// `Visibility`, which hides all that is below, but for what does not take it.
#[test]
fn what_is_hidden_does_not_count() {
    let hidden = "\t\t\tP: \"Visibility\", \"Visibility\", \"\", \"A\",0\n";
    let of_itself =
        "\t\t\tP: \"Visibility Inheritance\", \"Visibility Inheritance\", \"\", \"\",0\n";
    let counting = |inner: &str| {
        let mut fbx = Fbx::default();
        let scale = [3.0, 1.0, 1.0];
        let above = fbx.add(&Model { name: "A", scale, ..Model::default() });
        let rotation = [0.0, 0.0, 40.0];
        let turned =
            Model { name: "B", parent: Some(above), rotation, also: hidden, ..Model::default() };
        let turned = fbx.add(&turned);
        fbx.add(&Model { name: "C", parent: Some(turned), also: inner, ..Model::default() });
        let scene = read(&fbx);
        let audit = compare(&scene).unwrap();
        let shown = |name| {
            let node = named(&scene, name);
            (audit.nodes[node].counts, scene.drawing.shown.iter().any(|shown| shown.node == node))
        };
        (["A", "B", "C"].map(shown), audit.summary.grade)
    };
    let (seen, unseen) = ((true, true), (false, false));
    assert_eq!(counting(""), ([seen, unseen, unseen], Grade::Identical));
    // What is above cannot be taken for hidden then.
    assert_eq!(counting(of_itself), ([seen; 3], Grade::Severe));
}

/// A polygon with more corners than are made triangles at once is as large as it is, and no triangle of it is missing.
#[test]
fn a_polygon_of_many_corners_is_cut_and_stays_whole() {
    for count in [3_u32, 1000, 1001, 1002, 2000, 5001] {
        let angle = |corner: u32| std::f64::consts::TAU * f64::from(corner) / f64::from(count);
        let corners =
            (0..count).map(|corner| format!("{},{},0", angle(corner).cos(), angle(corner).sin()));
        let corners: Vec<_> = corners.collect();
        let mut indices: Vec<_> = (0..count - 1).map(|corner| corner.to_string()).collect();
        indices.push(format!("-{count}"));
        let mut fbx = Fbx::default();
        fbx.add(&Model { name: "Disc", has_cube: false, ..Model::default() });
        let text = format!(
            "\tGeometry: 9500, \"Geometry::Disc\", \"Mesh\" {{\n\t\tVertices: *{} {{\n\t\t\ta: {}\n\t\t}}\n\
             \t\tPolygonVertexIndex: *{count} {{\n\t\t\ta: {}\n\t\t}}\n\t\tGeometryVersion: 124\n\t}}\n",
            3 * count,
            corners.join(","),
            indices.join(",")
        );
        fbx.object(9500, &text, 1000);
        let scene = read(&fbx);
        let part = &scene.drawing.meshes[scene.drawing.shown[0].mesh].as_ref().unwrap()[0];
        let at = |corner: u32| Vector3::from(part.positions[corner as usize].map(f64::from));
        let triangles: Vec<_> = part.indices.chunks(3).collect();
        assert_eq!(triangles.len(), count as usize - 2);
        let area = |of: &[u32]| {
            let [a, b, c] = [at(of[0]), at(of[1]), at(of[2])];
            (b - a).cross(&(c - a)).norm() / 2.0
        };
        let all: f64 = triangles.into_iter().map(area).sum();
        let expected = f64::from(count) / 2.0 * angle(1).sin();
        assert!((all - expected).abs() < 1e-4, "{count}: {all}, not {expected}");
    }
}
