//! What was found: a document `xform-verify/1`.

use serde::{Deserialize, Serialize};

use crate::{
    answers::{Asked, Axes},
    convention::Convention,
    mistake::Mistake,
};

/// Which rules answers follow: a document `xform-verify/1`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Verification {
    /// `xform-verify/1`.
    pub schema: String,
    /// Up to which a residual is rounding. Of a world matrix that is the larger of two: the worst difference of an entry of its 3×3 part,
    /// divided by the largest of that part, and of its position, divided by 1 + its largest entry. Of vertices it is the worst distance,
    /// divided by 1 + the largest coordinate, and may be twenty times as much.
    pub bound: f64,
    /// Each run, in the order of the files and within them.
    pub runs: Vec<VerifiedRun>,
}

/// A run: one way of asking one engine.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct VerifiedRun {
    /// The file of answers.
    pub file: String,
    /// The name of the run.
    pub run: String,
    /// The engine that it says it is.
    pub engine: String,
    /// Its version.
    pub version: String,
    /// When it was asked; empty where it does not say.
    pub date: String,
    /// How it was asked.
    pub asked: Asked,
    /// What came of it: of [`judged`](Self::judged).
    pub verdict: Verdict,
    /// Whether it follows the rule that it is judged by, of every answer, and none is about a node or a scene that there is not.
    pub followed: bool,
    /// The answer in one sentence, for people.
    pub headline: String,
    /// What else there is to say, for people: where it is wrong first, and what may be the reason; which rule it follows instead; axes and
    /// unit; what could not be compared. Names of nodes stand between backticks.
    pub details: Vec<String>,
    /// Why it is judged by that rule.
    pub judged_as: JudgedAs,
    /// The id of the engine by whose rule it is judged, where that was asked for or is named by the file.
    pub judged_engine: Option<String>,
    /// The rule that it is judged by; none where nothing was answered that a rule says something of.
    pub judged: Option<RuleFit>,
    /// Every rule that reproduces all answers, in the order of the registry. Those that come to the same here are one.
    pub follows: Vec<RuleFit>,
    /// Every rule that all answers are near to, and that does not reproduce all.
    pub nearly: Vec<RuleFit>,
    /// Every rule that no answer speaks against, and that does not say something of all, but of more than half.
    pub possible: Vec<RuleFit>,
    /// Where none does, and it is judged by another one: the rule that reproduces most.
    pub nearest: Option<RuleFit>,
    /// The axes and the unit that answers are in by that rule.
    pub axes: Option<FoundAxes>,
    /// The first node that is not where the rule has it, parents before children.
    pub first_wrong: Option<FirstWrong>,
    /// Scenes with animations of which there are answers at rest alone.
    pub not_in_motion: Vec<String>,
    /// Scenes of the kit that would tell the rules apart which all answers follow, the one that tells most first; and one that stands for
    /// each kind of them.
    pub told_apart_by: Vec<TellsApart>,
    /// Each scene, in the order of the scenes.
    pub scenes: Vec<VerifiedScene>,
    /// Scenes that it could not be asked about, and why.
    pub failed: Vec<FailedScene>,
    /// Answers about scenes that are not known.
    pub unknown_scenes: Vec<String>,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict {
    /// The rule reproduces every answer.
    Follows,
    /// It reproduces those that it says something of; of others nothing is known.
    PartlyKnown,
    /// It reproduces every answer, in other axes or another unit than the file says.
    OtherAxes,
    /// Every answer is near: what rounding to half floats or to few decimals leaves.
    Nearly,
    /// An answer is another than the rule's.
    Wrong,
    /// Nothing was answered that the rule says something of.
    Nothing,
}

impl Verdict {
    /// Its name in JSON.
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
    /// It was asked for.
    Expected,
    /// The file says that it is this engine.
    Named,
    /// It reproduces most.
    Nearest,
}

/// A rule, and how much of the answers it reproduces.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RuleFit {
    /// The engines whose rule it is, in the order of the registry. They differ in scenes that were not asked about, or not at all.
    pub rules: Vec<NamedRule>,
    /// Whether it is what glTF defines of a file: matrices are multiplied, and a `matrix` is kept.
    pub is_gltf: bool,
    /// How many answers it says something of: world transforms, and meshes by their vertices, at all times.
    pub known: usize,
    /// Of those, how many it reproduces.
    pub right: usize,
    /// Of how many it is not known what the engine does.
    pub unknown: usize,
    /// The worst of the residuals; null where one is not finite.
    pub residual: Option<f64>,
}

/// A rule by its name.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct NamedRule {
    /// The id of the engine.
    pub engine: String,
    /// What else it takes, such as a switch that is set; null for what the engine does of itself.
    pub with: Option<String>,
}

