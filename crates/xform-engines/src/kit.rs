//! The scenes that engines are asked about: whoever wrote an importer can ask it about the same.

use crate::fbx::InheritType;

/// The types of the nodes of an FBX file of the kit whose name ends in `-mix`, again and again.
pub const MIX: [InheritType; 5] = [
    InheritType::Matrix,
    InheritType::ComponentWise,
    InheritType::WithoutParent,
    InheritType::Matrix,
    InheritType::ComponentWise,
];

/// A scene of the kit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct KitScene {
    /// Its name, which is that of its file without the ending.
    pub name: &'static str,
    /// The glTF file, which needs no other.
    pub gltf: &'static str,
}

macro_rules! scene {
    ($name:literal) => {
        KitScene { name: $name, gltf: include_str!(concat!("../kit/scenes/", $name, ".gltf")) }
    };
}

/// All of them, the plainest first: where those are wrong, the others are too. Each has a page beside it in the repository,
/// `crates/xform-engines/kit/scenes`.
pub const SCENES: &[KitScene] = &[
    scene!("uniform"),
    scene!("skew38"),
    scene!("three_levels"),
    scene!("mirror"),
    scene!("neg_two"),
    scene!("neg_all"),
    scene!("piston"),
    scene!("zero"),
    scene!("matrix_shear"),
    scene!("matrix_ok"),
    scene!("rand_uni"),
    scene!("rand_non"),
    scene!("rand_neg"),
    scene!("anim"),
    scene!("quaternions"),
    scene!("skin"),
    scene!("skin_below_scale"),
    scene!("skin_stretched"),
    scene!("skin_mirrored"),
    scene!("skin_sheared_bind"),
    scene!("skin_turned_bind"),
    scene!("skin_animated"),
    scene!("morph"),
    scene!("instances"),
    scene!("camera_light"),
    scene!("units"),
    scene!("colliders"),
];
