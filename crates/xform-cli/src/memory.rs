//! Memory that many scenes share. As many are worked on at a time as fit in it; one that may not fit at all is first tried
//! in a process of its own, so that it cannot take the others with it.

use std::{
    env,
    ffi::OsStr,
    io::{self, BufRead, BufReader, Read},
    path::Path,
    process::{Command, Stdio},
};

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use crate::{arguments::Settings, input::InputError, open_regular::open_regular, scene_argument};

/// What a scene takes at most for each object of its JSON, for each byte of that, and for each byte of a binary chunk;
/// tests hold it (docs/reliability.md).
const PER_OBJECT: u64 = 2500;
const PER_BYTE_OF_JSON: u64 = 50;
const PER_OTHER_BYTE: u64 = 16;

/// How long a file is that is not looked into, and what it takes at most for each byte.
const SMALL: u64 = 1 << 16;
const PER_BYTE: u64 = 1000;

/// How many bytes of JSON are looked at: more are not read.
const LONGEST: u64 = 1 << 30;

/// How much memory scenes may take together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory(u64);

impl Memory {
    /// Half of what there is, by the system and by the limits of this process.
    pub(crate) fn available() -> Self {
        let ram = MemoryRefreshKind::nothing().with_ram();
        let system = System::new_with_specifics(RefreshKind::nothing().with_memory(ram));
        let of_group = system.cgroup_limits().map(|limits| limits.free_memory);
        // No number is 0 where it is known.
        let of_system = Some(system.available_memory()).filter(|&available| available > 0);
        let least = [of_system, of_group, address_space()].into_iter().flatten().min();
        Self(least.map_or(u64::MAX, |least| least / 2))
    }

    /// All there is, for a scene that nothing else depends on.
    pub(crate) fn unlimited() -> Self {
        Self(u64::MAX)
    }

    /// Fails for a scene that may not fit, if a process of its own that runs this command on it does not come to its end.
    pub(crate) fn check(
        self,
        scene: &OsStr,
        command: &[&str],
        settings: &Settings,
    ) -> Result<(), InputError> {
        let is_fine = self.fits(at_most(scene)) || survives(command, settings, scene);
        if is_fine { Ok(()) } else { Err(InputError::OutOfMemory) }
    }

    /// Whether this many bytes fit in it.
    pub(crate) fn fits(self, bytes: u64) -> bool {
        bytes <= self.0
    }

    /// This memory without some of it.
    pub(crate) fn without(self, bytes: u64) -> Self {
        Self(self.0.saturating_sub(bytes))
    }
}

#[cfg(target_os = "linux")]
fn address_space() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::As).current
}

#[cfg(not(target_os = "linux"))]
fn address_space() -> Option<u64> {
    None
}

/// How much memory a scene may take at most; none where it cannot be read.
pub(crate) fn at_most(scene: &OsStr) -> u64 {
    let bytes = scene_argument::path(scene).map(bytes_of);
    bytes.and_then(Result::ok).unwrap_or(0)
}

fn bytes_of(path: &Path) -> io::Result<u64> {
    let length = path.metadata()?.len();
    if length <= SMALL {
        return Ok(length * PER_BYTE);
    }
    let mut file = open_regular(path)?;
    let mut head = Vec::new();
    file.by_ref().take(16).read_to_end(&mut head)?;
    // The length of the JSON of a GLB.
    let stated = head.strip_prefix(b"glTF").and_then(|rest| rest.get(8..)?.try_into().ok());
    let json = stated.map_or(length, |stated| length.min(u32::from_le_bytes(stated).into()));
    let head = head.as_slice();
    let mut objects = 0;
    let mut rest = BufReader::new(head.chain(file).take(json.saturating_add(20).min(LONGEST)));
    loop {
        let some = rest.fill_buf()?;
        let read = some.len();
        if read == 0 {
            break;
        }
        objects += some.iter().filter(|&&byte| byte == b'{').count() as u64;
        rest.consume(read);
    }
    let others = json.saturating_mul(PER_BYTE_OF_JSON);
    let binary = (length - json).saturating_mul(PER_OTHER_BYTE);
    Ok((objects * PER_OBJECT).saturating_add(others).saturating_add(binary))
}

/// Whether a process of its own lives to end this command on a scene, well or not.
fn survives(command: &[&str], settings: &Settings, scene: &OsStr) -> bool {
    let Ok(program) = env::current_exe() else { return true };
    let mut alone = Command::new(program);
    let no_animation = settings.no_animation.then_some("--no-animation");
    alone.args(command).args(no_animation).arg("--").arg(scene);
    let status = alone.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    // Where no process may be started, nothing is known.
    status.map_or(true, |status| matches!(status.code(), Some(0..=2)))
}
