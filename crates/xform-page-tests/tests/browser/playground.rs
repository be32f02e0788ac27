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
    page.until("!document.getElementById('try').hidden");
    page
}

/// Drops files on the page: beside the report, where there is one, whose frame takes what is dropped on it.
fn drop_on(page: &Page, paths: &[&Path]) {
    let has_report = page.value("!find('result').hidden") == Value::Bool(true);
    page.drop_on(if has_report { "#name" } else { "main" }, paths);
}

/// Until there is an answer: whether it is a report.
fn is_answered(page: &Page) -> bool {
    let is = |id: &str| format!("!document.getElementById('{id}').hidden");
    page.until(&format!("!job && ({} || {})", is("result"), is("trouble")));
    page.value(&is("result")) == Value::Bool(true)
}

/// What the page shows, and the JSON that it saves.
fn shown(page: &Page) -> [String; 2] {
    [0, 1].map(|place| page.value(&format!("shown[{place}].text()")).as_str().unwrap().to_owned())
}

/// What the program writes of a file in a folder.
fn of_program(folder: &Path, name: &str) -> [String; 2] {
    of_program_in(folder, name, &[])
}

/// The same with options.
fn of_program_in(folder: &Path, name: &str, options: &[&str]) -> [String; 2] {
    [&["report", "--quiet", "--output", "-"][..], &["audit", "--quiet", "--format", "json"]].map(
        |arguments| {
            let mut program = Command::new(path_in("XFORM_PROGRAM"));
            let output = program
                .args(arguments)
                .arg(name)
                .args(options)
                .current_dir(folder)
                .output()
                .unwrap();
            String::from_utf8(output.stdout).unwrap()
        },
    )
}

/// glTF files of the repository, and of a folder of your own.
fn scenes() -> Vec<PathBuf> {
    let own = |folder| Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder));
    let folders = [
        own("xform-report/tests/scenes"),
        own("xform-engines/kit/scenes"),
        env::var("XFORM_SCENES").ok().map(PathBuf::from),
    ];
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
        drop_on(&page, &[path]);
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
    assert!(scenes.len() > 20);
    let noticed = page.noticed();
    let is_own = |url: &String| url.starts_with("file://") || url.starts_with("blob:");
    assert!(noticed.iter().all(is_own), "{noticed:?}");
    // From wherever on the page.
    page.drop_on("#frame", &[&scenes[0]]);
    page.until("job || !find('result').hidden");
    assert!(is_answered(&page));
    assert!(scenes[0].ends_with(page.text("#name")), "{}", page.text("#name"));
}

