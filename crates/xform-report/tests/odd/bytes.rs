//! What is wrong before there is a document: bytes that are no JSON, containers that lie.

use xform_scene::{ErrorCode, WarningCode};

use super::{Comes, Odd, document, fine, odd, refused, warned};

const JSON: u32 = u32::from_le_bytes(*b"JSON");
const BIN: u32 = u32::from_le_bytes(*b"BIN\0");

pub(super) fn files() -> Vec<Odd> {
    [texts(), encodings(), containers(), lying_containers()].into_iter().flatten().collect()
}

fn texts() -> Vec<Odd> {
    let invalid = |about: &str, text: &str| odd(about, text, refused(ErrorCode::InvalidJson, ""));
    let value = |text: &str| odd(text, text, refused(ErrorCode::InvalidValue, ""));
    let not_gltf = |text: &str| odd(text, text, refused(ErrorCode::NotGltf, "/asset"));
    let version = |text: &str| odd(text, text, refused(ErrorCode::UnsupportedVersion, "/asset"));
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    let twice = r#"{ "asset": { "version": "2.0" }, "nodes": [], "nodes": [{}] }"#;
    vec![
        odd(
            "what needs a newer glTF",
            r#"{ "asset": { "version": "2.0", "minVersion": "2.1" } }"#,
            refused(ErrorCode::UnsupportedVersion, "/asset/minVersion"),
        ),
        odd(
            "what needs glTF 2.0",
            r#"{ "asset": { "version": "2.1", "minVersion": "2.0" } }"#,
            warned(WarningCode::UndefinedFigure),
        ),
        odd(
            "a version that is none",
            r#"{ "asset": { "version": "2.0", "minVersion": "x" } }"#,
            warned(WarningCode::UndefinedFigure),
        ),
        odd("nothing", "", refused(ErrorCode::Empty, "")),
        odd("a byte-order mark alone", "\u{FEFF}", refused(ErrorCode::Empty, "")),
        odd("a Git LFS pointer", pointer, refused(ErrorCode::LfsPointer, "")),
        invalid("spaces", "  \n "),
        invalid("text", "not JSON"),
        invalid("HTML", "<!DOCTYPE html><title>404</title>"),
        invalid("an open brace", "{"),
        invalid("an open string", r#"{ "asset": { "version": "2.0"#),
        invalid("a document cut off", document(r#""nodes": [{}, {"#).trim_end_matches(" }")),
        invalid("a comma too many", &document(r#""nodes": [{},]"#)),
        invalid("a comment", &document(r#""nodes": [{}] // one"#)),
        invalid("single quotes", "{ 'asset': { 'version': '2.0' } }"),
        invalid("NaN", &document(r#""nodes": [{ "scale": [NaN, 1, 1] }]"#)),
        invalid("Infinity", &document(r#""nodes": [{ "scale": [-Infinity, 1, 1] }]"#)),
        invalid("a number with two points", &document(r#""nodes": [{ "scale": [1.0.0, 1, 1] }]"#)),
        invalid("a leading zero", &document(r#""nodes": [{ "scale": [01, 1, 1] }]"#)),
        invalid("hexadecimal", &document(r#""nodes": [{ "scale": [0x1, 1, 1] }]"#)),
        invalid("a tab in a string", &document("\"nodes\": [{ \"name\": \"a\tb\", \"mesh\": 0 }]")),
        invalid("two documents", &format!("{0}{0}", document(""))),
        invalid("bytes behind the document", &format!("{}\0\0\0", document(""))),
        value("[]"),
        value("5"),
        value("null"),
        value("\"glTF\""),
        value("true"),
        odd("a member twice", twice, refused(ErrorCode::InvalidValue, "")),
        not_gltf("{}"),
        not_gltf(r#"{ "asset": null }"#),
        not_gltf(r#"{ "asset": {} }"#),
        not_gltf(r#"{ "asset": { "version": null } }"#),
        odd(
            "an asset that is none",
            r#"{ "asset": 2 }"#,
            refused(ErrorCode::InvalidValue, "/asset"),
        ),
        version(r#"{ "asset": { "version": "1.0" }, "nodes": { "a": {} } }"#),
        version(r#"{ "asset": { "version": "" } }"#),
        version(r#"{ "asset": { "version": "3.0" } }"#),
        odd("version 2.1", r#"{ "asset": { "version": "2.1" }, "nodes": [{}] }"#, fine()),
        odd(
            "a version that is a number",
            r#"{ "asset": { "version": 2.0 }, "nodes": [{}] }"#,
            fine(),
        ),
    ]
}

fn encodings() -> Vec<Odd> {
    let named = |name: &[u8]| {
        let document = document(r#""nodes": [{ "name": "?" }]"#);
        let at = document.find('?').unwrap();
        [&document.as_bytes()[..at], name, &document.as_bytes()[at + 1..]].concat()
    };
    let utf16: Vec<_> =
        format!("\u{FEFF}{}", document("")).encode_utf16().flat_map(u16::to_le_bytes).collect();
    vec![
        odd("a byte-order mark", format!("\u{FEFF}{}", document(r#""nodes": [{}]"#)), fine()),
        odd("two byte-order marks", "\u{FEFF}\u{FEFF}{}", refused(ErrorCode::InvalidJson, "")),
        odd("UTF-16", utf16, refused(ErrorCode::InvalidJson, "")),
        odd("a name in Latin-1", named(b"Arm\xE9"), warned(WarningCode::NotUtf8)),
        odd("a name in Shift-JIS", named(b"\x83\x41\x83\x43"), warned(WarningCode::NotUtf8)),
        odd("an overlong sequence", named(b"\xC0\xAF"), warned(WarningCode::NotUtf8)),
        odd("half a surrogate pair", named(br"Arm\ud800"), fine()),
        odd("an escape that is none", named(br"\q"), refused(ErrorCode::InvalidJson, "")),
        odd("a NUL in a name", named(br"\u0000"), fine()),
        odd("terminal escapes in a name", named(br"\u001b[2J\u009b31m"), fine()),
        odd("an empty name", named(b""), fine()),
        odd("a name of a megabyte", named(&[b'a'; 1 << 20]), fine()),
        odd("a picture", b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR", refused(ErrorCode::InvalidJson, "")),
    ]
}

/// A GLB with these words in its header, and chunks with these lengths and kinds.
fn container(version: u32, length: Option<u32>, chunks: &[(u32, u32, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (length, kind, data) in chunks {
        body.extend(length.to_le_bytes());
        body.extend(kind.to_le_bytes());
        body.extend(*data);
    }
    let length = length.unwrap_or(12 + u32::try_from(body.len()).unwrap());
    [b"glTF", &version.to_le_bytes()[..], &length.to_le_bytes()[..], &body].concat()
}

fn chunk(kind: u32, data: &[u8]) -> (u32, u32, &[u8]) {
    (u32::try_from(data.len()).unwrap(), kind, data)
}

fn containers() -> Vec<Odd> {
    let json = document(r#""nodes": [{}]"#);
    let json = json.as_bytes();
    let spaced = [json, b"   "].concat();
    let zeros = [json, b"\0\0\0"].concat();
    let marked = [b"\xEF\xBB\xBF", json].concat();
    let ok =
        |about: &str, chunks: &[(u32, u32, &[u8])]| odd(about, container(2, None, chunks), fine());
    let mut longer = container(2, None, &[chunk(JSON, json)]);
    longer.extend(b"what a download manager left");
    vec![
        ok("a GLB", &[chunk(JSON, json)]),
        ok("a chunk filled with spaces", &[chunk(JSON, &spaced)]),
        ok("a chunk filled with zeros", &[chunk(JSON, &zeros)]),
        ok("a byte-order mark in a chunk", &[chunk(JSON, &marked)]),
        ok("an empty binary chunk", &[chunk(JSON, json), chunk(BIN, b"")]),
        ok("an unknown chunk", &[chunk(JSON, json), chunk(0x1234_5678, b"data")]),
        ok("an unknown chunk in between", &[chunk(JSON, json), chunk(7, b""), chunk(BIN, b"1234")]),
        ok("two binary chunks", &[chunk(JSON, json), chunk(BIN, b"1234"), chunk(BIN, b"5678")]),
        ok("a second document", &[chunk(JSON, json), chunk(JSON, b"{}")]),
        ok("a binary chunk that ends beyond the file", &[chunk(JSON, json), (u32::MAX, BIN, b"")]),
        ok("a length that is no multiple of four", &[chunk(JSON, json), (3, BIN, b"123")]),
        odd("bytes behind a GLB", longer, fine()),
    ]
}

fn lying_containers() -> Vec<Odd> {
    let json = document(r#""nodes": [{}]"#);
    let json = json.as_bytes();
    let whole = container(2, None, &[chunk(JSON, json)]);
    let refused = |about: &str, bytes: Vec<u8>, code| odd(about, bytes, refused(code, ""));
    let length = u32::try_from(whole.len()).unwrap();
    let mut files = vec![
        refused(
            "a longer GLB was meant",
            container(2, Some(length + 1), &[chunk(JSON, json)]),
            ErrorCode::GlbTruncated,
        ),
        refused(
            "four gigabytes were meant",
            container(2, Some(u32::MAX), &[chunk(JSON, json)]),
            ErrorCode::GlbTruncated,
        ),
        refused("no length", container(2, Some(0), &[chunk(JSON, json)]), ErrorCode::GlbLength),
        refused(
            "a length within the JSON",
            container(2, Some(length - 1), &[chunk(JSON, json)]),
            ErrorCode::GlbLength,
        ),
        refused(
            "a chunk longer than the GLB",
            container(2, None, &[(u32::MAX, JSON, json)]),
            ErrorCode::GlbLength,
        ),
        refused(
            "a chunk cut off in a word",
            container(2, None, &[(3, JSON, json)]),
            ErrorCode::InvalidJson,
        ),
        refused(
            "a chunk without anything",
            container(2, None, &[chunk(JSON, b"")]),
            ErrorCode::Empty,
        ),
        refused(
            "a chunk of zeros",
            container(2, None, &[chunk(JSON, b"\0\0\0\0")]),
            ErrorCode::Empty,
        ),
        refused(
            "binary first",
            container(2, None, &[chunk(BIN, b"1234"), chunk(JSON, json)]),
            ErrorCode::GlbWithoutJson,
        ),
        refused(
            "JSON in small letters",
            container(2, None, &[chunk(u32::from_le_bytes(*b"json"), json)]),
            ErrorCode::GlbWithoutJson,
        ),
        refused("no chunk", container(2, None, &[]), ErrorCode::GlbTruncated),
    ];
    for version in [0, 1, 3, u32::MAX, 2_u32.swap_bytes()] {
        let bytes = container(version, None, &[chunk(JSON, json)]);
        let about = format!("a GLB of version {version}");
        let comes = Comes::Refused(ErrorCode::UnsupportedVersion, "/asset".to_owned());
        files.push(odd(about, bytes, comes));
    }
    for len in [4, 5, 8, 11, 12, 15, 16, 19, 20, 21, whole.len() - 1] {
        files.push(refused(
            &format!("the first {len} bytes of a GLB"),
            whole[..len].to_vec(),
            ErrorCode::GlbTruncated,
        ));
    }
    files
}
