//! FBX files: the reader is written in C, so a [worker](crate::worker) reads them. A crash costs that file, and no other.

use std::{io::Read, path::Path, process, sync::mpsc, thread, time::Duration};

pub(crate) use xform_fbx::{FbxError, is_fbx};
use xform_fbx::{MemoryLimit, convert};
use xform_scene::Scene;

use crate::open_files::open_regular;

/// How much memory reading a file may take: in all, and of that ufbx.
const MOST_IN_ALL: u64 = 12 << 30;
const MOST_BY_READER: usize = 2 << 30;

/// The status of a process that ended itself, because reading took too long.
pub(crate) const TOO_LONG: i32 = 124;

/// How long it may take: in any case, and a megabyte more.
const SECONDS: u64 = 60;
const SECONDS_PER_MEGABYTE: u64 = 2;

/// Whether a file is FBX, by its first bytes.
pub(crate) fn is_file(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = open_regular(path).and_then(|file| file.take(1024).read_to_end(&mut head));
    read.is_ok() && is_fbx(&head) || has_name(path)
}

/// Whether a file is FBX by its name.
pub(crate) fn has_name(path: &Path) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case("fbx"))
}

/// How many seconds reading so many bytes may take.
pub(crate) fn seconds(len: u64) -> u64 {
    SECONDS + (len >> 20) * SECONDS_PER_MEGABYTE
}

/// Reads bytes as a scene, with what is drawn of it where that is wanted. If that takes too long, it ends this process, with a
/// status that says so.
pub(crate) fn read(bytes: &[u8], source: &str, is_drawn: bool) -> Result<Scene, FbxError> {
    let seconds = Duration::from_secs(seconds(bytes.len() as u64));
    let converted = in_time(seconds, || {
        let _limit = AddressSpaceLimit::set(MOST_IN_ALL);
        convert(bytes, &MemoryLimit::bytes(MOST_BY_READER))
    })?;
    let mut scene = converted.scene(source)?;
    if is_drawn {
        scene.drawing = converted.drawing()?;
    }
    Ok(scene)
}

/// Does this, or ends the process after so long: nothing else stops code that is written in C.
fn in_time<T>(limit: Duration, work: impl FnOnce() -> T) -> T {
    let (is_done, waits) = mpsc::channel::<()>();
    // Without a thread there is no limit.
    let _ = thread::Builder::new().spawn(move || {
        if waits.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
            process::exit(TOO_LONG);
        }
    });
    let made = work();
    drop(is_done);
    made
}

/// How much address space this process may take, until it is dropped.
struct AddressSpaceLimit {
    #[cfg(target_os = "linux")]
    before: rustix::process::Rlimit,
}

impl AddressSpaceLimit {
    #[cfg(target_os = "linux")]
    fn set(most: u64) -> Self {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

        let before = getrlimit(Resource::As);
        let current = Some(before.current.map_or(most, |current| current.min(most)));
        // A limit that cannot be set leaves the one before.
        let _ = setrlimit(Resource::As, Rlimit { current, maximum: before.maximum });
        Self { before }
    }

    /// Elsewhere the limits of [`convert`] hold alone.
    #[cfg(not(target_os = "linux"))]
    fn set(_: u64) -> Self {
        Self {}
    }
}

#[cfg(target_os = "linux")]
impl Drop for AddressSpaceLimit {
    fn drop(&mut self) {
        use rustix::process::{Resource, setrlimit};

        // As before: it stays as it is.
        let _ = setrlimit(Resource::As, self.before);
    }
}

#[cfg(test)]
mod tests {
    use std::{env, process::Command};

    use super::*;

    /// Set for a process of this test that is to end itself.
    const HANGS: &str = "XFORM_TEST_HANGS";

    #[test]
    fn reading_that_takes_too_long_ends_its_process() {
        if env::var_os(HANGS).is_some() {
            in_time(Duration::from_millis(1), || {
                loop {
                    thread::park();
                }
            });
        }
        let mut process = Command::new(env::current_exe().unwrap());
        process.args(["--exact", "fbx::tests::reading_that_takes_too_long_ends_its_process"]);
        let ended = process.env(HANGS, "1").output().unwrap();
        assert_eq!(ended.status.code(), Some(TOO_LONG), "{ended:?}");
    }
}
