//! Files that are written beside those that they are to replace, and that no signal leaves behind.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tempfile::{Builder, NamedTempFile};

use crate::signals;

/// Those that are there now.
static THERE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn there() -> MutexGuard<'static, Vec<PathBuf>> {
    THERE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The status of a program that a signal ended, as shells give it for Ctrl-C.
const INTERRUPTED: i32 = 130;

/// Has the signals that end the program remove the files that are not finished.
pub(crate) fn remove_on_signals() {
    signals::on_end(|| {
        // WouldOverwrite until the end, so that no other is made.
        let there = there();
        for path in &*there {
            // That it cannot be removed is nothing that could still be mended.
            let _ = fs::remove_file(path);
        }
        process::exit(INTERRUPTED);
    });
}

/// A file that is removed unless it is [persisted](Self::persist).
pub(crate) struct Temporary {
    // Removed before it is forgotten.
    file: NamedTempFile,
    remembered: Remembered,
}

/// A path that is among those that are there.
struct Remembered(PathBuf);

impl Drop for Remembered {
    fn drop(&mut self) {
        there().retain(|path| *path != self.0);
    }
}

impl Temporary {
    /// A file in the folder of the one to be written, with the permissions that one has or would get.
    pub(crate) fn new_in(folder: &Path, existing: Option<fs::Metadata>) -> io::Result<Self> {
        let mut builder = Builder::new();
        builder.prefix(".xform-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        // No signal finds it before it is remembered.
        let mut there = there();
        let file = builder.tempfile_in(folder)?;
        there.push(file.path().to_owned());
        drop(there);
        let remembered = Remembered(file.path().to_owned());
        if let Some(existing) = existing {
            file.as_file().set_permissions(existing.permissions())?;
        }
        Ok(Self { file, remembered })
    }

    /// Puts it in the place of the file to be written.
    pub(crate) fn persist(self, target: PathBuf) -> io::Result<()> {
        let Self { file, remembered } = self;
        file.persist(target)?;
        drop(remembered);
        Ok(())
    }
}

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_done_is_forgotten_and_the_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let [done, other] = [(), ()].map(|()| Temporary::new_in(folder.path(), None).unwrap());
        let [path, other_path] = [&done, &other].map(|file| file.file.path().to_owned());
        done.persist(folder.path().join("done")).unwrap();
        assert!(!there().contains(&path) && there().contains(&other_path));
    }
}
