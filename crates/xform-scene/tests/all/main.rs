//! What is read of files, in one binary.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support {
    #![allow(dead_code, reason = "shared with the tests of other crates, which use other parts")]

    pub(crate) mod given;
}

mod colliders;
mod drawing;
mod gltf_errors;
