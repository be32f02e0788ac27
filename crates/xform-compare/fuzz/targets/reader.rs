//! Any bytes as a file.

#![no_main]

mod audited;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    audited::audited(bytes);
});
