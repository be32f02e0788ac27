use std::io::Read;

use flate2::read::GzDecoder;

use crate::Verification;

/// What the recorded answers of the kit come to, `crates/xform-engines/kit/answers` of the repository: each engine that was run, by its
/// own rule.
///
/// # Panics
///
/// Never: it is tested to be what [`verify`](crate::verify) finds.
#[must_use]
pub fn recorded() -> Verification {
    let mut text = String::new();
    let packed = &include_bytes!("recorded.json.gz")[..];
    GzDecoder::new(packed).read_to_string(&mut text).expect("packed by gzip");
    serde_json::from_str(&text).expect("a document xform-verify/1")
}
