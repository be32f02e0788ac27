//! What a check was asked about and cannot be looked at is exit status 2, and never passed over.

use std::fs;

use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::{
    fix::{EMBEDDED, NON_UNIFORM, folder_of, turned},
    program::{stderr, stdout, xform},
};

/// A folder with a scene that looks the same everywhere, one that does not, and others.
fn scenes(others: &[(&str, Vec<u8>)]) -> TempDir {
    let good = br#"{ "asset": { "version": "2.0" }, "nodes": [{}] }"#.to_vec();
    let bad = turned(NON_UNIFORM, EMBEDDED).into_bytes();
    let mut files = vec![("good/a.gltf", good), ("bad/b.gltf", bad)];
    files.extend(others.iter().cloned());
    folder_of(&files)
}

/// The exit status of a check, and what it says on standard error.
fn checked(folder: &TempDir, arguments: &[&str]) -> (i32, String) {
    let gate = ["audit", "-q", "--no-config", "--fail-on", "visible"];
    let output = xform(folder.path(), &[&gate, arguments].concat());
    (output.status.code().unwrap(), stderr(&output).to_owned())
}

#[test]
fn lists_are_read_as_windows_writes_them_and_one_with_nul_is_told() {
    let text = "good/a.gltf\r\nbad/b.gltf\r\n";
    let wide = |bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        "\u{FEFF}".encode_utf16().chain(text.encode_utf16()).flat_map(bytes).collect()
    };
    let folder = scenes(&[
        ("mark", format!("\u{FEFF}{text}").into()),
        ("little", wide(u16::to_le_bytes)),
        ("big", wide(u16::to_be_bytes)),
        ("nul", b"good/a.gltf\0bad/b.gltf\0".to_vec()),
        ("long", b"good/a.gltf\0".repeat(10_000)),
        ("none", b"\r\n\n".to_vec()),
    ]);
    for list in ["mark", "little", "big"] {
        let (status, said) = checked(&folder, &["--files-from", list]);
        assert_eq!(status, 1, "{list}: {said}");
        assert!(said.starts_with("xform: bad/b.gltf: "), "{list}: {said}");
    }
    for list in ["nul", "long"] {
        let (status, said) = checked(&folder, &["--files-from", list]);
        assert_eq!(status, 2);
        assert!(
            said.starts_with(&format!("xform: {list}: a line contains a NUL character; ")),
            "{said}"
        );
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    let (status, said) = checked(&folder, &["--files-from", "none"]);
    assert_eq!((status, &*said), (0, "xform: none: it lists no scene, so nothing was checked\n"));
}

