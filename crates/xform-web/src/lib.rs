//! The part of xform behind the page that files are dropped on, in WebAssembly.
//!
//! A model is read ([`Model::read`]), measured ([`Asset::measured`]), repaired ([`Asset::repaired`]) or compared with
//! another ([`Asset::compared`]), and written ([`Measured::page`], [`Measured::json`]). Each step is a separate call,
//! so that the page can show its progress in between. An [`Archive`] holds files. Errors are JSON, like the entries of
//! `errors` in the report of `xform audit --format json`.

mod archive;
mod asset;
mod fbx;
mod problem;
mod repaired;
mod written;

use wasm_bindgen::prelude::wasm_bindgen;

pub use archive::Archive;
pub use asset::{Asset, Files, Measured, Model};
pub use problem::Failure;
pub use repaired::Repaired;

#[wasm_bindgen]
extern "C" {
    /// A function of the worker that keeps the message of a panic, so that the page can show it. Otherwise the page
    /// would only see a trap.
    #[wasm_bindgen(js_name = notePanic)]
    fn note_panic(message: &str);
}

/// Sets a hook that passes panics to the page.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| note_panic(&info.to_string())));
}

/// The names and summaries of the built-in scenes, as JSON: a list of pairs.
#[wasm_bindgen(js_name = builtInScenes)]
#[must_use]
pub fn built_in_scenes() -> String {
    let scenes = xform_scene::BuiltIn::all().iter().map(|scene| (scene.name, scene.summary));
    serde_json::json!(scenes.collect::<Vec<_>>()).to_string()
}

/// The ids of the engines that everything is compared between, as on the command line.
#[wasm_bindgen]
#[must_use]
pub fn engines() -> Vec<String> {
    let usual = xform_compare::audit::EngineChoice::usual();
    usual.engines.iter().map(|engine| engine.id.to_owned()).collect()
}

/// Whether this build can read FBX.
#[wasm_bindgen(js_name = readsFbx)]
#[must_use]
pub fn reads_fbx() -> bool {
    cfg!(feature = "fbx")
}
