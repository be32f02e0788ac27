//! The recorded answers of the kit: each run is named correctly from what was answered alone, and the page has what is found of it.

use std::{
    collections::BTreeSet,
    env, fs,
    io::{Read, Write},
    path::{Path, PathBuf},
};

use flate2::{Compression, GzBuilder, read::GzDecoder};
use xform_engines::Engine;
use xform_verify::{
    Answers, JudgedAs, Question, RuleFit, Scenes, Verdict, Verification, VerifiedRun, recorded,
    verify,
};

const UPDATE: &str = "XFORM_UPDATE_KIT";

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The runs by file, in the order of the registry, and of engines that are not on it last.
fn answers() -> Vec<(String, Vec<Answers>)> {
    let mut files: Vec<_> = fs::read_dir(file("../xform-engines/kit/answers"))
        .expect("a folder")
        .map(|entry| entry.expect("a file").path())
        .collect();
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    files.sort_by_key(|path| {
        let name = name(path);
        let id = name.split('.').next().expect("a name").to_owned();
        let place = Engine::all().iter().position(|engine| engine.id == id);
        (place.unwrap_or(usize::MAX), id)
    });
    let read = |path: PathBuf| {
        let answers = Answers::read(&fs::read(&path).expect("a file")).expect("answers");
        (name(&path), answers)
    };
    files.into_iter().map(read).collect()
}

#[test]
fn the_recorded_verification_is_what_is_found_of_the_recorded_answers() {
    let found = verify(&answers(), &Scenes::kit(), &Question::default());
    let path = file("src/recorded.json.gz");
    let text = serde_json::to_string(&found).expect("JSON");
    if env::var_os(UPDATE).is_some() {
        // The same bytes whenever it is written.
        let packed = fs::File::create(&path).expect("a file");
        let mut packed = GzBuilder::new().mtime(0).write(packed, Compression::best());
        packed.write_all(text.as_bytes()).expect("written");
        packed.finish().expect("written");
    }
    let mut known = String::new();
    let packed = fs::read(&path).expect("a file");
    GzDecoder::new(&packed[..]).read_to_string(&mut known).expect("packed by gzip");
    assert!(known == text, "recorded.json.gz is out of date; {UPDATE}=1 writes it anew");
    assert!(recorded() == found || env::var_os(UPDATE).is_some());
}

/// Runs in which the engine does something that is no rule about hierarchies, and what is wrong there.
const EXCEPTIONS: &[(&str, &str)] = &[
    // Its importer turns animations into curves of its own, which are off between keys.
    ("blender52/gltf", "anim"),
    ("blender52/gltf-roundtrip", "anim zero"),
    ("blender50/gltf-roundtrip", "anim zero"),
    // Joints become bones, which have axes of their own.
    (
        "blender50/gltf",
        "anim skin skin_animated skin_below_scale skin_mirrored skin_sheared_bind skin_stretched skin_turned_bind",
    ),
    // A scale of zero is replaced by exporters and by the importer of FBX.
    ("blender52/fbx-roundtrip", "zero"),
    ("blender50/fbx-roundtrip", "zero"),
    ("blender52/usd-roundtrip", "zero"),
    ("blender50/usd-roundtrip", "zero"),
    ("blender-wm.fbx_import", "zero-i0 zero-i1 zero-i2 zero-mix"),
    ("blender50-wm.fbx_import", "zero-i0 zero-i1 zero-i2 zero-mix"),
    // It is asked while the animation plays, and parts are those of the camera's own axes.
    ("blender50/gltf-parent_clear", "anim camera_light"),
    // Joints stay where they are.
    ("gltf-transform/flatten", "skin skin_below_scale skin_stretched skin_turned_bind"),
    // The driver asks for the mesh without its morph target.
    ("godot/gltf", "morph"),
    // Scales of joints are half floats, and quaternions are taken as they come.
    (UNNAMED, "quaternions rand_neg rand_non rand_uni units"),
];

