//! glTF animations in other files: which are read, and which must not be opened or cannot be.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
    time::Duration,
};

use serde_json::json;
use xform_compare::compare;
use xform_scene::{
    Scene, WarningCode,
    animation::NotSampledCode,
    gltf::{
        Animations, GltfError, gltf_buffer_files, read_gltf_drawing_with, read_gltf_file_drawing,
    },
    read_gltf, read_gltf_file, read_gltf_with,
};

use crate::support::{
    animated::{data, document, embedded, glb, read},
    not_sampled::why_not,
};

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Writes a file with this URI for buffer 0 into a folder.
fn naming(folder: &Path, uri: &str) -> PathBuf {
    let mut file = document();
    file["buffers"][0]["uri"] = json!(uri);
    let path = folder.join("scene.gltf");
    fs::write(&path, file.to_string()).unwrap();
    path
}

fn read_file(path: &Path) -> Scene {
    read_gltf_file(path, Animations::Read).unwrap()
}

/// A folder in memory is read as the same folder is from a disk.
fn assert_same_from_memory(path: &Path, files: &[(&str, &[u8])]) {
    let (bytes, source) = (fs::read(path).unwrap(), path.to_str().unwrap());
    let files: HashMap<_, _> =
        files.iter().map(|&(name, bytes)| (name.to_owned(), bytes.to_owned())).collect();
    let from_memory = read_gltf_with(&bytes, source, &files).unwrap();
    let mut from_disk = read_file(path);
    from_disk.buffers.clear();
    assert_eq!(from_memory, from_disk);
    let drawn = read_gltf_drawing_with(&bytes, &files).unwrap();
    assert_eq!(drawn, read_gltf_file_drawing(path).unwrap());
}

fn assert_whole(scene: &Scene, what: &str) {
    assert_eq!(scene.animations, read(&embedded(&data())).animations, "{what}");
    assert_eq!(scene.animations[0].channels.len(), 2, "{what}");
}

/// Why channel 0 of such a file is not sampled, if that is found without waiting for anything.
fn why(folder: &Path, uri: &str) -> String {
    let path = naming(folder, uri);
    let (send, receive) = mpsc::channel();
    thread::spawn(move || drop(send.send(read_file(&path))));
    let scene = receive.recv_timeout(Duration::from_secs(20));
    why_not(&scene.unwrap_or_else(|_| panic!("{uri} is waited for")))
}

#[test]
fn what_is_wrong_with_a_file_has_a_code() {
    let folder = folder("animation-codes");
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 9\n";
    fs::write(folder.join("fetched-not.bin"), pointer).unwrap();
    let code = |uri: &str| {
        let path = naming(&folder, uri);
        assert_same_from_memory(&path, &[("fetched-not.bin", pointer.as_bytes())]);
        let scene = read_file(&path);
        why_not(&scene);
        scene.animations[0].not_sampled[0].code
    };
    assert_eq!(code("fetched-not.bin"), NotSampledCode::LfsPointer);
    assert_eq!(code("missing.bin"), NotSampledCode::Unreadable);
    assert_eq!(code("."), NotSampledCode::Unreadable);
    assert_eq!(code("../outside.bin"), NotSampledCode::OutsideFolder);
    assert_eq!(code("file:///outside.bin"), NotSampledCode::OutsideFolder);
    for uri in ["../outside.bin", "file:///outside.bin", "/outside.bin", "..\\x.bin", "."] {
        let bytes = fs::read(naming(&folder, uri)).unwrap();
        assert!(gltf_buffer_files(&bytes).unwrap().is_empty(), "{uri}");
    }
    let bytes = fs::read(naming(&folder, "x.bin")).unwrap();
    let scene = read_gltf(&bytes, "standard input").unwrap();
    assert_eq!(scene.animations[0].not_sampled[0].code, NotSampledCode::NoFolder);
}

#[test]
fn a_file_beside_or_below_is_read() {
    let folder = folder("animation-beside");
    fs::create_dir(folder.join("sub dir")).unwrap();
    let names = [
        ("x.bin", "x.bin"),
        ("./y.bin", "y.bin"),
        (".//y.bin", "y.bin"),
        ("%zz.bin", "%zz.bin"),
        ("a%20b%2Ebin", "a b.bin"),
        ("100%25.bin", "100%.bin"),
        ("dots..bin", "dots..bin"),
        ("sub%20dir/w%C3%A4lk.bin", "sub dir/wälk.bin"),
        ("sub dir/wälk.bin", "sub dir/wälk.bin"),
    ];
    for (uri, name) in names {
        fs::write(folder.join(name), data()).unwrap();
        let path = naming(&folder, uri);
        assert_whole(&read_file(&path), uri);
        assert_same_from_memory(&path, &[(name, &data())]);
        assert_eq!(gltf_buffer_files(&fs::read(&path).unwrap()).unwrap(), [name], "{uri}");
    }
    let mut file = document();
    file["buffers"][0]["uri"] = json!("x.bin");
    fs::write(folder.join("scene.glb"), glb(&file, b"something else")).unwrap();
    assert_whole(&read_file(&folder.join("scene.glb")), "beside a chunk");
}

