//! Any text as `xform.toml`: an error of one line, or rules that can be asked about any finding.

#![no_main]

#[allow(dead_code, reason = "the program uses the rest")]
#[path = "../../src/arguments.rs"]
mod arguments;
#[path = "../../src/choices.rs"]
mod choices;
#[allow(dead_code, reason = "the program uses the rest")]
#[path = "../../src/config.rs"]
mod config;
#[allow(dead_code, reason = "the program uses the rest")]
#[path = "../../src/engine_name.rs"]
mod engine_name;
#[allow(dead_code, reason = "the program uses the rest")]
#[path = "../../src/open_files.rs"]
mod open_files;
#[path = "../../src/suggestion.rs"]
mod suggestion;

use std::{path::PathBuf, sync::LazyLock};

use config::Config;
use libfuzzer_sys::fuzz_target;
use xform_compare::{SceneAudit, compare};
use xform_scene::BuiltIn;

static AUDIT: LazyLock<SceneAudit> = LazyLock::new(|| {
    let mut scene = BuiltIn::named("skewed-child").unwrap().scene(&[]).unwrap();
    scene.nodes[1].name = Some("a/b\\*?[x]{y}".repeat(20));
    compare(&scene).unwrap()
});

fuzz_target!(|text: &str| {
    match Config::parse(text, PathBuf::from("/assets")) {
        Ok(config) => {
            for scene in ["/assets/props/a b.glb", "*", ""] {
                let found = config.findings(&AUDIT, scene.as_ref());
                assert!(found.len() <= 2);
                let _ = config.ignored_file(scene.as_ref());
            }
        }
        Err(line) => assert!(line.starts_with(':') && !line.contains('\n'), "{line}"),
    }
});
