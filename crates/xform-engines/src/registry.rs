//! All engines about which something is known. `tests/all/table.rs` checks the figures of the runs.

// The behaviour of engines is data, and their recorded answers (`crates/xform-engines/kit`) check it. Each `Engine`
// is a row of rules, with how each is known. The tests compare every rule with the answers, write the residual into
// the row and into docs/engines.md, and require that both plain strategies fail wherever an engine claims a rule of
// its own.

mod files;
mod game_engines;
mod makers;
mod strategies;
mod web_engines;

use crate::{
    Accumulation, AxesConvention, Claim, Engine, Getters, Import, KeepWorld, Known, QuaternionRule,
    SkinRule, fbx::FbxImport,
};

/// In the order in which groups of engines list them.
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

/// Default values: an entry about which nothing is known.
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
    /// Returns all engines, in the order in which groups of engines list them.
    #[must_use]
    pub fn all() -> &'static [Self] {
        ENGINES
    }

    /// Returns the engines that people most often ask about: three.js, Babylon.js, Godot, Unity, Unreal and Blender.
    #[must_use]
    pub fn usual() -> Vec<&'static Self> {
        let usual = ["three", "babylon", "godot", "unity", "unreal", "blender"];
        ENGINES.iter().filter(|engine| usual.contains(&engine.id)).collect()
    }

    /// Returns the two strategies, accumulated matrices and then combined TRS. They are not engines, but can be used
    /// like one.
    #[must_use]
    pub fn strategies() -> [&'static Self; 2] {
        let [matrices, trs] = strategies::STRATEGIES;
        [matrices, trs]
    }

    /// Returns the engine or strategy with this [id](Self::id).
    #[must_use]
    pub fn named(id: &str) -> Option<&'static Self> {
        ENGINES.iter().chain(Self::strategies()).find(|engine| engine.id == id)
    }
}
