//! Short labels that distinguish scenes in a long list: the engines in which a scene looks different, the
//! cause, and whether it can be repaired.

use serde::{Deserialize, Serialize};
use xform_engines::Engine;

use super::{
    explanation::{is_mirror, is_pose},
    fix_command::{causes_seen, is_baked},
    unread::is_unknown,
};
use crate::audit::{CauseKind, Grade, SceneAudit};

/// Returns the engines in which a person sees a difference from the reference, in the order of the registry.
#[must_use]
pub fn different_in(scene: &SceneAudit) -> Vec<&'static Engine> {
    let engines = &scene.engines;
    let groups = || engines.others().iter().filter(|group| group.grade.is_seen());
    let is_in = |engine: &Engine| {
        groups().flat_map(|group| &group.engines).any(|other| other.id == engine.id)
    };
    engines.shown().into_iter().filter(|engine| is_in(engine)).collect()
}

/// Whether everything requested, drawing and colliders, could be judged and does not differ at all, not even
/// invisibly.
#[must_use]
pub fn is_alike(scene: &SceneAudit) -> bool {
    let grade = scene.summary.grade.max(scene.physics.grade());
    grade == Grade::Identical && !is_unknown(scene)
}

/// The general kind of cause of a visible difference.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CauseName {
    /// A scale that differs between axes.
    NonUniformScale,
    /// A scale that mirrors and is otherwise the same along all axes.
    MirroredScale,
    /// A `matrix` that is not a translation, rotation and scale.
    ShearedMatrix,
    /// A rotation that is not a unit quaternion.
    OddRotation,
    /// An inherit type of an FBX file.
    InheritType,
    /// No cause was found.
    Unknown,
}

impl CauseName {
    /// Returns the name for programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NonUniformScale => "non-uniform-scale",
            Self::MirroredScale => "mirrored-scale",
            Self::ShearedMatrix => "sheared-matrix",
            Self::OddRotation => "odd-rotation",
            Self::InheritType => "inherit-type",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the name for people.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::NonUniformScale => "non-uniform scale",
            Self::MirroredScale => "mirrored scale",
            Self::ShearedMatrix => "sheared matrix",
            Self::OddRotation => "rotation that is not a unit quaternion",
            Self::InheritType => "FBX inherit type",
            Self::Unknown => "no cause found",
        }
    }
}

/// Returns the causes of visible differences, each once, in the order of [`CauseName`].
#[must_use]
pub fn cause_names(scene: &SceneAudit) -> Vec<CauseName> {
    let mut names: Vec<_> = causes_seen(scene)
        .into_iter()
        .map(|seen| {
            let Some(cause) = seen.cause else { return CauseName::Unknown };
            match cause.kind {
                CauseKind::Rotation => CauseName::OddRotation,
                CauseKind::InheritType => CauseName::InheritType,
                CauseKind::Scale if !is_pose(scene, cause.scaler) => CauseName::ShearedMatrix,
                CauseKind::Scale if is_mirror(&seen.scale) => CauseName::MirroredScale,
                CauseKind::Scale => CauseName::NonUniformScale,
            }
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The share of the visible differences that `xform fix` repairs without changing the shape.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Repairable {
    /// All of it.
    Yes,
    /// Some of it.
    Partly,
    /// Nothing.
    No,
}

impl Repairable {
    /// Returns the name, for programs and people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Partly => "partly",
            Self::No => "no",
        }
    }
}

/// Returns the share of the visible differences that can be repaired, as far as [repairs were
/// tried](SceneAudit::repairs); `None` if nothing looks different.
#[must_use]
pub fn repairable(scene: &SceneAudit) -> Option<Repairable> {
    let causes = causes_seen(scene);
    let repaired = causes.iter().filter(|seen| is_baked(scene, seen.scaler())).count();
    match (causes.len(), repaired) {
        (0, _) => None,
        (_, 0) => Some(Repairable::No),
        (all, repaired) if all == repaired => Some(Repairable::Yes),
        (..) => Some(Repairable::Partly),
    }
}
