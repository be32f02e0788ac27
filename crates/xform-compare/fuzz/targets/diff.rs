//! A scene and the same with something odd in it: an error, or a comparison that every format writes. Beside itself no scene is
//! another.

#![no_main]

#[path = "../../../xform-fix/fuzz/targets/edited/mod.rs"]
mod edited;
#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../../../xform-fix/tests/all/file.rs"]
mod file;
#[path = "../../../xform-fix/tests/all/random.rs"]
mod random;

use std::io;

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::{Corpus, fuzz_target};
use xform_compare::{
    SceneAudit, compare, diff,
    judge::{DiffOptions, DiffReport},
};
use xform_report::{
    diff::{write_diff_json, write_diff_markdown, write_diff_text},
    write_diff_html,
};
use xform_scene::{Scene, gltf::read_gltf_drawing, read_gltf};

fn audited(file: &file::File) -> Option<(Scene, SceneAudit)> {
    let bytes = file.glb();
    let mut scene = read_gltf(&bytes, "fuzzed").ok()?;
    scene.drawing = read_gltf_drawing(&bytes).ok()?;
    let audit = compare(&scene).ok()?;
    Some((scene, audit))
}

fn run(bytes: &[u8]) -> Result<()> {
    let [before, after] = edited::scenes(&mut Unstructured::new(bytes))?;
    let before = audited(&before).expect("it is a scene of the tests");
    let Some(after) = audited(&after) else { return Ok(()) };
    let options = DiffOptions::default();
    for both in [[&before, &after], [&after, &before], [&after, &after]] {
        let [(a, _), (b, _)] = both;
        let is_same = std::ptr::eq(a, b);
        let Ok(found) = diff(both.map(|(scene, audit)| (scene, audit)), &options) else { continue };
        let is_compared = found.shape.as_ref().is_some_and(|shape| shape.not_compared.is_empty());
        assert!(!is_same || !is_compared || !found.is_worse(), "it is not itself: {found:?}");
        let mut json = Vec::new();
        write_diff_json(&found, &mut json).unwrap();
        serde_json::from_slice::<serde_json::Value>(&json).unwrap();
        write_diff_text(&found, &mut io::sink()).unwrap();
        write_diff_markdown(&found, &mut io::sink()).unwrap();
    }
    // A page takes as long as a hundred comparisons.
    if bytes.len() % 64 == 0
        && let Ok(report) = DiffReport::new([before, after], &options)
    {
        write_diff_html(&report, &mut io::sink()).unwrap();
    }
    Ok(())
}

fuzz_target!(|bytes: &[u8]| -> Corpus {
    match run(bytes) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
