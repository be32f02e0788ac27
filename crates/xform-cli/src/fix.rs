//! `xform fix`: the repair of one file, or of all in a folder.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs,
    io::{self, Read},
    path::{Component, Path, PathBuf},
    slice,
};

use percent_encoding::percent_decode_str;
use xform_fix::{
    Fix, FixError, Options, Output, RepairKind, SameFolder, fix, write_fix_json, write_fix_text,
};
use xform_scene::{
    BuiltIn,
    gltf::{Animations, GltfAsset},
    read_gltf_file,
    text::reference_part,
};

use crate::{
    arguments::FixArguments,
    choices::{FixFormat, FixRepair},
    ending::Ending,
    engines,
    failure::Failure,
    fbx, files,
    open_regular::open_regular,
    output::{self, Replacements},
    overwritten::{Overwritten, WouldOverwrite},
    scene_argument::{folder_of, name},
};

/// Repairs what was named. A bad file hides none of the others.
pub(crate) fn run(arguments: &FixArguments) -> Result<Ending, Failure> {
    let input = Path::new(&arguments.input);
    let is_standard = |path: &Path| path == Path::new("-");
    if is_standard(input) || arguments.output.as_deref().is_some_and(is_standard) {
        return Err("a repair goes from a file to a file, not through standard streams".into());
    }
    let mut ending = Ending::Done;
    for job in jobs(input, arguments)? {
        let (status, lines) = match job.and_then(|job| repaired(&job, arguments)) {
            Ok(status) => (status, Vec::new()),
            Err(Bad { status, lines }) => (status, lines),
        };
        lines.iter().for_each(|line| output::say_problem(line));
        ending = ending.max(status);
    }
    Ok(ending)
}

/// Why a file was not repaired.
struct Bad {
    status: Ending,
    lines: Vec<String>,
}

impl Bad {
    fn input(line: impl Into<String>) -> Self {
        Self { status: Ending::SomeFailed, lines: vec![line.into()] }
    }
}

impl From<WouldOverwrite> for Bad {
    fn from(kept: WouldOverwrite) -> Self {
        Self::input(kept.to_string())
    }
}

/// A file to repair.
struct Job {
    input: PathBuf,
    /// The folder of the inputs, and where the file is in it.
    folder: PathBuf,
    inside: PathBuf,
    /// Where the repaired file goes; nowhere for a dry run.
    output: Option<PathBuf>,
}

/// The files to repair, those of a folder by name.
fn jobs(
    input: &Path,
    arguments: &FixArguments,
) -> Result<Box<dyn Iterator<Item = Result<Job, Bad>>>, Failure> {
    let target = match (arguments.dry_run, arguments.in_place) {
        (true, _) => None,
        (false, true) => Some(input.to_owned()),
        (false, false) => arguments.output.clone(),
    };
    if !input.is_dir() {
        if let Some(target) = target.as_ref().filter(|target| target.is_dir()) {
            return Err(
                format!("{}: it is a folder, and the input is a file", target.display()).into()
            );
        }
        let inside = input.file_name().unwrap_or(input.as_os_str()).into();
        let folder = folder_of(input).to_owned();
        let job = Job { input: input.to_owned(), folder, inside, output: target };
        return Ok(Box::new(std::iter::once(Ok(job))));
    }
    if let Some(target) = target.as_ref().filter(|target| target.is_file()) {
        return Err(format!("{}: it is a file, and the input is a folder", target.display()).into());
    }
    let named = std::iter::once(Ok(input.as_os_str().to_owned()));
    // All of them before any is written: the outputs may go below the inputs.
    let found: Vec<_> = files::gltf_in_folders(named).collect();
    let folder = input.to_owned();
    // What an earlier run wrote below the inputs is no input.
    let inputs = real(input);
    let outputs = target.as_deref().map(real);
    let outputs = outputs.filter(|outputs| outputs.starts_with(&inputs) && *outputs != inputs);
    let is_output = move |found: &OsStr| {
        outputs.as_ref().is_some_and(|outputs| real(Path::new(found)).starts_with(outputs))
    };
    let found = found.into_iter().filter(move |found| !found.as_deref().is_ok_and(&is_output));
    let mut found = found.peekable();
    if found.peek().is_none() {
        return Err(format!("{}: all of its files are among the outputs", input.display()).into());
    }
    Ok(Box::new(found.map(move |found| {
        let input = PathBuf::from(found.map_err(Bad::input)?);
        let inside = input.strip_prefix(&folder).unwrap_or(&input).to_owned();
        let output = target.as_ref().map(|target| target.join(&inside));
        Ok(Job { input, folder: folder.clone(), inside, output })
    })))
}

