//! Engines for games and simulations.

use super::{UNSEEN, run};
use crate::{
    Accumulation, AxesConvention, Claim, DecompositionRule, Engine, Getters, Import, KeepWorld,
    Known, MirroredSign, QuaternionRule, RotationSource, ScaleSource, SkinRule, Switch, SwitchRule,
    fbx::FbxImport, ogre::InheritFlags,
};

const GODOT_VERSION: &str = "4.6.3";
const GRAM_SCHMIDT: DecompositionRule = DecompositionRule::GRAM_SCHMIDT;

pub(super) const GODOT: Engine = Engine {
    id: "godot",
    name: "Godot",
    sentence: "Multiplies matrices. Its nodes store matrices, so a sheared matrix is kept.",
    accumulation: Claim::new(Accumulation::Matrix, run(GODOT_VERSION, "godot/api", 302, 5.1e-7)),
    import: Claim::new(Import::Kept, run(GODOT_VERSION, "godot/gltf", 296, 4.5e-7)),
    quaternion: Claim::new(
        QuaternionRule::Unit,
        run(GODOT_VERSION, "godot/gltf quaternions", 6, 3.2e-8),
    ),
    given: Import::Kept,
    keep_world: Claim::new(KeepWorld::Exact, run(GODOT_VERSION, "godot/reparent", 286, 5.1e-7)),
    getters: Claim::new(
        Getters::Decomposed(GRAM_SCHMIDT),
        run(GODOT_VERSION, "godot/api getters", 299, 8.1e-7),
    ),
    fbx: Claim::new(
        FbxImport::IgnoredButWithoutParent,
        run(GODOT_VERSION, "godot-FBXDocument/i0", 287, 5.1e-7),
    ),
    skin: Claim::new(SkinRule::Matrices, run(GODOT_VERSION, "godot/gltf vertices", 152, 1.0e-6)),
    switches: &[
        Switch {
            setting: "top_level",
            effect: "The node keeps the world transform that it had when this was set, and no longer inherits anything.",
            rule: SwitchRule::WorldKept,
            known: run(GODOT_VERSION, "godot/top_level", 284, 6.6e-7),
        },
        Switch {
            setting: "set_disable_scale(true)",
            effect: "The node's world axes are made unit and perpendicular, x first.",
            rule: SwitchRule::Perpendicular,
            known: run(GODOT_VERSION, "godot/disable_scale", 284, 6.6e-7),
        },
    ],
    ..UNSEEN
};

const BEVY_VERSION: &str = "0.20.1";
const DAY: DecompositionRule = DecompositionRule::DAY;

pub(super) const BEVY: Engine = Engine {
    id: "bevy",
    name: "Bevy",
    sentence: "Multiplies matrices. A sheared matrix in a file is decomposed and loses its shear.",
    accumulation: Claim::new(Accumulation::Matrix, run(BEVY_VERSION, "bevy/api", 302, 3.7e-7)),
    import: Claim::new(
        Import::Decomposed(DAY),
        Known::Read("bevyengine/bevy 4805ca79, crates/bevy_gltf/src/loader/gltf_ext/scene.rs"),
    ),
    given: Import::Decomposed(DAY),
    quaternion: Claim::new(
        QuaternionRule::AsItComes,
        run(BEVY_VERSION, "bevy/api quaternions", 6, 5.6e-8),
    ),
    keep_world: Claim::new(
        KeepWorld::Decomposed(DAY),
        run(BEVY_VERSION, "bevy/set_parent_in_place", 284, 3.7e-7),
    ),
    getters: Claim::new(
        Getters::Decomposed(DAY),
        run(BEVY_VERSION, "bevy/api getters", 299, 7.2e-7),
    ),
    switches: &[Switch {
        setting: "Transform * Transform",
        effect: "This product in code combines scales, rotations and positions separately, unlike the propagation.",
        rule: SwitchRule::Accumulation(Accumulation::CombinedTrs),
        known: run(BEVY_VERSION, "bevy/Transform*Transform", 297, 4.8e-7),
    }],
    ..UNSEEN
};

