//! The page that files are dropped on. It has to be built, and so has the program: `.ci/web` does both.

use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
    thread::sleep,
    time::{Duration, Instant, SystemTime},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value;
use xform_scene::BuiltIn;

use crate::page::{Page, Setting};

fn path_in(variable: &str) -> PathBuf {
    PathBuf::from(env::var(variable).unwrap_or_else(|_| panic!("{variable} is not set")))
}

fn opened(setting: Setting) -> Page {
    let page = Page::at(&path_in("XFORM_PLAYGROUND"), setting);
    until(&page, "!document.getElementById('try').hidden");
    page
}

fn until(page: &Page, condition: &str) {
    let started = Instant::now();
    while page.value(condition) != Value::Bool(true) {
        assert!(started.elapsed() < Duration::from_secs(60), "{condition}: {}", page.text("main"));
        sleep(Duration::from_millis(20));
    }
}

/// Until there is an answer: whether it is a report.
fn is_answered(page: &Page) -> bool {
    let is = |id: &str| format!("!document.getElementById('{id}').hidden");
    until(page, &format!("!job && ({} || {})", is("result"), is("trouble")));
    page.value(&is("result")) == Value::Bool(true)
}

/// What the page shows, and the JSON that it saves.
fn shown(page: &Page) -> [String; 2] {
    [0, 1].map(|place| page.value(&format!("shown[{place}].text()")).as_str().unwrap().to_owned())
}

/// What the program writes of a file in a folder.
fn of_program(folder: &Path, name: &str) -> [String; 2] {
    [&["report", "--quiet", "--output", "-"][..], &["audit", "--quiet", "--format", "json"]].map(
        |arguments| {
            let mut program = Command::new(path_in("XFORM_PROGRAM"));
            let output = program.args(arguments).arg(name).current_dir(folder).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        },
    )
}

/// glTF files of the repository, and of a folder of your own.
fn scenes() -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../xform-report/tests/scenes");
    let folders = [Some(own), env::var("XFORM_SCENES").ok().map(PathBuf::from)];
    let files = folders.into_iter().flatten().flat_map(|folder| fs::read_dir(folder).unwrap());
    let files = files.map(|entry| entry.unwrap().path().canonicalize().unwrap());
    let is_scene = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "glb" || extension == "gltf")
    };
    let mut files: Vec<_> = files.filter(is_scene).collect();
    files.sort();
    files
}

#[test]
#[ignore = "takes the page and the program, which .ci/web builds"]
fn what_is_dropped_gets_the_report_of_the_program_to_the_byte() {
    let page = opened(Setting::default());
    let scenes = scenes();
    let mut numbers = 0;
    for path in &scenes {
        let (folder, name) = (path.parent().unwrap(), path.file_name().unwrap().to_str().unwrap());
        page.drop_on("#drop", &[path]);
        let is_good = is_answered(&page);
        let expected = of_program(folder, name);
        assert_eq!(is_good, !expected[1].is_empty(), "{name}: {}", page.text("main"));
        if is_good {
            let found = shown(&page);
            assert!(found == expected, "{name} is not what the program writes");
            numbers += found[1].matches([':', ',']).count();
        }
    }
    println!("{} files, {numbers} values", scenes.len());
    assert!(scenes.len() > 3);
    let noticed = page.noticed();
    let is_own = |url: &String| url.starts_with("file://") || url.starts_with("blob:");
    assert!(noticed.iter().all(is_own), "{noticed:?}");
    // From wherever on the page.
    page.drop_on("h1", &[&scenes[0]]);
    is_answered(&page);
}

#[test]
#[ignore = "takes the page and the program, which .ci/web builds"]
fn built_in_scenes_are_tried_with_a_click() {
    let page = opened(Setting::default());
    let count = page.count("#try button");
    assert_eq!(usize::try_from(count).unwrap(), BuiltIn::all().len());
    for place in 0..count {
        let button = format!("document.querySelectorAll('#try button')[{place}]");
        page.run(&format!("{button}.click()"));
        assert!(is_answered(&page), "{}", page.text("main"));
        let name = page.value(&format!("{button}.textContent"));
        let name = name.as_str().unwrap();
        assert!(shown(&page) == of_program(Path::new("."), name), "{name}");
    }
}

/// Two buffers below the folder, one of them with a space in its name.
fn in_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let scene = include_str!("../../../xform-report/tests/scenes/moving.gltf");
    let mut scene: Value = serde_json::from_str(scene).unwrap();
    let data = scene["buffers"][0]["uri"].as_str().unwrap().split_once(',').unwrap().1.to_owned();
    let bytes = STANDARD.decode(data).unwrap();
    fs::create_dir(folder.path().join("some data")).unwrap();
    fs::write(folder.path().join("some data/a.bin"), bytes).unwrap();
    scene["buffers"][0]["uri"] = "./some%20data/a.bin".into();
    fs::write(folder.path().join("moving.gltf"), scene.to_string()).unwrap();
    folder
}

