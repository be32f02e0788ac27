//! Malformed and odd files: what comes of each, in time and memory in proportion to its size.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod odd;

use std::{
    collections::HashSet,
    env, fs,
    io::{self, Write},
    path::Path,
    time::{Duration, Instant},
};

use odd::{Comes, Odd};
use peak_alloc::PeakAlloc;
use xform_compare::{
    CompareError, GltfError, Limits, NodeSelection, Report, Scene, SceneAudit, TextStyle, compare,
    findings, read_gltf, write_csv, write_file_row, write_html, write_json, write_markdown,
    write_node_rows, write_sarif, write_text,
};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What an audit may need at most: so many bytes for each byte of a file, and so many for any file.
const BYTES_PER_BYTE: usize = 1000;
const BYTES_IN_ANY_CASE: usize = 4 << 20;

/// What writing an audit may need on top of it, for each byte of the file; the page with the audit that it is made of.
/// docs/reliability.md has the same figures.
const TO_WRITE: [(Format, usize); 7] = [
    (Format::Text, 10),
    (Format::Json, 50),
    (Format::Csv, 50),
    (Format::Markdown, 10),
    (Format::Jsonl, 50),
    (Format::Sarif, 100),
    (Format::Html, 500),
];
const TO_WRITE_IN_ANY_CASE: usize = 1 << 20;

#[derive(Clone, Copy, Debug)]
enum Format {
    Text,
    Json,
    Csv,
    Markdown,
    Jsonl,
    Sarif,
    Html,
}

impl Format {
    fn write(self, audit: &SceneAudit, scene: &Scene, out: &mut impl Write) -> io::Result<()> {
        let audits = [Ok(audit)];
        match self {
            Self::Text => write_text(audits, TextStyle::default(), out),
            Self::Json => write_json(audits, NodeSelection::All, out),
            Self::Csv => write_csv(audits, NodeSelection::All, out),
            Self::Markdown => write_markdown(audits, out),
            Self::Jsonl => write_file_row(audit, &[], &mut *out)
                .and_then(|()| write_node_rows(audit, NodeSelection::All, out)),
            Self::Sarif => {
                let found = findings(audit, &Limits::default());
                write_sarif([Ok((&audit.source, found))], out)
            }
            Self::Html => write_html(&Report::of_scene(scene).unwrap(), out),
        }
    }
}

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

/// As large as a writer may find it hard: a difference, a warning or a part that is not sampled for every few bytes.
fn full_of_findings() -> Vec<(&'static str, String)> {
    let file = |nodes: &str, rest: &str| {
        format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{nodes}]{rest}}}"#)
    };
    let many = |node: &str, count| vec![node; count].join(",");
    let children: Vec<_> = (1..10_000).map(|child: i32| child.to_string()).collect();
    let root = format!(r#"{{"scale":[2,1,1],"children":[{}]}}"#, children.join(","));
    let turned = many(r#"{"rotation":[0,0,0.6,0.8]}"#, 9_999);
    let channel = r#"{"sampler":0,"target":{"node":0,"path":"rotation"}}"#;
    let animation = format!(r#"{{"channels":[{channel}],"samplers":[{{"input":9,"output":9}}]}}"#);
    let animations = format!(r#","animations":[{}]"#, many(&animation, 5_000));
    vec![
        ("skewed nodes", file(&format!("{root},{turned}"), "")),
        ("warnings", file(&many(r#"{"scale":[0,0,0]}"#, 10_000), "")),
        ("empty nodes", file(&many("{}", 50_000), "")),
        ("animations", file("{}", &animations)),
    ]
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
    for (about, file) in full_of_findings() {
        let scene = read_gltf(file.as_bytes(), about).unwrap();
        let audit = compare(&scene).unwrap();
        for (format, bytes_per_byte) in TO_WRITE {
            MEMORY.reset_peak_usage();
            let before = MEMORY.current_usage();
            format.write(&audit, &scene, &mut io::sink()).unwrap();
            let peak = MEMORY.peak_usage() - before;
            if peak > TO_WRITE_IN_ANY_CASE + file.len() * bytes_per_byte {
                wrong.push(format!("{about}: {format:?}: {peak} bytes for {}", file.len()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
