//! Reports on several scenes: a page each, and an index that leads to them.

use std::{fs, path::Path, process::Command};

use tempfile::{TempDir, tempdir};

use crate::program::{names, stderr, stdout, xform};

/// An arm that stretches by so much, and a hand that is turned below it.
fn arm(stretch: f64) -> String {
    format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [
            {{ "scale": [{stretch}, 1, 1], "children": [1] }},
            {{ "rotation": [0, 0, 0.6, 0.8], "translation": [1, 0, 0], "children": [2] }},
            {{ "translation": [0, 1, 0] }}] }}"#
    )
}

fn folder_of(scenes: &[(&str, String)]) -> TempDir {
    let folder = tempdir().unwrap();
    for (name, scene) in scenes {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, scene).unwrap();
    }
    folder
}

/// Each link of an index with its text, in order.
fn links(index: &str) -> Vec<(String, String)> {
    let link = |rest: &str| {
        let (href, rest) = rest.split_once("\">").unwrap();
        (decoded(href), rest.split_once("</a>").unwrap().0.to_owned())
    };
    index.split("<a href=\"").skip(1).map(link).collect()
}

/// A reference without its percent-encoding.
fn decoded(href: &str) -> String {
    let mut parts = href.split('%');
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(part[2..].bytes());
    }
    String::from_utf8(bytes).unwrap()
}

