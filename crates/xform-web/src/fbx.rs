//! FBX, where a C compiler for WebAssembly was there to build its reader.

use xform_compare::audit::Problem;
use xform_scene::Scene;

use crate::problem::Failure;

#[cfg(feature = "fbx")]
pub(crate) use xform_fbx::is_fbx;

/// Reads a scene, with what is drawn of it.
#[cfg(feature = "fbx")]
pub(crate) fn read(bytes: &[u8], source: &str) -> Result<Scene, Failure> {
    xform_fbx::read_fbx(bytes, source)
        .map_err(|error| Problem::of_file(source, error.code.name(), &error).into())
}

/// Whether this is an FBX file.
#[cfg(not(feature = "fbx"))]
pub(crate) fn is_fbx(bytes: &[u8]) -> bool {
    bytes.starts_with(b"Kaydara FBX Binary") || bytes.starts_with(b"; FBX")
}

/// Says who reads it.
#[cfg(not(feature = "fbx"))]
pub(crate) fn read(_: &[u8], source: &str) -> Result<Scene, Failure> {
    let error = format!(
        "{source}: this page was built without a reader of FBX. Export the model as .glb, or use the program xform."
    );
    Err(Problem::new(source, xform_scene::ErrorCode::NoFbx.name(), "", error).into())
}
