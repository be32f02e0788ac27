//! Patterns on the command line. The shells of Windows hand them over as they are, and others do where they are quoted.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use globset::{GlobBuilder, GlobSetBuilder};
use walkdir::WalkDir;

use crate::dead_links::may_hide_scenes;

/// The arguments, with what it matches in place of each pattern, sorted by name; a line for what cannot be read,
/// and for a pattern that matches nothing.
pub(crate) fn expanded(arguments: &[OsString]) -> impl Iterator<Item = Result<OsString, String>> {
    arguments.iter().flat_map(|argument| match pattern(argument) {
        Some(pattern) => matches(pattern).unwrap_or_else(|line| vec![Err(line)]),
        None => vec![Ok(argument.clone())],
    })
}

/// An argument that is a pattern: what exists is none, whatever its name.
fn pattern(argument: &OsStr) -> Option<&str> {
    let text = argument.to_str()?;
    (text.contains(['*', '?', '[']) && !Path::new(text).exists()).then_some(text)
}

/// The files and folders that a pattern matches; what is in such a folder is not matched again.
fn matches(pattern: &str) -> Result<Vec<Result<OsString, String>>, String> {
    // Folders are called like patterns too: what exists is taken by its name.
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
    // Through links, as shells go.
    let walk = WalkDir::new(root).follow_links(true).min_depth(1).max_depth(depth);
    let mut walk = walk.sort_by_file_name().into_iter();
    let mut found = Vec::new();
    let below = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_owned();
    let is_match = |path: &Path| glob.is_match(below(path));
    let named = |path: &Path| {
        let path = folder.join(below(path)).into_os_string();
        // A file that is called as standard input is none.
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
            // What is in it is matched where it is.
            Err(error) if error.loop_ancestor().is_some() => {}
            Err(error) => match error.path().filter(|path| path.is_symlink()) {
                Some(link) if is_match(link) => found.push(Ok(named(link))),
                Some(link)
                    if error.io_error().is_some_and(|why| !may_hide_scenes(link, why.kind())) => {}
                _ => found.push(Err(error.to_string())),
            },
        }
    }
    if found.is_empty() { Err(format!("{pattern}: matches nothing")) } else { Ok(found) }
}
