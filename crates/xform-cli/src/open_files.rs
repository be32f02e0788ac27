use std::{
    fs::{self, File, FileType},
    io::{self, Read},
    path::Path,
};

use encoding_rs_io::DecodeReaderBytesBuilder;

/// Opens a file to be read. A pipe or a device may have no end, and to open one may take forever.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    open_if(path, FileType::is_file)
}

/// Opens a list or a configuration, which may come through a pipe, such as that of `<(…)` in a shell. Whoever reads it has a limit.
pub(crate) fn open_text(path: &Path) -> io::Result<impl Read + Send + use<>> {
    open_if(path, |kind| kind.is_file() || is_pipe(kind)).map(decoded)
}

/// Text as UTF-8: without a byte-order mark, and from UTF-16 where a mark says so, as Windows writes it. Bytes that are no UTF-8 stay as they
/// are.
pub(crate) fn decoded(text: impl Read + Send) -> impl Read + Send {
    DecodeReaderBytesBuilder::new().utf8_passthru(true).strip_bom(true).build(text)
}

/// How many bytes of a scene are read: a GLB can have no more.
const MOST: u64 = 1 << 32;

/// All bytes of a scene, from a file or from standard input.
pub(crate) fn whole(scene: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    scene.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        Err(io::Error::other(format!("it has more than {MOST} bytes")))
    } else {
        Ok(bytes)
    }
}

fn open_if(path: &Path, is_wanted: impl Fn(&FileType) -> bool) -> io::Result<File> {
    if is_wanted(&fs::metadata(path)?.file_type()) {
        File::open(path)
    } else {
        Err(io::Error::other("it is no regular file"))
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