/// Text as it stands in a page.
fn escaped(text: &str) -> String {
    let codes = [('&', 38), ('<', 60), ('>', 62), ('"', 34), ('\'', 39)];
    codes.iter().fold(text.to_owned(), |text, (c, code)| text.replace(*c, &format!("&#{code};")))
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn the_index_has_the_worst_first_and_every_link_leads_to_a_page() {
    let folder = folder_of(&[
        ("assets/a.gltf", arm(1.0)),
        ("assets/b.gltf", arm(1.01)),
        ("assets/deep/c.gltf", arm(3.0)),
        ("assets/notes.txt", "no scene".to_owned()),
    ]);
    let output = xform(folder.path(), &["report", "assets", "piston"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stdout(&output), "");
    let index = Path::new("xform-report").join("index.html");
    assert_eq!(stderr(&output), format!("{}\n", index.display()));
    let pages = folder.path().join("xform-report");
    let index = read(&pages, "index.html");
    let question =
        "Do these scenes look the same in three.js, Babylon.js, Godot, Unity, Unreal and Blender?";
    let answer = "<strong>No.</strong> 3 of 4 scenes look different: 2 severe, 1 visible, 0 negligible, 1 identical.";
    assert!(index.contains(question) && index.contains(answer), "{index}");
    let links = links(&index);
    let shown: Vec<_> = links.iter().map(|(_, text)| text.replace('\\', "/")).collect();
    assert_eq!(shown, ["assets/deep/c.gltf", "piston", "assets/b.gltf"]);
    assert!(index.contains("<span>assets/a.gltf</span>"), "{index}");
    for (page, scene) in links {
        let title = Path::new(&scene).file_name().unwrap().to_str().unwrap();
        let title = format!("<title>{title} – xform report</title>");
        assert!(read(&pages, &page).contains(&title), "{page}");
    }
    assert_eq!(names(&pages).len(), 4);
}

#[test]
fn a_scene_in_which_nothing_differs_has_a_page_only_where_that_is_asked_for() {
    let folder = folder_of(&[("a.gltf", arm(2.0)), ("b.gltf", arm(1.0))]);
    let report = |more: &[&str]| {
        let arguments = [&["report", "a.gltf", "b.gltf", "--quiet", "-o", "pages"], more].concat();
        let output = xform(folder.path(), &arguments);
        assert!(output.status.success(), "{}", stderr(&output));
        names(&folder.path().join("pages"))
    };
    assert_eq!(report(&["--all-pages"]), ["a.gltf.html", "b.gltf.html", "index.html"]);
    // A page of before would say something else than the index.
    assert_eq!(report(&[]), ["a.gltf.html", "index.html"]);
    // Nor is there one of a scene that cannot be read any more.
    fs::write(folder.path().join("a.gltf"), "{").unwrap();
    let output = xform(folder.path(), &["report", "a.gltf", "b.gltf", "-q", "-o", "pages"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(names(&folder.path().join("pages")), ["index.html"]);
}

#[test]
fn what_could_not_all_be_judged_has_a_page() {
    // An animation whose buffer is not there.
    let unread = r#"{ "asset": { "version": "2.0" }, "nodes": [{}],
        "animations": [{ "channels": [{ "sampler": 0, "target": { "node": 0, "path": "scale" } }],
            "samplers": [{ "input": 0, "output": 1 }] }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR" },
            { "bufferView": 0, "componentType": 5126, "count": 2, "type": "VEC3" }],
        "bufferViews": [{ "buffer": 0, "byteLength": 24 }],
        "buffers": [{ "byteLength": 24, "uri": "lost.bin" }] }"#;
    let folder = folder_of(&[("a.gltf", unread.to_owned()), ("b.gltf", arm(1.0))]);
    let output = xform(folder.path(), &["report", "a.gltf", "b.gltf", "-q", "-o", "pages"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(names(&folder.path().join("pages")), ["a.gltf.html", "index.html"]);
}

#[test]
fn the_configuration_is_no_page_that_is_written_over() {
    let folder = folder_of(&[
        ("a.gltf", arm(2.0)),
        ("b.gltf", arm(2.0)),
        ("pages/index.html", "# <meta name=\"generator\" content=\"xform\">\n".to_owned()),
    ]);
    let config = ["--config", "pages/index.html"];
    let arguments = [&["report", "a.gltf", "b.gltf", "-q", "-o", "pages"], &config[..]].concat();
    let output = xform(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("pages/index.html"), "{}", stderr(&output));
    assert!(read(&folder.path().join("pages"), "index.html").starts_with("# <meta"));
}

#[test]
fn an_index_names_the_owners_that_the_configuration_gives() {
    let folder = folder_of(&[("assets/hero/a.gltf", arm(2.0)), ("assets/b.gltf", arm(1.0))]);
    let configured = "engines = [\"godot\", \"unreal\"]\n\
        [[owner]]\nfiles = \"assets/hero/**\"\nname = \"Anna <3\"\n\
        [[owner]]\nfiles = \"**\"\nname = \"Ben\"\n";
    fs::write(folder.path().join("xform.toml"), configured).unwrap();
    let output = xform(folder.path(), &["report", "assets", "-o", "pages"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let index = read(&folder.path().join("pages"), "index.html");
    for owner in ["Anna &#60;3", "Ben"] {
        assert!(index.contains(&format!("data-label=\"owner\">{owner}</td>")), "{owner}");
    }
    // It is about the engines that an audit is about.
    assert!(index.contains("Do these scenes look the same in Godot and Unreal?"), "{index}");
    let bad = "[[owner]]\nfiles = \"**\"\nname = \" \"\n";
    fs::write(folder.path().join("xform.toml"), bad).unwrap();
    let output = xform(folder.path(), &["report", "assets", "-o", "pages"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("xform.toml: owner 1: a name must not be blank"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_page_is_the_same_as_that_of_the_scene_alone_on_any_number_of_threads() {
    let folder = folder_of(&[("a.gltf", arm(2.0)), ("b.gltf", arm(3.0))]);
    assert!(xform(folder.path(), &["report", "a.gltf", "-o", "alone.html"]).status.success());
    let report = |threads: &str, output: &str| {
        let done = Command::new(env!("CARGO_BIN_EXE_xform"))
            .args(["report", "a.gltf", "b.gltf", "--quiet", "-o", output])
            .current_dir(folder.path())
            .env("RAYON_NUM_THREADS", threads)
            .output()
            .unwrap();
        assert!(done.status.success() && done.stderr.is_empty(), "{}", stderr(&done));
    };
    report("1", "one");
    report("4", "four");
    let [one, four] = ["one", "four"].map(|pages| folder.path().join(pages));
    assert_eq!(names(&one), ["a.gltf.html", "b.gltf.html", "index.html"]);
    for page in names(&one) {
        assert!(read(&one, &page) == read(&four, &page), "{page}");
    }
    assert!(read(&one, "a.gltf.html") == read(folder.path(), "alone.html"));
}

#[test]
fn a_bad_file_is_named_and_stops_none_of_the_others() {
    let folder = folder_of(&[
        ("assets/a.gltf", arm(1.0)),
        ("assets/bad <b>.glb", "glTF".to_owned()),
        ("assets/z.gltf", arm(1.0)),
    ]);
    let output =
        xform(folder.path(), &["report", "assets", "gone.gltf", "--all-pages", "-o", "pages"]);
    assert_eq!(output.status.code(), Some(2));
    let told: Vec<_> = stderr(&output).lines().collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].contains("bad <b>.glb: the GLB is truncated"), "{told:?}");
    assert!(told[1].starts_with("xform: gone.gltf: no such file"), "{told:?}");
    let pages = folder.path().join("pages");
    let index = read(&pages, "index.html");
    assert!(index.contains("0 of 2 scenes look different"), "{index}");
    assert!(index.contains("2 identical; 2 not audited."), "{index}");
    assert!(index.contains("bad &#60;b&#62;.glb: the GLB is truncated"), "{index}");
    assert!(index.contains("gone.gltf: no such file"), "{index}");
    assert!(!index.contains("class=\"verdict identical\"") && !index.contains("Yes"), "{index}");
    assert_eq!(names(&pages), ["assets-a.gltf.html", "assets-z.gltf.html", "index.html"]);
}

#[test]
fn without_any_scene_nothing_is_written() {
    let folder = tempdir().unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    let output = xform(folder.path(), &["report", "empty"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output), "xform: empty: it contains no .gltf, .glb, .vrm or .fbx file\n");
    assert_eq!(names(folder.path()), ["empty"]);
}

#[test]
fn scenes_of_any_name_have_pages_of_their_own() {
    let mut scenes = vec!["#1.glb", "%41.glb", "index", "é&#x41; ü.gltf", "日本.gltf", "a/x.gltf"];
    scenes.extend(["A-x.gltf", "javascript:1.gltf", "a'b.gltf", "--.glb"]);
    if cfg!(unix) {
        scenes.extend([
            "a&b <c>.gltf",
            "a/\".gltf",
            "a\\x.gltf",
            "a/?x=1#y.gltf",
            "new\nline.gltf",
        ]);
    }
    if cfg!(windows) {
        scenes.retain(|name| !name.contains(':'));
    }
    let long = "ü".repeat(120) + ".gltf";
    scenes.push(&long);
    let files: Vec<_> = scenes.iter().map(|name| (*name, arm(2.0))).collect();
    let folder = folder_of(&files);
    let arguments = [&["report", "-o", "pages", "--"], &scenes[..]].concat();
    let output = xform(folder.path(), &arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let pages = folder.path().join("pages");
    let index = read(&pages, "index.html");
    let links = links(&index);
    assert_eq!(links.len(), scenes.len());
    for ((page, text), scene) in links.iter().zip(&scenes) {
        assert_eq!(*text, escaped(scene));
        let is_safe = |c: char| c.is_alphanumeric() || ".-_".contains(c);
        assert!(page.chars().all(is_safe) && !page.starts_with(['.', '-']), "{page}");
        let title = escaped(scene.rsplit(['/', '\\']).next().unwrap());
        let title = format!("<title>{title} – xform report</title>");
        assert!(read(&pages, page).contains(&title), "{page} is not the page of {scene}");
    }
    let mut unique: Vec<_> = links.iter().map(|(page, _)| page.to_lowercase()).collect();
    unique.push("index.html".to_owned());
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), scenes.len() + 1);
}

#[test]
fn only_pages_of_this_program_are_written_over() {
    let folder = folder_of(&[
        ("out/scene.html", "a page of somebody's own".to_owned()),
        ("index/index.html", arm(2.0)),
        ("scene", arm(2.0)),
        ("other.gltf", arm(2.0)),
    ]);
    let folder = folder.path();
    let refused = |out: &str, page: &str| {
        let before = (names(&folder.join(out)), read(&folder.join(out), page));
        let output = xform(folder, &["report", "scene", "other.gltf", "-o", out]);
        assert_eq!(output.status.code(), Some(2), "{out}");
        let why = "by its content it is not a report";
        assert!(stderr(&output).contains(why), "{out}: {}", stderr(&output));
        assert_eq!((names(&folder.join(out)), read(&folder.join(out), page)), before);
    };
    refused("out", "scene.html");
    refused("index", "index.html");
    #[cfg(unix)]
    {
        fs::create_dir(folder.join("links")).unwrap();
        std::os::unix::fs::symlink("../scene", folder.join("links/scene.html")).unwrap();
        refused("links", "scene.html");
        // To open a pipe would take forever.
        fs::create_dir(folder.join("pipe")).unwrap();
        let pipe = folder.join("pipe/index.html");
        assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
        let output = xform(folder, &["report", "scene", "other.gltf", "-o", "pipe"]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    }
}

#[test]
fn a_folder_with_other_files_keeps_them_and_is_written_anew() {
    let folder = folder_of(&[("a.gltf", arm(2.0)), ("out/notes.txt", "mine".to_owned())]);
    for scenes in [["a.gltf", "piston"], ["a.gltf", "levels"]] {
        let output = xform(folder.path(), &[&["report", "-o", "out"], &scenes[..]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
    }
    let out = folder.path().join("out");
    assert_eq!(read(&out, "notes.txt"), "mine");
    let index = read(&out, "index.html");
    assert!(index.contains(">levels</a>") && !index.contains(">piston</a>"), "{index}");
}

#[test]
fn several_scenes_need_a_folder() {
    let folder = folder_of(&[("page.html", "mine".to_owned())]);
    let output = xform(folder.path(), &["report", "piston", "levels", "-o", "-"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        "xform: a report on several scenes needs a folder: --output FOLDER\n"
    );
    let output = xform(folder.path(), &["report", "piston", "levels", "-o", "page.html"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output), "xform: page.html: not a directory\n");
    assert_eq!(read(folder.path(), "page.html"), "mine");
    assert_eq!(names(folder.path()), ["page.html"]);
}
