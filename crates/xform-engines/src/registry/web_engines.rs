//! Engines for the browser, including Filament.

use super::{UNSEEN, run};
use crate::{
    Accumulation, AxesConvention, Claim, DecompositionRule, Engine, Getters, Import, KeepWorld,
    Known, MirroredSign, QuaternionRule, SkinRule, Switch, SwitchRule,
    fbx::{FbxImport, InheritType},
};

const THREE_VERSION: &str = "r187";
const SHEPPERD: DecompositionRule = DecompositionRule::SHEPPERD;

pub(super) const THREE: Engine = Engine {
    id: "three",
    name: "three.js",
    sentence: "Multiplies matrices. A sheared matrix in a file is decomposed and loses its shear.",
    accumulation: Claim::new(Accumulation::Matrix, run(THREE_VERSION, "three/api", 302, 1.2e-15)),
    import: Claim::new(
        Import::Decomposed(SHEPPERD),
        run(THREE_VERSION, "three/gltf", 302, 1.2e-15),
    ),
    given: Import::Kept,
    quaternion: Claim::new(
        QuaternionRule::AsItComes,
        run("r187", "three/gltf quaternions", 6, 6.3e-17),
    ),
    keep_world: Claim::new(
        KeepWorld::Decomposed(SHEPPERD),
        run(THREE_VERSION, "three/attach-to-root", 284, 1.2e-15),
    ),
    getters: Claim::new(
        Getters::Decomposed(SHEPPERD),
        run(THREE_VERSION, "three/api getters", 299, 1.6e-15),
    ),
    fbx: Claim::new(
        FbxImport::ThreeLoader,
        run(THREE_VERSION, "three-FBXLoader/mix", 284, 3.1e-12),
    ),
    skin: Claim::new(SkinRule::Matrices, run("r187", "three/gltf vertices", 152, 4.6e-16)),
    switches: &[
        Switch {
            setting: "FBXLoader, InheritType 0",
            effect: "The loader poses nodes of the type RrSs by a formula that matches no FBX type.",
            rule: SwitchRule::FbxTypeByThreeLoader(InheritType::ComponentWise),
            known: run(THREE_VERSION, "three-FBXLoader/i0", 276, 1.0e-10),
        },
        Switch {
            setting: "FBXLoader, InheritType 2",
            effect: "The loader poses nodes of the type Rrs by a formula that matches no FBX type.",
            rule: SwitchRule::FbxTypeByThreeLoader(InheritType::WithoutParent),
            known: run(THREE_VERSION, "three-FBXLoader/i2", 284, 9.3e-15),
        },
    ],
    ..UNSEEN
};

const BABYLON_VERSION: &str = "9.35.0";
const SHEPPERD_Y: DecompositionRule = SHEPPERD.mirrored(MirroredSign::Y);

