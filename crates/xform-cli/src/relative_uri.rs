//! Relative URIs of files, and the paths that they name.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use percent_encoding::percent_decode_str;
use xform_scene::text::reference_part;

/// Normalises a path relative to a folder. `None` if it leads out of the folder.
pub(crate) fn inside(path: &Path) -> Option<PathBuf> {
    path.components().try_fold(PathBuf::new(), |mut inside, part| {
        match part {
            Component::Normal(part) => inside.push(part),
            Component::ParentDir if inside.pop() => {}
            Component::CurDir => {}
            _ => return None,
        }
        Some(inside)
    })
}

/// Whether a URI begins with a scheme (RFC 3986, section 3.1). A colon after a slash is part of a name.
pub(crate) fn has_scheme(uri: &str) -> bool {
    let scheme = uri.split_once(':').map_or("", |(scheme, _)| scheme);
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

/// Returns the path that a URI names.
pub(crate) fn decoded(uri: &str) -> PathBuf {
    let bytes = percent_decode_str(uri);
    #[cfg(unix)]
    {
        let bytes: Vec<u8> = bytes.collect();
        PathBuf::from(<std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes))
    }
    #[cfg(not(unix))]
    PathBuf::from(bytes.decode_utf8_lossy().into_owned())
}

/// Returns the URI prefix that leads from one folder to another, empty if they are the same.
pub(crate) fn way(from: &Path, to: &Path) -> Result<String, String> {
    let (from, to) = (real(from), real(to));
    let common = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    if common == 0 {
        return Err(format!("no relative path leads from {} to {}", from.display(), to.display()));
    }
    let up = from.components().skip(common).map(|_| "..".to_owned());
    let down = to.components().skip(common).map(|part| {
        let name = part.as_os_str().to_str().map(reference_part);
        name.ok_or_else(|| format!("{}: its name is not UTF-8, as a URI requires", to.display()))
    });
    let parts = up.map(Ok).chain(down).collect::<Result<Vec<_>, _>>()?;
    Ok(parts.into_iter().map(|part| part + "/").collect())
}

/// Appends a URI to the prefix of its folder. Where the URI goes up again, steps down are dropped; none of them is a
/// link.
pub(crate) fn joined(way: &str, uri: &str) -> String {
    let mut way: Vec<_> = way.split_terminator('/').collect();
    let mut uri = uri;
    while let Some(above) = uri.strip_prefix("../")
        && way.pop_if(|last| *last != "..").is_some()
    {
        // Consecutive slashes count as one.
        uri = above.trim_start_matches('/');
    }
    way.into_iter().chain([uri]).collect::<Vec<_>>().join("/")
}

/// Resolves the links in a folder's path, whether the folder exists yet or not.
pub(crate) fn real(folder: &Path) -> PathBuf {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    match (fs::canonicalize(folder), folder.parent(), folder.file_name()) {
        (Ok(real), ..) => real,
        (Err(_), Some(parent), Some(name)) => real(parent).join(name),
        (Err(_), ..) => folder.to_owned(),
    }
}
