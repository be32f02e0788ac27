//! What to audit: the scenes of the command line, what is in folders, what a list names.

use std::{
    ffi::{OsStr, OsString},
    io::{self, BufRead, BufReader, Read},
    iter,
    path::Path,
};

use walkdir::WalkDir;

use crate::{
    arguments::{AuditArguments, Shard},
    fbx, globs,
    open_regular::open_regular,
    overwritten::{Overwritten, WouldOverwrite},
};

/// A scene, or a line that says why there is none.
pub(crate) type SceneFile = Result<OsString, String>;

/// The scenes to audit, one after the other and none before it is asked for, so that there may be any
/// number of them: first those of the command line, files of a folder by name, then those of the list. Also one that
/// would be overwritten, even if only another shard reads it.
pub(crate) fn scenes(
    arguments: &AuditArguments,
    overwritten: &Overwritten,
) -> Result<impl Iterator<Item = Result<SceneFile, WouldOverwrite>>, String> {
    let named = in_folders(globs::expanded(&arguments.scenes));
    let listed = match &arguments.files_from {
        Some(list) => Some(lines(list)?),
        None => None,
    };
    let all = named.chain(listed.into_iter().flatten()).map(|found| {
        let kept = found.as_ref().map_or(Ok(()), |scene| overwritten.check_scene(scene));
        kept.map(|()| found)
    });
    let Shard { part, of } = arguments.shard.unwrap_or(Shard { part: 1, of: 1 });
    let asked =
        all.enumerate().filter(move |(place, found)| found.is_err() || place % of == part - 1);
    Ok(asked.map(|(_, found)| found))
}

/// Scenes that are no folders, and the files of those that are.
pub(crate) fn in_folders(
    named: impl Iterator<Item = SceneFile>,
) -> impl Iterator<Item = SceneFile> {
    in_folders_if(named, ".gltf, .glb, .vrm or .fbx", |path| is_gltf(path) || fbx::has_name(path))
}

/// The same, of glTF alone.
pub(crate) fn gltf_in_folders(
    named: impl Iterator<Item = SceneFile>,
) -> impl Iterator<Item = SceneFile> {
    in_folders_if(named, ".gltf, .glb or .vrm", is_gltf)
}

fn in_folders_if(
    named: impl Iterator<Item = SceneFile>,
    wanted: &'static str,
    is_wanted: fn(&Path) -> bool,
) -> impl Iterator<Item = SceneFile> {
    named.flat_map(move |found| match found {
        Ok(scene) => expanded(scene, wanted, is_wanted),
        Err(line) => Box::new(iter::once(Err(line))),
    })
}

/// A folder is all files in it that are wanted, however deep, and a mistake where there is none; anything else is itself.
fn expanded(
    scene: OsString,
    wanted: &str,
    is_wanted: fn(&Path) -> bool,
) -> Box<dyn Iterator<Item = SceneFile> + Send> {
    if !Path::new(&scene).is_dir() {
        return Box::new(iter::once(Ok(scene)));
    }
    let nothing = format!("{}: no {wanted} file in it", scene.display());
    let walk = WalkDir::new(scene).sort_by_file_name();
    let files = walk.into_iter().filter_map(move |entry| match entry {
        Ok(entry) if entry.file_type().is_file() && is_wanted(entry.path()) => {
            Some(Ok(entry.into_path().into_os_string()))
        }
        Ok(_) => None,
        Err(error) => Some(Err(error.to_string())),
    });
    let mut files = files.peekable();
    let nothing = files.peek().is_none().then_some(Err(nothing));
    Box::new(files.chain(nothing))
}

fn is_gltf(path: &Path) -> bool {
    let is = |wanted| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(wanted));
    is("gltf") || is("glb") || is("vrm")
}

/// How many bytes a line of a list may have: a path has fewer everywhere.
const LONGEST_LINE: u64 = 1 << 16;

/// The lines of a file, or of standard input for `-`; those without anything are left out.
fn lines(list: &Path) -> Result<impl Iterator<Item = SceneFile> + use<>, String> {
    let name = list.display().to_string();
    let mut reader: Box<dyn BufRead + Send> = if list == Path::new("-") {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let file = open_regular(list).map_err(|error| format!("{name}: {error}"))?;
        Box::new(BufReader::new(file))
    };
    let mut is_at_end = false;
    let line = move |bytes: io::Result<Vec<u8>>| match bytes {
        Ok(mut bytes) => {
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
            }
            (!bytes.is_empty()).then(|| path(bytes).ok_or(format!("{name}: a path is not UTF-8")))
        }
        Err(error) => Some(Err(format!("{name}: {error}"))),
    };
    let lines = iter::from_fn(move || {
        if is_at_end {
            return None;
        }
        let mut bytes = Vec::new();
        let read = reader.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut bytes);
        is_at_end = bytes.pop_if(|last| *last == b'\n').is_none();
        Some(match read {
            Ok(_) if bytes.len() as u64 > LONGEST_LINE => {
                Err(io::Error::other("a line is too long for a path"))
            }
            Ok(_) => Ok(bytes),
            Err(error) => Err(error),
        })
    });
    Ok(lines.filter_map(line))
}

#[cfg(unix)]
fn path(bytes: Vec<u8>) -> Option<OsString> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes))
}

#[cfg(not(unix))]
fn path(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(Into::into)
}

/// How many scenes there will be; `None` if they are named on standard input, which can be read only once.
pub(crate) fn count(arguments: &AuditArguments) -> Option<u64> {
    let is_input = |name: &OsStr| name == "-";
    if arguments.files_from.as_ref().is_some_and(|list| is_input(list.as_os_str())) {
        return None;
    }
    scenes(arguments, &Overwritten::nothing()).ok()?.count().try_into().ok()
}
