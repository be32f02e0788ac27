//! Formats, and the libraries and tools that read and write them.

use super::{UNSEEN, run};
use crate::{
    Accumulation, Claim, DecompositionRule, Engine, Getters, Import, KeepWorld, Known,
    QuaternionRule, SkinRule, Switch, SwitchRule, fbx::FbxImport,
};

const USD_VERSION: &str = "26.11";

pub(super) const USD: Engine = Engine {
    id: "usd",
    name: "OpenUSD",
    sentence: "Multiplies matrices and keeps a sheared matrix.",
    accumulation: Claim::new(Accumulation::Matrix, run(USD_VERSION, "usd/api", 302, 2.7e-15)),
    import: Claim::new(
        Import::Kept,
        Known::Read(
            "pablode/guc 2f8b8a81, src/libguc/src/converter.cpp; adobe/USD-Fileformat-plugins 6441b978",
        ),
    ),
    given: Import::Kept,
    quaternion: Claim::new(
        QuaternionRule::AngleOfW,
        run("26.11", "usd/api quaternions", 6, 5.6e-17),
    ),
    keep_world: Claim::new(KeepWorld::NoCall, Known::NotSeen),
    getters: Claim::new(
        Getters::PolarAndSingular,
        run(USD_VERSION, "usd/api getters", 299, 2.7e-15),
    ),
    skin: Claim::new(SkinRule::Matrices, run("26.11", "usd/skin vertices", 152, 2.4e-7)),
    switches: &[Switch {
        setting: "!resetXformStack!",
        effect: "The prim ignores everything above it, like a root.",
        rule: SwitchRule::Root,
        known: run(USD_VERSION, "usd/resetXformStack-every-third", 302, 2.0e-15),
    }],
    ..UNSEEN
};

const GLTF_TRANSFORM_VERSION: &str = "4.5.1";
const SHEPPERD: DecompositionRule = DecompositionRule::SHEPPERD;

pub(super) const GLTF_TRANSFORM: Engine = Engine {
    id: "gltf-transform",
    name: "glTF-Transform",
    sentence: "Multiplies matrices. A sheared matrix is decomposed as soon as the file is read, and written without its \
               shear.",
    accumulation: Claim::new(
        Accumulation::Matrix,
        run(GLTF_TRANSFORM_VERSION, "gltf-transform/gltf", 302, 1.2e-15),
    ),
    import: Claim::new(
        Import::Decomposed(SHEPPERD),
        run(GLTF_TRANSFORM_VERSION, "gltf-transform/gltf", 302, 1.2e-15),
    ),
    quaternion: Claim::new(
        QuaternionRule::AsItComes,
        run(GLTF_TRANSFORM_VERSION, "gltf-transform/gltf quaternions", 6, 6.3e-17),
    ),
    keep_world: Claim::new(
        KeepWorld::Decomposed(SHEPPERD),
        run(GLTF_TRANSFORM_VERSION, "gltf-transform/clearNodeParent", 284, 1.2e-15),
    ),
    getters: Claim::new(
        Getters::Decomposed(SHEPPERD),
        run(GLTF_TRANSFORM_VERSION, "gltf-transform/gltf getters", 299, 1.6e-15),
    ),
    switches: &[Switch {
        setting: "flatten()",
        effect: "Every node becomes a root. Its transform is decomposed again at every level on the way up.",
        rule: SwitchRule::DecomposedAtEveryLevel(SHEPPERD),
        known: run(GLTF_TRANSFORM_VERSION, "gltf-transform/flatten", 294, 1.3e-15),
    }],
    ..UNSEEN
};

pub(super) const ASSIMP: Engine = Engine {
    id: "assimp",
    name: "assimp",
    sentence: "Multiplies matrices and keeps a sheared matrix. Programs that read its nodes may not keep it.",
    accumulation: Claim::new(Accumulation::Matrix, run("5.2.4", "assimp/gltf", 302, 3.7e-7)),
    import: Claim::new(Import::Kept, run("5.2.4", "assimp/gltf", 302, 3.7e-7)),
    quaternion: Claim::new(
        QuaternionRule::AsItComes,
        run("5.2.4", "assimp/gltf quaternions", 6, 5.6e-8),
    ),
    keep_world: Claim::new(KeepWorld::NoCall, Known::NotSeen),
    fbx: Claim::new(FbxImport::Ignored, run("5.2.4", "assimp/i2", 287, 4.9e-7)),
    ..UNSEEN
};

pub(super) const TRIMESH: Engine = Engine {
    id: "trimesh",
    name: "trimesh",
    sentence: "Multiplies matrices and keeps a sheared matrix.",
    accumulation: Claim::new(Accumulation::Matrix, run("5.2.0", "trimesh/gltf", 302, 1.4e-15)),
    import: Claim::new(Import::Kept, run("5.2.0", "trimesh/gltf", 302, 1.4e-15)),
    quaternion: Claim::new(
        QuaternionRule::Unit,
        run("5.2.0", "trimesh/gltf quaternions", 6, 1.1e-16),
    ),
    keep_world: Claim::new(KeepWorld::NoCall, Known::NotSeen),
    ..UNSEEN
};