#[cfg(unix)]
#[test]
fn lists_and_configurations_come_through_pipes() {
    use std::process::Command;

    let folder = scenes(&[]);
    let run = |command: &str| {
        let line = format!("mkfifo pipe; {command}");
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &line])
            .current_dir(folder.path())
            .env("XFORM", env!("CARGO_BIN_EXE_xform"));
        let output = shell.output().unwrap();
        fs::remove_file(folder.path().join("pipe")).unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, said) = run(
        "printf 'good/a.gltf\\nbad/b.gltf' > pipe & \"$XFORM\" audit --no-config --fail-on visible --files-from pipe",
    );
    assert_eq!(status, 1, "{said}");
    let (status, said) =
        run("printf 'fail-on = \"visible\"' > pipe & \"$XFORM\" audit bad good --config pipe");
    assert_eq!(status, 1, "{said}");
    // One that nobody named is not waited for.
    let (status, said) =
        run("mv pipe xform.toml; \"$XFORM\" audit -q good; mv xform.toml pipe; false");
    assert_eq!(status, 1);
    assert!(said.contains("xform.toml: it is not a regular file"), "{said}");
    // One that does not end ends at a limit.
    let (status, said) = run("yes '# x' > pipe & \"$XFORM\" audit good --config pipe");
    assert_eq!(status, 2);
    assert!(said.contains("pipe: it is larger than 16777216 bytes"), "{said}");
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_in_a_folder_is_told() {
    use std::{os::unix::fs::symlink, process::Command};

    let folder = scenes(&[]);
    let at = |name: &str| folder.path().join(name);
    assert!(Command::new("mkfifo").arg(at("good/c.glb")).status().unwrap().success());
    let (status, said) = checked(&folder, &["good"]);
    assert_eq!(status, 2);
    assert!(said.contains("good/c.glb: it is not a regular file"), "{said}");
    fs::remove_file(at("good/c.glb")).unwrap();
    // One that leads round in a circle is no file that was not fetched, whatever its name.
    symlink("circle.v2", at("good/circle.v2")).unwrap();
    for scenes in [["good"], ["good/**"]] {
        let (status, said) = checked(&folder, &scenes);
        assert_eq!(status, 2, "{scenes:?}: {said}");
    }
    fs::remove_file(at("good/circle.v2")).unwrap();
    // A folder may have any name, and what leads to it.
    symlink("../bad", at("good/x.gltf")).unwrap();
    let (status, said) = checked(&folder, &["good"]);
    assert_eq!((status, said.lines().count()), (1, 1), "{said}");
    fs::remove_file(at("good/x.gltf")).unwrap();
    // What may have been a folder of scenes; a picture that was not fetched is none of this program's business.
    symlink("nowhere", at("good/picture.png")).unwrap();
    assert_eq!(checked(&folder, &["good"]), (0, String::new()));
    for link in ["level", "scene.glb"] {
        symlink("nowhere", at("good").join(link)).unwrap();
        for scenes in [["good"], ["good/**"], ["g*/*"]] {
            let (status, said) = checked(&folder, &scenes);
            assert_eq!(status, 2, "{scenes:?}: {said}");
            assert!(said.contains(&format!("good/{link}: ")), "{said}");
        }
        fs::remove_file(at("good").join(link)).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn patterns_go_through_links_as_shells_do() {
    use std::os::unix::fs::symlink;

    let folder = scenes(&[("g/ok/a.gltf", br#"{ "asset": { "version": "2.0" } }"#.to_vec())]);
    let at = |name: &str| folder.path().join(name);
    symlink("../bad", at("g/linked")).unwrap();
    // A loop, in which nothing is that is not matched where it is.
    symlink("..", at("g/ok/up")).unwrap();
    for pattern in ["g/*/*.gltf", "g/**/*.gltf", "g/l*/b.*"] {
        let (status, said) = checked(&folder, &[pattern]);
        assert_eq!(status, 1, "{pattern}: {said}");
        assert!(said.starts_with("xform: g/linked/b.gltf: "), "{said}");
    }
}

#[test]
fn what_is_on_disk_is_not_taken_for_a_built_in_scene_or_standard_input() {
    let bad = turned(NON_UNIFORM, EMBEDDED).into_bytes();
    let folder = scenes(&[("fan/b.gltf", bad.clone()), ("levels", bad.clone()), ("-", bad)]);
    fs::write(folder.path().join("list"), "fan\n").unwrap();
    for arguments in [&["fan"][..], &["levels"], &["f*"], &["?"], &["--files-from", "list"]] {
        let (status, said) = checked(&folder, arguments);
        // A list has files, and no folders.
        let expected = if arguments.len() == 2 { 2 } else { 1 };
        assert_eq!(status, expected, "{arguments:?}: {said}");
    }
    // Where nothing is there, a check says what it takes the name for.
    let none = tempdir().unwrap();
    let (status, said) = checked(&none, &["piston"]);
    assert_eq!(status, 1, "{said}");
    assert!(said.starts_with("xform: piston: no such file or folder, so the built-in scene"));
}

#[test]
fn what_is_not_there_is_not_ignored() {
    let folder =
        scenes(&[("xform.toml", b"[[ignore]]\nfiles = \"**\"\nreason = \"r\"\n".to_vec())]);
    let status = |scene: &str| xform(folder.path(), &["audit", "-q", scene]).status.code();
    assert_eq!(status("bad/b.gltf"), Some(0));
    assert_eq!(status("bad/gone.gltf"), Some(2));
}

/// Of a path that may not be looked up nothing is known. To root nothing is closed.
#[cfg(unix)]
#[test]
fn a_configuration_in_a_folder_that_is_closed_is_found_or_told() {
    use std::{os::unix::fs::PermissionsExt, process::Command};

    let folder = scenes(&[("bad/xform.toml", b"fail-on = \"visible\"\n".to_vec())]);
    let at = |name: &str| folder.path().join(name);
    let mode = |name: &str, mode: u32| {
        fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    fs::create_dir(at("bad/below")).unwrap();
    let run = |folder: &str, scene: &str| {
        let line = "chmod 000 \"$CLOSED\"; \"$XFORM\" audit -q \"$SCENE\" >/dev/null; echo \"$?\"; chmod 755 \"$CLOSED\"";
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(at(folder)).env("XFORM", env!("CARGO_BIN_EXE_xform"));
        shell.env("SCENE", scene).env("CLOSED", if folder == "bad" { ".." } else { "../.." });
        let output = shell.output().unwrap();
        (stdout(&output).trim().to_owned(), stderr(&output).to_owned())
    };
    let (status, said) = run("bad", "b.gltf");
    assert_eq!(status, "1", "{said}");
    fs::copy(at("bad/b.gltf"), at("bad/below/b.gltf")).unwrap();
    let (status, said) = run("bad/below", "b.gltf");
    let is_root =
        fs::read_to_string("/proc/self/status").is_ok_and(|all| all.contains("Uid:\t0\t0"));
    if is_root {
        assert_eq!(status, "1", "{said}");
    } else {
        assert_eq!(status, "2", "{said}");
        assert!(said.contains("so it is unclear whether there is a configuration"), "{said}");
    }
    mode("bad", 0o755);
}

/// What the runners of GitHub and Azure take for commands in a log is none on standard output either.
#[test]
fn a_name_is_no_command_in_a_log() {
    let named = turned(NON_UNIFORM, EMBEDDED).replacen("\"Arm\"", "\"##[add-mask]e ##vso[x]\"", 1);
    let folder = folder_of(&[("a.gltf", named.into())]);
    let audit = |environment: Option<&str>| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_xform"));
        command.args(["audit", "a.gltf", "--no-config"]).current_dir(folder.path());
        ["GITHUB_ACTIONS", "TF_BUILD"].iter().for_each(|name| _ = command.env_remove(name));
        environment.iter().for_each(|name| _ = command.env(name, "true"));
        stdout(&command.output().unwrap()).to_owned()
    };
    assert!(audit(None).contains("##[add-mask]e ##vso[x]"));
    for environment in ["GITHUB_ACTIONS", "TF_BUILD"] {
        let told = audit(Some(environment));
        assert!(told.contains("# #[add-mask]e # #vso[x]") && !told.contains("##"), "{told}");
    }
    // Nor does a line begin with one, or what is said of the command line have one.
    let command = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_xform"));
        command.args(arguments).current_dir(folder.path()).env("GITHUB_ACTIONS", "true");
        let output = command.output().unwrap();
        (stdout(&output).to_owned(), stderr(&output).to_owned())
    };
    fs::copy(folder.path().join("a.gltf"), folder.path().join("::error::z.gltf")).unwrap();
    let (told, _) = command(&["audit", "::error::z.gltf", "--no-config"]);
    assert!(told.starts_with(": :error::z.gltf"), "{told}");
    let (told, _) = command(&["audit", "a.gltf", "--no-config", "--format", "github"]);
    assert!(told.starts_with("::"), "{told}");
    let (_, said) = command(&["audit", "--##[x]y", "a.gltf"]);
    assert!(said.contains("# #[x]y") && !said.contains("##"), "{said}");
}

/// What has no bounds is as large as its vertices; where these cannot be read, it was not judged.
#[test]
fn a_mesh_without_bounds_is_measured_or_not_judged() {
    let bounded = turned(NON_UNIFORM, EMBEDDED);
    let without = |buffer: &str| {
        let bounds = r#""min": [0, 0, 0], "max": [1, 1, 0]"#;
        turned(NON_UNIFORM, buffer).replacen(bounds, r#""min": null"#, 1)
    };
    let folder = folder_of(&[
        ("bounded.gltf", bounded.into()),
        ("unbounded.gltf", without(EMBEDDED).into()),
        ("unread.gltf", without("gone.bin").into()),
    ]);
    let figures = |file: &str| {
        let output = xform(folder.path(), &["audit", file, "--no-config", "--format", "json"]);
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        let nodes = json["scenes"][0]["nodes"].as_array().unwrap().clone();
        nodes.iter().map(|node| node["displacement"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(figures("bounded.gltf"), figures("unbounded.gltf"));
    assert_ne!(figures("bounded.gltf"), figures("unread.gltf"));
    for (file, rule) in [("unbounded.gltf", "displaced"), ("unread.gltf", "not-judged")] {
        let (status, said) = checked(&folder, &[file]);
        assert_eq!(status, 1, "{file}: {said}");
        assert!(rule == "displaced" || said.contains("the mesh has no bounds"), "{said}");
    }
}

/// Data that may be elsewhere are not zeros, and numbers that place nothing do not make a scene empty.
#[test]
fn data_that_were_not_read_are_not_zeros() {
    let skinned = |rest: &str| {
        let mesh = r#""meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}}]}],
            "accessors": [
                {"componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
                {"componentType": 5121, "count": 3, "type": "VEC4"},
                {"componentType": 5126, "count": 3, "type": "VEC4"}]"#;
        format!(
            r#"{{"asset": {{"version": "2.0"}}, "scenes": [{{"nodes": [0, 2]}}],
            "nodes": [{{"scale": [3, 1, 1], "children": [1]}}, {{"rotation": [0, 0, 0.3256, 0.9455]}}, {{"mesh": 0, "skin": 0}}],
            "skins": [{{"joints": [1]}}], {mesh}{rest}}}"#
        )
        .into_bytes()
    };
    let mesh = r#""meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]"#;
    let moved = |accessor: &str, rest: &str| {
        let bounds = r#"{"componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]}"#;
        format!(
            r#"{{"asset": {{"version": "2.0"}}, "scenes": [{{"nodes": [0]}}],
            "nodes": [{{"mesh": 0}}], {mesh}, "accessors": [{bounds}, {accessor}], {rest}}}"#
        )
        .into_bytes()
    };
    let hidden =
        r#"{"componentType": 5126, "count": 1, "type": "VEC4", "extensions": {"FOO_packed": {}}}"#;
    let time = r#"{"componentType": 5126, "count": 1, "type": "SCALAR"}"#;
    let nan = r#"{"componentType": 5126, "count": 1, "type": "VEC4", "bufferView": 0}"#;
    let animation = r#""animations": [{"channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}],
        "samplers": [{"input": 2, "output": 1}]}]"#;
    let buffer = r#""buffers": [{"byteLength": 16, "uri": "data:;base64,AADAfwAAwH8AAMB/AADAfw=="}],
        "bufferViews": [{"buffer": 0, "byteLength": 16}]"#;
    let instances = r#"{"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"ROTATION": 1}}}}"#;
    let instanced = |accessor: &str| {
        let text = String::from_utf8(moved(accessor, buffer)).unwrap();
        text.replacen(r#"{"mesh": 0}"#, instances, 1).into_bytes()
    };
    let draco = |primitive: &str| {
        format!(
            r#"{{"asset": {{"version": "2.0"}}, "scenes": [{{"nodes": [0]}}],
            "nodes": [{{"scale": [3, 1, 1], "children": [1]}}, {{"rotation": [0, 0, 0.3256, 0.9455], "mesh": 0}}],
            "meshes": [{{"primitives": [{primitive}]}}],
            "accessors": [{{"componentType": 5126, "count": 8, "type": "VEC3"}}]}}"#
        )
        .into_bytes()
    };
    let named = |extension: &str, attributes: &str, value: &str| {
        let extensions = format!(r#""extensions": {{"{extension}": {value}}}"#);
        draco(&format!(r#"{{"attributes": {attributes}, {extensions}}}"#))
    };
    // No bounds, and a view whose bytes are not those of the vertices.
    let stored = turned(NON_UNIFORM, EMBEDDED)
        .replacen(r#""min": [0, 0, 0]"#, r#""min": null"#, 1)
        .replacen(r#"{ "buffer": 0,"#, r#"{ "extensions": { "FOO_packed": {} }, "buffer": 0,"#, 1)
        .replacen(r#""asset""#, r#""extensionsRequired": ["FOO_packed"], "asset""#, 1);
    // A sparse accessor that replaces none of its elements.
    let replaces_nothing = |file: Vec<u8>| {
        let text = String::from_utf8(file).unwrap();
        text.replacen(r#""count": 8"#, r#""count": 8, "sparse": {"count": 0}"#, 1).into_bytes()
    };
    const DRACO: &str = "KHR_draco_mesh_compression";
    let stream = r#"{"bufferView": 0, "attributes": {"POSITION": 0}}"#;
    let folder = folder_of(&[
        ("nowhere.gltf", named(DRACO, "{}", stream)),
        ("unnamed.gltf", named(DRACO, r#"{"POSITION": 0}"#, "{}")),
        ("broken.gltf", named(DRACO, r#"{"POSITION": 0}"#, "5")),
        ("packed.gltf", named("FOO_packed", r#"{"POSITION": 0}"#, "{}")),
        ("replaced.gltf", replaces_nothing(named(DRACO, r#"{"POSITION": 0}"#, "{}"))),
        ("elsewhere.gltf", replaces_nothing(named("FOO_packed", r#"{"POSITION": 0}"#, "{}"))),
        ("stored.gltf", stored.into()),
        ("weightless.gltf", skinned("")),
        ("required.gltf", skinned(r#", "extensionsRequired": ["FOO_packed"]"#)),
        ("animated.gltf", moved(&format!("{hidden}, {time}"), animation)),
        ("hidden.gltf", instanced(hidden)),
        ("nan.gltf", instanced(nan)),
    ]);
    for (file, why) in [
        ("nowhere.gltf", "its vertices may be in `KHR_draco_mesh_compression`"),
        ("unnamed.gltf", "its data may be in `KHR_draco_mesh_compression`"),
        ("broken.gltf", "its data may be in `KHR_draco_mesh_compression`"),
        ("packed.gltf", "its data may be in `FOO_packed`"),
        ("replaced.gltf", "its data may be in `KHR_draco_mesh_compression`"),
        ("elsewhere.gltf", "its data may be in `FOO_packed`"),
        ("stored.gltf", "buffer view 0 is stored by `FOO_packed`, which xform does not read"),
        ("weightless.gltf", "the weights add up to nothing"),
        ("required.gltf", "its data may be in `FOO_packed`"),
        ("animated.gltf", "its data may be in `FOO_packed`"),
        ("hidden.gltf", "its data may be in `FOO_packed`"),
        ("nan.gltf", "instance 0 has a number that is not finite"),
    ] {
        let (status, said) = checked(&folder, &[file]);
        assert!(status == 1 && said.contains(why), "{file}: {status} {said}");
    }
}

/// A mesh without vertices shows nothing, so it makes no scene larger and no difference smaller.
#[test]
fn what_shows_nothing_makes_no_difference_smaller() {
    let figures = |mesh: &str| {
        let node = r#""mesh": 0 }, { "mesh": 1, "translation": [1e6, 0, 0] }"#;
        let nothing = r#"{"componentType": 5126, "count": 0, "type": "VEC3", "min": [0, 0, 0], "max": [1e6, 0, 0]}"#;
        let with = turned(NON_UNIFORM, EMBEDDED)
            .replacen(r#""mesh": 0 }"#, node, 1)
            .replacen("0 } }] }]", &format!("0 }} }}] }}, {mesh}]"), 1)
            .replacen("1, 0] }]", &format!("1, 0] }}, {nothing}]"), 1);
        assert!(with.contains(mesh) && with.contains(node) && with.contains(nothing), "{with}");
        let folder = folder_of(&[("a.gltf", with.clone().into())]);
        assert_eq!(checked(&folder, &["a.gltf"]).0, 1, "{with}");
        let output = xform(folder.path(), &["audit", "a.gltf", "--no-config", "--format", "json"]);
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        (json["scenes"][0]["summary"]["diagonal"].as_f64().unwrap(), with)
    };
    for mesh in [
        r#"{"primitives": []}"#,
        r#"{"primitives": [{"attributes": {}}]}"#,
        r#"{"primitives": [{"attributes": {"POSITION": 1}}]}"#,
        r#"{"primitives": [{"attributes": {}, "extensions": {"KHR_materials_variants": {}}}]}"#,
    ] {
        let (diagonal, text) = figures(mesh);
        assert!(diagonal < 100.0, "{diagonal}: {text}");
    }
}

#[test]
fn a_pattern_for_files_covers_nothing_else() {
    let everything = "[[ignore]]\nfiles = \"**\"\nreason = \"all\"\n";
    let folder = folder_of(&[("xform.toml", everything.into())]);
    let gate = ["audit", "skewed-child", "--fail-on", "visible"];
    assert_eq!(xform(folder.path(), &gate).status.code(), Some(1));
    fs::write(folder.path().join("bad.gltf"), turned(NON_UNIFORM, EMBEDDED)).unwrap();
    let read = |scene: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_xform"));
        command.args(["audit", scene, "--fail-on", "visible"]).current_dir(folder.path());
        let file = fs::File::open(folder.path().join("bad.gltf")).unwrap();
        command.stdin(file).output().unwrap().status.code()
    };
    assert_eq!([read("-"), read("bad.gltf")], [Some(1), Some(0)]);
}

#[cfg(unix)]
#[test]
fn an_exception_covers_the_file_that_a_path_leads_to() {
    let bad = || turned(NON_UNIFORM, EMBEDDED).into_bytes();
    let ignore = b"[[ignore]]\nfiles = \"a/bad.gltf\"\nreason = \"known\"\n".to_vec();
    let all = [("r/a/bad.gltf", bad()), ("out/bad.gltf", bad()), ("out/deep/x", Vec::new())];
    let folder = folder_of(&all);
    fs::write(folder.path().join("r/xform.toml"), ignore).unwrap();
    std::os::unix::fs::symlink("../../out/deep", folder.path().join("r/a/x")).unwrap();
    let status = |scene: &str| {
        let gate = ["audit", scene, "--fail-on", "visible"];
        xform(&folder.path().join("r"), &gate).status.code()
    };
    assert_eq!(status("a/x/../bad.gltf"), Some(1));
    for same in ["a/bad.gltf", "a/../a/./bad.gltf", "../r/a/bad.gltf"] {
        assert_eq!(status(same), Some(0), "{same}");
    }
}

#[cfg(unix)]
#[test]
fn a_list_on_a_standard_input_that_is_closed_is_not_empty() {
    use std::process::Stdio;

    let folder = scenes(&[]);
    let listed = |stdin: Stdio| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_xform"));
        command.args(["audit", "--no-config", "--fail-on", "visible", "--files-from", "-"]);
        let output = command.current_dir(folder.path()).stdin(stdin).output().unwrap();
        (output.status.code(), stderr(&output).to_owned())
    };
    let (status, said) = listed(Stdio::null());
    assert_eq!(status, Some(2), "{said}");
    assert!(said.starts_with("xform: -: standard input is closed or the null device"), "{said}");
    let write_only = fs::File::create(folder.path().join("list")).unwrap();
    assert_eq!(listed(write_only.into()).0, Some(2));
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "exec \"$0\" audit --no-config --fail-on visible --files-from - <&-"]);
    let closed = shell.arg(env!("CARGO_BIN_EXE_xform")).current_dir(folder.path()).output();
    assert_eq!(closed.unwrap().status.code(), Some(2));
    // A search that finds nothing is an empty list.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(writer);
    let (status, said) = listed(reader.into());
    assert_eq!((status, said.contains("it lists no scene")), (Some(0), true), "{said}");
}

#[test]
fn a_file_whose_name_is_its_ending_is_found_in_its_folder() {
    let folder = folder_of(&[("d/.gltf", turned(NON_UNIFORM, EMBEDDED).into())]);
    assert_eq!(checked(&folder, &["d"]).0, 1);
}
