//! Writes 10 080 animated glTF files for timing `xform audit`: 84 folders with copies of 120 files of 5 to 25 nodes,
//! with one to three animations of 24 keyframes each, and with embedded, binary and external buffers.
//!
//! `cargo run --release -p benches --bin animated-files -- FOLDER [--uniform | --mirrored]`
//!
//! With `--uniform` every scale is uniform, as in most real files. With `--mirrored` every scale is negative on its
//! x axis, which engines that combine TRS handle in different ways.

use std::{
    env, fs,
    io::{self, Error, ErrorKind},
    path::Path,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

const FOLDERS: usize = 84;
const FILES: u32 = 120;
const KEYFRAMES: u16 = 24;

fn main() -> io::Result<()> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let (folder, scales) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [folder] if !folder.starts_with("-") => (folder, Scales::NonUniform),
        [folder, "--uniform"] | ["--uniform", folder] => (folder, Scales::Uniform),
        [folder, "--mirrored"] | ["--mirrored", folder] => (folder, Scales::Mirrored),
        _ => {
            return Err(Error::new(
                ErrorKind::InvalidInput,
                "usage: animated-files FOLDER [--uniform | --mirrored]",
            ));
        }
    };
    for copy in 0..FOLDERS {
        let copy = Path::new(folder).join(format!("{copy:02}"));
        fs::create_dir_all(&copy)?;
        for number in 0..FILES {
            Asset::new(number, scales).write(&copy, number)?;
        }
    }
    Ok(())
}

/// The kind of scales that nodes have.
#[derive(Clone, Copy)]
enum Scales {
    NonUniform,
    Uniform,
    Mirrored,
}

/// A file whose single buffer is kept separately.
struct Asset {
    document: Value,
    buffer: Vec<u8>,
}

impl Asset {
    fn new(number: u32, scales: Scales) -> Self {
        let mut random = Random(u64::from(number) + 1);
        let mut asset = Self {
            document: json!({ "asset": { "version": "2.0" }, "bufferViews": [], "accessors": [] }),
            buffer: Vec::new(),
        };
        let count = 5 + random.below(21);
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
        for node in 1..count {
            children[random.below(node)].push(node);
        }
        let nodes = children.into_iter().enumerate().map(|(node, children)| {
            let mut entry = json!({
                "name": format!("Node {node}"),
                "translation": random.vector(-1.0, 1.0),
                "rotation": random.quaternion(),
                "scale": random.scale(scales),
            });
            if !children.is_empty() {
                entry["children"] = json!(children);
            }
            entry
        });
        asset.document["nodes"] = nodes.collect();
        let animations = 1 + random.below(3);
        let animations = (0..animations).map(|_| asset.animation(count, scales, &mut random));
        asset.document["animations"] = animations.collect();
        asset
    }

