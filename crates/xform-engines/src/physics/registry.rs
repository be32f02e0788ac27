//! All physics engines about which something is known. The tests check the figures of the runs.

use super::{
    ColliderRule, Moved, PhysicsEngine, Road,
    ShapeKind::{self, Box, Capsule, Cone, Cylinder, Hull, Mesh, Sphere},
    Skewed,
};
use crate::{Claim, Known};

const ALL: &[ShapeKind] = &ShapeKind::ALL;
const NO_CONE: &[ShapeKind] = &[Sphere, Box, Capsule, Cylinder, Hull, Mesh];
const NO_CYLINDER: &[ShapeKind] = &[Sphere, Box, Capsule, Hull, Mesh];

const fn road(
    id: &'static str,
    words: &'static str,
    kinds: &'static [ShapeKind],
    rule: ColliderRule,
    known: Known,
) -> Road {
    Road { id, words, kinds, rule: Claim::new(rule, known) }
}

const fn run(version: &'static str, run: &'static str, cases: usize, residual: f64) -> Known {
    Known::Run { version, run, nodes: cases, residual }
}

const NOT_SEEN_ZERO: &str = "The effect of a scale of zero was not tested.";

const GODOT: &str = "4.6.3";
const JOLT: &str = "jolt-physics 1.1.0";
const PHYSX: &str = "physx-js-webidl 2.7.3 (PhysX 5.6.1)";
const BABYLON: &str = "@babylonjs/core 9.35.0, @babylonjs/havok 1.3.14";
const BULLET: &str = "ammojs-typed 1.1.0";
const PANDA: &str = "Panda3D 1.10.16";
const AVIAN: &str = "avian3d 0.8.0, parry3d 0.31.1, bevy 0.20.1";
const BEVY_RAPIER: &str = "bevy_rapier3d 0.37.0, rapier3d 0.36.1, parry3d 0.31.1, bevy 0.20.1";
const R3: &str = "@react-three/rapier 2.2.0, three 0.187.0";
const CANNON: &str = "three-to-cannon 5.0.2, cannon-es 0.20.0, three 0.187.0";

