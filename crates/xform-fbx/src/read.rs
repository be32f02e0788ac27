use xform_scene::Scene;

use crate::{convert::convert, error::FbxError, memory_limit::MemoryLimit};

/// Reads an FBX file as a scene, with its drawing.
///
/// This runs C code in the calling process; see [`convert`] about untrusted files.
///
/// # Errors
///
/// As for [`convert`].
///
/// # Examples
///
/// ```no_run
/// let bytes = std::fs::read("robot.fbx")?;
/// let scene = xform_fbx::read_fbx(&bytes, "robot.fbx")?;
/// println!("{} nodes", scene.nodes.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_fbx(bytes: &[u8], source: &str) -> Result<Scene, FbxError> {
    let converted = convert(bytes, &MemoryLimit::default())?;
    let mut scene = converted.scene(source)?;
    scene.drawing = converted.drawing()?;
    Ok(scene)
}