/// The axes and the unit that answers are in.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FoundAxes {
    /// Those.
    #[serde(flatten)]
    pub convention: Convention,
    /// What the file says itself; null where it says nothing.
    pub named: Option<Axes>,
    /// Whether these are the same; null where the file says nothing.
    pub is_as_named: Option<bool>,
    /// How many other choices do as well, as in scenes that are symmetric.
    pub as_good: usize,
}

/// The first answer that is another than the rule's.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FirstWrong {
    /// The scene.
    pub scene: String,
    /// The time of its first animation; null at rest.
    pub seconds: Option<f64>,
    /// The path of the node.
    pub node: String,
    /// How far it is off; null where that is not finite.
    pub residual: Option<f64>,
    /// The world matrix that was answered, column by column; null where it is the vertices of the node that are off.
    pub answered: Option<[Option<f64>; 16]>,
    /// What the rule has, in the axes and the unit of the answers.
    pub expected: Option<[f64; 16]>,
    /// The node below its parent, as the file has it; null where it has a matrix.
    pub local: Option<FilePose>,
    /// Whether the usual mistakes were tried at this node: at rest, where matrices are multiplied, and it is clearly off.
    pub are_mistakes_tried: bool,
    /// What may have been got wrong: the step from its parent that gives the answer.
    pub mistake: Option<LikelyMistake>,
    /// The node below which it hangs, by its path, where that gives the answer in place of its parent.
    pub hangs_below: Option<String>,
}

/// A translation, a rotation and a scale of a file, in its own axes.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct FilePose {
    /// The translation.
    pub translation: [f64; 3],
    /// The rotation as a quaternion x y z w of length 1.
    pub rotation: [f64; 4],
    /// The scale.
    pub scale: [f64; 3],
}

/// A mistake that gives the answers.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct LikelyMistake {
    /// Which.
    pub mistake: Mistake,
    /// The same, as a clause for people.
    pub words: String,
    /// How many nodes come out by it, of those that are wrong at rest below their parents as answered.
    pub nodes: usize,
    /// How many of these come out otherwise.
    pub others: usize,
    /// The first of those, by its scene and its path.
    pub first_other: Option<[String; 2]>,
    /// How many nodes are right below their parents, and are wrong because something above them is.
    pub below: usize,
}

/// A scene, and the rules that tell apart there.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct TellsApart {
    /// The name of the scene.
    pub scene: String,
    /// The engines by what they show of it; each group shows the same.
    pub groups: Vec<Vec<String>>,
}

/// A scene of a run.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[non_exhaustive]
pub struct VerifiedScene {
    /// Its name.
    pub scene: String,
    /// What came of it, by the rule that the run is judged by.
    pub verdict: Verdict,
    /// How many answers the rule says something of.
    pub known: usize,
    /// Of those, how many it reproduces.
    pub right: usize,
    /// Of how many it is not known what the engine does.
    pub unknown: usize,
    /// The worst of the residuals; null where one is not finite.
    pub residual: Option<f64>,
    /// The engines whose rules reproduce every answer about it, by their ids.
    pub follows: Vec<String>,
    /// Answers at rest about nodes with a skinned mesh, which importers put elsewhere.
    pub not_compared: usize,
    /// Nodes of the scene whose path others have as well, so that nobody can tell which is meant.
    pub ambiguous: usize,
    /// Nodes that the scene has and of which there is no answer at rest.
    pub not_answered: usize,
    /// Answers about nodes that it does not have, by their paths, where a node beside them has no answer: they may be misnamed. What an
    /// importer adds of its own is not among them.
    pub strangers: Vec<String>,
}

/// A scene that an engine could not be asked about.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct FailedScene {
    /// Its name.
    pub scene: String,
    /// Why not.
    pub why: String,
}

impl Verification {
    /// Whether every run follows the rule that it is judged by. Where `allows_unknown`, what nothing is known of passes.
    #[must_use]
    pub fn holds(&self, allows_unknown: bool) -> bool {
        self.runs.iter().all(|run| run.holds(allows_unknown))
    }
}

impl VerifiedRun {
    /// Whether it follows the rule that it is judged by. Where `allows_unknown`, what nothing is known of passes.
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
    /// The columns of the matrix, answered and expected: the x, y and z axes and the position.
    pub(crate) fn columns(&self) -> Option<[[[f64; 3]; 2]; 4]> {
        let answered = self.answered?.map(|entry| entry.unwrap_or(f64::NAN));
        let both = [answered, self.expected?];
        let column =
            |at: usize| both.map(|entries| std::array::from_fn(|row| entries[4 * at + row]));
        Some(std::array::from_fn(column))
    }
}
