//! Programs for creating assets.

use super::{UNSEEN, run};
use crate::{
    Accumulation, AxesConvention, Claim, DecompositionRule, Engine, Getters, Import, KeepWorld,
    Known, MirroredSign, QuaternionRule, SkinRule, Switch, SwitchRule,
    blender::InheritScale,
    fbx::{FbxImport, InheritType},
    houdini::ScaleInheritance,
};

const BLENDER_VERSION: &str = "5.2.3";
const UNIT_DAY: DecompositionRule = DecompositionRule::DAY.unit().mirrored(MirroredSign::All);

/// The matrix from glTF's axes, with y up, to Blender's, with z up.
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
    sentence: "Multiplies matrices. A sheared matrix in a file is decomposed and loses its shear.",
    accumulation: Claim::new(
        Accumulation::Matrix,
        run(BLENDER_VERSION, "blender52/api", 302, 1.1e-6),
    ),
    import: Claim::new(
        Import::Decomposed(UNIT_DAY),
        run(BLENDER_VERSION, "blender52/gltf", 293, 6.6e-7),
    ),
    given: Import::Decomposed(UNIT_DAY),
    quaternion: Claim::new(
        QuaternionRule::Unit,
        run("5.0.1", "blender50/gltf quaternions", 6, 3.2e-8),
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
    skin: Claim::new(SkinRule::Matrices, run("5.0.1", "blender50/gltf vertices", 152, 1.8e-6)),
    switches: &[
        bone(
            "Inherit Scale: Full",
            "The bone inherits everything, like an object.",
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
            "The bone inherits a uniform scale with the volume of its parent's scale.",
            InheritScale::Average,
            run(BLENDER_VERSION, "blender/bones-AVERAGE", 220, 6.5e-7),
        ),
        bone(
            "Inherit Scale: None",
            "The bone inherits no scale and no shear. The parent still scales its position.",
            InheritScale::None,
            run(BLENDER_VERSION, "blender/bones-NONE", 220, 5.9e-7),
        ),
        bone(
            "Inherit Scale: None (Legacy)",
            "The bone inherits the shear of its parent, but no scale.",
            InheritScale::NoneLegacy,
            run(BLENDER_VERSION, "blender/bones-NONE_LEGACY", 220, 4.9e-7),
        ),
    ],
    animation: Some(
        "Keys become curves of each component, in frames instead of seconds. Between frames, values were up to 4e-4 off glTF's.",
    ),
    axes: AxesConvention { from_gltf: Z_UP, of_every_node: true, units_per_metre: 1.0 },
    ..UNSEEN
};

pub(super) const MAYA: Engine = Engine {
    id: "maya",
    name: "Maya",
    sentence: "Multiplies matrices. By default, joints ignore the scale of their parent joint. It does not read glTF \
               itself, so the result for a sheared matrix depends on the converter.",
    accumulation: Claim::new(
        Accumulation::Matrix,
        Known::Read(
            "help.autodesk.com, Maya's nodes `transform` and `joint`; ufbx 0.23, InheritType",
        ),
    ),
    fbx: Claim::new(FbxImport::AsWritten, run("2023", "maya/inherit-types", 1104, 2.7e-7)),
    switches: &[Switch {
        setting: "segmentScaleCompensate",
        effect: "The joint ignores the scale of its parent, but not the scales above it. In FBX it is InheritType 2.",
        rule: SwitchRule::FbxType(InheritType::WithoutParent),
        known: run("2023", "maya/inherit-types", 1104, 2.7e-7),
    }],
    caveat: Some(
        "it has no built-in glTF reader, and by default joints ignore the scale of their parent joint",
    ),
    axes: AxesConvention { units_per_metre: 100.0, ..AxesConvention::GLTF },
    ..UNSEEN
};

pub(super) const MAX: Engine = Engine {
    id: "3dsmax",
    name: "3ds Max",
    sentence: "Multiplies matrices. The import of a sheared matrix was not tested.",
    accumulation: Claim::new(
        Accumulation::Matrix,
        Known::Read("help.autodesk.com, 3ds Max SDK, node transforms; ufbx 0.23, InheritType"),
    ),
    caveat: Some("the glTF importer was not tested"),
    axes: AxesConvention { from_gltf: Z_UP, of_every_node: true, units_per_metre: 1.0 },
    ..UNSEEN
};

