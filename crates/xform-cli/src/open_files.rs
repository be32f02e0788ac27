use std::{
    fs::{self, File, FileType},
    io::{self, Read},
    path::Path,
};

use encoding_rs_io::DecodeReaderBytesBuilder;

/// Opens a regular file for reading. A pipe or a device may have no end, and opening one may take forever.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    open_if(path, FileType::is_file)
}

/// Opens a list or a configuration, which may be a pipe, such as `<(…)` in a shell. The caller limits how much it
/// reads.
pub(crate) fn open_text(path: &Path) -> io::Result<impl Read + Send + use<>> {
    open_if(path, |kind| kind.is_file() || is_pipe(kind)).map(decoded)
}

/// Opens standard input as a list. Its errors count, unlike with [`io::stdin`], which is empty if it cannot be read.
///
/// Nor is the null device an empty list, as it is none by its name. A standard input that was closed becomes that device
/// before the program starts, and so does that of many jobs that run in the background.
pub(crate) fn open_stdin() -> io::Result<impl Read + Send + use<>> {
    stdin().map(decoded)
}

#[cfg(unix)]
fn stdin() -> io::Result<File> {
    use std::os::{fd::AsFd, unix::fs::MetadataExt};

    let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let null = fs::metadata("/dev/null").map(|null| null.rdev());
    let stored = file.metadata()?;
    let is_null = null.is_ok_and(|null| null != 0 && stored.rdev() == null);
    if is_null {
        Err(io::Error::other("standard input is closed or the null device"))
    } else {
        Ok(file)
    }
}

#[cfg(not(unix))]
fn stdin() -> io::Result<io::Stdin> {
    Ok(io::stdin())
}

/// Converts text to UTF-8: removes a byte-order mark, and decodes UTF-16 if a mark announces it, as on Windows. Bytes
/// that are not UTF-8 stay as they are.
pub(crate) fn decoded(text: impl Read + Send) -> impl Read + Send {
    DecodeReaderBytesBuilder::new().utf8_passthru(true).strip_bom(true).build(text)
}

/// The most bytes of a scene that are read. A GLB cannot have more.
const MOST: u64 = 1 << 32;

/// Reads all bytes of a scene, from a file or from standard input.
pub(crate) fn whole(scene: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    scene.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        Err(io::Error::other(format!("it is larger than {MOST} bytes")))
    } else {
        Ok(bytes)
    }
}

fn open_if(path: &Path, is_wanted: impl Fn(&FileType) -> bool) -> io::Result<File> {
    if is_wanted(&fs::metadata(path)?.file_type()) {
        File::open(path)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
}

#[cfg(unix)]
fn is_pipe(kind: &FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(kind)
}

#[cfg(not(unix))]
fn is_pipe(_: &FileType) -> bool {
    false
}
