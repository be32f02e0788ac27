//! Shapes on nodes, by the extensions of glTF that have them.

use nalgebra::Vector3;
use serde_json::{Value, json};
use xform_engines::physics::Shape;
use xform_scene::{ColliderShape, ColliderSource, NodeCollider, Scene, read_gltf};

fn read(document: &Value) -> Scene {
    read_gltf(document.to_string().as_bytes(), "test.gltf").expect("a scene")
}

fn colliders(nodes: Value, extensions: Value) -> Vec<NodeCollider> {
    let mesh = json!({ "primitives": [{ "attributes": { "POSITION": 0 } }] });
    let point = json!({ "componentType": 5126, "count": 1, "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 0] });
    let mut document =
        json!({ "asset": { "version": "2.0" }, "meshes": [mesh, mesh], "accessors": [point] });
    document["nodes"] = nodes;
    document["extensions"] = extensions;
    read(&document).colliders
}

fn shapes(colliders: &[NodeCollider]) -> Vec<(usize, ColliderShape)> {
    colliders.iter().map(|collider| (collider.node, collider.shape.clone())).collect()
}

fn known(shape: Shape) -> ColliderShape {
    ColliderShape::Known(shape)
}

#[test]
fn rigid_bodies_of_khronos_have_implicit_shapes_and_meshes() {
    let on = |geometry: Value| json!({ "extensions": { "KHR_physics_rigid_bodies": { "collider": { "geometry": geometry } } } });
    let mut nodes = [
        on(json!({ "shape": 0 })),
        on(json!({ "shape": 1 })),
        on(json!({ "shape": 2 })),
        on(json!({ "shape": 3 })),
        on(json!({ "node": 4, "convexHull": true })),
        on(json!({ "shape": 4 })),
        on(json!({ "shape": 9 })),
        json!({ "extensions": { "KHR_physics_rigid_bodies": { "trigger": { "geometry": { "shape": 0 } } } } }),
    ];
    nodes[4]["mesh"] = json!(1);
    nodes[4]["extensions"]["KHR_physics_rigid_bodies"]["motion"] = json!({ "mass": 3 });
    let found = colliders(
        json!(nodes),
        json!({ "KHR_implicit_shapes": { "shapes": [
            { "type": "sphere", "sphere": { "radius": 0.75 } },
            { "type": "box", "box": { "size": [1, 0.5, 2] } },
            { "type": "capsule", "capsule": { "height": 1, "radiusTop": 0.3, "radiusBottom": 0.3 } },
            { "type": "cylinder" },
            { "type": "cylinder", "cylinder": { "radiusTop": 0 } },
        ] } }),
    );
    let half_extents = Vector3::new(0.5, 0.25, 1.0);
    let unknown = |why: &str| ColliderShape::Unknown(why.to_owned());
    let expected = [
        (0, known(Shape::Sphere { radius: 0.75 })),
        (1, known(Shape::Box { half_extents })),
        (2, known(Shape::Capsule { radius: 0.3, half_height: 0.5 })),
        (3, known(Shape::Cylinder { radius: 0.25, half_height: 0.25 })),
        (4, ColliderShape::OfMesh { mesh: 1, is_hull: true }),
        (5, unknown("a tapered cylinder is not judged")),
        (6, unknown("there is no such shape 9")),
        (7, known(Shape::Sphere { radius: 0.75 })),
    ];
    assert_eq!(shapes(&found), expected);
    let dynamic: Vec<_> = found.iter().filter(|c| c.is_dynamic).map(|c| c.node).collect();
    assert_eq!(dynamic, [4]);
    assert!(found.iter().all(|c| c.source == ColliderSource::KhrPhysicsRigidBodies));
}

#[test]
fn bodies_of_omi_have_their_own_defaults() {
    let on = |shape: usize| json!({ "extensions": { "OMI_physics_body": { "collider": { "shape": shape } } } });
    let mut nodes: Vec<_> = (0..5).map(on).collect();
    nodes[0]["extensions"]["OMI_physics_body"]["motion"] = json!({ "type": "kinematic" });
    nodes[1]["extensions"]["OMI_physics_body"]["motion"] = json!({ "type": "dynamic" });
    let found = colliders(
        json!(nodes),
        json!({ "OMI_physics_shape": { "shapes": [
            { "type": "capsule" },
            { "type": "cylinder", "cylinder": { "height": 1.2, "radius": 0.4 } },
            { "type": "convex", "convex": { "mesh": 0 } },
            { "type": "trimesh", "trimesh": { "mesh": 1 } },
            { "type": "box", "box": { "size": [1, -1, 1] } },
        ] } }),
    );
    let expected = [
        (0, known(Shape::Capsule { radius: 0.5, half_height: 0.5 })),
        (1, known(Shape::Cylinder { radius: 0.4, half_height: 0.6 })),
        (2, ColliderShape::OfMesh { mesh: 0, is_hull: true }),
        (3, ColliderShape::OfMesh { mesh: 1, is_hull: false }),
        (4, ColliderShape::Unknown("a dimension of its box is negative or not finite".to_owned())),
    ];
    assert_eq!(shapes(&found), expected);
    assert_eq!(
        found.iter().map(|c| c.is_dynamic).collect::<Vec<_>>(),
        [false, true, false, false, false]
    );
}

#[test]
fn spring_bones_have_spheres_and_capsules_beside_their_nodes() {
    let found = colliders(
        json!([{}, { "name": "Head" }]),
        json!({
            "VRMC_springBone": { "colliders": [
                { "node": 1, "shape": { "sphere": { "offset": [0, 0.1, 0], "radius": 0.2 } } },
                { "node": 1, "shape": { "capsule": { "offset": [1, 0, 0], "radius": 0.1, "tail": [1, 0, 0.5] } } },
                { "node": 7, "shape": { "sphere": { "radius": 0.2 } } },
            ] },
            "VRM": { "secondaryAnimation": { "colliderGroups": [
                { "node": 0, "colliders": [{ "offset": { "x": 0, "y": 1, "z": 2 }, "radius": 0.3 }] },
            ] } },
        }),
    );
    let expected = [
        (0, known(Shape::Sphere { radius: 0.3 })),
        (1, known(Shape::Sphere { radius: 0.2 })),
        (1, known(Shape::Capsule { radius: 0.1, half_height: 0.25 })),
    ];
    assert_eq!(shapes(&found), expected);
    assert_eq!(found[0].offset.translation, Vector3::new(0.0, 1.0, -2.0));
    let capsule = &found[2].offset;
    assert_eq!(capsule.translation, Vector3::new(1.0, 0.0, 0.25));
    assert!((capsule.rotation * Vector3::y() - Vector3::z()).norm() < 1e-12);
}

/// The older names of the pair of Khronos: a list of colliders, which a node refers to.
#[test]
fn rigid_bodies_of_microsoft_refer_to_a_list_of_colliders() {
    let found = colliders(
        json!([{ "extensions": { "MSFT_rigid_bodies": { "collider": { "collider": 0 } } } }]),
        json!({ "MSFT_collision_primitives": { "colliders": [{ "type": "sphere", "sphere": { "radius": 2 } }] } }),
    );
    assert_eq!(shapes(&found), [(0, known(Shape::Sphere { radius: 2.0 }))]);
}

/// OMI: without a shape, or with −1, a node has none, and may be the parent of nodes that have.
#[test]
fn a_compound_of_omi_has_no_shape_of_its_own() {
    let nodes = json!([
        { "extensions": { "OMI_physics_body": { "collider": {} } }, "children": [1] },
        { "extensions": { "OMI_physics_body": { "collider": { "shape": 0 }, "trigger": { "shape": -1 } } } },
    ]);
    let found =
        colliders(nodes, json!({ "OMI_physics_shape": { "shapes": [{ "type": "sphere" }] } }));
    assert_eq!(found.iter().map(|one| one.node).collect::<Vec<_>>(), [1]);
    assert!(matches!(found[0].shape, ColliderShape::Known(_)));
}

/// The shapes of a compound trigger are on other nodes.
#[test]
fn a_trigger_of_nodes_has_no_shape_of_its_own() {
    let nodes =
        json!([{ "extensions": { "OMI_physics_body": { "trigger": { "nodes": [1, 2] } } } }]);
    assert_eq!(colliders(nodes, json!({})), []);
}

/// Whatever stands where an extension should, the file is read.
#[test]
fn members_of_another_type_are_no_shapes() {
    for wrong in [json!(null), json!(3), json!("sphere"), json!([]), json!({})] {
        let nodes = json!([{ "extensions": {
            "KHR_physics_rigid_bodies": wrong, "OMI_physics_body": wrong, "MSFT_rigid_bodies": wrong,
            "MOZ_hubs_components": wrong,
        } }]);
        let extensions =
            json!({ "KHR_implicit_shapes": wrong, "VRMC_springBone": wrong, "VRM": wrong });
        assert_eq!(colliders(nodes, extensions), []);
    }
}

/// A shape that cannot be read is not known.
#[test]
fn a_collider_of_another_type_is_unknown() {
    let found = colliders(
        json!([{ "extensions": { "OMI_physics_body": { "collider": { "shape": "0" } } } }]),
        json!({}),
    );
    assert_eq!(shapes(&found), [(0, ColliderShape::Unknown("there is no such shape".to_owned()))]);
}

#[test]
fn names_ask_for_colliders_where_no_extension_does() {
    let found = colliders(
        json!([
            { "name": "Crate-col", "mesh": 0 },
            { "name": "Wall-col", "mesh": 1, "extensions": { "OMI_physics_body": { "collider": { "shape": 0 } } } },
            { "name": "Empty-col" },
        ]),
        json!({ "OMI_physics_shape": { "shapes": [{ "type": "sphere" }] } }),
    );
    assert_eq!(
        shapes(&found),
        [
            (0, ColliderShape::OfMesh { mesh: 0, is_hull: false }),
            (1, known(Shape::Sphere { radius: 0.5 })),
        ]
    );
}
