//! Finds the scenes to audit: on the command line, in folders and in lists.

use std::{
    collections::{HashSet, VecDeque},
    ffi::OsString,
    fs,
    io::{self, BufRead, BufReader, Read},
    iter, mem,
    path::{Path, PathBuf},
};

use walkdir::{DirEntry, WalkDir};

use crate::{
    arguments::{AuditArguments, Shard},
    dead_links::may_hide_scenes,
    fbx, globs,
    open_files::{open_stdin, open_text},
    output,
    overwritten::{Overwritten, WouldOverwrite},
};

/// A scene, or a line that reports why there is none.
pub(crate) type SceneFile = Result<OsString, String>;

/// Prints a line that belongs to no single scene.
type Say = fn(&str);

/// Returns the scenes to audit, lazily, so that there may be any number of them. Those of the command line come first,
/// with the files of a folder by name, then those of the list. The error of a scene that would be overwritten is
/// returned even if only another shard reads it.
pub(crate) fn scenes(
    arguments: &AuditArguments,
    overwritten: &Overwritten,
) -> Result<impl Iterator<Item = Result<SceneFile, WouldOverwrite>>, String> {
    scenes_saying(arguments, overwritten, output::say_problem)
}

fn scenes_saying(
    arguments: &AuditArguments,
    overwritten: &Overwritten,
    say: Say,
) -> Result<impl Iterator<Item = Result<SceneFile, WouldOverwrite>>, String> {
    let named = globs::expanded(&arguments.scenes);
    let named = in_folders_if(named, OF_ANY, is_scene, say);
    let listed = match &arguments.files_from {
        Some(list) => Some(lines(list, say)?),
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

/// Replaces folders with the scenes in them.
pub(crate) fn in_folders(
    named: impl Iterator<Item = SceneFile>,
) -> impl Iterator<Item = SceneFile> {
    in_folders_if(named, OF_ANY, is_scene, output::say_problem)
}

/// The file names that [`is_scene`] accepts.
const OF_ANY: &str = ".gltf, .glb, .vrm or .fbx";

fn is_scene(path: &Path) -> bool {
    is_gltf(path) || fbx::has_name(path)
}

/// Replaces folders with the glTF files in them.
pub(crate) fn gltf_in_folders(
    named: impl Iterator<Item = SceneFile>,
) -> impl Iterator<Item = SceneFile> {
    in_folders_if(named, ".gltf, .glb or .vrm", is_gltf, output::say_problem)
}

fn in_folders_if(
    named: impl Iterator<Item = SceneFile>,
    wanted: &'static str,
    is_wanted: fn(&Path) -> bool,
    say: Say,
) -> impl Iterator<Item = SceneFile> {
    named.flat_map(move |found| match found {
        Ok(scene) => expanded(scene, wanted, is_wanted, say),
        Err(line) => Box::new(iter::once(Err(line))),
    })
}

/// Expands a folder to all wanted files in it, at any depth, or to an error if it has none. Anything else stays as it
/// is.
fn expanded(
    scene: OsString,
    wanted: &str,
    is_wanted: fn(&Path) -> bool,
    say: Say,
) -> Box<dyn Iterator<Item = SceneFile> + Send> {
    if !Path::new(&scene).is_dir() {
        return Box::new(iter::once(Ok(scene)));
    }
    let nothing = format!("{}: it contains no {wanted} file", scene.display());
    let mut files = Walk::new(PathBuf::from(scene), is_wanted, say).peekable();
    let nothing = files.peek().is_none().then_some(Err(nothing));
    Box::new(files.chain(nothing))
}

/// The files of a folder by name, followed by the targets of its symbolic links, link by link. Each target is returned
/// once, however many links lead to it.
struct Walk {
    folder: PathBuf,
    is_wanted: fn(&Path) -> bool,
    walk: walkdir::IntoIter,
    /// Links that have not been followed yet.
    links: VecDeque<PathBuf>,
    /// The real paths of the folders that are searched, and of the files that links have led to.
    searched: Vec<PathBuf>,
    led_to: HashSet<PathBuf>,
    /// Links that are skipped: they lead back to a folder that contains them, or to something that is searched anyway.
    spared: Vec<PathBuf>,
    say: Say,
}

impl Walk {
    fn new(folder: PathBuf, is_wanted: fn(&Path) -> bool, say: Say) -> Self {
        Self {
            is_wanted,
            walk: walk(&folder),
            links: VecDeque::new(),
            searched: fs::canonicalize(&folder).into_iter().collect(),
            led_to: HashSet::new(),
            spared: Vec::new(),
            folder,
            say,
        }
    }

    /// Follows a link and returns its target if that is a scene. A folder is searched next.
    fn follow(&mut self, link: PathBuf) -> Option<SceneFile> {
        let is_wanted = (self.is_wanted)(&link);
        let target = match fs::canonicalize(&link) {
            Ok(target) => target,
            // The reader will report that the link is dead.
            Err(_) if is_wanted => return Some(Ok(link.into_os_string())),
            Err(error) if may_hide_scenes(&link, error.kind()) => {
                return Some(Err(format!(
                    "{}: the link cannot be followed: {error}",
                    link.display()
                )));
            }
            Err(_) => return None,
        };
        let is_dir = target.is_dir();
        let is_within = self.searched.iter().any(|folder| target.starts_with(folder));
        let is_known = is_within && (is_dir || (self.is_wanted)(&target));
        let above = link.parent().and_then(|folder| fs::canonicalize(folder).ok());
        let is_loop = above.is_some_and(|above| above.starts_with(&target));
        if is_known || is_loop || self.led_to.contains(&target) {
            if is_dir || is_wanted {
                self.spared.push(link);
            }
            return None;
        }
        if is_dir {
            self.walk = walk(&link);
            self.searched.push(target);
            return None;
        }
        if !is_wanted {
            return None;
        }
        self.led_to.insert(target);
        Some(Ok(link.into_os_string()))
    }

    /// Whether another link, or the folder itself, has already led to this entry. Always false within the folder
    /// itself.
    fn is_known(&self, entry: &DirEntry) -> bool {
        if self.searched.len() < 2 && self.led_to.is_empty() || entry.depth() == 0 {
            return false;
        }
        fs::canonicalize(entry.path()).is_ok_and(|path| {
            self.led_to.contains(&path)
                || entry.file_type().is_dir() && self.searched.contains(&path)
        })
    }

    /// Reports the skipped links once.
    fn say_spared(&mut self) {
        let links = mem::take(&mut self.spared);
        if links.is_empty() {
            return;
        }
        let named = links.iter().take(NAMED).map(|link| link.display().to_string());
        let named = named.collect::<Vec<_>>().join(", ");
        let more = match links.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let folder = self.folder.display();
        (self.say)(&format!(
            "{folder}: skipped links that lead back or to folders searched anyway: {named}{more}"
        ));
    }
}

/// The number of skipped links that are listed by name.
const NAMED: usize = 3;

fn walk(folder: &Path) -> walkdir::IntoIter {
    WalkDir::new(folder).sort_by_file_name().into_iter()
}

impl Iterator for Walk {
    type Item = SceneFile;

    fn next(&mut self) -> Option<SceneFile> {
        loop {
            match self.walk.next() {
                Some(Ok(entry)) if entry.path_is_symlink() && entry.depth() > 0 => {
                    self.links.push_back(entry.into_path());
                }
                Some(Ok(entry)) if self.is_known(&entry) => {
                    if entry.file_type().is_dir() {
                        self.walk.skip_current_dir();
                    }
                }
                // Including special files: the reader will report them.
                Some(Ok(entry))
                    if entry.depth() > 0
                        && !entry.file_type().is_dir()
                        && (self.is_wanted)(entry.path()) =>
                {
                    return Some(Ok(entry.into_path().into_os_string()));
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Some(Err(error.to_string())),
                None => match self.links.pop_front() {
                    Some(link) => {
                        if let Some(found) = self.follow(link) {
                            return Some(found);
                        }
                    }
                    None => {
                        self.say_spared();
                        return None;
                    }
                },
            }
        }
    }
}

fn is_gltf(path: &Path) -> bool {
    // By the name, since a file that is called `.gltf` has no extension.
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    [".gltf", ".glb", ".vrm"].iter().any(|end| name.ends_with(end))
}

/// The most bytes in a line of a list. Paths are shorter on every system.
const LONGEST_LINE: u64 = 1 << 16;

/// Returns the lines of a file, or of standard input for `-`, without empty ones.
fn lines(list: &Path, say: Say) -> Result<impl Iterator<Item = SceneFile> + use<>, String> {
    let name = list.display().to_string();
    let reader: Box<dyn Read + Send> = if list == Path::new("-") {
        Box::new(open_stdin().map_err(|error| format!("{name}: {error}"))?)
    } else {
        Box::new(open_text(list).map_err(|error| format!("{name}: {error}"))?)
    };
    let mut reader = BufReader::new(reader);
    let nothing = format!("{name}: it lists no scene, so nothing was checked");
    let (mut is_at_end, mut is_empty) = (false, true);
    let line = move |bytes: io::Result<Vec<u8>>| match bytes {
        // Checked first: a list separated by NUL would otherwise count as one long line.
        Ok(bytes) if bytes.contains(&0) => Some(Err(format!(
            "{name}: a line contains a NUL character; a list must be UTF-8, or UTF-16 with a byte-order mark, with one path per \
             line, not separated by NUL as `find -print0` does"
        ))),
        Ok(bytes) if bytes.len() as u64 > LONGEST_LINE => {
            Some(Err(format!("{name}: a line is too long for a path")))
        }
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
        Some(read.map(|_| bytes))
    });
    let mut lines = lines.filter_map(line);
    Ok(iter::from_fn(move || {
        let line = lines.next();
        if line.is_none() && is_empty {
            say(&nothing);
        }
        is_empty = false;
        line
    }))
}

#[cfg(unix)]
fn path(bytes: Vec<u8>) -> Option<OsString> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes))
}

#[cfg(not(unix))]
fn path(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(Into::into)
}

/// Counts the scenes. `None` if they come from standard input or a pipe, which can be read only once.
pub(crate) fn count(arguments: &AuditArguments) -> Option<u64> {
    let is_read_once = |list: &PathBuf| list == Path::new("-") || !list.is_file();
    if arguments.files_from.as_ref().is_some_and(is_read_once) {
        return None;
    }
    scenes_saying(arguments, &Overwritten::nothing(), |_| {}).ok()?.count().try_into().ok()
}
