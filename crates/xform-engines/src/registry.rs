//! Every engine that something is known of. A figure of a run is what `tests/all/table.rs` finds, which holds it.

mod files;
mod game_engines;
mod makers;
mod strategies;
mod web_engines;

use crate::{
    Accumulation, AxesConvention, Claim, Engine, Getters, Import, KeepWorld, Known, QuaternionRule,
    SkinRule, fbx::FbxImport,
};

/// In the order in which groups of engines name them.
const ENGINES: &[Engine] = &[
    web_engines::THREE,
    web_engines::BABYLON,
    web_engines::PLAYCANVAS,
    web_engines::GALACEAN,
    web_engines::FILAMENT,
    game_engines::GODOT,
    game_engines::BEVY,
    game_engines::UNITY,
    game_engines::UNITY_ENTITIES,
    game_engines::UNREAL,
    game_engines::OGRE,
    game_engines::O3DE,
    makers::REALITYKIT,
    makers::BLENDER,
    makers::MAYA,
    makers::MAX,
    makers::MOTIONBUILDER,
    makers::HOUDINI,
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

/// What an entry says where nothing is known of it.
const UNSEEN: Engine = Engine {
    id: "",
    name: "",
    sentence: "",
    accumulation: Claim::new(Accumulation::Matrix, Known::NotSeen),
    import: Claim::new(Import::NotSeen, Known::NotSeen),
    given: Import::NotSeen,
    quaternion: Claim::new(QuaternionRule::NotSeen, Known::NotSeen),
    keep_world: Claim::new(KeepWorld::NotSeen, Known::NotSeen),
    getters: Claim::new(Getters::NotSeen, Known::NotSeen),
    fbx: Claim::new(FbxImport::NotSeen, Known::NotSeen),
    skin: Claim::new(SkinRule::Matrices, Known::NotSeen),
    switches: &[],
    caveat: None,
    animation: None,
    axes: AxesConvention::GLTF,
};

impl Engine {
    /// All engines, in the order in which groups of engines name them.
    #[must_use]
    pub fn all() -> &'static [Self] {
        ENGINES
    }

    /// The engines that people ask about most: three.js, Babylon.js, Godot, Unity, Unreal and Blender.
    #[must_use]
    pub fn usual() -> Vec<&'static Self> {
        let usual = ["three", "babylon", "godot", "unity", "unreal", "blender"];
        ENGINES.iter().filter(|engine| usual.contains(&engine.id)).collect()
    }

    /// The two strategies, which are no engines but can be asked for like one: accumulated matrices, then combined TRS.
    #[must_use]
    pub fn strategies() -> [&'static Self; 2] {
        let [matrices, trs] = strategies::STRATEGIES;
        [matrices, trs]
    }

    /// The engine, or the strategy, with this [id](Self::id).
    #[must_use]
    pub fn named(id: &str) -> Option<&'static Self> {
        ENGINES.iter().chain(Self::strategies()).find(|engine| engine.id == id)
    }
}
