//! `xform fix`: repairs one file, or all files of a folder.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
};

use xform_fix::{
    FixError, Options, Output, RepairKind, SameFolder, fix, write_fix_json, write_fix_text,
};
use xform_scene::{BuiltIn, gltf::GltfAsset};

use crate::{
    arguments::FixArguments,
    choices::{FixFormat, FixRepair},
    ending::Ending,
    engines,
    failure::Failure,
    fbx, files,
    open_files::{open_regular, whole},
    output,
    relative_uri::real,
    repaired_file::{Job, Target},
    scene_argument::{folder_of, name},
};

/// Repairs the named files. A bad file does not hide the others.
pub(crate) fn run(arguments: &FixArguments) -> Result<Ending, Failure> {
    let input = Path::new(&arguments.input);
    let is_standard = |path: &Path| path == Path::new("-");
    if is_standard(input) || arguments.output.as_deref().is_some_and(is_standard) {
        return Err("xform fix reads and writes files, not standard input and output".into());
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

/// A file that was not repaired, with the reasons.
struct Bad {
    status: Ending,
    lines: Vec<String>,
}

impl Bad {
    fn input(line: impl Into<String>) -> Self {
        Self { status: Ending::SomeFailed, lines: vec![line.into()] }
    }
}

/// Returns the files to repair, those of a folder by name.
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
                format!("{}: it is a folder, but the input is a file", target.display()).into()
            );
        }
        let inside = input.file_name().unwrap_or(input.as_os_str()).into();
        let folder = folder_of(input).to_owned();
        let job = Job { input: input.to_owned(), folder, inside, output: target };
        return Ok(Box::new(std::iter::once(Ok(job))));
    }
    if let Some(target) = target.as_ref().filter(|target| target.is_file()) {
        return Err(format!("{}: it is a file, but the input is a folder", target.display()).into());
    }
    let named = std::iter::once(Ok(input.as_os_str().to_owned()));
    // All of them are found before any is written, because the outputs may go below the inputs.
    let found: Vec<_> = files::gltf_in_folders(named).collect();
    let folder = input.to_owned();
    // Files that an earlier run wrote below the inputs are not inputs.
    let inputs = real(input);
    let outputs = target.as_deref().map(real);
    let outputs = outputs.filter(|outputs| outputs.starts_with(&inputs) && *outputs != inputs);
    let is_output = move |found: &OsStr| {
        outputs.as_ref().is_some_and(|outputs| real(Path::new(found)).starts_with(outputs))
    };
    let found = found.into_iter().filter(move |found| !found.as_deref().is_ok_and(&is_output));
    let mut found = found.peekable();
    if found.peek().is_none() {
        return Err(
            format!("{}: all of its files are outputs of an earlier run", input.display()).into()
        );
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
            &"it is FBX, but xform fix repairs only glTF; export it as glTF first",
        ));
    }
    let bytes = open_regular(input).and_then(whole).map_err(|error| {
        if error.kind() == io::ErrorKind::NotFound && BuiltIn::named(&shown).is_some() {
            return at_input(&"it is a built-in scene, but xform fix repairs files");
        }
        at_input(&error)
    })?;
    let mut target = match output {
        Some(output) => Some(Target::of(job, output, arguments).map_err(Bad::input)?),
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
    // A dry run writes nothing, so it needs no file name.
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
        target.check_kind(input, &bytes).map_err(Bad::input)?;
    }
    let is_changed = fixed.file != bytes || fixed.data.is_some();
    let written = target.filter(|_| is_changed || !arguments.in_place);
    let copied = match &written {
        Some(target) => target.write(&fixed).map_err(Bad::input)?,
        None => 0,
    };
    for missing in written.iter().flat_map(|target| &target.missing) {
        output::say_problem(&format!("{shown}: `{missing}` does not exist and was not copied"));
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
                    "  It still refers to files in {way}: keep both folders. xform reads no buffers outside a file's own folder, \
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
