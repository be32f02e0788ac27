//! Scenes, figures, causes, advice and formats, in one binary.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support {
    pub(crate) mod animated;
    pub(crate) mod given;
    pub(crate) mod markdown;
    pub(crate) mod moving;
    pub(crate) mod not_sampled;
    pub(crate) mod read_chart;
    pub(crate) mod read_page;
    pub(crate) mod set_figures;
}

mod ablation;
mod advice;
mod advice_in_motion;
mod animation;
mod animation_forms;
mod animation_uniform;
mod cause;
mod cause_group;
mod charts;
mod charts_in_general;
mod closed_forms;
mod diff;
mod documents;
mod drawing;
mod embedded;
mod engine_words;
mod engines;
mod engines_as_defined;
mod explanation;
mod finding;
mod formats;
mod gltf;
mod gltf_animation;
mod gltf_animation_files;
mod gltf_animation_odd;
mod gltf_animation_refused;
mod gltf_errors;
mod gltf_refused;
mod gltf_skin;
mod grades;
mod hostile_names;
mod index;
mod page;
mod page_words;
mod picture;
mod real_scenes;
mod repair;
mod skin;
mod tables;
mod verdict;
