//! What engines answered of scenes, beside the rules of `xform-engines` and beside what was answered before.
//!
//! ```sh
//! cargo run -p xform-compare --example engine_answers -- SCENES ANSWERS.jsonl [RECORD.jsonl.gz]
//! ```
//!
//! Exits with 1 where an answer is another than in the record. `--write RECORD.jsonl.gz` puts new runs in the place of those of the
//! same name.

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fs,
    io::{Read, Write, stdout},
    path::Path,
    process::ExitCode,
};

use flate2::{Compression, GzBuilder, read::GzDecoder};
use nalgebra::Matrix4;
use serde::Deserialize;
use xform_compare::Engine;
use xform_engines::{AxesConvention, Import, LocalPose, Reason, SourceNode};
use xform_scene::{
    Node, Scene,
    gltf::{Animations, read_gltf_file},
};

/// A document `xform-answers/1`, as far as it is compared: `crates/xform-engines/kit/answers.schema.json`.
#[derive(Deserialize)]
struct Run {
    run: String,
    engine: String,
    version: String,
    asked: String,
    axes: Axes,
    scenes: BTreeMap<String, Vec<Moment>>,
}

#[derive(Deserialize)]
struct Axes {
    from_gltf: [[f64; 3]; 3],
    of_every_node: bool,
    units_per_metre: f64,
}

#[derive(Deserialize)]
struct Moment {
    seconds: Option<f64>,
    nodes: BTreeMap<String, Answer>,
    #[serde(default)]
    vertices: BTreeMap<String, Vec<[Option<f64>; 3]>>,
}

#[derive(Deserialize)]
struct Answer {
    world: Option<Vec<Option<f64>>>,
}

