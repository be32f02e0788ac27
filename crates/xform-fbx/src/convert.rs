//! Converts FBX to GLB.

use serde_json::{Value, json};
use ufbx::{GeometryTransformHandling, IndexErrorHandling, InheritModeHandling, LoadOpts};
use xform_scene::ErrorCode;

use crate::{
    converted::Converted,
    error::FbxError,
    glb::Glb,
    hierarchy::{NodeTree, SceneNode},
    is_fbx,
    memory_limit::MemoryLimit,
    motion::{add_animations, baked, has_scale},
    shape::Shapes,
    whole::check_is_whole,
};

/// The first bytes of the pointer file that Git LFS leaves in place of a file.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// The glTF extension that hides a node and its descendants.
const VISIBILITY: &str = "KHR_node_visibility";

/// The greatest depth of the node hierarchy.
const DEEPEST: u32 = 100_000;

/// Converts an FBX file to a GLB, with the data that a GLB cannot express stored beside it.
///
/// Reads at most `limit` of memory and only these bytes: neither textures nor caches in other files. This runs C code
/// in the calling process; for untrusted files, call it in a separate process.
///
/// # Errors
///
/// If the bytes are not FBX or are broken, if reading takes more memory than the limit, or if a number is not finite.
// A GLB rather than a `Scene` format of its own: untrusted bytes already have a reader with limits, hostile test files
// and fuzzers, and a second format would be a second reader to harden. The reading of FBX is tested through it as
// well. Poses are `f64` in the JSON, to the bit; vertices and keyframes are `f32`, as in every glTF file.
pub fn convert(bytes: &[u8], limit: &MemoryLimit) -> Result<Converted, FbxError> {
    if bytes.is_empty() {
        return Err(FbxError::new(ErrorCode::Empty, "the file is empty"));
    }
    if bytes.starts_with(LFS_POINTER) {
        let what = "it is a Git LFS pointer; the file itself was not fetched";
        return Err(FbxError::new(ErrorCode::LfsPointer, what));
    }
    // ufbx also reads OBJ, which has no hierarchy.
    if !is_fbx(bytes) {
        return Err(FbxError::new(ErrorCode::NotFbx, "it is not an FBX file"));
    }
    let (file, has_meshes) = loaded(bytes, limit)?;
    check_is_whole(bytes, &file.metadata)?;
    let animations = baked(&file, limit)?;
    let hierarchy = NodeTree::of(&file, has_scale(&file, &animations))?;
    let (mut glb, mut shapes) = (Glb::of_file(bytes.len()), Shapes::default());
    let mut nodes: Vec<Value> = hierarchy.scene.iter().map(SceneNode::to_json).collect();
    for (index, node) in hierarchy.scene.iter().enumerate() {
        node.check(index)?;
        if let Some(parent) = node.parent {
            match &mut nodes[parent]["children"] {
                Value::Array(children) => children.push(json!(index)),
                none => *none = json!([index]),
            }
        }
    }
    for (node, place) in file.nodes.iter().skip(1).zip(&hierarchy.file.nodes) {
        shapes.add(&mut glb, node, &hierarchy, &mut nodes[place.scaled])?;
    }
    if hierarchy.scene.iter().any(|node| node.is_invisible) {
        glb.push("extensionsUsed", json!(VISIBILITY));
    }
    let roots = hierarchy.scene.iter().enumerate().filter(|(_, node)| node.parent.is_none());
    let roots: Vec<_> = roots.map(|(index, _)| index).collect();
    add_animations(&mut glb, &file, &animations, &hierarchy, limit)?;
    for node in nodes {
        glb.push("nodes", node);
    }
    if !roots.is_empty() {
        glb.push("scenes", json!({ "nodes": roots }));
    }
    let glb = glb.finish().ok_or_else(|| {
        FbxError::new(ErrorCode::OutOfMemory, "it would take more than 4 GiB as a GLB")
    })?;
    Ok(Converted::new(glb, hierarchy.file, has_meshes))
}

/// Loads a file, and returns whether its meshes are included. ufbx rejects a whole file because of one bad polygon
/// index, although its nodes are still right; such a file is loaded without meshes.
fn loaded(bytes: &[u8], limit: &MemoryLimit) -> Result<(ufbx::SceneRoot, bool), FbxError> {
    let error = match ufbx::load_memory(bytes, opts(limit)) {
        Ok(file) => return Ok((file, true)),
        Err(error) => FbxError::from(error),
    };
    if error.code != ErrorCode::InvalidFbx {
        return Err(error);
    }
    match ufbx::load_memory(bytes, LoadOpts { ignore_geometry: true, ..opts(limit) }) {
        Ok(file) => Ok((file, false)),
        Err(_) => Err(error),
    }
}

fn opts(limit: &MemoryLimit) -> LoadOpts<'static> {
    let mut opts = LoadOpts {
        ignore_embedded: true,
        index_error_handling: IndexErrorHandling::Clamp,
        allow_missing_vertex_position: true,
        node_depth_limit: DEEPEST,
        geometry_transform_handling: GeometryTransformHandling::Preserve,
        inherit_mode_handling: InheritModeHandling::Preserve,
        ..LoadOpts::default()
    };
    opts.temp_allocator.memory_limit = limit.bytes;
    opts.result_allocator.memory_limit = limit.bytes;
    opts
}

impl SceneNode {
    fn to_json(&self) -> Value {
        let mut node = json!({
            "translation": <[f64; 3]>::from(self.translation),
            "rotation": self.rotation,
            "scale": <[f64; 3]>::from(self.scale),
        });
        if !self.name.is_empty() {
            node["name"] = json!(self.name);
        }
        if self.is_invisible {
            node["extensions"] = json!({ VISIBILITY: { "visible": false } });
        }
        node
    }

    fn check(&self, index: usize) -> Result<(), FbxError> {
        let all = self.translation.iter().chain(&self.rotation).chain(&self.scale);
        if all.into_iter().all(|number| number.is_finite()) {
            Ok(())
        } else {
            Err(FbxError::new(
                ErrorCode::ValuesOverflow,
                format!("node {index} ({}): its pose is not finite", self.name),
            ))
        }
    }
}
