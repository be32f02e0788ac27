//! Writes repaired files with the files that belong to them, and protects existing files.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs,
    path::{Component, Path, PathBuf},
    slice,
};

use xform_fix::{Fix, Output};
use xform_scene::{gltf::Animations, read_gltf_file, text::reference_part};

use crate::{
    arguments::FixArguments,
    open_files::{open_regular, whole},
    output::{self, Replacements},
    overwritten::Overwritten,
    relative_uri::{decoded, has_scheme, inside, joined, real, way},
    scene_argument::folder_of,
};

/// A file to repair.
pub(crate) struct Job {
    pub(crate) input: PathBuf,
    /// The folder of the inputs, and the path of the file in it.
    pub(crate) folder: PathBuf,
    pub(crate) inside: PathBuf,
    /// The path of the repaired file, or `None` for a dry run.
    pub(crate) output: Option<PathBuf>,
}

/// The destination of a repaired file.
pub(crate) struct Target<'a> {
    job: &'a Job,
    arguments: &'a FixArguments,
    pub(crate) file: PathBuf,
    /// The path of the new data of a `.gltf` file, once they are known.
    data: Option<PathBuf>,
    /// The URI prefix from the folder of the file to that of the input, empty if they are the same.
    pub(crate) way: Result<String, String>,
    /// Whether a URI uses that prefix.
    pub(crate) leads_back: bool,
    /// The files to copy, relative to the folder of the inputs.
    copied: BTreeSet<PathBuf>,
    /// The URIs of missing files that should be copied.
    pub(crate) missing: BTreeSet<String>,
}

impl<'a> Target<'a> {
    pub(crate) fn of(
        job: &'a Job,
        file: &Path,
        arguments: &'a FixArguments,
    ) -> Result<Self, String> {
        check_regular(file)?;
        // Neither the input nor its buffers are overwritten, under any name. An unreadable file is reported later.
        let scene = read_gltf_file(&job.input, Animations::Skip);
        let mut inputs = scene.map_or_else(|_| Vec::new(), |scene| scene.buffers);
        let way = way(folder_of(file), folder_of(&job.input));
        if !arguments.in_place {
            inputs.push(job.input.clone());
        }
        let overwritten = Overwritten::by(&[file.to_owned()]);
        let mut kept = inputs.iter().map(|input| overwritten.check(input));
        kept.try_for_each(|kept| kept).map_err(|kept| kept.to_string())?;
        Ok(Self {
            job,
            arguments,
            file: file.to_owned(),
            data: None,
            way,
            leads_back: false,
            copied: BTreeSet::new(),
            missing: BTreeSet::new(),
        })
    }

    /// Fails if the name of the output does not fit its format.
    pub(crate) fn check_kind(&self, input: &Path, bytes: &[u8]) -> Result<(), String> {
        let is_glb = bytes.starts_with(b"glTF");
        let extension = self.file.extension().and_then(OsStr::to_str).unwrap_or_default();
        let kinds: &[&str] = if is_glb { &["glb", "vrm"] } else { &["gltf"] };
        if kinds.iter().any(|kind| extension.eq_ignore_ascii_case(kind)) {
            return Ok(());
        }
        let (is, must) = if is_glb { ("a GLB", ".glb or .vrm") } else { ("not a GLB", ".gltf") };
        let (file, input) = (self.file.display(), input.display());
        Err(format!("{file}: {input} is {is}, so the output must be {must}"))
    }

    /// Writes the file after the files that it refers to, so that it never exists without them. Returns the number of
    /// copied files.
    pub(crate) fn write(&self, fixed: &Fix) -> Result<usize, String> {
        let is_forced = self.arguments.force;
        let mut replacements = Replacements::default();
        let mut add = |path: &Path, bytes: &[u8]| -> Result<(), String> {
            check_regular(path)?;
            if !is_forced {
                check_free(path).map_err(|why| format!("{}: {why}", path.display()))?;
            }
            output::make_folder(folder_of(path))?;
            replacements.add(path, bytes, !is_forced)
        };
        let mut copied = 0;
        for inside in &self.copied {
            let (from, to) = (self.job.folder.join(inside), self.outputs().join(inside));
            let bytes = open_regular(&from).and_then(whole);
            let bytes = bytes.map_err(|error| format!("{}: {error}", from.display()))?;
            if !is_file_of(&to, &bytes) {
                let overwritten = Overwritten::by(slice::from_ref(&to));
                overwritten.check(&from).map_err(|kept| kept.to_string())?;
                add(&to, &bytes)?;
                copied += 1;
            }
        }
        if let Some((data, path)) = fixed.data.as_ref().zip(self.data.as_ref())
            && !path.exists()
        {
            add(path, data)?;
        }
        add(&self.file, &fixed.file)?;
        replacements.put()?;
        Ok(copied)
    }