fn repaired(job: &Job, arguments: &FixArguments) -> Result<Ending, Bad> {
    let Job { input, output, .. } = job;
    let shown = name(input.as_os_str()).into_owned();
    let at_input = |error: &dyn std::fmt::Display| Bad::input(format!("{shown}: {error}"));
    if fbx::is_file(input) {
        return Err(at_input(
            &"it is FBX, and xform fix repairs glTF alone; export it as glTF first",
        ));
    }
    let bytes = read(input).map_err(|error| {
        if error.kind() == io::ErrorKind::NotFound && BuiltIn::named(&shown).is_some() {
            return at_input(&"it is a built-in scene, and xform fix repairs files");
        }
        at_input(&error)
    })?;
    let mut target = match output {
        Some(output) => Some(Target::of(job, output, arguments)?),
        None => None,
    };
    let mut options = Options::default();
    options.only.clone_from(&arguments.only);
    options.repair = match arguments.repair {
        FixRepair::Bake => RepairKind::Bake,
        FixRepair::Leaf => RepairKind::Leaf,
        FixRepair::Uniform => RepairKind::Uniform,
        FixRepair::Helper => RepairKind::Helper,
        FixRepair::Nearest => RepairKind::Nearest,
    };
    options.compact = arguments.compact;
    options.stamp = arguments.stamp;
    options.tolerance = arguments.tolerance;
    options.engines = engines::to_repair(&arguments.engines);
    // A dry run writes nothing, so no name is looked for.
    let nowhere = &mut SameFolder(String::new());
    let to: &mut dyn Output = target.as_mut().map_or(nowhere, |target| target);
    let fixed = GltfAsset::read(&bytes, Some(folder_of(input)))
        .map_err(FixError::from)
        .and_then(|asset| fix(&bytes, &asset, &shown, to, &options));
    let fixed = fixed.map_err(|error| match &error {
        FixError::NotProved(_) => Bad {
            status: Ending::NotProved,
            lines: vec![format!("{shown}: {error}; nothing was written")],
        },
        _ => at_input(&error),
    })?;
    if let Some(target) = &target {
        target.check_kind(input, &bytes)?;
    }
    let is_changed = fixed.file != bytes || fixed.data.is_some();
    let written = target.filter(|_| is_changed || !arguments.in_place);
    let copied = match &written {
        Some(target) => target.write(&fixed)?,
        None => 0,
    };
    for missing in written.iter().flat_map(|target| &target.missing) {
        output::say_problem(&format!("{shown}: `{missing}` is not there, and was not copied"));
    }
    let led_back = written.as_ref().filter(|target| target.leads_back);
    let led_back = led_back.and_then(|target| target.way.clone().ok());
    let written = written.map(|target| target.file.display().to_string());
    let told = output::write(Path::new("-"), |out| match arguments.format {
        FixFormat::Text => {
            write_fix_text(&fixed, &shown, written.as_deref(), out)?;
            match copied {
                0 => {}
                1 => writeln!(out, "  Copied: 1 buffer or image.")?,
                _ => writeln!(out, "  Copied: {copied} buffers and images.")?,
            }
            led_back.iter().try_for_each(|way| {
                writeln!(
                    out,
                    "  What it refers to is still in {way}: keep both folders. xform reads no buffers outside of a file's folder, \
                     so it audits this one without them."
                )
            })
        }
        FixFormat::Json => write_fix_json(&fixed, &shown, written.as_deref(), out),
    });
    told.map_err(Bad::input)?;
    let is_whole = fixed.groups.iter().all(|group| group.refusals.is_empty());
    let is_left = !is_whole
        || fixed.remaining.nodes[1] > 0
        || !fixed.unknown.is_empty()
        || fixed.not_compacted.is_some()
        || !fixed.not_judged.is_empty()
        || !fixed.unknown_extensions.is_empty();
    Ok(if arguments.strict && is_left { Ending::Exceeded } else { Ending::Done })
}

/// How many bytes of a file are read: a GLB can have no more.
const MOST: u64 = 1 << 32;

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        Err(io::Error::other(format!("it has more than {MOST} bytes")))
    } else {
        Ok(bytes)
    }
}

