use std::{
    env,
    fs::{self, File},
    io::{self, BufWriter, IsTerminal, Read, Write},
    path::{Path, PathBuf},
};

use terminal_size::{Width, terminal_size};
use xform_report::{Colour, TextStyle};
use xform_scene::text::without_controls;

use crate::{
    log_commands::{self, WithoutCommands},
    overwritten::{WouldOverwrite, check_is_replaceable},
    scene_argument::folder_of,
    temporary::Temporary,
};

/// Writes the output as a whole or not at all. `-` is standard output. An error is one line that names the file.
pub(crate) fn write(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), String> {
    write_lines(path, false, content)
}

/// Like [`write()`], with lines that are commands for the runner of a pipeline if `are_commands`.
pub(crate) fn write_lines(
    path: &Path,
    are_commands: bool,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), String> {
    if path == Path::new("-") {
        let written = to_standard_output(are_commands, content);
        return written.map_err(|error| format!("standard output: {error}"));
    }
    to_file(path, content).map_err(|error| line(path, error))
}

/// Files to be written or replaced, all of them or none, even if a signal ends the program.
#[derive(Default)]
pub(crate) struct Replacements(Vec<(Temporary, PathBuf)>);

impl Replacements {
    /// Adds a file with the owner and the permissions of the one that it replaces. With `must_own` it fails if the
    /// owner cannot be kept. An error is one line that names the file.
    pub(crate) fn add(
        &mut self,
        path: &Path,
        mut bytes: impl Read,
        must_own: bool,
    ) -> Result<(), String> {
        let mut written = || -> io::Result<Temporary> {
            let mut file = Temporary::new_in(folder_of(path))?;
            io::copy(&mut bytes, &mut file)?;
            if let Ok(existing) = fs::metadata(path) {
                file.resemble(&existing, must_own)?;
            }
            Ok(file)
        };
        let file = written().map_err(|error| line(path, error))?;
        self.0.push((file, path.to_owned()));
        Ok(())
    }

    /// Moves the files into place, in the order in which they were added. An error is one line that names the failing
    /// file.
    pub(crate) fn put(self) -> Result<(), String> {
        Temporary::persist_all(self.0).map_err(|(path, error)| line(&path, error))
    }
}

/// Writes a file as a whole or not at all, replacing any file there. An error is one line that names it.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let mut replacements = Replacements::default();
    replacements.add(path, bytes, false)?;
    replacements.put()
}

/// Describes an error while writing a file, as one line.
fn line(path: &Path, error: io::Error) -> String {
    match error.downcast::<WouldOverwrite>() {
        Ok(kept) => kept.to_string(),
        // Errors made by xform itself.
        Err(error) if error.kind() == io::ErrorKind::Other => {
            format!("{}: {error}", path.display())
        }
        // Only the kind or the cause is shown, because the error itself names a temporary file.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            format!("{}: no such folder", path.display())
        }
        Err(error) => {
            let cause = error.get_ref().and_then(|inner| inner.source());
            match (cause, error.kind().to_string()) {
                // Some errors have no kind, such as too many open files.
                (Some(cause), kind) if kind.starts_with("uncategorized") => {
                    format!("{}: {cause}", path.display())
                }
                (_, kind) => format!("{}: {kind}", path.display()),
            }
        }
    }
}

/// The longest line on standard error, because names in files may have any length.
const LONGEST: usize = 500;

/// Prints a line on standard error, without control characters and cut if it is very long. Write errors are ignored.
pub(crate) fn say(line: &str) {
    let mut shown: String = line.chars().take(LONGEST).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    let shown = without_controls(&shown);
    let _ = writeln!(io::stderr(), "{}", log_commands::without(&shown));
}

/// Prints an error in the command line, or the help or version. Write errors are ignored.
pub(crate) fn say_usage(error: &clap::Error) {
    let _ = if log_commands::are_taken() && error.use_stderr() {
        write!(io::stderr(), "{}", log_commands::without(&error.render().to_string()))
    } else {
        error.print()
    };
}

