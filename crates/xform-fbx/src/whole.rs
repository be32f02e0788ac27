use ufbx::Metadata;
use xform_scene::ErrorCode;

use crate::error::FbxError;

/// The oldest version of binary files that ufbx knows.
const OLDEST: u32 = 3000;

/// Checks what ufbx lets pass: a text whose end is missing, and a binary file of no version.
// ufbx closes what a text leaves open, so half of a scene would count as the whole.
pub(crate) fn check_is_whole(bytes: &[u8], metadata: &Metadata) -> Result<(), FbxError> {
    if !metadata.ascii && metadata.version < OLDEST {
        let what = format!("its version of FBX is not supported: {}", metadata.version);
        return Err(FbxError::new(ErrorCode::UnsupportedVersion, what));
    }
    if metadata.ascii && is_left_open(bytes) {
        return Err(FbxError::new(ErrorCode::FbxTruncated, "the file ends too early"));
    }
    Ok(())
}

/// Whether a text ends inside a string or a block. Comments reach from `;` to the end of a line.
fn is_left_open(text: &[u8]) -> bool {
    let (mut open, mut is_string, mut is_comment) = (0_u64, false, false);
    for byte in text {
        match byte {
            b'\n' => is_comment = false,
            _ if is_comment => {}
            b'"' => is_string = !is_string,
            _ if is_string => {}
            b';' => is_comment = true,
            b'{' => open += 1,
            b'}' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    open > 0 || is_string
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_whole_if_every_block_and_string_is_closed() {
        for whole in ["", "A: 1", "A: { B: \"{\" }", "; {\nA: {\n}\n", "A: \"x;\" { }"] {
            assert!(!is_left_open(whole.as_bytes()), "{whole}");
        }
        for cut in ["A: {", "A: { B: { }", "A: \"x", "A: { ; }"] {
            assert!(is_left_open(cut.as_bytes()), "{cut}");
        }
    }
}