#[test]
#[ignore = "takes the page and the program, which .ci/web builds"]
fn built_in_scenes_are_tried_with_a_click() {
    let page = opened(Setting::default());
    let count = page.count("#scenes button");
    assert_eq!(usize::try_from(count).unwrap(), BuiltIn::all().len());
    page.click("#try-arm");
    assert!(is_answered(&page), "{}", page.text("main"));
    assert_eq!(page.text("#name"), "arm");
    for place in 0..count {
        let button = format!("document.querySelectorAll('#scenes button')[{place}]");
        page.run(&format!("{button}.click()"));
        assert!(is_answered(&page), "{}", page.text("main"));
        let name = page.value(&format!("{button}.textContent"));
        let name = name.as_str().unwrap();
        // As by the command that it shows.
        let command = page.text("#command");
        let engines = command.strip_prefix(&format!("xform report {name} ")).unwrap();
        let engines: Vec<_> = engines.split(' ').collect();
        assert_eq!(engines.len(), 12);
        assert!(shown(&page) == of_program_in(Path::new("."), name, &engines), "{name}");
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
    drop_on(&page, &[&model]);
    assert!(is_answered(&page));
    assert!(
        page.text("#missing").contains("some data/a.bin, lost.bin are missing"),
        "{}",
        page.text("#missing")
    );
    drop_on(&page, &[&model, &folder.path().join("some data/a.bin")]);
    assert!(is_answered(&page));
    // The scene names another one, which there is nowhere.
    assert!(page.text("#missing").starts_with("lost.bin is missing"));
    assert!(shown(&page) == expected);
    drop_on(&page, &[folder.path()]);
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
    let reads_fbx = page.value("readsFbx") == Value::Bool(true);
    let of_fbx = if reads_fbx { "it is not an FBX file" } else { "Export the model as .glb" };
    let files = [
        (bad("cycle.gltf", cycle), "cycle"),
        (bad("empty.glb", b""), "empty"),
        (bad("text.gltf", b"{"), "invalid-json"),
        (bad("rig.fbx", b"Kaydara FBX Binary  \0"), of_fbx),
        (bad("broken.zip", b"PK\x03\x04"), "broken.zip: "),
        (bad("notes.txt", b"x"), "There is none among: notes.txt"),
    ];
    for (path, expected) in &files {
        drop_on(&page, &[path]);
        assert!(!is_answered(&page), "{}", path.display());
        let told = page.text("#trouble");
        assert!(told.contains(expected), "{told}");
    }
    drop_on(&page, &[&scenes()[0]]);
    assert!(is_answered(&page));
    // Of several models one is chosen; they are listed by name.
    let moving = scenes().into_iter().find(|path| path.ends_with("moving.gltf")).unwrap();
    drop_on(&page, &[&files[0].0, &files[1].0, &moving]);
    page.until("!document.getElementById('choice').hidden");
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
    drop_on(&page, &[&new, &old]);
    assert!(is_answered(&page), "{}", page.text("main"));
    // The older one is the one before, whatever it is called.
    assert_eq!(page.text("#name"), "b.gltf → a.gltf");
    assert_eq!(page.text("#command"), "xform diff b.gltf a.gltf --format html -o diff.html");
    assert!(shown(&page) == of_program("b.gltf", "a.gltf"), "not what the program writes");
    // The other way round, and each by itself.
    assert_eq!(page.count("#models button"), 3);
    page.click("#models li:nth-child(1) button");
    assert!(is_answered(&page));
    assert_eq!(page.text("#name"), "a.gltf → b.gltf");
    assert!(shown(&page) == of_program("a.gltf", "b.gltf"), "not what the program writes");
    page.click("#models li:nth-child(3) button");
    assert!(is_answered(&page));
    assert_eq!(page.text("#name"), "a.gltf");
    // What is wrong with one of them is said.
    fs::write(&new, "{").unwrap();
    drop_on(&page, &[&new, &old]);
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
        drop_on(&page, &[&medium]);
        page.until("job && job.isAsked");
        page.click("#scenes li:first-child button");
        assert!(is_answered(&page), "{}", page.text("main"));
        assert_eq!(page.text("#name"), "arm");
        drop_on(&page, &[&medium]);
        drop_on(&page, &[small]);
        assert!(is_answered(&page), "{}", page.text("main"));
        assert_eq!(page.text("#name"), name);
        drop_on(&page, &[&medium]);
        page.until("job && job.isAsked");
        page.run("find('cancel').click(); document.querySelector('#scenes button').click()");
        assert!(is_answered(&page), "{}", page.text("main"));
    }
    // A question takes the place of what runs.
    drop_on(&page, &[&medium]);
    drop_on(&page, &[&medium, small, &scenes()[1]]);
    page.until("!find('choice').hidden");
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
    drop_on(&page, &[&large]);
    assert!(!is_answered(&page));
    assert!(page.text("#trouble").contains("memory"), "{}", page.text("#trouble"));
    drop_on(&page, &[&scenes()[0]]);
    assert!(is_answered(&page));
    let medium = folder.path().join("medium.glb");
    File::create(&medium).unwrap().set_len(1 << 30).unwrap();
    drop_on(&page, &[&medium]);
    page.until(
        "document.getElementById('progress').value > 0 && !document.getElementById('work').hidden",
    );
    page.click("#cancel");
    page.until("document.getElementById('work').hidden");
    drop_on(&page, &[&scenes()[0]]);
    assert!(is_answered(&page));
}

/// From the choice of a file to its report, by the clock of the page; for docs/benchmarks.md.
/// A triangle that is turned below a non-uniform scale.
const ARM: &str = include_str!("arm.gltf");

