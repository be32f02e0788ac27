//! Repairs a file in memory and checks the proof.

use std::{error::Error, fs};

use xform_fix::{Options, SameFolder, fix};
use xform_scene::gltf::GltfAsset;

/// A triangle, turned below a non-uniform scale: engines that multiply matrices skew it, the others do not.
const ARM: &str = r#"{ "asset": { "version": "2.0" },
    "nodes": [
        { "name": "Arm", "scale": [2, 1, 1], "children": [1] },
        { "name": "Hand", "rotation": [0, 0, 0.38268343, 0.92387953], "mesh": 0 }
    ],
    "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
    "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] }],
    "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
    "buffers": [{ "byteLength": 36,
        "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA" }] }"#;

fn main() -> Result<(), Box<dyn Error>> {
    // New data of a `.gltf` file go beside it; files that it refers to stay where they were.
    let mut output = SameFolder("arm.bin".to_owned());
    let asset = GltfAsset::read(ARM.as_bytes(), None)?;
    let fixed = fix(ARM.as_bytes(), &asset, "arm.gltf", &mut output, &Options::default())?;

    assert!(fixed.groups[0].is_fixed(), "{:?}", fixed.groups[0].refusals);
    let proof = fixed.proof.as_ref().ok_or("nothing was repaired")?;
    assert!(proof.positions == 3 && proof.largest_move_of_scene() < 1e-6);
    assert_eq!(fixed.remaining.nodes, [1, 0], "of what is drawn nothing differs any more");

    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("arm.bin"), fixed.data.unwrap_or_default())?;
    fs::write(folder.path().join("arm.gltf"), fixed.file)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_example_runs() {
        super::main().unwrap();
    }
}
