//! FBX files. Their reader is written in C, so a [worker](crate::worker) runs it: a crash costs only that file.

use std::{io::Read, path::Path, process, sync::mpsc, thread, time::Duration};

pub(crate) use xform_fbx::{FbxError, is_fbx};
use xform_fbx::{MemoryLimit, convert};
use xform_scene::Scene;

use crate::open_files::open_regular;

/// The most memory for reading a file: in total, and for ufbx alone.
const MOST_IN_ALL: u64 = 12 << 30;
const MOST_BY_READER: usize = 2 << 30;

/// The exit status of a process that ended itself because reading took too long.
pub(crate) const TOO_LONG: i32 = 124;

/// The time limit: a base, and an addition for each megabyte.
const SECONDS: u64 = 60;
const SECONDS_PER_MEGABYTE: u64 = 2;

/// Whether a file is FBX, by its first bytes.
pub(crate) fn is_file(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = open_regular(path).and_then(|file| file.take(1024).read_to_end(&mut head));
    read.is_ok() && is_fbx(&head) || has_name(path)
}

/// Whether a file is FBX, by its name.
pub(crate) fn has_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    name.ends_with(".fbx")
}

/// Returns the time limit in seconds for reading a number of bytes.
pub(crate) fn seconds(len: u64) -> u64 {
    SECONDS + (len >> 20) * SECONDS_PER_MEGABYTE
}

/// Reads bytes as a scene, with its meshes if `is_drawn`. If that takes too long, it ends this process with
/// [`TOO_LONG`].
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

/// Does the work, or ends the process after the limit: nothing else can stop C code.
fn in_time<T>(limit: Duration, work: impl FnOnce() -> T) -> T {
    let (is_done, waits) = mpsc::channel::<()>();
    // If the thread cannot be started, there is no limit.
    let _ = thread::Builder::new().spawn(move || {
        if waits.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
            process::exit(TOO_LONG);
        }
    });
    let made = work();
    drop(is_done);
    made
}

/// A limit on the address space of this process, until it is dropped.
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
        // If the limit cannot be set, the previous one stays.
        let _ = setrlimit(Resource::As, Rlimit { current, maximum: before.maximum });
        Self { before }
    }

    /// Other systems have only the limits of [`convert`].
    #[cfg(not(target_os = "linux"))]
    fn set(_: u64) -> Self {
        Self {}
    }
}

#[cfg(target_os = "linux")]
impl Drop for AddressSpaceLimit {
    fn drop(&mut self) {
        use rustix::process::{Resource, setrlimit};

        // If the limit cannot be reset, it stays.
        let _ = setrlimit(Resource::As, self.before);
    }
}

#[cfg(test)]
mod tests {
    use std::{env, process::Command};

    use super::*;

    /// Set for a child process of this test that must end itself.
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
