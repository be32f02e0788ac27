//! What `docs/reliability.md` promises, and the tests that it names.

use std::{collections::HashSet, fs, path::Path};

/// The names of all functions in the sources below a folder.
fn functions(folder: &Path, names: &mut HashSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            // What is built has no sources.
            if !path.ends_with("target") {
                functions(&path, names);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let after = text.split("fn ").skip(1);
            let name = |rest: &str| {
                rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned()
            };
            names.extend(after.map(name));
        }
    }
}

#[test]
fn every_test_that_is_named_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("docs/reliability.md")).unwrap();
    let mut names = HashSet::new();
    functions(&root.join("crates"), &mut names);
    let (_, after) = text.split_once("| promise | tests | figure |\n|---|---|---|\n").unwrap();
    let rows: Vec<_> = after.lines().take_while(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 20);
    for row in rows {
        let tests = row.split('|').nth(2).unwrap();
        let named: Vec<_> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "nothing is named: {row}");
        // Scripts, targets and commands are no names of functions.
        let is_test = |name: &&&str| name.contains('_') && !name.contains([' ', '.', '/']);
        for name in named.iter().filter(is_test) {
            assert!(names.contains(*name), "there is no test `{name}`: {row}");
        }
    }
}