/// Where a repaired file goes.
struct Target<'a> {
    job: &'a Job,
    arguments: &'a FixArguments,
    file: PathBuf,
    /// Where the new data of a `.gltf` file go, once they are known.
    data: Option<PathBuf>,
    /// What leads from the folder of the file to that of the input, as a URI; nothing where they are one.
    way: Result<String, String>,
    /// Whether a URI goes this way.
    leads_back: bool,
    /// The files to copy, from the folder of the inputs on.
    copied: BTreeSet<PathBuf>,
    /// The URIs of files to copy that are not there.
    missing: BTreeSet<String>,
}

impl<'a> Target<'a> {
    fn of(job: &'a Job, file: &Path, arguments: &'a FixArguments) -> Result<Self, Bad> {
        let bad =
            |what: &str| Bad::input(format!("{}: {what}; nothing was written", file.display()));
        if let Ok(existing) = fs::symlink_metadata(file) {
            if existing.is_symlink() {
                return Err(bad("it is a link; name the file that it leads to"));
            }
            if !existing.is_file() {
                return Err(bad("it is there already, and no regular file"));
            }
        }
        // Neither the input nor its buffers are written over, by whatever name. What cannot be read is told later.
        let scene = read_gltf_file(&job.input, Animations::Skip);
        let mut inputs = scene.map_or_else(|_| Vec::new(), |scene| scene.buffers);
        let way = way(folder_of(file), folder_of(&job.input));
        if !arguments.in_place {
            inputs.push(job.input.clone());
        }
        let overwritten = Overwritten::by(&[file.to_owned()]);
        inputs.iter().try_for_each(|input| overwritten.check(input))?;
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

    /// Fails where the name does not say what is in the file.
    fn check_kind(&self, input: &Path, bytes: &[u8]) -> Result<(), Bad> {
        let is_glb = bytes.starts_with(b"glTF");
        let extension = self.file.extension().and_then(OsStr::to_str).unwrap_or_default();
        let kinds: &[&str] = if is_glb { &["glb", "vrm"] } else { &["gltf"] };
        if kinds.iter().any(|kind| extension.eq_ignore_ascii_case(kind)) {
            return Ok(());
        }
        let (is, must) = if is_glb { ("a GLB", ".glb or .vrm") } else { ("no GLB", ".gltf") };
        let (file, input) = (self.file.display(), input.display());
        Err(Bad::input(format!("{file}: {input} is {is}, so the output must be {must}")))
    }

    /// Writes the file, and before it what it names, so that it is never there without that. Returns how many files were copied.
    fn write(&self, fixed: &Fix) -> Result<usize, Bad> {
        let is_forced = self.arguments.force;
        let mut replacements = Replacements::default();
        let mut add = |path: &Path, bytes: &[u8]| -> Result<(), Bad> {
            if !is_forced || path.is_dir() {
                check_free(path).map_err(|why| Bad::input(format!("{}: {why}", path.display())))?;
            }
            output::make_folder(folder_of(path)).map_err(Bad::input)?;
            replacements.add(path, bytes, !is_forced).map_err(Bad::input)
        };
        let mut copied = 0;
        for inside in &self.copied {
            let (from, to) = (self.job.folder.join(inside), self.outputs().join(inside));
            let bytes =
                read(&from).map_err(|error| Bad::input(format!("{}: {error}", from.display())))?;
            if !is_file_of(&to, &bytes) {
                Overwritten::by(slice::from_ref(&to)).check(&from)?;
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
        replacements.put().map_err(Bad::input)?;
        Ok(copied)
    }

    /// The folder of the outputs.
    fn outputs(&self) -> &Path {
        let above = self.job.inside.components().count();
        self.file.ancestors().nth(above).unwrap_or(Path::new(""))
    }

    /// Where a file that is named beside the input is, from the folder of the inputs on; `None` where it is not in that folder, or a link leads to
    /// another place on the way: its name would lead elsewhere from the output.
    fn inside(&self, named: &Path) -> Option<PathBuf> {
        let beside = folder_of(&self.job.inside);
        let inside = inside(&beside.join(named))?;
        let is_there = real(&self.job.folder.join(beside).join(named));
        // What goes down and up again leads through a folder that the output does not have.
        let goes_up = |part: &Component<'_>| matches!(part, Component::ParentDir);
        let is_plain = !named.components().skip_while(goes_up).any(|part| goes_up(&part));
        let is_here = is_there.parent() == real(&self.job.folder.join(&inside)).parent();
        (is_plain && is_here).then_some(inside)
    }
}

/// A path from a folder on, without steps up; `None` where it leads out of the folder.
fn inside(path: &Path) -> Option<PathBuf> {
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

/// Whether a URI begins with a scheme (RFC 3986, section 3.1). A colon behind a slash is part of a name.
fn has_scheme(uri: &str) -> bool {
    let scheme = uri.split_once(':').map_or("", |(scheme, _)| scheme);
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

/// The path that a URI names.
fn decoded(uri: &str) -> PathBuf {
    let bytes = percent_decode_str(uri);
    #[cfg(unix)]
    {
        let bytes: Vec<u8> = bytes.collect();
        PathBuf::from(<std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes))
    }
    #[cfg(not(unix))]
    PathBuf::from(bytes.decode_utf8_lossy().into_owned())
}

/// Why a file must not be replaced without being asked twice.
fn check_free(file: &Path) -> Result<(), String> {
    let Ok(existing) = fs::symlink_metadata(file) else { return Ok(()) };
    if existing.is_symlink() {
        return Err("it is a link, which is not replaced; --force does".to_owned());
    }
    if !existing.is_file() {
        return Err("it is there already, and no regular file".to_owned());
    }
    if existing.permissions().readonly() {
        return Err(
            "it is write-protected, and perhaps not checked out; --force replaces it".to_owned()
        );
    }
    #[cfg(unix)]
    if let names @ 2.. = std::os::unix::fs::MetadataExt::nlink(&existing) {
        return Err(format!(
            "it has {names} names (hard links), and only this one would name the repaired file; --force replaces it"
        ));
    }
    Ok(())
}

impl Output for Target<'_> {
    /// The URI of new data beside the file. They never replace other data, which a file may still need: where there are some
    /// by that name, or may be copied there, theirs has a number.
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
            // That nothing can be there is told by who writes it.
            Err(_) => true,
        };
        let mut paths = names.take(MOST_DATA).map(|extension| self.file.with_extension(extension));
        let shown = self.file.display();
        let path = paths.find(is_free).ok_or(format!("{shown}: no name is left for its data"))?;
        let name = path.file_name().and_then(OsStr::to_str);
        let name = name
            .ok_or(format!("{shown}: its name is not UTF-8, which that of its data has to be"))?;
        let uri = reference_part(name);
        self.data = Some(path);
        Ok(uri)
    }

    /// A URI of the input as it is seen from the output: as it is where what it names is copied.
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

/// How many files of data a repaired file may have beside it.
const MOST_DATA: usize = 1000;

/// Whether these are the bytes of a file.
fn is_file_of(path: &Path, bytes: &[u8]) -> bool {
    let is_as_long = fs::metadata(path).is_ok_and(|there| there.len() == bytes.len() as u64);
    is_as_long && fs::read(path).is_ok_and(|there| there == bytes)
}

/// What leads from one folder to another as the beginning of a URI; nothing where they are one.
fn way(from: &Path, to: &Path) -> Result<String, String> {
    let (from, to) = (real(from), real(to));
    let common = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    if common == 0 {
        return Err(format!("nothing leads from {} to {}", from.display(), to.display()));
    }
    let up = from.components().skip(common).map(|_| "..".to_owned());
    let down = to.components().skip(common).map(|part| {
        let name = part.as_os_str().to_str().map(reference_part);
        name.ok_or_else(|| {
            format!("{}: its name is not UTF-8, which a URI to it has to be", to.display())
        })
    });
    let parts = up.map(Ok).chain(down).collect::<Result<Vec<_>, _>>()?;
    Ok(parts.into_iter().map(|part| part + "/").collect())
}

/// A URI at the end of a way to its folder: without the steps down that it goes up again, of which none is a link.
fn joined(way: &str, uri: &str) -> String {
    let mut way: Vec<_> = way.split_terminator('/').collect();
    let mut uri = uri;
    while let Some(above) = uri.strip_prefix("../")
        && way.pop_if(|last| *last != "..").is_some()
    {
        // Slashes that follow one another are one.
        uri = above.trim_start_matches('/');
    }
    way.into_iter().chain([uri]).collect::<Vec<_>>().join("/")
}

/// A folder without links, whether it is there yet or not.
fn real(folder: &Path) -> PathBuf {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    match (fs::canonicalize(folder), folder.parent(), folder.file_name()) {
        (Ok(real), ..) => real,
        (Err(_), Some(parent), Some(name)) => real(parent).join(name),
        (Err(_), ..) => folder.to_owned(),
    }
}
