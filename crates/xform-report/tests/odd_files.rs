//! Malformed and odd files: what comes of each, in memory in proportion to its size.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod odd;

use std::{
    collections::HashSet,
    env, fs,
    io::{self, Write},
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use odd::{Comes, Odd};
use peak_alloc::PeakAlloc;
use xform_compare::{
    CompareError, Finding, SceneAudit,
    audit::{EngineChoice, Problem},
    compare, compare_engines, findings,
    judge::{Limits, Report},
};
use xform_report::{
    DocumentFormat, FindingsFormat, NodeSelection, TextStyle, write_csv, write_findings,
    write_html, write_json, write_markdown, write_text,
};
use xform_scene::{BuiltIn, Scene, gltf::GltfErrors, read_gltf};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What an audit may need at most: so many bytes for each byte of a file, and so many for any file.
const BYTES_PER_BYTE: usize = 1000;
const BYTES_IN_ANY_CASE: usize = 4 << 20;

/// What an audit and a report may need at most, by what they hold: so many bytes for each object, so many for any byte, and
/// so many for each node in each animation. The program goes by it.
const BYTES_PER_OBJECT: usize = 2500;
const BYTES_PER_ANY_BYTE: usize = 50;
const BYTES_PER_NODE_AND_ANIMATION: usize = 2000;

fn allowed(bytes: &[u8]) -> usize {
    let objects = bytes.iter().filter(|&&byte| byte == b'{').count();
    BYTES_IN_ANY_CASE + objects * BYTES_PER_OBJECT + bytes.len() * BYTES_PER_ANY_BYTE
}

/// A format, what writing an audit in it may need on top of it for each byte of the file, and the writer; the page with
/// the audit that it is made of. docs/reliability.md has the same figures.
const WRITERS: [(&str, usize, OfOne); 7] = [
    ("text", 10, |audit, _, out| write_text([Ok(audit)], TextStyle::default(), out)),
    ("JSON", 50, |audit, _, out| write_json([Ok(audit)], NodeSelection::All, out)),
    ("CSV", 50, |audit, _, out| write_csv([Ok(audit)], NodeSelection::All, out)),
    ("Markdown", 10, |audit, _, out| write_markdown([Ok(audit)], out)),
    ("JSON Lines", 50, |audit, _, out| write_rows(audit, out)),
    ("SARIF", 100, |audit, _, out| {
        write_findings(FindingsFormat::Sarif, usize::MAX, [Ok(found_in(audit))], out)
    }),
    ("HTML", 550, |_, scene, out| write_html(&Report::of_scene(scene).unwrap(), out)),
];
type OfOne = fn(&SceneAudit, &Scene, &mut dyn Write) -> io::Result<()>;

/// The formats that hold any number of scenes.
const WRITERS_OF_MANY: [(&str, OfMany); 5] = [
    ("text", |audits, out| write_text(audits, TextStyle::default(), out)),
    ("JSON", |audits, out| write_json(audits, NodeSelection::All, out)),
    ("CSV", |audits, out| write_csv(audits, NodeSelection::All, out)),
    ("Markdown", |audits, out| write_markdown(audits, out)),
    ("SARIF", |audits, out| {
        write_findings(
            FindingsFormat::Sarif,
            usize::MAX,
            audits.map(|audit| audit.map(|a| found_in(&a))),
            out,
        )
    }),
];
type OfMany =
    fn(&mut dyn Iterator<Item = Result<SceneAudit, Problem>>, &mut dyn Write) -> io::Result<()>;

/// What writing may need, of however small a file, and of however many scenes.
const TO_WRITE_IN_ANY_CASE: usize = 1 << 20;

fn write_rows(audit: &SceneAudit, out: &mut dyn Write) -> io::Result<()> {
    let rows = DocumentFormat::JsonLines(Some(NodeSelection::All));
    rows.write_audited(audit, &[], &[], out).map(drop)
}

fn found_in(audit: &SceneAudit) -> (String, Vec<Finding>) {
    (audit.source.clone(), findings(audit, &Limits::default()))
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Gltf(#[from] GltfErrors),
    #[error(transparent)]
    Compare(#[from] CompareError),
}

fn audit(bytes: &[u8]) -> Result<SceneAudit, Error> {
    // Of most files the figures are those of the strategies; of mirrors and sheared matrices there are more.
    Ok(compare_engines(&read_gltf(bytes, "odd")?, &EngineChoice::usual())?)
}

fn came(audit: &Result<SceneAudit, Error>) -> Comes {
    let audit = match audit {
        Ok(audit) => audit,
        Err(Error::Gltf(errors)) => {
            return Comes::Refused(errors.first().code(), errors.first().pointer());
        }
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

/// What comes of something, and how much memory it took at most.
fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let came = work();
    (came, MEMORY.peak_usage() - before)
}

/// Counts what is written.
struct Counted(usize);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Nodes below one that each of some animations turns, below a non-uniform scale.
fn turned(nodes: usize, animations: usize) -> String {
    let children: Vec<_> = (2..nodes).map(|child| child.to_string()).collect();
    let rest = vec![r#"{"translation":[1,0,0]}"#; nodes - 2].join(",");
    let animation = r#"{"channels":[{"sampler":0,"target":{"node":1,"path":"rotation"}}],
        "samplers":[{"input":0,"output":1}]}"#;
    let animations = vec![animation; animations].join(",");
    let data = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.6, 0.8_f32].map(f32::to_le_bytes);
    let data: String = data.concat().iter().map(|byte| format!("%{byte:02x}")).collect();
    format!(
        r#"{{"asset":{{"version":"2.0"}},"animations":[{animations}],
        "nodes":[{{"scale":[3,1,1],"children":[1]}},{{"children":[{}]}},{rest}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":2,"type":"SCALAR"}},
            {{"bufferView":1,"componentType":5126,"count":2,"type":"VEC4"}}],
        "bufferViews":[{{"buffer":0,"byteLength":8}},{{"buffer":0,"byteOffset":8,"byteLength":32}}],
        "buffers":[{{"byteLength":40,"uri":"data:,{data}"}}]}}"#,
        children.join(","),
    )
}

/// Does some work in a process of its own, since what a process has allocated is counted: the test with this name, again.
fn alone(test: &str, work: impl FnOnce()) {
    const IS_ALONE: &str = "XFORM_TEST_ALONE";
    if env::var_os(IS_ALONE).is_some() {
        return work();
    }
    let mut again = Command::new(env::current_exe().unwrap());
    let again = again.args(["--exact", test, "--nocapture"]).env(IS_ALONE, "").output().unwrap();
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    assert!(
        String::from_utf8_lossy(&again.stdout).contains("1 passed"),
        "no test is called {test}"
    );
}

#[test]
fn every_odd_file_comes_to_what_it_should_in_memory_in_proportion() {
    alone("every_odd_file_comes_to_what_it_should_in_memory_in_proportion", odd_files);
}

#[test]
fn files_full_of_findings_are_written_in_memory_in_proportion() {
    alone("files_full_of_findings_are_written_in_memory_in_proportion", files_full_of_findings);
}

#[test]
fn many_scenes_are_written_in_the_memory_of_one() {
    alone("many_scenes_are_written_in_the_memory_of_one", many_scenes);
}

fn odd_files() {
    let files = odd::files();
    assert!(files.len() >= 150);
    // For fuzzers to begin with.
    if let Some(folder) = env::var_os("XFORM_WRITE_ODD_FILES") {
        for (i, Odd { bytes, .. }) in files.iter().enumerate() {
            fs::write(Path::new(&folder).join(format!("{i:04}")), bytes).unwrap();
        }
    }
    // A clock says something on a quiet machine alone: `.ci/search` asks for it.
    let most = env::var("XFORM_SECONDS_A_FILE").ok();
    let most = most.map(|seconds| Duration::from_secs(seconds.parse().unwrap()));
    let mut wrong = Vec::new();
    for Odd { about, bytes, comes } in &files {
        let start = Instant::now();
        let (audit, peak) = peak_of(|| audit(bytes));
        let took = start.elapsed();
        let allowed = allowed(bytes).min(BYTES_IN_ANY_CASE + bytes.len() * BYTES_PER_BYTE);
        let came = came(&audit);
        if came != *comes || most.is_some_and(|most| took > most) || peak > allowed {
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

fn files_full_of_findings() {
    let mut wrong = Vec::new();
    for (about, file) in full_of_findings() {
        let scene = read_gltf(file.as_bytes(), about).unwrap();
        let audit = compare(&scene).unwrap();
        let ((), peak) = peak_of(|| {
            let report = Report::of_scene(&read_gltf(file.as_bytes(), about).unwrap()).unwrap();
            write_html(&report, io::sink()).unwrap();
        });
        if peak > allowed(file.as_bytes()) {
            wrong.push(format!("{about}: the whole report: {peak} bytes for {}", file.len()));
        }
        for (format, bytes_per_byte, write) in WRITERS {
            let ((), peak) = peak_of(|| write(&audit, &scene, &mut io::sink()).unwrap());
            if peak > TO_WRITE_IN_ANY_CASE + file.len() * bytes_per_byte {
                wrong.push(format!("{about}: {format}: {peak} bytes for {}", file.len()));
            }
        }
    }
    let (nodes, animations) = (500, 100);
    let file = turned(nodes, animations);
    let (audit, peak) = peak_of(|| {
        let audit = audit(file.as_bytes()).unwrap();
        let mut rows = Vec::new();
        write_rows(&audit, &mut rows).unwrap();
        audit
    });
    assert!(audit.animations.iter().all(|animation| animation.nodes.len() == nodes - 1));
    if peak > allowed(file.as_bytes()) + nodes * animations * BYTES_PER_NODE_AND_ANIMATION {
        wrong.push(format!("nodes in animations: {peak} bytes"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn many_scenes() {
    let mut wrong = Vec::new();
    for (format, write) in WRITERS_OF_MANY {
        let audit = compare(&BuiltIn::named("piston").unwrap().scene(&[]).unwrap()).unwrap();
        let mut audits = (0..2_000).map(|_| Ok(audit.clone()));
        let mut written = Counted(0);
        let ((), peak) = peak_of(|| write(&mut audits, &mut written).unwrap());
        // A table that is sorted is kept until it is written.
        let kept = if format == "text" { 3 * written.0 } else { 0 };
        if peak > TO_WRITE_IN_ANY_CASE + kept {
            wrong.push(format!("2 000 scenes: {format}: {peak} bytes"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
