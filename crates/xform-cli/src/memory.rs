//! Memory that many scenes share. As many are worked on at a time as fit in it; one that may not fit at all is first tried
//! in a process of its own, so that it cannot take the others with it.

use std::{
    borrow::Cow,
    env,
    ffi::OsStr,
    io::{self, Read},
    path::Path,
    process::{Command, Stdio},
};

use percent_encoding::percent_decode_str;
use serde::{Deserialize, de::IgnoredAny};
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use crate::{
    arguments::Settings, engines, fbx, input::InputError, open_regular::open_regular,
    scene_argument,
};

/// What a scene takes at most for each object of its JSON, for each byte of that, for each byte of its buffers, and for each
/// node in each animation; tests hold it (docs/reliability.md).
const PER_OBJECT: u64 = 2500;
const PER_BYTE_OF_JSON: u64 = 50;
const PER_BYTE_OF_BUFFERS: u64 = 16;
const PER_NODE_AND_ANIMATION: u64 = 2000;

/// What a scene takes at most for each byte of an FBX file, and in any case: what that becomes may have 32 times as many bytes and
/// 16 MiB, each of which may take as much as one of a buffer.
const PER_BYTE_OF_FBX: u64 = 32 * PER_BYTE_OF_BUFFERS;
const OF_ANY_FBX: u64 = (16 << 20) * PER_BYTE_OF_BUFFERS;

/// How many bytes of JSON are read; a file with more is refused.
const LONGEST: u64 = 1 << 30;

const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();

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

    /// How much memory a scene takes at most; 0 where that does not matter, or it cannot be read.
    pub(crate) fn at_most(self, scene: &OsStr) -> u64 {
        let path = scene_argument::path(scene).filter(|_| self.0 < u64::MAX);
        path.and_then(|path| bytes_of(path, self).ok()).unwrap_or(0)
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

/// Whether a scene fits in memory.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fit {
    Surely,
    /// It is worked on alone.
    Perhaps,
}

#[cfg(target_os = "linux")]
fn address_space() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::As).current
}

#[cfg(not(target_os = "linux"))]
fn address_space() -> Option<u64> {
    None
}

/// What of a file tells how much memory it takes. Whatever else it is, the reader refuses or leaves out.
#[derive(Debug, Default, Deserialize)]
struct Outline<'a> {
    #[serde(default)]
    nodes: Option<Vec<IgnoredAny>>,
    #[serde(default)]
    animations: Option<Vec<IgnoredAny>>,
    #[serde(borrow, default)]
    buffers: Option<Vec<Buffer<'a>>>,
}

#[derive(Debug, Deserialize)]
struct Buffer<'a> {
    #[serde(borrow, default)]
    uri: Option<Cow<'a, str>>,
}

fn bytes_of(path: &Path, memory: Memory) -> io::Result<u64> {
    let mut file = open_regular(path)?;
    let length = file.metadata()?.len();
    if fbx::is_file(path) {
        return Ok(length.saturating_mul(PER_BYTE_OF_FBX).saturating_add(OF_ANY_FBX));
    }
    let mut head = Vec::new();
    file.by_ref().take(20).read_to_end(&mut head)?;
    // Of a GLB, behind the header and that of the chunk.
    let stated = head.strip_prefix(b"glTF").and_then(|rest| rest.get(8..12)?.try_into().ok());
    let json = stated.map_or(length, |stated| length.min(u32::from_le_bytes(stated).into()));
    if json > LONGEST {
        return Ok(0);
    }
    let for_bytes = json * PER_BYTE_OF_JSON;
    if !memory.fits(for_bytes) {
        return Ok(for_bytes);
    }
    let mut text = if stated.is_some() { Vec::new() } else { head };
    file.take(json).read_to_end(&mut text)?;
    let objects = text.iter().filter(|&&byte| byte == b'{').count() as u64;
    let outline = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
    let outline: Outline<'_> = serde_json::from_slice(outline).unwrap_or_default();
    let count = |list: &Option<Vec<IgnoredAny>>| list.as_ref().map_or(0, Vec::len) as u64;
    let pairs = count(&outline.nodes) * count(&outline.animations);
    let folder = path.parent().unwrap_or(Path::new(""));
    let beside = outline.buffers.iter().flatten().filter_map(|buffer| {
        let uri = buffer.uri.as_deref().filter(|uri| !uri.starts_with("data:"))?;
        let file = folder.join(&*percent_decode_str(uri).decode_utf8_lossy());
        Some(file.metadata().ok()?.len())
    });
    let buffers = beside.fold(length - json, u64::saturating_add);
    let parts = [
        for_bytes,
        objects * PER_OBJECT,
        pairs.saturating_mul(PER_NODE_AND_ANIMATION),
        buffers.saturating_mul(PER_BYTE_OF_BUFFERS),
    ];
    Ok(parts.into_iter().fold(0, u64::saturating_add))
}