#[cfg(unix)]
#[test]
fn links_within_the_folder_are_followed_and_so_is_one_to_it() {
    use std::os::unix::fs::symlink;
    let folder = folder("animation-links");
    let real = folder.join("real");
    fs::create_dir(&real).unwrap();
    fs::write(real.join("data.bin"), data()).unwrap();
    symlink("data.bin", real.join("x.bin")).unwrap();
    naming(&real, "x.bin");
    symlink("real", folder.join("linked")).unwrap();
    assert_whole(&read_file(&real.join("scene.gltf")), "real");
    assert_whole(&read_file(&folder.join("linked/scene.gltf")), "linked");
}

#[test]
fn files_outside_the_folder_are_not_opened_though_they_are_there() {
    let outer = folder("animation-outside");
    let inner = outer.join("inner");
    fs::create_dir_all(inner.join("sub")).unwrap();
    for place in ["x.bin", "inner/sub/x.bin", "inner/x.bin"] {
        fs::write(outer.join(place), data()).unwrap();
    }
    let absolute = inner.join("x.bin").to_str().unwrap().to_owned();
    let uris = [
        "../x.bin",
        "sub/../../x.bin",
        "%2e%2e/x.bin",
        "%2E%2E%2Fx.bin",
        "..%5Cx.bin",
        "..\\x.bin",
        "./../x.bin",
        "../inner/x.bin",
        "../missing.bin",
        "..",
        &absolute,
        "/etc/x.bin",
        "%2Fetc/x.bin",
        "//host/x.bin",
        "\\\\host\\x.bin",
        "http://localhost/x.bin",
        "file:///etc/x.bin",
        "C:\\x.bin",
        "C:x.bin",
        "C%3A/x.bin",
    ];
    for uri in uris {
        let reason = why(&inner, uri);
        assert!(reason.contains("is not in the folder of the file"), "{uri}: {reason}");
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_of_the_folder_are_not_followed() {
    use std::os::unix::fs::symlink;
    let outer = folder("animation-links-out");
    let inner = outer.join("inner");
    for made in ["inner", "inner-sibling"] {
        fs::create_dir(outer.join(made)).unwrap();
        fs::write(outer.join(made).join("data.bin"), data()).unwrap();
    }
    symlink("../inner-sibling/data.bin", inner.join("file.bin")).unwrap();
    symlink("../inner-sibling", inner.join("folder")).unwrap();
    symlink("file.bin", inner.join("twice.bin")).unwrap();
    for uri in ["file.bin", "folder/data.bin", "twice.bin"] {
        let reason = why(&inner, uri);
        assert!(reason.contains("is not in the folder of the file"), "{uri}: {reason}");
    }
    symlink("loop.bin", inner.join("loop.bin")).unwrap();
    why(&inner, "loop.bin");
}

#[test]
fn what_is_no_file_is_kept_with_the_reason_and_not_waited_for() {
    let folder = folder("animation-no-file");
    fs::create_dir(folder.join("sub")).unwrap();
    fs::write(folder.join("short.bin"), &data()[..47]).unwrap();
    assert!(why(&folder, "missing.bin").contains("`missing.bin`"));
    assert!(why(&folder, "short.bin").contains("out of bounds"));
    for uri in
        ["sub", "sub/", ".", "", "sub/missing.bin", "short.bin/x.bin", "%00.bin", "%252e%252e/x"]
    {
        assert!(!why(&folder, uri).is_empty(), "{uri}");
    }
    #[cfg(unix)]
    {
        let pipe = folder.join("pipe.bin");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        assert!(why(&folder, "pipe.bin").contains("not a file"));
    }
}

#[test]
fn a_glb_finds_its_chunk_in_its_own_file() {
    let path = folder("animation-chunk").join("scene.glb");
    fs::write(&path, glb(&document(), &data())).unwrap();
    assert_whole(&read_file(&path), "chunk");
}

#[test]
fn skipped_animations_need_no_buffer_and_are_warned_of() {
    let folder = folder("animation-skipped");
    fs::write(folder.join("x.bin"), data()).unwrap();
    for uri in ["x.bin", "nowhere.bin", "../outside.bin", "data:;base64,?"] {
        let path = naming(&folder, uri);
        let (read, skipped) = (read_file(&path), read_gltf_file(&path, Animations::Skip).unwrap());
        assert_eq!((&skipped.nodes, skipped.animations.len()), (&read.nodes, 0));
        let [warning] = &skipped.warnings[..] else { panic!("one warning") };
        assert_eq!(warning.code, WarningCode::AnimationNotSampled);
        assert_eq!(warning.pointer, "/animations");
        assert!(skipped.nodes[0].uses.is_animated);
        assert_eq!(compare(&skipped).unwrap().summary.motion, None);
    }
    let mut still = document();
    still["animations"] = json!([]);
    fs::write(folder.join("scene.gltf"), still.to_string()).unwrap();
    let path = folder.join("scene.gltf");
    assert_eq!(read_gltf_file(&path, Animations::Skip).unwrap(), read_file(&path));
}

#[test]
fn a_glb_shorter_than_it_says_is_an_error_whether_its_chunk_is_read_or_not() {
    let glb = glb(&document(), &data());
    let path = folder("animation-truncated").join("scene.glb");
    for missing in [1, 40, 48, 56] {
        fs::write(&path, &glb[..glb.len() - missing]).unwrap();
        for animations in [Animations::Read, Animations::Skip] {
            let error = read_gltf_file(&path, animations).unwrap_err();
            assert!(matches!(error.first(), GltfError::Truncated { .. }), "{error}");
        }
    }
}
