//! Temporary files that later replace others. No signal leaves them behind.

use std::{
    fs,
    io::{self, Write},
    mem,
    path::{Path, PathBuf},
    process,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tempfile::{Builder, NamedTempFile};

use crate::{signals, workers};

/// The temporary files that exist now.
static THERE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn there() -> MutexGuard<'static, Vec<PathBuf>> {
    THERE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The exit status that shells report for a program ended by Ctrl-C.
const INTERRUPTED: i32 = 130;

/// Installs a handler for the signals that end the program. It ends the workers and removes unfinished files.
pub(crate) fn remove_on_signals() {
    signals::on_end(|| {
        let _none_is_started = workers::end_all();
        // Held until the process ends, so that no other file is created.
        let there = there();
        for path in &*there {
            // If it cannot be removed, nothing more can be done.
            let _ = fs::remove_file(path);
        }
        process::exit(INTERRUPTED);
    });
}

/// A file that is removed unless it is [persisted](Self::persist_all).
pub(crate) struct Temporary {
    // Declared first, so that it is removed before it is forgotten.
    file: NamedTempFile,
    remembered: Remembered,
}

/// A path in the list of existing temporary files. An empty path is not in it.
struct Remembered(PathBuf);

impl Drop for Remembered {
    fn drop(&mut self) {
        if !self.0.as_os_str().is_empty() {
            there().retain(|path| *path != self.0);
        }
    }
}

impl Temporary {
    /// Creates a file in the folder of the one to be written, with the permissions of a new file.
    pub(crate) fn new_in(folder: &Path) -> io::Result<Self> {
        let mut builder = Builder::new();
        builder.prefix(".xform-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        // The lock keeps signals out until the file is in the list.
        let mut there = there();
        let file = builder.tempfile_in(folder)?;
        there.push(file.path().to_owned());
        drop(there);
        let remembered = Remembered(file.path().to_owned());
        Ok(Self { file, remembered })
    }

    /// Copies the owner and the permissions of the file that it will replace. With `must_own` it fails if the owner
    /// cannot be kept.
    pub(crate) fn resemble(&self, existing: &fs::Metadata, must_own: bool) -> io::Result<()> {
        let file = self.file.as_file();
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};

            let own = file.metadata()?;
            let [owner, group] = [(own.uid(), existing.uid()), (own.gid(), existing.gid())];
            let other = |(own, existing): (u32, u32)| Some(existing).filter(|_| existing != own);
            // Only root can give a file to another user, or to a group that the user does not belong to.
            let keeps_group = other(group).is_none() || fchown(file, None, other(group)).is_ok();
            let keeps_owner = other(owner).is_none() || fchown(file, other(owner), None).is_ok();
            let why = match (keeps_owner, keeps_group) {
                (true, true) => None,
                (false, _) => Some("it belongs to another user"),
                (true, false) => Some("its group is one that you do not belong to"),
            };
            if let Some(why) = why.filter(|_| must_own) {
                let way = "--force replaces it with a file of your own";
                return Err(io::Error::other(format!("{why}; {way}")));
            }
        }
        #[cfg(not(unix))]
        let _ = must_own;
        // After the owner, because changing that clears some permissions.
        file.set_permissions(existing.permissions())
    }

    /// Moves files to their destinations, in order. A signal takes effect before all of it or after. On an error, which
    /// comes with the path of the file that failed, files already moved that replaced nothing are removed again.
    pub(crate) fn persist_all(
        files: impl IntoIterator<Item = (Self, PathBuf)>,
    ) -> Result<(), (PathBuf, io::Error)> {
        let mut files = files.into_iter();
        // The lock makes signals wait. Files that are left are forgotten after it.
        let mut there = there();
        let mut new = Vec::new();
        let persisted = files.try_for_each(|(Self { file, mut remembered }, target)| {
            let done = mem::take(&mut remembered.0);
            there.retain(|path| *path != done);
            let is_new = !target.exists();
            file.persist(&target).map_err(|error| (target.clone(), error.error))?;
            new.extend(Some(target).filter(|_| is_new));
            Ok(())
        });
        if persisted.is_err() {
            // If a file cannot be removed, nothing more can be done.
            new.iter().for_each(|path| _ = fs::remove_file(path));
        }
        drop(there);
        persisted
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
        let [done, other, last] = [(), (), ()].map(|()| Temporary::new_in(folder.path()).unwrap());
        let [path, other_path, last_path] =
            [&done, &other, &last].map(|file| file.file.path().to_owned());
        let target = |name: &str| folder.path().join(name);
        Temporary::persist_all([(done, target("done"))]).unwrap();
        assert!(!there().contains(&path) && there().contains(&other_path));
        // If one cannot be moved, nothing is left of it, nor of those before and after it. A file that one of them
        // replaced is gone.
        let [first, second] = [(), ()].map(|()| Temporary::new_in(folder.path()).unwrap());
        let nowhere = target("nowhere").join("there");
        let files = [
            (first, target("first")),
            (second, target("done")),
            (other, nowhere.clone()),
            (last, target("last")),
        ];
        let (path, _) = Temporary::persist_all(files).unwrap_err();
        assert_eq!(path, nowhere);
        assert!(
            ![other_path, last_path].iter().any(|path| there().contains(path) || path.exists())
        );
        assert!(
            target("done").exists() && ["first", "last"].iter().all(|name| !target(name).exists())
        );
    }
}