    /// Returns an animation that rotates about half of the nodes and scales about a quarter.
    fn animation(&mut self, nodes: usize, scales: Scales, random: &mut Random) -> Value {
        let times: Vec<f32> = (0..KEYFRAMES).map(|key| f32::from(key) / 24.0).collect();
        let input = self.accessor(&times, "SCALAR");
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for node in 0..nodes {
            for (path, shape, one_in) in [("rotation", "VEC4", 2), ("scale", "VEC3", 4)] {
                if random.below(one_in) > 0 {
                    continue;
                }
                let values: Vec<f32> = match path {
                    "rotation" => random.turn().into_iter().flatten().collect(),
                    _ => (0..KEYFRAMES).flat_map(|_| random.scale(scales)).collect(),
                };
                let output = self.accessor(&values, shape);
                channels.push(
                    json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }),
                );
                samplers.push(json!({ "input": input, "output": output }));
            }
        }
        json!({ "samplers": samplers, "channels": channels })
    }

    /// Adds an accessor of floats and returns its index.
    fn accessor(&mut self, values: &[f32], shape: &str) -> usize {
        let (offset, len) = (self.buffer.len(), size_of_val(values));
        self.buffer.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        let view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": len });
        let index = push(&mut self.document["bufferViews"], view);
        let accessor = json!({ "bufferView": index, "componentType": 5126, "count": KEYFRAMES, "type": shape });
        push(&mut self.document["accessors"], accessor)
    }

    /// Writes the asset in one of three forms.
    fn write(mut self, folder: &Path, number: u32) -> io::Result<()> {
        let len = self.buffer.len();
        let name = format!("file {number:03}");
        match number % 3 {
            0 => {
                let uri = format!(
                    "data:application/octet-stream;base64,{}",
                    STANDARD.encode(&self.buffer)
                );
                self.document["buffers"] = json!([{ "byteLength": len, "uri": uri }]);
                fs::write(folder.join(name).with_extension("gltf"), self.document.to_string())
            }
            1 => {
                fs::write(folder.join(&name).with_extension("bin"), &self.buffer)?;
                self.document["buffers"] = json!([{ "byteLength": len, "uri": format!("{}.bin", name.replace(' ', "%20")) }]);
                fs::write(folder.join(name).with_extension("gltf"), self.document.to_string())
            }
            _ => {
                self.document["buffers"] = json!([{ "byteLength": len }]);
                fs::write(folder.join(name).with_extension("glb"), self.into_glb()?)
            }
        }
    }

    /// Returns the file as a GLB: a header of twelve bytes, and two chunks padded to whole words.
    fn into_glb(mut self) -> io::Result<Vec<u8>> {
        let mut json = self.document.to_string().into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        self.buffer.resize(self.buffer.len().next_multiple_of(4), 0);
        let word = |len: usize| u32::try_from(len).map(u32::to_le_bytes).map_err(Error::other);
        let mut glb = [*b"glTF", 2_u32.to_le_bytes()].concat();
        glb.extend(word(28 + json.len() + self.buffer.len())?);
        for (kind, chunk) in [(b"JSON", &json), (b"BIN\0", &self.buffer)] {
            glb.extend(word(chunk.len())?);
            glb.extend(kind);
            glb.extend(chunk);
        }
        Ok(glb)
    }
}

/// Appends to a JSON array and returns the index.
fn push(array: &mut Value, value: Value) -> usize {
    let Some(array) = array.as_array_mut() else { unreachable!("made as an array") };
    array.push(value);
    array.len() - 1
}

/// Random numbers from SplitMix64 (Steele, Lea and Flood, 2014), the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        let end = end as u64;
        usize::try_from(self.next() % end).unwrap_or(0)
    }

    fn between(&mut self, from: f32, to: f32) -> f32 {
        // The upper 16 bits, which are fine enough.
        let part = f32::from(u16::try_from(self.next() >> 48).unwrap_or(0)) / 65536.0;
        from + part * (to - from)
    }

    fn vector(&mut self, from: f32, to: f32) -> [f32; 3] {
        [(); 3].map(|()| self.between(from, to))
    }

    fn scale(&mut self, scales: Scales) -> [f32; 3] {
        match scales {
            Scales::NonUniform => self.vector(0.5, 2.0),
            Scales::Uniform => [self.between(0.5, 2.0); 3],
            Scales::Mirrored => {
                let [x, y, z] = self.vector(0.5, 2.0);
                [-x, y, z]
            }
        }
    }

    /// Returns rotations about one axis, with up to 50° between keyframes.
    fn turn(&mut self) -> Vec<[f32; 4]> {
        let [x, y, z] = self.vector(-1.0, 1.0);
        let length = (x * x + y * y + z * z).sqrt().max(0.1);
        let mut angle = 0.0_f32;
        let keys = (0..KEYFRAMES).map(|_| {
            angle += self.between(0.0, 50.0).to_radians();
            let (sine, cosine) = (angle / 2.0).sin_cos();
            [x / length * sine, y / length * sine, z / length * sine, cosine]
        });
        keys.collect()
    }

    fn quaternion(&mut self) -> [f32; 4] {
        let [x, y, z] = self.vector(-1.0, 1.0);
        let w = self.between(0.1, 1.0);
        let length = (x * x + y * y + z * z + w * w).sqrt();
        [x / length, y / length, z / length, w / length]
    }
}
