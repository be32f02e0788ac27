//! Every engine that something is known of. A figure of a run is what `tests/all/table.rs` finds, which holds it.

mod files;
mod game_engines;
mod makers;
mod web_engines;

use crate::{Engine, Known};

/// In the order in which groups of engines name them.
pub(crate) const ENGINES: [Engine; 20] = [
    web_engines::THREE,
    web_engines::BABYLON,
    web_engines::PLAYCANVAS,
    web_engines::GALACEAN,
    web_engines::FILAMENT,
    game_engines::GODOT,
    game_engines::BEVY,
    game_engines::UNITY,
    game_engines::UNREAL,
    game_engines::OGRE,
    makers::BLENDER,
    makers::MAYA,
    makers::MAX,
    game_engines::PANDA3D,
    game_engines::OPEN_SCENE_GRAPH,
    game_engines::IRRLICHT,
    files::USD,
    files::GLTF_TRANSFORM,
    files::ASSIMP,
    files::TRIMESH,
];

/// An engine that was run.
const fn run(version: &'static str, run: &'static str, nodes: usize, residual: f64) -> Known {
    Known::Run { version, run, nodes, residual }
}
