//! Programs that assets are made with.

use super::{UNSEEN, run};
use crate::{
    Accumulation, AxesConvention, Claim, DecompositionRule, Engine, Getters, Import, KeepWorld,
    Known, MirroredSign, Switch, SwitchRule,
    blender::InheritScale,
    fbx::{FbxImport, InheritType},
};

const BLENDER_VERSION: &str = "5.2.3";
const UNIT_DAY: DecompositionRule = DecompositionRule::DAY.unit().mirrored(MirroredSign::All);

/// glTF's axes with y up in Blender's with z up.
const Z_UP: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]];

const fn bone(
    setting: &'static str,
    effect: &'static str,
    scale: InheritScale,
    known: Known,
) -> Switch {
    let rule = SwitchRule::Bone { scale, rotation: true };
    Switch { setting, effect, rule, known }
}

pub(super) const BLENDER: Engine = Engine {
    id: "blender",
    name: "Blender",
    sentence: "Multiplies matrices. A sheared matrix in a file is taken apart and comes out without its shear.",
    accumulation: Claim::new(
        Accumulation::Matrix,
        run(BLENDER_VERSION, "blender52/api", 302, 1.1e-6),
    ),
    import: Claim::new(
        Import::Decomposed(UNIT_DAY),
        run(BLENDER_VERSION, "blender52/gltf", 293, 6.6e-7),
    ),
    keep_world: Claim::new(
        KeepWorld::Decomposed(UNIT_DAY),
        run(BLENDER_VERSION, "blender52/parent_clear-keep", 27, 2.3e-7),
    ),
    getters: Claim::new(
        Getters::Decomposed(UNIT_DAY),
        run(BLENDER_VERSION, "blender52/api getters", 39, 1.3e-7),
    ),
    fbx: Claim::new(
        FbxImport::Ignored,
        run(BLENDER_VERSION, "blender-wm.fbx_import/mix", 284, 1.9e-6),
    ),
    switches: &[
        bone(
            "Inherit Scale: Full",
            "The bone inherits everything, as an object does.",
            InheritScale::Full,
            run(BLENDER_VERSION, "blender/bones-FULL", 220, 1.1e-6),
        ),
        bone(
            "Inherit Scale: Fix Shear",
            "The bone inherits everything; then its axes are made perpendicular about its own y.",
            InheritScale::FixShear,
            run(BLENDER_VERSION, "blender/bones-FIX_SHEAR", 220, 8.6e-7),
        ),
        bone(
            "Inherit Scale: Aligned",
            "The scale of the parent acts along the bone's own axes, nearly as in Unreal.",
            InheritScale::Aligned,
            run(BLENDER_VERSION, "blender/bones-ALIGNED", 220, 8.7e-7),
        ),
        bone(
            "Inherit Scale: Average",
            "The bone inherits the volume of its parent's scale, evenly on all axes.",
            InheritScale::Average,
            run(BLENDER_VERSION, "blender/bones-AVERAGE", 220, 6.5e-7),
        ),
        bone(
            "Inherit Scale: None",
            "The bone inherits no scale and no shear. Its position is still scaled by the parent.",
            InheritScale::None,
            run(BLENDER_VERSION, "blender/bones-NONE", 220, 5.9e-7),
        ),
        bone(
            "Inherit Scale: None (Legacy)",
            "The bone inherits no scale, but the shear of its parent.",
            InheritScale::NoneLegacy,
            run(BLENDER_VERSION, "blender/bones-NONE_LEGACY", 220, 4.9e-7),
        ),
    ],
    animation: Some(
        "Keys become curves of each component in frames, not seconds: between frames it was up to 4e-4 off glTF's values.",
    ),
    axes: AxesConvention { from_gltf: Z_UP, of_every_node: true, units_per_metre: 1.0 },
    ..UNSEEN
};

pub(super) const MAYA: Engine = Engine {
    id: "maya",
    name: "Maya",
    sentence: "Multiplies matrices; its joints leave out the scale of the joint above them by default. It reads no glTF \
               itself, so what becomes of a sheared matrix depends on the road.",
    accumulation: Claim::new(
        Accumulation::Matrix,
        Known::Read(
            "help.autodesk.com, Maya's nodes `transform` and `joint`; ufbx 0.23, InheritType",
        ),
    ),
    fbx: Claim::new(FbxImport::AsWritten, run("2023", "maya/inherit-types", 1104, 2.7e-7)),
    switches: &[Switch {
        setting: "segmentScaleCompensate",
        effect: "The joint leaves out the scale of its parent, not of what is above that. In FBX it is InheritType 2.",
        rule: SwitchRule::FbxType(InheritType::WithoutParent),
        known: run("2023", "maya/inherit-types", 1104, 2.7e-7),
    }],
    caveat: Some(
        "no glTF reader is built in, and joints leave out the scale of the joint above by default",
    ),
    axes: AxesConvention { units_per_metre: 100.0, ..AxesConvention::GLTF },
    ..UNSEEN
};

pub(super) const MAX: Engine = Engine {
    id: "3dsmax",
    name: "3ds Max",
    sentence: "Multiplies matrices. What becomes of a sheared matrix in a file was not seen.",
    accumulation: Claim::new(
        Accumulation::Matrix,
        Known::Read("help.autodesk.com, 3ds Max SDK, node transforms; ufbx 0.23, InheritType"),
    ),
    caveat: Some("its glTF importer was not seen"),
    axes: AxesConvention { from_gltf: Z_UP, of_every_node: true, units_per_metre: 1.0 },
    ..UNSEEN
};