/// The arm in all forms that a repair has: a GLB, a `.gltf` with its data inside, and one with a buffer beside it.
fn arms(folder: &Path) {
    let mut scene: Value = serde_json::from_str(ARM).unwrap();
    fs::write(folder.join("inside.gltf"), ARM).unwrap();
    let data = scene["buffers"][0]["uri"].as_str().unwrap().split_once(',').unwrap().1.to_owned();
    let data = STANDARD.decode(data).unwrap();
    fs::write(folder.join("arm.bin"), &data).unwrap();
    scene["buffers"][0]["uri"] = "arm.bin".into();
    fs::write(folder.join("beside.gltf"), scene.to_string()).unwrap();
    scene["buffers"][0].as_object_mut().unwrap().remove("uri");
    let mut json = scene.to_string();
    json.extend(std::iter::repeat_n(' ', json.len().wrapping_neg() % 4));
    let length = |bytes: usize| u32::try_from(bytes).unwrap().to_le_bytes();
    let mut glb = [&b"glTF"[..], &length(2), &length(28 + json.len() + data.len())].concat();
    glb.extend([&length(json.len())[..], b"JSON", json.as_bytes()].concat());
    glb.extend([&length(data.len())[..], b"BIN\0", &data].concat());
    fs::write(folder.join("robot arm.glb"), glb).unwrap();
}

#[test]
#[ignore = "takes the page and the program, which .ci/web builds"]
fn what_is_repaired_and_downloaded_is_the_file_of_the_program_to_the_byte() {
    let [folder, downloads] = [0, 1].map(|_| tempfile::tempdir().unwrap());
    arms(folder.path());
    let page = opened(Setting::default());
    page.download_to(downloads.path());
    for (name, outputs) in [
        ("robot arm.glb", &["robot arm-repaired.glb"][..]),
        ("inside.gltf", &["inside-repaired.gltf", "inside-repaired.bin"]),
        ("beside.gltf", &["beside-repaired.gltf", "beside-repaired.bin"]),
    ] {
        drop_on(&page, &[&folder.path().join(name), &folder.path().join("arm.bin")]);
        assert!(is_answered(&page), "{}", page.text("main"));
        page.until("!find('repair').hidden");
        let told = page.text("#repairing");
        assert!(told.starts_with("Can be repaired: ") && told.contains("Proved on 3 vertices"));
        page.click("#repair");
        let mut program = Command::new(path_in("XFORM_PROGRAM"));
        program.args(["fix", name, "-o", outputs[0]]).current_dir(folder.path());
        assert!(program.output().unwrap().status.success());
        for output in outputs {
            let expected = fs::read(folder.path().join(output)).unwrap();
            let path = downloads.path().join(output);
            let started = Instant::now();
            while fs::read(&path).ok().as_ref() != Some(&expected) {
                assert!(started.elapsed() < Duration::from_secs(30), "{output}");
                sleep(Duration::from_millis(20));
            }
        }
    }
    // The repaired file has nothing to repair.
    drop_on(&page, &[&downloads.path().join("robot arm-repaired.glb")]);
    assert!(is_answered(&page));
    let is_silent = "!isRepairing && find('repair').hidden && find('repairing').hidden";
    assert_eq!(page.value(is_silent), Value::Bool(true));
    // What cannot be repaired says why.
    let moving = scenes().into_iter().find(|path| path.ends_with("moving.gltf")).unwrap();
    drop_on(&page, &[&moving]);
    assert!(is_answered(&page));
    page.until("!isRepairing");
    let told = page.text("#repairing");
    let why = "stretched/turned: an animation turns it below a non-uniform scale.";
    assert!(told.starts_with(&format!("Cannot be repaired exactly: {why}")), "{told}");
    assert_eq!(page.value("find('repair').hidden"), Value::Bool(true));
}

#[test]
#[ignore = "takes the page and the program, which .ci/web builds"]
fn an_archive_is_the_folder_that_was_packed() {
    let page = opened(Setting::default());
    let folder = tempfile::tempdir().unwrap();
    let above = folder.path().join("pack.zip");
    fs::create_dir_all(above.join("robot")).unwrap();
    arms(&above.join("robot"));
    for name in ["inside.gltf", "robot arm.glb"] {
        fs::remove_file(above.join("robot").join(name)).unwrap();
    }
    let script = "import shutil, sys; shutil.make_archive(sys.argv[1], 'zip', sys.argv[2])";
    let mut packing = Command::new("python3");
    let packed = tempfile::tempdir().unwrap();
    let archive = packed.path().join("pack");
    assert!(packing.args(["-c", script]).args([&archive, &above]).status().unwrap().success());
    drop_on(&page, &[&packed.path().join("pack.zip")]);
    assert!(is_answered(&page), "{}", page.text("main"));
    assert!(shown(&page) == of_program(folder.path(), "pack.zip/robot/beside.gltf"));
    assert_eq!(page.value("find('missing').hidden"), Value::Bool(true));
}

