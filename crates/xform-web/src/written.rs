use std::io;

/// Returns the bytes that a function writes.
pub(crate) fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out).expect("a vector takes whatever is written to it");
    out
}