#[test]
#[ignore = "takes the page and the program, which .ci/web builds"]
fn buffers_are_found_in_a_folder_and_beside_and_missed_by_name() {
    let folder = in_folder();
    let model = folder.path().join("moving.gltf");
    let expected = of_program(folder.path(), "moving.gltf");
    let page = opened(Setting::default());
    page.drop_on("#drop", &[&model]);
    assert!(is_answered(&page));
    assert!(
        page.text("#missing").contains("some data/a.bin, lost.bin were not dropped"),
        "{}",
        page.text("#missing")
    );
    page.drop_on("#drop", &[&model, &folder.path().join("some data/a.bin")]);
    assert!(is_answered(&page));
    // The scene names another one, which there is nowhere.
    assert!(page.text("#missing").contains("because lost.bin was not dropped"));
    assert!(shown(&page) == expected);
    page.drop_on("#drop", &[folder.path()]);
    assert!(is_answered(&page));
    let name = folder.path().file_name().unwrap().to_str().unwrap();
    let expected = of_program(folder.path().parent().unwrap(), &format!("{name}/moving.gltf"));
    assert!(shown(&page) == expected);
}

#[test]
#[ignore = "takes the page and the program, which .ci/web builds"]
fn what_is_wrong_is_said_and_the_next_file_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let bad = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        path
    };
    let cycle = br#"{"asset":{"version":"2.0"},"nodes":[{"children":[1]},{"children":[0]}]}"#;
    let page = opened(Setting::default());
    let files = [
        (bad("cycle.gltf", cycle), "cycle"),
        (bad("empty.glb", b""), "empty"),
        (bad("text.gltf", b"{"), "invalid-json"),
        (bad("rig.fbx", b"Kaydara FBX Binary  \0"), "export the model as .glb"),
        (bad("notes.txt", b"x"), "There is none among: notes.txt"),
    ];
    for (path, expected) in &files {
        page.drop_on("#drop", &[path]);
        assert!(!is_answered(&page), "{}", path.display());
        let told = page.text("#trouble");
        assert!(told.contains(expected), "{told}");
    }
    page.drop_on("#drop", &[&scenes()[0]]);
    assert!(is_answered(&page));
    // Of several models one is chosen; they are listed by name.
    let moving = scenes().into_iter().find(|path| path.ends_with("moving.gltf")).unwrap();
    page.drop_on("#drop", &[&files[0].0, &files[1].0, &moving]);
    until(&page, "!document.getElementById('choice').hidden");
    assert_eq!(page.count("#models button"), 3);
    page.click("#models li:nth-child(3) button");
    assert!(is_answered(&page));
    // The others are still there to choose, and so is the first one after that.
    page.click("#models li:nth-child(1) button");
    assert!(!is_answered(&page));
    page.click("#models li:nth-child(3) button");
    assert!(is_answered(&page));
}

#[test]
#[ignore = "takes the page and the program, which .ci/web builds"]
fn two_that_are_dropped_together_are_compared_as_the_program_does() {
    let page = opened(Setting::default());
    let folder = tempfile::tempdir().unwrap();
    let moving = include_str!("../../../xform-report/tests/scenes/moving.gltf");
    let [old, new] = ["b.gltf", "a.gltf"].map(|name| folder.path().join(name));
    fs::write(&old, moving).unwrap();
    fs::write(&new, moving.replace("animations", "extras")).unwrap();
    let hour = Duration::from_secs(3600);
    File::options().write(true).open(&old).unwrap().set_modified(SystemTime::now() - hour).unwrap();
    let of_program = |before: &str, after: &str| {
        ["html", "json"].map(|format| {
            let mut program = Command::new(path_in("XFORM_PROGRAM"));
            let arguments = ["diff", before, after, "--format", format];
            let output = program.args(arguments).current_dir(folder.path()).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        })
    };
    page.drop_on("#drop", &[&new, &old]);
    assert!(is_answered(&page), "{}", page.text("main"));
    // The older one is the one before, whatever it is called.
    assert_eq!(page.text("#name"), "The report on b.gltf → a.gltf");
    assert_eq!(page.text("#command"), "xform diff b.gltf a.gltf --format html -o diff.html");
    assert!(shown(&page) == of_program("b.gltf", "a.gltf"), "not what the program writes");
    // The other way round, and each by itself.
    assert_eq!(page.count("#models button"), 3);
    page.click("#models li:nth-child(1) button");
    assert!(is_answered(&page));
    assert_eq!(page.text("#name"), "The report on a.gltf → b.gltf");
    assert!(shown(&page) == of_program("a.gltf", "b.gltf"), "not what the program writes");
    page.click("#models li:nth-child(3) button");
    assert!(is_answered(&page));
    assert_eq!(page.text("#name"), "The report on a.gltf");
    // What is wrong with one of them is said.
    fs::write(&new, "{").unwrap();
    page.drop_on("#drop", &[&new, &old]);
    assert!(!is_answered(&page));
    assert!(page.text("#trouble").contains("a.gltf"), "{}", page.text("#trouble"));
}