/// What the rounding of `f32` comes to in the scenes of the kit: the worst entry, divided by one more than the largest.
const ROUNDING: f64 = 5e-6;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments: Vec<_> = env::args().skip(1).collect();
    let is_written = arguments.iter().position(|argument| argument == "--write");
    is_written.map(|place| arguments.remove(place));
    let (scenes, answers, record) = match &arguments[..] {
        [scenes, answers] if is_written.is_none() => (scenes, answers, None),
        [scenes, answers, record] => (scenes, answers, Some(Path::new(record))),
        _ => {
            return Err(
                "usage: engine_answers SCENES ANSWERS.jsonl [[--write] RECORD.jsonl.gz]".into()
            );
        }
    };
    let answered = fs::read_to_string(answers)?;
    let recorded = record.filter(|record| record.exists()).map(unpacked).transpose()?;
    let recorded = recorded.unwrap_or_default();
    if let (Some(_), Some(record)) = (is_written, record) {
        write(record, &recorded, &answered)?;
    }
    let before = runs(&recorded)?;
    let mut out = stdout().lock();
    let mut changed = 0;
    for run in runs(&answered)? {
        let Run { run: name, version, .. } = &run;
        writeln!(out, "{name}, {version}: {}", by_rules(&run, Path::new(scenes))?)?;
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

fn runs(lines: &str) -> Result<Vec<Run>, serde_json::Error> {
    lines.lines().map(serde_json::from_str).collect()
}

fn unpacked(path: &Path) -> Result<String, std::io::Error> {
    let mut text = String::new();
    GzDecoder::new(&fs::read(path)?[..]).read_to_string(&mut text)?;
    Ok(text)
}

/// Writes the runs of a record, those that were answered anew in the place of those of the same name.
fn write(record: &Path, before: &str, answered: &str) -> Result<(), Box<dyn Error>> {
    let new = runs(answered)?;
    let kept = before.lines().zip(runs(before)?);
    let kept = kept.filter(|(_, run)| new.iter().all(|new| new.run != run.run));
    // The same bytes whenever it is written.
    let mut packed = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    for line in kept.map(|(line, _)| line).chain(answered.lines()) {
        writeln!(packed, "{line}")?;
    }
    fs::write(record, packed.finish()?)?;
    Ok(())
}

/// How far the answers of an importer, or of nodes made by calls, are from the engine's own rule, in words; and which rules say the
/// same where that does not, or where the engine is not on the list.
fn by_rules(run: &Run, scenes: &Path) -> Result<String, Box<dyn Error>> {
    if !["gltf", "api", "trs"].contains(&run.asked.as_str()) {
        return Ok(format!("{} scenes", run.scenes.len()));
    }
    let read = run.scenes.keys().map(|name| {
        let file = ["gltf", "glb"].map(|ending| scenes.join(format!("{name}.{ending}")));
        let file = file.iter().find(|file| file.exists()).ok_or(format!("no scene {name}"))?;
        Ok((name.as_str(), read_gltf_file(file, Animations::Skip)?))
    });
    let read = read.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let has_worlds = |moment: &Moment| moment.nodes.values().any(|node| node.world.is_some());
    if !run.scenes.values().flatten().any(has_worlds) {
        return Ok(format!("{} scenes, vertices alone", read.len()));
    }
    let off = |engine: &Engine| -> Result<Vec<(&str, f64)>, Box<dyn Error>> {
        let is_own = engine.id == run.engine;
        let off = read.iter().map(|(name, scene)| {
            // To say nothing is not to be right, but where it is the engine's own rule.
            match residual(run, engine, name, scene)? {
                (_, false) if !is_own => Ok((*name, f64::NAN)),
                (off, _) => Ok((*name, off)),
            }
        });
        off.collect()
    };
    let wrong = |engine| -> Result<Vec<String>, Box<dyn Error>> {
        let wrong = off(engine)?.into_iter().filter(|(_, off)| *off > ROUNDING || off.is_nan());
        Ok(wrong.map(|(name, off)| format!("{name} {off:.1e}")).collect())
    };
    let Some(own) = Engine::named(&run.engine) else {
        let mut right = Vec::new();
        for engine in Engine::all() {
            if wrong(engine)?.is_empty() {
                right.push(engine.name);
            }
        }
        let right = if right.is_empty() { "none of the list".to_owned() } else { right.join(", ") };
        return Ok(format!("{} scenes; the rules that say the same: {right}", read.len()));
    };
    let wrong_of_own = wrong(own)?;
    if wrong_of_own.is_empty() {
        return Ok(format!("{} scenes as the rule of {} says", read.len(), own.name));
    }
    let mut right = Vec::new();
    for engine in Engine::all() {
        if wrong(engine)?.len() < wrong_of_own.len() {
            right.push(engine.name);
        }
    }
    let others = match &right[..] {
        [] => String::new(),
        right => format!("; nearer: the rules of {}", right.join(", ")),
    };
    Ok(format!(
        "{} of {} scenes otherwise than the rule of {} says: {}{others}",
        wrong_of_own.len(),
        read.len(),
        own.name,
        wrong_of_own.join(", ")
    ))
}

/// The worst difference between the worlds of a scene at rest that an engine's rule gives, and those that were answered; and whether the
/// rule says something of each of them.
fn residual(
    run: &Run,
    engine: &Engine,
    name: &str,
    scene: &Scene,
) -> Result<(f64, bool), Box<dyn Error>> {
    let Axes { from_gltf, of_every_node, units_per_metre } = run.axes;
    let axes = AxesConvention { from_gltf, of_every_node, units_per_metre };
    let local = |node: &Node| match (node.local, node.rotation_length) {
        (LocalPose::Trs(pose), Some(length)) => {
            engine.quaternion.rule.imported(engine.accumulation.rule, &pose, length)
        }
        (local, _) => Ok(local),
    };
    let nodes = scene.nodes.iter();
    let nodes = nodes.map(|node| Ok(SourceNode { parent: node.parent, local: local(node)? }));
    let Ok(nodes) = nodes.collect::<Result<Vec<_>, Reason>>() else { return Ok((0.0, false)) };
    let mut engine = *engine;
    // A matrix that stands for a rotation is none of the file.
    if scene.nodes.iter().any(|node| node.rotation_length.is_some()) {
        engine.import.rule = Import::Kept;
    }
    let at_rest = run.scenes[name].iter().find(|moment| moment.seconds.is_none());
    let (mut worst, mut says_all) = (0.0_f64, true);
    for (node, said) in engine.worlds(&nodes)?.into_iter().enumerate() {
        let answer = at_rest.and_then(|moment| moment.nodes.get(&path(scene, node)));
        let world = answer.and_then(|answer| answer.world.as_deref());
        // Importers put what is skinned elsewhere.
        let (None, Some(world)) = (&scene.nodes[node].skin, world) else { continue };
        let Ok(said) = said else {
            says_all = false;
            continue;
        };
        let off = apart(axes.world(&said.to_homogeneous()).as_slice(), world);
        worst = if off > worst || off.is_nan() { off } else { worst };
    }
    Ok((worst, says_all))
}

/// The names from the root to a node, where one without a name has its index.
fn path(scene: &Scene, node: usize) -> String {
    let found = &scene.nodes[node];
    let own = found.name.clone().filter(|name| !name.is_empty());
    let own = own.unwrap_or_else(|| format!("#{node}"));
    found.parent.map_or(own.clone(), |parent| format!("{}/{own}", path(scene, parent)))
}

fn apart(said: &[f64], answered: &[Option<f64>]) -> f64 {
    let largest = said.iter().fold(1.0_f64, |largest, entry| largest.max(1.0 + entry.abs()));
    let both = said.iter().zip(answered);
    both.map(|(said, answered)| (said - answered.unwrap_or(f64::NAN)).abs() / largest)
        .fold(0.0, |worst: f64, off| if off > worst || off.is_nan() { off } else { worst })
}

/// What is answered otherwise than before, or no longer.
fn others(before: &Run, now: &Run) -> Vec<String> {
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
                let Some(was) = was.world.as_deref().and_then(finite) else { continue };
                let now = moment.nodes.get(path).and_then(|now| now.world.as_deref());
                let Some(world) = now else {
                    others.push(format!("{scene}{at}: {path} has no answer"));
                    continue;
                };
                let off = apart(was.as_slice(), world);
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

/// A matrix, where all its entries are numbers.
fn finite(world: &[Option<f64>]) -> Option<Matrix4<f64>> {
    let entries: Option<Vec<f64>> = world.iter().copied().collect();
    entries
        .filter(|entries| entries.len() == 16)
        .map(|entries| Matrix4::from_column_slice(&entries))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(world: f64, vertex: f64) -> Run {
        let world: Vec<_> = Matrix4::<f64>::identity().iter().map(|entry| entry * world).collect();
        let text = serde_json::json!({
            "run": "a/gltf", "engine": "three", "version": "1", "asked": "gltf",
            "axes": {"from_gltf": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "of_every_node": false, "units_per_metre": 1},
            "scenes": {"one": [
                {"seconds": null, "nodes": {"A/B": {"world": world}}, "vertices": {"A": [[0, vertex, 0]]}},
                {"seconds": 1, "nodes": {}},
            ]},
        });
        serde_json::from_value(text).expect("a run")
    }

    #[test]
    fn another_answer_is_noticed_and_a_missing_one() {
        let before = run(2.0, 1.0);
        assert_eq!(others(&before, &run(2.0 + 1e-6, 1.0)), Vec::<String>::new());
        assert_eq!(others(&before, &run(2.1, 1.0)).len(), 1);
        assert_eq!(others(&before, &run(2.0, 1.1)), ["one: vertices of A"]);
        assert_eq!(others(&before, &run(f64::NAN, 1.0)).len(), 1);
        let without = |change: fn(&mut Run)| {
            let mut now = run(2.0, 1.0);
            change(&mut now);
            others(&before, &now)
        };
        assert_eq!(without(|now| now.scenes.clear()), ["one: no answer", "one at 1 s: no answer"]);
        let last = |now: &mut Run| drop(now.scenes.get_mut("one").expect("there").pop());
        assert_eq!(without(last), ["one at 1 s: no answer"]);
        let first = |now: &mut Run| now.scenes.get_mut("one").expect("there")[0].nodes.clear();
        assert_eq!(without(first), ["one: A/B has no answer"]);
    }
}
