//! The two strategies that most engines follow, as entries of their own.

// The strategies are entries of the registry, so there is one question, how engines show a scene beside a reference,
// and one answer, `EngineAudit`. Figures, grades, causes, limits and the list of nodes are all of the group of
// engines that shows a node worst. Headline and list cannot disagree, because the headline is derived from the list.

use super::UNSEEN;
use crate::{Accumulation, Claim, Engine, Import, Known, QuaternionRule, fbx::FbxImport};

const MATRICES: Engine = Engine {
    id: "matrices",
    name: "accumulated matrices",
    sentence: "Multiplies matrices and keeps a sheared matrix, as glTF defines.",
    accumulation: Claim::new(Accumulation::Matrix, Known::Defined),
    import: Claim::new(Import::Kept, Known::Defined),
    given: Import::Kept,
    quaternion: Claim::new(QuaternionRule::Unit, Known::Defined),
    fbx: Claim::new(FbxImport::AsWritten, Known::Defined),
    ..UNSEEN
};

const TRS: Engine = Engine {
    id: "trs",
    name: "combined TRS",
    sentence: "Combines scales, rotations and positions separately. A sheared matrix is replaced by the nearest translation, rotation and scale.",
    accumulation: Claim::new(Accumulation::CombinedTrs, Known::Defined),
    import: Claim::new(Import::Nearest, Known::Defined),
    given: Import::Nearest,
    quaternion: Claim::new(QuaternionRule::Unit, Known::Defined),
    fbx: Claim::new(FbxImport::AsWritten, Known::Defined),
    ..UNSEEN
};

pub(super) const STRATEGIES: &[Engine; 2] = &[MATRICES, TRS];
