//! What the published libraries offer, all features on, is what docs/public-api lists.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    env, fs,
    io::{Write, stderr},
    path::Path,
    process::Command,
};

const CRATES: [&str; 10] = [
    "xform-core",
    "xform-matrix",
    "xform-trs",
    "xform-engines",
    "xform-scene",
    "xform-compare",
    "xform-report",
    "xform-fbx",
    "xform-fix",
    "xform-verify",
];

/// Set `XFORM_UPDATE_PUBLIC_API` to write them anew.
#[test]
#[ignore = "compiles every dependency with a nightly toolchain"]
fn the_lists_of_public_items_in_docs_are_current() {
    if !nightly(&["rustdoc", "--version"]).output().is_ok_and(|output| output.status.success()) {
        return skipped("there is no nightly toolchain");
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("public-api");
    document(&target);
    for name in CRATES {
        let json = target.join("doc").join(name.replace('-', "_")).with_extension("json");
        match public_api::Builder::from_rustdoc_json(json)
            .omit_blanket_impls(true)
            .omit_auto_trait_impls(true)
            .build()
        {
            Ok(items) => assert_listed(name, &items.to_string()),
            Err(error) => return skipped(&format!("the nightly toolchain does not fit: {error}")),
        }
    }
}

#[expect(clippy::explicit_write, reason = "a test that passes shows nothing of what macros print")]
fn skipped(why: &str) {
    writeln!(stderr(), "SKIPPED, the lists of public items were not compared: {why}").unwrap();
}

/// By rustup, since `cargo test` puts the toolchain it runs on before all others.
fn nightly(command: &[&str]) -> Command {
    let mut rustup = Command::new("rustup");
    rustup.args(["run", "nightly"]).args(command);
    rustup
}

/// The libraries' documentation as JSON, which only nightly toolchains write.
fn document(target: &Path) {
    let status = nightly(&["cargo", "doc", "--locked", "--lib", "--no-deps", "--all-features"])
        .args(CRATES.map(|name| format!("--package={name}")))
        .arg("--target-dir")
        .arg(target)
        .env("RUSTDOCFLAGS", "-Z unstable-options --output-format json")
        .status()
        .unwrap();
    assert!(status.success(), "the documentation does not build");
}

fn assert_listed(name: &str, items: &str) {
    let list = format!("../../docs/public-api/{name}.txt");
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join(list);
    if env::var_os("XFORM_UPDATE_PUBLIC_API").is_some() {
        fs::create_dir_all(list.parent().unwrap()).unwrap();
        fs::write(&list, items).unwrap();
    }
    let listed = fs::read_to_string(&list).unwrap_or_default();
    let missing = items.lines().filter(|item| !listed.lines().any(|line| line == *item));
    let gone = listed.lines().filter(|line| !items.lines().any(|item| item == *line));
    let changes: Vec<_> = missing
        .map(|item| format!("+ {item}"))
        .chain(gone.map(|line| format!("- {line}")))
        .collect();
    assert!(listed == items, "{name}: {list:?} is out of date:\n{}", changes.join("\n"));
}
