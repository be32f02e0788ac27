//! Formats, and that they agree, in one binary.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support {
    #![allow(dead_code, reason = "shared with the tests of other crates, which use other parts")]

    #[path = "../../../../xform-compare/tests/all/support/animated.rs"]
    pub(crate) mod animated;
    #[path = "../../../../xform-compare/tests/all/support/engine_choices.rs"]
    pub(crate) mod engine_choices;
    #[path = "../../../../xform-scene/tests/all/support/given.rs"]
    pub(crate) mod given;
    pub(crate) mod markdown;
    #[path = "../../../../xform-compare/tests/all/support/moving.rs"]
    pub(crate) mod moving;
    pub(crate) mod read_chart;
    pub(crate) mod read_page;
    #[path = "../../../../xform-compare/tests/all/support/set_figures.rs"]
    pub(crate) mod set_figures;
    #[path = "../../../../xform-compare/tests/all/support/skinned.rs"]
    pub(crate) mod skinned;
}

mod agreement;
mod answers;
mod charts;
mod charts_in_general;
mod colliders;
mod diff;
mod documents;
mod embedded;
mod engine_words;
mod formats;
mod found;
mod gltf_animation_odd;
mod grades;
mod hostile_names;
mod index;
mod links;
mod page;
mod page_words;
mod picture;
mod tables;
mod verdict;
mod verification;