pub(super) const UNITY: Engine = Engine {
    id: "unity",
    name: "Unity",
    sentence: "Multiplies matrices. A sheared matrix in a file is decomposed by glTFast and loses its shear.",
    accumulation: Claim::new(
        Accumulation::Matrix,
        Known::Read(
            "docs.unity3d.com, Transform.lossyScale (`Transform` is closed; Unity.Mathematics f53664de was run)",
        ),
    ),
    import: Claim::new(
        Import::Decomposed(DAY.unit().mirrored(MirroredSign::All)),
        run("glTFast 35668bb7, Unity.Mathematics f53664de", "unity-mathematics/api", 302, 4.0e-7),
    ),
    given: Import::Decomposed(DAY.unit().mirrored(MirroredSign::All)),
    fbx: Claim::new(
        FbxImport::IgnoredButComponentWise,
        Known::Documented(
            "docs.unity3d.com, manual 2017.4, Importing objects from Maya: Segment Scale Compensate is not supported",
        ),
    ),
    animation: Some(
        "glTFast makes a curve of each component of a rotation (com.unity.cloud.gltfast 35668bb7, AnimationUtils.cs), so \
         that it rotates at a varying rate between two keys.",
    ),
    axes: AxesConvention {
        from_gltf: [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        of_every_node: true,
        units_per_metre: 1.0,
    },
    ..UNSEEN
};

pub(super) const UNITY_ENTITIES: Engine = Engine {
    id: "unity-entities",
    name: "Unity Entities",
    sentence: "Multiplies matrices. A uniform scale is stored in LocalTransform, a non-uniform one in PostTransformMatrix, and children inherit both. \
               Entities are baked from GameObjects, so a sheared matrix in a file is decomposed as in Unity.",
    accumulation: Claim::new(
        Accumulation::Matrix,
        Known::Read(
            "com.unity.entities 1.4.2, LocalToWorldSystem.cs and TransformTests.cs, TransformHierarchy_ComplexScale_Works",
        ),
    ),
    import: UNITY.import,
    axes: UNITY.axes,
    ..UNSEEN
};

pub(super) const UNREAL: Engine = Engine {
    id: "unreal",
    name: "Unreal",
    sentence: "Combines scales, rotations and positions separately. If a scale is negative, the rotation is that of the \
               matrix product. A sheared matrix in a file is decomposed and loses its shear.",
    accumulation: Claim::new(
        Accumulation::CombinedTrsByMatrix,
        Known::Read(
            "dev.epicgames.com, TTransform::Multiply and MultiplyUsingMatrixWithScale (RTM 9fc84712, with the same rule, was run)",
        ),
    ),
    import: Claim::new(
        Import::Decomposed(DecompositionRule::SHEPPERD.unit()),
        Known::Read("Epic's GLTFCore, GLTFReader.cpp, SetTransformFromMatrix, Unreal 5.8"),
    ),
    keep_world: Claim::new(
        KeepWorld::Exact,
        Known::Documented("dev.epicgames.com, FAttachmentTransformRules::KeepWorldTransform"),
    ),
    getters: Claim::new(
        Getters::Products,
        Known::Documented("dev.epicgames.com, USceneComponent::GetComponentScale"),
    ),
    axes: AxesConvention {
        from_gltf: [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]],
        of_every_node: true,
        units_per_metre: 100.0,
    },
    ..UNSEEN
};

const OGRE_VERSION: &str = "1.12.10";

pub(super) const OGRE: Engine = Engine {
    id: "ogre",
    name: "OGRE",
    sentence: "Its nodes and bones combine scales, rotations and positions separately. Its own importer moves the vertices and creates no nodes. A \
               matrix that a program decomposes with `Affine3::decomposition` is orthogonalised from x on, except for a wrong sign.",
    accumulation: Claim::new(
        Accumulation::CombinedTrs,
        run(OGRE_VERSION, "ogre/default", 296, 1.6e-6),
    ),
    import: Claim::new(
        Import::Decomposed(DecompositionRule {
            rotation: RotationSource::Ogre,
            scale: ScaleSource::Projected,
            mirrored: MirroredSign::All,
            is_unit: true,
        }),
        Known::Read(
            "OGRECave/ogre 3e955a16, OgreMain/src/OgreMatrix4.cpp, `Affine3::decomposition`; of PlugIns/Assimp/src/AssimpLoader.cpp no \
             nodes are left",
        ),
    ),
    quaternion: Claim::new(
        QuaternionRule::Unit,
        run(OGRE_VERSION, "ogre/default quaternions", 6, 3.2e-8),
    ),
    keep_world: Claim::new(KeepWorld::NoCall, Known::NotSeen),
    getters: Claim::new(Getters::Products, run(OGRE_VERSION, "ogre/default", 296, 1.6e-6)),
    skin: Claim::new(SkinRule::Parts, run(OGRE_VERSION, "ogre/skin vertices", 128, 1.4e-6)),
    switches: &[
        Switch {
            setting: "setInheritScale(false)",
            effect: "The node has only its own scale. The parent still scales its position.",
            rule: SwitchRule::Ogre(InheritFlags { scale: false, orientation: true }),
            known: run(OGRE_VERSION, "ogre/no_scale", 296, 1.6e-6),
        },
        Switch {
            setting: "setInheritOrientation(false)",
            effect: "The node has only its own rotation. The parent still rotates its position.",
            rule: SwitchRule::Ogre(InheritFlags { scale: true, orientation: false }),
            known: run(OGRE_VERSION, "ogre/no_orientation", 296, 1.5e-6),
        },
        Switch {
            setting: "both false",
            effect: "The node has only its own scale and rotation. The parent still scales and rotates its position.",
            rule: SwitchRule::Ogre(InheritFlags { scale: false, orientation: false }),
            known: run(OGRE_VERSION, "ogre/neither", 296, 1.5e-6),
        },
    ],
    caveat: Some(
        "this applies to nodes that a program creates; OGRE's own importer moves the vertices instead and loses nothing",
    ),
    ..UNSEEN
};

