//! The test scenes that engines were asked about, for anyone who wants to ask an importer the same questions.

use crate::fbx::InheritType;

/// The types of the nodes in the kit's FBX files whose names end in `-mix`. The sequence repeats.
pub const MIX: [InheritType; 5] = [
    InheritType::Matrix,
    InheritType::ComponentWise,
    InheritType::WithoutParent,
    InheritType::Matrix,
    InheritType::ComponentWise,
];

/// A test scene.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct KitScene {
    /// Its name: the file name without the extension.
    pub name: &'static str,
    /// The glTF file, which refers to no other file.
    pub gltf: &'static str,
}

macro_rules! scene {
    ($name:literal) => {
        KitScene { name: $name, gltf: include_str!(concat!("../kit/scenes/", $name, ".gltf")) }
    };
}

/// All test scenes, simplest first: an importer that fails the first ones fails the others too. Each has a page in
/// the repository, in `crates/xform-engines/kit/scenes`.
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
