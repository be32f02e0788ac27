use std::{
    fs::{self, File},
    io,
    path::Path,
};

/// Opens a file to be read. A pipe or a device may have no end, and to open one may take forever.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::other("it is no regular file"))
    }
}
