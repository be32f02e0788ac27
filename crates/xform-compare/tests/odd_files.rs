//! Malformed and odd files: what comes of each, in time and memory in proportion to its size.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod odd;

use std::{
    collections::HashSet,
    env, fs,
    path::Path,
    time::{Duration, Instant},
};

use odd::{Comes, Odd};
use peak_alloc::PeakAlloc;
use xform_compare::{CompareError, GltfError, SceneAudit, compare, read_gltf};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What an audit may need at most: so many bytes for each byte of a file, and so many for any file.
const BYTES_PER_BYTE: usize = 1000;
const BYTES_IN_ANY_CASE: usize = 4 << 20;

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Gltf(#[from] GltfError),
    #[error(transparent)]
    Compare(#[from] CompareError),
}

fn audit(bytes: &[u8]) -> Result<SceneAudit, Error> {
    Ok(compare(&read_gltf(bytes, "odd")?)?)
}

fn came(audit: &Result<SceneAudit, Error>) -> Comes {
    let audit = match audit {
        Ok(audit) => audit,
        Err(Error::Gltf(error)) => return Comes::Refused(error.code(), error.pointer()),
        Err(Error::Compare(error)) => return Comes::Refused(error.code(), error.pointer()),
    };
    let mut parts = audit.animations.iter().flat_map(|animation| &animation.not_sampled);
    if let Some(part) = parts.next() {
        assert!(parts.next().is_none());
        return Comes::NotSampled(part.code);
    }
    let mut seen = HashSet::new();
    let codes = audit.warnings.iter().map(|warning| warning.code);
    Comes::Audited(codes.filter(|&code| seen.insert(code)).collect())
}

/// The only test here, since what the process has allocated is counted.
#[test]
fn every_odd_file_comes_to_what_it_should_in_time_and_memory_in_proportion() {
    let files = odd::files();
    assert!(files.len() >= 150);
    // For fuzzers to begin with.
    if let Some(folder) = env::var_os("XFORM_WRITE_ODD_FILES") {
        for (i, Odd { bytes, .. }) in files.iter().enumerate() {
            fs::write(Path::new(&folder).join(format!("{i:04}")), bytes).unwrap();
        }
    }
    let mut wrong = Vec::new();
    for Odd { about, bytes, comes } in &files {
        MEMORY.reset_peak_usage();
        let (before, start) = (MEMORY.current_usage(), Instant::now());
        let audit = audit(bytes);
        let (took, peak) = (start.elapsed(), MEMORY.peak_usage() - before);
        let allowed = BYTES_IN_ANY_CASE + bytes.len() * BYTES_PER_BYTE;
        let came = came(&audit);
        if came != *comes || took > Duration::from_secs(2) || peak > allowed {
            let about: String = about.chars().take(120).collect();
            let error = audit.err();
            wrong.push(format!(
                "{about}: {came:?} ({error:?}) instead of {comes:?}; {peak} bytes for {} in {took:?}",
                bytes.len()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
