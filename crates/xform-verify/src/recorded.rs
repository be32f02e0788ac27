use std::io::Read;

use flate2::read::GzDecoder;

use crate::Verification;

/// Returns the verification of the kit's recorded answers, in `crates/xform-engines/kit/answers` of the repository.
/// Each engine that was run is judged by its own rule.
///
/// # Panics
///
/// Never: a test checks that it is what [`verify`](crate::verify) finds.
#[must_use]
pub fn recorded() -> Verification {
    let mut text = String::new();
    let packed = &include_bytes!("recorded.json.gz")[..];
    GzDecoder::new(packed).read_to_string(&mut text).expect("packed by gzip");
    serde_json::from_str(&text).expect("a document xform-verify/1")
}
