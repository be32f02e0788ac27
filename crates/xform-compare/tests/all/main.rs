//! Scenes, figures, causes and advice, in one binary.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support {
    #![allow(dead_code, reason = "shared with the tests of other crates, which use other parts")]

    pub(crate) mod animated;
    pub(crate) mod engine_choices;
    #[path = "../../../../xform-scene/tests/all/support/given.rs"]
    pub(crate) mod given;
    pub(crate) mod moving;
    pub(crate) mod not_sampled;
    pub(crate) mod set_figures;
    pub(crate) mod skinned;
}

mod ablation;
mod ablation_by_engine;
mod advice;
mod advice_in_motion;
mod animation;
mod animation_forms;
mod animation_uniform;
mod behaviours;
mod cause;
mod cause_group;
mod closed_forms;
mod colliders;
mod compressed;
mod engines;
mod engines_as_defined;
mod explanation;
mod finding;
mod gltf;
mod gltf_animation;
mod gltf_animation_files;
mod gltf_animation_refused;
mod gltf_refused;
mod gltf_skin;
mod instances;
mod real_scenes;
mod repair;
mod shape;
mod skin;
mod surfaces;
mod undrawn;
