//! Where repaired files go, with what they refer to, and which files they may replace.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{
    fix::{EMBEDDED, EVEN, NON_UNIFORM, audited, folder_of, triangle, turned},
    program::{names, stderr, stdout, xform},
};

/// A file with a buffer, and images of these URIs.
fn with_images(scale: &str, buffer: &str, uris: &[&str]) -> Vec<u8> {
    let images: Vec<_> = uris.iter().map(|uri| format!(r#"{{ "uri": "{uri}" }}"#)).collect();
    let images = format!(r#""images": [{}], "asset""#, images.join(","));
    turned(scale, buffer).replacen("\"asset\"", &images, 1).into()
}

fn images(file: &Path) -> Vec<String> {
    let json: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let images = json["images"].as_array().unwrap().iter();
    images.map(|image| image["uri"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn images_of_a_sibling_folder_are_led_to_from_anywhere() {
    let uris =
        ["../textures/a.png", "../../b.png", "b%20c.png", "/c.png", "https://example.org/d.png"];
    let folder = folder_of(&[
        ("in/models/arm.gltf", with_images(NON_UNIFORM, EMBEDDED, &uris)),
        ("in/models/even.gltf", with_images(EVEN, EMBEDDED, &uris)),
    ]);
    let output = xform(folder.path(), &["fix", "in", "-o", "out"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let expected = [
        "../../in/textures/a.png",
        "../../b.png",
        "../../in/models/b%20c.png",
        "/c.png",
        "https://example.org/d.png",
    ];
    for file in ["out/models/arm.gltf", "out/models/even.gltf"] {
        assert_eq!(images(&folder.path().join(file)), expected, "{file}");
    }
    let output = xform(folder.path(), &["fix", "in/models/arm.gltf", "-o", "in/arm.gltf"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let above = ["textures/a.png", "../b.png", "models/b%20c.png"];
    assert_eq!(images(&folder.path().join("in/arm.gltf"))[..3], above);
    // In its own folder it keeps them as they are.
    let output = xform(folder.path(), &["fix", "in/models/arm.gltf", "-o", "in/models/b.gltf"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(images(&folder.path().join("in/models/b.gltf")), uris);
}

#[test]
fn what_files_refer_to_is_copied_along_where_that_is_asked_for() {
    let uris = ["../textures/a%20b.png", "../../outside.png", "gone.png"];
    let folder = folder_of(&[
        ("in/models/arm.gltf", with_images(NON_UNIFORM, "arm.bin", &uris)),
        ("in/models/even.gltf", with_images(EVEN, "arm.bin", &uris)),
        ("in/models/arm.bin", triangle()),
        ("in/textures/a b.png", b"picture".to_vec()),
        ("outside.png", b"outside".to_vec()),
    ]);
    let at = |name: &str| folder.path().join(name);
    let copied = || xform(folder.path(), &["fix", "in", "-o", "out", "--copy"]);
    let output = copied();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("Copied: 2 buffers and images."), "{}", stdout(&output));
    for file in ["arm", "even"] {
        let told =
            format!("xform: in/models/{file}.gltf: `gone.png` does not exist and was not copied\n");
        assert!(stderr(&output).contains(&told), "{}", stderr(&output));
        let expected = ["../textures/a%20b.png", "../../outside.png", "gone.png"];
        assert_eq!(images(&at(&format!("out/models/{file}.gltf"))), expected);
    }
    // The new data stand beside the copy of the old, which has their name.
    assert_eq!(names(&at("out/models")), ["arm.2.bin", "arm.bin", "arm.gltf", "even.gltf"]);
    assert_eq!(names(&at("out/textures")), ["a b.png"]);
    // So the copy can be audited, as what leads back cannot.
    assert!(audited(folder.path(), "out/models/arm.gltf"));
    fs::write(at("in/textures/a b.png"), "another").unwrap();
    let again = copied();
    assert!(stdout(&again).contains("Copied: 1 buffer or image."), "{}", stdout(&again));
    assert_eq!(fs::read(at("out/textures/a b.png")).unwrap(), b"another");
    assert_eq!(names(&at("out/models")), ["arm.2.bin", "arm.bin", "arm.gltf", "even.gltf"]);
    // Of a single file, what lies in its folder.
    let one = xform(folder.path(), &["fix", "in/models/arm.gltf", "-o", "one/arm.gltf", "--copy"]);
    assert!(one.status.success(), "{}", stderr(&one));
    assert_eq!(names(&at("one")), ["arm.2.bin", "arm.bin", "arm.gltf"]);
    assert_eq!(images(&at("one/arm.gltf"))[0], "../in/textures/a%20b.png");
}

#[cfg(unix)]
#[test]
fn what_is_protected_or_has_other_names_is_replaced_only_if_forced() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    let arm = turned(NON_UNIFORM, EMBEDDED);
    let even = turned(EVEN, EMBEDDED);
    let files = [("in/a.gltf", arm.clone()), ("in/b.gltf", arm.clone()), ("in/even.gltf", even)];
    let folder = folder_of(&files.map(|(name, text)| (name, text.into_bytes())));
    let at = |name: &str| folder.path().join(name);
    let protect = |name: &str, mode| {
        fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    protect("in/a.gltf", 0o444);
    protect("in/even.gltf", 0o444);
    fs::hard_link(at("in/b.gltf"), at("other")).unwrap();
    let output = xform(folder.path(), &["fix", "in", "--in-place"]);
    assert_eq!(output.status.code(), Some(2));
    let said: Vec<_> = stderr(&output).lines().collect();
    // Of what has nothing to repair nothing is written.
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].starts_with("xform: in/a.gltf: it is write-protected, "), "{said:?}");
    assert!(said[1].starts_with("xform: in/b.gltf: it has 2 hard links, "), "{said:?}");
    for name in ["in/a.gltf", "in/b.gltf", "other"] {
        assert_eq!(fs::read_to_string(at(name)).unwrap(), arm, "{name}");
    }
    assert_eq!(names(&at("in")), ["a.gltf", "b.gltf", "even.gltf"]);
    let forced = xform(folder.path(), &["fix", "in", "--in-place", "--force"]);
    assert!(forced.status.success(), "{}", stderr(&forced));
    assert!(audited(folder.path(), "in/a.gltf") && audited(folder.path(), "in/b.gltf"));
    assert_eq!(fs::read_to_string(at("other")).unwrap(), arm);
    assert_eq!(fs::metadata(at("in/a.gltf")).unwrap().mode() & 0o777, 0o444);
    // Outputs elsewhere follow the same rule.
    fs::write(at("out.gltf"), &arm).unwrap();
    protect("out.gltf", 0o444);
    let refused = xform(folder.path(), &["fix", "other", "-o", "out.gltf"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("out.gltf: it is write-protected"), "{}", stderr(&refused));
}

/// Root keeps whose a file is; nobody else can, and is told.
#[cfg(unix)]
#[test]
fn a_file_stays_with_its_owner() {
    use std::os::unix::fs::{MetadataExt, chown};

    let folder = folder_of(&[("arm.gltf", turned(NON_UNIFORM, EMBEDDED).into())]);
    let arm = folder.path().join("arm.gltf");
    let owner = fs::metadata(&arm).unwrap().uid();
    // Nobody but root can give a file away.
    if chown(&arm, Some(owner + 1), Some(owner + 1)).is_err() {
        return;
    }
    let output = xform(folder.path(), &["fix", "arm.gltf", "--in-place"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let now = fs::metadata(&arm).unwrap();
    assert_eq!((now.uid(), now.gid()), (owner + 1, owner + 1));
    assert!(audited(folder.path(), "arm.gltf"));
}

#[test]
fn what_was_not_read_or_not_understood_is_told_and_is_not_safe() {
    let unread = r#""animations": [{
        "channels": [{ "sampler": 0, "target": { "node": 0, "path": "rotation" } }],
        "samplers": [{ "input": 9, "output": 9 }] }], "asset""#;
    let unknown = r#""extensions": { "ACME_scatter": { "nodes": [1] }, "KHR_lights_punctual": { "lights": [] } },
        "materials": [{ "extensions": { "ACME_grid": {}, "KHR_materials_unlit": {} } }], "asset""#;
    let with =
        |members: &str, scale: &str| turned(scale, EMBEDDED).replacen("\"asset\"", members, 1);
    let folder = folder_of(&[
        ("unread.gltf", with(unread, EVEN).into()),
        ("unknown.gltf", with(unknown, NON_UNIFORM).into()),
        // Where nothing is repaired nothing can refer to it.
        ("untouched.gltf", with(unknown, EVEN).into()),
    ]);
    let fix = |file: &str, format: &str| {
        xform(folder.path(), &["fix", file, "--dry-run", "--strict", "--format", format])
    };
    let told = fix("unread.gltf", "text");
    assert_eq!(told.status.code(), Some(1));
    assert!(stdout(&told).contains("  Not judged: /animations/0"), "{}", stdout(&told));
    let told = fix("unknown.gltf", "text");
    assert_eq!(told.status.code(), Some(1));
    let line = "Unknown extensions were left as they are, although they may refer to repaired parts: ACME_grid, \
                ACME_scatter.";
    assert!(stdout(&told).contains(line), "{}", stdout(&told));
    let json: Value = serde_json::from_slice(&fix("unknown.gltf", "json").stdout).unwrap();
    assert_eq!(json["unknown_extensions"], serde_json::json!(["ACME_grid", "ACME_scatter"]));
    let json: Value = serde_json::from_slice(&fix("unread.gltf", "json").stdout).unwrap();
    assert_eq!(json["not_judged"][0]["code"], "animation-not-sampled");
    assert_eq!(fix("untouched.gltf", "text").status.code(), Some(0));
}

#[test]
fn outputs_above_the_inputs_hide_none_of_them() {
    let fix = |inputs: &str, outputs: &str| {
        let folder = folder_of(&[("assets/in/arm.gltf", turned(NON_UNIFORM, EMBEDDED).into())]);
        let output = xform(folder.path(), &["fix", inputs, "-o", outputs]);
        (output.status.code(), stdout(&output).to_owned(), stderr(&output).to_owned())
    };
    for (inputs, outputs) in [("assets/in", "assets"), ("assets/in", "."), ("assets", ".")] {
        let (status, told, said) = fix(inputs, outputs);
        assert_eq!(status, Some(0), "{inputs} {outputs}: {said}");
        assert!(told.contains("Written to"), "{inputs} {outputs}: {told}");
    }
    // Where nothing else is there, nothing is done, and that is said.
    let (status, _, said) = fix("assets", "assets/in");
    assert_eq!(
        (status, &*said),
        (Some(2), "xform: assets: all of its files are outputs of an earlier run\n")
    );
}

#[test]
fn odd_uris_lead_to_what_they_led_to() {
    let uris = ["..//tex/t.png", "./c:d.png", "sub/c:d.png", "data:,x", "mailto:x"];
    let folder = folder_of(&[("in/deep/arm.gltf", with_images(NON_UNIFORM, EMBEDDED, &uris))]);
    for (output, expected) in [
        ("in/out.gltf", ["tex/t.png", "deep/./c:d.png", "deep/sub/c:d.png", "data:,x", "mailto:x"]),
        (
            "out/out.gltf",
            [
                "../in/tex/t.png",
                "../in/deep/./c:d.png",
                "../in/deep/sub/c:d.png",
                "data:,x",
                "mailto:x",
            ],
        ),
    ] {
        let done = xform(folder.path(), &["fix", "in/deep/arm.gltf", "-o", output]);
        assert!(done.status.success(), "{}", stderr(&done));
        assert_eq!(images(&folder.path().join(output)), expected);
    }
}

/// What a linked folder has beside it is not what lies beside the link.
#[cfg(unix)]
#[test]
fn a_copy_is_of_what_the_file_means() {
    use std::os::unix::fs::symlink;

    let folder = folder_of(&[
        ("far/s/arm.gltf", with_images(EVEN, EMBEDDED, &["../t.png", "own/../u.png"])),
        ("far/t.png", b"meant".to_vec()),
        ("far/s/own/kept", Vec::new()),
        ("in/t.png", b"another".to_vec()),
    ]);
    symlink("../far/s", folder.path().join("in/s")).unwrap();
    let output = xform(folder.path(), &["fix", "in", "-o", "out", "--copy"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let copied = folder.path().join("out/s/arm.gltf");
    assert_eq!(images(&copied), ["../../far/t.png", "../../far/s/own/../u.png"]);
    assert_eq!(names(&folder.path().join("out")), ["s"]);
}

/// Nothing is left of a repair of which a part cannot be put in its place.
#[test]
fn what_cannot_be_written_leaves_nothing_and_is_named() {
    let folder = folder_of(&[
        ("in/arm.gltf", with_images(NON_UNIFORM, EMBEDDED, &["a.png", "b.png"])),
        ("in/a.png", b"a".to_vec()),
        ("in/b.png", b"b".to_vec()),
        ("out/b.png/kept", Vec::new()),
    ]);
    for force in [&[][..], &["--force"]] {
        let output = xform(folder.path(), &[&["fix", "in", "-o", "out", "--copy"], force].concat());
        assert_eq!(output.status.code(), Some(2));
        let told = stderr(&output);
        assert!(
            told.starts_with("xform: out/b.png: it already exists and is not a regular file"),
            "{told}"
        );
        assert_eq!(names(&folder.path().join("out")), ["b.png"]);
    }
}