const MOTIONBUILDER_RUN: Known = run("2023", "motionbuilder/inherit-types", 1450, 3.6e-7);

pub(super) const MOTIONBUILDER: Engine = Engine {
    id: "motionbuilder",
    name: "MotionBuilder",
    sentence: "Multiplies matrices if a model's Scaling Inheritance is Parent (RSrs). If it is Local (RrSs), the parent's scale \
               acts along the child's own axes. It does not read glTF itself, so the result for a sheared matrix depends on the converter.",
    accumulation: Claim::new(
        Accumulation::Matrix,
        Known::Documented(
            "help.autodesk.com, MotionBuilder SDK, Matrix Transformation Order: Parent (RSrs)",
        ),
    ),
    fbx: Claim::new(FbxImport::AsWritten, MOTIONBUILDER_RUN),
    switches: &[
        Switch {
            setting: "Scaling Inheritance: Local (RrSs)",
            effect: "The parent's scale acts along the node's own axes. In FBX it is InheritType 0.",
            rule: SwitchRule::FbxType(InheritType::ComponentWise),
            known: MOTIONBUILDER_RUN,
        },
        Switch {
            setting: "Scaling Inheritance: Scale Compensate",
            effect: "The node ignores the scale of its parent, which still scales its position. In FBX it is InheritType 2.",
            rule: SwitchRule::FbxType(InheritType::WithoutParent),
            known: Known::Documented(
                "help.autodesk.com, MotionBuilder, Transformation Options properties",
            ),
        },
    ],
    caveat: Some("it has no built-in glTF reader"),
    axes: AxesConvention { units_per_metre: 100.0, ..AxesConvention::GLTF },
    ..UNSEEN
};

const SCALE_INHERITANCE: Known = Known::Documented(
    "sidefx.com, Houdini 18.0, hou.scaleInheritanceMode; HDK, UT_TransformUtil.h",
);

const fn inheritance(
    setting: &'static str,
    effect: &'static str,
    mode: ScaleInheritance,
) -> Switch {
    Switch { setting, effect, rule: SwitchRule::Houdini(mode), known: SCALE_INHERITANCE }
}

pub(super) const HOUDINI: Engine = Engine {
    id: "houdini",
    name: "Houdini",
    sentence: "Multiplies matrices. Each object has a parameter to ignore the scale of its parent, or to apply it along the object's own \
               axes. The import of a sheared matrix was not tested.",
    accumulation: Claim::new(Accumulation::Matrix, SCALE_INHERITANCE),
    switches: &[
        inheritance(
            "Scale Inheritance: OffsetOnly",
            "The node ignores the scale of its parent, which still scales its position.",
            ScaleInheritance::OffsetOnly,
        ),
        inheritance(
            "Scale Inheritance: OffsetAndScale",
            "The parent's scale acts along the node's own axes and scales its position.",
            ScaleInheritance::OffsetAndScale,
        ),
        inheritance(
            "Scale Inheritance: ScaleOnly",
            "The parent's scale acts along the node's own axes and does not scale its position.",
            ScaleInheritance::ScaleOnly,
        ),
        inheritance(
            "Scale Inheritance: Ignore",
            "The node ignores the scale of its parent, and so does its position.",
            ScaleInheritance::Ignore,
        ),
    ],
    caveat: Some("the glTF importer was not tested"),
    ..UNSEEN
};

pub(super) const REALITYKIT: Engine = Engine {
    id: "realitykit",
    name: "RealityKit",
    sentence: "Stores a scale, a rotation and a translation for each entity, so a sheared matrix loses its shear. The documentation does not cover \
               rotated nodes below a non-uniform scale. It reads USD, not glTF.",
    accumulation: Claim::new(
        Accumulation::NotSeen,
        Known::Documented(
            "developer.apple.com, RealityKit, HasTransform.transform: relative to the parent",
        ),
    ),
    import: Claim::new(
        Import::NotSeen,
        Known::Documented(
            "developer.apple.com, RealityKit, Transform.init(matrix:): shear might be lost",
        ),
    ),
    caveat: Some("it has no built-in glTF reader"),
    ..UNSEEN
};