    /// Returns the folder of the outputs.
    fn outputs(&self) -> &Path {
        let above = self.job.inside.components().count();
        self.file.ancestors().nth(above).unwrap_or(Path::new(""))
    }

    /// Returns the path of a file that the input refers to, relative to the folder of the inputs. `None` if it is
    /// outside that folder, or if a link on the way leads elsewhere: from the output its name would lead to another
    /// place.
    fn inside(&self, named: &Path) -> Option<PathBuf> {
        let beside = folder_of(&self.job.inside);
        let inside = inside(&beside.join(named))?;
        let is_there = real(&self.job.folder.join(beside).join(named));
        // A path that goes down and up again passes a folder that the output does not have.
        let goes_up = |part: &Component<'_>| matches!(part, Component::ParentDir);
        let is_plain = !named.components().skip_while(goes_up).any(|part| goes_up(&part));
        let is_here = is_there.parent() == real(&self.job.folder.join(&inside)).parent();
        (is_plain && is_here).then_some(inside)
    }
}

/// Fails if something other than a regular file exists there.
fn check_regular(file: &Path) -> Result<(), String> {
    let why = match fs::symlink_metadata(file) {
        Ok(existing) if existing.is_symlink() => "it is a link; name its target instead",
        Ok(existing) if !existing.is_file() => "it already exists and is not a regular file",
        _ => return Ok(()),
    };
    Err(format!("{}: {why}; nothing was written", file.display()))
}

/// Returns why a file must not be replaced without `--force`.
fn check_free(file: &Path) -> Result<(), String> {
    let Ok(existing) = fs::symlink_metadata(file) else { return Ok(()) };
    if existing.permissions().readonly() {
        return Err(
            "it is write-protected, perhaps because it is not checked out; --force replaces it"
                .to_owned(),
        );
    }
    #[cfg(unix)]
    if let names @ 2.. = std::os::unix::fs::MetadataExt::nlink(&existing) {
        return Err(format!(
            "it has {names} hard links, and only this one would lead to the repaired file; --force replaces it"
        ));
    }
    Ok(())
}

impl Output for Target<'_> {
    /// Returns the URI of new data beside the file. They never replace other data, which a file may still need: if the
    /// name is taken, or a file may be copied there, the name gets a number.
    fn data_uri(&mut self, data: &[u8]) -> Result<String, String> {
        let names =
            std::iter::once("bin".to_owned()).chain((2..).map(|count| format!("{count}.bin")));
        let beside = &self.job.input;
        let is_copied = |path: &Path| {
            let name = path.file_name().filter(|_| self.arguments.copy);
            name.is_some_and(|name| fs::symlink_metadata(beside.with_file_name(name)).is_ok())
        };
        let is_free = |path: &PathBuf| match fs::symlink_metadata(path) {
            _ if is_copied(path) => false,
            Ok(there) => there.is_file() && is_file_of(path, data),
            // If nothing can exist there, the writer reports it.
            Err(_) => true,
        };
        let mut paths = names.take(MOST_DATA).map(|extension| self.file.with_extension(extension));
        let shown = self.file.display();
        let path = paths
            .find(is_free)
            .ok_or(format!("{shown}: no free name is left for its data file"))?;
        let name = path.file_name().and_then(OsStr::to_str);
        let name = name.ok_or(format!(
            "{shown}: its name is not UTF-8, as the name of its data file must be"
        ))?;
        let uri = reference_part(name);
        self.data = Some(path);
        Ok(uri)
    }

    /// Returns a URI of the input as seen from the output. It stays the same if its file is copied.
    fn relocate(&mut self, uri: &str) -> Result<String, String> {
        if has_scheme(uri) || uri.starts_with('/') {
            return Ok(uri.to_owned());
        }
        if self.arguments.copy
            && let Some(inside) = self.inside(&decoded(uri))
        {
            if self.job.folder.join(&inside).is_file() {
                self.copied.insert(inside);
            } else {
                self.missing.insert(uri.to_owned());
            }
            return Ok(uri.to_owned());
        }
        let way = self.way.clone()?;
        if way.is_empty() {
            return Ok(uri.to_owned());
        }
        self.leads_back = true;
        Ok(joined(&way, uri))
    }
}

/// The most data files that are tried beside a repaired file.
const MOST_DATA: usize = 1000;

/// Whether a file has exactly these bytes.
fn is_file_of(path: &Path, bytes: &[u8]) -> bool {
    let is_as_long = fs::metadata(path).is_ok_and(|there| there.len() == bytes.len() as u64);
    is_as_long && fs::read(path).is_ok_and(|there| there == bytes)
}
