//! Compares the answers of engines with earlier ones: does a newer version still answer the same? `xform verify`
//! reports which rule they follow.
//!
//! ```sh
//! cargo run -p xform-verify --example engine_answers -- ANSWERS.jsonl RECORD.jsonl.gz
//! ```
//!
//! Exits with 1 if an answer differs from the record. `--write` before the record replaces the runs of the same names
//! with the new ones.

use std::{
    env,
    error::Error,
    fs,
    io::{Read, Write, stdout},
    path::Path,
    process::ExitCode,
};

use flate2::{Compression, GzBuilder, read::GzDecoder};
use xform_verify::{Answers, ROUNDING};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments: Vec<_> = env::args().skip(1).collect();
    let is_written = arguments.iter().position(|argument| argument == "--write");
    is_written.map(|place| arguments.remove(place));
    let [answers, record] = &arguments[..] else {
        return Err("usage: engine_answers ANSWERS.jsonl [--write] RECORD.jsonl.gz".into());
    };
    let (answered, record) = (fs::read_to_string(answers)?, Path::new(record));
    let recorded = if record.exists() { unpacked(record)? } else { String::new() };
    if is_written.is_some() {
        write(record, &recorded, &answered)?;
    }
    let before = runs(&recorded)?;
    let mut out = stdout().lock();
    let mut changed = 0;
    for run in runs(&answered)? {
        let Answers { run: name, version, scenes, .. } = &run;
        writeln!(out, "{name}, {version}: {} scenes", scenes.len())?;
        if let Some(before) = before.iter().find(|before| before.run == *name) {
            let others = others(before, &run);
            changed += others.len();
            for other in others {
                writeln!(out, "  CHANGED since {}: {other}", before.version)?;
            }
        }
    }
    Ok(if changed == 0 || is_written.is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn runs(lines: &str) -> Result<Vec<Answers>, xform_verify::AnswersError> {
    if lines.is_empty() { Ok(Vec::new()) } else { Answers::read(lines.as_bytes()) }
}

fn unpacked(path: &Path) -> Result<String, std::io::Error> {
    let mut text = String::new();
    GzDecoder::new(&fs::read(path)?[..]).read_to_string(&mut text)?;
    Ok(text)
}

/// Writes the runs of a record, with new runs in place of old ones of the same name.
fn write(record: &Path, before: &str, answered: &str) -> Result<(), Box<dyn Error>> {
    let new = runs(answered)?;
    let kept = before.lines().zip(runs(before)?);
    let kept = kept.filter(|(_, run)| new.iter().all(|new| new.run != run.run));
    // Without a time stamp the same answers give the same bytes.
    let mut packed = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    for line in kept.map(|(line, _)| line).chain(answered.lines()) {
        writeln!(packed, "{line}")?;
    }
    fs::write(record, packed.finish()?)?;
    Ok(())
}

/// Lists the answers that changed or are missing.
fn others(before: &Answers, now: &Answers) -> Vec<String> {
    let mut others = Vec::new();
    for (scene, moments) in &before.scenes {
        let asked_now = now.scenes.get(scene).map_or(&[][..], Vec::as_slice);
        for before in moments {
            let at = before.seconds.map_or(String::new(), |seconds| format!(" at {seconds} s"));
            let Some(moment) = asked_now.iter().find(|one| one.seconds == before.seconds) else {
                others.push(format!("{scene}{at}: no answer"));
                continue;
            };
            for (path, was) in &before.nodes {
                let Some(was) = was.world.as_ref().and_then(finite) else { continue };
                let now = moment.nodes.get(path).and_then(|now| now.world);
                let Some(world) = now else {
                    others.push(format!("{scene}{at}: {path} has no answer"));
                    continue;
                };
                let off = apart(&was, &world);
                if off > ROUNDING || off.is_nan() {
                    others.push(format!("{scene}{at}: {path} by {off:.1e}"));
                }
            }
            for (path, was) in &before.vertices {
                let vertices = moment.vertices.get(path).map_or(&[][..], Vec::as_slice);
                let is_same = was.len() == vertices.len()
                    && was.iter().flatten().zip(vertices.iter().flatten()).all(|(was, now)| {
                        was.zip(*now).is_some_and(|(was, now)| {
                            (was - now).abs() <= ROUNDING * (1.0 + was.abs())
                        })
                    });
                if !is_same {
                    others.push(format!("{scene}{at}: vertices of {path}"));
                }
            }
        }
    }
    others
}

/// Returns the entries of a matrix if all of them are numbers.
fn finite(world: &[Option<f64>; 16]) -> Option<[f64; 16]> {
    let entries: Option<Vec<f64>> = world.iter().copied().collect();
    entries?.try_into().ok()
}

fn apart(was: &[f64; 16], now: &[Option<f64>; 16]) -> f64 {
    let largest = was.iter().fold(1.0_f64, |largest, entry| largest.max(1.0 + entry.abs()));
    let both = was.iter().zip(now);
    both.map(|(was, now)| (was - now.unwrap_or(f64::NAN)).abs() / largest)
        .fold(0.0, |worst: f64, off| if off > worst || off.is_nan() { off } else { worst })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(world: f64, vertex: f64) -> Answers {
        let world: Vec<_> = (0..16)
            .map(|at| {
                if at == 15 {
                    1.0
                } else if at % 5 == 0 {
                    world
                } else {
                    0.0
                }
            })
            .collect();
        let text = serde_json::json!({
            "schema": "xform-answers/1", "run": "a/gltf", "engine": "three", "version": "1", "asked": "gltf",
            "axes": {"from_gltf": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "of_every_node": false, "units_per_metre": 1},
            "scenes": {"one": [
                {"seconds": null, "nodes": {"A/B": {"world": world}}, "vertices": {"A": [[0, vertex, 0]]}},
                {"seconds": 1, "nodes": {}},
            ]},
        });
        Answers::read(text.to_string().as_bytes()).expect("a run").remove(0)
    }

    #[test]
    fn another_answer_is_noticed_and_a_missing_one() {
        let before = run(2.0, 1.0);
        assert_eq!(others(&before, &run(2.0 + 1e-6, 1.0)), Vec::<String>::new());
        assert_eq!(others(&before, &run(2.1, 1.0)).len(), 1);
        assert_eq!(others(&before, &run(2.0, 1.1)), ["one: vertices of A"]);
        assert_eq!(others(&before, &run(f64::NAN, 1.0)).len(), 1);
        let without = |change: fn(&mut Answers)| {
            let mut now = run(2.0, 1.0);
            change(&mut now);
            others(&before, &now)
        };
        assert_eq!(without(|now| now.scenes.clear()), ["one: no answer", "one at 1 s: no answer"]);
        let last = |now: &mut Answers| drop(now.scenes.get_mut("one").expect("there").pop());
        assert_eq!(without(last), ["one at 1 s: no answer"]);
        let first = |now: &mut Answers| now.scenes.get_mut("one").expect("there")[0].nodes.clear();
        assert_eq!(without(first), ["one: A/B has no answer"]);
    }
}