/// Runs this command on a scene that may not fit in a process of its own first, which ends by a signal where it does not.
///
/// That tries no further process, as it is given a single file.
pub(crate) fn check_fit(
    fit: Fit,
    scene: &OsStr,
    command: &[&str],
    settings: &Settings,
) -> Result<(), InputError> {
    if fit == Fit::Surely || survives(command, settings, scene) {
        return Ok(());
    }
    Err(InputError::OutOfMemory)
}

/// Whether a process of its own comes to an end of its own with this command on a scene, well or not.
fn survives(command: &[&str], settings: &Settings, scene: &OsStr) -> bool {
    let Ok(program) = env::current_exe() else { return true };
    let mut alone = Command::new(program);
    let no_animation = settings.no_animation.then_some("--no-animation");
    alone.args(command).args(no_animation).args(engines::arguments(settings)).arg("--").arg(scene);
    let status = alone.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    // Where no process may be started, nothing is known. On Windows an abort has a status beyond those of programs.
    status.map_or(true, |status| matches!(status.code(), Some(0..=255)))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use tempfile::tempdir;

    use super::*;

    /// Ten objects, three nodes in each of two animations, and a buffer beside it.
    const SCENE: &str = r#"{ "nodes": [{}, {}, {}], "animations": [{}, {}],
        "buffers": [{ "uri": "a%20b" }, { "uri": "data:,x" }, { "uri": "gone" }, {}] }"#;

    #[test]
    fn bytes_objects_nodes_in_animations_and_buffers_are_what_a_scene_takes() {
        let folder = tempdir().unwrap();
        let scene = folder.path().join("scene");
        fs::write(folder.path().join("a b"), [0; 1000]).unwrap();
        let with_mark = [BYTE_ORDER_MARK, SCENE.as_bytes()].concat();
        let length = |len: usize| u32::try_from(len).unwrap().to_le_bytes();
        let header = [*b"glTF", [2, 0, 0, 0], length(20 + SCENE.len() + 300), length(SCENE.len())];
        let rest = [0; 300];
        let glb = [header.as_flattened(), b"JSON", SCENE.as_bytes(), &rest].concat();
        for (file, json, buffers) in [
            (SCENE.as_bytes(), SCENE.len(), 1000),
            (&with_mark, SCENE.len() + 3, 1000),
            (&glb, SCENE.len(), 20 + 300 + 1000),
        ] {
            fs::write(&scene, file).unwrap();
            let takes = json as u64 * 50 + 10 * 2500 + 3 * 2 * 2000 + buffers * 16;
            assert_eq!(Memory(1 << 40).at_most(scene.as_os_str()), takes);
            assert_eq!(Memory::unlimited().at_most(scene.as_os_str()), 0, "it does not matter");
        }
    }

    #[test]
    fn of_what_is_too_large_for_memory_the_length_is_enough() {
        let folder = tempdir().unwrap();
        let scene = folder.path().join("scene");
        // Without a byte on the disk; of more, nothing is read.
        for (len, takes) in [(LONGEST, LONGEST * 50), (LONGEST + 1, 0)] {
            File::create(&scene).unwrap().set_len(len).unwrap();
            assert_eq!(Memory(1 << 20).at_most(scene.as_os_str()), takes);
        }
    }

    #[test]
    fn what_is_left_fits() {
        let left = Memory(10).without(4);
        assert!(left.fits(6) && !left.fits(7) && !left.without(7).fits(1));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_available_is_at_most_half_of_the_memory() {
        let ram = MemoryRefreshKind::nothing().with_ram();
        let system = System::new_with_specifics(RefreshKind::nothing().with_memory(ram));
        let Memory(available) = Memory::available();
        assert!(available > 1 && available <= system.total_memory() / 2, "{available}");
    }
}