const PANDA3D_VERSION: &str = "1.10.16";

pub(super) const PANDA3D: Engine = Engine {
    id: "panda3d",
    name: "Panda3D",
    sentence: "Multiplies matrices and keeps a sheared matrix.",
    accumulation: Claim::new(
        Accumulation::Matrix,
        run(PANDA3D_VERSION, "panda3d/api", 302, 8.5e-7),
    ),
    import: Claim::new(
        Import::Kept,
        Known::Read("Moguri/panda3d-gltf b5427f52, gltf/_converter.py"),
    ),
    given: Import::Kept,
    quaternion: Claim::new(
        QuaternionRule::Unit,
        run(PANDA3D_VERSION, "panda3d/api quaternions", 6, 5.8e-8),
    ),
    keep_world: Claim::new(
        KeepWorld::Exact,
        run(PANDA3D_VERSION, "panda3d/wrtReparentTo", 286, 8.5e-7),
    ),
    getters: Claim::new(
        Getters::Decomposed(DecompositionRule {
            rotation: RotationSource::GramSchmidt([1, 0, 2]),
            scale: ScaleSource::Projected,
            mirrored: MirroredSign::Z,
            is_unit: true,
        }),
        run(PANDA3D_VERSION, "panda3d/api getters", 284, 1.8e-6),
    ),
    skin: Claim::new(
        SkinRule::Matrices,
        run(PANDA3D_VERSION, "panda3d/skin vertices", 152, 1.3e-6),
    ),
    ..UNSEEN
};

pub(super) const OPEN_SCENE_GRAPH: Engine = Engine {
    id: "osg",
    name: "OpenSceneGraph",
    sentence: "Multiplies matrices. It does not read glTF itself, so the result for a sheared matrix depends on the reader.",
    accumulation: Claim::new(Accumulation::Matrix, run("3.6.5", "osg/api", 302, 1.9e-15)),
    given: Import::Kept,
    quaternion: Claim::new(QuaternionRule::Unit, run("3.6.5", "osg/api quaternions", 6, 1.1e-16)),
    keep_world: Claim::new(KeepWorld::NoCall, Known::NotSeen),
    skin: Claim::new(SkinRule::Matrices, run("3.6.5", "osg/skin vertices", 152, 2.4e-7)),
    caveat: Some("it has no built-in glTF reader"),
    ..UNSEEN
};

pub(super) const IRRLICHT: Engine = Engine {
    id: "irrlicht",
    name: "Irrlicht",
    sentence: "Multiplies matrices. It does not read glTF itself, so the result for a sheared matrix depends on the reader.",
    accumulation: Claim::new(Accumulation::Matrix, run("1.8.5", "irrlicht/api", 302, 1.4e-6)),
    given: Import::Kept,
    keep_world: Claim::new(KeepWorld::NoCall, Known::NotSeen),
    skin: Claim::new(SkinRule::Matrices, run("1.8.5", "irrlicht/skin vertices", 152, 9.5e-7)),
    caveat: Some("it has no built-in glTF reader"),
    ..UNSEEN
};

pub(super) const O3DE: Engine = Engine {
    id: "o3de",
    name: "O3DE",
    sentence: "Combines uniform scales, rotations and positions. A non-uniform scale is a component of its entity only; descendants do not inherit \
               it. Its own scene importer replaces such a scale by a uniform one, that of the longest axis.",
    accumulation: Claim::new(
        Accumulation::UniformTrs,
        Known::Documented("docs.o3de.org, Non-uniform Scale component"),
    ),
    import: Claim::new(
        Import::NotSeen,
        Known::Read(
            "o3de/o3de 06764e52, DefaultProceduralPrefab.cpp and AzCore/Math/Transform.cpp: scales become uniform",
        ),
    ),
    caveat: Some(
        "this applies to entities with a Non-uniform Scale component; O3DE's own importer makes each scale uniform, that of the longest axis",
    ),
    axes: AxesConvention {
        from_gltf: [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]],
        of_every_node: true,
        units_per_metre: 1.0,
    },
    ..UNSEEN
};
