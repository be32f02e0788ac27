//! Laws, kernels, edits and misuse of the core and both backends, and who imports whom, in one binary.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod crowd;
mod imports;
mod kernels;
mod promises;

mod edits {
    mod bulk;
    mod changes;
    mod cursors;
    mod forgiving;
    mod incremental;
    mod looking;
    mod odd;
    mod refused;
    mod world;
    mod world_kept;
}

mod inherit {
    mod edits;
    mod refused;
    mod world_edits;
    mod worlds;
}

mod laws {
    mod decomposition;
    mod euler;
    mod strategies;
}

mod misuse {
    mod errors;
    mod ids;
    mod panics;
    mod panics_and_lies;
    mod size;
    #[cfg(feature = "rayon")]
    mod threads;
}

mod peers {
    mod babylonjs;
    mod bevy;
    mod fyrox;
    mod glam;
    mod godot;
    mod in_both;
    mod openusd;
    mod ozz;
    mod panda3d;
    mod playcanvas;
    mod threejs;
    mod unity_entities;
}

mod spaces {
    mod conversions;
    mod errors;
    mod world_reads;
}

mod structure {
    mod branches;
    mod hierarchy;
    mod interop;
    mod model;
    mod snapshots;
    #[cfg(feature = "rayon")]
    mod threads;
}
