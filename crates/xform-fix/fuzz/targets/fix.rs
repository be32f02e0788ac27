//! Scenes with something odd in them, or any bytes, repaired in any way: an error, or a file that the same repair leaves as it is.

#![no_main]

mod edited;
#[allow(dead_code, reason = "the tests use the rest")]
#[path = "../../tests/all/file.rs"]
mod file;
#[path = "../../tests/all/random.rs"]
mod random;

use arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::{Corpus, fuzz_target};
use xform_fix::{Fix, FixError, Options, RepairKind, SameFolder, fix, repairs};
use xform_scene::gltf::GltfAsset;

fn fixed(bytes: &[u8], kind: RepairKind, compact: bool) -> std::result::Result<Fix, FixError> {
    let mut options = Options::default();
    (options.repair, options.compact) = (kind, compact);
    let asset = GltfAsset::read(bytes, None)?;
    let foretold = repairs(bytes, &asset, "fuzzed", &options.engines);
    let fixed = fix(bytes, &asset, "fuzzed", &mut SameFolder("new.bin".to_owned()), &options)?;
    foretold.expect("who can repair it can say so before");
    Ok(fixed)
}

fn run(bytes: &[u8]) -> Result<()> {
    let mut u = Unstructured::new(bytes);
    let kind = *u.choose(&RepairKind::ALL)?;
    let (compact, form) = (bool::arbitrary(&mut u)?, u.int_in_range(0..=3)?);
    let bytes = if form == 0 {
        u.take_rest().to_vec()
    } else {
        let [_, edited] = edited::scenes(&mut u)?;
        if form == 1 { edited.gltf() } else { edited.glb() }
    };
    let Ok(first) = fixed(&bytes, kind, compact) else { return Ok(()) };
    // New data of a file of text are beside it, where nobody finds them here.
    if first.data.is_none() {
        let second = fixed(&first.file, kind, compact).expect("a repaired file can be read");
        assert!(second.file == first.file);
    }
    Ok(())
}

fuzz_target!(|bytes: &[u8]| -> Corpus {
    match run(bytes) {
        Ok(()) => Corpus::Keep,
        Err(_) => Corpus::Reject,
    }
});
