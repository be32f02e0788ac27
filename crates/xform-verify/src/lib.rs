//! You wrote an importer: is it right? Given the world transforms that it computes for the nodes of test scenes, this
//! crate finds the engine whose rule it follows, or the first node where it follows none.
//!
//! [`Scenes::kit`] has the scenes, [`Answers`] are the importer's results, and [`verify`] tries every rule of
//! `xform-engines` in every choice of axes and unit. `docs/verify.md` of the repository is a guide. The program `xform
//! verify` is in `xform-cli`.
//!
//! ```
//! use std::collections::BTreeMap;
//! use xform_verify::{Answers, Question, Scenes, verify};
//!
//! // What an importer gave for a scene of the kit: 4×4 matrices, column by column.
//! let text = r#"{"schema": "xform-answers/1", "engine": "mine", "version": "1", "scenes": {
//!     "mirror": [{"seconds": null, "nodes": {
//!         "A": {"world": [-2, 0, 0, 0,  0, 1, 0, 0,  0, 0, 1, 0,  0, 1, 0, 1]}
//!     }}]
//! }}"#;
//! let answers = vec![("mine.json".to_owned(), Answers::read(text.as_bytes())?)];
//! let found = verify(&answers, &Scenes::kit(), &Question::default());
//! assert!(found.holds(false));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod asked;
mod convention;
mod distance;
mod mistake;
mod prediction;
mod recorded;
mod rule;
mod scenes;
mod trial;
mod verification;
mod verify;
mod words;

/// The guide's example, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/verify.md")]
struct Guide;

pub use answers::{Answers, AnswersError, Asked, Axes, Moment, NodeAnswer};
pub use convention::Convention;
pub use distance::ROUNDING;
pub use mistake::Mistake;
pub use recorded::recorded;
pub use scenes::{FolderError, SceneError, Scenes};
pub use verification::{
    FailedScene, FilePose, FirstWrong, FoundAxes, JudgedAs, LikelyMistake, NamedRule, RuleFit,
    TellsApart, Verdict, Verification, VerifiedRun, VerifiedScene,
};
pub use verify::{Question, verify};
pub use words::{engine_names, residual};
pub use xform_engines::kit;