/// Prints a problem or an exceeded limit.
pub(crate) fn say_problem(line: &str) {
    say(&format!("xform: {line}"));
}

/// Whether an output goes to a terminal.
pub(crate) fn is_terminal(path: &Path) -> bool {
    path == Path::new("-") && io::stdout().is_terminal()
}

/// Returns the style of text for standard output or a file. On a terminal, lines are wrapped at its width, or at 80
/// columns if that is unknown, and coloured unless `NO_COLOR` (no-color.org) is set or the terminal is dumb. Elsewhere
/// they are neither wrapped nor coloured.
pub(crate) fn style(path: &Path) -> TextStyle {
    if !is_terminal(path) {
        return TextStyle::default();
    }
    let is_unwanted = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    let width = terminal_size().map_or(80, |(Width(columns), _)| usize::from(columns));
    let width = Some(width);
    TextStyle { colour: if is_unwanted { Colour::None } else { Colour::Ansi }, width }
}

/// Whether standard output goes to a file.
fn is_redirected() -> bool {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;

        let file = io::stdout().as_fd().try_clone_to_owned().map(File::from);
        file.and_then(|file| file.metadata()).is_ok_and(|found| found.is_file())
    }
    #[cfg(not(unix))]
    false
}

/// The size that a pipe takes atomically, so that written rows are whole even if the program is ended.
const AT_ONCE: usize = 4096;

/// Writes to standard output. A reader that stops early, such as `head`, is not an error.
fn to_standard_output(
    are_commands: bool,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(AT_ONCE, io::stdout().lock());
    // Output in a file is not a log.
    let written = if log_commands::are_taken() && !is_redirected() {
        let kind = if are_commands { WithoutCommands::but_own } else { WithoutCommands::new };
        content(&mut kind(&mut out))
    } else {
        content(&mut out)
    };
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

fn to_file(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let existing = fs::metadata(path).ok();
    if existing.as_ref().is_some_and(|existing| !existing.is_file() && !existing.is_dir()) {
        // A device or a pipe must be written to, not replaced.
        let mut out = BufWriter::new(File::options().write(true).open(path)?);
        return content(&mut out).and_then(|()| out.flush());
    }
    if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    // A symbolic link is kept and its target is written.
    let target = match fs::read_link(path) {
        Ok(target) if existing.is_none() => path.with_file_name(target),
        Ok(_) => fs::canonicalize(path)?,
        Err(_) => path.to_owned(),
    };
    if existing.is_some() {
        [path, &target].into_iter().try_for_each(check_is_replaceable).map_err(io::Error::other)?;
    }
    let file = Temporary::new_in(folder_of(&target))?;
    existing.map_or(Ok(()), |existing| file.resemble(&existing, false))?;
    let mut out = BufWriter::new(file);
    content(&mut out)?;
    Temporary::persist_all([(out.into_inner()?, target)]).map_err(|(_, error)| error)
}

/// Creates a folder if it does not exist. An error is one line that names it.
pub(crate) fn make_folder(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => line(folder, io::ErrorKind::NotADirectory.into()),
        _ => line(folder, error),
    })
}

/// Writes two files into a folder, each as a whole or not at all, and creates the folder if necessary. An error is one
/// line that names the folder.
#[cfg(feature = "parquet")]
pub(crate) fn write_into(
    folder: &Path,
    names: [&str; 2],
    content: impl FnOnce([&mut (dyn Write + Send); 2]) -> io::Result<()>,
) -> Result<(), String> {
    let written = || -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let paths = names.map(|name| folder.join(name));
        let file = |path: &Path| -> io::Result<Temporary> {
            let file = Temporary::new_in(folder)?;
            fs::metadata(path).map_or(Ok(()), |existing| file.resemble(&existing, false))?;
            Ok(file)
        };
        let [mut first, mut second] = [file(&paths[0])?, file(&paths[1])?].map(BufWriter::new);
        content([&mut first, &mut second])?;
        let files = [first.into_inner()?, second.into_inner()?];
        Temporary::persist_all(files.into_iter().zip(paths)).map_err(|(_, error)| error)
    };
    written().map_err(|error| line(folder, error))
}
