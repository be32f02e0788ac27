//! The result of a verification: a document `xform-verify/1`.

use serde::{Deserialize, Serialize};

use crate::{
    answers::{Asked, Axes},
    convention::Convention,
    mistake::Mistake,
};

/// The rules that answers follow: a document `xform-verify/1`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Verification {
    /// `xform-verify/1`.
    pub schema: String,
    /// The largest residual that counts as rounding.
    ///
    /// The residual of a world matrix is the larger of two figures: the worst difference of an entry of its 3×3 part,
    /// divided by the largest entry of that part; and the worst difference of its position, divided by 1 + its largest
    /// entry. The residual of vertices is the worst distance, divided by 1 + the largest coordinate. It may be twenty
    /// times as large.
    pub bound: f64,
    /// The runs, in the order of the files and within them.
    pub runs: Vec<VerifiedRun>,
}

/// A run: one engine, queried in one way.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct VerifiedRun {
    /// The name of the file with the answers.
    pub file: String,
    /// The name of the run.
    pub run: String,
    /// The engine that the file names.
    pub engine: String,
    /// The version of the engine.
    pub version: String,
    /// The date of the run. Empty if the file states none.
    pub date: String,
    /// How the engine was queried.
    pub asked: Asked,
    /// The verdict on the rule in [`judged`](Self::judged).
    pub verdict: Verdict,
    /// Whether every answer follows the rule that the run is judged by, and no answer is about an unknown node or
    /// scene.
    pub followed: bool,
    /// The result in one sentence, for people.
    pub headline: String,
    /// More sentences for people: the first wrong node and a likely reason, the rule that the run follows instead, axes
    /// and unit, and what could not be compared. Names of nodes stand between backticks.
    pub details: Vec<String>,
    /// Why the run is judged by that rule.
    pub judged_as: JudgedAs,
    /// The id of the engine by whose rule the run is judged, if the caller requested it or the file names it.
    pub judged_engine: Option<String>,
    /// The rule that the run is judged by. `None` if no answer can be compared with a rule.
    pub judged: Option<RuleFit>,
    /// Every rule that reproduces all answers, in the order of the registry. Rules that agree here share one entry.
    pub follows: Vec<RuleFit>,
    /// Every rule that comes near all answers but does not reproduce them all.
    pub nearly: Vec<RuleFit>,
    /// Every rule that no answer contradicts, and that predicts more than half of the answers but not all.
    pub possible: Vec<RuleFit>,
    /// The rule that reproduces most, if no rule reproduces all and the run is judged by another one.
    pub nearest: Option<RuleFit>,
    /// The axes and the unit of the answers, by the rule that the run is judged by.
    pub axes: Option<FoundAxes>,
    /// The first node that contradicts the rule, parents before children.
    pub first_wrong: Option<FirstWrong>,
    /// Scenes with animations for which there are only answers at rest.
    pub not_in_motion: Vec<String>,
    /// Scenes of the kit that would tell apart the rules that all answers follow. The most useful scene comes first,
    /// and each further one tells more of them apart.
    pub told_apart_by: Vec<TellsApart>,
    /// The scenes, in their order.
    pub scenes: Vec<VerifiedScene>,
    /// Scenes that the engine could not be queried about, with the reasons.
    pub failed: Vec<FailedScene>,
    /// The names of unknown scenes that answers are about.
    pub unknown_scenes: Vec<String>,
}

/// The verdict on a run or a scene.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict {
    /// The rule reproduces every answer.
    Follows,
    /// The rule reproduces every answer that it predicts, and it does not predict all.
    PartlyKnown,
    /// The rule reproduces every answer, but in other axes or another unit than the file states.
    OtherAxes,
    /// Every answer is near: within the rounding of half floats or of few decimals.
    Nearly,
    /// An answer contradicts the rule.
    Wrong,
    /// The rule predicts none of the answers.
    Nothing,
}

impl Verdict {
    /// Returns its name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Follows => "follows",
            Self::PartlyKnown => "partly-known",
            Self::OtherAxes => "other-axes",
            Self::Nearly => "nearly",
            Self::Wrong => "wrong",
            Self::Nothing => "nothing",
        }
    }
}

/// Why a run is judged by a rule.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgedAs {
    /// The caller requested it.
    Expected,
    /// The file names this engine.
    Named,
    /// It reproduces most answers.
    Nearest,
}

/// A rule, and how many answers it reproduces.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RuleFit {
    /// The engines with this rule, in the order of the registry. They differ only in scenes without answers, or not at
    /// all.
    pub rules: Vec<NamedRule>,
    /// Whether the rule is what glTF defines for a file: matrices are multiplied, and a `matrix` is kept.
    pub is_gltf: bool,
    /// The number of answers that it predicts: world transforms, and meshes by their vertices, at all times.
    pub known: usize,
    /// The number of those that it reproduces.
    pub right: usize,
    /// The number of answers for which the engine's behaviour is unknown.
    pub unknown: usize,
    /// The worst residual; null if one is not finite.
    pub residual: Option<f64>,
}

/// A rule by its name.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct NamedRule {
    /// The id of the engine.
    pub engine: String,
    /// The settings beyond the engine's default, such as a switch; null without any.
    pub with: Option<String>,
}

