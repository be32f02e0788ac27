//! Reads any bytes as FBX: the result is an error with a code, or a scene that can be audited and drawn and that
//! survives conversion to bytes and back unchanged.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xform_fbx::{Converted, MemoryLimit, convert};
use xform_compare::compare;

/// Small enough that a file which requests more gets an error instead of ending the process.
const MEMORY: usize = 64 << 20;

fuzz_target!(|bytes: &[u8]| {
    // Bytes from another process may be anything.
    if let Ok(converted) = Converted::from_bytes(bytes) {
        let _ = converted.scene("sent");
    }
    let Ok(converted) = convert(bytes, &MemoryLimit::bytes(MEMORY)) else { return };
    let back = Converted::from_bytes(&converted.to_bytes()).expect("what was written can be read");
    assert!(back == converted);
    let scene = converted.scene("fuzzed").expect("what was converted is a scene");
    converted.drawing().expect("it can be drawn");
    let _ = compare(&scene);
});