/// UsdSkel takes quaternions as they come, which the transforms of OpenUSD do not: nearest is another engine.
const UNNAMED: &str = "usd/UsdSkel-concat";

fn engines(fit: &RuleFit) -> impl Iterator<Item = &str> {
    fit.rules.iter().map(|rule| rule.engine.as_str())
}

/// The scenes in which an answer is wrong.
fn wrong_scenes(run: &VerifiedRun) -> String {
    let wrong = run.scenes.iter().filter(|scene| scene.right < scene.known);
    let wrong: BTreeSet<_> = wrong.map(|scene| scene.scene.as_str()).collect();
    wrong.into_iter().collect::<Vec<_>>().join(" ")
}

/// Without the name of the engine and without its axes, which are both in the file.
fn unnamed() -> (Vec<Answers>, Verification) {
    let named: Vec<_> = answers().into_iter().flat_map(|(_, runs)| runs).collect();
    let hidden = named.iter().cloned().map(|mut run| {
        run.engine = "hidden".to_owned();
        run.axes = None;
        run
    });
    let files = [("hidden.jsonl".to_owned(), hidden.collect())];
    (named, verify(&files, &Scenes::kit(), &Question::default()))
}

#[test]
fn every_recorded_run_is_named_by_what_it_answered_alone() {
    let (named, found) = unnamed();
    assert_eq!(named.len(), found.runs.len());
    let mut exceptions = 0;
    for (named, found) in named.iter().zip(&found.runs) {
        let run = &named.run;
        assert_eq!(found.judged_as, JudgedAs::Nearest, "{run}");
        let axes = found.axes.as_ref().expect("axes").convention;
        let own = named.axes.expect("every recorded run says its axes");
        assert_eq!(
            (axes.from_gltf, axes.of_every_node, axes.units_per_metre),
            (own.from_gltf, own.of_every_node, own.units_per_metre),
            "{run}"
        );
        let judged = found.judged.as_ref().expect("a rule");
        // Of engines that are not on the list, that some rule fits.
        if Engine::named(&named.engine).is_none() {
            assert_eq!(found.verdict, Verdict::Follows, "{run}");
            continue;
        }
        let is_own = |fit: &RuleFit| engines(fit).any(|id| id == named.engine);
        if let Some((_, wrong)) = EXCEPTIONS.iter().find(|(name, _)| name == run) {
            exceptions += 1;
            let is_nearest = is_own(judged) || found.nearly.iter().any(is_own);
            assert!(found.follows.is_empty(), "{run}");
            if run == UNNAMED {
                assert_eq!(found.verdict, Verdict::Nearly);
                continue;
            }
            assert!(is_nearest, "{run}: {judged:?}");
            assert_eq!(wrong_scenes(found), *wrong, "{run}");
            continue;
        }
        let all = found.follows.iter().chain(&found.possible);
        let is_named = all.into_iter().any(is_own);
        assert!(is_named, "{run}: {:?} {:?}", found.verdict, found.judged);
        // Where something is known of everything, nobody else is named in its place.
        if let Some(own) = found.follows.iter().find(|fit| is_own(fit)) {
            assert_eq!(found.follows.len(), 1, "{run}: {own:?}");
        }
    }
    assert_eq!(exceptions, EXCEPTIONS.len());
}

/// With the name of the engine, as `xform verify` reads the files.
#[test]
fn every_recorded_run_follows_the_rule_of_its_own_engine() {
    let found = recorded();
    for run in &found.runs {
        if EXCEPTIONS.iter().any(|(name, _)| *name == run.run) {
            assert!(!run.holds(true), "{}", run.run);
            assert_eq!(
                wrong_scenes(run),
                EXCEPTIONS.iter().find(|(name, _)| *name == run.run).expect("one").1
            );
        } else {
            assert!(run.holds(true), "{}: {:?} {:?}", run.run, run.verdict, run.first_wrong);
        }
    }
}