pub(super) const BABYLON: Engine = Engine {
    id: "babylon",
    name: "Babylon.js",
    sentence: "Multiplies matrices. A sheared matrix in a file is decomposed and loses its shear.",
    accumulation: Claim::new(
        Accumulation::Matrix,
        run(BABYLON_VERSION, "babylon/api", 302, 1.5e-7),
    ),
    import: Claim::new(
        Import::Decomposed(SHEPPERD_Y),
        run(BABYLON_VERSION, "babylon/gltf-rh", 296, 1.5e-7),
    ),
    given: Import::Decomposed(SHEPPERD_Y),
    quaternion: Claim::new(
        QuaternionRule::AsItComes,
        run("9.35.0", "babylon/gltf-rh quaternions", 6, 5.6e-8),
    ),
    keep_world: Claim::new(
        KeepWorld::Decomposed(SHEPPERD_Y),
        run(BABYLON_VERSION, "babylon/setParent-null", 284, 1.5e-7),
    ),
    getters: Claim::new(
        Getters::Decomposed(SHEPPERD_Y),
        run(BABYLON_VERSION, "babylon/api getters", 299, 1.9e-7),
    ),
    // Left-handed axes, the default. With `useRightHandedSystem` it keeps the axes of glTF.
    skin: Claim::new(SkinRule::Matrices, run("9.35.0", "babylon/gltf-rh vertices", 152, 3.9e-7)),
    axes: AxesConvention {
        from_gltf: [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        of_every_node: false,
        units_per_metre: 1.0,
    },
    ..UNSEEN
};

const PLAYCANVAS_VERSION: &str = "2.23.3";
const UNIT_DAY: DecompositionRule = DecompositionRule::DAY.unit();

pub(super) const PLAYCANVAS: Engine = Engine {
    id: "playcanvas",
    name: "PlayCanvas",
    sentence: "Multiplies matrices. A sheared matrix in a file is decomposed and loses its shear.",
    accumulation: Claim::new(
        Accumulation::Matrix,
        run(PLAYCANVAS_VERSION, "playcanvas/api", 296, 1.5e-7),
    ),
    import: Claim::new(
        Import::Decomposed(UNIT_DAY),
        run(PLAYCANVAS_VERSION, "playcanvas/gltf", 302, 1.5e-7),
    ),
    quaternion: Claim::new(
        QuaternionRule::AsItComes,
        run("2.23.3", "playcanvas/gltf quaternions", 6, 5.6e-8),
    ),
    keep_world: Claim::new(
        KeepWorld::ScaleUntouched(UNIT_DAY),
        run(PLAYCANVAS_VERSION, "playcanvas/addChildAndSaveTransform", 280, 1.5e-7),
    ),
    getters: Claim::new(
        Getters::DecomposedAndLengths(UNIT_DAY),
        run(PLAYCANVAS_VERSION, "playcanvas/api getters", 33, 5.1e-8),
    ),
    switches: &[Switch {
        setting: "scaleCompensation",
        effect: "The node ignores the scale of its parent, and takes its scale from above the parent.",
        rule: SwitchRule::ScaleCompensation,
        known: run(PLAYCANVAS_VERSION, "playcanvas/scaleCompensation-odd", 294, 1.5e-7),
    }],
    animation: Some(
        "Between two keys a rotation is interpolated component by component and normalised, so it rotates at a varying rate.",
    ),
    ..UNSEEN
};

const GALACEAN_VERSION: &str = "1.6.13";

pub(super) const GALACEAN: Engine = Engine {
    id: "galacean",
    name: "Galacean",
    sentence: "Multiplies matrices. A sheared matrix in a file is decomposed when the model is cloned, which xform does not compute.",
    accumulation: Claim::new(
        Accumulation::Matrix,
        run(GALACEAN_VERSION, "galacean/api", 302, 1.5e-7),
    ),
    import: Claim::new(
        Import::NotSeen,
        Known::Read(
            "galacean/engine 8c6e7e6d, packages/loader/src/gltf: decomposed when the model is cloned",
        ),
    ),
    given: Import::Kept,
    quaternion: Claim::new(
        QuaternionRule::AsItComes,
        run("1.6.13", "galacean/api quaternions", 6, 5.6e-8),
    ),
    getters: Claim::new(
        Getters::ProductAndProjected,
        run(GALACEAN_VERSION, "galacean/api getters", 296, 2.0e-7),
    ),
    ..UNSEEN
};

const FILAMENT_VERSION: &str = "1.53.4";

pub(super) const FILAMENT: Engine = Engine {
    id: "filament",
    name: "Filament",
    sentence: "Multiplies matrices and keeps a sheared matrix.",
    accumulation: Claim::new(
        Accumulation::Matrix,
        run(FILAMENT_VERSION, "filament/api", 302, 3.2e-7),
    ),
    import: Claim::new(Import::Kept, run(FILAMENT_VERSION, "filament/gltf", 296, 4.4e-7)),
    quaternion: Claim::new(
        QuaternionRule::AsItComes,
        run("1.53.4", "filament/gltf quaternions", 6, 5.6e-8),
    ),
    given: Import::Kept,
    keep_world: Claim::new(KeepWorld::NoCall, Known::NotSeen),
    ..UNSEEN
};