/// The axes and the unit of answers.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FoundAxes {
    /// The axes and the unit that were found.
    #[serde(flatten)]
    pub convention: Convention,
    /// The axes and the unit that the file states; null if it states none.
    pub named: Option<Axes>,
    /// Whether the two agree; null if the file states none.
    pub is_as_named: Option<bool>,
    /// The number of other choices that fit as well, as in symmetric scenes.
    pub as_good: usize,
}

/// The first answer that contradicts the rule.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FirstWrong {
    /// The scene.
    pub scene: String,
    /// The time in its first animation; null at rest.
    pub seconds: Option<f64>,
    /// The path of the node.
    pub node: String,
    /// The residual; null if it is not finite.
    pub residual: Option<f64>,
    /// The world matrix in the answer, column by column; null if the vertices of the node are off instead.
    pub answered: Option<[Option<f64>; 16]>,
    /// The world matrix that the rule predicts, in the axes and the unit of the answers.
    pub expected: Option<[f64; 16]>,
    /// The local pose of the node in the file; null if it has a matrix.
    pub local: Option<FilePose>,
    /// Whether the usual mistakes were tried at this node. They are tried at rest, for rules that multiply matrices, if
    /// the answer is clearly off.
    pub are_mistakes_tried: bool,
    /// The likely mistake: a wrong step from the parent to the node that gives this answer.
    pub mistake: Option<LikelyMistake>,
    /// The path of another node that gives this answer if it takes the place of the parent.
    pub hangs_below: Option<String>,
}

/// A translation, a rotation and a scale from a file, in the file's axes.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct FilePose {
    /// The translation.
    pub translation: [f64; 3],
    /// The rotation as a quaternion x, y, z, w of length 1.
    pub rotation: [f64; 4],
    /// The scale.
    pub scale: [f64; 3],
}

/// A mistake that explains answers.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct LikelyMistake {
    /// The mistake.
    pub mistake: Mistake,
    /// The mistake as a clause for people.
    pub words: String,
    /// The number of nodes that it explains: nodes that are wrong at rest relative to the answers for their parents.
    pub nodes: usize,
    /// The number of such nodes that it does not explain.
    pub others: usize,
    /// The first of those, by its scene and its path.
    pub first_other: Option<[String; 2]>,
    /// The number of nodes that are right relative to their parents, and wrong only because a node above them is.
    pub below: usize,
}

/// A scene that tells rules apart.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct TellsApart {
    /// The name of the scene.
    pub scene: String,
    /// The engines, grouped by what they show in the scene.
    pub groups: Vec<Vec<String>>,
}

/// A scene of a run.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct VerifiedScene {
    /// The name of the scene.
    pub scene: String,
    /// The verdict, by the rule that the run is judged by.
    pub verdict: Verdict,
    /// The number of answers that the rule predicts.
    pub known: usize,
    /// The number of those that it reproduces.
    pub right: usize,
    /// The number of answers for which the engine's behaviour is unknown.
    pub unknown: usize,
    /// The worst residual; null if one is not finite.
    pub residual: Option<f64>,
    /// The ids of the engines whose rules reproduce every answer about the scene.
    pub follows: Vec<String>,
    /// The number of answers at rest for nodes with a skinned mesh, which importers move elsewhere.
    pub not_compared: usize,
    /// The number of nodes whose path another node has too, so that it is unclear which one is meant.
    pub ambiguous: usize,
    /// The number of nodes without an answer at rest.
    pub not_answered: usize,
    /// The paths of unknown nodes in answers, if a sibling of theirs has no answer: they may be misnamed. Nodes that an
    /// importer adds are not listed.
    pub strangers: Vec<String>,
}

/// A scene that an engine could not be queried about.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct FailedScene {
    /// The name of the scene.
    pub scene: String,
    /// The reason.
    pub why: String,
}

impl Verification {
    /// Whether every run follows the rule that it is judged by. With `allows_unknown`, answers without a prediction
    /// pass.
    #[must_use]
    pub fn holds(&self, allows_unknown: bool) -> bool {
        self.runs.iter().all(|run| run.holds(allows_unknown))
    }
}

impl VerifiedRun {
    /// Whether the run follows the rule that it is judged by. With `allows_unknown`, answers without a prediction pass.
    #[must_use]
    pub fn holds(&self, allows_unknown: bool) -> bool {
        let is_right = match self.verdict {
            Verdict::Follows => true,
            Verdict::PartlyKnown => allows_unknown,
            Verdict::OtherAxes | Verdict::Nearly | Verdict::Wrong | Verdict::Nothing => false,
        };
        is_right
            && self.unknown_scenes.is_empty()
            && self.scenes.iter().all(|scene| scene.strangers.is_empty())
    }
}

impl FirstWrong {
    /// Returns the columns of the matrix, answered and expected: the x, y and z axes and the position.
    pub(crate) fn columns(&self) -> Option<[[[f64; 3]; 2]; 4]> {
        let answered = self.answered?.map(|entry| entry.unwrap_or(f64::NAN));
        let both = [answered, self.expected?];
        let column =
            |at: usize| both.map(|entries| std::array::from_fn(|row| entries[4 * at + row]));
        Some(std::array::from_fn(column))
    }
}
