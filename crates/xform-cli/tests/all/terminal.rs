//! What depends on whether output goes to a terminal: `script` of util-linux gives the program one.

use std::{fs, path::Path, process::Command};

use tempfile::tempdir;

use crate::program::stdout;

/// What a terminal shows of a line of the shell, in which `$0` is the program.
fn shown(folder: &Path, line: &str) -> String {
    let mut script = Command::new("script");
    script.args(["-qec", &format!("sh -c '{line}' \"$XFORM\""), "/dev/null"]);
    script.env("XFORM", env!("CARGO_BIN_EXE_xform")).env_remove("NO_COLOR");
    // A shell warns of a locale that there is not.
    script.env("TERM", "xterm").env("LC_ALL", "C");
    let output = script.current_dir(folder).output().unwrap();
    stdout(&output).to_owned()
}

/// The longest line, in characters.
fn width(text: &str) -> Option<usize> {
    text.lines().map(|line| line.trim_end().chars().count()).max()
}

const COLOUR: &str = "\u{1b}[";

#[test]
fn lines_are_wrapped_and_coloured_on_a_terminal_alone() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    // Without standard error, where a sign of life may come.
    let audit = "stty cols 40 rows 20; $0 audit skewed-child 2>/dev/null";
    assert!(shown(folder, audit).contains(COLOUR));
    for settings in ["NO_COLOR=1", "TERM=dumb", "NO_COLOR=1 TERM=dumb"] {
        let plain = shown(folder, &format!("export {settings}; {audit}"));
        assert!(!plain.contains(COLOUR) && plain.contains("36.04"), "{settings}: {plain}");
        assert!(width(&plain) <= Some(40), "{plain}");
    }
    assert!(shown(folder, &format!("export NO_COLOR=; {audit}")).contains(COLOUR), "it is empty");
    let piped = shown(folder, &format!("{audit} | cat"));
    assert!(!piped.contains(COLOUR) && width(&piped) > Some(100), "{piped}");
    assert_eq!(shown(folder, &format!("{audit} -o file")), "");
    let file = fs::read_to_string(folder.join("file")).unwrap();
    assert!(!file.contains(COLOUR) && width(&file) > Some(100), "{file}");
}

/// To know how many scenes there are, it would have to be read twice.
#[test]
fn a_list_on_standard_input_is_read_once_where_standard_error_is_a_terminal() {
    let folder = tempdir().unwrap();
    let list = r#"printf "piston\nlevels\n""#;
    shown(folder.path(), &format!("{list} | $0 audit --files-from - --format jsonl > rows"));
    let rows = fs::read_to_string(folder.path().join("rows")).unwrap();
    assert_eq!(rows.lines().count(), 2, "{rows}");
}
