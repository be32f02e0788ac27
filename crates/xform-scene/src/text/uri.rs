use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Characters that need no escaping anywhere in a URI (RFC 3986).
const PLAIN: AsciiSet = NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_').remove(b'~');

/// The same, with the separator of folders.
const IN_PATHS: AsciiSet = PLAIN.remove(b'/');

/// The characters of a table of numbers except line ends. They stay unescaped to keep the encoded table readable.
const IN_TABLES: AsciiSet = NON_ALPHANUMERIC.remove(b'.').remove(b',').remove(b'-').remove(b'_');

/// Encodes the name of a file or folder as a part of a relative reference.
#[must_use]
pub fn reference_part(name: &str) -> String {
    utf8_percent_encode(name, &PLAIN).to_string()
}

/// Encodes the path of a file as a relative reference, with `/` between folders.
#[must_use]
pub fn relative_reference(path: &str) -> String {
    utf8_percent_encode(&path.replace('\\', "/"), &IN_PATHS).to_string()
}

/// Encodes a text as the content of a `data:` URI.
#[must_use]
pub fn data_uri_text(text: &str) -> String {
    utf8_percent_encode(text, &IN_TABLES).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_relative_reference() {
        assert_eq!(relative_reference("a b\\ä#~.glb"), "a%20b/%C3%A4%23~.glb");
        assert_eq!(reference_part("a b\\c/d.bin"), "a%20b%5Cc%2Fd.bin");
    }

    #[test]
    fn a_table_can_be_read_in_its_uri() {
        assert_eq!(data_uri_text("s,θ\n-1.5,~0_\n"), "s,%CE%B8%0A-1.5,%7E0_%0A");
    }
}
