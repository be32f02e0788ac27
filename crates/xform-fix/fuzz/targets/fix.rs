//! Any bytes as a file to repair, by any kind of repair: an error, or a file that the same repair leaves as it is.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xform_fix::{Fix, FixError, Options, RepairKind, SameFolder, fix};

fn fixed(bytes: &[u8], kind: RepairKind, compact: bool) -> Result<Fix, FixError> {
    let mut options = Options::default();
    (options.repair, options.compact) = (kind, compact);
    fix(bytes, None, "fuzzed", &mut SameFolder("new.bin".to_owned()), &options)
}

fuzz_target!(|input: (u8, bool, &[u8])| {
    let (kind, compact, bytes) = input;
    let kind = RepairKind::ALL[usize::from(kind) % RepairKind::ALL.len()];
    let Ok(first) = fixed(bytes, kind, compact) else { return };
    // New data of a file of text are beside it, where nobody finds them here.
    if first.data.is_none() {
        let second = fixed(&first.file, kind, compact).expect("a repaired file can be read");
        assert!(second.file == first.file);
    }
});