/// In the order in which they are listed.
const ENGINES: &[PhysicsEngine] = &[
    PhysicsEngine {
        id: "godot-jolt",
        name: "Godot (Jolt)",
        sentence: "Removes the skew from the world matrix, keeping x. Spheres, capsules and cylinders get the nearest scale that they support.",
        host: Some("godot"),
        roads: &[
            road(
                "body",
                "a StaticBody3D on the node",
                NO_CONE,
                ColliderRule::GodotJolt,
                run(GODOT, "godot-jolt/body", 132, 1.3e-4),
            ),
            road(
                "shape",
                "the scale on the CollisionShape3D",
                NO_CONE,
                ColliderRule::GodotJolt,
                run(GODOT, "godot-jolt/shape", 132, 1.3e-4),
            ),
        ],
        zero: "Godot logs an error, and Jolt uses the identity as the basis.",
        dynamic: Some(Moved {
            sentence: "A RigidBody3D removes the skew from its own node when the simulation starts, so the drawn mesh changes too.",
            is_of_skew: true,
        }),
        skewed: None,
        says: Some((
            &[Sphere, Capsule, Cylinder],
            "Godot logs that Jolt Physics does not support the scale, and which scale it uses instead.",
        )),
    },
    PhysicsEngine {
        id: "godot-physics",
        name: "Godot (GodotPhysics)",
        sentence: "Rays hit exactly what is drawn, including skew and mirror images. Bodies do too, except that they can fall through a skewed mesh.",
        host: Some("godot"),
        roads: &[
            road(
                "body",
                "a StaticBody3D on the node",
                NO_CONE,
                ColliderRule::Exact,
                run(GODOT, "godot-physics/body", 132, 1.3e-4),
            ),
            road(
                "shape",
                "the scale on the CollisionShape3D",
                NO_CONE,
                ColliderRule::Exact,
                run(GODOT, "godot-physics/shape", 132, 1.3e-4),
            ),
        ],
        zero: "Godot logs an error, and there is still a collider.",
        dynamic: Some(Moved {
            sentence: "A RigidBody3D removes the scale from its own node when the simulation starts, so the drawn mesh changes too.",
            is_of_skew: false,
        }),
        skewed: Some(Skewed {
            kinds: &[Mesh],
            sentence: "Rays hit a skewed mesh as it is drawn, but bodies can fall through it, and Godot does not warn.",
            falls_from_degrees: Some(2.9),
        }),
        says: None,
    },
    PhysicsEngine {
        id: "jolt",
        name: "Jolt",
        sentence: "Does not support skew. A shape gets the nearest scale that it supports: uniform for spheres and capsules, equal in x and z for cylinders and cones.",
        host: None,
        roads: &[
            road(
                "scale-shape",
                "position, unit rotation and lossy scale, with Shape::ScaleShape",
                ALL,
                ColliderRule::JoltScaleShape,
                run(JOLT, "jolt/ScaleShape", 154, 1.8e-4),
            ),
            road(
                "set-world-transform",
                "TransformedShape::SetWorldTransform with the matrix, as rays see it",
                ALL,
                ColliderRule::JoltMatrix,
                run(JOLT, "jolt/SetWorldTransform", 154, 1.2e-3),
            ),
            road(
                "nested",
                "a compound of one child and ScaleShape for each node",
                ALL,
                ColliderRule::JoltNested,
                run(JOLT, "jolt/nested", 154, 2.2e-4),
            ),
        ],
        zero: "Nothing hits the shape.",
        dynamic: None,
        skewed: None,
        says: None,
    },
    PhysicsEngine {
        id: "physx",
        name: "PhysX",
        sentence: "Spheres, boxes and capsules have no scale. Meshes have one along rotatable axes, so even skew is exact if a program passes it the polar decomposition. Convex meshes cannot be mirrored.",
        host: None,
        roads: &[
            road(
                "lengths",
                "a pose, and the lossy scale as PxMeshScale for meshes",
                ALL,
                ColliderRule::PhysxLengths,
                run(PHYSX, "physx/PxMeshScale lossy", 154, 9.4e-4),
            ),
            road(
                "polar",
                "the polar rotation as the pose, and the symmetric factor as PxMeshScale for meshes",
                &[Cylinder, Cone, Hull, Mesh],
                ColliderRule::PhysxPolar,
                run(PHYSX, "physx/PxMeshScale polar", 88, 9.4e-4),
            ),
        ],
        zero: "It refuses the mesh.",
        dynamic: None,
        skewed: None,
        says: None,
    },
    PhysicsEngine {
        id: "bullet",
        name: "Bullet",
        sentence: "Scales each shape along its own axes. A sphere uses the scale along x. Capsules and cylinders use x for the radius and y for the height.",
        host: None,
        roads: &[
            road(
                "local-scaling",
                "position, unit rotation and lossy scale, with setLocalScaling",
                ALL,
                ColliderRule::BulletLocalScaling,
                run(BULLET, "bullet/setLocalScaling", 149, 7.0e-2),
            ),
            road(
                "compound",
                "a btCompoundShape for each node, scaled with setLocalScaling",
                ALL,
                ColliderRule::BulletCompound,
                run(BULLET, "bullet/compound", 148, 7.8e-2),
            ),
        ],
        zero: "Rays still hit the shape, whose margin has a size.",
        dynamic: None,
        skewed: None,
        says: None,
    },
    PhysicsEngine {
        id: "havok-babylon",
        name: "Babylon.js (Havok)",
        sentence: "Removes the skew. For a skewed matrix Babylon.js computes a quaternion that is not of unit length; Havok refuses it, and the collider stays at the origin of the world.",
        host: Some("babylon"),
        roads: &[
            road(
                "aggregate",
                "a PhysicsAggregate on the mesh",
                NO_CONE,
                ColliderRule::BabylonAggregate,
                run(BABYLON, "babylon-havok/PhysicsAggregate", 132, 2.8e-2),
            ),
            road(
                "container",
                "PhysicsShapeContainer.addChild with position, unit rotation and scale",
                NO_CONE,
                ColliderRule::HavokChild,
                run(BABYLON, "babylon-havok/Container.addChild", 132, 7.7e-3),
            ),
        ],
        zero: "Rays still hit the shape.",
        dynamic: None,
        skewed: Some(Skewed {
            kinds: NO_CONE,
            sentence: "For a skewed matrix Babylon.js computes a quaternion that is not of unit length. Havok refuses it, and the collider stays at the origin of the world.",
            falls_from_degrees: None,
        }),
        says: Some((
            &[Sphere],
            "Babylon.js logs that non-uniform scaling is unsupported for sphere shapes, and that the radius is the largest extent.",
        )),
    },
    PhysicsEngine {
        id: "panda3d-bullet",
        name: "Panda3D (Bullet)",
        sentence: "Removes the skew, keeping y, but rotates the shape by the quaternion of the sheared matrix. Scales are as in Bullet.",
        host: Some("panda3d"),
        roads: &[
            road(
                "body",
                "a BulletRigidBodyNode on the node",
                ALL,
                ColliderRule::PandaBody,
                run(PANDA, "panda-bullet/below", 132, 5.1e-2),
            ),
            road(
                "shape",
                "addShape with the whole transform",
                ALL,
                ColliderRule::PandaShape,
                run(PANDA, "panda-bullet/shape-transform", 154, 7.1e-2),
            ),
            road(
                "solids",
                "Panda3D's own CollisionNode, which rays hit",
                &[Sphere, Box, Capsule, Mesh],
                ColliderRule::Exact,
                run(PANDA, "panda/solids", 88, 9.0e-5),
            ),
        ],
        zero: NOT_SEEN_ZERO,
        dynamic: None,
        skewed: None,
        says: None,
    },
    PhysicsEngine {
        id: "avian",
        name: "Avian",
        sentence: "Combines scales, rotations and positions separately, like Unreal, while Bevy draws with matrices. Mirror images are lost.",
        host: Some("bevy"),
        roads: &[
            road(
                "child",
                "a collider below a body on an unscaled root",
                ALL,
                ColliderRule::AvianChild,
                run(AVIAN, "avian/child", 154, 2.8e-2),
            ),
            road(
                "root-body",
                "a collider below a body on the topmost node",
                ALL,
                ColliderRule::AvianRoot,
                run(AVIAN, "avian/root_body", 154, 2.8e-2),
            ),
            road(
                "first-frame",
                "the first update, in any of these ways",
                ALL,
                ColliderRule::AvianFirst,
                run(AVIAN, "avian/body@1", 154, 2.8e-2),
            ),
        ],
        zero: "A debug build panics, because a position is NaN.",
        dynamic: None,
        skewed: Some(Skewed {
            kinds: ALL,
            sentence: "A body on a node below two skewed levels moves at every tick, by a factor of about 1.26, even if it is static.",
            falls_from_degrees: None,
        }),
        says: None,
    },
    PhysicsEngine {
        id: "rapier-bevy",
        name: "bevy_rapier",
        sentence: "Uses the position and the lossy scale of the world matrix, and multiplies the rotations separately.",
        host: Some("bevy"),
        roads: &[
            road(
                "child",
                "a collider below a body on an unscaled root",
                ALL,
                ColliderRule::BevyRapierChild,
                run(BEVY_RAPIER, "bevy_rapier/child", 149, 3.8e-2),
            ),
            road(
                "root-body",
                "a collider below a body on the topmost node",
                ALL,
                ColliderRule::BevyRapierRoot,
                run(BEVY_RAPIER, "bevy_rapier/root_body", 149, 4.4e-2),
            ),
        ],
        zero: "The scale becomes NaN, and nothing hits the shape.",
        dynamic: None,
        skewed: None,
        says: None,
    },
    PhysicsEngine {
        id: "rapier-r3",
        name: "react-three-rapier",
        sentence: "Removes the skew from the world matrix. A ball uses the scale along x. Collider components multiply their arguments, in order, by the scales along x, y and z, and scale their position twice.",
        host: Some("three"),
        roads: &[
            road(
                "automatic",
                "<RigidBody colliders=…> at the root, around the mesh",
                &[Sphere, Box, Hull, Mesh],
                ColliderRule::R3Automatic,
                run(R3, "react-three-rapier/auto in body", 83, 9.5e-5),
            ),
            road(
                "body-below",
                "<RigidBody colliders=…> around the mesh, below scaled groups",
                &[Sphere, Box, Hull, Mesh],
                ColliderRule::R3BodyBelow,
                run(R3, "react-three-rapier/auto body below", 83, 1.4e-4),
            ),
            road(
                "component",
                "a collider component below scaled groups, without a body",
                ALL,
                ColliderRule::R3Component,
                run(R3, "react-three-rapier/component", 144, 2.3e-3),
            ),
            road(
                "component-in-body",
                "the same in a <RigidBody> at the root",
                ALL,
                ColliderRule::R3Component,
                run(R3, "react-three-rapier/component in body", 144, 2.3e-3),
            ),
        ],
        zero: "Rays still hit the shape.",
        dynamic: None,
        skewed: None,
        says: None,
    },
    PhysicsEngine {
        id: "cannon",
        name: "cannon-es (three-to-cannon)",
        sentence: "A box uses only the scale of its own node, a sphere the largest scale. If the world matrix is skewed, boxes and hulls shrink.",
        host: Some("three"),
        roads: &[road(
            "helper",
            "threeToCannon with the type of the shape",
            &[Sphere, Box, Cylinder, Hull, Mesh],
            ColliderRule::Cannon,
            run(CANNON, "three-to-cannon", 66, 5.3e-5),
        )],
        zero: NOT_SEEN_ZERO,
        dynamic: None,
        skewed: None,
        says: None,
    },
    PhysicsEngine {
        id: "unity",
        name: "Unity",
        sentence: "Colliders use the world position, the product of the rotations, and the lossy scale; a sphere uses the largest of the three scales. The documentation does not cover capsules and meshes below a non-uniform scale.",
        host: Some("unity"),
        roads: &[road(
            "component",
            "a Collider component on the node",
            NO_CYLINDER,
            ColliderRule::Unity,
            Known::Documented(
                "docs.unity3d.com, Transform.lossyScale and BoxCollider.size; of spheres docs.lunalabs.io, LP1010",
            ),
        )],
        zero: NOT_SEEN_ZERO,
        dynamic: None,
        skewed: None,
        says: None,
    },
    PhysicsEngine {
        id: "unreal",
        name: "Unreal",
        sentence: "Combines scales, rotations and positions separately, so nothing is skewed. Spheres and capsules use the smallest of the three scales, boxes use each. The documentation does not cover hulls and meshes below a non-uniform scale.",
        host: Some("unreal"),
        roads: &[road(
            "component",
            "a shape component",
            NO_CYLINDER,
            ColliderRule::Unreal,
            Known::Documented(
                "dev.epicgames.com, USphereComponent::GetShapeScale, UCapsuleComponent::GetShapeScale and UBoxComponent::GetScaledBoxExtent",
            ),
        )],
        zero: NOT_SEEN_ZERO,
        dynamic: None,
        skewed: None,
        says: None,
    },
    PhysicsEngine {
        id: "arche",
        name: "Arche",
        sentence: "Colliders use the world position, the unit world rotation, and the lossy world scale.",
        host: None,
        roads: &[road(
            "collider",
            "a Collider on the entity",
            ALL,
            ColliderRule::Arche,
            Known::Documented("Arche, Component: Transform, Collider::_onUpdate"),
        )],
        zero: NOT_SEEN_ZERO,
        dynamic: None,
        skewed: None,
        says: None,
    },
];

impl PhysicsEngine {
    /// Returns all physics engines about which something is known.
    #[must_use]
    pub fn all() -> &'static [Self] {
        ENGINES
    }

    /// Returns the engine with this [id](Self::id).
    #[must_use]
    pub fn named(id: &str) -> Option<&'static Self> {
        Self::all().iter().find(|engine| engine.id == id)
    }
}