/// Whether two documents are the same but for the rounding of numbers.
fn is_near(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let [one, other] = [one, other].map(|number| number.as_f64().unwrap());
            (one - other).abs() <= 1e-9 * (1.0 + other.abs())
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_near(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let same = |(name, value)| other.get(name).is_some_and(|other| is_near(value, other));
            one.len() == other.len() && one.iter().all(same)
        }
        _ => one == other,
    }
}

#[test]
#[ignore = "takes the page and the program, which .ci/web builds"]
fn fbx_is_read_as_the_program_reads_it_where_the_page_has_a_reader() {
    let page = opened(Setting::default());
    if page.value("readsFbx") != Value::Bool(true) {
        // Where it was meant to be built with one, a compiler that was not found is a defect.
        assert!(env::var_os("XFORM_PAGE_READS_FBX").is_none(), "it has no reader of FBX");
        println!("this page was built without a reader of FBX");
        assert!(page.text(".no-fbx").contains("export a .glb"));
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../xform-engines/kit/scenes");
    let folder = folder.canonicalize().unwrap();
    for name in ["neg_all-mix.fbx", "rand_non-i1.fbx", "piston-mix.fbx"] {
        drop_on(&page, &[&folder.join(name)]);
        assert!(is_answered(&page), "{}", page.text("main"));
        let [_, found] = shown(&page);
        let [_, expected] = of_program(&folder, name);
        // Sines and cosines are others here, in their last digits, and rotations of FBX are given as angles.
        let [found, expected] = [found, expected].map(|json| serde_json::from_str(&json).unwrap());
        assert!(is_near(&found, &expected), "{name} is not what the program writes");
        page.until("!isRepairing");
        assert_eq!(page.value("find('repair').hidden"), Value::Bool(true));
    }
    assert_eq!(
        page.text("#repairing summary"),
        "This cannot be repaired here: only glTF files can."
    );
}

#[test]
#[ignore = "takes the page and the program, which .ci/web builds"]
fn the_report_begins_on_the_first_screen() {
    for (width, height, top) in [(1100, 900, 150.0), (390, 844, 240.0)] {
        let page = opened(Setting { width, height, ..Setting::default() });
        // So does the button that chooses a file, and the picture of what one gets is on it too.
        let above = |selector: &str| {
            let of = format!("document.querySelector('{selector}').getBoundingClientRect().top");
            page.value(&of).as_f64().unwrap()
        };
        assert!(above("#of-file") < f64::from(height) / 2.0, "{}", above("#of-file"));
        page.until("!!document.querySelector('#preview iframe')");
        assert!(above("#preview") < f64::from(height) * 0.8, "{}", above("#preview"));
        let folder = tempfile::tempdir().unwrap();
        arms(folder.path());
        drop_on(&page, &[&folder.path().join("robot arm.glb")]);
        assert!(is_answered(&page));
        page.until("!find('repair').hidden");
        assert!(above("#frame iframe") < top, "{width}: {}", above("#frame iframe"));
        let is_wide = page.value("document.documentElement.scrollWidth > innerWidth");
        assert_eq!(is_wide, Value::Bool(false), "{width}");
        // And back.
        page.click("#back");
        assert_eq!(page.value("find('start').hidden"), Value::Bool(false));
    }
}

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
                drop_on(&page, &[&path]);
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
    for (device, width, height, is_dark) in [
        ("desktop", 1300, 900, false),
        ("desktop-dark", 1300, 900, true),
        ("phone", 390, 844, false),
        ("phone-dark", 390, 844, true),
    ] {
        let page = opened(Setting { width, height, is_dark, ..Setting::default() });
        page.until("!!document.querySelector('#preview iframe')");
        sleep(Duration::from_secs(4));
        page.save_screenshot(&folder.join(format!("{device}-empty.png")));
        arms(&folder);
        let scenes = scenes();
        let named = |name: &str| {
            scenes.iter().find(|path| path.ends_with(name)).unwrap_or_else(|| panic!("no {name}"))
        };
        for (what, path) in [
            ("repairable", &folder.join("robot arm.glb")),
            ("severe", named("moving.gltf")),
            ("broken", &broken),
        ] {
            drop_on(&page, &[path]);
            is_answered(&page);
            // What the report draws takes a while in software.
            sleep(Duration::from_secs(4));
            page.save_screenshot(&folder.join(format!("{device}-{what}.png")));
        }
    }
}
