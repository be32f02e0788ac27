//! What the names of extensions say of them.

/// The beginnings of the names of extensions that put no elements into an accessor, or only such as are read.
const WITHOUT_ELEMENTS: [&str; 19] = [
    "CESIUM_primitive_outline",
    "EXT_lights_",
    "EXT_mesh_features",
    "EXT_mesh_gpu_instancing",
    "EXT_meshopt_compression",
    "EXT_structural_metadata",
    "EXT_texture_",
    "KHR_animation_pointer",
    "KHR_draco_mesh_compression",
    "KHR_lights_",
    "KHR_materials_",
    "KHR_mesh_quantization",
    "KHR_meshopt_compression",
    "KHR_node_",
    "KHR_physics_",
    "KHR_texture_",
    "MSFT_texture_",
    "OMI_physics_",
    "VRM",
];

/// Whether an extension of this name puts no elements into an accessor, or only such as are read.
pub(super) fn has_no_elements(extension: &str) -> bool {
    WITHOUT_ELEMENTS.iter().any(|known| extension.starts_with(known))
}
