//! What the program says about itself: help, completions and manual pages, all from one definition.

use tempfile::tempdir;

use crate::program::{stderr, stdout, xform};

const COMMANDS: [&str; 11] = [
    "report",
    "audit",
    "diff",
    "fix",
    "verify",
    "engines",
    "sweep",
    "drift",
    "scenes",
    "completions",
    "man",
];

fn said(arguments: &[&str]) -> String {
    let output = xform(tempdir().unwrap().path(), arguments);
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    stdout(&output).to_owned()
}

#[test]
fn the_long_help_of_every_command_ends_in_an_example() {
    let example = |help: &str| {
        let [.., what, how] = &help.trim_end().lines().collect::<Vec<_>>()[..] else {
            panic!("{help}")
        };
        assert!(what.starts_with("Example: "), "{help}");
        assert!(how.starts_with("    ") && how.contains("xform "), "{help}");
    };
    example(&said(&["--help"]));
    for command in COMMANDS {
        example(&said(&[command, "--help"]));
    }
}

#[test]
fn every_shell_has_completions_of_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = said(&["completions", shell]);
        for word in COMMANDS.into_iter().chain(["max-displacement", "fail-on", "no-animation"]) {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let unknown = xform(tempdir().unwrap().path(), &["completions", "dos"]);
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn manual_pages_are_of_the_program_and_of_each_command() {
    let program = said(&["man"]);
    assert!(program.contains(".TH xform 1"), "{program}");
    for command in COMMANDS {
        assert!(program.contains(command), "{command}");
        let page = said(&["man", command]);
        assert!(page.contains(&format!(".TH xform-{command} 1")), "{page}");
        assert!(page.contains("Example:"), "{page}");
    }
    assert!(said(&["man", "audit"]).contains(r"\-\-max\-displacement"));
    let unknown = xform(tempdir().unwrap().path(), &["man", "nothing"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert_eq!(stderr(&unknown), "xform: there is no command `nothing`\n");
}

#[test]
fn quiet_says_problems_alone() {
    let folder = tempdir().unwrap();
    let quiet = xform(folder.path(), &["report", "--quiet"]);
    assert!(quiet.status.success() && stderr(&quiet).is_empty());
    let scene = ["audit", "skewed-child", "--set", "theta=45", "--format", "jsonl"];
    let limit = ["--quiet", "--max-displacement", "0"];
    let quiet = xform(folder.path(), &[&scene[..], &limit].concat());
    assert_eq!(quiet.status.code(), Some(1));
    assert_eq!(stderr(&quiet).lines().count(), 1, "{}", stderr(&quiet));
    assert!(stderr(&quiet).starts_with("xform: skewed-child: node"));
}

#[cfg(target_os = "linux")]
#[test]
fn open_asks_the_desktop_to_show_the_page() {
    use std::{fs, os::unix::fs::PermissionsExt, process::Command};

    let folder = tempdir().unwrap();
    let desktop = folder.path().join("bin/xdg-open");
    fs::create_dir(folder.path().join("bin")).unwrap();
    fs::write(&desktop, "#!/bin/sh\nprintf %s \"$1\" > opened\n").unwrap();
    fs::set_permissions(&desktop, fs::Permissions::from_mode(0o755)).unwrap();
    let report = |path: &str, arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_xform"))
            .args(["report", "--open"])
            .args(arguments)
            .current_dir(folder.path())
            .env("PATH", path)
            .output()
            .unwrap()
    };
    let opened = |arguments: &[&str]| {
        assert!(report(folder.path().join("bin").to_str().unwrap(), arguments).status.success());
        fs::read_to_string(folder.path().join("opened")).unwrap()
    };
    assert_eq!(opened(&["-o", "page.html"]), "page.html");
    assert_eq!(opened(&["piston", "levels", "-o", "pages"]), "pages/index.html");
    // Without a desktop the page is there all the same.
    fs::remove_file(folder.path().join("page.html")).unwrap();
    let alone = report("", &["-o", "page.html"]);
    assert_eq!(alone.status.code(), Some(2));
    assert!(
        stderr(&alone).contains("the page was written but could not be opened: "),
        "{}",
        stderr(&alone)
    );
    assert!(folder.path().join("page.html").exists());
}
