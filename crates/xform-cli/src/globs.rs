//! Patterns on the command line. The shells of Windows do not expand them, and others do not if they are quoted.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use globset::{GlobBuilder, GlobSetBuilder};
use walkdir::WalkDir;

use crate::dead_links::may_hide_scenes;

/// Replaces each pattern with its matches, sorted by name. An unreadable folder and a pattern without a match become
/// error lines.
pub(crate) fn expanded(arguments: &[OsString]) -> impl Iterator<Item = Result<OsString, String>> {
    arguments.iter().flat_map(|argument| match pattern(argument) {
        Some(pattern) => matches(pattern).unwrap_or_else(|line| vec![Err(line)]),
        None => vec![Ok(argument.clone())],
    })
}

/// Returns the argument if it is a pattern. An existing file is not a pattern, whatever its name.
fn pattern(argument: &OsStr) -> Option<&str> {
    let text = argument.to_str()?;
    (text.contains(['*', '?', '[']) && !Path::new(text).exists()).then_some(text)
}

/// Returns the files and folders that a pattern matches. The contents of a matching folder are not matched again.
fn matches(pattern: &str) -> Result<Vec<Result<OsString, String>>, String> {
    // Folders may have names like patterns. An existing folder is taken by its name.
    let mut names = Path::new(pattern).components().peekable();
    let mut folder = PathBuf::new();
    while let Some(name) = names.next_if(|name| folder.join(name).exists()) {
        folder.push(name);
    }
    let names: Vec<_> = names.map(|name| name.as_os_str().to_string_lossy()).collect();
    let glob = GlobBuilder::new(&names.join("/"))
        .literal_separator(true)
        .case_insensitive(cfg!(windows))
        .build()
        .and_then(|glob| GlobSetBuilder::new().add(glob).build())
        .map_err(|error| format!("{pattern}: {}", error.kind()))?;
    let depth = if names.iter().any(|name| name == "**") { usize::MAX } else { names.len() };
    let root = if folder == Path::new("") { Path::new(".") } else { &folder };
    // Links are followed, as shells do.
    let walk = WalkDir::new(root).follow_links(true).min_depth(1).max_depth(depth);
    let mut walk = walk.sort_by_file_name().into_iter();
    let mut found = Vec::new();
    let below = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_owned();
    let is_match = |path: &Path| glob.is_match(below(path));
    let named = |path: &Path| {
        let path = folder.join(below(path)).into_os_string();
        // A file named `-` must not be taken for standard input.
        if path == "-" { OsString::from("./-") } else { path }
    };
    while let Some(entry) = walk.next() {
        match entry {
            Ok(entry) if is_match(entry.path()) => {
                found.push(Ok(named(entry.path())));
                if entry.file_type().is_dir() {
                    walk.skip_current_dir();
                }
            }
            Ok(_) => {}
            // A link into a folder above it: its contents are matched in their own place.
            Err(error) if error.loop_ancestor().is_some() => {}
            Err(error) => match error.path().filter(|path| path.is_symlink()) {
                Some(link) if is_match(link) => found.push(Ok(named(link))),
                Some(link)
                    if error.io_error().is_some_and(|why| !may_hide_scenes(link, why.kind())) => {}
                _ => found.push(Err(error.to_string())),
            },
        }
    }
    if found.is_empty() { Err(format!("{pattern}: no file matches")) } else { Ok(found) }
}