#[test]
#[ignore = "takes the page and the program, which .ci/web builds"]
fn what_is_asked_last_is_what_is_shown() {
    let page = opened(Setting::default());
    let folder = tempfile::tempdir().unwrap();
    let medium = folder.path().join("medium.glb");
    File::create(&medium).unwrap().set_len(1 << 30).unwrap();
    let small = &scenes()[0];
    let name = small.file_name().unwrap().to_str().unwrap();
    for _ in 0..3 {
        page.drop_on("#drop", &[&medium]);
        until(&page, "job && job.isAsked");
        page.click("#scenes li:first-child button");
        assert!(is_answered(&page), "{}", page.text("main"));
        assert_eq!(page.text("#name"), "The report on arm");
        page.drop_on("#drop", &[&medium]);
        page.drop_on("#drop", &[small]);
        assert!(is_answered(&page), "{}", page.text("main"));
        assert_eq!(page.text("#name"), format!("The report on {name}"));
        page.drop_on("#drop", &[&medium]);
        until(&page, "job && job.isAsked");
        page.run("find('cancel').click(); document.querySelector('#scenes button').click()");
        assert!(is_answered(&page), "{}", page.text("main"));
    }
    // A question takes the place of what runs.
    page.drop_on("#drop", &[&medium]);
    page.drop_on("#drop", &[&medium, small, &scenes()[1]]);
    until(&page, "!find('choice').hidden");
    sleep(Duration::from_secs(1));
    assert_eq!(page.value("find('result').hidden && find('work').hidden"), Value::Bool(true));
    // Reports are no steps in the history: Back leaves the page.
    let steps = page.value("history.length").as_u64().unwrap();
    assert!(steps <= 2, "{steps}");
}

#[test]
#[ignore = "takes the page and the program, which .ci/web builds"]
fn a_file_that_takes_long_is_cancelled_and_one_that_is_too_large_is_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let large = folder.path().join("large.glb");
    // With a hole, so that it takes no room.
    File::create(&large).unwrap().set_len(6 << 30).unwrap();
    let page = opened(Setting::default());
    page.drop_on("#drop", &[&large]);
    assert!(!is_answered(&page));
    assert!(page.text("#trouble").contains("memory"), "{}", page.text("#trouble"));
    page.drop_on("#drop", &[&scenes()[0]]);
    assert!(is_answered(&page));
    let medium = folder.path().join("medium.glb");
    File::create(&medium).unwrap().set_len(1 << 30).unwrap();
    page.drop_on("#drop", &[&medium]);
    until(
        &page,
        "document.getElementById('progress').value > 0 && !document.getElementById('work').hidden",
    );
    page.click("#cancel");
    until(&page, "document.getElementById('work').hidden");
    page.drop_on("#drop", &[&scenes()[0]]);
    assert!(is_answered(&page));
}

/// From the choice of a file to its report, by the clock of the page; for docs/benchmarks.md.
#[test]
#[ignore = "takes the page, and is of use on a quiet machine alone"]
fn how_long_reports_take() {
    let page = opened(Setting::default());
    page.run(
        "const [asking, reporting] = [ask, reported];
         ask = (...what) => { window.asked = performance.now(); asking(...what); };
         reported = (...what) => { reporting(...what); window.took = performance.now() - asked; };",
    );
    for path in scenes() {
        let mut times: Vec<_> = (0..7)
            .map(|_| {
                page.drop_on("#drop", &[&path]);
                assert!(is_answered(&page));
                page.value("took").as_f64().unwrap()
            })
            .collect();
        times.sort_unstable_by(f64::total_cmp);
        println!("{}: {:.0} ms", path.display(), times[3]);
    }
}

#[test]
#[ignore = "takes a folder for pictures"]
fn pictures_to_look_at() {
    let folder = path_in("XFORM_PICTURES");
    let broken = folder.join("broken.gltf");
    fs::write(&broken, r#"{"asset":{"version":"2.0"},"nodes":[{"children":[7],"scale":[1,2]}]}"#)
        .unwrap();
    for (device, width, height) in [("desktop", 1100, 900), ("phone", 390, 844)] {
        let page = opened(Setting { width, height, ..Setting::default() });
        page.save_screenshot(&folder.join(format!("{device}-empty.png")));
        let scenes = scenes();
        let named = |name: &str| {
            scenes.iter().find(|path| path.ends_with(name)).unwrap_or_else(|| panic!("no {name}"))
        };
        for (what, path) in [
            ("safe", named("RiggedFigure.glb")),
            ("severe", named("moving.gltf")),
            ("broken", &broken),
        ] {
            page.drop_on("#drop", &[path]);
            is_answered(&page);
            // What the report draws takes a while in software.
            sleep(Duration::from_secs(4));
            page.save_screenshot(&folder.join(format!("{device}-{what}.png")));
        }
    }
}
