//! Reads FBX, if the page was built with a C compiler for WebAssembly.

use xform_compare::audit::Problem;
use xform_scene::Scene;

use crate::problem::Failure;

/// Reads a scene, with its drawing.
#[cfg(feature = "fbx")]
pub(crate) fn read(bytes: &[u8], source: &str) -> Result<Scene, Failure> {
    xform_fbx::read_fbx(bytes, source)
        .map_err(|error| Problem::of_file(source, error.code.name(), &error).into())
}

/// Reports that this build cannot read FBX, and the alternatives.
#[cfg(not(feature = "fbx"))]
pub(crate) fn read(_: &[u8], source: &str) -> Result<Scene, Failure> {
    let error = format!(
        "{source}: this page was built without an FBX reader. Export the model as .glb, or use the xform program."
    );
    Err(Problem::new(source, xform_scene::ErrorCode::NoFbx.name(), "", error).into())
}
